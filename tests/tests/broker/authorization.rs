//! A server that wants a token, and the authorization server that grants it, on one port of this
//! machine. Both are strict: a code serves once and for whom it was made, and so does what renews a
//! token. What they were asked is written down.

use anyhow::{Context, Result, ensure};
use pif_tests::server::endpoint::{self, Request};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// The parameters of an address or a form.
pub(super) type Form = BTreeMap<String, String>;

/// What is sent to somebody who asks.
#[derive(Clone)]
pub(super) struct Told {
    pub(super) status: u16,
    pub(super) headers: String,
    pub(super) body: String,
}

impl Told {
    pub(super) fn json(status: u16, body: &Value) -> Self {
        let headers = "Content-Type: application/json\r\n".to_owned();
        Self { status, headers, body: body.to_string() }
    }

    fn error(code: &str, description: &str) -> Self {
        Self::json(400, &json!({"error": code, "error_description": description}))
    }
}

/// A request.
pub(super) struct Asked {
    pub(super) verb: String,
    pub(super) path: String,
    pub(super) query: Form,
    pub(super) authorization: String,
    pub(super) body: String,
}

type Change = Box<dyn Fn(&Asked) -> Option<Told> + Send>;

#[derive(Default)]
pub(super) struct State {
    /// What is answered instead of what a good server answers.
    change: Option<Change>,
    /// How long an access lasts, as its grant says.
    pub(super) lasts: Option<u64>,
    /// How long a token takes to be granted.
    pub(super) slow: Duration,
    /// Whether nothing is renewed any more.
    pub(super) is_over: bool,
    codes: BTreeMap<String, Form>,
    access: BTreeSet<String>,
    refresh: BTreeSet<String>,
    granted: usize,
    /// The requests for tokens, with what authorized them.
    pub(super) exchanges: Vec<(Form, String)>,
    /// What clients registered.
    pub(super) registered: Vec<Value>,
    /// Tokens that were given back.
    pub(super) returned: Vec<String>,
    /// Calls of tools that were made.
    pub(super) calls: usize,
}

/// Both servers.
#[derive(Clone)]
pub(super) struct Guarded {
    pub(super) origin: String,
    state: Arc<Mutex<State>>,
}

impl Guarded {
    pub(super) fn start() -> Result<Self> {
        let state = Arc::<Mutex<State>>::default();
        let own = Arc::clone(&state);
        let address = endpoint::listen(move |connection| {
            // A client that is gone needs no answer.
            let _ = connection.local_addr().ok().and_then(|address| {
                let origin = format!("http://{address}");
                Self { origin, state: Arc::clone(&own) }.exchange(connection)
            });
        })?;
        Ok(Self { origin: format!("http://{address}"), state })
    }

