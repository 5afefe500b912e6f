//! Open requests to a server. Messages of the server are read by it: an
//! answer belongs to a question, and is read as what that question asks for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pif_domain::json::{Members, member};
use pif_domain::text;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, CustomResult, ErrorCode, ErrorData,
    JsonRpcMessage, RequestId, ServerJsonRpcMessage, ServerResult,
};
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::pin::Era;
use super::mend;
use super::trouble::UNREADABLE;

/// Places in a line at which a message may begin.
const MOST_BEGINNINGS: usize = 16;

/// Messages that one text may hold.
const MOST_MESSAGES: usize = 1_000;

/// Remarks that are kept until somebody reads them.
const MOST_REMARKS: usize = 100;

/// What a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Question {
    /// The handshake of the older era.
    Initialize,
    /// The first request of the newer era.
    Discover,
    /// `server/discover`, whose answer nobody waits for any more.
    GivenUp,
    /// The list of tools.
    Tools,
    /// To be told of changes, as long as the connection lasts.
    Listen,
    /// A call of a tool. Its result stays the text that it is: see [`whole`].
    Call,
    /// Anything else.
    Other,
}

impl Question {
    fn of(request: &ClientRequest) -> Self {
        match request {
            ClientRequest::InitializeRequest(_) => Self::Initialize,
            ClientRequest::DiscoverRequest(_) => Self::Discover,
            ClientRequest::ListToolsRequest(_) => Self::Tools,
            ClientRequest::SubscriptionsListenRequest(_) => Self::Listen,
            ClientRequest::CallToolRequest(_) => Self::Call,
            _ => Self::Other,
        }
    }
}

#[derive(Debug, Default)]
struct OpenQuestions {
    asked: HashMap<RequestId, Question>,
    /// What was left out of answers.
    remarks: Vec<String>,
    /// Which handshake the server takes. One of the newer era may say so too late.
    era: Option<Era>,
}

/// The questions of one connection.
#[derive(Debug, Clone, Default)]
pub(super) struct Questions(Arc<Mutex<OpenQuestions>>);

