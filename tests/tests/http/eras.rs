//! Both kinds of Streamable HTTP at one address.

use super::client::{self, request, result};
use super::web::{Web, modern_headers};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

const CALL: &str = r#"{"code":[9007199254740993,1.50,{"mul":[123456789012345678901,1]}]}"#;

#[test]
fn both_kinds_are_at_one_address() -> Result<()> {
    let web = Web::start(&[])?;
    let session = web.session("")?;
    let of_session = session.call(1, "run", &serde_json::from_str(CALL)?)?;
    let of_modern = web.call("", "run", &serde_json::from_str(CALL)?)?;
    let value = "[9007199254740993,1.5,123456789012345678901]";
    ensure!(client::text(&of_session)?.contains("9007199254740993"), "{of_session}");
    ensure!(of_session["structuredContent"]["exact"] == of_modern["structuredContent"]["exact"]);
    ensure!(of_modern["structuredContent"]["exact"] == value, "{of_modern}");
    ensure!(of_session["structuredContent"]["fuel"] == of_modern["structuredContent"]["fuel"]);
    Ok(())
}

#[test]
fn a_session_begins_and_ends() -> Result<()> {
    let web = Web::start(&[])?;
    let session = web.session("")?;
    ensure!(session.request(1, "tools/list", &json!({}))?["result"]["tools"].is_array());
    let end = web.connect()?.send("DELETE", "/mcp", &session.headers, "")?;
    ensure!(end.status == 204, "{} {}", end.status, end.text());
    let ping = request(&json!(2), "ping", &json!({}));
    let late = session.post(&ping)?.refusal(404, &json!(2))?;
    ensure!(late.contains("begin one with `initialize`"), "{late}");
    let gone = web.connect()?.send("DELETE", "/mcp", &session.headers, "")?;
    gone.refusal(404, &Value::Null)?;
    // Without a session nothing but `initialize` is served.
    let bare = web.post("mcp-protocol-version: 2025-11-25\r\n", &ping)?;
    ensure!(bare.status >= 400, "{}", bare.text());
    bare.refusal(bare.status, &json!(2))?;
    Ok(())
}

#[test]
fn clients_hear_of_changes() -> Result<()> {
    let web = Web::start(&[])?;
    let session = web.session("")?;
    let mut older = web.connect()?;
    ensure!(older.listen(&session.headers)?.status == 200);
    let mut newer = web.connect()?;
    let params = json!({"notifications": {"toolsListChanged": true}});
    let body = client::modern(&json!("sub"), "subscriptions/listen", params.clone())?;
    let types = "accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n";
    let headers = format!("{types}{}", modern_headers("", "subscriptions/listen", &params));
    newer.begin("POST", "/mcp", &headers, &body)?;
    ensure!(newer.head()?.status == 200);
    let accepted = newer.event()?;
    ensure!(accepted["method"] == "notifications/subscriptions/acknowledged", "{accepted}");
    let double = json!({"name": "double", "description": "doubles", "code": {"lam": "x", "body": {"mul": [{"var": "x"}, 2]}}});
    let evolved = web.call("", "evolve", &double)?;
    ensure!(evolved["isError"] != true, "{evolved}");
    let told = older.event()?;
    ensure!(told["method"] == "notifications/tools/list_changed", "{told}");
    let told = newer.event()?;
    ensure!(told["method"] == "notifications/tools/list_changed", "{told}");
    Ok(())
}

#[test]
fn progress_comes_before_the_answer() -> Result<()> {
    let web = Web::start(&[])?;
    let session = web.session("")?;
    let code = "n => n < 100000 ? continue(n + 1) : n";
    let made = session.call(
        1,
        "evolve",
        &json!({"name": "count", "description": "counts", "code": code}),
    )?;
    ensure!(made["isError"] != true, "{made}");
    let params = json!({
        "name": "run",
        "arguments": {"tool": "count", "input": 0, "max_steps": 300_000},
        "_meta": {"progressToken": "p"},
    });
    let reply = session.post(&request(&json!(2), "tools/call", &params))?;
    let messages = reply.messages()?;
    let (last, before) = messages.split_last().context("messages")?;
    ensure!(last["id"] == 2, "{last}");
    ensure!(before.iter().any(|it| it["method"] == "notifications/progress"), "{messages:?}");
    Ok(())
}

