//! Implements the store's operations, each with its statement.

use std::path::Path;
use std::time::Duration;

use super::connections::Durability;
use super::error::with_path;
use super::{Sqlite, areas, entries, find, leases, memos, open, sessions, tools};
use crate::find::{Collection, Embedding, Hit, Index, Unmeant};
use crate::journal::{
    self, ChainEnds, Digest, Entry, Filter, Link, Parked, Pending, Settings, Statistics,
};
use crate::lease::{Leases, ProcessLease};
use crate::memory::Memo;
use crate::registry::{Definition, Fact, Past};
use crate::session::{Binding, Rows, Session, SessionKind, Turn};
use crate::staging::{self, Area};
use crate::{Done, Error, Refusal, Store, Transaction, Wait, Write, apply};

impl Store for Sqlite {
    fn commit(
        &self,
        writes: &[Write],
        settings: &Settings,
        wait: Wait,
    ) -> Result<Vec<Done>, Refusal> {
        let is_lasting = writes.iter().any(Write::is_change);
        let durability = if is_lasting { Durability::Power } else { Durability::Process };
        self.write(durability, wait, |db| apply(db, writes, settings))
    }

    fn transact(
        &self,
        change: &mut dyn FnMut(&mut dyn Transaction) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        self.write(Durability::Process, Wait::Patiently, |db| change(db))
    }

    fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Runs SQLite's check of the file: pages, trees and rows. It reads the whole file, on a connection
    /// of its own: one that has searched before a later write takes what it remembers for damage.
    fn check(&self) -> Result<(), Error> {
        let Some(path) = &self.path else { return Ok(()) };
        self.reader(path)
            .and_then(|db| open::check(&db, path))
            .map_err(|error| with_path(path, error))
    }

    fn last_change(&self) -> Result<i64, Error> {
        self.glance(|db| Ok(tools::last_change(db)?))
    }

    fn find(&self, name: &str, as_of: i64) -> Result<Option<Definition>, Error> {
        self.read(|db| Ok(tools::find(db, name, as_of)?))
    }

    fn find_pinned(
        &self,
        name: &str,
        prefix: &str,
        as_of: i64,
    ) -> Result<Option<(Definition, bool)>, Error> {
        self.read(|db| Ok(tools::find_pinned(db, name, prefix, as_of)?))
    }

    fn twin(&self, name: &str) -> Result<Option<String>, Error> {
        self.read(|db| Ok(tools::twin(db, name)?))
    }

    fn lookalike(&self, name: &str) -> Result<Option<String>, Error> {
        self.read(|db| Ok(tools::lookalike(db, name)?))
    }

    fn near(&self, name: &str) -> Result<Vec<String>, Error> {
        self.read(|db| Ok(tools::near(db, name)?))
    }

    fn count(&self) -> Result<u64, Error> {
        self.read(|db| Ok(tools::count(db)?))
    }

    fn page(&self, after: &str, most: usize) -> Result<Vec<Definition>, Error> {
        self.read(|db| Ok(tools::page(db, after, most)?))
    }

    fn latest(&self, most: usize) -> Result<Vec<Definition>, Error> {
        self.read(|db| Ok(tools::latest(db, most)?))
    }

    fn capabilities(&self, most: usize) -> Result<Vec<Definition>, Error> {
        self.read(|db| Ok(tools::capabilities(db, most)?))
    }

    fn names(&self, prefix: &str, most: usize) -> Result<Vec<String>, Error> {
        self.read(|db| Ok(tools::names(db, prefix, most)?))
    }

    fn count_names(&self, prefix: &str) -> Result<u64, Error> {
        self.read(|db| Ok(tools::count_names(db, prefix)?))
    }

    fn history(&self, name: &str, most: usize) -> Result<Vec<Past>, Error> {
        self.read(|db| Ok(tools::history(db, name, most)?))
    }

    fn callers(&self, name: &str, most: usize) -> Result<Vec<Definition>, Error> {
        self.read(|db| Ok(tools::callers(db, name, most)?))
    }

