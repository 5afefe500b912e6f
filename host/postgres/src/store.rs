//! Implements the store's operations, each with its statement.

use std::path::Path;
use std::time::Duration;

use pif_store::find::{Collection, Embedding, Hit, Index, Kind, Unmeant};
use pif_store::journal::{
    ChainEnds, Digest, Entry, Error as JournalError, Filter, Link, Parked, Pending, Settings,
    Statistics,
};
use pif_store::lease::{Leases, ProcessLease};
use pif_store::memory::Memo;
use pif_store::registry::{Definition, Fact, Past};
use pif_store::session::{Binding, Rows, Session, SessionKind, Turn};
use pif_store::staging::{self, Area};
use pif_store::{
    Checkpoints, Done, Error, Head, Position, Refusal, Store, Transaction, Wait, Write,
};

use crate::connection::Connection;
use crate::postgres::Postgres;
use crate::rows::{areas, checkpoints, entries, find, leases, memos, sessions, tools};

impl Postgres {
    /// Like `look`, on a shelf. Only that of the tools is held.
    fn look_on<T>(
        &self,
        shelf: Collection<'_>,
        query: impl FnOnce(&Connection) -> Result<T, Error>,
        held: impl FnOnce(&dyn Store) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if shelf.kind == Kind::Tool { self.look(query, held) } else { self.read(query) }
    }
}

impl Store for Postgres {
    fn commit(
        &self,
        writes: &[Write],
        settings: &Settings,
        wait: Wait,
    ) -> Result<Vec<Done>, Refusal> {
        self.writer.commit(writes, settings, wait)
    }

    fn transact(
        &self,
        change: &mut dyn FnMut(&mut dyn Transaction) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        self.writer.change(change)
    }

    fn hold_registry(&self) -> Result<(), Error> {
        Postgres::hold_registry(self)
    }

    fn away_since(&self) -> Option<i64> {
        self.shared.contact.lost_since()
    }

    fn path(&self) -> Option<&Path> {
        None
    }

    fn check(&self) -> Result<(), Error> {
        Postgres::check(self)
    }

    fn last_change(&self) -> Result<i64, Error> {
        Postgres::last_change(self)
    }

    fn find(&self, name: &str, as_of: i64) -> Result<Option<Definition>, Error> {
        self.look(|db| tools::find(db, name, as_of), |held| held.find(name, as_of))
    }

    fn find_pinned(
        &self,
        name: &str,
        prefix: &str,
        as_of: i64,
    ) -> Result<Option<(Definition, bool)>, Error> {
        self.look(
            |db| tools::find_pinned(db, name, prefix, as_of),
            |held| held.find_pinned(name, prefix, as_of),
        )
    }

    fn twin(&self, name: &str) -> Result<Option<String>, Error> {
        self.look(|db| tools::twin(db, name), |held| held.twin(name))
    }

    fn lookalike(&self, name: &str) -> Result<Option<String>, Error> {
        self.look(|db| tools::lookalike(db, name), |held| held.lookalike(name))
    }

    fn near(&self, name: &str) -> Result<Vec<String>, Error> {
        self.look(|db| tools::near(db, name), |held| held.near(name))
    }

    fn count(&self) -> Result<u64, Error> {
        self.look(tools::count, |held| held.count())
    }

    fn page(&self, after: &str, most: usize) -> Result<Vec<Definition>, Error> {
        self.look(|db| tools::page(db, after, most), |held| held.page(after, most))
    }

    fn latest(&self, most: usize) -> Result<Vec<Definition>, Error> {
        self.look(|db| tools::latest(db, most), |held| held.latest(most))
    }

    fn capabilities(&self, most: usize) -> Result<Vec<Definition>, Error> {
        self.look(|db| tools::capabilities(db, most), |held| held.capabilities(most))
    }

    fn names(&self, prefix: &str, most: usize) -> Result<Vec<String>, Error> {
        self.look(|db| tools::names(db, prefix, most), |held| held.names(prefix, most))
    }

    fn count_names(&self, prefix: &str) -> Result<u64, Error> {
        self.look(|db| tools::count_names(db, prefix), |held| held.count_names(prefix))
    }

    fn history(&self, name: &str, most: usize) -> Result<Vec<Past>, Error> {
        self.look(|db| tools::history(db, name, most), |held| held.history(name, most))
    }

