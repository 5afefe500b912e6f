//! Who may use the server.

use super::client::{self, command, request};
use super::folder::Folder;
use super::web::{PEOPLE, Web, authorization, modern_headers, token, token_line};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

fn list(id: u64) -> String {
    request(&json!(id), "tools/list", &json!({}))
}

#[test]
fn names_that_others_control_do_not_reach_the_server() -> Result<()> {
    let web = Web::start(&["--allowed-host", "pif.example.org"])?;
    for host in ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "192.0.2.1"]
    {
        let message =
            web.post(&format!("host: {host}\r\n"), &list(3))?.refusal(403, &Value::Null)?;
        ensure!(message.contains("--allowed-host"), "{message}");
        // Neither do they reach what is measured, where nobody needs a token.
        web.get("/metrics", &format!("host: {host}\r\n"))?.refusal(403, &Value::Null)?;
    }
    // What is no host is none of the server's.
    for host in ["localhost:1.evil.example", "127.0.0.1:x", "user@localhost"] {
        let message =
            web.post(&format!("host: {host}\r\n"), &list(3))?.refusal(403, &Value::Null)?;
        ensure!(message.contains("is no host"), "{message}");
    }
    let initialize = request(&json!(1), "initialize", &client::initialize());
    for host in ["localhost", "127.0.0.1:1", "[::1]", "PIF.example.org:443"] {
        let reply = web.post(&format!("host: {host}\r\n"), &initialize)?;
        ensure!(reply.status == 200, "{host}: {}", reply.text());
    }
    let mut two = web.connect()?;
    two.write(b"GET /metrics HTTP/1.1\r\nhost: localhost\r\nhost: evil.example\r\n\r\n")?;
    two.reply()?.refusal(400, &Value::Null)?;
    let mut none = web.connect()?;
    none.write(b"GET /metrics HTTP/1.1\r\n\r\n")?;
    ensure!(none.reply()?.status == 400);
    Ok(())
}

#[test]
fn pages_of_other_sites_do_not_use_the_server() -> Result<()> {
    let web = Web::start(&["--allowed-origin", "https://app.example.org"])?;
    let initialize = request(&json!(1), "initialize", &client::initialize());
    for origin in [
        "https://evil.example",
        "null",
        "http://localhost.evil.example",
        "file://",
        "http://127.0.0.1:1.evil.example",
        "http://127.0.0.1:x",
        "http://[::1]x",
    ] {
        let headers = format!("origin: {origin}\r\n");
        let message = web.post(&headers, &initialize)?.refusal(403, &Value::Null)?;
        ensure!(message.contains("--allowed-origin"), "{message}");
        let asked = web.connect()?.send("OPTIONS", "/mcp", &headers, "")?;
        ensure!(asked.status == 403 && !asked.headers.contains_key("access-control-allow-origin"));
    }
    for origin in ["https://app.example.org", "http://localhost:5173"] {
        let headers = format!("origin: {origin}\r\n");
        let reply = web.post(&headers, &initialize)?;
        ensure!(reply.status == 200, "{}", reply.text());
        ensure!(reply.headers["access-control-allow-origin"] == origin);
        ensure!(reply.headers["access-control-expose-headers"].contains("mcp-session-id"));
        let asked = web.connect()?.send("OPTIONS", "/mcp", &headers, "")?;
        ensure!(asked.status == 204, "{}", asked.status);
        ensure!(asked.headers["access-control-allow-headers"].contains("mcp-protocol-version"));
        // A page may send any header.
        let more = format!("{headers}access-control-request-headers: traceparent, x-own\r\n");
        let asked = web.connect()?.send("OPTIONS", "/mcp", &more, "")?;
        ensure!(asked.headers["access-control-allow-headers"] == "traceparent, x-own");
    }
    // A form of a page sends no JSON.
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
        let headers =
            format!("accept: application/json, text/event-stream\r\ncontent-type: {kind}\r\n");
        let reply = web.connect()?.send("POST", "/mcp", &headers, &initialize)?;
        ensure!(reply.status == 415, "{kind}: {}", reply.text());
    }
    Ok(())
}

