//! Calls of tools of other servers: what a program asks for, and what comes of it.

use serde::{Deserialize, Serialize};

use super::code::FaultCode;
use crate::text::quote_one;

/// The most bytes of a message that comes from another server.
pub const MOST_MESSAGE: usize = 2 << 10;

/// A call of a tool of another server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// `UPSTREAM.TOOL`; the first period divides them.
    pub tool: String,
    /// The JSON text of an object.
    pub args: String,
}

/// Declares the reasons. Each row is: variant, text, description.
macro_rules! reasons {
    ($($name:ident $text:literal $doc:literal)*) => {
        /// Why a call that was sent, or could not be sent, has no value.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Reason {
            $(#[doc = $doc] $name,)*
        }

        impl Reason {
            /// All reasons, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The text in faults and in the journal, such as `tool-error`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// When a call ends so.
            #[must_use]
            pub fn description(self) -> &'static str {
                match self { $(Self::$name => $doc,)* }
            }
        }
    };
}

reasons! {
    Unavailable "unavailable" "Nobody reached the other server."
    ToolError "tool-error" "The tool of the other server says that it failed."
    RpcError "rpc-error" "The other server answered with an error of the protocol."
    Timeout "timeout" "The answer took longer than a call may take."
    TooLarge "too-large" "The arguments or the answer are larger than a call allows."
    Budget "budget" "The run has made all calls, or got all bytes, that a run may have."
    RateLimited "rate-limited" "The other server takes no more calls for now."
    Auth "auth" "The other server does not accept the credentials."
    NeedsLogin "needs-login" "The operator has to log in at the other server."
    BadOutput "bad-output" "The answer is not what the protocol or the tool's schema says."
    Declined "declined" "Somebody was asked and declined the call."
}

impl Reason {
    /// The reason with this text.
    #[must_use]
    pub fn find(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|reason| reason.name() == text)
    }
}

/// What came of one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum CallOutcome {
    /// The JSON text of its value.
    Value(String),
    /// It has none.
    Failed {
        /// Why.
        reason: Reason,
        /// What the other server says, or what went wrong; at most [`MOST_MESSAGE`] bytes.
        message: String,
    },
}

/// What came of one call, and how long it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// What came of it.
    pub outcome: CallOutcome,
    /// Milliseconds from sending to the answer.
    pub millis: u64,
}

/// The call that a fault is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailedCall {
    /// `UPSTREAM.TOOL`.
    pub tool: String,
    /// Why it has no value.
    pub reason: Reason,
}

/// A call that a run has made, as whoever asked for the run hears of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CallMade {
    /// `UPSTREAM.TOOL`.
    pub tool: String,
    /// `ok`, a reason, or `unknown`.
    pub outcome: String,
    /// How long it took.
    pub ms: u64,
    /// Bytes of the answer.
    pub bytes: usize,
}

/// Why none of the calls was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The place in the list of the call that is to blame.
    pub index: usize,
    /// `unknown-capability`, `malformed` or `capability-denied`.
    pub code: FaultCode,
    /// One sentence in lower case without a final period.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
}

impl Refusal {
    /// Nothing grants the first of these calls.
    #[must_use]
    pub fn denied(calls: &[Call]) -> Self {
        let tool = calls.first().map_or("", |call| call.tool.as_str());
        let message = format!("the capability {} is not granted", quote_one(tool));
        Self { index: 0, code: FaultCode::CapabilityDenied, message, hint: None }
    }
}

/// What a run may still use of the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Calls.
    pub calls: u64,
    /// Bytes of answers, all together.
    pub bytes: u64,
    /// Milliseconds of waiting.
    pub millis: u64,
}

/// What a tool of another server does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EffectClass {
    /// It only reads.
    Read,
    /// It changes something, and takes nothing away.
    Write,
    /// It may take something away.
    Destructive,
}

/// What the operator lets programs do with a tool of another server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grant {
    /// Nothing.
    Deny,
    /// Call it if it only reads.
    Read,
    /// Call it once somebody has approved the call.
    Ask,
    /// Call it.
    Allow,
}

/// Whether the definition of a tool of another server is the one that was approved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pin {
    /// It is.
    Approved,
    /// Nobody has approved one yet.
    Pending,
    /// It was another one.
    Changed,
}

/// What a tool of another server offers, as far as programs and models need it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// `UPSTREAM.TOOL`.
    pub name: String,
    /// A name for people.
    pub title: String,
    /// What the other server says of it.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: String,
    /// The JSON Schema of its value.
    pub output_schema: Option<String>,
    /// What it does to the world.
    pub class: EffectClass,
    /// What the operator grants.
    pub grant: Grant,
    /// Whether its definition is approved.
    pub pin: Pin,
    /// How to call it, on one line.
    pub signature: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_serialize_as_their_names() {
        for reason in Reason::ALL {
            let text = serde_json::to_string(reason).unwrap_or_default();
            assert_eq!(text, format!("\"{}\"", reason.name()));
            assert_eq!(Reason::find(reason.name()), Some(*reason));
        }
    }
}
