//! The interface of a store: one operation that writes, and the reads that the server needs. Each
//! read sees one consistent state.

use std::path::Path;

use super::change::{Done, Refusal, Wait, Write};
use super::checkpoints::Checkpoints;
use super::error::Error;
use super::find::Index;
use super::journal::{
    ChainEnds, Entry, Error as JournalError, Filter, Link, Parked, Pending, Settings, Statistics,
};
use super::lease::Leases;
use super::memory::Memo;
use super::registry::{Definition, Fact, Past};
use super::session::Rows;
use super::staging;
use super::transaction::Transaction;

/// A store. Several processes may share its data.
pub trait Store: Index + Rows + staging::Rows + Checkpoints + Leases + Send + Sync {
    /// Makes changes, each with its journal entry, in one transaction. If one is refused or fails,
    /// none is made. [`super::write::apply`] reads and writes the rows. Changes withstand a power
    /// failure once this returns. Entries without a change need only survive the end of this
    /// process.
    fn commit(
        &self,
        writes: &[Write],
        settings: &Settings,
        wait: Wait,
    ) -> Result<Vec<Done>, Refusal>;

    /// Makes changes without an entry in one transaction. They survive the end of this process.
    fn transact(
        &self,
        change: &mut dyn FnMut(&mut dyn Transaction) -> Result<(), Refusal>,
    ) -> Result<(), Refusal>;

    /// Copies new changes of the registry, for a store that may be away later.
    fn hold_registry(&self) -> Result<(), Error> {
        Ok(())
    }
    /// When the database last answered, in milliseconds since 1970, if it does not answer now. The registry
    /// is then shown as it was at that time.
    fn away_since(&self) -> Option<i64> {
        None
    }

    /// The path of the file; None in memory.
    fn path(&self) -> Option<&Path>;
    /// Checks the store for damage that reads do not detect.
    fn check(&self) -> Result<(), Error>;

    /// The number of the last change of a tool; 0 before the first. This must be fast.
    fn last_change(&self) -> Result<i64, Error>;
    /// The tool of a name after the change `as_of`; None if the name was unknown or retired.
    fn find(&self, name: &str, as_of: i64) -> Result<Option<Definition>, Error>;
    /// The latest revision of a name whose hash has this prefix, retired or not; and whether the
    /// prefix also fits other hashes.
    fn find_pinned(
        &self,
        name: &str,
        prefix: &str,
        as_of: i64,
    ) -> Result<Option<(Definition, bool)>, Error>;
    /// Another name that is hard to distinguish from this one by sight.
    fn twin(&self, name: &str) -> Result<Option<String>, Error>;
    /// Another name that a reader may confuse with this one.
    fn lookalike(&self, name: &str) -> Result<Option<String>, Error>;
    /// Candidates for a misspelled name.
    fn near(&self, name: &str) -> Result<Vec<String>, Error>;
    /// The number of current tools.
    fn count(&self) -> Result<u64, Error>;
    /// Current tools with names after `after`, in the order of names.
    fn page(&self, after: &str, most: usize) -> Result<Vec<Definition>, Error>;
    /// The tools with the latest changes, in the order of names.
    fn latest(&self, most: usize) -> Result<Vec<Definition>, Error>;
    /// Current tools that are native capabilities, in the order of names.
    fn capabilities(&self, most: usize) -> Result<Vec<Definition>, Error>;
    /// The names with this prefix, in order.
    fn names(&self, prefix: &str, most: usize) -> Result<Vec<String>, Error>;
    /// The number of names with this prefix.
    fn count_names(&self, prefix: &str) -> Result<u64, Error>;
    /// The changes of a name, the latest first.
    fn history(&self, name: &str, most: usize) -> Result<Vec<Past>, Error>;
    /// The tools whose terms name this one, in the order of names.
    fn callers(&self, name: &str, most: usize) -> Result<Vec<Definition>, Error>;
    /// The output schema that a change gave its tool, if there is one.
    fn output_schema(&self, change: i64) -> Result<Option<String>, Error>;
    /// A fact about a revision.
    fn fact(&self, kind: Fact, of: &str) -> Result<Option<String>, Error>;
    /// The last name of the term with this hash.
    fn name_of(&self, hash: &str) -> Result<Option<String>, Error>;

    /// The position before an entry in its chain; None: what stood there was removed meanwhile.
    fn before(&self, entry: &Entry) -> Result<Option<Link>, Error>;
    /// An entry by its number.
    fn entry(&self, id: i64) -> Result<Option<Entry>, Error>;
    /// Adds to the parts of a run, if it has that owner, whose lease nobody has ended; gives the
    /// number, which the store makes if there is none. What `is_lasting` withstands a power failure once this returns.
    fn pend(&self, run: &Pending, is_lasting: bool) -> Result<Option<i64>, Error>;
    /// Forgets a run; whether it was there.
    fn forget(&self, run: i64) -> Result<bool, Error>;
    /// Keeps a run that waits in place of what has its number and this holder, unless so many others have
    /// its owner. The store makes its number if there is none. It withstands a power failure once this
    /// returns.
    fn park(&self, run: &Pending, holder: &str, most: u64) -> Result<Parked, Error>;
    /// Keeps a run in place of what has its number, if that is still this. Says whether it was. It
    /// withstands a power failure once this returns.
    fn exchange(&self, kept: &Pending, next: &Pending) -> Result<bool, Error>;
    /// All runs that are kept so.
    fn pending(&self) -> Result<Vec<Pending>, Error>;
    /// A text that is kept beside entries, by its sha256 in hexadecimal digits.
    fn text(&self, sha256: &str) -> Result<Option<String>, Error>;
    /// Entries that pass a filter: the latest first, or the earliest first.
    fn entries(
        &self,
        filter: &Filter,
        latest_first: bool,
        most: usize,
    ) -> Result<Vec<Entry>, Error>;
    /// The cost of the latest runs of a tool, at most `most` of them.
    fn statistics(&self, tool: &str, most: usize) -> Result<Statistics, Error>;
    /// The position after the last entry.
    fn head(&self) -> Result<Link, Error>;
    /// The last entry that was removed of the chain of the last entry.
    fn anchor(&self) -> Result<Link, Error>;
    /// Verifies all chains from their anchors to their heads with [`super::journal::Walk`], in one
    /// consistent state.
    fn verify(&self) -> Result<ChainEnds, JournalError>;
    /// Verifies that each kept text has its hash.
    fn verify_texts(&self) -> Result<(), JournalError>;

    /// The owners of sessions, saved states and memory, in order.
    fn owners(&self) -> Result<Vec<String>, Error>;
    /// The entry of an owner's key, with its value.
    fn memo(&self, owner: &str, key: &str) -> Result<Option<Memo>, Error>;
    /// All entries of an owner with their values, in the order of their last change.
    fn memos(&self, owner: &str) -> Result<Vec<Memo>, Error>;
    /// Like [`Self::memo`], without the value.
    fn memo_without_value(&self, owner: &str, key: &str) -> Result<Option<Memo>, Error>;
    /// The entries of an owner with all of these tags, the latest first, at most `most` of them, each
    /// with its value as long as there is `room` for its characters; and the number of all such entries.
    fn tagged(
        &self,
        owner: &str,
        tags: &[String],
        most: usize,
        room: usize,
    ) -> Result<(Vec<Memo>, u64), Error>;
    /// Candidates for a misspelled key.
    fn near_keys(&self, owner: &str, key: &str) -> Result<Vec<String>, Error>;
    /// The number of keys, and the bytes of their values.
    fn sums(&self) -> Result<(u64, u64), Error>;
}
