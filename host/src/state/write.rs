//! How state changes: what can be written, and the rules by which a store does so. A change and
//! its entry of the journal are one write; the store opens a transaction, and [`apply`] does the
//! rest over rows.

mod journaled;
mod kept;
mod tools;

use super::Error;
use super::journal::{Draft, Entry, Link, Settings, surplus};
use super::memory::{self, Kept, Memo, Note};
use super::registry::{self, Definition, Evolution, Status};

/// What can be written.
#[derive(Debug, Clone)]
pub enum Change {
    /// Nothing but the entry.
    None,
    /// A tool is made or changed, unless it is so already.
    Evolve(Evolution),
    /// A name stands again for what it once stood for, with all that was said of it then.
    RollBack {
        /// The tool.
        name: String,
        /// The first digits of the hash.
        prefix: String,
    },
    /// A name stands for nothing from now on.
    Retire {
        /// The tool.
        name: String,
    },
    /// A tool comes from a file.
    Take(Taken),
    /// A value is kept in the memory.
    Keep {
        /// The value and its key.
        note: Note,
        /// Whether it may take the place of another value, or of other tags.
        replace: bool,
    },
    /// A key of the memory is forgotten, if it is known.
    Forget {
        /// The key.
        key: String,
    },
}

/// A tool of a file.
#[derive(Debug, Clone)]
pub struct Taken {
    /// The tool.
    pub evolution: Evolution,
    /// It is only to be found at this revision: the name goes on to stand for what it stands for.
    pub pinned: bool,
    /// Where the name stands for nothing here, it is there all the same and need not be kept.
    pub supplied: bool,
    /// It may take the place of what the name stands for.
    pub replace: bool,
}

/// A change with its entry. How it ended and what came of it is added to the entry, unless there
/// is no change.
#[derive(Debug, Clone)]
pub struct Write {
    /// What is changed.
    pub change: Change,
    /// What the journal is told.
    pub entry: Draft,
}

/// What to do while somebody else is writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Wait until they are done, within reason.
    Patiently,
    /// Fail at once, with [`Error::Locked`].
    Never,
}

/// What came of a write.
#[derive(Debug)]
pub struct Done {
    /// The number of its entry.
    pub entry: i64,
    /// What was changed.
    pub effect: Effect,
}

/// What a change has done.
#[derive(Debug)]
pub enum Effect {
    /// Nothing, as was asked.
    None,
    /// A tool was made or changed.
    Evolved(Status),
    /// A tool is what it was then.
    RolledBack(Definition, Status),
    /// A tool is hidden, which was this.
    Retired(Definition),
    /// The memory changed.
    Kept(Kept),
}

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The registry refuses.
    #[error(transparent)]
    Registry(registry::Error),
    /// The memory refuses.
    #[error(transparent)]
    Memory(memory::Error),
    /// The store fails.
    #[error(transparent)]
    Store(#[from] Error),
}

impl Refusal {
    /// The store answered something else than it was asked.
    pub const CONFUSED: Self = Self::Store(Error::Confused);
}

impl From<registry::Error> for Refusal {
    fn from(error: registry::Error) -> Self {
        match error {
            registry::Error::Store(error) => Self::Store(error),
            error => Self::Registry(error),
        }
    }
}

impl From<memory::Error> for Refusal {
    fn from(error: memory::Error) -> Self {
        match error {
            memory::Error::Store(error) => Self::Store(error),
            error => Self::Memory(error),
        }
    }
}

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
    /// See [`super::Store::last_change`].
    fn last_change(&self) -> Result<i64, Error>;
    /// See [`super::Store::find`].
    fn find(&self, name: &str, as_of: i64) -> Result<Option<Definition>, Error>;
    /// See [`super::Store::find_pinned`].
    fn find_pinned(&self, name: &str, prefix: &str) -> Result<Option<(Definition, bool)>, Error>;
    /// See [`super::Store::twin`].
    fn twin(&self, name: &str) -> Result<Option<String>, Error>;
    /// Whether a name ever stood for something.
    fn has_history(&self, name: &str) -> Result<bool, Error>;
    /// Adds a change of a tool, which makes it the current one.
    fn define(&mut self, defined: &Defined<'_>) -> Result<(), Error>;

    /// See [`super::Store::head`].
    fn head(&self) -> Result<Link, Error>;
    /// See [`super::Store::anchor`].
    fn anchor(&self) -> Result<Link, Error>;
    /// Adds an entry.
    fn append(&mut self, entry: &Entry) -> Result<(), Error>;
    /// Removes all entries with `ends` up to this. The last of them becomes the anchor.
    fn trim(&mut self, ends: i64) -> Result<(), Error>;

    /// See [`super::Store::memo`].
    fn memo(&self, key: &str) -> Result<Option<Memo>, Error>;
    /// See [`super::Store::sums`].
    fn sums(&self) -> Result<(u64, u64), Error>;
    /// When the memory changed last; 0 before the first time.
    fn last_update(&self) -> Result<i64, Error>;
    /// Keeps a value, in place of what has its key.
    fn keep(&mut self, memo: &Memo) -> Result<(), Error>;
    /// Forgets a key.
    fn forget(&mut self, key: &str) -> Result<(), Error>;
}

/// Makes changes and writes their entries, over the rows of a transaction that the store has
/// opened. After an error the store undoes the transaction.
pub fn apply(
    db: &mut dyn Transaction,
    writes: &[Write],
    settings: &Settings,
) -> Result<Vec<Done>, Refusal> {
    let is_taken = |write: &Write| matches!(write.change, Change::Take(_));
    // Tools of a file are compared with what was there before any of them was.
    let start = if writes.iter().any(is_taken) { db.last_change()? } else { 0 };
    writes.iter().map(|write| apply_one(db, write, settings, start)).collect()
}

fn apply_one(
    db: &mut dyn Transaction,
    Write { change, entry }: &Write,
    settings: &Settings,
    start: i64,
) -> Result<Done, Refusal> {
    let head = db.head()?;
    // The entry is numbered before it is written, so that the change can name it.
    let number = head.id + 1;
    let effect = match change {
        Change::None => Effect::None,
        Change::Evolve(evolution) => Effect::Evolved(tools::evolve(db, evolution, number)?),
        Change::RollBack { name, prefix } => {
            let (tool, status) = tools::roll_back(db, name, prefix, number)?;
            Effect::RolledBack(tool, status)
        }
        Change::Retire { name } => Effect::Retired(tools::retire(db, name, number)?),
        Change::Take(taken) => Effect::Evolved(tools::take(db, taken, start, number)?),
        Change::Keep { note, replace } => {
            Effect::Kept(kept::keep(db, note, *replace, settings.memory)?)
        }
        Change::Forget { key } => Effect::Kept(kept::forget(db, key)?),
    };
    let entry = Entry::after(head, &journaled::complete(entry, change, &effect), settings);
    db.append(&entry)?;
    if let Some(ends) = surplus(db.anchor()?, entry.ends, settings.most) {
        db.trim(ends)?;
    }
    Ok(Done { entry: number, effect })
}

impl Write {
    /// An entry alone.
    #[must_use]
    pub fn entry(entry: Draft) -> Self {
        Self { change: Change::None, entry }
    }

    /// Whether it is more than an entry.
    #[must_use]
    pub fn is_change(&self) -> bool {
        !matches!(self.change, Change::None)
    }
}
