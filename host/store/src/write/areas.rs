//! The rules for staging areas in an open transaction.

use std::collections::BTreeSet;

use pif_domain::Limit;
use pif_domain::text::time::now;

use super::standing::{Standing, standing_of};
use super::{kept, tools};
use crate::change::{CommittedTool, Refusal};
use crate::error::Error as StoreError;
use crate::journal::Settings;
use crate::memory::Note;
use crate::registry::{Definition, Evolution, Status};
use crate::staging::{Area, Change, Conflict, Error, StagingCapacity, ToolState};
use crate::transaction::Transaction;

/// Begins to work on an area of an owner: until it is released, nobody else changes it.
pub fn hold(
    db: &mut dyn Transaction,
    (owner, id): (&str, i64),
    holder: &str,
    most: StagingCapacity,
) -> Result<Area, Error> {
    let area = find(db, owner, id, most)?;
    ensure_free(db, id)?;
    db.hold_area(id, Some(holder))?;
    Ok(area)
}

/// Ends the work on an area that has changed nothing.
pub fn release(db: &mut dyn Transaction, id: i64, holder: &str) -> Result<(), Error> {
    if db.area_holder(id)?.is_some_and(|it| it == holder) {
        db.hold_area(id, None)?;
    }
    Ok(())
}

/// Refuses an area that somebody works on.
fn ensure_free(db: &mut dyn Transaction, id: i64) -> Result<(), Error> {
    let holder = db.area_holder(id)?;
    match standing_of(db, holder.as_deref(), None)? {
        Standing::Taken(by) => Err(Error::Busy { id, by }),
        Standing::Free | Standing::Own => Ok(()),
    }
}

/// Refuses a change by one who does not work on an area any more. It is the end of the work.
fn end_work(db: &mut dyn Transaction, id: i64, own: Option<&str>) -> Result<(), Error> {
    if own.is_none() {
        return ensure_free(db, id);
    }
    let holder = db.area_holder(id)?;
    match standing_of(db, holder.as_deref(), own)? {
        Standing::Own => Ok(db.hold_area(id, None)?),
        Standing::Free | Standing::Taken(_) => Err(Error::Lost(id)),
    }
}

/// Changes the areas of an owner. Gives the area, and what a commit has made. `entry` is the number of
/// the journal entry.
pub(super) fn change(
    db: &mut dyn Transaction,
    change: &Change,
    settings: &Settings,
    entry: i64,
) -> Result<(Area, Vec<CommittedTool>), Refusal> {
    let (owner, most) = (&*settings.principal, settings.staging);
    match change {
        Change::Put { area, terms, holder } => {
            if area.id != 0 {
                find(db, &area.owner, area.id, most)?;
                end_work(db, area.id, holder.as_deref())?;
            }
            Ok((put(db, area, terms, most)?, Vec::new()))
        }
        Change::Verify { id, verification, holder } => {
            let mut area = find(db, owner, *id, most)?;
            end_work(db, *id, holder.as_deref())?;
            if area.version != verification.version {
                return Err(Error::Raced(*id).into());
            }
            area.verification = Some(verification.clone());
            db.put_area(&area)?;
            Ok((area, Vec::new()))
        }
        Change::Commit { id, force } => {
            let area = find(db, owner, *id, most)?;
            ensure_free(db, *id)?;
            ensure_verified(&area, *force)?;
            let conflicts = conflicts(db, &area)?;
            if !conflicts.is_empty() {
                return Err(Error::Conflict { id: *id, conflicts }.into());
            }
            let committed = commit(db, &area, settings, entry)?;
            db.remove_area(*id)?;
            Ok((area, committed))
        }
        Change::Discard { id } => {
            let area = find(db, owner, *id, most)?;
            ensure_free(db, *id)?;
            db.remove_area(*id)?;
            Ok((area, Vec::new()))
        }
    }
}

/// Removes the areas of an owner. Gives their number.
pub(super) fn erase(db: &mut dyn Transaction, owner: &str) -> Result<u64, StoreError> {
    let areas = db.areas(owner)?;
    for area in &areas {
        db.remove_area(area.id)?;
    }
    Ok(u64::try_from(areas.len()).unwrap_or(u64::MAX))
}

