//! The rules for changes of the state. A change and its journal entry are one write. The store
//! opens a transaction, and [`apply`] reads and writes its rows.

pub mod areas;
mod kept;
pub mod sessions;
mod standing;
mod tools;

use std::borrow::Cow;

use pif_domain::EntryOutcome;
use serde_json::{Value, json};

use super::change::{Change, CommittedTool, Done, Effect, Erasure, Refusal, Write};
use super::error::Error as StoreError;
use super::journal::{Digest, Draft, Entry, Settings, surplus};
use super::memory::MemoryChange;
use super::registry::Status;
use super::staging::Area;
use super::transaction::Transaction;

/// Makes changes and writes their entries in an open transaction. After an error the store undoes
/// the transaction.
pub fn apply(
    db: &mut dyn Transaction,
    writes: &[Write],
    settings: &Settings,
) -> Result<Vec<Done>, Refusal> {
    let is_taken = |write: &Write| matches!(write.change, Change::Take(_));
    // Imported tools are compared with the state before the first of them was written.
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
    // The number of the entry is known before the change, because the change refers to it.
    let number = db.next(head)?;
    // A change may remove what only the run has read.
    for hash in entry.pins(settings) {
        db.pin(hash, number)?;
    }
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
            Effect::Kept(kept::keep(db, &settings.principal, note, *replace, settings.memory)?)
        }
        Change::Outcome { key, helped } => {
            Effect::Kept(kept::outcome(db, &settings.principal, key, *helped)?)
        }
        Change::Forget { key } => Effect::Kept(kept::forget(db, &settings.principal, key)?),
        Change::Session(change) => {
            Effect::Session(Box::new(sessions::change(db, change, &settings.sessions)?))
        }
        Change::Stage(change) => {
            let (area, committed) = areas::change(db, change, settings, number)?;
            Effect::Staged(Box::new(area), committed)
        }
        Change::Erase { owner, runs } => {
            let mut erased = Erasure {
                sessions: sessions::erase(db, owner)?,
                keys: db.forget_all(owner)?,
                areas: areas::erase(db, owner)?,
                runs: 0,
            };
            for run in runs {
                erased.runs += u64::from(db.settle(*run)?);
            }
            Effect::Erased(erased)
        }
    };
    if let Some(run) = entry.pending {
        let is_own = match entry.kept(number, settings) {
            Some(kept) => db.has_lease(&settings.holder)? && db.end(&settings.holder, &kept)?,
            // The entry of a run that was not durable is written whoever has the run.
            None => db.settle(run)? || entry.ending != EntryOutcome::Unknown,
        };
        if !is_own {
            return Err(Refusal::Store(StoreError::Lost));
        }
    }
    for text in entry.texts(settings) {
        db.keep_text(&Digest::of(text).sha256, text, number)?;
    }
    let entry = Entry::after(head, number, &complete(entry, change, &effect), settings);
    db.append(&entry)?;
    if let Some(ends) = surplus(db.anchor()?, entry.ends, settings.most) {
        db.trim(ends)?;
    }
    Ok(Done { entry: number, effect })
}

/// The draft, completed with the ending and the outcome of the change.
fn complete<'a>(draft: &'a Draft, change: &Change, effect: &Effect) -> Cow<'a, Draft> {
    let (ending, outcome) = match effect {
        Effect::None | Effect::Session(_) => return Cow::Borrowed(draft),
        Effect::Evolved(status) => (status.ending(), revision(hash(change), status)),
        Effect::RolledBack(tool, status) => (status.ending(), revision(&tool.hash, status)),
        Effect::Retired(tool) => (EntryOutcome::Retired, json!({ "revision": tool.hash })),
        Effect::Kept(kept) => (kept.status, remembered(kept)),
        Effect::Erased(Erasure { sessions, keys, areas, runs }) => {
            let told =
                json!({ "sessions": sessions, "keys": keys, "snapshots": areas, "runs": runs });
            (draft.ending, told)
        }
        Effect::Staged(area, committed) => (draft.ending, staged(area, committed)),
    };
    Cow::Owned(Draft { ending, outcome, ..draft.clone() })
}

/// The hash of the term in a change.
fn hash(change: &Change) -> &str {
    match change {
        Change::Evolve(evolution) => &evolution.hash,
        Change::Take(taken) => &taken.evolution.hash,
        Change::None
        | Change::RollBack { .. }
        | Change::Retire { .. }
        | Change::Keep { .. }
        | Change::Outcome { .. }
        | Change::Forget { .. }
        | Change::Session(_)
        | Change::Stage(_)
        | Change::Erase { .. } => "",
    }
}

fn revision(hash: &str, status: &Status) -> Value {
    let mut told = json!({ "revision": hash });
    if let (Status::Changed(previous), Some(members)) = (status, told.as_object_mut()) {
        members.insert("previous".to_owned(), previous.as_str().into());
    }
    told
}

/// The outcome of a change of staging areas: the area, and what a commit has made of each tool.
fn staged(area: &Area, committed: &[CommittedTool]) -> Value {
    let mut told = json!({ "snapshot": area.id, "version": area.version });
    let changes: Vec<Value> = committed
        .iter()
        .map(|CommittedTool { name, hash, status }| {
            let mut change = match (hash, status) {
                (Some(hash), Some(status)) => revision(hash, status),
                _ => json!({ "retired": true }),
            };
            if let Some(members) = change.as_object_mut() {
                members.insert("tool".to_owned(), name.as_str().into());
            }
            change
        })
        .collect();
    if let (false, Some(members)) = (changes.is_empty(), told.as_object_mut()) {
        members.insert("changes".to_owned(), changes.into());
    }
    told
}

/// The outcome of a change of the memory. The value itself is in the request.
fn remembered(kept: &MemoryChange) -> Value {
    let mut told = json!({ "status": kept.status.name() });
    if let (Some(previous), Some(members)) = (&kept.previous, told.as_object_mut()) {
        members.insert("previous".to_owned(), json!(Digest::of(previous)));
    }
    if let (Some(memo), true) = (&kept.memo, kept.counted) {
        told["successes"] = memo.successes.into();
        told["tries"] = memo.tries.into();
    }
    told
}
