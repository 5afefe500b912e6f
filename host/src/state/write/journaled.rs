//! What the journal is told of a change: how it ended, and what came of it.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::domain::EntryEnding;
use crate::state::change::{Change, Effect};
use crate::state::journal::{Digest, Draft};
use crate::state::memory::Kept;
use crate::state::registry::Status;

/// The draft of an entry with what a change has done.
pub(super) fn complete<'a>(draft: &'a Draft, change: &Change, effect: &Effect) -> Cow<'a, Draft> {
    let (ending, outcome) = match effect {
        Effect::None => return Cow::Borrowed(draft),
        Effect::Evolved(status) => (status.ending(), revision(hash(change), status)),
        Effect::RolledBack(tool, status) => (status.ending(), revision(&tool.hash, status)),
        Effect::Retired(tool) => (EntryEnding::Retired, json!({ "revision": tool.hash })),
        Effect::Kept(kept) => (kept.status, remembered(kept)),
    };
    Cow::Owned(Draft { ending, outcome, ..draft.clone() })
}

/// The term that a change asks for.
fn hash(change: &Change) -> &str {
    match change {
        Change::Evolve(evolution) => &evolution.hash,
        Change::Take(taken) => &taken.evolution.hash,
        Change::None
        | Change::RollBack { .. }
        | Change::Retire { .. }
        | Change::Keep { .. }
        | Change::Forget { .. } => "",
    }
}

fn revision(hash: &str, status: &Status) -> Value {
    let mut told = json!({ "revision": hash });
    if let (Status::Changed(previous), Some(members)) = (status, told.as_object_mut()) {
        members.insert("previous".to_owned(), previous.as_str().into());
    }
    told
}

/// The value itself is in the request.
fn remembered(kept: &Kept) -> Value {
    let mut told = json!({ "status": kept.status.name() });
    if let (Some(previous), Some(members)) = (&kept.previous, told.as_object_mut()) {
        members.insert("previous".to_owned(), json!(Digest::of(previous)));
    }
    told
}
