//! What the server and its broker say to each other, over one pair of pipes.
//!
//! A frame is its length in bytes (four bytes, the highest first, at most [`MOST_FRAME`]) and then
//! JSON: an object with one member, whose name is the kind of message. JSON of programs and of other
//! servers goes through as text.
//!
//! | from the server | meaning |
//! |---|---|
//! | `hello {protocol}` | the first message, and the first after `restarted`; between requests it may come again |
//! | `call {id, index, of, tool, args \| bytes, at_most, deadline_ms, approved}` | one of `of` calls that are judged together, in order; the last one sends them |
//! | `offers {id, server?}` | asks for what servers offer; with `server` that one is started and asked |
//! | `approve {id, name}` | approves the definition of a tool, or of all tools of a server |
//! | `cancel {id}` | the server does not want the answers any more |
//!
//! | from the broker | meaning |
//! |---|---|
//! | `hello {protocol, servers, variables, approvable, warnings}` | the first message; `variables` of the environment hold secrets |
//! | `refused {message}` | instead of it: the configuration cannot be used |
//! | `restarted {}` | all that was asked before is lost: the broker had to be started again |
//! | `outcome {id, index, value \| reason, message, ms}` | what came of a call |
//! | `refusal {id, index, code, message, hint}` | none of these calls was sent |
//! | `offer {id, offer}` | one tool |
//! | `failed {id, message}` | what was asked for cannot be done, or a server cannot be reached |
//! | `done {id}` | the last message of an answer |
//!
//! Each id is greater than those before it. An end that reads anything else than these messages, in
//! another order than this, ends the conversation: it does not guess. What a server sends after a
//! broker was lost and before its next `hello` is lost too.

use std::collections::BTreeMap;
use std::io::{self, Read};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncReadExt as _};

use crate::domain::{Offer, Reason};

/// Bytes of a frame without its length.
pub const MOST_FRAME: usize = 4 << 20;

/// Bytes of the arguments of a call; the rest of a frame is for all else.
pub const MOST_ARGUMENTS: usize = MOST_FRAME - (16 << 10);

/// The version of the protocol.
pub const PROTOCOL: u32 = 1;

/// Calls that are judged together.
pub const MOST_CALLS: usize = 1_000;

/// Calls of one request at the same time.
pub const MOST_AT_ONCE: usize = 64;

/// Bytes of the name of a tool.
pub const LONGEST_NAME: usize = 256;

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
    /// One of the calls of a request.
    Call(CallPart),
    /// Asks for what servers offer.
    Offers {
        /// The request.
        id: u64,
        /// The server to start and to ask; none: whatever is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        server: Option<String>,
    },
    /// Approves definitions.
    Approve {
        /// The request.
        id: u64,
        /// `SERVER` or `SERVER.TOOL`.
        name: String,
    },
    /// Nobody waits for the answers any more.
    Cancel {
        /// The request.
        id: u64,
    },
}

/// One of the calls of a request.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallPart {
    /// The request.
    pub id: u64,
    /// Its place among the calls of the request.
    pub index: usize,
    /// How many there are.
    pub of: usize,
    /// `SERVER.TOOL`.
    pub tool: String,
    /// The arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Box<RawValue>>,
    /// The length of arguments that are too large to be sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Calls of the request at the same time.
    pub at_most: usize,
    /// How long the request may take, in milliseconds.
    pub deadline_ms: u64,
    /// Whether somebody was asked and agreed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub approved: bool,
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
    Outcome {
        /// The request.
        id: u64,
        /// The place of the call in it.
        index: usize,
        /// Its value.
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
        value: Option<Box<RawValue>>,
        /// Why it has none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Reason>,
        /// The same in words.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        message: String,
        /// How long the call took, in milliseconds.
        ms: u64,
    },
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
    /// A tool.
    Offer {
        /// The request.
        id: u64,
        /// The tool.
        offer: Box<Offer>,
    },
    /// Something could not be done.
    Failed {
        /// The request.
        id: u64,
        /// Why.
        message: String,
    },
    /// The end of an answer.
    Done {
        /// The request.
        id: u64,
    },
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
    /// Patterns of tools that the model may approve.
    pub approvable: Vec<String>,
    /// What the configuration says in vain.
    pub warnings: Vec<String>,
}

/// A member that is there, even if it is null.
fn present<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(from).map(Some)
}

/// What the other end must not have said.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the protocol was violated: {0}")]
pub struct Violation(String);

