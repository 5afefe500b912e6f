//! Standard input that the runtime can wait for. Other processes may share it, so its blocking mode
//! stays unchanged. It is read only when reading does not block.

use std::fs::File;
use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::fs::FileTypeExt;
use std::task::{Context, Poll, ready};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::transport::input::{CHUNK, Cutter, Line, Lines};

/// Standard input that is a pipe or a socket.
pub(super) struct Polled {
    input: AsyncFd<BorrowedFd<'static>>,
    /// The last input. The bytes from `start` to `end` are not cut into lines yet.
    chunk: Box<[u8]>,
    start: usize,
    end: usize,
    cutter: Cutter,
}

impl Polled {
    /// Opens standard input. Returns `None` if the runtime cannot wait for it.
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

    /// Waits for input and reads it. Returns the number of bytes, 0 at the end.
    fn poll_fill(&mut self, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        loop {
            let mut ready = ready!(self.input.poll_read_ready(context))?;
            let chunk = &mut self.chunk;
            let Ok(read) = ready.try_io(|input| read_ready(*input.get_ref(), chunk)) else {
                continue;
            };
            let read = read?;
            if read < self.chunk.len() {
                // No more input is available now. The next input triggers a new event.
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
            // A read error ends the input.
            if ready!(self.poll_fill(context)).unwrap_or(0) == 0 {
                return Poll::Ready(self.cutter.finish());
            }
        }
    }
}

/// Reads the available input. Fails with `WouldBlock` if there is none.
fn read_ready(input: BorrowedFd<'static>, chunk: &mut [u8]) -> io::Result<usize> {
    let mut polled = [PollFd::from_borrowed_fd(input, PollFlags::IN)];
    if poll(&mut polled, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }))? == 0 {
        return Err(io::ErrorKind::WouldBlock.into());
    }
    Ok(rustix::io::read(input, chunk)?)
}

/// Whether a descriptor is a pipe or a socket, which the runtime can wait for.
pub(super) fn is_stream(descriptor: BorrowedFd<'_>) -> bool {
    let kind = descriptor
        .try_clone_to_owned()
        .and_then(|it| File::from(it).metadata())
        .map(|it| it.file_type());
    kind.is_ok_and(|it| it.is_fifo() || it.is_socket())
}
