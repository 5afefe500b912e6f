//! Approvals over HTTP: who asked for a run is asked, and nobody else decides or resumes it.

use super::asks::{accept, count, program, shop};
use super::client::{request, result};
use super::folder::Folder;
use super::shop::Shop;
use anyhow::{Context, Result, ensure};
use pif_tests::server::web::{PEOPLE, Web, authorization, modern_headers, token_line};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

fn serve(shop: &Shop) -> Result<Web> {
    let tokens = shop.file("tokens");
    let lines: String = PEOPLE.iter().map(|(name, scopes)| token_line(name, scopes)).collect();
    fs::write(&tokens, lines)?;
    fs::set_permissions(&tokens, fs::Permissions::from_mode(0o600))?;
    let tokens = tokens.to_str().context("a path")?;
    let words = ["serve", "--http", "127.0.0.1:0", "--tokens", tokens];
    Web::of(&mut shop.command(&words)?, Folder::new()?)
}

/// A call of `run` in the stateless protocol, by a client that shows forms. Gives the answer.
fn run(web: &Web, name: &str, arguments: &Value, more: &Value) -> Result<Value> {
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}}});
    let mut params = json!({"name": "run", "arguments": arguments, "_meta": meta});
    for (name, value) in more.as_object().into_iter().flatten() {
        params[name] = value.clone();
    }
    let headers = modern_headers(name, "tools/call", &params);
    web.post(&headers, &request(&json!(1), "tools/call", &params))?.answer()
}

#[test]
fn a_run_that_waits_belongs_to_its_principal() -> Result<()> {
    let shop = shop()?;
    let web = serve(&shop)?;
    let arguments = json!({"code": program()});
    let asked = run(&web, "runner", &arguments, &json!({}))?;
    ensure!(asked["result"]["resultType"] == "input_required", "{asked}");
    let state = asked["result"]["requestState"].clone();
    let retry = json!({"requestState": state, "inputResponses": {"approval": accept("once")}});
    let number: u64 =
        state.as_str().and_then(|it| it.split('.').next()).context("a run")?.parse()?;
    for name in ["other", "boss"] {
        // The state is worth nothing in the hands of others.
        let stolen = run(&web, name, &arguments, &retry)?;
        ensure!(stolen["error"]["code"] == -32_602, "{name}: {stolen}");
    }
    let resumed = run(&web, "other", &json!({"resume": number}), &json!({}))?;
    ensure!(result(&resumed)?["isError"] == true, "{resumed}");
    ensure!(!resumed.to_string().contains("s.add"), "{resumed}");
    ensure!((count(&shop, "look"), count(&shop, "add")) == (1, 0));
    let done = run(&web, "runner", &arguments, &retry)?;
    let value = &done["result"]["structuredContent"]["value"];
    ensure!(*value == json!([{"q": 1}, {"n": 2}]), "{done}");
    ensure!((count(&shop, "look"), count(&shop, "add")) == (1, 1));
    let recent = web.call("runner", "journal_recent", &json!({"limit": 1}))?;
    ensure!(recent["structuredContent"]["entries"][0]["principal"] == "runner", "{recent}");
    Ok(())
}

#[test]
fn a_session_is_asked_on_its_own_stream() -> Result<()> {
    let shop = shop()?;
    let web = serve(&shop)?;
    let begin = json!({"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "t", "version": "1"}});
    let runner = authorization("runner");
    let begun = web.post(&runner, &request(&json!(0), "initialize", &begin))?;
    let session = begun.headers.get("mcp-session-id").context("a session")?;
    let headers =
        format!("{runner}mcp-session-id: {session}\r\nmcp-protocol-version: 2025-11-25\r\n");
    let notice = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    ensure!(web.post(&headers, notice)?.status == 202);
    let mut stream = web.connect()?;
    ensure!(stream.listen(&headers)?.status == 200);
    let params = json!({"name": "run", "arguments": {"code": program()}});
    let mut call = web.connect()?;
    let types = "accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n";
    let body = request(&json!(5), "tools/call", &params);
    call.begin("POST", "/mcp", &format!("{types}{headers}"), &body)?;
    // The tools of the other server are news, too.
    let asked = loop {
        let told = stream.event()?;
        if told["method"] == "elicitation/create" {
            break told;
        }
    };
    let answer = json!({"jsonrpc": "2.0", "id": asked["id"], "result": accept("once")}).to_string();
    // Another principal cannot answer.
    let as_other = headers.replace(&runner, &authorization("other"));
    web.post(&as_other, &answer)?.refusal(404, &Value::Null)?;
    ensure!(web.post(&headers, &answer)?.status == 202);
    let done = call.reply()?.answer()?;
    let value = &done["result"]["structuredContent"]["value"];
    ensure!(*value == json!([{"q": 1}, {"n": 2}]), "{done}");
    ensure!((count(&shop, "look"), count(&shop, "add")) == (1, 1));
    Ok(())
}
