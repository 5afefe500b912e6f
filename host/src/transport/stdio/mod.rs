//! Standard input and output as a transport. A pipe or a socket is waited for together with
//! everything else that the server waits for, so that whoever hears of a request can answer it
//! too: no thread has to wake another. Anything else is read on a thread of its own.

#[cfg(unix)]
mod polled;

use std::io;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::{Awake, Ends, Input, Outlet, Transport};
use crate::stdio::{stdin, stdout};

/// The standard streams of this process.
#[derive(Debug)]
pub struct Stdio {
    /// Told when everything is answered.
    pub awake: Arc<Awake>,
}

impl Transport for Stdio {
    fn open(self, longest: usize, broken: CancellationToken) -> io::Result<Ends> {
        Ok(Ends {
            input: input(longest)?,
            outlet: outlet(broken)?,
            awake: self.awake,
            is_deserted: Box::new(is_deserted),
        })
    }
}

fn input(longest: usize) -> io::Result<Input> {
    #[cfg(unix)]
    if let Some(polled) = polled::Polled::open(longest) {
        return Ok(Input::of(polled));
    }
    Input::thread(stdin(), longest)
}

fn outlet(broken: CancellationToken) -> io::Result<Outlet> {
    let outlet = Outlet::open(stdout(), broken)?;
    #[cfg(unix)]
    if is_stream(rustix::stdio::stdout()) {
        return Ok(outlet.directly(write_ready));
    }
    Ok(outlet)
}

/// Whether what a descriptor stands for can be waited for, and read and written in parts.
#[cfg(unix)]
fn is_stream(descriptor: std::os::fd::BorrowedFd<'_>) -> bool {
    use std::fs::File;
    use std::os::unix::fs::FileTypeExt;
    let kind = descriptor
        .try_clone_to_owned()
        .and_then(|it| File::from(it).metadata())
        .map(|it| it.file_type());
    kind.is_ok_and(|it| it.is_fifo() || it.is_socket())
}

/// Writes to standard output as much as need not wait. Gives how much was written.
#[cfg(unix)]
fn write_ready(line: &[u8]) -> usize {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdout = rustix::stdio::stdout();
    let mut polled = [PollFd::from_borrowed_fd(stdout, PollFlags::OUT)];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    let is_ready = poll(&mut polled, Some(&at_once)).is_ok()
        && polled.iter().all(|it| it.revents() == PollFlags::OUT);
    // What goes wrong goes wrong for the thread too, and it knows what to do then.
    if is_ready { rustix::io::write(stdout, line).unwrap_or(0) } else { 0 }
}

/// Whether the other end of standard output is closed.
#[cfg(unix)]
fn is_deserted() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    // No events are asked for: errors and hang-ups are reported in any case.
    let mut output = [PollFd::from_borrowed_fd(rustix::stdio::stdout(), PollFlags::empty())];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    let polled = poll(&mut output, Some(&at_once));
    let gone = PollFlags::ERR | PollFlags::HUP;
    polled.is_ok() && output.iter().any(|it| it.revents().intersects(gone))
}

#[cfg(not(unix))]
fn is_deserted() -> bool {
    false
}