#[test]
fn a_token_comes_before_everything_else() -> Result<()> {
    let web = Web::with_tokens(&[])?;
    // Nothing is told of methods, sessions or shapes without a token.
    let none = |reply: super::web::Reply| -> Result<()> {
        reply.refusal(401, &Value::Null)?;
        ensure!(reply.headers["www-authenticate"].starts_with("Bearer"));
        Ok(())
    };
    none(web.post("", &list(4))?)?;
    none(web.post("mcp-session-id: x\r\n", &list(4))?)?;
    none(web.post("", "{")?)?;
    none(web.get("/mcp", "")?)?;
    none(web.connect()?.send("DELETE", "/mcp", "", "")?)?;
    none(web.connect()?.send("PUT", "/mcp", "", "x")?)?;
    none(web.post("authorization: Basic eDp5\r\n", &list(4))?)?;
    let in_query = format!("/mcp?access_token={}", token("boss"));
    none(web.connect()?.send("POST", &in_query, "", &list(4))?)?;
    let twice = format!("{}{}", authorization("boss"), authorization("reader"));
    web.post(&twice, &list(4))?.refusal(400, &Value::Null)?;
    for (name, _) in PEOPLE {
        ensure!(web.modern(name, "tools/list", json!({}))?["result"]["tools"].is_array());
    }
    // Whether the server is alive and ready is no secret.
    ensure!(web.get("/health", "")?.status == 200 && web.get("/ready", "")?.status == 200);
    Ok(())
}

#[test]
fn wrong_tokens_block_an_address() -> Result<()> {
    let web = Web::with_tokens(&[])?;
    let wrong = |n: usize| format!("authorization: Bearer {}{n}\r\n", "w".repeat(40));
    for n in 0..5 {
        web.post(&wrong(n), &list(1))?.refusal(401, &Value::Null)?;
    }
    let blocked = web.post(&wrong(6), &list(2))?;
    blocked.refusal(429, &Value::Null)?;
    let seconds: u64 = blocked.headers["retry-after"].parse()?;
    ensure!((1..=60).contains(&seconds), "{seconds}");
    ensure!(web.modern("reader", "tools/list", json!({}))?["result"].is_object(), "a right token");
    web.post(&wrong(7), &list(3))?.refusal(429, &Value::Null)?;
    let log = web.log();
    ensure!(!log.contains("wwww"), "the log has a token: {log}");
    Ok(())
}

#[test]
fn a_token_in_place_of_its_digest_is_told_to_the_operator() -> Result<()> {
    let web = Web::with_tokens(&[])?;
    let plain = "ab".repeat(32);
    let lines = format!("{}plain run {plain}\n", fs::read_to_string(web.tokens())?);
    fs::write(web.tokens(), lines)?;
    web.signal("-HUP")?;
    let sent = format!("authorization: Bearer {plain}\r\n");
    web.wait_for("the warning", || {
        web.post(&sent, &list(1))?;
        Ok(web.log().contains("write its sha256 there"))
    })?;
    ensure!(!web.log().contains(&plain), "{}", web.log());
    Ok(())
}

#[test]
fn scopes_say_what_a_token_may_do() -> Result<()> {
    ensure_scopes("", &[])
}

#[test]
fn scopes_hold_for_names_with_a_prefix() -> Result<()> {
    ensure_scopes("pif_", &["--prefix", "pif_"])
}

