//! Reading and writing that waits. All processes that share a stream share its blocking mode, so
//! this module does not change the mode. It waits where a call would block.

use std::io::{self, Read, Write};
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::stdio;

/// Standard input.
#[derive(Debug)]
pub struct Stdin;

/// Standard output without a buffer.
#[derive(Debug)]
pub struct Stdout;

/// Standard error without a buffer.
#[derive(Debug)]
pub(super) struct Stderr;

impl Read for Stdin {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let input = stdio::stdin();
        patiently(input, PollFlags::IN, || rustix::io::read(input, &mut *buffer))
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        write(stdio::stdout(), bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Write for Stderr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        write(stdio::stderr(), bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Standard input and output, for a process that uses them only to talk to its parent.
pub fn pipes() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok((stdio::stdin().try_clone_to_owned()?, stdio::stdout().try_clone_to_owned()?))
}

fn write(output: BorrowedFd<'_>, bytes: &[u8]) -> io::Result<usize> {
    patiently(output, PollFlags::OUT, || rustix::io::write(output, bytes))
}

/// Calls `call` until it no longer would block. Waits for the stream in between.
fn patiently(
    stream: BorrowedFd<'_>,
    ready: PollFlags,
    mut call: impl FnMut() -> rustix::io::Result<usize>,
) -> io::Result<usize> {
    loop {
        match call() {
            Err(Errno::AGAIN) => match poll(&mut [PollFd::from_borrowed_fd(stream, ready)], None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            },
            done => return Ok(done?),
        }
    }
}
