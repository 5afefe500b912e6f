//! The standard streams, in the state in which the process got them. If a stream is non-blocking,
//! calls wait for it. Trouble with standard error stops nothing ([`errors`]).

mod errors;
mod panics;
#[cfg(unix)]
mod patient;
mod streams;

pub use self::errors::{Log, complain, hold, release, settle};
pub use self::panics::{LastLines, report_panics};
#[cfg(unix)]
pub use self::patient::pipes;
pub use self::streams::{Stdout, stdin, stdout};
