//! Server-sent events, read from pieces of a response that end anywhere.

/// The bytes of a stream that have not become events yet.
#[derive(Debug, Default)]
pub(super) struct Events {
    /// The line that has not ended.
    line: Vec<u8>,
    /// Whether the last line ended with a carriage return, whose line feed may follow.
    after_return: bool,
    /// Whether a line has ended.
    is_begun: bool,
    /// The data of the event that has not ended, if it has some.
    data: Option<Vec<u8>>,
    /// Whether the event is a message, which it is unless it has another name.
    is_other: bool,
}

impl Events {
    /// Takes the next piece, and returns the data of the messages that it ends.
    pub(super) fn push(&mut self, piece: &[u8]) -> Vec<Vec<u8>> {
        let mut messages = Vec::new();
        for byte in piece {
            match byte {
                b'\n' if self.after_return => self.after_return = false,
                b'\n' | b'\r' => {
                    self.after_return = *byte == b'\r';
                    messages.extend(self.end_line());
                }
                byte => {
                    self.after_return = false;
                    self.line.push(*byte);
                }
            }
        }
        messages
    }

    /// The number of bytes that wait for the end of their event.
    pub(super) fn waiting(&self) -> usize {
        self.line.len() + self.data.as_ref().map_or(0, Vec::len)
    }

    fn end_line(&mut self) -> Option<Vec<u8>> {
        let line = std::mem::take(&mut self.line);
        let mark = "\u{feff}".as_bytes();
        let line = match line.strip_prefix(mark) {
            Some(line) if !self.is_begun => line,
            _ => &line,
        };
        self.is_begun = true;
        if line.is_empty() {
            let (data, is_other) = (self.data.take(), std::mem::take(&mut self.is_other));
            return data.filter(|_| !is_other);
        }
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let (name, value) = line.split_at(colon);
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => match &mut self.data {
                Some(data) => {
                    data.push(b'\n');
                    data.extend_from_slice(value);
                }
                None => self.data = Some(value.to_owned()),
            },
            b"event" => self.is_other = !matches!(value, b"" | b"message"),
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The messages of a text that comes in pieces of this length.
    fn messages(text: &str, length: usize) -> Vec<String> {
        let mut events = Events::default();
        let pieces = text.as_bytes().chunks(length);
        let messages = pieces.flat_map(|piece| events.push(piece));
        messages.map(|data| String::from_utf8(data).expect("UTF-8")).collect()
    }

    #[test]
    fn events_end_with_an_empty_line() {
        for (text, expected) in [
            ("data: 1\n\ndata: 2\n\n", &["1", "2"][..]),
            ("data: 1\r\n\r\ndata:2\r\rdata:  3\n\r\n", &["1", "2", " 3"]),
            ("\u{feff}data: 1\n\n\u{feff}data: 2\n\n", &["1"]),
            (": a comment\n\nid: 7\nretry: 10\ndata: é\n\n", &["é"]),
            ("data: {\ndata: \"a\": 1}\n\n", &["{\n\"a\": 1}"]),
            ("event: message\ndata: 1\n\nevent: endpoint\ndata: 2\n\ndata: 3\n\n", &["1", "3"]),
            ("data\n\ndata:\n\n", &["", ""]),
            ("data: 1\n", &[]),
            ("data: 1", &[]),
            ("database: 1\n\nevent: other\n\ndata: 2\n\n", &["2"]),
        ] {
            for length in 1..=text.len() {
                assert_eq!(messages(text, length), expected, "{text:?} in pieces of {length}");
            }
        }
    }

    #[test]
    fn bytes_that_wait_are_counted() {
        let mut events = Events::default();
        events.push(b"data: 123\ndata: 4");
        assert_eq!(events.waiting(), "123".len() + "data: 4".len());
        events.push(b"\n\n");
        assert_eq!(events.waiting(), 0);
    }
}
