//! Where lines come from.

use std::fmt;
use std::future::poll_fn;
use std::io::{self, Read};
use std::task::{Context, Poll};

use tokio::sync::mpsc;

use super::line::{Line, read_lines};

/// Lines of input.
pub struct Input(Box<dyn Lines>);

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Input").finish_non_exhaustive()
    }
}

/// What gives lines.
pub(super) trait Lines: Send {
    /// The next line, or None at the end. Whoever stops waiting loses nothing.
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Line>>;
}

impl Input {
    /// Reads anything, on a thread of its own. A line has so many bytes at most.
    pub fn thread(input: impl Read + Send + 'static, longest: usize) -> io::Result<Self> {
        Ok(Self(Box::new(read_lines(input, longest)?)))
    }

    pub(super) fn of(lines: impl Lines + 'static) -> Self {
        Self(Box::new(lines))
    }

    /// The next line, or None at the end. Whoever stops waiting loses nothing.
    pub(super) async fn next(&mut self) -> Option<Line> {
        poll_fn(|context| self.0.poll_next(context)).await
    }
}

impl Lines for mpsc::Receiver<Line> {
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Line>> {
        self.poll_recv(context)
    }
}
