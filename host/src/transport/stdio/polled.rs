//! Standard input that can be waited for. Other processes may have it too: so it stays as it is,
//! and is read only when that does not block.

use std::io;
use std::os::fd::BorrowedFd;
use std::task::{Context, Poll, ready};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::is_stream;
use crate::transport::input::Lines;
use crate::transport::line::{CHUNK, Cutter, Line};

/// Standard input, if that is a pipe or a socket.
pub(super) struct Polled {
    input: AsyncFd<BorrowedFd<'static>>,
    /// What was read; the part from `start` on to `end` is not cut yet.
    chunk: Box<[u8]>,
    start: usize,
    end: usize,
    cutter: Cutter,
}

impl Polled {
    /// None where standard input cannot be waited for.
    pub(super) fn open(cap: usize) -> Option<Self> {
        let stdin = rustix::stdio::stdin();
        if !is_stream(stdin) {
            return None;
        }
        #[expect(
            deprecated,
            reason = "standard input is open for ever; the other way needs a promise of that"
        )]
        let input = AsyncFd::with_interest(stdin, Interest::READABLE).ok()?;
        let chunk = vec![0; CHUNK].into_boxed_slice();
        Some(Self { input, chunk, start: 0, end: 0, cutter: Cutter::new(cap) })
    }

    /// Waits for more and reads it. Gives how much; nothing at the end.
    fn poll_fill(&mut self, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        loop {
            let mut ready = ready!(self.input.poll_read_ready(context))?;
            let chunk = &mut self.chunk;
            let Ok(read) = ready.try_io(|input| read_ready(*input.get_ref(), chunk)) else {
                continue;
            };
            let read = read?;
            if read < self.chunk.len() {
                // That was all: what comes later is told anew.
                ready.clear_ready();
            }
            (self.start, self.end) = (0, read);
            return Poll::Ready(Ok(read));
        }
    }
}

impl Lines for Polled {
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Line>> {
        loop {
            let rest = self.chunk.get(self.start..self.end).unwrap_or_default();
            if !rest.is_empty() {
                let (used, line) = self.cutter.take(rest);
                self.start += used;
                if line.is_some() {
                    return Poll::Ready(line);
                }
                continue;
            }
            // What cannot be read has ended.
            if ready!(self.poll_fill(context)).unwrap_or(0) == 0 {
                return Poll::Ready(self.cutter.finish());
            }
        }
    }
}

/// Reads what is there; to wait for more is an error.
fn read_ready(input: BorrowedFd<'static>, chunk: &mut [u8]) -> io::Result<usize> {
    let mut polled = [PollFd::from_borrowed_fd(input, PollFlags::IN)];
    if poll(&mut polled, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }))? == 0 {
        return Err(io::ErrorKind::WouldBlock.into());
    }
    Ok(rustix::io::read(input, chunk)?)
}
