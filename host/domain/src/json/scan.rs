//! The scanner of JSON text. It follows a text byte by byte and tracks its nesting and strings.

use serde_json::value::RawValue;

/// The position of a scan in JSON text.
#[derive(Debug, Default)]
pub struct Scanner {
    level: usize,
    in_text: bool,
    escaped: bool,
}

impl Scanner {
    /// Reads the next byte.
    pub fn step(&mut self, byte: u8) {
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

    /// The number of open lists and objects.
    #[must_use]
    pub fn level(&self) -> usize {
        self.level
    }

    /// Whether the position is inside a string.
    #[must_use]
    pub fn is_in_text(&self) -> bool {
        self.in_text
    }

    /// Reads the next character. Characters beyond ASCII have no meaning outside strings.
    fn step_char(&mut self, c: char) {
        self.step(u8::try_from(c).unwrap_or_default());
    }
}

/// The number of levels of lists and objects in a text.
#[must_use]
pub fn depth(text: &[u8]) -> usize {
    let mut scanner = Scanner::default();
    let levels = text.iter().map(|byte| {
        scanner.step(*byte);
        scanner.level
    });
    levels.max().unwrap_or_default()
}

/// The number of members in all objects of a text, including duplicates.
#[must_use]
pub fn count_members(text: &[u8]) -> usize {
    let mut scanner = Scanner::default();
    let is_member = |byte: &&u8| {
        scanner.step(**byte);
        !scanner.in_text && **byte == b':'
    };
    text.iter().filter(is_member).count()
}

/// The number of parts of a text: items and members. An object counts as four.
#[must_use]
pub fn count_parts(text: &[u8]) -> usize {
    let mut scanner = Scanner::default();
    let parts = text.iter().map(|byte| {
        scanner.step(*byte);
        match byte {
            _ if scanner.in_text => 0,
            b'{' => 4,
            b'[' | b',' => 1,
            _ => 0,
        }
    });
    1 + parts.sum::<usize>()
}

/// Removes the blanks between the tokens of a text. The tokens stay as they are written.
#[must_use]
pub fn compact(text: &str) -> String {
    let mut scanner = Scanner::default();
    let is_kept = |c: &char| {
        scanner.step_char(*c);
        scanner.in_text || !c.is_ascii_whitespace()
    };
    text.chars().filter(is_kept).collect()
}

/// Removes the blanks between the tokens of a value.
#[must_use]
pub fn compact_value(value: Box<RawValue>) -> Box<RawValue> {
    RawValue::from_string(compact(value.get())).unwrap_or(value)
}

/// The length in bytes of the string at the start of a text. Returns the length of the text if the
/// string does not end.
#[must_use]
pub fn text_length(text: &str) -> usize {
    let mut scanner = Scanner::default();
    let end = text.bytes().position(|byte| {
        scanner.step(byte);
        !scanner.in_text
    });
    end.map_or(text.len(), |end| end + 1)
}

/// The text or the word that a member of the outermost object has. The object may be broken: its other
/// members need not be JSON.
#[must_use]
pub fn member<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut scanner = Scanner::default();
    let mut key = None;
    for (at, byte) in text.bytes().enumerate() {
        let was_in_text = scanner.in_text;
        let level = scanner.level;
        scanner.step(byte);
        if level != 1 || was_in_text && scanner.in_text {
            continue;
        }
        match byte {
            b'"' if scanner.in_text => key = Some((at + 1, at + 1)),
            b'"' => key = key.map(|(start, _)| (start, at)),
            b':' => {
                let found = key.take().and_then(|(start, end)| text.get(start..end));
                if found == Some(name) {
                    return Some(word(text.get(at + 1..)?.trim_start()));
                }
            }
            _ => {}
        }
    }
    None
}

/// The string, or the word, at the start of a text.
fn word(text: &str) -> &str {
    let end = if text.starts_with('"') {
        text_length(text)
    } else {
        text.find(|c: char| c == ',' || c == '}' || c.is_whitespace()).unwrap_or(text.len())
    };
    text.get(..end).unwrap_or(text)
}

