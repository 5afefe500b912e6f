//! The protocol between the server and its broker, over one pair of pipes.
//!
//! A frame is its length in bytes (four bytes, the highest first, at most [`MOST_FRAME`]) and then
//! JSON: an object with one member, whose name is the kind of message. JSON of programs and of other
//! servers goes through as text.
//!
//! | from the server | meaning |
//! |---|---|
//! | `hello {protocol}` | the first message, and the first after `restarted`; between requests it may come again |
//! | `calls {id, calls: [{tool, args \| bytes, raw, approved}], at_most, reads, deadline_ms}` | calls that are judged together, and sent if nothing is wrong with any; with `reads` none may change anything |
//! | `offers {id, server?, known?}` | asks for what servers offer; with `server` that one is started and asked, with `known` nobody is |
//! | `approve {id, name}` | approves the definition of a tool, or of all tools of a server; a broker that serves a server refuses it, for people approve |
//! | `install {id, name, origin}` | installs a server, by `origin`: `{command: [words]}` or `{url}` |
//! | `uninstall {id, name}` | removes one that was installed |
//! | `cancel {id}` | the server does not want the answers any more |
//! | `embed {id, texts}` | asks what texts mean: an endpoint for embeddings gets them. Only where one is configured |
//! | `complete {id, messages: [{role, content}], thinking?, deadline_ms}` | has a model go on with a conversation. Only where one is configured |
//!
//! | from the broker | meaning |
//! |---|---|
//! | `hello {protocol, servers, variables, grants, approvable, shadowing, installable, embeddings, model, longest_ms, warnings}` | the first message; `variables` of the environment hold secrets |
//! | `refused {message}` | instead of it: the configuration cannot be used |
//! | `restarted {}` | all that was asked before is lost: the broker had to be started again |
//! | `outcome {id, index, value \| reason, message, told, whole, warning, ms}` | what came of a call; `told` stands beside a reason, `whole` and `warning` beside a value |
//! | `refusal {id, index, code, message, hint}` | none of these calls was sent |
//! | `asks {id, calls: [{index, class, model}]}` | none of these calls was sent: these need an approval, and nothing is wrong with any |
//! | `offer {id, offer}` | one tool |
//! | `installed {id, was_there, waits}` | a server was installed or removed; one that `waits` for the operator is not started; the tools of another one follow |
//! | `meaning {id, index, numbers}` | what one of the texts means |
//! | `completion {id, completion}` | what the model answers |
//! | `remark {id, message}` | something is wrong with what a server offers, and left out |
//! | `failed {id, message, reason?}` | what was asked for cannot be done, or a server cannot be reached |
//! | `done {id}` | the last message of an answer |
//!
//! # Approvals
//!
//! A call may carry `approved`: `once` says that a person was asked and agreed, `model` that the model
//! did. The broker takes `once` for tools whose grant is `ask`, and `model` for those among them that
//! `model_may_approve` names. Neither opens what is granted by `deny` or `read`, or a definition that
//! waits or has changed.
//!
//! This keeps programs and models out: neither writes messages of this protocol. It does not keep out
//! a server that an attacker has taken over, because only the server speaks to the client: such a
//! server can say that somebody agreed. What must not be called even then is granted by `deny`.
//!
//! Each id is greater than those before it. An end that reads anything else than these messages, in
//! another order than this, ends the conversation: it does not guess. What a server sends after a
//! broker was lost and before its next `hello` is lost too.

use std::io::{self, Read};

use pif_domain::{Approval, Completion, EffectClass, Grant, Message, Offer, Reason, Thinking};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::config::{Capabilities, Origin, Pattern, Server};

/// Bytes of a frame without its length.
pub const MOST_FRAME: usize = 16 << 20;

/// Bytes of the arguments of a call, and of the value of one with the whole result.
pub const MOST_ARGUMENTS: usize = (4 << 20) - (16 << 10);

/// Bytes of the arguments of all calls of a request; the rest of a frame is for names and all else.
pub const MOST_TOGETHER: usize = 12 << 20;

/// The version of the protocol.
pub const PROTOCOL: u32 = 2;

/// Calls that are judged together.
pub const MOST_CALLS: usize = 1_000;

/// Calls of one request at the same time.
pub const MOST_AT_ONCE: usize = 64;

/// Bytes of the name of a tool.
pub const LONGEST_NAME: usize = 256;

/// Texts of a request that asks what they mean.
pub const MOST_TEXTS: usize = 64;

/// Bytes of such a text.
pub const LONGEST_TEXT: usize = 8_000;

/// Messages of a conversation with a model.
pub const MOST_MESSAGES: usize = 16;

/// Bytes of all these messages.
pub const MOST_PROMPT: usize = 1 << 20;

/// Requests that wait for their answers.
pub const MOST_PENDING: usize = 4_096;