fn violation<T>(what: impl Into<String>) -> Result<T, Violation> {
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

/// The same, where others go on meanwhile.
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

fn parse<T: DeserializeOwned>(frame: &[u8]) -> Result<T, Violation> {
    serde_json::from_slice(frame).map_err(|error| Violation(error.to_string()))
}

/// What the broker has heard: it takes nothing that is out of order.
#[derive(Debug, Default)]
pub struct Heard {
    greeted: bool,
    latest: u64,
    /// The request whose calls are coming, and how many have come.
    open: Option<(u64, usize, usize)>,
}

impl Heard {
    /// Reads the next message.
    pub fn accept(&mut self, frame: &[u8]) -> Result<ToBroker, Violation> {
        let message: ToBroker = parse(frame)?;
        match &message {
            ToBroker::Hello { protocol } => {
                if self.open.is_some() || *protocol != PROTOCOL {
                    return violation(format!("hello of version {protocol}"));
                }
                self.greeted = true;
                return Ok(message);
            }
            _ if !self.greeted => return violation("a message came before the hello"),
            ToBroker::Call(part) => self.take(part)?,
            ToBroker::Offers { id, .. } => self.begin(*id)?,
            ToBroker::Approve { id, name } => {
                if name.len() > LONGEST_NAME {
                    return violation("a name is too long");
                }
                self.begin(*id)?;
            }
            ToBroker::Cancel { .. } if self.open.is_some() => {
                return violation("a cancel came between calls");
            }
            ToBroker::Cancel { .. } => {}
        }
        Ok(message)
    }

    fn begin(&mut self, id: u64) -> Result<(), Violation> {
        if self.open.is_some() {
            return violation("a request came between calls");
        }
        if id <= self.latest {
            return violation(format!("the id {id} came before"));
        }
        self.latest = id;
        Ok(())
    }

    fn take(&mut self, part: &CallPart) -> Result<(), Violation> {
        let (id, index, of) = (part.id, part.index, part.of);
        if of == 0 || of > MOST_CALLS || !(1..=MOST_AT_ONCE).contains(&part.at_most) {
            return violation(format!("{of} calls, {} at once", part.at_most));
        }
        if part.tool.len() > LONGEST_NAME {
            return violation("the name of a tool is too long");
        }
        if part.args.is_some() == part.bytes.is_some() {
            return violation("a call has neither arguments nor their length, or both");
        }
        let expected = match self.open {
            None => {
                self.begin(id)?;
                (id, 0, of)
            }
            Some(open) => open,
        };
        if expected != (id, index, of) {
            return violation("calls came out of order");
        }
        self.open = (index + 1 < of).then_some((id, index + 1, of));
        Ok(())
    }
}

/// What the server has asked: it takes no answers to anything else.
#[derive(Debug, Default)]
pub struct Asked {
    greeted: bool,
    pending: BTreeMap<u64, Pending>,
}

/// What is missing of an answer.
#[derive(Debug)]
enum Pending {
    /// For each call whether there is an outcome.
    Calls(Vec<bool>),
    /// Tools, or nothing.
    Other,
    /// Nobody waits for it any more.
    Cancelled,
}

impl Asked {
    /// Says that the hello was heard before.
    pub fn greeted(&mut self) {
        self.greeted = true;
    }

    /// Remembers a request with so many calls; 0: one without calls.
    pub fn ask(&mut self, id: u64, calls: usize) -> Result<(), Violation> {
        if self.pending.len() >= MOST_PENDING {
            return violation("too many requests wait");
        }
        let pending = if calls == 0 { Pending::Other } else { Pending::Calls(vec![false; calls]) };
        self.pending.insert(id, pending);
        Ok(())
    }

    /// Forgets what a request was for. Its answer may be on its way.
    pub fn cancel(&mut self, id: u64) {
        if let Some(pending) = self.pending.get_mut(&id) {
            *pending = Pending::Cancelled;
        }
    }

    /// Reads the next message.
    pub fn accept(&mut self, frame: &[u8]) -> Result<FromBroker, Violation> {
        let message: FromBroker = parse(frame)?;
        match &message {
            FromBroker::Hello(greeting) => {
                if self.greeted || greeting.protocol != PROTOCOL {
                    return violation(format!("hello of version {}", greeting.protocol));
                }
                self.greeted = true;
            }
            FromBroker::Refused { .. } if !self.greeted => {}
            FromBroker::Refused { .. } => return violation("a refusal came after the hello"),
            // It is lost before it has said a word.
            FromBroker::Restarted {} => *self = Self::default(),
            _ if !self.greeted => return violation("a message came before the hello"),
            FromBroker::Outcome { id, index, value, reason, .. } => {
                if value.is_some() == reason.is_some() {
                    return violation("an outcome is a value or a reason");
                }
                self.fill(*id, *index)?;
            }
            FromBroker::Refusal { id, index, .. } => match self.pending.get(id) {
                Some(Pending::Calls(done)) if *index < done.len() && !done.contains(&true) => {}
                Some(Pending::Cancelled) => {}
                _ => return violation(format!("a refusal of {id}")),
            },
            FromBroker::Offer { id, .. } | FromBroker::Failed { id, .. } => {
                match self.pending.get(id) {
                    Some(Pending::Other | Pending::Cancelled) => {}
                    _ => return violation(format!("an answer to {id}")),
                }
            }
            FromBroker::Done { id } => {
                if self.pending.remove(id).is_none() {
                    return violation(format!("the end of {id}"));
                }
            }
        }
        Ok(message)
    }

    fn fill(&mut self, id: u64, index: usize) -> Result<(), Violation> {
        match self.pending.get_mut(&id) {
            Some(Pending::Cancelled) => return Ok(()),
            Some(Pending::Calls(done)) => {
                if let Some(done) = done.get_mut(index).filter(|done| !**done) {
                    *done = true;
                    return Ok(());
                }
            }
            _ => {}
        }
        violation(format!("an outcome of call {index} of {id}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: u64, index: usize, of: usize) -> String {
        format!(
            r#"{{"call":{{"id":{id},"index":{index},"of":{of},"tool":"a.b","args":{{"n":12345678901234567890123}},"at_most":1,"deadline_ms":5}}}}"#
        )
    }

    fn told(messages: &[&str]) -> Result<(), Violation> {
        let mut heard = Heard::default();
        messages.iter().try_for_each(|it| heard.accept(it.as_bytes()).map(|_| ()))
    }

    const HELLO: &str = r#"{"hello":{"protocol":1}}"#;

    #[test]
    fn the_broker_takes_nothing_out_of_order() {
        let (first, second) = (call(1, 0, 2), call(1, 1, 2));
        assert_eq!(told(&[HELLO, &first, &second, r#"{"offers":{"id":2}}"#]), Ok(()));
        let wrong: &[&[&str]] = &[
            &[&first],
            &[r#"{"hello":{"protocol":2}}"#],
            &[HELLO, &first, HELLO],
            &[HELLO, &second],
            &[HELLO, &first, &first],
            &[HELLO, &first, r#"{"cancel":{"id":1}}"#],
            &[HELLO, &first, r#"{"offers":{"id":2}}"#],
            &[HELLO, r#"{"offers":{"id":2}}"#, r#"{"offers":{"id":2}}"#],
            &[HELLO, r#"{"offers":{"id":2,"more":1}}"#],
            &[HELLO, r#"{"other":{}}"#],
            &[HELLO, "null"],
        ];
        for messages in wrong {
            assert!(told(messages).is_err(), "{messages:?}");
        }
    }

    #[test]
    fn the_server_takes_no_answers_that_it_did_not_ask_for() {
        let hello =
            r#"{"hello":{"protocol":1,"servers":[],"variables":[],"approvable":[],"warnings":[]}}"#;
        let outcome = |id: u64, index: usize| {
            format!(r#"{{"outcome":{{"id":{id},"index":{index},"value":null,"ms":1}}}}"#)
        };
        let check = |messages: &[&str]| {
            let mut asked = Asked::default();
            asked.ask(1, 2).and_then(|()| {
                messages.iter().try_for_each(|it| asked.accept(it.as_bytes()).map(|_| ()))
            })
        };
        let (first, second) = (outcome(1, 0), outcome(1, 1));
        let done = r#"{"done":{"id":1}}"#;
        assert_eq!(check(&[hello, &second, &first, done]), Ok(()));
        assert_eq!(check(&[hello, r#"{"restarted":{}}"#, hello]), Ok(()));
        let wrong: &[&[&str]] = &[
            &[&first],
            &[hello, hello],
            &[hello, &first, &first],
            &[hello, &outcome(1, 2)],
            &[hello, &outcome(2, 0)],
            &[hello, r#"{"restarted":{}}"#, &first],
            &[hello, done, done],
            &[hello, done, &first],
            &[hello, r#"{"outcome":{"id":1,"index":0,"ms":1}}"#],
            &[hello, r#"{"refused":{"message":""}}"#],
            &[hello, r#"{"failed":{"id":1,"message":""}}"#],
        ];
        for messages in wrong {
            assert!(check(messages).is_err(), "{messages:?}");
        }
    }

    #[test]
    fn frames_are_bounded() {
        let long = frame(&"x".repeat(MOST_FRAME));
        assert!(long.is_err());
        let read = |bytes: &[u8]| read_frame(&mut &*bytes);
        let whole = frame(&HELLO).expect("a frame");
        assert!(matches!(read(&whole), Ok(Some(_))));
        assert!(matches!(read(&[]), Ok(None)));
        assert!(read(whole.get(..9).unwrap_or_default()).is_err());
        assert!(read(&[0, 0, 0, 0]).is_err());
        assert!(read(&[0xff, 0, 0, 0]).is_err());
    }
}
