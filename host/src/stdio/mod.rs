//! The standard streams, as whoever started the process has left them. A stream that does not
//! block is waited for, and standard error can hurt nobody ([`errors`]).

#[cfg(unix)]
use std::io;
#[cfg(unix)]
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};

mod errors;

#[cfg(unix)]
mod patient;

pub(crate) use self::errors::{Log, complain, hold, release, settle};

#[cfg(unix)]
pub(crate) use self::patient::{Stdin, Stdout};

#[cfg(unix)]
use self::patient::Stderr;

#[cfg(not(unix))]
pub(crate) use std::io::{Stdin, Stdout, stdin, stdout};

#[cfg(not(unix))]
use std::io::{Stderr, stderr};

/// Both streams, for a process that speaks on them to its parent and to nobody else.
#[cfg(unix)]
pub(crate) fn pipes() -> io::Result<(OwnedFd, OwnedFd)> {
    let own = |stream: BorrowedFd<'_>| stream.try_clone_to_owned();
    Ok((own(io::stdin().as_fd())?, own(io::stdout().as_fd())?))
}

#[cfg(unix)]
pub(crate) fn stdin() -> Stdin {
    Stdin
}

#[cfg(unix)]
pub(crate) fn stdout() -> Stdout {
    Stdout
}

#[cfg(unix)]
fn stderr() -> Stderr {
    Stderr
}
