//! An entry of the journal: the request, the outcome and the link of the chain.

use std::fmt;

use pif_domain::text::time::now;
use pif_domain::{EntryEnding, EntryKind, Reason};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use sha2::{Digest as _, Sha256};

use super::settings::{Policy, Settings};

/// An entry that is not written yet.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The kind of event.
    pub kind: EntryKind,
    /// The tool or the memory key.
    pub subject: Option<String>,
    /// The ending.
    pub ending: EntryEnding,
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
    pub fn new(kind: EntryKind, subject: Option<&str>, ending: EntryEnding) -> Self {
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
            outcome: Value::Null,
            memory: 0,
            depth: 0,
            micros: 0,
        }
    }

    /// A draft of a change. Its ending is set when the change is made.
    #[must_use]
    pub fn of_change(kind: EntryKind, subject: &str) -> Self {
        Self::new(kind, Some(subject), EntryEnding::Unchanged)
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

/// A question of the machine, or of the host for it, during a run, with its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The look-up of a tool: its name, and the hash of the revision if it exists.
    Tool(String, Option<String>),
    /// The output schema of the tool that returned the value: the tool's name, and the registry
    /// change that holds the schema.
    Schema(String, i64),
    /// The output schema of a staged tool that returned the value: the tool's name, and the digest of
    /// the schema, whose text is kept beside the entry.
    StagedSchema(String, Digest),
    /// The existing name that is closest to an unknown one.
    Similar(String, Option<String>),
    /// What came of calls of other servers' tools, in their order.
    Calls(Vec<Made>),
    /// Why calls were not sent.
    Refused(Vec<Asked>, Refused),
    /// A binding of the session that the code names, and the hash of its term.
    Binding(String, String),
}

impl Answer {
    /// Whether it tells of calls of which nobody knows yet what came.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self, Self::Calls(made)
            if made.iter().any(|it| it.outcome == Came::Unknown))
    }
}

/// A call that a run asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// `UPSTREAM.TOOL`.
    pub tool: String,
    /// What it is applied to: the text is kept beside the entry.
    pub args: Digest,
    /// Whether its value is the whole result.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub raw: bool,
}

/// A call that was sent, or for which there was no budget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Made {
    /// The call.
    #[serde(flatten)]
    pub asked: Asked,
    /// What came of it.
    pub outcome: Came,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// The whole result, where the value leaves some of it out: the text is kept beside the entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<Digest>,
    /// How the answer differs from what its server promises.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

impl Made {
    /// A call of which nothing is known yet.
    #[must_use]
    pub fn new(asked: Asked) -> Self {
        Self { asked, outcome: Came::Unknown, ms: 0, whole: None, warning: None }
    }
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Came {
    /// Nobody knows: the run ended before the answer came.
    Unknown,
    /// A value: the text is kept beside the entry.
    Value(Digest),
    /// None.
    Failed {
        /// Why.
        reason: Reason,
        /// What the other server says, or what went wrong.
        message: String,
        /// What it told beside: the text is kept beside the entry.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<Digest>,
    },
}

impl Came {
    /// In a word: `ok`, a reason, or `unknown`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Value(_) => "ok",
            Self::Failed { reason, .. } => reason.name(),
        }
    }
}

/// Why calls were not sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// The place in the list of the call that is to blame.
    pub index: usize,
    /// The code of the fault.
    pub code: String,
    /// One sentence.
    pub message: String,
    /// What to write instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Answers as an entry keeps them: what others say goes the way of all payloads.
fn kept(answers: &[Answer], policy: Policy) -> Vec<Answer> {
    let mut kept = answers.to_vec();
    let made = kept.iter_mut().filter_map(|answer| match answer {
        Answer::Calls(made) if policy != Policy::Full => Some(made),
        _ => None,
    });
    for made in made.flatten() {
        made.warning = None;
        if let Came::Failed { message, .. } = &mut made.outcome {
            message.clear();
        }
    }
    kept
}

/// A request or an outcome in an entry: its JSON text, or the digest of that.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Payload(Box<RawValue>);

/// The digest of a text. It identifies the text.
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
    /// Its number: one more than that of the previous entry.
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
}

impl Entry {
    /// The entry of `draft` that follows `head` in the chain.
    #[must_use]
    pub fn after(head: Link, draft: &Draft, settings: &Settings) -> Self {
        let body = draft.body(settings);
        let bytes = body.len() + draft.texts(settings).iter().map(String::len).sum::<usize>();
        let mut entry = Self {
            id: head.id + 1,
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

/// A link of the chain: sha256.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Hash(pub [u8; 32]);

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: [char; 16] =
            ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
        let digit = |n: u8| DIGITS.get(usize::from(n)).copied().unwrap_or_default();
        let mut text = String::with_capacity(2 * self.0.len());
        for byte in self.0 {
            text.extend([digit(byte >> 4), digit(byte & 15)]);
        }
        f.write_str(&text)
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A position in the chain, after an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// The number of the entry; 0 before the first.
    pub id: i64,
    /// The sum of all bodies' lengths up to there, in bytes.
    pub ends: i64,
    /// The entry's hash.
    pub hash: Hash,
}