impl Questions {
    fn open(&self) -> MutexGuard<'_, OpenQuestions> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what is sent. Gives the question, if it is one.
    pub(super) fn note(&self, message: &ClientJsonRpcMessage) -> Option<(RequestId, Question)> {
        let mut open = self.open();
        match message {
            JsonRpcMessage::Request(request) => {
                let question = Question::of(&request.request);
                if question == Question::Initialize {
                    let probes = open.asked.values_mut().filter(|it| **it == Question::Discover);
                    probes.for_each(|it| *it = Question::GivenUp);
                }
                open.asked.insert(request.id.clone(), question);
                Some((request.id.clone(), question))
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    open.asked.remove(id);
                }
                None
            }
            _ => None,
        }
    }

    /// Which handshake the server takes; None: it has answered to none yet.
    pub(super) fn era(&self) -> Option<Era> {
        self.open().era
    }

    /// Whether the server may be one of the newer era: it said so, or has not said that it is not.
    pub(super) fn may_be_newer(&self) -> bool {
        let open = self.open();
        open.era == Some(Era::Newer) || open.asked.values().any(|it| *it == Question::GivenUp)
    }

    /// What was left out of answers since somebody asked.
    pub(super) fn remarks(&self) -> Vec<String> {
        std::mem::take(&mut self.open().remarks)
    }

    /// Refuses a question in the name of a server of the older era that does not.
    pub(super) fn refuse_probe(&self) -> Option<ServerJsonRpcMessage> {
        let mut open = self.open();
        let probe = open.asked.iter_mut().find(|(_, it)| **it == Question::Discover)?;
        *probe.1 = Question::GivenUp;
        Some(unknown_method(probe.0.clone()))
    }

    /// The messages of a text: one, several in a list, or none.
    pub(super) fn read(&self, text: &[u8]) -> Vec<ServerJsonRpcMessage> {
        let text = String::from_utf8_lossy(text);
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.starts_with('[')
            && let Ok(batch) = serde_json::from_str::<Vec<&RawValue>>(text)
        {
            let batch = batch.into_iter().take(MOST_MESSAGES);
            return batch.filter_map(|it| self.read_one(it.get())).collect();
        }
        self.read_one(text).into_iter().collect()
    }

    fn read_one(&self, text: &str) -> Option<ServerJsonRpcMessage> {
        match message(text) {
            Ok((shape, text)) if shape.method.is_some() => serde_json::from_str(text).ok(),
            Ok((shape, _)) => self.answer(&shape),
            Err(error) => {
                // What is no JSON is an answer if it has an id and no method.
                let id = member(text, "id").filter(|_| member(text, "method").is_none())?;
                let (id, question) = self.take(Some(id))?;
                (question != Question::GivenUp)
                    .then(|| unreadable(id, &format!("it is no JSON: {error}")))
            }
        }
    }

    /// An answer, as the question asks for it.
    fn answer(&self, shape: &Shape<'_>) -> Option<ServerJsonRpcMessage> {
        let Shape { id, result, error, .. } = *shape;
        // Programs log JSON too, with members of such names.
        id.or(shape.jsonrpc)?;
        result.or(error).or(shape.jsonrpc)?;
        let (id, question) = self.take(id)?;
        let read = match (result, error) {
            _ if shape.is_foreign() => Err("it is of another version of JSON-RPC".to_owned()),
            (_, Some(_)) if question == Question::GivenUp => return None,
            (_, Some(error)) => return Some(failed(id, error)),
            (Some(result), None) => self.result(question, result),
            (None, None) => Err("it has neither `result` nor `error`".to_owned()),
        };
        match (read, question) {
            (Ok(ServerResult::DiscoverResult(_)), Question::GivenUp) => {
                self.open().era = Some(Era::Newer);
                None
            }
            (_, Question::GivenUp) => None,
            // A server of the older era may answer a method that it does not know.
            (Err(_), Question::Discover) => Some(unknown_method(id)),
            (Ok(result), _) => {
                let mut open = self.open();
                match question {
                    Question::Discover => open.era = Some(Era::Newer),
                    Question::Initialize => open.era = open.era.or(Some(Era::Older)),
                    _ => {}
                }
                Some(ServerJsonRpcMessage::response(result, id))
            }
            (Err(why), _) => Some(unreadable(id, &why)),
        }
    }

    fn result(&self, question: Question, text: &str) -> Result<ServerResult, String> {
        let reason = |error: serde_json::Error| error.to_string();
        match question {
            Question::Call => {
                return Ok(ServerResult::CustomResult(CustomResult::new(text.into())));
            }
            Question::Other | Question::Listen => {
                return serde_json::from_str(text).map_err(reason);
            }
            _ => {}
        }
        let value: Value = serde_json::from_str(text).map_err(reason)?;
        match question {
            Question::Initialize => mend::initialized(value),
            Question::Tools => {
                let (tools, remarks) = mend::tools(value)?;
                self.remark(remarks);
                Ok(tools)
            }
            _ => mend::discovered(value),
        }
    }

    /// Keeps what was left out.
    pub(super) fn remark(&self, remarks: Vec<String>) {
        let mut open = self.open();
        let room = MOST_REMARKS.saturating_sub(open.remarks.len());
        open.remarks.extend(remarks.into_iter().take(room));
    }

    /// The question that an id belongs to. Nobody waits for its answer any more afterwards. Some
    /// servers write a number as a text, or do not know the id of what they could not read: then it
    /// is the only question that there is.
    fn take(&self, id: Option<&str>) -> Option<(RequestId, Question)> {
        let mut open = self.open();
        let found = match id.map(serde_json::from_str) {
            None | Some(Ok(Value::Null) | Err(_)) => {
                let is_waiting =
                    |it: &Question| !matches!(it, Question::GivenUp | Question::Listen);
                let mut waiting = open.asked.iter().filter(|(_, it)| is_waiting(it));
                waiting.next().filter(|_| waiting.next().is_none()).map(|(id, _)| id.clone())
            }
            Some(Ok(Value::String(text))) => {
                let exact = RequestId::String(text.as_str().into());
                let number = text.parse().ok().map(RequestId::Number);
                if open.asked.contains_key(&exact) { Some(exact) } else { number }
            }
            Some(Ok(id)) => {
                let float = || id.as_f64().filter(|it| it.fract() == 0.0);
                let number = id.as_i64().or_else(|| format!("{:.0}", float()?).parse().ok());
                number.map(RequestId::Number)
            }
        }?;
        open.asked.remove_entry(&found)
    }

    /// The answer to one question of which a text is the only answer that there will be.
    pub(super) fn read_answer(&self, id: &RequestId, text: &[u8]) -> Option<ServerJsonRpcMessage> {
        let text = String::from_utf8_lossy(text);
        let text = text.trim_start_matches('\u{feff}').trim();
        let batch = serde_json::from_str::<Vec<&RawValue>>(text).ok();
        let own = batch.and_then(|batch| {
            let shapes =
                batch.into_iter().filter_map(|it| Some((it.get(), message(it.get()).ok()?)));
            let mut answers = shapes.filter(|(_, (shape, _))| shape.method.is_none());
            answers.next().map(|(text, _)| text)
        });
        let (shape, _) = message(own.unwrap_or(text)).ok()?;
        if shape.method.is_some() || shape.result.or(shape.error).is_none() {
            return None;
        }
        let id = serde_json::to_string(id).ok()?;
        self.answer(&Shape { id: Some(&id), ..shape })
    }

    /// Answers a question that the server leaves without an answer.
    pub(super) fn close(&self, id: &RequestId, why: &str) -> Option<ServerJsonRpcMessage> {
        let (id, question) = self.open().asked.remove_entry(id)?;
        Some(match question {
            Question::Discover => unknown_method(id),
            _ => unreadable(id, why),
        })
    }
}

