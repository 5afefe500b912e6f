//! Standard input and output as a transport.

use std::io;

use pif_system::stdio::{stdin, stdout};
use tokio_util::sync::CancellationToken;

use super::{Ends, Input, MessageWriter, Transport};

/// The standard streams of this process.
#[derive(Debug)]
pub struct Stdio;

impl Transport for Stdio {
    fn open(self, longest: usize, broken: CancellationToken) -> io::Result<Ends> {
        Ok(Ends {
            input: Input::thread(stdin(), longest)?,
            outlet: MessageWriter::open(stdout(), broken)?,
            is_deserted: Box::new(is_deserted),
        })
    }
}

/// Whether the other end of standard output is closed.
#[cfg(unix)]
fn is_deserted() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    // It requests no events, because errors and hang-ups are always reported.
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
