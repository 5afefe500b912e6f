//! Sessions of a process that may open sockets: a command of a person.

use tokio::io::{DuplexStream, duplex};

use super::error::Error;
use super::gateway::Gateway;
use super::target::Target;

/// Bytes on their way in each direction.
const ROOM: usize = 64 << 10;

/// Opens sessions in this process.
#[derive(Debug)]
pub(super) struct Direct(Gateway);

impl Direct {
    /// Opens sessions with this database. It does not connect yet.
    #[must_use]
    pub(super) fn new(target: Target) -> Self {
        Self(Gateway::new(target))
    }

    /// A session. Its client logs in by no password, and whatever name.
    pub(super) async fn connect(&self) -> Result<DuplexStream, Error> {
        let session = self.0.open().await?;
        let (near, far) = duplex(ROOM);
        tokio::spawn(session.relay(far));
        Ok(near)
    }
}
