//! The rules for changes of the memory in an open transaction.

use pif_domain::EntryOutcome;
use pif_domain::text::time::now;

use crate::memory::{
    DEFAULT_CONFIDENCE, Error, Memo, MemoryCapacity, MemoryChange, Note, Outcomes, ensure_room,
};
use crate::transaction::Transaction;

/// Keeps a value under its key, for an owner. A value that a context has already stands once: keeping it
/// again counts as a success.
pub(super) fn keep(
    db: &mut dyn Transaction,
    owner: &str,
    note: &Note,
    replace: bool,
    most: MemoryCapacity,
) -> Result<MemoryChange, Error> {
    let Note { key, value, tags, .. } = note;
    let context = note.context.as_deref().filter(|it| !it.is_empty());
    let equal = match context {
        Some(context) => db.equal_memo(owner, context, value)?,
        None => None,
    };
    let key = equal.as_ref().unwrap_or(key);
    let old = db.memo(owner, key)?;
    let known = old.as_ref().map(|memo| memo.tags.clone());
    let tags = tags.clone().or(known).unwrap_or_default();
    let previous = old.as_ref().and_then(|memo| memo.value.clone());
    let is_same = previous.as_ref() == Some(value);
    let next = learned(note, old.as_ref(), is_same);
    // What was learned of another value says nothing of this one.
    let known = old.as_ref().filter(|_| is_same);
    let known = known.map(|it| Outcomes { successes: it.successes, tries: it.tries });
    let known = known.unwrap_or_default();
    let Outcomes { successes, tries } = note.outcomes.unwrap_or(known);
    if let Some(old) = &old {
        let is_new = note.outcomes.is_none() && (equal.is_some() || note.is_made);
        let is_again = is_same && is_new;
        if is_again && replace {
            return count(db, owner, &Memo { tags, ..old.clone() }, true);
        }
        let is_known = next == (old.context.clone(), old.given);
        if is_same
            && old.tags == tags
            && is_known
            && (successes, tries) == (old.successes, old.tries)
        {
            return Ok(told(EntryOutcome::Unchanged, None, Some(old.clone())));
        }
        if !replace {
            return Err(Error::Present(key.clone()));
        }
    }
    ensure_room(most, db.sums()?, previous.as_deref(), value)?;
    // Clocks may stand still or be set back. The order of changes must not depend on that.
    let now = now().max(db.last_update()? + 1);
    let (context, given) = next;
    let memo = Memo {
        key: key.clone(),
        tags,
        created: old.as_ref().map_or(now, |memo| memo.created),
        updated: now,
        size: u64::try_from(value.chars().count()).unwrap_or(u64::MAX),
        value: Some(value.clone()),
        context,
        given,
        successes,
        tries,
        used: now,
    };
    db.keep(owner, &memo)?;
    let status = if old.is_some() { EntryOutcome::Changed } else { EntryOutcome::Stored };
    Ok(told(status, previous, Some(memo)))
}

/// The context and the confidence that a note gives an entry.
fn learned(note: &Note, old: Option<&Memo>, is_same: bool) -> (String, f64) {
    let known = old.map(|memo| memo.context.clone());
    let given = note.confidence.or(old.filter(|_| is_same).map(|memo| memo.given));
    let context = note.context.clone().or(known).unwrap_or_default();
    (context, given.unwrap_or(DEFAULT_CONFIDENCE))
}

/// Counts whether the entry of a key helped.
pub(super) fn outcome(
    db: &mut dyn Transaction,
    owner: &str,
    key: &str,
    helped: bool,
) -> Result<MemoryChange, Error> {
    let memo = db.memo(owner, key)?.ok_or_else(|| Error::Unknown(key.to_owned()))?;
    count(db, owner, &memo, helped)
}

fn count(
    db: &mut dyn Transaction,
    owner: &str,
    memo: &Memo,
    helped: bool,
) -> Result<MemoryChange, Error> {
    let memo = memo.tried(helped, now());
    db.keep(owner, &memo)?;
    Ok(MemoryChange { counted: true, ..told(EntryOutcome::Changed, None, Some(memo)) })
}

/// The result, with the entry but for its value.
fn told(status: EntryOutcome, previous: Option<String>, memo: Option<Memo>) -> MemoryChange {
    let memo = memo.map(|memo| Memo { value: None, ..memo });
    MemoryChange { status, counted: false, previous, memo }
}

/// Forgets a key of an owner. An unknown key changes nothing.
pub(super) fn forget(
    db: &mut dyn Transaction,
    owner: &str,
    key: &str,
) -> Result<MemoryChange, Error> {
    let Some(memo) = db.memo(owner, key)? else {
        return Ok(told(EntryOutcome::Unchanged, None, None));
    };
    db.forget(owner, key)?;
    Ok(told(EntryOutcome::Forgotten, memo.value, None))
}
