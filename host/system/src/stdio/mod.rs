//! The standard streams, in the state in which the process got them. If a stream is non-blocking,
//! calls wait for it. Trouble with standard error stops nothing ([`errors`]).

mod errors;
#[cfg(unix)]
mod patient;
mod streams;

pub use self::errors::{Log, complain, hold, release, settle};
#[cfg(unix)]
pub use self::patient::pipes;
pub use self::streams::{Stdout, stdin, stdout};