    pub(super) fn url(&self) -> String {
        format!("{}/mcp", self.origin)
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers otherwise from now on.
    pub(super) fn change(&self, change: impl Fn(&Asked) -> Option<Told> + Send + 'static) {
        self.state().change = Some(Box::new(change));
    }

    /// Takes no access any more that was granted before.
    pub(super) fn forget_access(&self) {
        self.state().access.clear();
    }

    /// How often tokens were renewed.
    pub(super) fn renewals(&self) -> usize {
        let state = self.state();
        let renews = |form: &Form| form["grant_type"] == "refresh_token";
        state.exchanges.iter().filter(|(form, _)| renews(form)).count()
    }

    fn exchange(&self, connection: &TcpStream) -> Option<()> {
        let request = Request::read(&mut BufReader::new(connection))?;
        let (path, query) = request.target().split_once('?').unwrap_or((request.target(), ""));
        let asked = Asked {
            verb: request.method().to_owned(),
            path: path.to_owned(),
            query: form(query),
            authorization: request.header("authorization").unwrap_or_default().to_owned(),
            body: String::from_utf8(request.body).ok()?,
        };
        let told = self.answer(&asked);
        let mut writer = connection;
        let Told { status, headers, body } = told;
        let length = body.len();
        write!(
            writer,
            "HTTP/1.1 {status} X\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )
        .ok()
    }

    fn answer(&self, asked: &Asked) -> Told {
        let mut state = self.state();
        if let Some(told) = state.change.as_ref().and_then(|change| change(asked)) {
            return told;
        }
        let form = form(&asked.body);
        match (asked.verb.as_str(), asked.path.as_str()) {
            ("GET", "/.well-known/oauth-protected-resource/mcp") => {
                Told::json(200, &self.resource())
            }
            ("GET", "/.well-known/oauth-authorization-server") => Told::json(200, &self.issuer()),
            ("POST", "/register") => {
                let client: Value = serde_json::from_str(&asked.body).unwrap_or_default();
                let answer =
                    json!({"client_id": "registered", "redirect_uris": client["redirect_uris"]});
                state.registered.push(client);
                Told::json(201, &answer)
            }
            ("GET", "/authorize") => state.authorize(asked, &self.origin),
            ("POST", "/token") => {
                state.exchanges.push((form.clone(), asked.authorization.clone()));
                let slow = state.slow;
                drop(state);
                thread::sleep(slow);
                self.state().grant(&form, asked, &self.url())
            }
            ("POST", "/revoke") => {
                state.returned.push(form["token"].clone());
                Told::json(200, &json!({}))
            }
            ("POST", "/mcp") => state.serve(asked, &self.origin),
            _ => Told { status: 404, headers: String::new(), body: String::new() },
        }
    }

    /// What the server says of itself.
    pub(super) fn resource(&self) -> Value {
        json!({"resource": self.url(), "authorization_servers": [self.origin],
            "scopes_supported": ["read", "write"]})
    }

    /// What the authorization server says of itself.
    pub(super) fn issuer(&self) -> Value {
        let at = |path: &str| format!("{}{path}", self.origin);
        json!({"issuer": self.origin, "authorization_endpoint": at("/authorize"),
            "token_endpoint": at("/token"), "registration_endpoint": at("/register"),
            "revocation_endpoint": at("/revoke"), "scopes_supported": ["read", "offline_access"],
            "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": true})
    }
}

impl State {
    /// What a person does who agrees: the browser goes back with a code.
    fn authorize(&mut self, asked: &Asked, origin: &str) -> Told {
        let query = &asked.query;
        let has = |name: &str, value: &str| query.get(name).is_some_and(|it| it == value);
        let redirect = query.get("redirect_uri").cloned().unwrap_or_default();
        if !has("response_type", "code") || !has("code_challenge_method", "S256") {
            return Told::error("invalid_request", "");
        }
        let code = format!("code-{}-of-this-login", self.codes.len());
        self.codes.insert(code.clone(), query.clone());
        let state = query.get("state").cloned().unwrap_or_default();
        let issuer = origin.replace(':', "%3A").replace('/', "%2F");
        let headers = format!("Location: {redirect}?code={code}&state={state}&iss={issuer}\r\n");
        Told { status: 302, headers, body: String::new() }
    }

    fn grant(&mut self, form: &Form, asked: &Asked, resource: &str) -> Told {
        let has = |name: &str, value: &str| form.get(name).is_some_and(|it| it == value);
        if !has("resource", resource) {
            return Told::error("invalid_target", "");
        }
        let is_known = if has("grant_type", "authorization_code") {
            let code = form.get("code").and_then(|code| self.codes.remove(code));
            code.is_some_and(|query| {
                let verifier = form.get("code_verifier").map_or("", String::as_str);
                let client = form.get("client_id").or(query.get("client_id"));
                query["code_challenge"] == base64(&Sha256::digest(verifier))
                    && query["redirect_uri"] == form["redirect_uri"]
                    && client == query.get("client_id")
                    && (form.contains_key("client_id") || !asked.authorization.is_empty())
            })
        } else {
            let refresh = form.get("refresh_token").cloned().unwrap_or_default();
            let is_known = self.refresh.remove(&refresh) && !self.is_over;
            if !is_known {
                // Who comes with an old one may have stolen it.
                self.refresh.clear();
                self.access.clear();
                return Told::error("invalid_grant", &format!("{refresh} is none that renews"));
            }
            is_known
        };
        if !is_known {
            return Told::error("invalid_grant", "no such code");
        }
        self.granted += 1;
        let (access, refresh) = (
            format!("access-{}-SECRETSECRET", self.granted),
            format!("refresh-{}-SECRETSECRET", self.granted),
        );
        self.access.insert(access.clone());
        self.refresh.insert(refresh.clone());
        let mut told =
            json!({"access_token": access, "token_type": "bearer", "refresh_token": refresh});
        if let Some(lasts) = self.lasts {
            told["expires_in"] = lasts.into();
        }
        Told::json(200, &told)
    }

    /// A server of the older era with one tool, which tells what authorized the call.
    fn serve(&mut self, asked: &Asked, origin: &str) -> Told {
        let token = asked.authorization.strip_prefix("Bearer ").unwrap_or_default();
        if !self.access.contains(token) {
            let metadata = format!("{origin}/.well-known/oauth-protected-resource/mcp");
            let headers = format!(
                "WWW-Authenticate: Bearer error=\"invalid_token\", scope=\"read\", resource_metadata=\"{metadata}\"\r\n"
            );
            return Told { status: 401, headers, body: String::new() };
        }
        let message: Value = serde_json::from_str(&asked.body).unwrap_or_default();
        let result = match message["method"].as_str().unwrap_or_default() {
            "initialize" => json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                "serverInfo": {"name": "guarded", "version": "1"}}),
            "tools/list" => {
                json!({"tools": [{"name": "who", "inputSchema": {"type": "object"}}]})
            }
            "tools/call" => {
                self.calls += 1;
                json!({"content": [{"type": "text", "text": format!("you are {token}")}]})
            }
            _ if message["id"].is_null() => {
                return Told { status: 202, headers: String::new(), body: String::new() };
            }
            _ => {
                let error = json!({"code": -32601, "message": "no"});
                let body = json!({"jsonrpc": "2.0", "id": message["id"], "error": error});
                return Told::json(200, &body);
            }
        };
        Told::json(200, &json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
    }
}

/// Reads the parameters of an address or a form.
pub(super) fn form(text: &str) -> Form {
    let read = |text: &str| {
        let mut bytes = Vec::new();
        let mut rest = text.bytes();
        while let Some(byte) = rest.next() {
            bytes.push(match byte {
                b'+' => b' ',
                b'%' => {
                    let digits = [rest.next().unwrap_or(b'0'), rest.next().unwrap_or(b'0')];
                    u8::from_str_radix(&String::from_utf8_lossy(&digits), 16).unwrap_or(b'?')
                }
                byte => byte,
            });
        }
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (read(name), read(value))).collect()
}

/// Base64 for URLs.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for part in bytes.chunks(3) {
        let whole = part.iter().fold(0, |whole, byte| (whole << 8) | u32::from(*byte));
        let whole = whole << (8 * (3 - part.len()));
        for place in 0..=part.len() {
            text.push(DIGITS[(whole >> (18 - 6 * place)) as usize & 63] as char);
        }
    }
    text
}

/// What a browser gets: the status, where it is sent, and the page.
pub(super) fn get(url: &str) -> Result<(u16, Option<String>, String)> {
    let rest = url.strip_prefix("http://").context("an address of this machine")?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let mut stream = TcpStream::connect(host)?;
    write!(stream, "GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")?;
    let mut told = String::new();
    stream.read_to_string(&mut told)?;
    let (head, body) = told.split_once("\r\n\r\n").with_context(|| told.clone())?;
    let status = head.split(' ').nth(1).context("a status")?.parse()?;
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    let location = lines.find(|(name, _)| name.eq_ignore_ascii_case("location"));
    Ok((status, location.map(|(_, value)| value.to_owned()), body.to_owned()))
}

/// What a person does in a browser who agrees; gives the last page.
pub(super) fn browse(url: &str) -> Result<String> {
    let (status, location, body) = get(url)?;
    ensure!(status == 302, "{url}: {status} {body}");
    let (status, _, page) = get(&location.context("nothing to go to")?)?;
    ensure!(status == 200, "{status} {page}");
    Ok(page)
}
