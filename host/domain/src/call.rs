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
    /// Whether its value is the whole result.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_raw: bool,
}

/// What is known of a call that has no value: whether the other server did something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Nothing was sent.
    NotSent,
    /// It was sent, and the other server says that it did not do it.
    Refused,
    /// It was sent, and nobody knows what the other server did.
    Unknown,
    /// It was done, and the answer cannot be used.
    Done,
}

impl Stage {
    /// One sentence for people.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::NotSent => "not sent",
            Self::Refused => "sent, and refused",
            Self::Unknown => "sent, and what it did is unknown",
            Self::Done => "sent, and probably done",
        }
    }
}

/// Declares the reasons. Each row is: variant, text, stage, description.
macro_rules! reasons {
    ($($name:ident $text:literal $stage:ident $doc:literal)*) => {
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

            /// What is known of the call.
            #[must_use]
            pub fn stage(self) -> Stage {
                match self { $(Self::$name => Stage::$stage,)* }
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
    Unavailable "unavailable" NotSent "The other server could not be reached."
    BadInput "bad-input" NotSent "The arguments are larger than a call allows."
    Budget "budget" NotSent "The run has made all calls that a run may have."
    Declined "declined" NotSent "Somebody was asked and declined the call."
    ToolError "tool-error" Refused "The tool of the other server says that it failed."
    RpcError "rpc-error" Refused "The other server answered with an error of the protocol."
    RateLimited "rate-limited" Refused "The other server takes no more calls for now."
    Auth "auth" Refused "The other server does not accept the credentials."
    NeedsLogin "needs-login" Refused "The operator has to log in at the other server."
    Timeout "timeout" Unknown "The answer took longer than a call may take."
    Lost "lost" Unknown "The connection ended before the answer came."
    Skipped "skipped" Unknown "Nobody knows what came of it, and somebody decided to go on without."
    TooLarge "too-large" Done "The answer, or all answers of a run, are larger than is allowed."
    BadOutput "bad-output" Done "The answer is not what the protocol says."
}

impl Reason {
    /// The reason of a call that was not sent because of what happened to another one.
    #[must_use]
    pub fn before_sending(self) -> Self {
        match self.stage() {
            Stage::NotSent | Stage::Refused => self,
            Stage::Unknown | Stage::Done => Self::Unavailable,
        }
    }

    /// Whether the world was in the way, so that the same call may have an answer later.
    #[must_use]
    pub fn is_no_answer(self) -> bool {
        matches!(
            self,
            Self::Unavailable
                | Self::RateLimited
                | Self::Auth
                | Self::NeedsLogin
                | Self::Timeout
                | Self::Lost
        )
    }

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
    Failed(Failure),
}

/// Why a call has no value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The kind.
    pub reason: Reason,
    /// What the other server says, or what went wrong; at most [`MOST_MESSAGE`] bytes.
    pub message: String,
    /// The JSON text of what the other server told beside the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

impl Failure {
    /// A failure of which nothing is known but this.
    #[must_use]
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into(), value: None }
    }
}

impl From<Failure> for CallOutcome {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// What an answer holds beside its value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Remarks {
    /// The JSON text of the whole result, where the value leaves some of it out.
    pub whole: Option<String>,
    /// How the answer differs from what its server promises.
    pub warning: Option<String>,
    /// For how many milliseconds the server takes no more calls, if it says so.
    pub after: Option<u64>,
}

/// What came of one call, and how long it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallResult {
    /// What came of it.
    pub outcome: CallOutcome,
    /// Milliseconds from sending to the answer.
    pub millis: u64,
    /// What the answer holds beside.
    pub beside: Remarks,
}

impl CallResult {
    /// An answer that holds nothing else.
    #[must_use]
    pub fn new(outcome: impl Into<CallOutcome>, millis: u64) -> Self {
        Self { outcome: outcome.into(), millis, beside: Remarks::default() }
    }
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
pub struct CallSummary {
    /// `UPSTREAM.TOOL`.
    pub tool: String,
    /// `ok`, a reason, or `unknown`.
    pub outcome: String,
    /// How long it took.
    pub ms: u64,
    /// Bytes of the answer.
    pub bytes: usize,
    /// How the answer differs from what its server promises.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
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
    /// It changes something, and an equal call after it changes nothing more.
    Idempotent,
    /// It changes something, and takes nothing away.
    Write,
    /// It may take something away.
    Destructive,
}

impl EffectClass {
    /// Whether a call may be made again though nobody knows whether it was done.
    #[must_use]
    pub fn is_repeatable(self) -> bool {
        matches!(self, Self::Read | Self::Idempotent)
    }

    /// What it does, in a word or two.
    #[must_use]
    pub fn verb(self) -> &'static str {
        match self {
            Self::Read => "reads",
            Self::Idempotent => "writes, and may be repeated",
            Self::Write => "writes",
            Self::Destructive => "may destroy",
        }
    }
}

/// What the operator lets programs do with a tool of another server. The strictest comes first: of two
/// grants for a tool the less counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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

impl Grant {
    /// Its name in the configuration.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Read => "read",
            Self::Ask => "ask",
            Self::Allow => "allow",
        }
    }

    /// Whether programs may call a tool of a class.
    #[must_use]
    pub const fn access(self, class: EffectClass) -> Access {
        match (self, class) {
            (Self::Allow, _) | (Self::Read, EffectClass::Read) => Access::Granted,
            (Self::Ask, _) => Access::Asks,
            (Self::Deny | Self::Read, _) => Access::Denied,
        }
    }
}

/// Whether programs may call a tool, by its grant and its class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// They may.
    Granted,
    /// Somebody has to approve each call first.
    Asks,
    /// They may not.
    Denied,
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

impl Offer {
    /// Whether programs may call it, if its definition is approved.
    #[must_use]
    pub const fn access(&self) -> Access {
        self.grant.access(self.class)
    }

    /// Whether a call of a tool may be made again though nobody knows what it has done, by what is
    /// offered.
    #[must_use]
    pub fn may_repeat(offers: &[Self], tool: &str) -> bool {
        offers.iter().any(|it| it.name == tool && it.class.is_repeatable())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grants_serialize_as_their_names() {
        for grant in [Grant::Deny, Grant::Read, Grant::Ask, Grant::Allow] {
            let text = serde_json::to_string(&grant).unwrap_or_default();
            assert_eq!(text, format!("\"{}\"", grant.name()));
        }
    }

    #[test]
    fn reasons_serialize_as_their_names() {
        for reason in Reason::ALL {
            let text = serde_json::to_string(reason).unwrap_or_default();
            assert_eq!(text, format!("\"{}\"", reason.name()));
            assert_eq!(Reason::find(reason.name()), Some(*reason));
        }
    }
}
