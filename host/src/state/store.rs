//! What a store has to do: one way to write, and the reads that the server makes. Each read sees
//! one moment.

use std::fmt::Debug;
use std::path::Path;

use super::change::{Done, Refusal, Wait, Write};
use super::error::Error;
use super::journal::{Entry, Error as JournalError, Filter, Link, Settings, Statistics, Verified};
use super::memory::{Memo, Search};
use super::registry::{Definition, Past};

/// A store. Several processes may share what is behind it.
pub trait Store: Debug + Send + Sync {
    /// Makes changes, each with its entry of the journal, in one transaction: all of them or, where
    /// one is refused or fails, none. [`super::write::apply`] says what is to be read and written.
    /// Changes withstand a power failure once this returns; entries alone need only survive this
    /// process.
    fn commit(
        &self,
        writes: &[Write],
        settings: &Settings,
        wait: Wait,
    ) -> Result<Vec<Done>, Refusal>;

    /// The file, unless there is none.
    fn path(&self) -> Option<&Path>;
    /// Looks for damage that reading does not show.
    fn check(&self) -> Result<(), Error>;

    /// The number of the last change of a tool; 0 before the first. It is asked for often.
    fn last_change(&self) -> Result<i64, Error>;
    /// What a name stood for after a change; None: nothing, or it was retired.
    fn find(&self, name: &str, as_of: i64) -> Result<Option<Definition>, Error>;
    /// The latest tool of a name whose hash begins like this, retired or not; and whether revisions
    /// of another hash begin so too.
    fn find_pinned(
        &self,
        name: &str,
        prefix: &str,
        as_of: i64,
    ) -> Result<Option<(Definition, bool)>, Error>;
    /// Another name that is hardly told apart from this one.
    fn twin(&self, name: &str) -> Result<Option<String>, Error>;
    /// Another name that a hasty reader would take for this one.
    fn lookalike(&self, name: &str) -> Result<Option<String>, Error>;
    /// Names among which one that was misspelt may be.
    fn near(&self, name: &str) -> Result<Vec<String>, Error>;
    /// How many tools there are now.
    fn count(&self) -> Result<u64, Error>;
    /// The tools there are now after a name, in the order of names.
    fn page(&self, after: &str, most: usize) -> Result<Vec<Definition>, Error>;
    /// Those whose name or description holds all words, after a name, in the order of names; and
    /// how many there are in all.
    fn search(
        &self,
        words: &[String],
        after: &str,
        most: usize,
    ) -> Result<(Vec<Definition>, u64), Error>;
    /// The tools that were changed last, in the order of names.
    fn latest(&self, most: usize) -> Result<Vec<Definition>, Error>;
    /// The names of tools that begin like this, in order.
    fn names(&self, prefix: &str, most: usize) -> Result<Vec<String>, Error>;
    /// How many tools have names that begin like this.
    fn count_names(&self, prefix: &str) -> Result<u64, Error>;
    /// What a name has stood for, the latest first.
    fn history(&self, name: &str, most: usize) -> Result<Vec<Past>, Error>;
    /// The tools whose terms name this one, by name.
    fn callers(&self, name: &str, most: usize) -> Result<Vec<Definition>, Error>;
    /// The names of the tools that a revision's term names.
    fn uses(&self, hash: &str) -> Result<Vec<String>, Error>;
    /// The output schema that a change gave its tool, if there is one.
    fn output_schema(&self, change: i64) -> Result<Option<String>, Error>;
    /// The term of a hash as it was kept.
    fn source(&self, hash: &str) -> Result<Option<String>, Error>;
    /// The last name that stood for the term of a hash.
    fn name_of(&self, hash: &str) -> Result<Option<String>, Error>;

    /// An entry by its number.
    fn entry(&self, id: i64) -> Result<Option<Entry>, Error>;
    /// Entries that pass a filter: the latest first, or the earliest first.
    fn entries(
        &self,
        filter: &Filter,
        latest_first: bool,
        most: usize,
    ) -> Result<Vec<Entry>, Error>;
    /// What the latest runs of a tool, of `most` at most, have cost.
    fn statistics(&self, tool: &str, most: usize) -> Result<Statistics, Error>;
    /// Where the chain stands.
    fn head(&self) -> Result<Link, Error>;
    /// The last entry that was removed to keep the journal within its size.
    fn anchor(&self) -> Result<Link, Error>;
    /// Follows the chain from its anchor to its head, at one moment, by [`super::journal::Walk`].
    fn verify(&self) -> Result<Verified, JournalError>;

    /// What is kept under a key, with its value.
    fn memo(&self, key: &str) -> Result<Option<Memo>, Error>;
    /// All that is kept, with its values, in the order in which it changed.
    fn memos(&self) -> Result<Vec<Memo>, Error>;
    /// What a search finds, and how much there is in all. A search for words without a word in it
    /// finds nothing.
    fn search_memos(&self, search: &Search) -> Result<(Vec<Memo>, u64), Error>;
    /// Keys among which one that was misspelt may be.
    fn near_keys(&self, key: &str) -> Result<Vec<String>, Error>;
    /// The number of keys, and the bytes of their values.
    fn sums(&self) -> Result<(u64, u64), Error>;
}
