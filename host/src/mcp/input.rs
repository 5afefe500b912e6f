//! Where lines come from. A pipe or a socket is waited for together with everything else that the
//! server waits for, so that whoever hears of a request can answer it too: no thread has to wake
//! another. Anything else is read on a thread of its own.

use std::io::{self, Read};

use tokio::sync::mpsc;

use super::line::{Line, read_lines};
use crate::stdio::stdin;

/// Lines of input.
pub(super) enum Input {
    /// Those of a thread that reads.
    Thread(mpsc::Receiver<Line>),
    /// Those of standard input, when there is something to read.
    #[cfg(unix)]
    Polled(polled::Polled),
}

impl Input {
    /// Reads standard input.
    pub(super) fn stdin(cap: usize) -> io::Result<Self> {
        #[cfg(unix)]
        if let Some(polled) = polled::Polled::open(cap) {
            return Ok(Self::Polled(polled));
        }
        Self::thread(stdin(), cap)
    }

    /// Reads anything.
    pub(super) fn thread(input: impl Read + Send + 'static, cap: usize) -> io::Result<Self> {
        Ok(Self::Thread(read_lines(input, cap)?))
    }

    /// The next line, or None at the end. Whoever stops waiting loses nothing.
    pub(super) async fn next(&mut self) -> Option<Line> {
        match self {
            Self::Thread(lines) => lines.recv().await,
            #[cfg(unix)]
            Self::Polled(polled) => polled.next().await,
        }
    }
}

/// Whether what a descriptor stands for can be waited for, and read and written in parts.
#[cfg(unix)]
pub(super) fn is_stream(descriptor: std::os::fd::BorrowedFd<'_>) -> bool {
    use std::fs::File;
    use std::os::unix::fs::FileTypeExt;
    let kind = descriptor
        .try_clone_to_owned()
        .and_then(|it| File::from(it).metadata())
        .map(|it| it.file_type());
    kind.is_ok_and(|it| it.is_fifo() || it.is_socket())
}

#[cfg(unix)]
mod polled {
    use std::io;
    use std::os::fd::BorrowedFd;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;

    use super::super::line::{CHUNK, Cutter, Line};
    use super::is_stream;

    /// Standard input, which other processes may have too: so it stays as it is, and is read
    /// only when that does not block.
    pub(in super::super) struct Polled {
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

        pub(super) async fn next(&mut self) -> Option<Line> {
            loop {
                let rest = self.chunk.get(self.start..self.end).unwrap_or_default();
                if !rest.is_empty() {
                    let (used, line) = self.cutter.take(rest);
                    self.start += used;
                    if line.is_some() {
                        return line;
                    }
                    continue;
                }
                // What cannot be read has ended.
                if self.fill().await.unwrap_or(0) == 0 {
                    return self.cutter.finish();
                }
            }
        }

        /// Waits for more and reads it. Gives how much; nothing at the end.
        async fn fill(&mut self) -> io::Result<usize> {
            loop {
                let mut ready = self.input.readable().await?;
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
                return Ok(read);
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
}