/// What the server says.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ToBroker {
    /// The first message.
    Hello {
        /// [`PROTOCOL`].
        protocol: u32,
    },
    /// Calls that are judged together.
    Calls(Batch),
    /// Asks for what servers offer.
    Offers {
        /// The request.
        id: u64,
        /// The server to start and to ask; none: whatever is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        server: Option<String>,
        /// Whether only what is known is told, and nobody is asked.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        known: bool,
    },
    /// Approves definitions.
    Approve {
        /// The request.
        id: u64,
        /// `SERVER` or `SERVER.TOOL`.
        name: String,
    },
    /// Installs a server.
    Install {
        /// The request.
        id: u64,
        /// The id of the server.
        name: String,
        /// How it is reached.
        origin: Origin,
    },
    /// Removes a server that was installed.
    Uninstall {
        /// The request.
        id: u64,
        /// The id of the server.
        name: String,
    },
    /// Nobody waits for the answers any more.
    Cancel {
        /// The request.
        id: u64,
    },
    /// Asks what texts mean.
    Embed {
        /// The request.
        id: u64,
        /// The texts.
        texts: Vec<String>,
    },
    /// Has a model go on with a conversation.
    Complete {
        /// The request.
        id: u64,
        /// What was said so far.
        messages: Vec<Message>,
        /// How much the model is to think.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        thinking: Option<Thinking>,
        /// How long the answer may take, in milliseconds.
        deadline_ms: u64,
    },
}

/// Calls that are judged together, and sent if nothing is wrong with any.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Batch {
    /// The request.
    pub id: u64,
    /// The calls, one or more.
    pub calls: Vec<CallPart>,
    /// Calls of the request at the same time.
    pub at_most: usize,
    /// Whether none of the calls may change anything, whatever is granted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reads: bool,
    /// How long the request may take, in milliseconds.
    pub deadline_ms: u64,
}

/// One of the calls of a request.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallPart {
    /// `SERVER.TOOL`.
    pub tool: String,
    /// The arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Box<RawValue>>,
    /// The length of arguments that are too large to be sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Whether the value is the whole result.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub raw: bool,
    /// Who was asked and agreed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved: Option<Approval>,
}

/// What the broker says.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FromBroker {
    /// The first message.
    Hello(Greeting),
    /// The configuration cannot be used.
    Refused {
        /// Why, with the place.
        message: String,
    },
    /// All that was asked is lost.
    Restarted {},
    /// What came of a call.
    Outcome(Outcome),
    /// None of the calls was sent.
    Refusal {
        /// The request.
        id: u64,
        /// The place of the call that is to blame.
        index: usize,
        /// The code of the fault.
        code: String,
        /// What is wrong.
        message: String,
        /// What to write instead.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hint: Option<String>,
    },
    /// Calls that need an approval. None of the request was sent.
    Asks {
        /// The request.
        id: u64,
        /// The calls, in the order of their places.
        calls: Vec<Question>,
    },
    /// A tool.
    Offer {
        /// The request.
        id: u64,
        /// The tool.
        offer: Box<Offer>,
    },
    /// A server was installed or removed.
    Installed {
        /// The request.
        id: u64,
        /// Whether it was installed before.
        was_there: bool,
        /// Whether the operator has to approve it.
        waits: bool,
    },
    /// What one of the texts means.
    Meaning {
        /// The request.
        id: u64,
        /// The place of the text in it.
        index: usize,
        /// The numbers of the model.
        numbers: Vec<f32>,
    },
    /// What a model answers.
    Completion {
        /// The request.
        id: u64,
        /// The answer.
        completion: Completion,
    },
    /// Something is wrong with what a server offers, and left out.
    Remark {
        /// The request.
        id: u64,
        /// What.
        message: String,
    },
    /// Something could not be done.
    Failed {
        /// The request.
        id: u64,
        /// Why.
        message: String,
        /// Why, as data, where a server failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Reason>,
    },
    /// The end of an answer.
    Done {
        /// The request.
        id: u64,
    },
}

/// A call that needs an approval.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The place of the call in the request.
    pub index: usize,
    /// What the tool does.
    pub class: EffectClass,
    /// Whether the model may approve it.
    pub model: bool,
}

/// What came of a call.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// The request.
    pub id: u64,
    /// The place of the call in it.
    pub index: usize,
    /// Its value.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub value: Option<Box<RawValue>>,
    /// Why it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// Why it has none, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// What the other server told beside the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<Box<RawValue>>,
    /// The whole result, where the value leaves some of it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<Box<RawValue>>,
    /// How the answer differs from what its server promises.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// For how many milliseconds the server takes no more calls, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// How long the call took, in milliseconds.
    pub ms: u64,
}

