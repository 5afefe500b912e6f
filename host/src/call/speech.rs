//! A call in both eras of the protocol. The newer one is tried first: it needs one request. A server
//! that does not speak it gets a session of the older era.

use anyhow::Result;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pif_domain::json::{Members, text_in};
use reqwest::StatusCode;
use reqwest::header::{HeaderName, HeaderValue};
use serde_json::{Value, json};

use super::refusal::unanswered;
use super::reply::Reply;
use super::wire::{Answer, Wire};

/// The versions of the protocol that begin the two eras as this program speaks them.
const STATELESS: &str = "2026-07-28";
const SESSIONS: &str = "2025-11-25";

const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// Errors of servers that understood a request of the newer era and refuse it.
const FINAL: [i64; 4] = [-32_020, -32_021, -32_602, -32_603];
/// Statuses of servers that do not understand a request.
const UNKNOWING: [StatusCode; 6] = [
    StatusCode::BAD_REQUEST,
    StatusCode::NOT_FOUND,
    StatusCode::METHOD_NOT_ALLOWED,
    StatusCode::NOT_ACCEPTABLE,
    StatusCode::UNSUPPORTED_MEDIA_TYPE,
    StatusCode::UNPROCESSABLE_ENTITY,
];

/// A call of a tool.
#[derive(Debug, Clone, Copy)]
pub(super) struct Request<'a> {
    pub(super) tool: &'a str,
    /// A JSON object, which is sent as it is written.
    pub(super) arguments: &'a str,
}

impl Request<'_> {
    /// Calls the tool and returns the text of the result.
    pub(super) async fn send(self, wire: &Wire) -> Result<String> {
        let headers = [
            (VERSION, HeaderValue::from_static(STATELESS)),
            (METHOD, HeaderValue::from_static("tools/call")),
            (NAME, header(self.tool)?),
        ];
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": STATELESS,
            "io.modelcontextprotocol/clientInfo": own(),
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let answer = wire.post(&headers, self.call(1, Some(&meta)), 1).await?;
        if is_older(&answer) {
            return self.send_in_session(wire).await;
        }
        result(wire, answer)
    }

    async fn send_in_session(self, wire: &Wire) -> Result<String> {
        let initialize = json!({
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {"protocolVersion": SESSIONS, "capabilities": {}, "clientInfo": own()},
        });
        let answer = wire.post(&[], initialize.to_string(), 1).await?;
        let session = answer.headers.get(SESSION).cloned();
        let greeting = result(wire, answer)?;
        let version = Members::parse(&greeting)?.raw("protocolVersion").and_then(text_in);
        let version = HeaderValue::try_from(version.as_deref().unwrap_or(SESSIONS))?;
        let mut headers = vec![(VERSION, version)];
        headers.extend(session.clone().map(|id| (SESSION, id)));
        let called = self.call_in_session(wire, &headers).await;
        if session.is_some() {
            wire.delete(&headers).await;
        }
        called
    }

    async fn call_in_session(
        self,
        wire: &Wire,
        headers: &[(HeaderName, HeaderValue)],
    ) -> Result<String> {
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let answer = wire.post(headers, ready.to_string(), 0).await?;
        if !answer.status.is_success() {
            return Err(unanswered(wire, &answer));
        }
        let answer = wire.post(headers, self.call(2, None), 2).await?;
        result(wire, answer)
    }

    /// The message, in which the arguments keep their spelling.
    fn call(self, id: u32, meta: Option<&Value>) -> String {
        let Self { tool, arguments } = self;
        let tool = Value::from(tool);
        let meta = meta.map(|meta| format!(r#","_meta":{meta}"#)).unwrap_or_default();
        let params = format!(r#"{{"name":{tool},"arguments":{arguments}{meta}}}"#);
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#)
    }
}

/// What servers are told of this program.
fn own() -> Value {
    json!({"name": "mcp-pif call", "version": env!("CARGO_PKG_VERSION")})
}

/// Whether a server does not speak the newer era. It has not run the tool then.
fn is_older(answer: &Answer) -> bool {
    match &answer.reply {
        Reply::Result(_) => false,
        Reply::Refused { code, .. } => {
            let is_unknowing = answer.status.is_success() || UNKNOWING.contains(&answer.status);
            is_unknowing && !FINAL.contains(code)
        }
        Reply::Strange(_) => UNKNOWING.contains(&answer.status),
    }
}

fn result(wire: &Wire, answer: Answer) -> Result<String> {
    match answer.reply {
        Reply::Result(result) if answer.status.is_success() => Ok(result),
        _ => Err(unanswered(wire, &answer)),
    }
}

/// A name as the value of a header: in base64, unless it is plain.
fn header(name: &str) -> Result<HeaderValue> {
    let is_plain = name.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    let is_marked = name.starts_with("=?base64?") && name.ends_with("?=");
    if is_plain && !is_marked && name.trim() == name && !name.is_empty() {
        return Ok(HeaderValue::try_from(name)?);
    }
    Ok(HeaderValue::try_from(format!("=?base64?{}?=", STANDARD.encode(name)))?)
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderMap;

    use super::*;

    #[test]
    fn arguments_keep_their_spelling() {
        let request = Request { tool: "a\"b", arguments: r#"{ "n": 1.50e400 }"# };
        assert_eq!(
            request.call(2, None),
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a\"b","arguments":{ "n": 1.50e400 }}}"#
        );
        let json = request.call(1, Some(&json!({"a": 1})));
        assert!(json.ends_with(r#"{ "n": 1.50e400 },"_meta":{"a":1}}}"#), "{json}");
    }

    #[test]
    fn names_become_headers() {
        for (name, value) in [
            ("run", "run"),
            ("a b", "a b"),
            ("größe", "=?base64?Z3LDtsOfZQ==?="),
            (" run", "=?base64?IHJ1bg==?="),
            ("a\nb", "=?base64?YQpi?="),
            ("", "=?base64??="),
            ("=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?="),
        ] {
            assert_eq!(header(name).expect(name), value);
        }
    }

    #[test]
    fn only_servers_that_do_not_understand_get_a_session() {
        let refused = |code| Reply::Refused { code, message: String::new() };
        let strange = || Reply::Strange(String::new());
        for (status, reply, expected) in [
            (200, Reply::Result("{}".to_owned()), false),
            (200, refused(-32_602), false),
            (200, refused(-32_600), true),
            (200, refused(-32_022), true),
            (400, refused(-32_022), true),
            (400, refused(-32_020), false),
            (400, refused(-32_000), true),
            (401, refused(-32_000), false),
            (403, refused(-32_000), false),
            (404, strange(), true),
            (422, strange(), true),
            (401, strange(), false),
            (200, strange(), false),
            (500, strange(), false),
            (503, refused(-32_000), false),
        ] {
            let told = format!("{status} {reply:?}");
            let status = StatusCode::from_u16(status).expect("a status");
            let answer = Answer { status, headers: HeaderMap::new(), reply };
            assert_eq!(is_older(&answer), expected, "{told}");
        }
    }
}
