//! An entry of the journal: what was asked for, what came of it, and the link of the chain.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use sha2::{Digest as _, Sha256};

use super::hash::{Hash, Link};
use super::settings::{Policy, Settings};
use crate::domain::{EntryEnding, EntryKind};
use crate::text::time::now;
/// Something that happened, to be journaled.
#[derive(Debug, Clone)]
pub struct Draft {
    /// What it is.
    pub kind: EntryKind,
    /// The tool, the name, the key that it is about.
    pub subject: Option<String>,
    /// How it ended.
    pub ending: EntryEnding,
    /// Fuel spent, if any was.
    pub fuel: Option<u64>,
    /// What was asked for.
    pub request: Value,
    /// What the machine asked meanwhile, and was told.
    pub answers: Vec<Answer>,
    /// What came of it.
    pub outcome: Value,
    /// Bytes of memory at the highest point.
    pub memory: u64,
    /// Pending evaluations at the highest point.
    pub depth: u32,
    /// Time from start to end, in microseconds.
    pub micros: u64,
}

impl Draft {
    /// A draft of something that ran no machine.
    #[must_use]
    pub fn new(kind: EntryKind, subject: Option<&str>, ending: EntryEnding) -> Self {
        Self {
            kind,
            subject: subject.map(str::to_owned),
            ending,
            fuel: None,
            request: Value::Null,
            answers: Vec::new(),
            outcome: Value::Null,
            memory: 0,
            depth: 0,
            micros: 0,
        }
    }

    /// A draft of a change, which says itself how it ended once it is made.
    #[must_use]
    pub fn of_change(kind: EntryKind, subject: &str) -> Self {
        Self::new(kind, Some(subject), EntryEnding::Unchanged)
    }

    /// The text of its entry's body.
    fn body(&self, settings: &Settings) -> String {
        let payload = |value: &Value| match settings.policy {
            _ if value.is_null() => None,
            Policy::None => None,
            Policy::Summary => Payload::keep(value, 0),
            Policy::Full => Payload::keep(value, settings.most_payload),
        };
        let body = Body {
            request: payload(&self.request),
            answers: self.answers.clone(),
            outcome: payload(&self.outcome),
            memory: self.memory,
            depth: self.depth.into(),
            micros: self.micros,
        };
        // Its parts are texts, numbers and JSON already.
        serde_json::to_string(&body).unwrap_or_else(|error| {
            tracing::error!(%error, "an entry could not be written down");
            "{}".to_owned()
        })
    }
}

/// What a machine, or the host on its behalf, asked during a run, and the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The source of a tool: the revision that was found.
    Tool(String, Option<String>),
    /// The output schema of the tool that gave the value: the change of the registry that has it.
    Schema(String, i64),
    /// A name close to one that is unknown.
    Similar(String, Option<String>),
    /// What came of an effect: its capability and argument, and the outcome as JSON text.
    Effect(String, String, String),
}

/// What an entry keeps of a request or an outcome: its JSON text, or the digest of that.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Payload(Box<RawValue>);

/// What is enough to tell a text from any other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Digest {
    /// Length of the text.
    pub bytes: usize,
    /// sha256 of the text, 64 hexadecimal digits.
    pub sha256: String,
}

impl Digest {
    /// The digest of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self { bytes: text.len(), sha256: Hash(Sha256::digest(text).into()).to_string() }
    }
}

impl Payload {
    /// Keeps a value, or its digest where its text is longer than `most` bytes.
    fn keep(value: &Value, most: usize) -> Option<Self> {
        let text = to_raw_value(value).ok()?;
        if text.get().len() > most {
            return to_raw_value(&Digest::of(text.get())).ok().map(Self);
        }
        Some(Self(text))
    }

    /// The JSON text.
    #[must_use]
    pub fn text(&self) -> &str {
        self.0.get()
    }

    /// The digest, if that is all there is.
    #[must_use]
    pub fn digest(&self) -> Option<Digest> {
        serde_json::from_str(self.text()).ok()
    }
}

/// The text of an entry.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Body {
    /// What was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Payload>,
    /// What the machine asked meanwhile, and was told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answer>,
    /// What came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Payload>,
    /// Bytes of memory at the highest point.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub memory: u64,
    /// Pending evaluations at the highest point.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub depth: u64,
    /// Time from start to end.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub micros: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_nothing(n: &u64) -> bool {
    *n == 0
}

/// An entry as it stands in the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its number: 1 more than that of the entry before.
    pub id: i64,
    /// When it was written, in milliseconds since 1970.
    pub time: i64,
    /// What it tells of: the name of an [`EntryKind`].
    pub kind: String,
    /// The tool, the name, the key that it is about.
    pub subject: Option<String>,
    /// How that ended, in a word.
    pub ending: String,
    /// Fuel spent.
    pub fuel: Option<i64>,
    /// sha256 of the evaluator.
    pub component: Option<String>,
    /// The text of a [`Body`].
    pub body: String,
    /// Bytes of all bodies up to and with this one.
    pub ends: i64,
    /// The link of the chain.
    pub hash: Hash,
}

impl Entry {
    /// The entry that follows where a chain stands.
    #[must_use]
    pub fn after(head: Link, draft: &Draft, settings: &Settings) -> Self {
        let body = draft.body(settings);
        let mut entry = Self {
            id: head.id + 1,
            time: now(),
            kind: draft.kind.name().to_owned(),
            subject: draft.subject.clone(),
            ending: draft.ending.name().to_owned(),
            fuel: draft.fuel.map(|fuel| i64::try_from(fuel).unwrap_or(i64::MAX)),
            component: (draft.kind == EntryKind::Run).then(|| settings.component.clone()),
            ends: head.ends.saturating_add(i64::try_from(body.len()).unwrap_or(i64::MAX)),
            body,
            hash: head.hash,
        };
        entry.hash = entry.link(head.hash);
        entry
    }

    /// The link of this entry to the one before: sha256 of that one's link and of every column of
    /// this one, each preceded by its length in bytes as 8 bytes, the lowest first. Numbers are
    /// written in decimal digits; what is missing has the length 2⁶⁴−1.
    #[must_use]
    pub fn link(&self, before: Hash) -> Hash {
        let mut sha = Sha256::new();
        let mut add = |column: Option<&str>| {
            let length = column.map_or(u64::MAX, |it| u64::try_from(it.len()).unwrap_or(u64::MAX));
            sha.update(length.to_le_bytes());
            sha.update(column.unwrap_or_default());
        };
        add(Some(&before.to_string()));
        add(Some(&self.id.to_string()));
        add(Some(&self.time.to_string()));
        add(Some(&self.kind));
        add(self.subject.as_deref());
        add(Some(&self.ending));
        add(self.fuel.map(|fuel| fuel.to_string()).as_deref());
        add(self.component.as_deref());
        add(Some(&self.body));
        add(Some(&self.ends.to_string()));
        Hash(sha.finalize().into())
    }
}
