//! Servers reached by HTTP as they are: sessions that are forgotten, answers that are none, bodies that
//! no client expects. Each costs its own call only, and says at once what it is.

use super::shop::{Running, Shop};
use anyhow::{Result, ensure};
use pif_tests::server::endpoint::{self, Request};
use serde_json::{Value, json};
use std::io::{BufReader, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A request of a client.
struct Asked {
    /// `POST`, `GET` or `DELETE`.
    verb: String,
    session: Option<String>,
    message: Value,
}

impl Asked {
    fn method(&self) -> &str {
        self.message["method"].as_str().unwrap_or_default()
    }

    /// An answer in JSON.
    fn result(&self, result: &Value) -> Told {
        let body = json!({"jsonrpc": "2.0", "id": self.message["id"], "result": result});
        Told::json(200, &body)
    }
}

/// What a server answers.
struct Told {
    status: u16,
    headers: String,
    body: Vec<u8>,
}

impl Told {
    fn new(status: u16, headers: &str, body: impl Into<Vec<u8>>) -> Self {
        Self { status, headers: headers.to_owned(), body: body.into() }
    }

    fn json(status: u16, body: &Value) -> Self {
        Self::new(status, "Content-Type: application/json\r\n", body.to_string())
    }
}

/// Starts a server that answers by a function; gives its address.
fn serve(answer: impl Fn(&Asked) -> Told + Send + Sync + 'static) -> Result<String> {
    let address = endpoint::listen(move |connection| {
        // A client that is gone needs no answer.
        let _ = exchange(connection, &answer);
    })?;
    Ok(format!("http://{address}/mcp"))
}

fn exchange(connection: &TcpStream, answer: &dyn Fn(&Asked) -> Told) -> Option<()> {
    let request = Request::read(&mut BufReader::new(connection))?;
    let told = answer(&Asked {
        verb: request.method().to_owned(),
        session: request.header("mcp-session-id").map(str::to_owned),
        message: serde_json::from_slice(&request.body).unwrap_or_default(),
    });
    let mut writer = connection;
    let head = format!(
        "HTTP/1.1 {} X\r\n{}Content-Length: {}\r\nConnection: close\r\n\r\n",
        told.status,
        told.headers,
        told.body.len()
    );
    writer.write_all(head.as_bytes()).ok()?;
    writer.write_all(&told.body).ok()
}

/// What a server of the older era does that has a session; `call` answers calls.
fn older(asked: &Asked, session: &str, call: impl Fn(&Asked) -> Told) -> Told {
    if asked.verb != "POST" {
        return Told::new(405, "", "");
    }
    match asked.method() {
        "initialize" => {
            let result = json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                "serverInfo": {"name": "s", "version": "1"}});
            let mut told = asked.result(&result);
            told.headers.push_str(&format!("Mcp-Session-Id: {session}\r\n"));
            told
        }
        "notifications/initialized" => Told::new(202, "", ""),
        "tools/list" => {
            asked.result(&json!({"tools": [{"name": "t", "inputSchema": {"type": "object"}}]}))
        }
        "tools/call" => call(asked),
        _ => Told::json(200, &refused(&asked.message["id"], -32601)),
    }
}

fn refused(id: &Value, code: i64) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": "no"}})
}

fn done(asked: &Asked) -> Told {
    asked.result(&json!({"content": [{"type": "text", "text": "done"}]}))
}

fn shop(url: &str) -> Result<Shop> {
    Shop::new(&json!({"mcpServers": {"s": {"url": url, "grants": "allow"}}}))
}

/// The reply of a run in which the tool is called.
fn call(server: &mut Running) -> Result<Value> {
    server.call("run", &json!({"code": "try {s.t({})} catch (e) {e}"}))
}

/// Whoever forgets a session says so in one of these ways.
fn forgets(way: usize, asked: &Asked) -> Told {
    let id = &asked.message["id"];
    match way {
        0 => Told::new(404, "", "no session"),
        1 => Told::new(410, "", ""),
        2 => Told::json(400, &refused(&Value::Null, -32000)),
        3 => Told::json(401, &refused(&Value::Null, -32001)),
        4 => Told::json(200, &refused(id, -32001)),
        5 => Told::json(200, &refused(id, -32600)),
        6 => Told::json(404, &refused(&json!("server-error"), -32600)),
        _ => Told::new(400, "Content-Type: text/plain\r\n", "Session not found"),
    }
}

