//! The tools that models have evolved: names, and the terms they stand for, with all that they
//! ever stood for. The registry takes terms as text that somebody else has checked; it knows
//! neither the language nor MCP.

mod error;
pub mod name;
mod query;
mod revision;
pub mod text;

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

pub use self::error::Error;
pub use self::revision::{Definition, Past, short};

use self::query::Written;
use crate::domain::EntryEnding;
use crate::recall::Recall;
use crate::similar::similar;
use crate::store::{self, Store, Transaction};

/// How few digits of a hash may name a revision.
const SHORTEST_PREFIX: usize = 8;

/// Tools that are kept at hand, and their bytes.
const MOST_FOUND: usize = 1_000;
const MOST_FOUND_BYTES: usize = 16 << 20;

/// A definition to be made.
#[derive(Debug, Clone)]
pub struct Change {
    /// The tool.
    pub name: String,
    /// What its author says it does.
    pub description: String,
    /// The canonical text of the term.
    pub source: String,
    /// sha256 of `source`.
    pub hash: String,
    /// The tools that the term names.
    pub tools: Vec<String>,
    /// A JSON list of `{input | data, output}`.
    pub examples: String,
    /// A JSON Schema, in one spelling.
    pub output_schema: Option<String>,
    /// The revision that the author believes to be the current one.
    pub expected: Option<String>,
}

/// What a change did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// The name was free, or retired.
    New,
    /// The name stood for another term, which had this hash.
    Changed(String),
    /// The term stays, its description, examples or output schema are others.
    Described,
    /// Nothing: it was so already.
    Unchanged,
}

impl Status {
    /// How the journal entry of the change ends.
    #[must_use]
    pub fn ending(&self) -> EntryEnding {
        match self {
            Self::New => EntryEnding::New,
            Self::Changed(_) => EntryEnding::Changed,
            Self::Described => EntryEnding::Described,
            Self::Unchanged => EntryEnding::Unchanged,
        }
    }

    /// Its name in replies.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.ending().name()
    }
}

/// The shared registry.
#[derive(Debug)]
pub struct Registry {
    store: Arc<Store>,
    changes: watch::Sender<i64>,
    latest: Mutex<Latest>,
}

/// Tools that were found as they were after a change: that stays so.
#[derive(Debug, Clone)]
struct Latest {
    as_of: i64,
    found: Arc<Recall<Option<Definition>>>,
}

impl Latest {
    fn new(as_of: i64) -> Self {
        Self { as_of, found: Arc::new(Recall::new(MOST_FOUND, MOST_FOUND_BYTES)) }
    }
}

impl Registry {
    /// The registry in a store.
    pub fn open(store: Arc<Store>) -> Result<Self, store::Error> {
        let last = store.read(|db| Ok::<_, store::Error>(query::last_change(db)?))?;
        let latest = Mutex::new(Latest::new(last));
        Ok(Self { store, changes: watch::Sender::new(last), latest })
    }

    /// The registry as it is now; later changes do not show in it.
    pub fn snapshot(&self) -> Result<Snapshot, store::Error> {
        let as_of = self.store.glance(|db| Ok::<_, store::Error>(query::last_change(db)?))?;
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if latest.as_of != as_of {
            *latest = Latest::new(as_of);
        }
        Ok(Snapshot { store: Arc::clone(&self.store), as_of, found: Arc::clone(&latest.found) })
    }

