//! The way to the database of the settings, as the store takes it.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::address::Address;
use super::client::Relay;
use super::direct::Direct;
use super::error::Error;
use super::session::Stream;
use super::target::Target;

/// The way to a database. Copies share it.
#[derive(Debug, Clone)]
pub struct Connector {
    target: Target,
    way: Way,
}

#[derive(Debug, Clone)]
enum Way {
    Direct(Arc<Direct>),
    Relayed(Arc<Relay>),
}

impl Connector {
    /// Connects from this process, when it is asked.
    #[must_use]
    pub fn new(target: Target) -> Self {
        let way = Way::Direct(Arc::new(Direct::new(target.clone())));
        Self { target, way }
    }

    /// Has another process connect, which starts now. This one may be sealed then. `program` is
    /// `mcp-pif`.
    pub fn relayed(self, program: &Path) -> io::Result<Self> {
        let way = Way::Relayed(Arc::new(Relay::start(program, &self.target)?));
        Ok(Self { way, ..self })
    }

    /// The database.
    #[must_use]
    pub fn address(&self) -> &Address {
        &self.target.address
    }

    /// A session of a client that logs in by no password, and whatever name.
    pub async fn connect(&self) -> Result<Box<dyn Stream>, Error> {
        match &self.way {
            Way::Direct(direct) => Ok(Box::new(direct.connect().await?)),
            Way::Relayed(relay) => Ok(Box::new(relay.connect().await?)),
        }
    }
}