/// An area of an owner whose time is not over.
fn find(db: &dyn Transaction, owner: &str, id: i64, most: StagingCapacity) -> Result<Area, Error> {
    let found = db.area(id)?.filter(|it| it.owner == owner && it.expires(most.life) > now());
    found.ok_or(Error::Unknown(id))
}

fn put(
    db: &mut dyn Transaction,
    area: &Area,
    terms: &[Evolution],
    most: StagingCapacity,
) -> Result<Area, Error> {
    let now = now();
    for old in db.areas(&area.owner)? {
        if old.expires(most.life) <= now {
            db.remove_area(old.id)?;
        }
    }
    if area.id == 0 {
        let others = u64::try_from(db.areas(&area.owner)?.len()).unwrap_or(u64::MAX);
        ensure(Limit::Snapshots, others.saturating_add(1), most.areas, "snapshots")?;
    } else if find(db, &area.owner, area.id, most)?.version.checked_add(1) != Some(area.version) {
        return Err(Error::Raced(area.id));
    }
    let operations = u64::try_from(area.operations.len()).unwrap_or(u64::MAX);
    ensure(Limit::SnapshotOperations, operations, most.operations, "operations")?;
    for term in terms {
        db.keep_source(term)?;
    }
    let area = Area { changed: now, ..area.clone() };
    let id = db.put_area(&area)?;
    Ok(Area { id, ..area })
}

fn ensure(limit: Limit, used: u64, most: u64, what: &str) -> Result<(), Error> {
    if used <= most {
        return Ok(());
    }
    let message = format!("there would be {used} {what}, more than the {most} that are allowed");
    Err(Error::Full { limit, used, most, message })
}

fn ensure_verified(area: &Area, force: bool) -> Result<(), Error> {
    let reason = match &area.verification {
        _ if force || area.is_verified() => return Ok(()),
        None => "was not verified",
        Some(it) if it.version != area.version => "has changed since it was verified",
        Some(_) => "did not pass its verification",
    };
    Err(Error::Unverified { id: area.id, reason })
}

/// What has changed since the area was begun, and matters to it: tools that it touches or depends on,
/// tools that depend on one it touches, keys of the memory.
fn conflicts(db: &dyn Transaction, area: &Area) -> Result<Vec<Conflict>, StoreError> {
    let mut found = Vec::new();
    let states = area.tools();
    let touched: BTreeSet<&str> = states.iter().map(|it| it.name.as_str()).collect();
    let changed = db.changed_since(area.base)?;
    let needed =
        if changed.is_empty() { BTreeSet::new() } else { dependencies(db, area, &states)? };
    for name in changed {
        let (then, now) = (db.find(&name, area.base)?, db.find(&name, i64::MAX)?);
        if is_equal(then.as_ref(), now.as_ref()) {
            continue;
        }
        let depends = |tool: &Option<Definition>| match tool {
            Some(tool) => reaches(db, &tool.hash, &touched, area.base),
            None => Ok(false),
        };
        let matters = touched.contains(name.as_str())
            || needed.contains(&name)
            || depends(&then)?
            || depends(&now)?;
        if matters {
            let (then, now) = (then.map(|it| it.hash), now.map(|it| it.hash));
            found.push(Conflict::Tool { name, then, now });
        }
    }
    let mut seen = BTreeSet::new();
    for state in area.operations.iter().flat_map(|operation| &operation.memos) {
        let updated = db.memo(&area.owner, &state.key)?.map(|memo| memo.updated);
        if seen.insert(&state.key) && updated != state.before {
            found.push(Conflict::Key(state.key.clone()));
        }
    }
    Ok(found)
}

/// Whether two states of a tool are equal but for the number of the change.
fn is_equal(then: Option<&Definition>, now: Option<&Definition>) -> bool {
    match (then, now) {
        (Some(then), Some(now)) => *then == Definition { change: then.change, ..now.clone() },
        (None, None) => true,
        _ => false,
    }
}

