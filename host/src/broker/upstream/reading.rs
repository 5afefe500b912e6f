//! What a line of a server says. Servers write logs beside messages, several messages on one line,
//! ids as texts and JSON that is none: an answer is found all the same, or whoever waits for it is
//! told at once what is wrong with it.

use std::collections::HashMap;

use rmcp::RoleClient;
use rmcp::model::{
    ClientNotification, ClientRequest, CustomResult, ErrorCode, ErrorData, JsonRpcMessage,
    RequestId, ServerJsonRpcMessage, ServerResult,
};
use rmcp::service::TxJsonRpcMessage;
use serde_json::Value;
use serde_json::value::RawValue;

use super::trouble::UNREADABLE;
use crate::json::Scanner;

/// Braces of a line behind which no message begins.
const MOST_MISSES: usize = 64;

/// Requests that were not answered yet, and whether they are calls.
#[derive(Debug, Default)]
pub(super) struct Asked(HashMap<RequestId, bool>);

impl Asked {
    /// Notes a message that is sent: a request waits for its answer until it is given up.
    pub(super) fn note(&mut self, message: &TxJsonRpcMessage<RoleClient>) {
        match message {
            JsonRpcMessage::Request(it) => {
                let is_call = matches!(it.request, ClientRequest::CallToolRequest(_));
                self.0.insert(it.id.clone(), is_call);
            }
            JsonRpcMessage::Notification(it) => {
                if let ClientNotification::CancelledNotification(it) = &it.notification
                    && let Some(id) = &it.params.request_id
                {
                    self.0.remove(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
    }

    /// The request that an answer with this id is for. What names none is for the only one.
    fn take(&mut self, id: Option<&str>) -> Option<(RequestId, bool)> {
        let id = match id {
            None | Some("null") if self.0.len() == 1 => self.0.keys().next()?.clone(),
            None | Some("null") => return None,
            Some(written) => {
                let id: RequestId = serde_json::from_str(written).ok()?;
                match (&id, self.0.contains_key(&id)) {
                    (RequestId::String(text), false) => RequestId::Number(text.parse().ok()?),
                    _ => id,
                }
            }
        };
        self.0.remove_entry(&id)
    }
}

/// The messages of a line. Answers that nobody waits for are left out.
pub(super) fn read(line: &[u8], asked: &mut Asked) -> Vec<ServerJsonRpcMessage> {
    let (mut messages, mut rest, mut misses) = (Vec::new(), line, 0);
    while misses < MOST_MISSES
        && let Some(start) = rest.iter().position(|byte| *byte == b'{')
    {
        let object = rest.get(start..).unwrap_or_default();
        let parts = Parts::of(object);
        let message = parts.message(asked);
        let taken = if parts.is_whole || message.is_some() { parts.bytes.len() } else { 1 };
        misses += usize::from(message.is_none());
        messages.extend(message);
        rest = object.get(taken..).unwrap_or_default();
    }
    messages
}

/// The members of what may be a message, however broken their values are.
#[derive(Default)]
struct Parts<'a> {
    /// The whole object, or all that there is of it.
    bytes: &'a [u8],
    is_whole: bool,
    id: Option<&'a [u8]>,
    method: Option<&'a [u8]>,
    result: Option<&'a [u8]>,
    error: Option<&'a [u8]>,
}

impl<'a> Parts<'a> {
    fn of(object: &'a [u8]) -> Self {
        let mut parts = Self { bytes: object, ..Self::default() };
        let (mut scanner, mut start, mut colon) = (Scanner::default(), 1, None);
        for (at, byte) in object.iter().enumerate() {
            let level = scanner.level();
            scanner.step(*byte);
            if scanner.is_in_text() || level != 1 {
                continue;
            }
            match byte {
                b':' => colon = colon.or(Some(at)),
                b',' | b'}' => {
                    parts.take(object, (start, colon, at));
                    (start, colon) = (at + 1, None);
                }
                _ => {}
            }
            if *byte == b'}' {
                parts.bytes = object.get(..=at).unwrap_or(object);
                parts.is_whole = true;
                return parts;
            }
        }
        parts.take(object, (start, colon, object.len()));
        parts
    }

    /// Takes a member. Of several with one name the last counts.
    fn take(&mut self, object: &'a [u8], (start, colon, end): (usize, Option<usize>, usize)) {
        let Some(colon) = colon else { return };
        let place = match object.get(start..colon).unwrap_or_default().trim_ascii() {
            b"\"id\"" => &mut self.id,
            b"\"method\"" => &mut self.method,
            b"\"result\"" => &mut self.result,
            b"\"error\"" => &mut self.error,
            _ => return,
        };
        let value = object.get(colon + 1..end).unwrap_or_default().trim_ascii();
        *place = (value != b"null").then_some(value);
    }

    fn message(&self, asked: &mut Asked) -> Option<ServerJsonRpcMessage> {
        if self.method.is_some() {
            return serde_json::from_slice(self.bytes).ok();
        }
        let told = self.error.or(self.result)?;
        let id = self.id.map(|it| std::str::from_utf8(it).unwrap_or_default());
        let (id, is_call) = asked.take(id)?;
        let read = if self.error.is_some() { error(told, &id) } else { result(told, &id, is_call) };
        Some(read.unwrap_or_else(|why| {
            let message = format!("the answer cannot be read: {why}");
            JsonRpcMessage::error(ErrorData::new(ErrorCode(UNREADABLE), message, None), Some(id))
        }))
    }
}

fn error(told: &[u8], id: &RequestId) -> serde_json::Result<ServerJsonRpcMessage> {
    let error: ErrorData = serde_json::from_slice(told)?;
    Ok(JsonRpcMessage::error(error, Some(id.clone())))
}

/// A result. That of a call stays the text that it is: see [`whole`].
fn result(told: &[u8], id: &RequestId, is_call: bool) -> serde_json::Result<ServerJsonRpcMessage> {
    let result: Box<RawValue> = serde_json::from_slice(told)?;
    if is_call {
        let text = CustomResult::new(Value::from(result.get()));
        return Ok(JsonRpcMessage::response(ServerResult::CustomResult(text), id.clone()));
    }
    let id = serde_json::to_string(id)?;
    serde_json::from_str(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{}}}"#, result.get()))
}

/// The JSON text of the result of a call.
pub(super) fn whole(result: ServerResult) -> String {
    match result {
        ServerResult::CustomResult(CustomResult(Value::String(text))) => text,
        other => serde_json::to_string(&other).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a line says to whoever waits for the answers to the calls 1 and 2.
    fn heard(line: &[u8]) -> Vec<String> {
        let calls = [1, 2].map(|id| (RequestId::Number(id), true));
        let told = |message| match message {
            JsonRpcMessage::Response(it) => format!("{}: {}", it.id, whole(it.result)),
            JsonRpcMessage::Error(it) => {
                let id = it.id.map_or_else(|| "none".to_owned(), |id| id.to_string());
                format!("{id}: error {}", it.error.code.0)
            }
            _ => "other".to_owned(),
        };
        read(line, &mut Asked(calls.into_iter().collect())).into_iter().map(told).collect()
    }

    #[test]
    fn answers_are_found_in_lines() {
        let unreadable = format!("1: error {UNREADABLE}");
        let unreadable = unreadable.as_str();
        let cases: &[(&[u8], &[&str])] = &[
            (br#"{"jsonrpc":"2.0","id":1,"result":{"a": 1.10}}"#, &[r#"1: {"a": 1.10}"#]),
            (br#"{"jsonrpc":"2.0","id":"2","result":{}}"#, &["2: {}"]),
            (b"\xef\xbb\xbf{\"id\":1,\"result\":{}}", &["1: {}"]),
            (br#"INFO {x} [a] {"id":1,"result":{}} done"#, &["1: {}"]),
            (br#"[{"id":1,"result":{}},{"id":2,"result":{}}]"#, &["1: {}", "2: {}"]),
            (br#"{"id":1,"id":2,"result":{}}"#, &["2: {}"]),
            (br#"{"id":1,"result":{"n":NaN}}"#, &[unreadable]),
            (b"{\"id\":1,\"result\":{\"t\":\"a\tb\"}}", &[unreadable]),
            (b"{\"id\":1,\"result\":{\"t\":\"\xe4\"}}", &[unreadable]),
            (br#"{"id":1,"result":{"t":"cut"#, &[unreadable]),
            (br#"{"id":1,"error":{"code":"x"}}"#, &[unreadable]),
            (br#"{"id":1,"error":{"code":-3,"message":""},"result":null}"#, &["1: error -3"]),
            (br#"{"id":9,"result":{}}"#, &[]),
            (br#"{"id":null,"error":{"code":-3,"message":""}}"#, &[]),
            (br#"{"id":1}"#, &[]),
        ];
        for (line, expected) in cases {
            assert_eq!(heard(line), *expected, "{}", String::from_utf8_lossy(line));
        }
    }

    #[test]
    fn what_names_no_request_is_for_the_only_one() {
        let mut asked = Asked([(RequestId::Number(7), true)].into_iter().collect());
        let line = br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse"}}"#;
        let messages = read(line, &mut asked);
        let is_for = |it: &ServerJsonRpcMessage| matches!(it, JsonRpcMessage::Error(it) if it.id == Some(RequestId::Number(7)));
        assert!(messages.iter().all(is_for) && messages.len() == 1, "{messages:?}");
    }
}
