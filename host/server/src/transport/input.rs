//! Input cut into lines, by a thread that reads it. It keeps no more of a line than a cap.

use std::io::{self, BufRead, BufReader, Read};
use std::{mem, thread};

use tokio::sync::mpsc;

/// Lines of input.
#[derive(Debug)]
pub struct Input(mpsc::Receiver<Line>);

impl Input {
    /// Reads any input on a thread of its own. A line has at most `longest` bytes.
    pub fn thread(input: impl Read + Send + 'static, longest: usize) -> io::Result<Self> {
        Ok(Self(read_lines(input, longest)?))
    }

    /// Returns the next line, or `None` at the end. No line is lost if the caller stops waiting.
    pub(super) async fn next(&mut self) -> Option<Line> {
        self.0.recv().await
    }
}

/// Bytes that are read at a time.
const CHUNK: usize = 64 << 10;

/// A line of input.
#[derive(Debug, PartialEq)]
pub(super) enum Line {
    /// A line without its line feed.
    Whole(Vec<u8>),
    /// A line over the cap, of which only the length in bytes is kept.
    Long(u64),
}

/// Reads `input` until it ends or the receiver is gone. The thread reads one line ahead and then
/// waits. The pipe therefore slows down a client that sends faster than the server works.
fn read_lines(input: impl Read + Send + 'static, cap: usize) -> io::Result<mpsc::Receiver<Line>> {
    let (sender, receiver) = mpsc::channel(1);
    let mut lines =
        Stream { input: BufReader::with_capacity(CHUNK, input), cutter: Cutter::new(cap) };
    thread::Builder::new().name("input".to_owned()).spawn(move || {
        while let Ok(Some(line)) = lines.next() {
            if sender.blocking_send(line).is_err() {
                break;
            }
        }
    })?;
    Ok(receiver)
}

struct Stream<R> {
    input: BufReader<R>,
    cutter: Cutter,
}

impl<R: Read> Stream<R> {
    /// Reads the next line. The last one may lack a line feed.
    fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let chunk = self.input.fill_buf()?;
            if chunk.is_empty() {
                return Ok(self.cutter.finish());
            }
            let (used, line) = self.cutter.take(chunk);
            self.input.consume(used);
            if line.is_some() {
                return Ok(line);
            }
        }
    }
}

/// Assembles lines from chunks of input.
pub(super) struct Cutter {
    cap: usize,
    /// The start of a line within the cap.
    line: Vec<u8>,
    /// The length of a line over the cap.
    long: Option<u64>,
}

impl Cutter {
    pub(super) fn new(cap: usize) -> Self {
        Self { cap, line: Vec::new(), long: None }
    }

    /// Takes bytes up to the first line feed. Returns their number, and the line if it is complete.
    pub(super) fn take(&mut self, bytes: &[u8]) -> (usize, Option<Line>) {
        let end = bytes.iter().position(|byte| *byte == b'\n');
        self.add(bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default());
        match end {
            Some(end) => (end + 1, Some(self.end())),
            None => (bytes.len(), None),
        }
    }

    /// Returns the last line, which has no line feed.
    pub(super) fn finish(&mut self) -> Option<Line> {
        (self.long.is_some() || !self.line.is_empty()).then(|| self.end())
    }

    fn add(&mut self, part: &[u8]) {
        let length = |bytes: &[u8]| u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        match &mut self.long {
            Some(long) => *long = long.saturating_add(length(part)),
            None if self.line.len() + part.len() > self.cap => {
                self.long = Some(length(&self.line).saturating_add(length(part)));
                self.line = Vec::new();
            }
            None => self.line.extend_from_slice(part),
        }
    }

    fn end(&mut self) -> Line {
        match self.long.take() {
            Some(length) => Line::Long(length),
            None => Line::Whole(mem::take(&mut self.line)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(input: &'static str, cap: usize) -> Vec<Line> {
        let input = BufReader::with_capacity(4, input.as_bytes());
        let mut lines = Stream { input, cutter: Cutter::new(cap) };
        std::iter::from_fn(|| lines.next().expect("a slice can be read")).collect()
    }

    fn whole(text: &str) -> Line {
        Line::Whole(text.as_bytes().to_vec())
    }

    #[test]
    fn cuts_lines() {
        assert_eq!(lines("a\nbc\n\nd", 8), [whole("a"), whole("bc"), whole(""), whole("d")]);
        assert_eq!(lines("", 8), []);
    }

    #[test]
    fn caps_lines() {
        assert_eq!(lines("12345678\n", 8), [whole("12345678")]);
        assert_eq!(lines("1234567890123\nnext", 8), [Line::Long(13), whole("next")]);
        assert_eq!(lines("123456789", 8), [Line::Long(9)]);
    }
}
