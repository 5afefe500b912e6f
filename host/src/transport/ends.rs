//! What a transport gives: both ends of a connection.

use std::sync::Arc;
use std::{fmt, io};

use tokio_util::sync::CancellationToken;

use super::awake::Awake;
use super::input::Input;
use super::outlet::Outlet;

/// A way to a client.
pub trait Transport {
    /// Opens both ends. A line of input has so many bytes at most; `broken` is to be cancelled when
    /// nobody reads the output any more.
    fn open(self, longest: usize, broken: CancellationToken) -> io::Result<Ends>;
}

/// Both ends of a connection.
pub struct Ends {
    /// Where lines come from.
    pub input: Input,
    /// Where lines go.
    pub outlet: Outlet,
    /// Told when everything is answered.
    pub awake: Arc<Awake>,
    /// Whether the other end is gone, so that nobody can be told anything.
    pub is_deserted: Deserted,
}

impl fmt::Debug for Ends {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ends").field("outlet", &self.outlet).finish_non_exhaustive()
    }
}

/// Tells whether the other end of a connection is gone.
pub type Deserted = Box<dyn Fn() -> bool + Send + Sync>;