#[test]
fn wrong_requests_get_an_error_with_their_id() -> Result<()> {
    let web = Web::start(&[])?;
    let session = web.session("")?;
    let call = |id: u64| client::call(&json!(id), "run", r#"{"code":1}"#);
    let json = "accept: application/json, text/event-stream\r\n";
    // Headers that do not fit the body, in the stateless protocol.
    let body = client::modern(&json!(5), "tools/list", json!({}))?;
    for (headers, status, code) in [
        ("mcp-protocol-version: 2026-07-28\r\n", 400, -32_020),
        ("mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\n", 400, -32_020),
        ("mcp-protocol-version: 2999-01-01\r\nmcp-method: tools/list\r\n", 400, 0),
    ] {
        let reply = web.post(headers, &body)?;
        reply.refusal(status, &json!(5))?;
        let found = reply.answer()?["error"]["code"].as_i64();
        ensure!(code == 0 || found == Some(code), "{headers}: {}", reply.text());
    }
    for method in ["no/such", "initialize", "ping", "logging/setLevel", "resources/subscribe"] {
        let unknown = client::modern(&json!(6), method, json!({}))?;
        let reply = web.post(&modern_headers("", method, &json!({})), &unknown)?;
        // There is no `initialize` here, whatever the body says.
        let id = if method == "initialize" { Value::Null } else { json!(6) };
        reply.refusal(404, &id)?;
        ensure!(reply.answer()?["error"]["code"] == -32_601, "{}", reply.text());
    }
    // Methods and types.
    for method in ["GET", "DELETE"] {
        let headers = format!("{json}mcp-protocol-version: 2026-07-28\r\n");
        web.connect()?.send(method, "/mcp", &headers, "")?.refusal(405, &Value::Null)?;
    }
    web.connect()?.send("PUT", "/mcp", json, &call(1))?.refusal(405, &Value::Null)?;
    web.connect()?.send("POST", "/elsewhere", json, &call(7))?.refusal(404, &Value::Null)?;
    let headers = format!("{json}{}content-type: text/plain\r\n", session.headers);
    web.connect()?.send("POST", "/mcp", &headers, &call(8))?.refusal(415, &json!(8))?;
    let headers = format!(
        "accept: application/json\r\ncontent-type: application/json\r\n{}",
        session.headers
    );
    web.connect()?.send("POST", "/mcp", &headers, &call(9))?.refusal(406, &json!(9))?;
    // Bodies.
    for (body, id) in [
        ("", Value::Null),
        ("{", Value::Null),
        ("[]", Value::Null),
        ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", Value::Null),
        ("{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":7}", json!("a")),
        ("{\"jsonrpc\":\"2.0\",\"id\":4}", json!(4)),
        ("{\"jsonrpc\":\"1.0\",\"id\":4,\"method\":\"ping\"}", json!(4)),
        ("{\"jsonrpc\":\"2.0\",\"id\":4,\"id\":4,\"method\":\"ping\"}", json!(4)),
        ("{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{}}", json!(4)),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{\"name\":\"run\",\"arguments\":[]}}",
            json!(4),
        ),
        ("\u{1}", Value::Null),
    ] {
        let reply = session.post(body)?;
        reply.refusal(400, &id).with_context(|| body.to_owned())?;
    }
    // A notification that means nothing needs no answer.
    let nothing = session.post(r#"{"jsonrpc":"2.0","method":"notifications/none"}"#)?;
    ensure!(nothing.status == 202, "{}", nothing.text());
    // The session lasts.
    session.call(10, "run", &json!({"code": 1}))?;
    Ok(())
}

#[test]
fn ids_come_back_as_they_were_sent() -> Result<()> {
    let web = Web::start(&[])?;
    let session = web.session("")?;
    for id in [
        "0",
        "-5",
        "9223372036854775807",
        "-9223372036854775808",
        r#""""#,
        r#""7""#,
        r#""\u0000123""#,
    ] {
        let call = |params: &str| {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#)
        };
        let expected = format!(r#"{{"jsonrpc":"2.0","id":{id},"#);
        let older =
            session.post(&call(r#"{"name":"run","arguments":{"code":1}}"#))?.raw_answer()?;
        ensure!(older.starts_with(&expected), "{id}: {older}");
        let params = r#"{"name":"run","arguments":{"code":1},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}"#;
        let headers = modern_headers("", "tools/call", &json!({"name": "run"}));
        let newer = web.post(&headers, &call(params))?.raw_answer()?;
        ensure!(newer.starts_with(&expected), "{id}: {newer}");
        let error = session.post(&call(r#"{"name":"no_such_tool"}"#))?.raw_answer()?;
        ensure!(error.starts_with(&expected) && error.contains("\"error\""), "{id}: {error}");
    }
    Ok(())
}

#[test]
fn arguments_arrive_as_they_were_sent() -> Result<()> {
    let web = Web::start(&[])?;
    let session = web.session("")?;
    let deep = format!("{}1{}", "[".repeat(900), "]".repeat(900));
    let code = r#"{"lam":"x","body":{"var":"x"}}"#;
    for data in ["1.10", "1e2", "123456789012345678901234567890", "0.1", &deep] {
        let arguments = format!(r#"{{"code":{code},"data":{data}}}"#);
        let reply = session.post(&client::call(&json!(data.len()), "run", &arguments))?;
        let answer = result(&reply.answer()?)?;
        ensure!(answer["isError"] != true, "{data}: {answer}");
    }
    let twice = session.post(&client::call(&json!(1), "run", r#"{"code":{"a":1,"a":2}}"#))?;
    let twice = result(&twice.answer()?)?;
    ensure!(twice["structuredContent"]["code"] == "duplicate-key", "{twice}");
    let deeper = format!("{}1{}", "[".repeat(2_000), "]".repeat(2_000));
    let refused =
        session.post(&client::call(&json!(2), "run", &format!(r#"{{"data":{deeper}}}"#)))?;
    let message = refused.refusal(400, &json!(2))?;
    ensure!(message.contains("nested deeper"), "{message}");
    Ok(())
}

#[test]
fn discovery_says_what_is_there() -> Result<()> {
    let web = Web::start(&[])?;
    let told = web.modern("", "server/discover", json!({}))?;
    ensure!(told["result"]["supportedVersions"].to_string().contains("2026-07-28"), "{told}");
    let listed = web.modern("", "tools/list", json!({}))?;
    ensure!(listed["result"]["ttlMs"].is_u64(), "{}", listed["result"]["ttlMs"]);
    Ok(())
}
