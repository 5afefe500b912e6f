//! The rules for changes of the memory in an open transaction.

use pif_domain::EntryEnding;
use pif_domain::text::time::now;

use crate::memory::{Capacity, Error, Kept, Memo, Note, ensure_room};
use crate::transaction::Transaction;

/// Keeps a value under its key, for an owner.
pub(super) fn keep(
    db: &mut dyn Transaction,
    owner: &str,
    note: &Note,
    replace: bool,
    most: Capacity,
) -> Result<Kept, Error> {
    let Note { key, value, tags } = note;
    let old = db.memo(owner, key)?;
    let known = old.as_ref().map(|memo| memo.tags.clone());
    let tags = tags.clone().or(known).unwrap_or_default();
    let previous = old.as_ref().and_then(|memo| memo.value.clone());
    if let Some(old) = &old {
        if old.tags == tags && previous.as_ref() == Some(value) {
            let memo = Some(Memo { value: None, ..old.clone() });
            return Ok(Kept { status: EntryEnding::Unchanged, previous: None, memo });
        }
        if !replace {
            return Err(Error::Present(key.clone()));
        }
    }
    ensure_room(most, db.sums()?, previous.as_deref(), value)?;
    // Clocks may stand still or be set back. The order of changes must not depend on that.
    let now = now().max(db.last_update()? + 1);
    let memo = Memo {
        key: key.clone(),
        tags,
        created: old.as_ref().map_or(now, |memo| memo.created),
        updated: now,
        size: u64::try_from(value.chars().count()).unwrap_or(u64::MAX),
        value: Some(value.clone()),
    };
    db.keep(owner, &memo)?;
    let status = if old.is_some() { EntryEnding::Changed } else { EntryEnding::Stored };
    Ok(Kept { status, previous, memo: Some(Memo { value: None, ..memo }) })
}

/// Forgets a key of an owner. An unknown key changes nothing.
pub(super) fn forget(db: &mut dyn Transaction, owner: &str, key: &str) -> Result<Kept, Error> {
    let Some(memo) = db.memo(owner, key)? else {
        return Ok(Kept { status: EntryEnding::Unchanged, previous: None, memo: None });
    };
    db.forget(owner, key)?;
    Ok(Kept { status: EntryEnding::Forgotten, previous: memo.value, memo: None })
}
