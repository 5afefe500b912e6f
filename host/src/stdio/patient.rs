//! Reading and writing that waits. Whether a stream blocks is a property that all processes share
//! which have it: so it is left as it is, and where a call would have to wait, this waits.

use std::io::{self, Read, Write};
use std::os::fd::BorrowedFd;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::stdio;

/// Standard input.
#[derive(Debug)]
pub(crate) struct Stdin;

/// Standard output. Nothing is kept back.
#[derive(Debug)]
pub(crate) struct Stdout;

/// Standard error. Nothing is kept back.
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

fn write(output: BorrowedFd<'_>, bytes: &[u8]) -> io::Result<usize> {
    patiently(output, PollFlags::OUT, || rustix::io::write(output, bytes))
}

/// Makes a call, and waits and makes it again for as long as it would have to wait.
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