    /// Wakes its holder after changes. Several changes may be one awakening.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<i64> {
        self.changes.subscribe()
    }

    /// Looks whether there are changes that nobody was told of: this process or another may have
    /// made them.
    pub fn refresh(&self) -> Result<(), store::Error> {
        let last = self.store.read(|db| Ok::<_, store::Error>(query::last_change(db)?))?;
        self.changes.send_if_modified(|known| std::mem::replace(known, last) != last);
        Ok(())
    }

    /// Judges a change as far as that is possible without its term.
    pub fn review(
        &self,
        name: &str,
        description: &str,
        expected: Option<&str>,
    ) -> Result<(), Error> {
        name::ensure_free(name)?;
        text::ensure_plain(description)?;
        self.store.read(|db| {
            let current = query::find(db, name, i64::MAX)?;
            if current.is_none() {
                ensure_distinct(query::twin(db, name)?, name)?;
            }
            ensure_expected(current.as_ref(), name, expected)
        })
    }

    /// Another tool whose name a hasty reader would take for this one.
    pub fn lookalike(&self, name: &str) -> Result<Option<String>, store::Error> {
        self.store.read(|db| Ok(query::lookalike(db, name)?))
    }

    /// Makes a change within a transaction, unless it is refused or there is nothing to change.
    /// `entry` is the journal's entry of it. [`Registry::refresh`] is to follow the commit.
    pub fn evolve(
        &self,
        transaction: &Transaction<'_>,
        change: &Change,
        entry: i64,
    ) -> Result<Status, Error> {
        let Change { name, description, source, hash, tools, examples, output_schema, expected } =
            change;
        name::ensure_free(name)?;
        text::ensure_plain(description)?;
        let current = query::find(transaction, name, i64::MAX)?;
        if current.is_none() {
            // Somebody may have taken its twin since the review.
            ensure_distinct(query::twin(transaction, name)?, name)?;
        }
        ensure_expected(current.as_ref(), name, expected.as_deref())?;
        let status = match current {
            None => Status::New,
            Some(current) if current.hash != *hash => Status::Changed(current.hash),
            Some(current) if current.description != *description => Status::Described,
            Some(current) if current.examples != *examples => Status::Described,
            Some(current) if current.output_schema != *output_schema => Status::Described,
            Some(_) => return Ok(Status::Unchanged),
        };
        let revision = Some(query::keep(transaction, hash, source, tools)?);
        let output_schema = output_schema.as_deref();
        let written = Written { name, revision, description, examples, output_schema, entry };
        query::put(transaction, &written)?;
        Ok(status)
    }

    /// What a name stands for within a transaction.
    pub fn current(
        &self,
        transaction: &Transaction<'_>,
        name: &str,
    ) -> Result<Option<Definition>, Error> {
        Ok(query::find(transaction, name, i64::MAX)?)
    }

    /// Whether a name stands or ever stood for the term of a hash.
    pub fn has_stood_for(
        &self,
        transaction: &Transaction<'_>,
        name: &str,
        hash: &str,
    ) -> Result<bool, Error> {
        Ok(query::find_pinned(transaction, name, hash, i64::MAX)?.is_some())
    }

    /// Makes a name stand again for what it once stood for, with all that was said of it then; gives what it stands for now. The same goes for [`Registry::refresh`].
    pub fn roll_back(
        &self,
        transaction: &Transaction<'_>,
        name: &str,
        prefix: &str,
        entry: i64,
    ) -> Result<(Definition, Status), Error> {
        let Some(past) = pinned(transaction, name, prefix, i64::MAX)? else {
            return Err(missing(transaction, name, prefix));
        };
        let Definition { hash, source, description, examples, output_schema, .. } = past.clone();
        let change = Change {
            name: name.to_owned(),
            description,
            source,
            hash,
            tools: Vec::new(),
            examples,
            output_schema,
            expected: None,
        };
        let status = self.evolve(transaction, &change, entry)?;
        Ok((past, status))
    }

    /// Hides a tool: its name stands for nothing from now on. The same goes for
    /// [`Registry::refresh`].
    pub fn retire(
        &self,
        transaction: &Transaction<'_>,
        name: &str,
        entry: i64,
    ) -> Result<Definition, Error> {
        let Some(tool) = query::find(transaction, name, i64::MAX)? else {
            return Err(Error::Unknown(name.to_owned()));
        };
        let Definition { description, examples, output_schema, .. } = &tool;
        let (revision, output_schema) = (None, output_schema.as_deref());
        let written = Written { name, revision, description, examples, output_schema, entry };
        query::put(transaction, &written)?;
        Ok(tool)
    }
}

/// The registry as it was after one of its changes.
#[derive(Debug, Clone)]
pub struct Snapshot {
    store: Arc<Store>,
    as_of: i64,
    found: Arc<Recall<Option<Definition>>>,
}

impl Snapshot {
    /// The last change that shows in it.
    #[must_use]
    pub fn as_of(&self) -> i64 {
        self.as_of
    }

    /// What a name stood for; `name@hash` is that revision, whatever came later.
    pub fn find(&self, reference: &str) -> Result<Option<Definition>, Error> {
        if let Some(known) = self.found.get(reference) {
            return Ok(known);
        }
        let (name, pin) = name::split(reference);
        let found = self.store.read(|db| match pin {
            None => Ok(query::find(db, name, self.as_of)?.map(intact).transpose()?),
            Some(prefix) => pinned(db, name, prefix, self.as_of),
        });
        if let Ok(found) = &found {
            let size = found.as_ref().map_or(0, Definition::size);
            self.found.keep(reference, found.clone(), size);
        }
        found
    }

    /// The name closest to one that is unknown.
    pub fn similar(&self, name: &str) -> Result<Option<String>, store::Error> {
        let names = self.store.read(|db| Ok::<_, store::Error>(query::near(db, name)?))?;
        Ok(similar(name, names.iter().map(String::as_str)).map(str::to_owned))
    }

    /// How many tools there are now.
    pub fn count(&self) -> Result<u64, store::Error> {
        self.store.read(|db| Ok(query::count(db)?))
    }