    fn callers(&self, name: &str, most: usize) -> Result<Vec<Definition>, Error> {
        self.look(|db| tools::callers(db, name, most), |held| held.callers(name, most))
    }

    fn output_schema(&self, change: i64) -> Result<Option<String>, Error> {
        self.look(|db| tools::output_schema(db, change), |held| held.output_schema(change))
    }

    fn fact(&self, kind: Fact, of: &str) -> Result<Option<String>, Error> {
        self.read(|db| tools::fact(db, kind, of))
    }

    fn name_of(&self, hash: &str) -> Result<Option<String>, Error> {
        self.look(|db| tools::name_of(db, hash), |held| held.name_of(hash))
    }

    fn before(&self, entry: &Entry) -> Result<Option<Link>, Error> {
        self.read(|db| entries::before(db, entry))
    }

    fn entry(&self, id: i64) -> Result<Option<Entry>, Error> {
        self.read(|db| entries::entry(db, id))
    }

    fn pend(&self, run: &Pending, is_lasting: bool) -> Result<Option<i64>, Error> {
        self.writer.call(|db| entries::pend(db, run, is_lasting))
    }

    fn forget(&self, run: i64) -> Result<bool, Error> {
        self.writer.call(|db| entries::settle(db, run))
    }

    fn park(&self, run: &Pending, holder: &str, most: u64) -> Result<Parked, Error> {
        self.writer.call(|db| entries::park(db, run, holder, most))
    }

    fn exchange(&self, kept: &Pending, next: &Pending) -> Result<bool, Error> {
        if kept.id.is_none() {
            return Ok(false);
        }
        self.writer.call(|db| entries::exchange(db, kept, next))
    }

    fn pending(&self) -> Result<Vec<Pending>, Error> {
        self.read(entries::pending)
    }

    fn text(&self, sha256: &str) -> Result<Option<String>, Error> {
        let text = self.read(|db| entries::text(db, sha256))?;
        text.map(|text| Digest::verified(text, sha256)).transpose()
    }

    fn entries(
        &self,
        filter: &Filter,
        latest_first: bool,
        most: usize,
    ) -> Result<Vec<Entry>, Error> {
        self.read(|db| entries::entries(db, filter, latest_first, most))
    }

    fn statistics(&self, tool: &str, most: usize) -> Result<Statistics, Error> {
        self.read(|db| entries::statistics(db, tool, most))
    }

    fn head(&self) -> Result<Link, Error> {
        self.read(entries::head)
    }

    fn anchor(&self) -> Result<Link, Error> {
        self.read(entries::anchor)
    }

    fn verify(&self) -> Result<ChainEnds, JournalError> {
        entries::verify(&self.alone()?)
    }

    fn verify_texts(&self) -> Result<(), JournalError> {
        entries::verify_texts(&self.alone()?)
    }

    fn owners(&self) -> Result<Vec<String>, Error> {
        self.read(sessions::owners)
    }

    fn memo(&self, owner: &str, key: &str) -> Result<Option<Memo>, Error> {
        self.read(|db| memos::find(db, owner, key))
    }

    fn memos(&self, owner: &str) -> Result<Vec<Memo>, Error> {
        self.read(|db| memos::all(db, owner))
    }

    fn memo_without_value(&self, owner: &str, key: &str) -> Result<Option<Memo>, Error> {
        self.read(|db| memos::find_without_value(db, owner, key))
    }

    fn tagged(
        &self,
        owner: &str,
        tags: &[String],
        most: usize,
        room: usize,
    ) -> Result<(Vec<Memo>, u64), Error> {
        self.read(|db| memos::tagged(db, owner, tags, most, room))
    }

    fn near_keys(&self, owner: &str, key: &str) -> Result<Vec<String>, Error> {
        self.read(|db| memos::near(db, owner, key))
    }

    fn sums(&self) -> Result<(u64, u64), Error> {
        self.read(memos::sums)
    }
}

/// Leases are renewed on the connections of readers, so that nobody who writes delays that.
impl Leases for Postgres {
    fn take_lease(&self, name: &str, place: &str, life: Duration) -> Result<(), Error> {
        self.read(|db| leases::take(db, name, place, life))
    }

    fn renew_lease(&self, name: &str, life: Duration) -> Result<bool, Error> {
        self.read(|db| leases::renew(db, name, life))
    }