/// The members of a message that tell what it is. A member that is null is absent; of several with one
/// name the last counts.
#[derive(Default, Clone, Copy)]
struct Shape<'a> {
    jsonrpc: Option<&'a str>,
    id: Option<&'a str>,
    method: Option<&'a str>,
    result: Option<&'a str>,
    error: Option<&'a str>,
}

impl<'a> Shape<'a> {
    fn read(text: &'a str) -> serde_json::Result<Self> {
        let mut shape = Self::default();
        for (name, value) in Members::parse(text)?.iter() {
            let place = match name {
                "jsonrpc" => &mut shape.jsonrpc,
                "id" => &mut shape.id,
                "method" => &mut shape.method,
                "result" => &mut shape.result,
                "error" => &mut shape.error,
                _ => continue,
            };
            *place = Some(value).filter(|it| *it != "null");
        }
        Ok(shape)
    }

    /// Whether it says that it is of another version of JSON-RPC.
    fn is_foreign(&self) -> bool {
        self.jsonrpc.is_some_and(|version| version != "\"2.0\"")
    }
}

/// The message that a text is, or that stands in it behind other words.
fn message(text: &str) -> Result<(Shape<'_>, &str), serde_json::Error> {
    let read = |text| -> Result<(Shape<'_>, &str), serde_json::Error> {
        let raw: &RawValue = match serde_json::Deserializer::from_str(text).into_iter().next() {
            Some(first) => first?,
            None => serde_json::from_str(text)?,
        };
        Ok((Shape::read(raw.get())?, raw.get()))
    };
    let first = read(text);
    if first.is_ok() {
        return first;
    }
    let beginnings = text.match_indices('{').map(|(at, _)| at).filter(|at| *at > 0);
    let behind = beginnings.take(MOST_BEGINNINGS).filter_map(|at| text.get(at..));
    let is_message = |shape: &Shape<'_>| {
        shape.method.is_some() || (shape.id.is_some() && shape.result.or(shape.error).is_some())
    };
    let mut found = behind.filter_map(|it| read(it).ok()).filter(|(shape, _)| is_message(shape));
    // An object within one that is no JSON is no message.
    if text.starts_with('{') { first } else { found.next().map_or(first, Ok) }
}

/// The JSON text of the result of a call.
pub(super) fn whole(result: ServerResult) -> String {
    match result {
        ServerResult::CustomResult(CustomResult(Value::String(text))) => text,
        other => serde_json::to_string(&other).unwrap_or_default(),
    }
}

/// An error of the server. What cannot be read of it is told as its text.
fn failed(id: RequestId, error: &str) -> ServerJsonRpcMessage {
    match serde_json::from_str::<ErrorData>(error) {
        Ok(error) => ServerJsonRpcMessage::error(error, Some(id)),
        Err(why) => unreadable(id, &format!("its error is none: {why}")),
    }
}

/// The error that we make of an answer that cannot be read.
pub(super) fn unreadable(id: RequestId, why: &str) -> ServerJsonRpcMessage {
    let message = format!("the answer cannot be read: {}", text::line(why, 300));
    ServerJsonRpcMessage::error(ErrorData::new(ErrorCode(UNREADABLE), message, None), Some(id))
}

fn unknown_method(id: RequestId) -> ServerJsonRpcMessage {
    let told = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "server/discover", None);
    ServerJsonRpcMessage::error(told, Some(id))
}
