//! Finds the id of a request that cannot be read otherwise.

use pif_domain::json::Scanner;
use rmcp::model::RequestId;

use super::id;

/// The most bytes of an id.
const LONGEST_ID: usize = 1 << 10;

/// Returns the id of the message in `line`, or `None` if the top level has no valid id.
pub(super) fn find_id(line: &[u8]) -> Option<RequestId> {
    let mut scan = IdScan::default();
    scan.feed(line);
    scan.finish()
}

/// Finds the member `id` of an object that arrives in pieces of any length. Keeps at most
/// [`LONGEST_ID`] bytes of a token.
#[derive(Debug, Default)]
pub(super) struct IdScan {
    scanner: Scanner,
    /// The present token at the top level.
    token: Vec<u8>,
    /// Whether the present member is `id`.
    wanted: bool,
    id: Option<Vec<u8>>,
}

impl IdScan {
    /// Scans the next piece.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.step(*byte);
        }
    }

    /// Returns the id after the end of the text.
    pub(super) fn finish(mut self) -> Option<RequestId> {
        self.end_value();
        id::read(str::from_utf8(&self.id?).ok()?.trim_end())
    }

    fn step(&mut self, byte: u8) {
        let quoted = self.scanner.is_in_text();
        let level = self.scanner.level();
        self.scanner.step(byte);
        if level > 1 || self.scanner.level() > 1 {
            // A nested value is not an id. The bracket that replaces it makes it invalid as an id.
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

    /// Keeps a blank between two tokens, so that `1 2` is not read as 12.
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
}