    /// The tools there are now after a name, in the order of names.
    pub fn page(&self, after: &str, most: usize) -> Result<Vec<Definition>, store::Error> {
        self.store.read(|db| Ok(query::page(db, after, most)?))
    }

    /// The same of those whose name or description holds all words, and their number.
    pub fn search(
        &self,
        words: &[String],
        after: &str,
        most: usize,
    ) -> Result<(Vec<Definition>, u64), store::Error> {
        self.store.read(|db| Ok(query::search(db, words, after, most)?))
    }

    /// The tools that were changed last, in the order of names.
    pub fn latest(&self, most: usize) -> Result<Vec<Definition>, store::Error> {
        self.store.read(|db| Ok(query::latest(db, most)?))
    }

    /// The names of tools that begin like this, in order.
    pub fn names(&self, prefix: &str, most: usize) -> Result<Vec<String>, store::Error> {
        self.store.read(|db| Ok(query::names(db, prefix, most)?))
    }

    /// How many tools have names that begin like this.
    pub fn count_names(&self, prefix: &str) -> Result<u64, store::Error> {
        self.store.read(|db| Ok(query::count_names(db, prefix)?))
    }

    /// What a name has stood for, the latest first.
    pub fn history(&self, name: &str, most: usize) -> Result<Vec<Past>, store::Error> {
        self.store.read(|db| Ok(query::history(db, name, most)?))
    }

    /// The tools whose terms name this one, by name.
    pub fn callers(&self, name: &str, most: usize) -> Result<Vec<Definition>, store::Error> {
        self.store.read(|db| Ok(query::callers(db, name, most)?))
    }

    /// The output schema that a change gave its tool, if there is one.
    pub fn output_schema(&self, change: i64) -> Result<Option<String>, store::Error> {
        self.store.read(|db| Ok(query::output_schema(db, change)?))
    }

    /// The names of the tools that a revision's term names.
    pub fn uses(&self, hash: &str) -> Result<Vec<String>, store::Error> {
        self.store.read(|db| Ok(query::uses(db, hash)?))
    }

    /// The term of a hash, whatever names it has had.
    pub fn source(&self, hash: &str) -> Result<Option<String>, store::Error> {
        self.store.read(|db| match query::source(db, hash)? {
            Some(source) if !revision::is_named(&source, hash) => {
                let tool = match query::name_of(db, hash)? {
                    Some(name) => format!("`{name}`"),
                    None => "a tool that was forgotten".to_owned(),
                };
                Err(store::Error::Altered { tool, hash: hash.to_owned() })
            }
            found => Ok(found),
        })
    }
}

/// Why a tool cannot go back to a revision that it does not have.
fn missing(transaction: &Transaction<'_>, name: &str, prefix: &str) -> Error {
    match query::history(transaction, name, 1) {
        Err(error) => error.into(),
        Ok(history) if history.is_empty() => Error::Unknown(name.to_owned()),
        Ok(_) => Error::Revision { name: name.to_owned(), prefix: prefix.to_owned(), found: "no" },
    }
}

/// The latest tool of a name at a revision.
fn pinned(
    db: &rusqlite::Connection,
    name: &str,
    prefix: &str,
    as_of: i64,
) -> Result<Option<Definition>, Error> {
    ensure_prefix(prefix)?;
    let prefix = prefix.to_ascii_lowercase();
    match query::find_pinned(db, name, &prefix, as_of)? {
        Some((_, true)) => {
            let found = "more than one";
            Err(Error::Revision { name: name.to_owned(), prefix, found })
        }
        found => Ok(found.map(|(tool, _)| intact(tool)).transpose()?),
    }
}

/// A tool whose term is the one that its hash names. Whoever gets at the file can change the one
/// and not the other.
fn intact(tool: Definition) -> Result<Definition, store::Error> {
    if revision::is_named(&tool.source, &tool.hash) {
        return Ok(tool);
    }
    Err(store::Error::Altered { tool: format!("`{}`", tool.name), hash: tool.hash })
}

/// A name that exists already stays usable, whatever looks like it.
fn ensure_distinct(twin: Option<String>, name: &str) -> Result<(), Error> {
    match twin {
        Some(other) => Err(Error::Twin { name: name.to_owned(), other }),
        None => Ok(()),
    }
}

fn ensure_prefix(prefix: &str) -> Result<(), Error> {
    let is_hash = prefix.len() <= 64 && prefix.bytes().all(|b| b.is_ascii_hexdigit());
    if prefix.len() < SHORTEST_PREFIX || !is_hash { Err(Error::Prefix) } else { Ok(()) }
}

