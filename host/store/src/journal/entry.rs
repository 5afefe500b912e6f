//! An entry of the journal: the request, the outcome and the link of the chain.

use std::time::Duration;

use pif_domain::text::time::now;
use pif_domain::{EntryKind, EntryOutcome};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use sha2::{Digest as _, Sha256};

use super::answer::{Answer, Digest, Hash, kept};
use super::durable::RunEnd;
use super::pending::{Pending, RunProgress};
use super::settings::{Policy, Settings};

/// An entry that is not written yet.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The kind of event.
    pub kind: EntryKind,
    /// The tool or the memory key.
    pub subject: Option<String>,
    /// The ending.
    pub ending: EntryOutcome,
    /// Fuel spent, if any was.
    pub fuel: Option<u64>,
    /// The request.
    pub request: Value,
    /// The questions of the run and their answers.
    pub answers: Vec<Answer>,
    /// Texts of which the answers hold the digests.
    pub texts: Vec<String>,
    /// Hashes of the terms that the answers name, which the store has already.
    pub pins: Vec<String>,
    /// What the store keeps of the run as long as it has not ended.
    pub pending: Option<i64>,
    /// What the store keeps of it from then on.
    pub ended: Option<Box<RunProgress>>,
    /// The outcome.
    pub outcome: Value,
    /// The peak memory, in bytes.
    pub memory: u64,
    /// The peak number of pending evaluations.
    pub depth: u32,
    /// Time from start to end, in microseconds.
    pub micros: u64,
}

impl Draft {
    /// A draft of an event without a run.
    #[must_use]
    pub fn new(kind: EntryKind, subject: Option<&str>, ending: EntryOutcome) -> Self {
        Self {
            kind,
            subject: subject.map(str::to_owned),
            ending,
            fuel: None,
            request: Value::Null,
            answers: Vec::new(),
            texts: Vec::new(),
            pins: Vec::new(),
            pending: None,
            ended: None,
            outcome: Value::Null,
            memory: 0,
            depth: 0,
            micros: 0,
        }
    }

    /// A draft of a change. Its ending is set when the change is made.
    #[must_use]
    pub fn of_change(kind: EntryKind, subject: &str) -> Self {
        Self::new(kind, Some(subject), EntryOutcome::Unchanged)
    }

    /// The texts that are kept beside its entry.
    #[must_use]
    pub fn texts(&self, settings: &Settings) -> &[String] {
        if settings.policy == Policy::Full { &self.texts } else { &[] }
    }

    /// The hashes of the terms that stay as long as its entry.
    #[must_use]
    pub fn pins(&self, settings: &Settings) -> &[String] {
        if settings.policy == Policy::Full { &self.pins } else { &[] }
    }

    /// What the store keeps of the run, which has ended with the entry of this number.
    pub(crate) fn kept(&self, number: i64, settings: &Settings) -> Option<Pending> {
        let (id, kept) = (self.pending?, self.ended.as_deref()?.clone());
        let end = kept.ended.map(|end| RunEnd { entry: number, ..end });
        let until = kept.durable.as_ref().map_or(0, |durable| durable.until);
        let kept = RunProgress { ended: end, ..kept };
        Some(Pending { until, ..kept.keep(Some(id), Duration::ZERO, settings, &settings.holder) })
    }

    /// The JSON text of the entry's body.
    fn body(&self, settings: &Settings) -> String {
        let payload = |value: &Value| match settings.policy {
            _ if value.is_null() => None,
            Policy::None => None,
            Policy::Summary => Payload::keep(value, 0),
            Policy::Full => Payload::keep(value, settings.most_payload),
        };
        let body = Body {
            request: payload(&self.request),
            answers: kept(&self.answers, settings.policy),
            outcome: payload(&self.outcome),
            memory: self.memory,
            depth: self.depth.into(),
            micros: self.micros,
        };
        // This cannot fail: all parts are text, numbers and JSON already.
        serde_json::to_string(&body).unwrap_or_else(|error| {
            tracing::error!(%error, "an entry could not be written down");
            "{}".to_owned()
        })
    }
}

