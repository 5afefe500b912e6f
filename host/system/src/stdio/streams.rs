//! The three standard streams.

#[cfg(unix)]
pub use super::patient::Stdout;
#[cfg(unix)]
use super::patient::{Stderr, Stdin};

#[cfg(not(unix))]
pub(super) use std::io::stderr;
#[cfg(not(unix))]
pub use std::io::{Stdout, stdin, stdout};

/// Standard input; reading waits where it does not block.
#[cfg(unix)]
#[must_use]
pub fn stdin() -> Stdin {
    Stdin
}

/// Standard output; writing waits where it does not block.
#[cfg(unix)]
#[must_use]
pub fn stdout() -> Stdout {
    Stdout
}

#[cfg(unix)]
pub(super) fn stderr() -> Stderr {
    Stderr
}
