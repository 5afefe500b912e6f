//! A transport and both ends of the connection that it opens.

use std::{fmt, io};

use tokio_util::sync::CancellationToken;

use super::input::Input;
use super::outlet::MessageWriter;

/// A way to connect to a client.
pub trait Transport {
    /// Opens both ends. A line of input has at most `longest` bytes. The transport cancels `broken`
    /// when nobody reads the output any more.
    fn open(self, longest: usize, broken: CancellationToken) -> io::Result<Ends>;
}

/// Both ends of a connection.
pub struct Ends {
    /// The source of lines.
    pub input: Input,
    /// The destination of lines.
    pub outlet: MessageWriter,
    /// Whether the other end is gone, and nobody can receive an answer.
    pub is_deserted: HangupCheck,
}

impl fmt::Debug for Ends {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ends").field("outlet", &self.outlet).finish_non_exhaustive()
    }
}

/// A function that returns whether the other end of a connection is gone.
pub type HangupCheck = Box<dyn Fn() -> bool + Send + Sync>;
