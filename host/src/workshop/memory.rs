//! How the memory changes: with its entry in the journal, in one transaction.

use serde_json::{Value, json};

use super::{Workshop, stored};
use crate::domain::{EntryEnding, EntryKind, Excess, Fault, FaultCode, Limit, fault};
use crate::journal::{Digest, Draft};
use crate::memory::{Error, Kept, LONGEST_KEY, LONGEST_TAG, MOST_TAGS, Note};
use crate::store::{Durability, Transaction, now};
use crate::text::{self, quote_one};

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
        let done = self.store.write(Durability::Power, |db| {
            let (key, kept) = match change {
                Remember::Keep(note) => (note.key(), self.memory.keep(db, note, now())?),
                Remember::Forget(key) => (key.as_str(), self.memory.forget(db, key)?),
            };
            self.note(db, key, &kept, arguments)?;
            Ok::<_, Error>(kept)
        });
        done.map_err(unkept)
    }

    /// Keeps what a file remembers, within its transaction. What is here under one of its keys is
    /// changed only if `replace` says so.
    pub(super) fn take(
        &self,
        db: &Transaction<'_>,
        note: &Note,
        arguments: &str,
        replace: bool,
    ) -> Result<Kept, Fault> {
        let kept = self.memory.keep(db, note, now()).map_err(unkept)?;
        if kept.status == EntryEnding::Changed && !replace {
            let key = quote_one(note.key());
            let message =
                format!("{key} is in the memory already, with another value or other tags");
            let hint = "`--replace` takes what the file has";
            return Err(fault(FaultCode::Malformed, message, Some(hint)));
        }
        self.note(db, note.key(), &kept, arguments).map_err(unkept)?;
        Ok(kept)
    }

    fn note(
        &self,
        db: &Transaction<'_>,
        key: &str,
        kept: &Kept,
        arguments: &str,
    ) -> Result<(), Error> {
        let key = text::line(key, LONGEST_KEY);
        let mut draft = Draft::new(EntryKind::Memory, Some(&key), kept.status);
        draft.request = json!({ "arguments": arguments });
        draft.outcome = told(kept);
        self.journal.add(db, &draft)?;
        Ok(())
    }
}

/// What the journal tells of a change: the value itself is in the request.
fn told(kept: &Kept) -> Value {
    let mut told = json!({ "status": kept.status.name() });
    if let (Some(previous), Some(members)) = (&kept.previous, told.as_object_mut()) {
        members.insert("previous".to_owned(), json!(Digest::of(previous)));
    }
    told
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
        Error::Blank(_) | Error::Hidden { .. } => "use letters, digits and signs that can be seen",
        Error::Long { .. } | Error::Tags(_) => &format!(
            "a key has {LONGEST_KEY} characters at most, a tag {LONGEST_TAG}; a key has {MOST_TAGS} tags"
        ),
    };
    fault(FaultCode::Malformed, error.to_string(), Some(hint))
}
