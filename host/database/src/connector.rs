//! The way to the database of the settings, as the store takes it.

use std::io;
use std::path::Path;
use std::sync::Arc;

use postgres_protocol::password::scram_sha_256;

use super::address::Address;
use super::client::Relay;
use super::direct::Direct;
use super::error::Error;
use super::login;
use super::password;
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

    /// Whether another process connects.
    #[must_use]
    pub fn is_relayed(&self) -> bool {
        matches!(self.way, Way::Relayed(_))
    }

    /// Makes a role that may log in with the password in a file, or gives that password to the one that is
    /// there. Only a hash of it is sent.
    pub async fn let_in(&self, role: &str, password_file: &Path) -> Result<(), Error> {
        let password = password::read_own(password_file)?;
        let mut session = login::open(&self.target).await?;
        let name = role.replace('"', "\"\"");
        let literal = role.replace('\'', "''");
        let hash = scram_sha_256(password.as_bytes());
        let known = format!("SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = '{literal}'");
        let known = login::ask(&mut session, &known).await?;
        let verb = if known.is_some() { "ALTER" } else { "CREATE" };
        login::ask(&mut session, &format!("{verb} ROLE \"{name}\" LOGIN PASSWORD '{hash}'"))
            .await
            .map(drop)
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
