//! What a run asked, and what it was told: the answers that entries and unfinished runs hold.

use std::fmt;

use pif_domain::Reason;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::settings::Policy;
use crate::error::Error as StoreError;

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
    Calls(Vec<SentCall>),
    /// Why calls were not sent.
    Refused(Vec<RequestedCall>, CallRefusal),
    /// A call had failed in a `retry`: the milliseconds that passed before it was tried again; None: it
    /// was not.
    Waited(Option<u64>),
    /// A step of the program began, which has this name.
    Enter(String),
    /// The innermost step of the program ended.
    Leave(Left),
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
pub struct RequestedCall {
    /// `UPSTREAM.TOOL`.
    pub tool: String,
    /// What it is applied to: the text is kept beside the entry.
    pub args: Digest,
    /// Whether its value is the whole result.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub raw: bool,
}

/// What somebody said of a call of which nobody knew what it had done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// It is made again.
    Retry,
    /// The run goes on without a value.
    Skip,
    /// It was done, and this is its value.
    Done,
}

/// A call that was sent, or for which there was no budget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentCall {
    /// The call.
    #[serde(flatten)]
    pub asked: RequestedCall,
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
    /// What somebody said of it, where nobody knew what came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided: Option<Decision>,
}

impl SentCall {
    /// A call of which nothing is known yet.
    #[must_use]
    pub fn new(asked: RequestedCall) -> Self {
        Self { asked, outcome: Came::Unknown, ms: 0, whole: None, warning: None, decided: None }
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

/// A step of a program that has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// What it spent.
    pub fuel: u64,
    /// Whether a fault has ended it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// What it came to, unless a run has to evaluate it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub came: Option<Passage>,
    /// Whether the run went on elsewhere, and did not evaluate it again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub passed: bool,
}

/// What a step came to, beside what it spent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// The canonical term of its value: the text is kept beside the entry.
    pub value: Digest,
    /// How many calls it made.
    pub calls: u32,
    /// Lines written by `trace`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<String>,
    /// Tools whose functions were made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Terms of `try` that had a value, by their numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trials: Vec<u32>,
    /// Steps that began in it.
    #[serde(default)]
    pub steps: u32,
}

/// Why calls were not sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallRefusal {
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
pub(super) fn kept(answers: &[Answer], policy: Policy) -> Vec<Answer> {
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

    /// Gives a text that a store has kept. It is refused if its sha256 is another one.
    pub fn verified(text: String, sha256: &str) -> Result<String, StoreError> {
        if Self::of(&text).sha256 == sha256 {
            return Ok(text);
        }
        Err(StoreError::Altered { tool: "a kept text".to_owned(), hash: sha256.to_owned() })
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