/// Whether a text contains an integer beyond ±(2^53 − 1), or a number with more digits or a higher
/// exponent than a double has.
pub fn has_wide_number(text: &str) -> bool {
    let mut scanner = Scanner::default();
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+');
    text.split(|c: char| {
        scanner.step_char(c);
        scanner.in_text || !is_number(c)
    })
    .any(is_wide)
}

/// The first integer of a text that a client may have rounded: it is beyond ±2^53, and a double is
/// written so in JavaScript.
#[must_use]
pub fn rounded_integer(text: &str) -> Option<&str> {
    const FEWEST: usize = 16;
    let mut run = 0;
    let has_long = text.bytes().any(|byte| {
        run = if byte.is_ascii_digit() { run + 1 } else { 0 };
        run == FEWEST
    });
    if !has_long {
        return None;
    }
    let mut scanner = Scanner::default();
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+');
    let mut tokens = text.split(|c: char| {
        scanner.step_char(c);
        scanner.in_text || !is_number(c)
    });
    tokens.find(|token| {
        let is_integer = token.bytes().all(|byte| byte.is_ascii_digit());
        is_integer && is_wide(token) && in_javascript(token).is_some_and(|text| text == **token)
    })
}

/// How JavaScript writes the double of an integer, if that is no exponent.
fn in_javascript(digits: &str) -> Option<String> {
    const MOST: usize = 21;
    let shortest = format!("{:e}", digits.parse::<f64>().ok()?);
    let (mantissa, exponent) = shortest.split_once('e')?;
    let length = exponent.parse::<usize>().ok()? + 1;
    let digits = mantissa.replace('.', "");
    (length <= MOST).then(|| format!("{digits:0<length$}"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_depth() {
        assert_eq!(depth(br#"{"a":[[1],"[[[["]}"#), 3);
        assert_eq!(depth(b"1"), 0);
    }

    #[test]
    fn counts_members() {
        assert_eq!(count_members(br#"{"a":1,"a:b":[{"c":":"},{}],"d\":":2}"#), 4);
        assert_eq!(count_members(b"[1]"), 0);
    }

    #[test]
    fn counts_parts() {
        assert_eq!(count_parts(br#"{"a":[1,"[,{"],"b\",":{}}"#), 1 + 4 + 1 + 1 + 1 + 4);
        assert_eq!(count_parts(b"1"), 1);
    }

    #[test]
    fn blanks_between_parts_go() {
        let text = "\t{ \"a \\\" b\" : [ 1.50 ,\r\n -2e5, \"\\\\\" , \" é \" ] }";
        assert_eq!(compact(text), r#"{"a \" b":[1.50,-2e5,"\\"," é "]}"#);
    }

    #[test]
    fn finds_the_end_of_a_string() {
        for (text, length) in
            [(r#""a\"b"c"#, 6), (r#""\\""#, 4), (r#""""#, 2), (r#""é" "#, 4), (r#""a"#, 2)]
        {
            assert_eq!(text_length(text), length, "{text}");
        }
    }

    #[test]
    fn sees_integers_that_may_be_rounded() {
        for (text, found) in [
            ("12345678901234567000", Some("12345678901234567000")),
            (r#"{"a": [1, -9007199254740992]}"#, Some("9007199254740992")),
            ("[18446744073709552000]", Some("18446744073709552000")),
            ("10000000000000000000", Some("10000000000000000000")),
            ("12345678901234567890", None),
            ("9007199254740993", None),
            ("9007199254740991", None),
            ("1.2345678901234567e19", None),
            ("1000000000000000000000", None),
            (r#"["12345678901234567000", {"12345678901234567000": 1}]"#, None),
        ] {
            assert_eq!(rounded_integer(text), found, "{text}");
        }
    }

    #[test]
    fn finds_a_member_of_a_broken_object() {
        for (text, found) in [
            (r#"{"jsonrpc":"2.0","id":7,"result":{"a":NaN}}"#, Some("7")),
            (r#"{"result":{"id":1,"a":Infinity},"id" : "x,}\"" }"#, Some(r#""x,}\"""#)),
            (r#"{"result":"id","a":"	","id":null"#, Some("null")),
            (r#"{"result":{"id":1}}"#, None),
            ("id: 7", None),
        ] {
            assert_eq!(member(text, "id"), found, "{text}");
        }
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
