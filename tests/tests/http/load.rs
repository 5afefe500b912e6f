//! Clients that are many, slow or gone: what they take is bounded, and others are served.

use super::client::{self, request};
use super::folder::Folder;
use super::web::{Connection, Web, modern_headers};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::fs;
use std::net::Shutdown;
use std::time::{Duration, Instant};

/// A program that ends only by its limits.
const ENDLESS: &str = r#"{"code":{"app":{"func":{"lam":"x","body":{"app":{"func":{"var":"x"},"arg":{"var":"x"}}}},"arg":{"lam":"x","body":{"app":{"func":{"var":"x"},"arg":{"var":"x"}}}}}}}"#;

const TYPES: &str =
    "accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n";

/// The headers and the body of a call that ends only by its limits, without a session.
fn endless() -> Result<(String, String)> {
    let params = json!({"name": "run"});
    let body = client::modern(&json!(1), "tools/call", params.clone())?;
    let arguments = format!("\"params\":{{\"arguments\":{ENDLESS},");
    let headers = format!("{TYPES}{}", modern_headers("", "tools/call", &params));
    Ok((headers, body.replacen("\"params\":{", &arguments, 1)))
}

fn works(web: &Web) -> Result<()> {
    let result = web.call("", "run", &json!({"code": {"add": [40, 2]}}))?;
    ensure!(client::text(&result)? == "42", "{result}");
    Ok(())
}

#[test]
fn clients_that_send_slowly_are_cut() -> Result<()> {
    let web =
        Web::start(&["--http-head", "300ms", "--http-body", "300ms", "--http-idle", "600ms"])?;
    // A connection without a request, and a head that drips.
    let mut idle = web.connect()?;
    let mut drip = web.connect()?;
    drip.write(b"POST /mcp HTTP/1.1\r\n")?;
    let start = Instant::now();
    while drip.write(b"a: b\r\n").is_ok() {
        ensure!(start.elapsed() < Duration::from_secs(30), "the head may drip for ever");
        std::thread::sleep(Duration::from_millis(20));
    }
    ensure!(idle.is_closed());
    // A body that stops halfway.
    let mut half = web.connect()?;
    half.write(
        format!(
            "POST /mcp HTTP/1.1\r\nhost: localhost\r\n{TYPES}content-length: 100\r\n\r\n{{\"id\":5,"
        )
        .as_bytes(),
    )?;
    let message = half.reply()?.refusal(408, &Value::Null)?;
    ensure!(message.contains("http_body_ms"), "{message}");
    // A connection that is used stays.
    let mut used = web.connect()?;
    let ready = used.send("GET", "/ready", "", "")?;
    ensure!(ready.status == 200);
    ensure!(used.is_closed(), "it is idle in the end");
    works(&web)
}

#[test]
#[cfg(target_os = "linux")]
fn clients_that_do_not_read_are_cut() -> Result<()> {
    let web = Web::start(&["--http-body", "500ms", "--max-result", "2000000"])?;
    let long = "x".repeat(1_500_000);
    let params = json!({"name": "run", "arguments": {"code": format!("\"{long}\"")}});
    let body = client::modern(&json!(1), "tools/call", params.clone())?;
    let headers = format!("{TYPES}{}", modern_headers("", "tools/call", &params));
    works(&web)?;
    let sockets = || -> Result<usize> {
        let sockets = fs::read_dir(format!("/proc/{}/fd", web.process()))?;
        let is_socket = |entry: &fs::DirEntry| {
            fs::read_link(entry.path()).is_ok_and(|it| it.to_string_lossy().starts_with("socket:"))
        };
        Ok(sockets.filter_map(Result::ok).filter(is_socket).count())
    };
    let before = sockets()?;
    let mut deaf = web.connect()?;
    // Its replies are more than the system holds for it.
    for _ in 0..8 {
        if deaf.begin("POST", "/mcp", &headers, &body).is_err() {
            break;
        }
        works(&web)?;
    }
    web.wait_for("the end of the connection", || Ok(sockets()? <= before))?;
    works(&web)
}

