//! Transactions: the rows that [`apply`](crate::state::apply) reads and writes.

use rusqlite::Connection;

use super::{entries, memos, tools, writer};
use crate::state::journal::{Entry, Link};
use crate::state::memory::Memo;
use crate::state::registry::Definition;
use crate::state::{Defined, Error, Transaction};

/// A transaction that is open.
pub(super) struct Rows<'a>(&'a Connection);

impl<'a> Rows<'a> {
    pub(super) fn of(transaction: &'a writer::Transaction<'_>) -> Self {
        Self(transaction)
    }
}

impl Transaction for Rows<'_> {
    fn last_change(&self) -> Result<i64, Error> {
        Ok(tools::last_change(self.0)?)
    }

    fn find(&self, name: &str, as_of: i64) -> Result<Option<Definition>, Error> {
        Ok(tools::find(self.0, name, as_of)?)
    }

    fn find_pinned(&self, name: &str, prefix: &str) -> Result<Option<(Definition, bool)>, Error> {
        Ok(tools::find_pinned(self.0, name, prefix, i64::MAX)?)
    }

    fn twin(&self, name: &str) -> Result<Option<String>, Error> {
        Ok(tools::twin(self.0, name)?)
    }

    fn has_history(&self, name: &str) -> Result<bool, Error> {
        Ok(!tools::history(self.0, name, 1)?.is_empty())
    }

    fn define(&mut self, defined: &Defined<'_>) -> Result<(), Error> {
        Ok(tools::define(self.0, defined)?)
    }

    fn head(&self) -> Result<Link, Error> {
        Ok(entries::head(self.0)?)
    }

    fn anchor(&self) -> Result<Link, Error> {
        Ok(entries::anchor(self.0)?)
    }

    fn append(&mut self, entry: &Entry) -> Result<(), Error> {
        Ok(entries::append(self.0, entry)?)
    }

    fn trim(&mut self, ends: i64) -> Result<(), Error> {
        Ok(entries::trim(self.0, ends)?)
    }

    fn memo(&self, key: &str) -> Result<Option<Memo>, Error> {
        Ok(memos::find(self.0, key)?)
    }

    fn sums(&self) -> Result<(u64, u64), Error> {
        Ok(memos::sums(self.0)?)
    }

    fn last_update(&self) -> Result<i64, Error> {
        Ok(memos::last_update(self.0)?)
    }

    fn keep(&mut self, memo: &Memo) -> Result<(), Error> {
        Ok(memos::put(self.0, memo)?)
    }

    fn forget(&mut self, key: &str) -> Result<(), Error> {
        Ok(memos::remove(self.0, key)?)
    }
}