fn ensure_scopes(prefix: &str, flags: &[&str]) -> Result<()> {
    let web = Web::with_tokens(flags)?;
    let evolve = json!({"name": "one", "description": "one", "code": 1});
    let calls = [
        ("list", json!({}), "read"),
        ("journal_recent", json!({}), "read"),
        ("memory_retrieve", json!({"key": "x"}), "read"),
        ("run", json!({"code": 1}), "run"),
        ("memory_store", json!({"key": "k", "value": 1}), "run"),
        ("memory-store", json!({"key": "k", "value": 1}), "run"),
        ("session_eval", json!({"code": 1}), "run"),
        ("lisp_eval", json!({"code": 1}), "run"),
        ("one", json!({}), "run"),
        ("evolve", evolve.clone(), "evolve"),
        ("rollback", json!({"name": "one", "retire": true}), "evolve"),
    ];
    web.call("boss", &format!("{prefix}evolve"), &evolve)?;
    let rank = |scope: &str| ["read", "run", "evolve", "admin"].iter().position(|it| *it == scope);
    for (name, scopes) in PEOPLE {
        let has = scopes.split(',').filter_map(rank).max();
        for (tool, arguments, needed) in &calls {
            let params = json!({"name": format!("{prefix}{tool}"), "arguments": arguments});
            let body = client::modern(&json!(7), "tools/call", params.clone())?;
            let reply = web.post(&modern_headers(name, "tools/call", &params), &body)?;
            if has >= rank(needed) {
                ensure!(reply.status == 200, "{name} {tool}: {}", reply.text());
            } else {
                let message = reply.refusal(403, &json!(7))?;
                ensure!(message.contains(needed), "{name} {tool}: {message}");
                let challenge = &reply.headers["www-authenticate"];
                ensure!(challenge.contains("insufficient_scope"), "{challenge}");
            }
        }
    }
    // Clients see the tools that they may call.
    let tools = |name: &str| -> Result<String> {
        Ok(web.modern(name, "tools/list", json!({}))?["result"]["tools"].to_string())
    };
    let named = |tool: &str| format!("\"{prefix}{tool}\"");
    ensure!(!tools("reader")?.contains(&named("run")));
    ensure!(!tools("runner")?.contains(&named("evolve")));
    ensure!(tools("boss")?.contains(&named("evolve")) && tools("boss")?.contains(&named("one")));
    Ok(())
}

#[test]
fn figures_need_a_token_whatever_a_header_says() -> Result<()> {
    let web = Web::with_tokens(&["--allowed-host", "pif.example.org"])?;
    web.call("runner", "run", &json!({"code": 1}))?;
    let _session = web.session("runner")?;
    // A proxy on this machine hands on what strangers write.
    for host in ["localhost", "127.0.0.1", "[::1]:7332", "pif.example.org", "evil.example"] {
        let headers = format!("host: {host}\r\n");
        let refused = web.get("/metrics", &headers)?;
        refused.refusal(401, &Value::Null)?;
        ensure!(!refused.text().contains("mcp_"), "{}", refused.text());
        // A token is enough: who measures rarely knows the names of the server.
        let known = web.get("/metrics", &format!("{headers}{}", authorization("reader")))?;
        ensure!(known.status == 200 && known.headers.contains_key("content-type"), "{known:?}");
        ensure!(known.text().contains("mcp_server_operation_duration"), "{}", known.text());
    }
    let forwarded = "x-forwarded-for: 127.0.0.1\r\nforwarded: for=127.0.0.1\r\nhost: localhost\r\n";
    web.get("/metrics", forwarded)?.refusal(401, &Value::Null)?;
    let figures =
        || -> Result<String> { Ok(web.get("/metrics", &authorization("reader"))?.text()) };
    let has = |line: &str| -> Result<bool> { Ok(figures()?.lines().any(|it| it == line)) };
    web.wait_for("the session", || has("mcp_pif_sessions 1"))?;
    // Refusals are counted.
    ensure!(
        has("mcp_pif_http_replies_total{http_response_status_code=\"401\"} 6")?,
        "{}",
        figures()?
    );
    Ok(())
}

/// A probe asks by an address that nobody knew when the flags were written.
#[test]
fn probes_need_no_name() -> Result<()> {
    for web in [Web::start(&[])?, Web::with_tokens(&[])?] {
        for host in ["10.244.0.5:7332", "pif:7332", "evil.example"] {
            let headers = format!("host: {host}\r\norigin: https://evil.example\r\n");
            for path in ["/health", "/healthz", "/livez", "/ready", "/readyz"] {
                let reply = web.get(path, &headers)?;
                ensure!(reply.status == 200, "{host}{path}: {}", reply.text());
                ensure!(!reply.headers.contains_key("access-control-allow-origin"));
            }
            ensure!(web.post(&format!("host: {host}\r\n"), &list(1))?.status >= 401);
        }
    }
    Ok(())
}

