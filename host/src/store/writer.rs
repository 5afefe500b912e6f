//! The one connection that writes.

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::{Durability, Error};

/// The connection that writes, and what its commits withstand now.
#[derive(Debug)]
pub(super) struct Writer {
    pub(super) connection: Connection,
    pub(super) durability: Option<Durability>,
}

impl Writer {
    pub(super) fn write<T, E: From<Error>>(
        &mut self,
        durability: Durability,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        if self.durability != Some(durability) {
            // In WAL mode a commit is synchronized at the level FULL and only written at NORMAL.
            let level = if durability == Durability::Power { "FULL" } else { "NORMAL" };
            let set = self.connection.pragma_update(None, "synchronous", level);
            set.map_err(Error::from)?;
            self.durability = Some(durability);
        }
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(Error::from)?;
        let result = change(&transaction)?;
        transaction.commit().map_err(Error::from)?;
        Ok(result)
    }
}