/// What the broker says first.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Greeting {
    /// [`PROTOCOL`].
    pub protocol: u32,
    /// The ids of the servers that are on.
    pub servers: Vec<String>,
    /// Variables of the environment that hold secrets.
    pub variables: Vec<String>,
    /// What is granted at each server: patterns of tools, and the grant of each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grants: Vec<(String, Vec<(String, Grant)>)>,
    /// Patterns of tools that the model may approve.
    pub approvable: Vec<String>,
    /// Whether a native capability may have the name of a server, and answers for it then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shadowing: bool,
    /// Patterns of what may be installed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub installable: Vec<String>,
    /// The model that tells what texts mean, if one is configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embeddings: Option<String>,
    /// The model that writes programs, if one is configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How long the longest call may take, in milliseconds.
    #[serde(default)]
    pub longest_ms: u64,
    /// What the configuration says in vain.
    pub warnings: Vec<String>,
}

impl Greeting {
    /// What the configuration tells of itself.
    pub(super) fn of(capabilities: &Capabilities) -> Self {
        let on = capabilities.servers.iter().filter(|(_, server)| !server.disabled);
        let rule = |(pattern, grant): &(Pattern, Grant)| (pattern.to_string(), *grant);
        let grants = |(id, server): (&String, &Server)| {
            (id.clone(), server.grants.iter().map(rule).collect())
        };
        Self {
            protocol: PROTOCOL,
            servers: on.clone().map(|(id, _)| id.clone()).collect(),
            grants: on.filter(|(_, server)| server.is_on()).map(grants).collect(),
            variables: capabilities.variables(),
            approvable: capabilities.model_may_approve.iter().map(ToString::to_string).collect(),
            shadowing: capabilities.allow_shadowing,
            installable: Vec::new(),
            embeddings: capabilities.embeddings.as_ref().map(|it| it.model.clone()),
            model: capabilities.model.as_ref().map(|it| it.model.clone()),
            longest_ms: capabilities.longest().as_millis().try_into().unwrap_or(u64::MAX),
            warnings: capabilities.warnings.clone(),
        }
    }
}

/// A member that is there, even if it is null.
fn present<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(from).map(Some)
}

/// What the other end must not have said.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the protocol was violated: {0}")]
pub struct Violation(pub(super) String);

pub(super) fn violation<T>(what: impl Into<String>) -> Result<T, Violation> {
    Err(Violation(what.into()))
}

/// A message as a frame.
pub fn frame(message: &impl Serialize) -> Result<Vec<u8>, Violation> {
    let mut frame = vec![0; 4];
    serde_json::to_writer(&mut frame, message).map_err(|error| Violation(error.to_string()))?;
    let length = frame.len() - 4;
    let header = u32::try_from(length).ok().filter(|_| length <= MOST_FRAME);
    let Some(header) = header else { return violation(format!("a message has {length} bytes")) };
    if let Some(place) = frame.get_mut(..4) {
        place.copy_from_slice(&header.to_be_bytes());
    }
    Ok(frame)
}

/// The length of a frame that has this header.
fn length(header: [u8; 4]) -> Result<usize, Violation> {
    let length = usize::try_from(u32::from_be_bytes(header)).unwrap_or(usize::MAX);
    match length {
        0 => violation("a frame is empty"),
        length if length > MOST_FRAME => violation(format!("a frame has {length} bytes")),
        length => Ok(length),
    }
}

/// Reads what is in a frame; None at the end.
pub fn read_frame(from: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut header = [0; 4];
    // An end within the header is one too: nobody waits for the rest.
    if let Err(error) = from.read_exact(&mut header) {
        return end(error);
    }
    let mut body = vec![0; length(header).map_err(io::Error::other)?];
    from.read_exact(&mut body).map(|()| Some(body))
}

/// Reads a frame while other tasks go on; None at the end.
pub async fn receive_frame(from: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<Vec<u8>>> {
    let mut header = [0; 4];
    if let Err(error) = from.read_exact(&mut header).await {
        return end(error);
    }
    let mut body = vec![0; length(header).map_err(io::Error::other)?];
    from.read_exact(&mut body).await.map(|_| Some(body))
}

fn end<T>(error: io::Error) -> io::Result<Option<T>> {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => Ok(None),
        _ => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_bounded() {
        let long = frame(&"x".repeat(MOST_FRAME));
        assert!(long.is_err());
        let read = |bytes: &[u8]| read_frame(&mut &*bytes);
        let whole = frame(&"hello").expect("a frame");
        assert!(matches!(read(&whole), Ok(Some(_))));
        assert!(matches!(read(&[]), Ok(None)));
        assert!(read(whole.get(..6).unwrap_or_default()).is_err());
        assert!(read(&[0, 0, 0, 0]).is_err());
        assert!(read(&[0xff, 0, 0, 0]).is_err());
    }
}
