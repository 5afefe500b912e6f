//! The rules by which the state changes. A change and its entry of the journal are one write; the
//! store opens a transaction, and [`apply`] does the rest over rows.

mod journaled;
mod kept;
mod tools;

use super::change::{Change, Done, Effect, Refusal, Write};
use super::journal::{Entry, Settings, surplus};
use super::transaction::Transaction;

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