#[test]
fn connections_over_their_limit_are_turned_away() -> Result<()> {
    let web = Web::start(&["--http-connections", "4"])?;
    let mut held: Vec<Connection> = Vec::new();
    // Connections from before may still be about to end.
    web.wait_for("four connections", || {
        let mut next = web.connect()?;
        if next.send("GET", "/health", "", "").is_ok_and(|reply| reply.status == 200) {
            held.push(next);
        }
        Ok(held.len() == 4)
    })?;
    let mut fifth = web.connect()?;
    let turned = fifth.reply()?;
    let message = turned.refusal(503, &Value::Null)?;
    ensure!(message.contains("no room") && turned.headers.contains_key("retry-after"), "{message}");
    ensure!(held[0].send("GET", "/health", "", "")?.status == 200);
    drop(held);
    web.wait_for("room", || Ok(web.get("/health", "").is_ok_and(|reply| reply.status == 200)))
}

#[test]
fn a_thousand_idle_connections_disturb_nobody() -> Result<()> {
    let web = Web::start(&[])?;
    let idle: Vec<Connection> = (0..950).map(|_| web.connect()).collect::<Result<_>>()?;
    for _ in 0..20 {
        works(&web)?;
    }
    drop(idle);
    works(&web)
}

#[test]
fn so_many_calls_of_a_session_are_open() -> Result<()> {
    let web = Web::start(&[
        "--http-calls",
        "2",
        "--patience",
        "300ms",
        "--wall-clock",
        "20s",
        "--fuel",
        "1000000G",
        "--fuel-ceiling",
        "1000000G",
    ])?;
    let session = web.session("")?;
    let headers = format!("{TYPES}{}", session.headers);
    let mut open: Vec<Connection> = Vec::new();
    for id in 1..=2 {
        let mut connection = web.connect()?;
        connection.begin("POST", "/mcp", &headers, &client::call(&json!(id), "run", ENDLESS))?;
        ensure!(connection.head()?.status == 200);
        open.push(connection);
    }
    let third = session.post(&client::call(&json!(3), "run", ENDLESS))?;
    let message = third.refusal(429, &json!(3))?;
    ensure!(message.contains("http_calls"), "{message}");
    let twice = session.post(&request(&json!(1), "ping", &json!({})))?;
    let message = twice.refusal(400, &json!(1))?;
    ensure!(message.contains("use each id once"), "{message}");
    // Other requests of the session are served, and a cancellation makes room.
    ensure!(session.post(&request(&json!(4), "ping", &json!({})))?.status == 200);
    let cancel =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    ensure!(session.post(&cancel.to_string())?.status == 202);
    web.wait_for("room for a call", || {
        Ok(session.post(&client::call(&json!(5), "run", r#"{"code":1}"#))?.status == 200)
    })
}

#[test]
fn long_bodies_share_a_room() -> Result<()> {
    let web = Web::start(&["--max-line", "40MiB"])?;
    let half = vec![b' '; 36 << 20];
    let mut first = web.connect()?;
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\n{TYPES}content-length: {}\r\n\r\n",
        half.len() + 10
    );
    first.write(head.as_bytes())?;
    first.write(&half)?;
    let second = web.post("", &format!("{{\"id\":2,{}}}", " ".repeat(36 << 20)))?;
    let message = second.refusal(503, &Value::Null)?;
    ensure!(message.contains("busy") && second.headers.contains_key("retry-after"), "{message}");
    works(&web)?;
    drop(first);
    web.wait_for("room", || {
        let body = format!("{{\"id\":2,{}}}", " ".repeat(36 << 20));
        Ok(web.post("", &body)?.status == 400)
    })
}

#[test]
fn a_body_that_is_too_long_is_refused() -> Result<()> {
    let web = Web::start(&["--max-line", "64KiB"])?;
    let body = format!("{{\"jsonrpc\":\"2.0\",\"id\":\"long\",\"x\":\"{}\"}}", "x".repeat(1 << 20));
    let told = web.post("", &body)?;
    told.refusal(413, &Value::Null)?;
    let mut chunked = web.connect()?;
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\n{TYPES}transfer-encoding: chunked\r\n\r\n"
    );
    chunked.write(head.as_bytes())?;
    chunked.write(format!("{:x}\r\n{body}\r\n", body.len()).as_bytes())?;
    chunked.reply()?.refusal(413, &Value::Null)?;
    works(&web)
}

#[test]
fn clients_leave_at_any_moment() -> Result<()> {
    let web = Web::start(&[
        "--concurrency",
        "2",
        "--wall-clock",
        "30s",
        "--fuel",
        "1000000G",
        "--fuel-ceiling",
        "1000000G",
    ])?;
    let (headers, body) = endless()?;
    let whole = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\n{headers}content-length: {}\r\n\r\n{body}",
        body.len()
    );
    for cut in [1, 20, 100, whole.len() - body.len(), whole.len() - 1, whole.len()] {
        for _ in 0..3 {
            let mut connection = web.connect()?;
            connection.write(&whole.as_bytes()[..cut])?;
            connection.stream().shutdown(Shutdown::Both)?;
        }
    }
    // Runs whose clients have gone do not hold the places of others.
    let start = Instant::now();
    works(&web)?;
    ensure!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
    Ok(())
}

