//! Conversations with a language model.

use serde::{Deserialize, Serialize};

/// Who says a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    /// Whoever sets the rules of the conversation.
    System,
    /// Whoever asks.
    User,
    /// The model.
    Assistant,
}

/// A message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// Who says it.
    pub role: Speaker,
    /// Its text.
    pub content: String,
}

/// How much a model is to think before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Thinking {
    /// Little.
    Low,
    /// As usual.
    Medium,
    /// Much.
    High,
}

impl Thinking {
    /// All levels with their names, the least first.
    pub const ALL: [(Self, &str); 3] =
        [(Self::Low, "low"), (Self::Medium, "medium"), (Self::High, "high")];
}

/// What a model answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Completion {
    /// Its text.
    pub text: String,
    /// The model that answered.
    pub model: String,
    /// The tokens of the conversation and of the answer.
    pub tokens: u64,
}

/// The tokens of a text of so many bytes, where nobody has counted them: four bytes each.
#[must_use]
pub fn estimated_tokens(bytes: usize) -> u64 {
    u64::try_from(bytes.div_ceil(4)).unwrap_or(u64::MAX)
}
