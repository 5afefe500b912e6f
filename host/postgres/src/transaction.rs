//! A transaction: the rows that the rules of a store read and write.

use std::collections::VecDeque;

use pif_store::journal::{Entry, Link, Pending};
use pif_store::lease::ProcessLease;
use pif_store::memory::Memo;
use pif_store::registry::{Definition, Evolution, Fact};
use pif_store::session::{self, Binding, Session, SessionKind, Turn};
use pif_store::staging::{self, Area};
use pif_store::{Error, ToolChange};

use crate::connection::Connection;
use crate::context::StoreContext;
use crate::rows::{areas, entries, leases, memos, sessions, tools};

/// The numbers of entries after a transaction.
#[derive(Debug)]
pub(crate) struct Numbers {
    /// Those that it has not used.
    pub(crate) unused: VecDeque<i64>,
    /// All of them, for a transaction that is undone.
    pub(crate) all: VecDeque<i64>,
}

/// An open transaction.
#[derive(Debug)]
pub(crate) struct Transaction<'a> {
    db: &'a Connection,
    shared: &'a StoreContext,
    head: Link,
    numbers: VecDeque<i64>,
    used: VecDeque<i64>,
    changed: Option<i64>,
}

impl<'a> Transaction<'a> {
    pub(crate) fn new(
        db: &'a Connection,
        shared: &'a StoreContext,
        head: Link,
        numbers: VecDeque<i64>,
    ) -> Self {
        Self { db, shared, head, numbers, used: VecDeque::new(), changed: None }
    }

    /// The chain's last entry, the numbers, and the last change of a tool that it made.
    pub(crate) fn end(self) -> (Link, Numbers, Option<i64>) {
        let all = self.used.into_iter().chain(self.numbers.iter().copied()).collect();
        (self.head, Numbers { unused: self.numbers, all }, self.changed)
    }
}

