//! The standard streams, as whoever started the process has left them. A stream that does not
//! block is waited for, and standard error can hurt nobody ([`errors`]).

mod errors;
#[cfg(unix)]
mod patient;
mod streams;

pub(crate) use self::errors::{Log, complain, hold, release, settle};
pub(crate) use self::streams::{Stdout, stdin, stdout};