#[test]
fn a_client_that_leaves_cancels_its_run() -> Result<()> {
    let web = Web::start(&[
        "--concurrency",
        "1",
        "--wall-clock",
        "60s",
        "--fuel",
        "1000000G",
        "--fuel-ceiling",
        "1000000G",
    ])?;
    let (headers, body) = endless()?;
    let mut connection = web.connect()?;
    connection.begin("POST", "/mcp", &headers, &body)?;
    std::thread::sleep(Duration::from_millis(200));
    connection.stream().shutdown(Shutdown::Both)?;
    let cancelled = || {
        let recent = web.call("", "journal_recent", &json!({"limit": 5}))?;
        Ok(recent["structuredContent"].to_string().contains("\"cancelled\""))
    };
    web.wait_for("the cancellation", cancelled)?;
    works(&web)
}

#[test]
fn a_signal_lets_requests_finish() -> Result<()> {
    let mut web = Web::start(&[
        "--wall-clock",
        "2s",
        "--http-drain",
        "30s",
        "--fuel",
        "1000000G",
        "--fuel-ceiling",
        "1000000G",
    ])?;
    let (headers, body) = endless()?;
    let mut busy = web.connect()?;
    busy.begin("POST", "/mcp", &headers, &body)?;
    let session = web.session("")?;
    let mut listening = web.connect()?;
    ensure!(listening.listen(&session.headers)?.status == 200);
    std::thread::sleep(Duration::from_millis(300));
    web.signal("-TERM")?;
    let reply = busy.reply()?;
    let answer = reply.answer().with_context(|| reply.text())?;
    let code = &answer["result"]["structuredContent"]["code"];
    ensure!(code == "timeout" || code == "out-of-fuel", "the run was not finished: {answer}");
    ensure!(web.wait()?.success(), "{}", web.log());
    Ok(())
}

#[test]
fn a_server_that_is_killed_starts_again() -> Result<()> {
    let web = Web::start(&[])?;
    for n in 0..5 {
        web.call("", "memory_store", &json!({"key": format!("k{n}"), "value": n}))?;
    }
    let folder: Folder = web.kill()?;
    let web = Web::start_in(folder, &[])?;
    for n in 0..5 {
        let found = web.call("", "memory_retrieve", &json!({"key": format!("k{n}")}))?;
        ensure!(found.to_string().contains(&format!("k{n}")), "{found}");
    }
    Ok(())
}
