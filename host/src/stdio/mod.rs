//! The standard streams, as whoever started the process has left them. A stream that does not
//! block is waited for, and standard error can hurt nobody ([`errors`]).

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
