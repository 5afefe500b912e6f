//! How the memory changes: with its entry in the journal, in one transaction.

use serde_json::json;

use super::{Workshop, stored, unwritten};
use crate::domain::{EntryKind, Excess, Fault, FaultCode, Limit, fault};
use crate::journal::Draft;
use crate::memory::{Error, Kept, LONGEST_KEY, LONGEST_TAG, MOST_TAGS, Note};
use crate::state::{Change, Effect, Refusal, Write};
use crate::text;

/// A change of the memory.
#[derive(Debug, Clone)]
pub enum Remember {
    /// Keeps a value under a key.
    Keep(Note),
    /// Forgets a key, if it is known.
    Forget(String),
}

impl Workshop {
    /// Changes the memory. `arguments` is what was asked for, as text.
    pub fn remember(&self, change: &Remember, arguments: &str) -> Result<Kept, Fault> {
        let write = match change {
            Remember::Keep(note) => keeping(note.clone(), true, arguments),
            Remember::Forget(key) => {
                Write { change: Change::Forget { key: key.clone() }, entry: draft(key, arguments) }
            }
        };
        let done = self.journal.commit_one(write).map_err(unwritten)?;
        match done.effect {
            Effect::Kept(kept) => Ok(kept),
            _ => Err(unwritten(Refusal::CONFUSED)),
        }
    }
}

/// Keeps a value. What is there under its key is changed only if `replace` says so.
pub(super) fn keeping(note: Note, replace: bool, arguments: &str) -> Write {
    let entry = draft(note.key(), arguments);
    Write { change: Change::Keep { note, replace }, entry }
}

fn draft(key: &str, arguments: &str) -> Draft {
    let mut draft = Draft::of_change(EntryKind::Memory, &text::line(key, LONGEST_KEY));
    draft.request = json!({ "arguments": arguments });
    draft
}

/// What a caller learns when the memory refuses something.
#[must_use]
pub fn unkept(error: Error) -> Fault {
    let full = |name, used, limit| {
        let hint = "forget a key that you no longer need: {\"key\": …, \"forget\": true}";
        let excess = Excess { name, used, limit };
        fault(FaultCode::TooLarge, error.to_string(), Some(hint)).by(Some(excess))
    };
    let hint = match error {
        Error::Store(error) => return stored(error),
        Error::Keys { used, most } => return full(Limit::MemoryKeys, used, most),
        Error::Bytes { used, most } => return full(Limit::MemoryBytes, used, most),
        Error::Present(_) => "`--replace` takes what the file has",
        Error::Blank(_) | Error::Hidden { .. } => "use letters, digits and signs that can be seen",
        Error::Long { .. } | Error::Tags(_) => &format!(
            "a key has {LONGEST_KEY} characters at most, a tag {LONGEST_TAG}; a key has {MOST_TAGS} tags"
        ),
    };
    fault(FaultCode::Malformed, error.to_string(), Some(hint))
}
