//! The stores that are tried, and what the tests write to them.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use pif_domain::{EntryKind, EntryOutcome};
use pif_store::journal::{Digest, Draft, Journal, Policy, Settings};
use pif_store::memory::MemoryCapacity;
use pif_store::registry::Evolution;
use pif_store::{self, Change, Done, Effect, Place, Refusal, Store, ToolImport, Write};
use pif_store::{session, staging};
use pif_tests::postgres::OWNER;
use tempfile::TempDir;

use super::maps::Maps;
use super::postgres::{self, Database};

/// A store under trial.
pub(crate) struct Shelf {
    pub(crate) kind: &'static str,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) journal: Journal,
    again: Again,
}

/// Where a store is opened again.
enum Again {
    Nowhere,
    Folder(TempDir),
    Database(Database),
}

const PATIENCE: Duration = Duration::from_secs(30);

/// Tries something on an empty store of each kind.
pub(crate) fn each(attempt: impl Fn(&Shelf) -> Result<()>) -> Result<()> {
    each_of(64 << 20, attempt)
}

/// Tries something on stores whose journals keep so many bytes.
pub(crate) fn each_of(most: u64, attempt: impl Fn(&Shelf) -> Result<()>) -> Result<()> {
    if let Some(database) = postgres::chosen()? {
        let (kind, store) = (database.kind(), database.open()?);
        let again = Again::Database(database);
        return try_on(most, kind, store, again, &attempt);
    }
    let folder = tempfile::tempdir()?;
    let file = pif_store::open(&Place::Directory(folder.path().to_owned()), PATIENCE)?;
    let memory = pif_store::open(&Place::Memory, PATIENCE)?;
    for (kind, store, again) in [
        ("SQLite in a file", file, Again::Folder(folder)),
        ("SQLite in memory", memory, Again::Nowhere),
        ("maps", Arc::new(Maps::default()) as Arc<dyn Store>, Again::Nowhere),
    ] {
        try_on(most, kind, store, again, &attempt)?;
    }
    Ok(())
}

fn try_on(
    most: u64,
    kind: &'static str,
    store: Arc<dyn Store>,
    again: Again,
    attempt: &impl Fn(&Shelf) -> Result<()>,
) -> Result<()> {
    let journal = Journal::new(Arc::clone(&store), settings(most));
    let shelf = Shelf { kind, store, journal, again };
    attempt(&shelf).with_context(|| kind)?;
    shelf.store.check()?;
    shelf.journal.verify().with_context(|| kind)?;
    shelf.journal.verify_texts().with_context(|| kind)
}

/// Tries something on the store of a folder.
pub(crate) fn try_on_file(folder: &TempDir, attempt: impl Fn(&Shelf) -> Result<()>) -> Result<()> {
    let place = Place::Directory(folder.path().to_owned());
    attempt(&Shelf::of("SQLite in a file", pif_store::open(&place, PATIENCE)?))
}

/// An empty store of one kind: in memory, or in the database that is tried.
pub(crate) fn any() -> Result<(Arc<dyn Store>, Option<Database>)> {
    match postgres::chosen()? {
        Some(database) => Ok((database.open()?, Some(database))),
        None => Ok((pif_store::open(&Place::Memory, PATIENCE)?, None)),
    }
}

pub(crate) fn settings(most: u64) -> Settings {
    let (component, holder) = (Digest::of("evaluator").sha256, String::new());
    let memory = MemoryCapacity { keys: u64::MAX, bytes: u64::MAX };
    let sessions = session::SessionCapacity::UNLIMITED;
    let staging = staging::StagingCapacity::UNLIMITED;
    let (policy, most_payload) = (Policy::Full, 1 << 10);
    Settings {
        policy,
        most_payload,
        most,
        memory,
        sessions,
        staging,
        component,
        holder,
        lease: Duration::from_secs(30),
        principal: Arc::default(),
    }
}

impl Shelf {
    /// A store that is not opened again.
    pub(crate) fn of(kind: &'static str, store: Arc<dyn Store>) -> Self {
        let journal = Journal::new(Arc::clone(&store), settings(64 << 20));
        Self { kind, store, journal, again: Again::Nowhere }
    }

    /// Another view of the same state, as another process has it; None where there is no such.
    pub(crate) fn again(&self) -> Result<Option<Arc<dyn Store>>> {
        Ok(match &self.again {
            Again::Nowhere => None,
            Again::Folder(folder) => {
                let place = Place::Directory(folder.path().to_owned());
                Some(pif_store::open(&place, PATIENCE)?)
            }
            Again::Database(database) => Some(database.open()?),
        })
    }

    /// Removes the oldest entries, where the store leaves that to its operator.
    pub(crate) fn trim(&self, most: u64) -> Result<()> {
        if let Again::Database(database) = &self.again {
            database.open_as(OWNER)?.trim(most / 8 * 7)?;
        }
        Ok(())
    }

    /// Makes a change with an entry of some kind.
    pub(crate) fn change(&self, change: Change) -> Result<Done, Refusal> {
        self.journal.commit_one(write(change))
    }

    /// Makes or changes a tool; gives the word of the journal for that.
    pub(crate) fn evolve(&self, evolution: Evolution) -> Result<&'static str, Refusal> {
        Ok(status(&self.change(Change::Evolve(evolution))?))
    }
}

/// A change with the entry that tells of it.
pub(crate) fn write(change: Change) -> Write {
    let (kind, subject) = match &change {
        Change::None => (EntryKind::Run, None),
        Change::Evolve(it) => (EntryKind::Evolve, Some(it.name.clone())),
        Change::RollBack { name, .. } => (EntryKind::Rollback, Some(name.clone())),
        Change::Retire { name } => (EntryKind::Retire, Some(name.clone())),
        Change::Take(ToolImport { evolution, .. }) => {
            (EntryKind::Import, Some(evolution.name.clone()))
        }
        Change::Keep { note, .. } => (EntryKind::Memory, Some(note.key().to_owned())),
        Change::Outcome { key, .. } | Change::Forget { key } => {
            (EntryKind::Memory, Some(key.clone()))
        }
        Change::Session(_) => (EntryKind::Session, None),
        Change::Stage(_) => (EntryKind::Stage, None),
        Change::Erase { owner, .. } => (EntryKind::Memory, Some(owner.clone())),
    };
    Write { change, entry: Draft::new(kind, subject.as_deref(), EntryOutcome::Unchanged) }
}

/// What came of a tool, in a word.
pub(crate) fn status(done: &Done) -> &'static str {
    match &done.effect {
        Effect::Evolved(status) | Effect::RolledBack(_, status) => status.name(),
        Effect::Retired(_) => "retired",
        Effect::Kept(kept) => kept.status.name(),
        Effect::Session(_) => "session",
        Effect::Staged(..) => "staged",
        Effect::Erased(_) => "erased",
        Effect::None => "none",
    }
}

/// A tool with a term, which is text to a store.
pub(crate) fn tool(name: &str, source: &str) -> Evolution {
    Evolution {
        name: name.to_owned(),
        description: format!("The tool {name}"),
        source: source.to_owned(),
        hash: hash(source),
        tools: Vec::new(),
        examples: "[]".to_owned(),
        output_schema: None,
        members: None,
        properties: None,
        expected: None,
    }
}

/// The name of a term.
pub(crate) fn hash(source: &str) -> String {
    Digest::of(source).sha256
}
