//! Changes the memory and writes the journal entry in one transaction.

use pif_domain::text;
use pif_domain::{EntryKind, Fault};
use pif_store::journal::Draft;
use pif_store::memory::{LONGEST_KEY, MemoryChange, Note};
use pif_store::{Change, Effect, Refusal, Write};
use serde_json::json;

use super::opening::Workshop;
use super::refusal::unwritten;

/// A change of the memory.
#[derive(Debug, Clone)]
pub enum Remember {
    /// Keeps a value under a key.
    Keep(Note),
    /// Counts whether the value of a key helped.
    Outcome {
        /// The key.
        key: String,
        /// Whether it helped.
        helped: bool,
    },
    /// Forgets a key. An unknown key changes nothing.
    Forget(String),
}

impl Workshop {
    /// Changes the memory. `arguments` is the text of the request.
    pub fn remember(&self, change: &Remember, arguments: &str) -> Result<MemoryChange, Fault> {
        let write = match change {
            Remember::Keep(note) => keeping(note.clone(), true, arguments),
            Remember::Outcome { key, helped } => Write {
                change: Change::Outcome { key: key.clone(), helped: *helped },
                entry: draft(key, arguments),
            },
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

/// The write that keeps a value. An existing value is replaced only if `replace` is set.
pub(super) fn keeping(note: Note, replace: bool, arguments: &str) -> Write {
    let entry = draft(note.key(), arguments);
    Write { change: Change::Keep { note, replace }, entry }
}

fn draft(key: &str, arguments: &str) -> Draft {
    let mut draft = Draft::of_change(EntryKind::Memory, &text::line(key, LONGEST_KEY));
    draft.request = json!({ "arguments": arguments });
    draft
}