/// The tools that those of the area depend on, by name, at its base.
fn dependencies(
    db: &dyn Transaction,
    area: &Area,
    states: &[&ToolState],
) -> Result<BTreeSet<String>, StoreError> {
    let mut found = BTreeSet::new();
    let mut open: Vec<String> = states.iter().filter_map(|state| state.hash.clone()).collect();
    while let Some(hash) = open.pop() {
        for name in db.uses(&hash)? {
            let is_staged = states.iter().any(|state| state.name == name);
            if found.insert(name.clone()) && !is_staged {
                open.extend(db.find(&name, area.base)?.map(|tool| tool.hash));
            }
        }
    }
    Ok(found)
}

/// Whether a term comes by names to one of some tools.
fn reaches(
    db: &dyn Transaction,
    hash: &str,
    touched: &BTreeSet<&str>,
    base: i64,
) -> Result<bool, StoreError> {
    let mut seen = BTreeSet::new();
    let mut open = vec![hash.to_owned()];
    while let Some(hash) = open.pop() {
        for name in db.uses(&hash)? {
            if touched.contains(name.as_str()) {
                return Ok(true);
            }
            if seen.insert(name.clone()) {
                open.extend(db.find(&name, base)?.map(|tool| tool.hash));
            }
        }
    }
    Ok(false)
}

fn commit(
    db: &mut dyn Transaction,
    area: &Area,
    settings: &Settings,
    entry: i64,
) -> Result<Vec<CommittedTool>, Refusal> {
    let mut before = Vec::new();
    for state in area.tools() {
        before.push((state, db.find(&state.name, i64::MAX)?));
    }
    for operation in &area.operations {
        for state in &operation.tools {
            define(db, state, entry)?;
        }
        for state in &operation.memos {
            match (&state.value, state.outcome) {
                (_, Some(helped)) => drop(kept::outcome(db, &area.owner, &state.key, helped)?),
                (None, None) => drop(kept::forget(db, &area.owner, &state.key)?),
                (Some(value), None) => {
                    let note = Note {
                        key: state.key.clone(),
                        value: value.clone(),
                        tags: state.tags.clone(),
                        context: state.context.clone(),
                        confidence: state.confidence,
                        is_made: false,
                        outcomes: None,
                    };
                    kept::keep(db, &area.owner, &note, true, settings.memory)?;
                }
            }
        }
    }
    Ok(before.into_iter().map(|(state, was)| compare(state, was)).collect())
}

/// What a commit has made of a tool, which was so before it.
fn compare(state: &ToolState, was: Option<Definition>) -> CommittedTool {
    let (name, hash) = (state.name.clone(), state.hash.clone());
    let status = hash.as_ref().map(|hash| match was {
        None => Status::New,
        Some(was) if was.hash != *hash => Status::Changed(was.hash),
        Some(was) if was.description != state.description || was.examples != state.examples => {
            Status::Described
        }
        Some(was) if was.output_schema != state.output_schema || was.members != state.members => {
            Status::Described
        }
        Some(was) if was.properties != state.properties => Status::Described,
        Some(_) => Status::Unchanged,
    });
    CommittedTool { name, hash, status }
}

/// Brings about the state of a tool.
fn define(db: &mut dyn Transaction, state: &ToolState, entry: i64) -> Result<(), Refusal> {
    let name = state.name.clone();
    let Some(hash) = state.hash.clone() else {
        if db.find(&name, i64::MAX)?.is_some() {
            tools::retire(db, &name, entry)?;
        }
        return Ok(());
    };
    let evolution = Evolution {
        name,
        description: state.description.clone(),
        source: db.source(&hash)?.ok_or(StoreError::Confused)?,
        tools: db.uses(&hash)?,
        hash,
        examples: state.examples.clone(),
        output_schema: state.output_schema.clone(),
        members: state.members.clone(),
        properties: state.properties.clone(),
        expected: None,
    };
    tools::evolve(db, &evolution, entry)?;
    Ok(())
}
