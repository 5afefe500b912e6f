//! What can be learnt of JSON text byte by byte, without building anything and without trusting
//! it to be JSON: the id of a request that cannot be read, nesting, and integers that JavaScript
//! would round.

use rmcp::model::RequestId;

use crate::transport::id;

/// The longest id worth remembering.
const LONGEST_ID: usize = 1 << 10;

/// The id of the message in `line`, if one stands at the top level and is well formed.
pub(crate) fn find_id(line: &[u8]) -> Option<RequestId> {
    let mut scan = IdScan::default();
    scan.feed(line);
    scan.finish()
}

/// Finds the member `id` of an object that arrives in pieces of any length. It keeps no more of
/// the text than an id.
#[derive(Debug, Default)]
pub(crate) struct IdScan {
    nesting: Nesting,
    /// The token being read at the top level.
    token: Vec<u8>,
    /// Whether the member being read is `id`.
    wanted: bool,
    id: Option<Vec<u8>>,
}

impl IdScan {
    /// Reads on.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.step(*byte);
        }
    }

    /// The id, once the text has ended.
    pub(crate) fn finish(mut self) -> Option<RequestId> {
        self.end_value();
        id::read(str::from_utf8(&self.id?).ok()?.trim_end())
    }

    fn step(&mut self, byte: u8) {
        let quoted = self.nesting.in_text;
        let level = self.nesting.level;
        self.nesting.step(byte);
        if level > 1 || self.nesting.level > 1 {
            // A nested value is no id, but its opening bracket must show up as one.
            self.keep(b'[');
        } else if quoted {
            self.keep(byte);
        } else {
            match byte {
                b':' => self.end_key(),
                b',' | b'{' | b'}' => self.end_value(),
                byte if byte.is_ascii_whitespace() => self.keep_blank(),
                byte => self.keep(byte),
            }
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.token.len() < LONGEST_ID {
            self.token.push(byte);
        }
    }

    /// Keeps apart what stands apart: `1 2` is no id, least of all 12.
    fn keep_blank(&mut self) {
        if self.token.last().is_some_and(|byte| *byte != b' ') {
            self.keep(b' ');
        }
    }

    fn end_key(&mut self) {
        let key: Option<String> = serde_json::from_slice(&self.token).ok();
        self.wanted = key.is_some_and(|key| key == "id");
        self.token.clear();
    }

    fn end_value(&mut self) {
        let token = std::mem::take(&mut self.token);
        if std::mem::take(&mut self.wanted) && token.len() < LONGEST_ID {
            self.id = Some(token);
        }
    }
}

/// How many levels of arrays and objects `text` has.
pub(crate) fn depth(text: &[u8]) -> usize {
    let mut nesting = Nesting::default();
    let mut deepest = 0;
    for byte in text {
        nesting.step(*byte);
        deepest = deepest.max(nesting.level);
    }
    deepest
}

/// How many members the objects of `text`, which is JSON, have as they are written.
pub(crate) fn members(text: &[u8]) -> usize {
    let mut nesting = Nesting::default();
    let is_member = |byte: &&u8| {
        nesting.step(**byte);
        !nesting.in_text && **byte == b':'
    };
    text.iter().filter(is_member).count()
}

/// Whether `text`, which is JSON, holds an integer beyond ±(2^53 − 1), or a number with more
/// digits or a higher exponent than doubles have.
pub(crate) fn has_wide_number(text: &str) -> bool {
    let mut nesting = Nesting::default();
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+');
    text.split(|c: char| {
        nesting.step(u8::try_from(c).unwrap_or_default());
        nesting.in_text || !is_number(c)
    })
    .any(is_wide)
}

fn is_wide(token: &str) -> bool {
    const WIDEST: &str = "9007199254740991";
    const MOST_DIGITS: usize = 17;
    let digits = token.bytes().filter(u8::is_ascii_digit).count();
    if digits == token.len() {
        return (token.len(), token) > (WIDEST.len(), WIDEST);
    }
    digits > MOST_DIGITS || token.parse().is_ok_and(f64::is_infinite)
}

/// Where in JSON text we are.
#[derive(Debug, Default)]
struct Nesting {
    level: usize,
    in_text: bool,
    escaped: bool,
}

impl Nesting {
    fn step(&mut self, byte: u8) {
        if self.in_text {
            self.in_text = self.escaped || byte != b'"';
            self.escaped = !self.escaped && byte == b'\\';
        } else {
            match byte {
                b'"' => self.in_text = true,
                b'{' | b'[' => self.level += 1,
                b'}' | b']' => self.level = self.level.saturating_sub(1),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_ids_wherever_they_stand() {
        let number = |id| Some(RequestId::Number(id));
        let text = |id: &str| Some(RequestId::String(id.into()));
        for (line, id) in [
            (r#"{"id":7,"method":"x"}"#, number(7)),
            (r#"{"method":"x","params":{"id":1},"id": -3 }"#, number(-3)),
            (r#"{"params":[{"id":1}],"id":"a\"b"}"#, text("a\"b")),
            (r#"{"i\u0064":5}"#, number(5)),
            (r#"{"id":7,"params":[[["#, number(7)),
            (r#"{"id":7"#, number(7)),
            (r#"{"x":"\"id\":9","id":8"#, number(8)),
            ("{ \"id\" \t:  6 \t }", number(6)),
            (r#"{"id":1 2}"#, None),
            (r#"{"id":{"id":1}}"#, None),
            (r#"{"id":[1]}"#, None),
            (r#"{"id":null}"#, None),
            (r#"{"id":1.5}"#, None),
            (r#"{"x":"id"}"#, None),
            (r#"[{"id":1}]"#, None),
            ("garbage", None),
            ("", None),
        ] {
            assert_eq!(find_id(line.as_bytes()), id, "{line}");
        }
    }

    #[test]
    fn finds_ids_in_pieces() {
        let mut scan = IdScan::default();
        for byte in br#"{"params":{"a":["b"]},"id":"split"}"# {
            scan.feed(&[*byte]);
        }
        assert_eq!(scan.finish(), Some(RequestId::String("split".into())));
    }

    #[test]
    fn forgets_ids_that_are_too_long() {
        let line = format!("{{\"id\":\"{}\"}}", "x".repeat(2 * LONGEST_ID));
        assert_eq!(find_id(line.as_bytes()), None);
    }

    #[test]
    fn measures_depth() {
        assert_eq!(depth(br#"{"a":[[1],"[[[["]}"#), 3);
        assert_eq!(depth(b"1"), 0);
    }

    #[test]
    fn counts_members() {
        assert_eq!(members(br#"{"a":1,"a:b":[{"c":":"},{}],"d\":":2}"#), 4);
        assert_eq!(members(b"[1]"), 0);
    }

    #[test]
    fn sees_wide_numbers() {
        for wide in [
            "9007199254740992",
            "[1,-9007199254740992]",
            r#"{"a":12345678901234567890}"#,
            "1.2345678901234567890",
            "[1e400]",
        ] {
            assert!(has_wide_number(wide), "{wide}");
        }
        for narrow in [
            "9007199254740991",
            "-1.2345678901234567",
            "1e99",
            r#""99999999999999999999""#,
            r#"{"99999999999999999999":1}"#,
        ] {
            assert!(!has_wide_number(narrow), "{narrow}");
        }
    }
}
