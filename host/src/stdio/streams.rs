//! The three standard streams.

#[cfg(unix)]
pub(crate) use super::patient::Stdout;
#[cfg(unix)]
use super::patient::{Stderr, Stdin};

#[cfg(not(unix))]
pub(super) use std::io::stderr;
#[cfg(not(unix))]
pub(crate) use std::io::{Stdout, stdin, stdout};

#[cfg(unix)]
pub(crate) fn stdin() -> Stdin {
    Stdin
}

#[cfg(unix)]
pub(crate) fn stdout() -> Stdout {
    Stdout
}

#[cfg(unix)]
pub(super) fn stderr() -> Stderr {
    Stderr
}
