//! Sessions of the older protocol versions: how many there are, how long they last, and how they end.

use super::client::{self, request};
use super::web::{Connection, Session, Web, authorization, token_line};
use anyhow::{Result, ensure};
use serde_json::{Value, json};
use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A program that ends only by its limits.
const ENDLESS: &str = r#"{"code":{"app":{"func":{"lam":"x","body":{"app":{"func":{"var":"x"},"arg":{"var":"x"}}}},"arg":{"lam":"x","body":{"app":{"func":{"var":"x"},"arg":{"var":"x"}}}}}}}"#;

/// Limits that such a program does not meet in a test.
const LONG: [&str; 6] = ["--wall-clock", "60s", "--fuel", "1000000G", "--fuel-ceiling", "1000000G"];

const TYPES: &str =
    "accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n";

fn ping(session: &Session<'_>) -> Result<u16> {
    Ok(session.post(&request(&json!("ping"), "ping", &json!({})))?.status)
}

/// Begins an endless run in a session.
fn run(web: &Web, session: &Session<'_>, id: u64) -> Result<Connection> {
    let mut connection = web.connect()?;
    let headers = format!("{TYPES}{}", session.headers);
    connection.begin("POST", "/mcp", &headers, &client::call(&json!(id), "run", ENDLESS))?;
    ensure!(connection.head()?.status == 200);
    Ok(connection)
}

fn cancelled(web: &Web, name: &str) -> Result<bool> {
    let recent = web.call(name, "journal_recent", &json!({"limit": 5}))?;
    Ok(recent["structuredContent"].to_string().contains("\"cancelled\""))
}

/// Some clients begin a session for each request, and never end one.
#[test]
fn the_session_that_nobody_uses_goes_first() -> Result<()> {
    let web = Web::with_tokens(&["--http-sessions-each", "3"])?;
    let first: Vec<_> = (0..3).map(|_| web.session("runner")).collect::<Result<_>>()?;
    let mut listening = web.connect()?;
    ensure!(listening.listen(&first[0].headers)?.status == 200);
    ensure!(ping(&first[1])? == 200);
    // The first one is listened to, and the second one was used last.
    for _ in 0..40 {
        web.session("runner")?;
        ensure!(ping(&first[0])? == 200);
    }
    ensure!(ping(&first[1])? == 404 && ping(&first[2])? == 404);
    Ok(())
}

#[test]
fn sessions_at_work_stay() -> Result<()> {
    let more = ["--http-sessions", "4", "--http-sessions-each", "2"];
    let web = Web::with_tokens(&[&LONG[..], &more].concat())?;
    let own: Vec<_> = (0..2).map(|_| web.session("runner")).collect::<Result<_>>()?;
    let _runs: Vec<_> = own.iter().map(|it| run(&web, it, 1)).collect::<Result<_>>()?;
    let initialize = request(&json!(1), "initialize", &client::initialize());
    let third = web.post(&authorization("runner"), &initialize)?;
    let message = third.refusal(429, &json!(1))?;
    ensure!(message.contains("[http_sessions_each]") && message.contains("DELETE"), "{message}");
    ensure!(third.headers["retry-after"] == "1");
    // One that somebody else listens to stays too.
    let others: Vec<_> = (0..2).map(|_| web.session("other")).collect::<Result<_>>()?;
    let mut listening = web.connect()?;
    ensure!(listening.listen(&others[1].headers)?.status == 200);
    let mine = web.session("boss")?;
    ensure!(ping(&others[0])? == 404 && ping(&others[1])? == 200 && ping(&mine)? == 200);
    Ok(())
}

#[test]
fn a_session_without_use_ends() -> Result<()> {
    let web = Web::start(&["--http-session-idle", "300ms"])?;
    let (idle, heard) = (web.session("")?, web.session("")?);
    let mut listening = web.connect()?;
    ensure!(listening.listen(&heard.headers)?.status == 200);
    sleep(Duration::from_secs(1));
    let late = idle.post(&request(&json!(2), "ping", &json!({})))?;
    late.refusal(404, &json!(2))?;
    // One that is listened to is used, and its stream is open.
    ensure!(ping(&heard)? == 200);
    web.call("", "evolve", &json!({"name": "one", "description": "1", "code": 1}))?;
    ensure!(listening.event()?["method"] == "notifications/tools/list_changed");
    drop(listening);
    web.wait_for("the end", || {
        sleep(Duration::from_millis(400));
        Ok(ping(&heard)? == 404)
    })
}