/// Whether a text pins the revision of a hash.
pub(crate) fn is_prefix(prefix: &str, hash: &str) -> bool {
    ensure_prefix(prefix).is_ok() && hash.starts_with(&prefix.to_ascii_lowercase())
}

fn ensure_expected(
    current: Option<&Definition>,
    name: &str,
    expected: Option<&str>,
) -> Result<(), Error> {
    let Some(expected) = expected else { return Ok(()) };
    ensure_prefix(expected)?;
    let found = match current {
        Some(it) if it.hash.starts_with(&expected.to_ascii_lowercase()) => return Ok(()),
        Some(it) => format!("is at the revision `{}`", it.short()),
        None => "does not exist".to_owned(),
    };
    Err(Error::Conflict { name: name.to_owned(), expected: expected.to_owned(), found })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Durability, Place};

    fn change(source: &str, description: &str, expected: Option<&str>) -> Change {
        Change {
            name: "double".to_owned(),
            description: description.to_owned(),
            source: source.to_owned(),
            hash: revision::hash(source),
            tools: Vec::new(),
            examples: "[]".to_owned(),
            output_schema: None,
            expected: expected.map(str::to_owned),
        }
    }

    fn registry() -> Registry {
        let store = Store::open(&Place::Memory).expect("a store in memory");
        Registry::open(Arc::new(store)).expect("an empty registry")
    }

    fn evolve(registry: &Registry, change: &Change) -> Result<Status, Error> {
        registry.store.write(Durability::Process, |db| registry.evolve(db, change, 1))
    }

    #[test]
    fn keeps_history() -> Result<(), Error> {
        let registry = registry();
        let before = registry.snapshot()?;
        assert_eq!(evolve(&registry, &change("1", "", None))?, Status::New);
        assert_eq!(evolve(&registry, &change("1", "", None))?, Status::Unchanged);
        assert_eq!(evolve(&registry, &change("1", "one", None))?, Status::Described);
        let first = revision::hash("1");
        let changed = evolve(&registry, &change("2", "one", None))?;
        assert_eq!(changed, Status::Changed(first.clone()));
        let after = registry.snapshot()?;
        assert_eq!(before.find("double")?, None);
        let double = after.find("double")?.expect("evolved");
        assert_eq!((double.source.as_str(), after.history("double", 9)?.len()), ("2", 3));
        let pinned = after.find(&format!("double@{first}"))?.expect("its first revision");
        assert_eq!((pinned.source.as_str(), pinned.description.as_str()), ("1", "one"));
        Ok(())
    }

    #[test]
    fn refuses_a_change_of_something_else() -> Result<(), Error> {
        let registry = registry();
        let conflict = evolve(&registry, &change("1", "", Some("00000000")));
        assert!(matches!(conflict, Err(Error::Conflict { .. })));
        assert_eq!(evolve(&registry, &change("1", "", None))?, Status::New);
        assert!(matches!(evolve(&registry, &change("1", "", Some("123"))), Err(Error::Prefix)));
        let first = revision::hash("1");
        assert_eq!(evolve(&registry, &change("2", "", Some(&first[..8])))?.name(), "changed");
        Ok(())
    }

    #[test]
    fn refuses_a_term_that_was_altered() -> Result<(), Error> {
        let registry = registry();
        evolve(&registry, &change("1", "", None))?;
        let first = revision::hash("1");
        registry.store.write(Durability::Process, |db| {
            db.execute("UPDATE revision SET source = '2'", []).map_err(Error::from)
        })?;
        let tools = registry.snapshot()?;
        for found in [
            tools.find("double").map_err(|error| error.to_string()),
            tools.find(&format!("double@{first}")).map_err(|error| error.to_string()),
            tools.source(&first).map(|_| None).map_err(|error| error.to_string()),
        ] {
            let error = found.expect_err("altered");
            assert!(error.contains("`double`") && error.contains(&first), "{error}");
        }
        Ok(())
    }

    #[test]
    fn retires_and_rolls_back() -> Result<(), Error> {
        let registry = registry();
        evolve(&registry, &change("1", "", None))?;
        let write = |act: &dyn Fn(&Transaction<'_>) -> Result<(), Error>| {
            registry.store.write(Durability::Process, |db| act(db))
        };
        write(&|db| registry.retire(db, "double", 2).map(drop))?;
        assert_eq!(registry.snapshot()?.find("double")?, None);
        assert_eq!(registry.snapshot()?.count()?, 0);
        let first = revision::hash("1");
        write(&|db| registry.roll_back(db, "double", &first[..8], 3).map(drop))?;
        assert_eq!(registry.snapshot()?.count()?, 1);
        let gone = write(&|db| registry.roll_back(db, "double", "12345678", 4).map(drop));
        assert!(matches!(gone, Err(Error::Revision { found: "no", .. })));
        Ok(())
    }
}