/// A line of the file with a token of one's own.
fn line(name: &str, token: &str, rest: &str) -> String {
    let line = token_line(name, "run");
    let digest = super::web::digest(token);
    let (start, _) = line.rsplit_once(' ').unwrap_or_default();
    format!("{start} {digest} {rest}\n")
}

#[test]
fn a_token_that_cannot_be_accepted_is_told() -> Result<()> {
    let web = Web::with_tokens(&["--log", "info"])?;
    let (short, old) = ("too-short", "o".repeat(40));
    let lines = fs::read_to_string(web.tokens())?;
    let more = [line("shorty", short, ""), line("former", &old, "2020-01-01 # has left")].concat();
    fs::write(web.tokens(), lines + &more)?;
    web.signal("-HUP")?;
    web.wait_for("the file", || Ok(web.log().contains("was read again")))?;
    let sent = |token: &str| format!("authorization: Bearer {token}\r\n");
    let told = web.post(&sent(short), &list(1))?.refusal(401, &Value::Null)?;
    ensure!(told.contains("fewer than 32 characters"), "{told}");
    web.post(&sent(&old), &list(2))?.refusal(401, &Value::Null)?;
    let has = |text: &str| Ok(web.log().contains(text));
    web.wait_for("the short one", || has("the token of `shorty` has fewer than 32 characters"))?;
    web.wait_for("the old one", || has("the token of `former` has ended"))
}

#[test]
fn tokens_change_while_the_server_runs() -> Result<()> {
    let web = Web::with_tokens(&[])?;
    let mut lines = fs::read_to_string(web.tokens())?;
    lines.push_str(&token_line("new", "run"));
    // An editor replaces the file.
    let next = web.folder().path().join("tokens.next");
    fs::write(&next, lines.replace("reader ", "# reader "))?;
    fs::set_permissions(&next, fs::Permissions::from_mode(0o600))?;
    fs::rename(&next, web.tokens())?;
    web.signal("-HUP")?;
    web.wait_for("the new token", || {
        Ok(web
            .post(
                &modern_headers("new", "tools/list", &json!({})),
                &client::modern(&json!(1), "tools/list", json!({}))?,
            )?
            .status
            == 200)
    })?;
    web.post(&authorization("reader"), &list(1))?.refusal(401, &Value::Null)?;
    // A mistake changes nothing.
    fs::write(web.tokens(), "nonsense\n")?;
    web.signal("-HUP")?;
    web.wait_for("the error", || Ok(web.log().contains("stay in force")))?;
    ensure!(web.modern("new", "tools/list", json!({}))?["result"].is_object());
    Ok(())
}

#[test]
fn a_start_that_would_be_open_is_refused() -> Result<()> {
    let folder = Folder::new()?;
    let tokens = folder.path().join("tokens");
    fs::write(&tokens, token_line("ana", "run"))?;
    fs::set_permissions(&tokens, fs::Permissions::from_mode(0o644))?;
    let tokens = tokens.to_str().context("a path")?;
    // Nobody writes to this pipe.
    let pipe = folder.path().join("pipe");
    ensure!(Command::new("mkfifo").args(["-m", "600"]).arg(&pipe).status()?.success());
    let pipe = pipe.to_str().context("a path")?;
    for (arguments, told) in [
        (vec!["--http", "127.0.0.1:0", "--tokens", pipe], "no file"),
        (vec!["--http", "0.0.0.0:0"], "--tokens"),
        (vec!["--http", "[::]:0"], "--tokens"),
        (vec!["--http", "127.0.0.1:0", "--tokens", tokens], "chmod 600"),
        (vec!["--http", "127.0.0.1:0", "--tokens", "/no/such"], "/no/such"),
        (vec!["--http", "127.0.0.1:0", "--tls-cert", tokens], "--tls-key"),
        (vec!["--http", "nowhere.invalid:1"], "127.0.0.1:7332"),
        (vec!["--tokens", tokens], "--http"),
    ] {
        let output = command(&folder)?.arg("serve").args(&arguments).output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(!output.status.success() && said.contains(told), "{arguments:?}: {said}");
    }
    Ok(())
}
