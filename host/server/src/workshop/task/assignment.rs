//! The task for which a model writes a program. A replay reads it from the journal, so it holds all that a
//! prompt tells.

use pif_domain::Thinking;
use serde::{Deserialize, Serialize};

/// The programs of a task, unless whoever asks says another number.
pub const USUAL_LOOPS: u64 = 5;

/// The most programs of a task.
pub const MOST_LOOPS: u64 = 50;

/// What a model is to write a program for. JSON stays text.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assignment {
    /// What is wanted, in words.
    pub task: String,
    /// What the program is applied to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    /// A record whose members are variables of the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// What there is to know besides, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background: Option<String>,
    /// A JSON Schema of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<String>,
    /// What the program gives for other data.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<GivenExample>,
    /// The most programs that are tried.
    pub max_loops: u64,
    /// How much the model is to think.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<Thinking>,
    /// Whether programs may call tools of other servers that change something.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_writes: bool,
    /// The snapshot whose tools programs have, and which gets the program that solves the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<i64>,
    /// The tokens of all conversations.
    pub most_tokens: u64,
    /// The milliseconds of the whole task.
    pub most_millis: u64,
    /// The tools that programs can use, a line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// The tools of other servers that programs may call, a line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub upstream: Vec<String>,
}

/// The most bytes of a task in words, and of what there is to know besides.
const MOST_WORDS: usize = 64 << 10;

impl Assignment {
    /// Bytes of data, variables and examples together.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let own = [&self.data, &self.context].into_iter().flatten().map(String::len);
        own.chain(self.examples.iter().map(|it| it.data.len() + it.output.len())).sum()
    }

    /// Whether the words of a task are so many that no prompt has room for them.
    #[must_use]
    pub fn is_wordy(&self) -> bool {
        let background = self.background.as_ref().map_or(0, String::len);
        let schema = self.output_schema.as_ref().map_or(0, String::len);
        [self.task.len(), background, schema].iter().any(|bytes| *bytes > MOST_WORDS)
    }
}

/// Data, and what the program gives for them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GivenExample {
    /// What the program is applied to.
    pub data: String,
    /// The value that is wanted.
    pub output: String,
}
