//! Standard input and output as a transport. The runtime waits for a pipe or a socket together with
//! all other events. The thread that receives a request can therefore answer it without waking
//! another thread. Any other input is read on a thread of its own.

#[cfg(unix)]
mod polled;

use std::io;
use std::sync::Arc;

use pif_system::stdio::{stdin, stdout};
use tokio_util::sync::CancellationToken;

use super::{Awake, Ends, Input, Outlet, Transport};

/// The standard streams of this process.
#[derive(Debug)]
pub struct Stdio {
    /// Notified when every request is answered.
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
    if polled::is_stream(rustix::stdio::stdout()) {
        return Ok(outlet.directly(write_ready));
    }
    Ok(outlet)
}

/// Writes as many bytes to standard output as possible without waiting. Returns their number.
#[cfg(unix)]
fn write_ready(line: &[u8]) -> usize {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdout = rustix::stdio::stdout();
    let mut polled = [PollFd::from_borrowed_fd(stdout, PollFlags::OUT)];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    let is_ready = poll(&mut polled, Some(&at_once)).is_ok()
        && polled.iter().all(|it| it.revents() == PollFlags::OUT);
    // The thread meets the same error and handles it.
    if is_ready { rustix::io::write(stdout, line).unwrap_or(0) } else { 0 }
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
