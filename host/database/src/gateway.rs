//! Where sessions come from. The first one shows whether they are kept: a pooler in transaction mode
//! hands the same connection to two sessions, which prepared statements and LISTEN do not survive.

use std::sync::atomic::{AtomicBool, Ordering};

use super::error::{Error, Kind};
use super::login::{open, process_of};
use super::session::Session;
use super::target::Target;

/// Opens sessions with one database.
#[derive(Debug)]
pub(super) struct Gateway {
    target: Target,
    /// Whether sessions are known to be kept.
    is_checked: AtomicBool,
}

impl Gateway {
    pub(super) fn new(target: Target) -> Self {
        Self { target, is_checked: AtomicBool::new(false) }
    }

    /// Opens a session.
    pub(super) async fn open(&self) -> Result<Session, Error> {
        let mut session = open(&self.target).await?;
        if !self.is_checked.load(Ordering::Relaxed) {
            self.check(&mut session).await?;
            self.is_checked.store(true, Ordering::Relaxed);
        }
        Ok(session)
    }

    /// Refuses a pooler that gives two open sessions the same process of the database. One process has
    /// the number that a session was told, unless a pooler stands between.
    async fn check(&self, first: &mut Session) -> Result<(), Error> {
        let serving = process_of(first).await?;
        if serving.is_none() || serving == first.key.map(|key| key.process) {
            return Ok(());
        }
        let mut second = open(&self.target).await?;
        if process_of(&mut second).await? != serving {
            return Ok(());
        }
        let address = &self.target.address;
        let message = format!(
            "{}:{} is a pooler that keeps no sessions: mcp-pif prepares statements and listens, so \
             write pool_mode = session for this database, or name the database itself",
            address.host, address.port
        );
        Err(Error::new(Kind::Pooler, message))
    }
}