/// A request or an outcome in an entry: its JSON text, or the digest of that.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Payload(Box<RawValue>);

impl Payload {
    /// Keeps a value as JSON text, or its digest if the text is longer than `most` bytes.
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

    /// The digest; None if the text was kept.
    #[must_use]
    pub fn digest(&self) -> Option<Digest> {
        serde_json::from_str(self.text()).ok()
    }
}

/// The body of an entry.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Body {
    /// The request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Payload>,
    /// The questions of the run and their answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answer>,
    /// The outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Payload>,
    /// The peak memory, in bytes.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub memory: u64,
    /// The peak number of pending evaluations.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub depth: u64,
    /// Time from start to end, in microseconds.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub micros: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_nothing(n: &u64) -> bool {
    *n == 0
}

/// A written entry of the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its number in the store: greater than that of the previous entry of its chain.
    pub id: i64,
    /// When it was written, in milliseconds since 1970.
    pub time: i64,
    /// The kind of event: the name of an [`EntryKind`].
    pub kind: String,
    /// The tool or the memory key.
    pub subject: Option<String>,
    /// The ending, as one word.
    pub ending: String,
    /// Fuel spent.
    pub fuel: Option<i64>,
    /// sha256 of the evaluator.
    pub component: Option<String>,
    /// The JSON text of a [`Body`].
    pub body: String,
    /// The sum of the lengths of all bodies up to and including this one, and of the texts kept
    /// beside them, in bytes.
    pub ends: i64,
    /// The link of the chain.
    pub hash: Hash,
    /// Who it belongs to; None: the local user.
    pub principal: Option<String>,
    /// The chain that it belongs to.
    pub chain: i64,
}

impl Entry {
    /// The entry of `draft` that follows `head` in its chain, with the number `id`.
    #[must_use]
    pub fn after(head: Link, id: i64, draft: &Draft, settings: &Settings) -> Self {
        let body = draft.body(settings);
        let bytes = body.len() + draft.texts(settings).iter().map(String::len).sum::<usize>();
        let mut entry = Self {
            id,
            time: now(),
            kind: draft.kind.name().to_owned(),
            subject: draft.subject.clone(),
            ending: draft.ending.name().to_owned(),
            fuel: draft.fuel.map(|fuel| i64::try_from(fuel).unwrap_or(i64::MAX)),
            component: (draft.kind == EntryKind::Run).then(|| settings.component.clone()),
            ends: head.ends.saturating_add(i64::try_from(bytes).unwrap_or(i64::MAX)),
            body,
            hash: head.hash,
            principal: (!settings.principal.is_empty()).then(|| settings.principal.to_string()),
            chain: head.chain,
        };
        entry.hash = entry.link(head.hash);
        entry
    }

    /// The hash of this entry: sha256 of the previous hash and of every column of this entry. Each
    /// is preceded by its length in bytes as a little-endian 64-bit integer. Numbers are in decimal
    /// digits. A missing column has the length 2⁶⁴−1. The principal comes last, if there is one.
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
        if let Some(principal) = &self.principal {
            add(Some(principal));
        }
        Hash(sha.finalize().into())
    }
}

/// The chain of a store that one process after another writes. Its numbers have no gaps.
pub const ONLY_CHAIN: i64 = 0;

/// A position in a chain, after an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// The number of the chain.
    pub chain: i64,
    /// The number of the entry; 0 before the first.
    pub id: i64,
    /// The sum of all bodies' lengths up to there, in bytes.
    pub ends: i64,
    /// The entry's hash.
    pub hash: Hash,
}

impl Link {
    /// The position before the first entry of a chain.
    #[must_use]
    pub fn start(chain: i64) -> Self {
        Self { chain, id: 0, ends: 0, hash: Hash([0; 32]) }
    }

    /// The position after an entry.
    #[must_use]
    pub fn after(entry: &Entry) -> Self {
        Self { chain: entry.chain, id: entry.id, ends: entry.ends, hash: entry.hash }
    }
}