    fn end_lease(&self, name: &str) -> Result<(), Error> {
        self.read(|db| leases::end(db, name))
    }

    fn leases(&self) -> Result<Vec<ProcessLease>, Error> {
        self.read(leases::all)
    }
}

impl Checkpoints for Postgres {
    fn identity(&self) -> Result<String, Error> {
        self.read(checkpoints::identity)
    }

    fn heads(&self) -> Result<Vec<Head>, Error> {
        self.read(checkpoints::heads)
    }

    fn position(&self, chain: i64, id: i64) -> Result<Position, Error> {
        self.read(|db| checkpoints::position(db, chain, id))
    }

    fn last_checkpoint(&self) -> Result<Option<String>, Error> {
        self.read(checkpoints::last)
    }

    fn keep_checkpoint(
        &self,
        note: &str,
        before: Option<&str>,
        most: usize,
    ) -> Result<bool, Error> {
        self.writer.call(|db| checkpoints::keep(db, note, before, most))
    }

    fn makes_checkpoints(&self) -> Result<bool, Error> {
        self.is_elected()
    }
}

impl Index for Postgres {
    fn size(&self, shelf: Collection<'_>) -> Result<u64, Error> {
        self.look_on(shelf, |db| find::size(db, shelf), |held| held.size(shelf))
    }

    fn hits(&self, shelf: Collection<'_>, word: &str) -> Result<Vec<Hit>, Error> {
        self.look_on(
            shelf,
            |db| self.shared.indexer.hits(db, shelf, word),
            |held| held.hits(shelf, word),
        )
    }

    fn beginning_with(&self, word: &str, most: usize) -> Result<Vec<String>, Error> {
        self.look(|db| find::beginning_with(db, word, most), |held| held.beginning_with(word, most))
    }

    fn typos_of(&self, word: &str, most: usize) -> Result<Vec<String>, Error> {
        self.look(|db| find::near(db, word, most), |held| held.typos_of(word, most))
    }

    fn unmeant(
        &self,
        shelf: Collection<'_>,
        model: (&str, usize),
        most: usize,
    ) -> Result<Vec<Unmeant>, Error> {
        self.read(|db| find::unmeant(db, shelf, model, most))
    }

    fn keep_meaning(
        &self,
        shelf: Collection<'_>,
        document: &Unmeant,
        model: &str,
        numbers: &[f32],
    ) -> Result<(), Error> {
        self.writer.call(|db| find::keep_meaning(db, shelf, document, model, numbers))
    }

    fn meanings(&self, shelf: Collection<'_>, model: &str) -> Result<Vec<Embedding>, Error> {
        self.read(|db| find::meanings(db, shelf, model))
    }
}

impl Rows for Postgres {
    fn session(&self, id: i64) -> Result<Option<Session>, Error> {
        self.read(|db| sessions::find(db, id))
    }

    fn sessions(&self, owner: &str) -> Result<Vec<Session>, Error> {
        self.read(|db| sessions::all(db, owner))
    }

    fn bindings(&self, session: i64) -> Result<Vec<Binding>, Error> {
        self.read(|db| sessions::bindings(db, session))
    }

    fn turns(&self, session: i64) -> Result<Vec<Turn>, Error> {
        self.read(|db| sessions::turns(db, session))
    }

    fn labelled(
        &self,
        owner: &str,
        label: &str,
        standing: SessionKind,
    ) -> Result<Option<Session>, Error> {
        self.read(|db| sessions::labelled(db, owner, label, standing))
    }
}

impl staging::Rows for Postgres {
    fn area(&self, id: i64) -> Result<Option<Area>, Error> {
        self.read(|db| areas::find(db, id))
    }

    fn areas(&self, owner: &str) -> Result<Vec<Area>, Error> {
        self.read(|db| areas::all(db, owner))
    }

    fn changed_since(&self, change: i64) -> Result<Vec<String>, Error> {
        self.read(|db| areas::changed_since(db, change))
    }

    fn uses(&self, hash: &str) -> Result<Vec<String>, Error> {
        self.look(|db| tools::uses(db, hash), |held| held.uses(hash))
    }

    fn source(&self, hash: &str) -> Result<Option<String>, Error> {
        self.look(|db| tools::source(db, hash), |held| held.source(hash))
    }
}
