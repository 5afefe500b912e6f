//! Cuts standard input into lines on a thread of its own, keeping no more of a line than its cap.

use std::io::{self, BufRead, BufReader, Read};
use std::thread;

use rmcp::model::RequestId;
use tokio::sync::mpsc;

use super::scan::IdScan;

const CHUNK: usize = 64 << 10;

/// A line of input.
#[derive(Debug, PartialEq)]
pub(super) enum Line {
    /// A line without its end.
    Whole(Vec<u8>),
    /// A line over the cap, of which only this is left.
    Long {
        id: Option<RequestId>,
        /// Its length in bytes, without its end.
        length: u64,
    },
}

/// Reads `input` until it ends or nobody listens any more. The thread reads one line ahead and
/// then waits, so a client that sends faster than it is served is held up by its pipe.
pub(super) fn read_lines(
    input: impl Read + Send + 'static,
    cap: usize,
) -> io::Result<mpsc::Receiver<Line>> {
    let (sender, receiver) = mpsc::channel(1);
    let mut lines = Lines { input: BufReader::with_capacity(CHUNK, input), cap };
    thread::Builder::new().name("stdin".to_owned()).spawn(move || {
        while let Ok(Some(line)) = lines.next() {
            if sender.blocking_send(line).is_err() {
                break;
            }
        }
    })?;
    Ok(receiver)
}

struct Lines<R> {
    input: BufReader<R>,
    cap: usize,
}

impl<R: Read> Lines<R> {
    /// The next line; the last one need not be ended.
    fn next(&mut self) -> io::Result<Option<Line>> {
        let mut line = Vec::new();
        // One byte more than the cap tells a line over it from one that just fits.
        let most = u64::try_from(self.cap).unwrap_or(u64::MAX).saturating_add(1);
        self.input.by_ref().take(most).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(None);
        }
        if line.ends_with(b"\n") {
            line.pop();
        }
        if line.len() <= self.cap {
            return Ok(Some(Line::Whole(line)));
        }
        self.skip(line).map(Some)
    }

    /// Reads a line over the cap to its end, looking only for its id.
    fn skip(&mut self, start: Vec<u8>) -> io::Result<Line> {
        let mut scan = IdScan::default();
        let mut length = 0_u64;
        let mut feed = |bytes: &[u8]| {
            length = length.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
            scan.feed(bytes);
        };
        feed(&start);
        drop(start);
        loop {
            let chunk = self.input.fill_buf()?;
            let end = chunk.iter().position(|byte| *byte == b'\n');
            feed(chunk.get(..end.unwrap_or(chunk.len())).unwrap_or_default());
            let used = end.map_or(chunk.len(), |end| end + 1);
            self.input.consume(used);
            if end.is_some() || used == 0 {
                return Ok(Line::Long { id: scan.finish(), length });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(input: &'static str, cap: usize) -> Vec<Line> {
        let mut lines = Lines { input: BufReader::with_capacity(4, input.as_bytes()), cap };
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
        let long = Line::Long { id: Some(RequestId::Number(42)), length: 26 };
        assert_eq!(lines("{\"params\":[1,2,3],\"id\":42}\nnext", 8), [long, whole("next")]);
        assert_eq!(lines("123456789", 8), [Line::Long { id: None, length: 9 }]);
    }
}