#[test]
fn the_end_of_a_session_cancels_its_runs() -> Result<()> {
    let web = Web::start(&[&LONG[..], &["--concurrency", "1"]].concat())?;
    let session = web.session("")?;
    let _run = run(&web, &session, 1)?;
    sleep(Duration::from_millis(200));
    let start = Instant::now();
    let end = web.connect()?.send("DELETE", "/mcp", &session.headers, "")?;
    ensure!(end.status == 204, "{}", end.status);
    // Its place is free for another one.
    let other = web.call("", "run", &json!({"code": "1 + 1"}))?;
    ensure!(client::text(&other)? == "2" && start.elapsed() < Duration::from_secs(2), "{other}");
    ensure!(cancelled(&web, "")?);
    Ok(())
}

#[test]
fn what_a_person_has_ends_with_the_token() -> Result<()> {
    let web = Web::with_tokens(&LONG)?;
    let (leaver, stayer) = (web.session("runner")?, web.session("other")?);
    let mut older = web.connect()?;
    ensure!(older.listen(&leaver.headers)?.status == 200);
    let mut stays = web.connect()?;
    ensure!(stays.listen(&stayer.headers)?.status == 200);
    let params = json!({"notifications": {"toolsListChanged": true}});
    let body = client::modern(&json!("sub"), "subscriptions/listen", params.clone())?;
    let headers = super::web::modern_headers("runner", "subscriptions/listen", &params);
    let mut newer = web.connect()?;
    newer.begin("POST", "/mcp", &format!("{TYPES}{headers}"), &body)?;
    ensure!(newer.head()?.status == 200);
    newer.event()?;
    let _run = run(&web, &leaver, 7)?;
    let mut modern = web.connect()?;
    let params = json!({"name": "run"});
    let body = client::modern(&json!(1), "tools/call", params.clone())?;
    let body = body.replacen("\"params\":{", &format!("\"params\":{{\"arguments\":{ENDLESS},"), 1);
    let headers = super::web::modern_headers("runner", "tools/call", &params);
    modern.begin("POST", "/mcp", &format!("{TYPES}{headers}"), &body)?;
    sleep(Duration::from_millis(200));
    let lines = fs::read_to_string(web.tokens())?;
    fs::write(web.tokens(), lines.replace(&token_line("runner", "run"), ""))?;
    web.signal("-HUP")?;
    ensure!(older.event().is_err() && newer.event().is_err(), "a stream goes on");
    modern.reply()?.refusal(401, &Value::Null)?;
    let both = || {
        let recent = web.call("boss", "journal_recent", &json!({"limit": 9}))?;
        Ok(recent["structuredContent"].to_string().matches("\"cancelled\"").count() >= 2)
    };
    web.wait_for("the end of the runs", both)?;
    // Others notice nothing.
    ensure!(ping(&stayer)? == 200);
    web.call("boss", "evolve", &json!({"name": "one", "description": "1", "code": 1}))?;
    ensure!(stays.event()?["method"] == "notifications/tools/list_changed");
    // A token that ends by itself ends a stream too, also one that began before its end was set.
    let soon = (std::time::SystemTime::now() + Duration::from_secs(2))
        .duration_since(std::time::UNIX_EPOCH)?;
    let moment = pif_domain::text::time::format(i64::try_from(soon.as_millis())?);
    let lines = fs::read_to_string(web.tokens())?;
    let line = token_line("other", "read,run");
    fs::write(web.tokens(), lines.replace(&line, &format!("{} {moment}\n", line.trim())))?;
    web.signal("-HUP")?;
    while stays.event().is_ok() {}
    ensure!(ping(&stayer)? == 401);
    Ok(())
}