#[test]
fn a_session_that_is_forgotten_begins_anew_with_the_next_call() -> Result<()> {
    for way in 0..8 {
        let (begun, calls) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (seen, called) = (Arc::clone(&begun), Arc::clone(&calls));
        let url = serve(move |asked| {
            if asked.method() == "initialize" {
                seen.fetch_add(1, Ordering::Relaxed);
            }
            let session = seen.load(Ordering::Relaxed).to_string();
            older(asked, &session, |asked| {
                called.fetch_add(1, Ordering::Relaxed);
                // The first session lasts for one call.
                let is_old = asked.session.as_deref() == Some("1");
                if is_old && called.load(Ordering::Relaxed) > 1 {
                    forgets(way, asked)
                } else {
                    done(asked)
                }
            })
        })?;
        let shop = shop(&url)?;
        let mut server = Running::start(&shop, &[])?;
        ensure!(call(&mut server)?["value"] == "done", "{way}");
        let start = Instant::now();
        let forgotten = call(&mut server)?;
        ensure!(forgotten["value"] != "done", "{way}: {forgotten}");
        let again = call(&mut server)?;
        ensure!(again["value"] == "done", "{way}: {again}");
        ensure!(start.elapsed() < Duration::from_secs(4), "{way}: {:?}", start.elapsed());
        ensure!(begun.load(Ordering::Relaxed) == 2, "{way}");
        // Nothing is sent twice by itself.
        ensure!(calls.load(Ordering::Relaxed) == 3, "{way}");
    }
    Ok(())
}

#[test]
fn what_is_no_answer_ends_the_call_at_once() -> Result<()> {
    let answers: Vec<(&str, fn(&Asked) -> Told)> = vec![
        ("accepted", |_| Told::new(202, "", "")),
        ("no content", |_| Told::new(204, "", "")),
        ("an error for nobody", |_| Told::json(200, &refused(&Value::Null, -32700))),
        ("an error for another", |_| Told::json(500, &refused(&json!(4711), -32603))),
        ("a result that is none", |_| Told::json(200, &json!({"jsonrpc": "2.0"}))),
        ("an empty body", |_| Told::new(200, "Content-Type: application/json\r\n", "")),
        ("a page", |_| Told::new(200, "Content-Type: text/html\r\n", "<p>hello")),
        ("a stream without answer", |_| {
            Told::new(200, "Content-Type: text/event-stream\r\n", ": nothing\n\n")
        }),
        ("a coding", |asked| {
            let told = done(asked);
            Told::new(200, "Content-Type: application/json\r\nContent-Encoding: br\r\n", told.body)
        }),
    ];
    for (name, answer) in answers {
        let url = serve(move |asked| older(asked, "1", answer))?;
        let shop = shop(&url)?;
        // The binary may have to be built first.
        shop.command(&[])?;
        let start = Instant::now();
        let told = shop.complaint("s.t", "{}")?;
        ensure!(!told.starts_with("timeout"), "{name}: {told}");
        ensure!(start.elapsed() < Duration::from_secs(4), "{name}: {:?}", start.elapsed());
    }
    Ok(())
}

/// `done` as the answer to a call, compressed by gzip: a block that is stored.
fn gzip(body: &[u8]) -> Vec<u8> {
    let mut crc = u32::MAX;
    for byte in body {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    let length = u16::try_from(body.len()).unwrap_or_default();
    let mut zipped = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1];
    zipped.extend(length.to_le_bytes());
    zipped.extend((!length).to_le_bytes());
    zipped.extend(body);
    zipped.extend((!crc).to_le_bytes());
    zipped.extend(u32::from(length).to_le_bytes());
    zipped
}

#[test]
fn answers_are_read_as_servers_write_them() -> Result<()> {
    let answers: Vec<(&str, fn(&Asked) -> Told)> = vec![
        ("an id as a text", |asked| {
            let id = asked.message["id"].to_string();
            let result = json!({"content": [{"type": "text", "text": "done"}]});
            Told::json(200, &json!({"jsonrpc": "2.0", "id": id, "result": result}))
        }),
        ("a mark of the byte order", |asked| {
            let body = ["\u{feff}".as_bytes(), &done(asked).body].concat();
            Told::new(200, "Content-Type: application/json\r\n", body)
        }),
        ("a list", |asked| {
            let body = [b"[".as_slice(), &done(asked).body, b"]"].concat();
            Told::new(200, "Content-Type: application/json\r\n", body)
        }),
        ("another type", |asked| Told::new(200, "Content-Type: text/plain\r\n", done(asked).body)),
        ("no type", |asked| Told::new(200, "", done(asked).body)),
        ("bare JSON as a stream", |asked| {
            Told::new(200, "Content-Type: text/event-stream\r\n", done(asked).body)
        }),
        ("a stream", |asked| {
            let body = [b"event: message\ndata: ".as_slice(), &done(asked).body, b"\n\n"].concat();
            Told::new(200, "Content-Type: text/event-stream\r\n", body)
        }),
        ("gzip", |asked| {
            let headers = "Content-Type: application/json\r\nContent-Encoding: gzip\r\n";
            Told::new(200, headers, gzip(&done(asked).body))
        }),
    ];
    for (name, answer) in answers {
        let url = serve(move |asked| older(asked, "1", answer))?;
        let said = shop(&url)?.say(&["capability", "call", "s.t", "{}"])?;
        ensure!(said.ok && said.output.trim_matches('"') == "done", "{name}: {said:?}");
    }
    Ok(())
}