impl pif_store::Transaction for Transaction<'_> {
    fn has_lease(&self, name: &str) -> Result<bool, Error> {
        leases::is_there(self.db, name)
    }

    fn lasting_lease(&mut self, name: &str) -> Result<Option<ProcessLease>, Error> {
        leases::lasting(self.db, name)
    }

    fn last_change(&self) -> Result<i64, Error> {
        tools::last_change(self.db)
    }

    fn find(&self, name: &str, as_of: i64) -> Result<Option<Definition>, Error> {
        tools::find(self.db, name, as_of)
    }

    fn find_pinned(&self, name: &str, prefix: &str) -> Result<Option<(Definition, bool)>, Error> {
        tools::find_pinned(self.db, name, prefix, i64::MAX)
    }

    fn twin(&self, name: &str) -> Result<Option<String>, Error> {
        tools::twin(self.db, name)
    }

    fn has_history(&self, name: &str) -> Result<bool, Error> {
        Ok(!tools::history(self.db, name, 1)?.is_empty())
    }

    fn put_fact(&mut self, kind: Fact, of: &str, told: &str) -> Result<(), Error> {
        tools::put_fact(self.db, kind, of, told)
    }

    fn define(&mut self, defined: &ToolChange<'_>) -> Result<(), Error> {
        self.changed = Some(tools::define(self.db, &self.shared.indexer, defined)?);
        Ok(())
    }

    fn head(&self) -> Result<Link, Error> {
        Ok(self.head)
    }

    /// Entries are removed by the operator alone, so the size of the journal is nobody's concern here.
    fn anchor(&self) -> Result<Link, Error> {
        Ok(self.head)
    }

    fn next(&mut self, _head: Link) -> Result<i64, Error> {
        if self.numbers.is_empty() {
            self.numbers.extend(entries::numbers(self.db, 1)?);
        }
        let number = self.numbers.pop_front().ok_or(Error::Confused)?;
        self.used.push_back(number);
        Ok(number)
    }

    fn append(&mut self, entry: &Entry) -> Result<(), Error> {
        let only = std::slice::from_ref(entry);
        entries::append(self.db, &self.shared.holder, self.head, only, &[])?;
        self.head = Link::after(entry);
        Ok(())
    }

    fn settle(&mut self, run: i64) -> Result<bool, Error> {
        entries::settle(self.db, run)
    }

    fn end(&mut self, owner: &str, run: &Pending) -> Result<bool, Error> {
        entries::end(self.db, owner, run)
    }

    fn keep_text(&mut self, sha256: &str, text: &str, entry: i64) -> Result<(), Error> {
        entries::keep_text(self.db, sha256, text, entry)
    }

    fn trim(&mut self, _ends: i64) -> Result<(), Error> {
        Ok(())
    }

    fn put_session(&mut self, session: &Session) -> Result<i64, Error> {
        sessions::put(self.db, session)
    }

    fn remove_session(&mut self, session: i64) -> Result<(), Error> {
        sessions::remove(self.db, session)
    }

    fn bind(&mut self, session: i64, binding: &Binding) -> Result<(), Error> {
        sessions::bind(self.db, session, binding)
    }

    fn unbind(&mut self, session: i64, name: &str) -> Result<(), Error> {
        sessions::unbind(self.db, session, name)
    }

    fn note(&mut self, session: i64, turn: &Turn) -> Result<(), Error> {
        sessions::note(self.db, session, turn)
    }

    fn unnote(&mut self, session: i64, last: i64) -> Result<(), Error> {
        sessions::unnote(self.db, session, last)
    }

    fn keep_term(&mut self, sha256: &str, term: &str) -> Result<(), Error> {
        sessions::keep(self.db, sha256, term)
    }

    fn pin(&mut self, sha256: &str, entry: i64) -> Result<(), Error> {
        sessions::pin(self.db, sha256, entry)
    }

    fn sweep(&mut self, sha256: &str) -> Result<(), Error> {
        sessions::sweep(self.db, sha256)
    }

    fn put_area(&mut self, area: &Area) -> Result<i64, Error> {
        areas::put(self.db, area)
    }

    fn area_holder(&self, id: i64) -> Result<Option<String>, Error> {
        areas::holder(self.db, id)
    }

    fn hold_area(&mut self, id: i64, holder: Option<&str>) -> Result<(), Error> {
        areas::hold(self.db, id, holder)
    }

    fn remove_area(&mut self, id: i64) -> Result<(), Error> {
        areas::remove(self.db, id)
    }

    fn keep_source(&mut self, term: &Evolution) -> Result<(), Error> {
        areas::keep_source(self.db, term)
    }

    fn memo(&self, owner: &str, key: &str) -> Result<Option<Memo>, Error> {
        memos::find(self.db, owner, key)
    }

    fn sums(&self) -> Result<(u64, u64), Error> {
        memos::sums(self.db)
    }

    fn last_update(&self) -> Result<i64, Error> {
        memos::last_update(self.db)
    }

    fn keep(&mut self, owner: &str, memo: &Memo) -> Result<(), Error> {
        memos::put(self.db, &self.shared.indexer, owner, memo)
    }

    fn note_use(&mut self, owner: &str, key: &str, time: i64) -> Result<(), Error> {
        memos::note_use(self.db, owner, key, time)
    }

    fn equal_memo(&self, owner: &str, context: &str, value: &str) -> Result<Option<String>, Error> {
        memos::equal(self.db, owner, context, value)
    }

    fn forget(&mut self, owner: &str, key: &str) -> Result<(), Error> {
        memos::remove(self.db, owner, key)
    }

    fn forget_all(&mut self, owner: &str) -> Result<u64, Error> {
        memos::remove_all(self.db, owner)
    }
}

impl session::Rows for Transaction<'_> {
    fn session(&self, id: i64) -> Result<Option<Session>, Error> {
        sessions::find(self.db, id)
    }

    fn sessions(&self, owner: &str) -> Result<Vec<Session>, Error> {
        sessions::all(self.db, owner)
    }

    fn bindings(&self, session: i64) -> Result<Vec<Binding>, Error> {
        sessions::bindings(self.db, session)
    }

    fn turns(&self, session: i64) -> Result<Vec<Turn>, Error> {
        sessions::turns(self.db, session)
    }

    fn labelled(
        &self,
        owner: &str,
        label: &str,
        standing: SessionKind,
    ) -> Result<Option<Session>, Error> {
        sessions::labelled(self.db, owner, label, standing)
    }
}

impl staging::Rows for Transaction<'_> {
    fn area(&self, id: i64) -> Result<Option<Area>, Error> {
        areas::find(self.db, id)
    }

    fn areas(&self, owner: &str) -> Result<Vec<Area>, Error> {
        areas::all(self.db, owner)
    }

    fn changed_since(&self, change: i64) -> Result<Vec<String>, Error> {
        areas::changed_since(self.db, change)
    }

    fn uses(&self, hash: &str) -> Result<Vec<String>, Error> {
        tools::uses(self.db, hash)
    }

    fn source(&self, hash: &str) -> Result<Option<String>, Error> {
        tools::source(self.db, hash)
    }
}
