//! A transaction of a store, as the rules see it: rows to read and to write.

use super::error::Error;
use super::journal::{Entry, Link};
use super::memory::Memo;
use super::registry::Definition;

/// A term as a store keeps it.
#[derive(Debug, Clone, Copy)]
pub struct Term<'a> {
    /// sha256 of `source`. A term that is kept already stays as it is.
    pub hash: &'a str,
    /// The canonical text.
    pub source: &'a str,
    /// The tools that it names, maybe with a revision.
    pub tools: &'a [String],
}

/// What a name stands for from now on.
#[derive(Debug, Clone, Copy)]
pub struct Defined<'a> {
    /// The name.
    pub name: &'a str,
    /// None retires it.
    pub term: Option<Term<'a>>,
    /// What its author says it does.
    pub description: &'a str,
    /// A JSON list of examples.
    pub examples: &'a str,
    /// A JSON Schema.
    pub output_schema: Option<&'a str>,
    /// The entry of the change.
    pub entry: i64,
}

/// A transaction of a store: rows to read and to write. It judges nothing. What it reads holds
/// what it wrote before.
pub trait Transaction {
    /// See [`super::store::Store::last_change`].
    fn last_change(&self) -> Result<i64, Error>;
    /// See [`super::store::Store::find`].
    fn find(&self, name: &str, as_of: i64) -> Result<Option<Definition>, Error>;
    /// See [`super::store::Store::find_pinned`].
    fn find_pinned(&self, name: &str, prefix: &str) -> Result<Option<(Definition, bool)>, Error>;
    /// See [`super::store::Store::twin`].
    fn twin(&self, name: &str) -> Result<Option<String>, Error>;
    /// Whether a name ever stood for something.
    fn has_history(&self, name: &str) -> Result<bool, Error>;
    /// Adds a change of a tool, which makes it the current one.
    fn define(&mut self, defined: &Defined<'_>) -> Result<(), Error>;

    /// See [`super::store::Store::head`].
    fn head(&self) -> Result<Link, Error>;
    /// See [`super::store::Store::anchor`].
    fn anchor(&self) -> Result<Link, Error>;
    /// Adds an entry.
    fn append(&mut self, entry: &Entry) -> Result<(), Error>;
    /// Removes all entries with `ends` up to this. The last of them becomes the anchor.
    fn trim(&mut self, ends: i64) -> Result<(), Error>;

    /// See [`super::store::Store::memo`].
    fn memo(&self, key: &str) -> Result<Option<Memo>, Error>;
    /// See [`super::store::Store::sums`].
    fn sums(&self) -> Result<(u64, u64), Error>;
    /// When the memory changed last; 0 before the first time.
    fn last_update(&self) -> Result<i64, Error>;
    /// Keeps a value, in place of what has its key.
    fn keep(&mut self, memo: &Memo) -> Result<(), Error>;
    /// Forgets a key.
    fn forget(&mut self, key: &str) -> Result<(), Error>;
}