#[test]
fn a_server_that_fails_at_what_it_does_not_know_is_asked_the_older_way() -> Result<()> {
    for (status, body) in [(500, ""), (500, "oops"), (400, ""), (404, "no"), (501, ""), (202, "")] {
        let url = serve(move |asked| match asked.method() {
            "server/discover" => Told::new(status, "Content-Type: text/plain\r\n", body),
            _ => older(asked, "1", done),
        })?;
        let said = shop(&url)?.say(&["capability", "call", "s.t", "{}"])?;
        ensure!(said.ok, "{status} {body}: {said:?}");
    }
    Ok(())
}

/// A program tries again when a server that takes no more calls says that it will: after seconds, or at a
/// date. A replay waits for nothing.
#[test]
fn a_retry_waits_as_long_as_a_server_asks_for() -> Result<()> {
    for (header, least, most) in [("2", 2_000, 3_000), ("date", 1_000, 4_000), ("", 0, 1_000)] {
        let calls = Arc::new(AtomicUsize::new(0));
        let called = Arc::clone(&calls);
        let url = serve(move |asked| {
            older(asked, "1", |asked| {
                if called.fetch_add(1, Ordering::Relaxed) > 0 {
                    return done(asked);
                }
                let after = match header {
                    "" => String::new(),
                    "date" => format!("Retry-After: {}\r\n", in_three_seconds()),
                    seconds => format!("Retry-After: {seconds}\r\n"),
                };
                Told::new(429, &after, "")
            })
        })?;
        let shop = repeatable(&url)?;
        let mut server = Running::start(&shop, &[])?;
        let start = Instant::now();
        let code = "retry({attempts: 2, first_ms: 1, on: ['rate-limited']}, () => s.t({}))";
        let told = server.call("run", &json!({"code": code}))?;
        let took = start.elapsed();
        ensure!(told["value"] == "done", "{header}: {told}");
        let range = Duration::from_millis(least)..Duration::from_millis(most + 2_000);
        ensure!(range.contains(&took), "{header}: {took:?}");
        let start = Instant::now();
        let replayed = server.call("replay", &json!({"entry": 1}))?;
        ensure!(replayed["verdict"] == "equal", "{header}: {replayed}");
        ensure!(start.elapsed() < Duration::from_millis(1_500), "{header}: {:?}", start.elapsed());
        ensure!(calls.load(Ordering::Relaxed) == 2, "{header}");
    }
    Ok(())
}

/// A server that asks for more than a `retry` may wait is not called again.
#[test]
fn a_retry_does_not_begin_a_wait_that_is_too_long() -> Result<()> {
    let url = serve(move |asked| older(asked, "1", |_| Told::new(429, "Retry-After: 61\r\n", "")))?;
    let shop = repeatable(&url)?;
    let mut server = Running::start(&shop, &[])?;
    let start = Instant::now();
    let code = "try {retry({}, () => s.t({}))} catch (e) {e.reason}";
    let told = server.call("run", &json!({"code": code}))?;
    ensure!(told["value"] == "rate-limited", "{told}");
    ensure!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    Ok(())
}

/// A configuration in which a call may be made again.
fn repeatable(url: &str) -> Result<Shop> {
    let server = json!({"url": url, "grants": "allow", "effects": {"t": "idempotent"}});
    Shop::new(&json!({"mcpServers": {"s": server}}))
}

/// A date of HTTP that is three seconds from now.
fn in_three_seconds() -> String {
    let then = std::time::SystemTime::now() + Duration::from_secs(3);
    httpdate(then.duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_secs())
}

/// The date of HTTP of a moment, in seconds since 1970.
fn httpdate(seconds: u64) -> String {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (mut days, time) = (seconds / 86_400, seconds % 86_400);
    let is_leap = |year: u64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    let (hours, minutes, seconds) = (time / 3_600, time / 60 % 60, time % 60);
    format!(
        "Thu, {:02} {} {year} {hours:02}:{minutes:02}:{seconds:02} GMT",
        days + 1,
        MONTHS[month]
    )
}
