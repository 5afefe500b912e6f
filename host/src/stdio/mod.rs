//! The standard streams, in the state in which the process got them. If a stream is non-blocking,
//! calls wait for it. Trouble with standard error stops nothing ([`errors`]).

#[cfg(unix)]
use std::io;
#[cfg(unix)]
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};

mod errors;
#[cfg(unix)]
mod patient;
mod streams;

pub(crate) use self::errors::{Log, complain, hold, release, settle};
pub(crate) use self::streams::{Stdout, stdin, stdout};

/// Both streams, for a process that speaks on them to its parent and to nobody else.
#[cfg(unix)]
pub(crate) fn pipes() -> io::Result<(OwnedFd, OwnedFd)> {
    let own = |stream: BorrowedFd<'_>| stream.try_clone_to_owned();
    Ok((own(io::stdin().as_fd())?, own(io::stdout().as_fd())?))
}