    fn output_schema(&self, change: i64) -> Result<Option<String>, Error> {
        self.read(|db| Ok(tools::output_schema(db, change)?))
    }

    fn fact(&self, kind: Fact, of: &str) -> Result<Option<String>, Error> {
        self.read(|db| Ok(tools::fact(db, kind, of)?))
    }

    fn name_of(&self, hash: &str) -> Result<Option<String>, Error> {
        self.read(|db| Ok(tools::name_of(db, hash)?))
    }

    fn entry(&self, id: i64) -> Result<Option<Entry>, Error> {
        self.read(|db| Ok(entries::entry(db, id)?))
    }

    fn before(&self, entry: &Entry) -> Result<Option<Link>, Error> {
        self.read(|db| Ok(entries::before(db, entry)?))
    }

    fn pend(&self, run: &Pending, is_lasting: bool) -> Result<Option<i64>, Error> {
        let durability = if is_lasting { Durability::Power } else { Durability::Process };
        self.write(durability, Wait::Patiently, |db| Ok(entries::pend(db, run)?))
    }

    fn forget(&self, run: i64) -> Result<bool, Error> {
        self.write(Durability::Process, Wait::Patiently, |db| Ok(entries::settle(db, run)?))
    }

    fn park(&self, run: &Pending, holder: &str, most: u64) -> Result<Parked, Error> {
        self.write(Durability::Power, Wait::Patiently, |db| {
            Ok(entries::park(db, run, holder, most)?)
        })
    }

    fn exchange(&self, kept: &Pending, next: &Pending) -> Result<bool, Error> {
        self.write(Durability::Power, Wait::Patiently, |db| Ok(entries::exchange(db, kept, next)?))
    }

    fn pending(&self) -> Result<Vec<Pending>, Error> {
        self.read(|db| Ok(entries::pending(db)?))
    }

    fn text(&self, sha256: &str) -> Result<Option<String>, Error> {
        let text = self.read(|db| Ok::<_, Error>(entries::text(db, sha256)?))?;
        text.map(|text| Digest::verified(text, sha256)).transpose()
    }

    fn entries(
        &self,
        filter: &Filter,
        latest_first: bool,
        most: usize,
    ) -> Result<Vec<Entry>, Error> {
        self.read(|db| Ok(entries::entries(db, filter, latest_first, most)?))
    }

    fn statistics(&self, tool: &str, most: usize) -> Result<Statistics, Error> {
        self.read(|db| Ok(entries::statistics(db, tool, most)?))
    }

    fn head(&self) -> Result<Link, Error> {
        self.read(|db| Ok(entries::head(db)?))
    }

    fn anchor(&self) -> Result<Link, Error> {
        self.read(|db| Ok(entries::anchor(db)?))
    }

    fn verify(&self) -> Result<ChainEnds, journal::Error> {
        self.read(entries::verify)
    }

    fn owners(&self) -> Result<Vec<String>, Error> {
        self.read(|db| Ok(sessions::owners(db)?))
    }

    fn verify_texts(&self) -> Result<(), journal::Error> {
        self.read(entries::verify_texts)
    }

    fn memo(&self, owner: &str, key: &str) -> Result<Option<Memo>, Error> {
        self.read(|db| Ok(memos::find(db, owner, key)?))
    }

    fn memos(&self, owner: &str) -> Result<Vec<Memo>, Error> {
        self.read(|db| Ok(memos::all(db, owner)?))
    }

    fn memo_without_value(&self, owner: &str, key: &str) -> Result<Option<Memo>, Error> {
        self.read(|db| Ok(memos::find_without_value(db, owner, key)?))
    }

    fn tagged(
        &self,
        owner: &str,
        tags: &[String],
        most: usize,
        room: usize,
    ) -> Result<(Vec<Memo>, u64), Error> {
        self.read(|db| Ok(memos::tagged(db, owner, tags, most, room)?))
    }

    fn near_keys(&self, owner: &str, key: &str) -> Result<Vec<String>, Error> {
        self.read(|db| Ok(memos::near(db, owner, key)?))
    }

    fn sums(&self) -> Result<(u64, u64), Error> {
        self.read(|db| Ok(memos::sums(db)?))
    }
}

