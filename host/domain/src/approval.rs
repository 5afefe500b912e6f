//! Approvals: what somebody is asked before a call is made whose grant is `ask`, and what comes of
//! the question.

use serde::{Deserialize, Serialize};

use crate::text::quote_one;

use super::call::{Call, EffectClass, Refusal};

/// Who approved a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Approval {
    /// A person, this call once.
    Once,
    /// The model, where the operator lets it.
    Model,
}

/// What somebody answers who is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// Make these calls.
    Once,
    /// Make these calls, and others of the same tools in this run.
    Run,
    /// Make none of them.
    Decline,
}

impl Choice {
    /// All choices with their texts, as forms show them.
    pub const ALL: [(Self, &'static str, &'static str); 3] = [
        (Self::Once, "once", "Allow once"),
        (Self::Run, "run", "Allow for this run"),
        (Self::Decline, "decline", "Decline"),
    ];

    /// The choice with this text.
    #[must_use]
    pub fn find(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, name, _)| *name == text).map(|(choice, ..)| choice)
    }
}

/// A choice, and who made it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// What was chosen.
    pub choice: Choice,
    /// By whom.
    pub by: Approval,
}

/// A call that nobody has approved yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Need {
    /// Its place among the calls that were judged together.
    pub index: usize,
    /// What the tool does to the world.
    pub class: EffectClass,
    /// Whether the model may approve it.
    pub model: bool,
}

/// A call as it is shown to whoever is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallPreview {
    /// The call.
    #[serde(flatten)]
    pub call: Call,
    /// What the tool does to the world.
    pub class: EffectClass,
    /// Whether the model may approve it.
    pub model: bool,
}

/// Why no call was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotSent {
    /// Something is wrong with one of them.
    Refused(Refusal),
    /// These need an approval, and nothing is wrong with any.
    Asks(Vec<Need>),
}

impl From<Refusal> for NotSent {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl NotSent {
    /// The refusal where nobody can be asked.
    #[must_use]
    pub fn refusal(self, calls: &[Call]) -> Refusal {
        let index = match self {
            Self::Refused(refusal) => return refusal,
            Self::Asks(needs) => needs.first().map_or(0, |need| need.index),
        };
        let tool = calls.get(index).map_or("", |call| call.tool.as_str());
        let tool = quote_one(tool);
        let message = format!("a call of {tool} needs an approval, and nobody can be asked here");
        let hint = "the operator grants it in capabilities.json: \"allow\" instead of \"ask\"";
        Refusal { index, message, hint: Some(hint.to_owned()), ..Refusal::denied(calls) }
    }
}
