//! Implements the store's operations, each with its statement.

use std::path::Path;

use pif_store::find::{Collection, Embedding, Hit, Index, Unmeant};
use pif_store::journal::{
    ChainEnds, Digest, Entry, Error as JournalError, Filter, Link, Pending, Settings, Statistics,
};
use pif_store::memory::Memo;
use pif_store::registry::{Definition, Past};
use pif_store::session::{Binding, Rows, Session, SessionKind, Turn};
use pif_store::staging::{self, Area};
use pif_store::{
    Checkpoints, Done, Error, Head, Position, Refusal, Store, Transaction, Wait, Write,
};

use crate::postgres::Postgres;
use crate::rows::{areas, checkpoints, entries, find, memos, sessions, tools};

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
        self.read(|db| tools::find(db, name, as_of))
    }

    fn find_pinned(
        &self,
        name: &str,
        prefix: &str,
        as_of: i64,
    ) -> Result<Option<(Definition, bool)>, Error> {
        self.read(|db| tools::find_pinned(db, name, prefix, as_of))
    }

    fn twin(&self, name: &str) -> Result<Option<String>, Error> {
        self.read(|db| tools::twin(db, name))
    }

    fn lookalike(&self, name: &str) -> Result<Option<String>, Error> {
        self.read(|db| tools::lookalike(db, name))
    }

    fn near(&self, name: &str) -> Result<Vec<String>, Error> {
        self.read(|db| tools::near(db, name))
    }

    fn count(&self) -> Result<u64, Error> {
        self.read(tools::count)
    }

    fn page(&self, after: &str, most: usize) -> Result<Vec<Definition>, Error> {
        self.read(|db| tools::page(db, after, most))
    }

    fn latest(&self, most: usize) -> Result<Vec<Definition>, Error> {
        self.read(|db| tools::latest(db, most))
    }

    fn capabilities(&self, most: usize) -> Result<Vec<Definition>, Error> {
        self.read(|db| tools::capabilities(db, most))
    }

    fn names(&self, prefix: &str, most: usize) -> Result<Vec<String>, Error> {
        self.read(|db| tools::names(db, prefix, most))
    }

    fn count_names(&self, prefix: &str) -> Result<u64, Error> {
        self.read(|db| tools::count_names(db, prefix))
    }

    fn history(&self, name: &str, most: usize) -> Result<Vec<Past>, Error> {
        self.read(|db| tools::history(db, name, most))
    }

    fn callers(&self, name: &str, most: usize) -> Result<Vec<Definition>, Error> {
        self.read(|db| tools::callers(db, name, most))
    }

    fn output_schema(&self, change: i64) -> Result<Option<String>, Error> {
        self.read(|db| tools::output_schema(db, change))
    }

    fn name_of(&self, hash: &str) -> Result<Option<String>, Error> {
        self.read(|db| tools::name_of(db, hash))
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

    fn park(&self, run: &Pending, most: u64) -> Result<Option<i64>, Error> {
        self.writer.call(|db| entries::park(db, run, most))
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
        match self.read(|db| entries::text(db, sha256))? {
            Some(text) if Digest::of(&text).sha256 != sha256 => {
                let (tool, hash) = ("a kept text".to_owned(), sha256.to_owned());
                Err(Error::Altered { tool, hash })
            }
            text => Ok(text),
        }
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
        self.read(|db| find::size(db, shelf))
    }

    fn hits(&self, shelf: Collection<'_>, word: &str) -> Result<Vec<Hit>, Error> {
        self.read(|db| self.shared.indexer.hits(db, shelf, word))
    }

    fn beginning_with(&self, word: &str, most: usize) -> Result<Vec<String>, Error> {
        self.read(|db| find::beginning_with(db, word, most))
    }

    fn typos_of(&self, word: &str, most: usize) -> Result<Vec<String>, Error> {
        self.read(|db| find::near(db, word, most))
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

    fn leased(&self) -> Result<Vec<Session>, Error> {
        self.read(sessions::leased)
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
        self.read(|db| tools::uses(db, hash))
    }

    fn source(&self, hash: &str) -> Result<Option<String>, Error> {
        self.read(|db| tools::source(db, hash))
    }
}
