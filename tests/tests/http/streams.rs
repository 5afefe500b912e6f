//! Streams of events: how they begin, and how a client goes on after it has lost its connection.

use super::client::{self, request};
use super::web::{Connection, Web};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::net::Shutdown;
use std::thread::sleep;
use std::time::Duration;

const TYPES: &str =
    "accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n";

/// A run that takes a while: it goes on in a session when its client leaves.
const SLOW: &str = r#"{"code":"range(0, 400000).map(n => n * n).sum()"}"#;

/// Begins a session of a protocol version. Gives its headers.
fn begin(web: &Web, version: &str) -> Result<String> {
    let params = json!({
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    });
    let reply = web.post("", &request(&json!(0), "initialize", &params))?;
    ensure!(reply.status == 200, "{}", reply.text());
    ensure!(!has_empty_event(&reply.text()), "{version}: {}", reply.text());
    let id = &reply.headers["mcp-session-id"];
    let headers = format!("mcp-session-id: {id}\r\nmcp-protocol-version: {version}\r\n");
    let body = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    ensure!(web.post(&headers, &body)?.status == 202);
    Ok(headers)
}

/// Whether some event has no data: older clients read it as JSON.
fn has_empty_event(text: &str) -> bool {
    text.lines().any(|line| line.strip_prefix("data:").is_some_and(|data| data.trim().is_empty()))
}

/// The id of the last event of a text.
fn last_id(text: &str) -> Result<String> {
    let id = text.lines().filter_map(|line| line.strip_prefix("id:")).next_back();
    Ok(id.context("no id")?.trim().to_owned())
}

/// The text of the first event of a stream.
fn first(connection: &mut Connection) -> Result<String> {
    Ok(String::from_utf8(connection.chunk()?.context("the stream has ended")?)?)
}

#[test]
#[ignore = "long"]
fn only_clients_that_know_it_get_an_empty_event() -> Result<()> {
    let web = Web::start(&[])?;
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let headers = begin(&web, version)?;
        let reply = web.post(&headers, &client::call(&json!(1), "run", r#"{"code":"1 + 1"}"#))?;
        let is_new = version == "2025-11-25";
        ensure!(has_empty_event(&reply.text()) == is_new, "{version}: {}", reply.text());
        ensure!(client::text(&client::result(&reply.answer()?)?)? == "2");
        let mut listening = web.connect()?;
        ensure!(listening.listen(&headers)?.status == 200);
        web.call("", "evolve", &json!({"name": "one", "description": "1", "code": 1}))?;
        let event = first(&mut listening)?;
        ensure!(has_empty_event(&event) == is_new, "{version}: {event}");
        web.call("", "rollback", &json!({"name": "one", "retire": true}))?;
    }
    Ok(())
}

#[test]
fn an_answer_waits_for_its_client() -> Result<()> {
    let web = Web::start(&["--fuel", "1G", "--wall-clock", "30s"])?;
    let headers = begin(&web, "2025-11-25")?;
    let mut dropped = web.connect()?;
    let posted = format!("{TYPES}{headers}");
    dropped.begin("POST", "/mcp", &posted, &client::call(&json!(5), "run", SLOW))?;
    ensure!(dropped.head()?.status == 200);
    let id = last_id(&first(&mut dropped)?)?;
    dropped.stream().shutdown(Shutdown::Both)?;
    let resume = |id: &str| {
        let headers = format!("accept: text/event-stream\r\n{headers}last-event-id: {id}\r\n");
        web.connect()?.send("GET", "/mcp", &headers, "")
    };
    // The client comes back while the run goes on, or long after its end.
    let value = resume(&id)?.answer()?;
    ensure!(value["id"] == 5 && value["result"]["isError"] == false, "{value}");
    sleep(Duration::from_millis(1_500));
    let again = resume(&id)?;
    ensure!(again.answer()? == value, "{}", again.text());
    // There is nothing after the answer.
    ensure!(resume(&last_id(&again.text())?)?.messages()?.is_empty());
    // A client that was told all may have lost it too.
    let told = web.post(&headers, &client::call(&json!(6), "run", r#"{"code":"2 + 2"}"#))?;
    let start = told.text().lines().find_map(|line| line.strip_prefix("id:").map(str::to_owned));
    let again = resume(start.context("no id")?.trim())?.answer()?;
    ensure!(again == told.answer()?, "{again}");
    // So many answers wait, and no more.
    for n in 0..20 {
        web.post(&headers, &client::call(&json!(100 + n), "run", r#"{"code":1}"#))?;
    }
    resume(&id)?.refusal(400, &Value::Null)?;
    Ok(())
}

#[test]
fn a_stream_goes_on_only_after_an_event_of_it() -> Result<()> {
    let web = Web::start(&[])?;
    let (headers, other) = (begin(&web, "2025-11-25")?, begin(&web, "2025-11-25")?);
    let told = web.post(&other, &client::call(&json!(1), "run", r#"{"code":1}"#))?;
    let foreign = last_id(&told.text())?;
    for id in ["5", "999", "x", "-1", "abc/def", "", "0/7", "7/0", "1/2/3", "/", &foreign] {
        let headers = format!("accept: text/event-stream\r\n{headers}last-event-id: {id}\r\n");
        let reply = web.connect()?.send("GET", "/mcp", &headers, "")?;
        let message = reply.refusal(400, &Value::Null).with_context(|| id.to_owned())?;
        ensure!(message.contains("without `Last-Event-ID`"), "{message}");
    }
    // What belongs to no request goes on after its last event too.
    let mut listening = web.connect()?;
    ensure!(listening.listen(&headers)?.status == 200);
    let start = last_id(&first(&mut listening)?)?;
    listening.stream().shutdown(Shutdown::Both)?;
    web.call("", "evolve", &json!({"name": "one", "description": "1", "code": 1}))?;
    let mut again = web.connect()?;
    ensure!(again.listen(&format!("{headers}last-event-id: {start}\r\n"))?.status == 200);
    ensure!(again.event()?["method"] == "notifications/tools/list_changed");
    Ok(())
}

#[test]
fn a_stream_belongs_to_a_session() -> Result<()> {
    let web = Web::start(&[])?;
    for accept in ["", "accept: */*\r\n", "accept: text/event-stream\r\n", "accept: text/html\r\n"]
    {
        let reply = web.get("/mcp", accept)?;
        reply.refusal(405, &Value::Null)?;
        ensure!(reply.headers["allow"] == "POST", "{:?}", reply.headers);
    }
    Ok(())
}