impl Leases for Sqlite {
    fn take_lease(&self, name: &str, place: &str, life: Duration) -> Result<(), Error> {
        self.write(Durability::Process, Wait::Patiently, |db| {
            Ok(leases::take(db, name, place, life)?)
        })
    }

    fn renew_lease(&self, name: &str, life: Duration) -> Result<bool, Error> {
        self.write(Durability::Process, Wait::Patiently, |db| Ok(leases::renew(db, name, life)?))
    }

    fn end_lease(&self, name: &str) -> Result<(), Error> {
        self.write(Durability::Process, Wait::Patiently, |db| Ok(leases::end(db, name)?))
    }

    fn leases(&self) -> Result<Vec<ProcessLease>, Error> {
        self.read(|db| Ok(leases::all(db)?))
    }
}

impl Index for Sqlite {
    fn size(&self, shelf: Collection<'_>) -> Result<u64, Error> {
        self.read(|db| Ok(find::size(db, shelf)?))
    }

    fn hits(&self, shelf: Collection<'_>, word: &str) -> Result<Vec<Hit>, Error> {
        self.read(|db| Ok(find::hits(db, shelf, word)?))
    }

    fn beginning_with(&self, word: &str, most: usize) -> Result<Vec<String>, Error> {
        self.read(|db| Ok(find::beginning_with(db, word, most)?))
    }

    fn typos_of(&self, word: &str, most: usize) -> Result<Vec<String>, Error> {
        self.read(|db| Ok(find::near(db, word, most)?))
    }

    fn unmeant(
        &self,
        shelf: Collection<'_>,
        model: (&str, usize),
        most: usize,
    ) -> Result<Vec<Unmeant>, Error> {
        self.read(|db| Ok(find::unmeant(db, shelf, model, most)?))
    }

    fn keep_meaning(
        &self,
        shelf: Collection<'_>,
        document: &Unmeant,
        model: &str,
        numbers: &[f32],
    ) -> Result<(), Error> {
        self.write(Durability::Process, Wait::Patiently, |db| {
            Ok(find::keep_meaning(db, shelf, document, model, numbers)?)
        })
    }

    fn meanings(&self, shelf: Collection<'_>, model: &str) -> Result<Vec<Embedding>, Error> {
        self.read(|db| Ok(find::meanings(db, shelf, model)?))
    }
}

impl Rows for Sqlite {
    fn session(&self, id: i64) -> Result<Option<Session>, Error> {
        self.read(|db| Ok(sessions::find(db, id)?))
    }

    fn sessions(&self, owner: &str) -> Result<Vec<Session>, Error> {
        self.read(|db| Ok(sessions::all(db, owner)?))
    }

    fn bindings(&self, session: i64) -> Result<Vec<Binding>, Error> {
        self.read(|db| Ok(sessions::bindings(db, session)?))
    }

    fn turns(&self, session: i64) -> Result<Vec<Turn>, Error> {
        self.read(|db| Ok(sessions::turns(db, session)?))
    }

    fn labelled(
        &self,
        owner: &str,
        label: &str,
        standing: SessionKind,
    ) -> Result<Option<Session>, Error> {
        self.read(|db| Ok(sessions::labelled(db, owner, label, standing)?))
    }
}

impl staging::Rows for Sqlite {
    fn area(&self, id: i64) -> Result<Option<Area>, Error> {
        self.read(|db| Ok(areas::find(db, id)?))
    }

    fn areas(&self, owner: &str) -> Result<Vec<Area>, Error> {
        self.read(|db| Ok(areas::all(db, owner)?))
    }

    fn changed_since(&self, change: i64) -> Result<Vec<String>, Error> {
        self.read(|db| Ok(areas::changed_since(db, change)?))
    }

    fn uses(&self, hash: &str) -> Result<Vec<String>, Error> {
        self.read(|db| Ok(tools::uses(db, hash)?))
    }

    fn source(&self, hash: &str) -> Result<Option<String>, Error> {
        self.read(|db| Ok(tools::source(db, hash)?))
    }
}
