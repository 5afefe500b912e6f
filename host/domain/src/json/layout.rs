//! JSON on several lines, for reading and for comparing line by line. It handles text of any depth,
//! because it does not build values.

use super::scan::{Scanner, text_length};

/// The widest indentation in blanks. It keeps deep terms readable.
const WIDEST: usize = 40;

/// Lays out canonical JSON with each member and element on a line of its own. A list or record
/// without nested ones stays on one line.
#[must_use]
pub fn lines(json: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut open = Vec::new();
    let mut rest = json;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '"' => text_length(rest),
            '{' | '[' => {
                let flat = flat(rest);
                if flat == 0 {
                    line.push(c);
                    rest = after(rest, 1);
                    open.push(c);
                    lines.push(std::mem::replace(&mut line, indent(open.len())));
                    continue;
                }
                flat
            }
            '}' | ']' => {
                open.pop();
                lines.push(std::mem::replace(&mut line, indent(open.len())));
                1
            }
            ',' => {
                line.push(',');
                lines.push(std::mem::replace(&mut line, indent(open.len())));
                rest = after(rest, 1);
                continue;
            }
            c => c.len_utf8(),
        };
        line.push_str(rest.get(..length).unwrap_or_default());
        rest = after(rest, length);
    }
    lines.push(line);
    lines
}

fn after(text: &str, length: usize) -> &str {
    text.get(length..).unwrap_or_default()
}

fn indent(depth: usize) -> String {
    " ".repeat((2 * depth).min(WIDEST))
}

/// The length in bytes of the list or record at the start of a text, or 0 if it contains others.
fn flat(text: &str) -> usize {
    let mut scanner = Scanner::default();
    for (index, byte) in text.bytes().enumerate() {
        scanner.step(byte);
        match scanner.level() {
            0 => return index + 1,
            1 => {}
            _ => return 0,
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lays_out_what_nests() {
        let json = r#"{"body":{"add":[{"var":"x"},"},{",-1]},"lam":"x"}"#;
        let shown = [
            "{",
            r#"  "body":{"#,
            r#"    "add":["#,
            r#"      {"var":"x"},"#,
            r#"      "},{","#,
            "      -1",
            "    ]",
            "  },",
            r#"  "lam":"x""#,
            "}",
        ];
        assert_eq!(lines(json), shown);
        assert_eq!(lines("[]"), ["[]"]);
        assert_eq!(lines(r#""a\"[b""#), [r#""a\"[b""#]);
    }

    #[test]
    fn takes_any_depth() {
        let deep = format!("{}1{}", "[".repeat(2_000), "]".repeat(2_000));
        assert_eq!(lines(&deep).len(), 3_999);
    }
}
