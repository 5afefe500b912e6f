//! What comes of calls: values, reasons, refusals.

use super::shop::{Shop, server, server_with};
use anyhow::{Result, ensure};
use serde_json::json;
use std::time::Instant;

#[test]
fn values_are_unwrapped_and_numbers_stay_exact() -> Result<()> {
    let text = |text: &str| json!({"result": {"content": [{"type": "text", "text": text}]}});
    let shop = Shop::of(&json!([
        {"name": "echo", "does": {"echo": true}},
        {"name": "json", "does": text("{\"n\": 9007199254740993, \"x\": 1.10}")},
        {"name": "text", "does": text("n: 1")},
        {"name": "nothing", "does": {"result": {"content": []}}},
        {"name": "image", "does": {"result": {"content": [{"type": "image", "data": "AA==", "mimeType": "image/png"}]}}},
    ]))?;
    let exact = r#"{"n":123456789012345678901234567890,"x":1.10,"y":"ä\n"}"#;
    for (tool, arguments, expected) in [
        ("s.echo", exact, exact),
        ("s.json", "{}", r#"{"n":9007199254740993,"x":1.10}"#),
        ("s.text", "{}", r#""n: 1""#),
        ("s.nothing", "{}", "null"),
    ] {
        assert_eq!(shop.value(tool, arguments)?, expected, "{tool}");
    }
    let image = shop.value("s.image", "{}")?;
    ensure!(image.starts_with('[') && image.contains("image/png"), "{image}");
    Ok(())
}

#[test]
fn both_eras_are_spoken() -> Result<()> {
    let script = |modern: bool| json!({"modern": modern, "tools": [{"name": "echo", "does": {"echo": true}}]});
    let config =
        json!({"mcpServers": {"old": server(&script(false)), "new": server(&script(true))}});
    let shop = Shop::new(&config)?;
    for tool in ["old.echo", "new.echo"] {
        assert_eq!(shop.value(tool, r#"{"a":1}"#)?, r#"{"a":1}"#);
    }
    Ok(())
}

#[test]
fn every_reason_is_told() -> Result<()> {
    let tools = json!([
        {"name": "fails", "does": {"result": {"isError": true, "content": [{"type": "text", "text": "no such repo"}]}}},
        {"name": "error", "does": {"error": {"code": -32050, "message": "out of order"}}},
        {"name": "ends", "does": {"exit": true}},
        {"name": "asks", "does": {"result": {"resultType": "input_required", "requestState": "x", "inputRequests": {}}}},
        {"name": "often", "does": {}},
    ]);
    let config = json!({"mcpServers": {
        "s": server(&json!({"tools": tools})),
        "few": server_with(&json!({"tools": tools}), &json!({"limits": {"per_minute": 1}})),
        "gone": {"command": "/nonexistent/program", "grants": "allow"},
        "dies": server(&json!({"ends": true, "errors": "missing API key"})),
        "off": server_with(&json!({"tools": tools}), &json!({"disabled": true})),
    }});
    let shop = Shop::new(&config)?;
    for (tool, expected) in [
        ("s.fails", "tool-error: no such repo"),
        ("s.error", "rpc-error: out of order (code -32050)"),
        ("s.ends", "lost: the server ended before it answered; what it did is unknown"),
        ("s.asks", "tool-error: the tool asks for input, which nobody can give here"),
        ("gone.x", "unavailable: it cannot be started: /nonexistent/program: "),
        (
            "dies.x",
            "unavailable: the server ended while it started; its last words: missing API key",
        ),
        ("off.x", "unavailable: the server is switched off in the configuration"),
    ] {
        let told = shop.complaint(tool, "{}")?;
        ensure!(told.starts_with(expected), "{tool}: {told}");
    }
    Ok(())
}

#[test]
fn a_slow_server_times_out() -> Result<()> {
    let tools = json!([{"name": "slow", "does": {"sleep_ms": 20000}}, {"name": "quick", "does": {"sleep_ms": 300}}]);
    let limits =
        json!({"limits": {"call_timeout": "200ms", "tools": {"q*": {"call_timeout": "9s"}}}});
    let config = json!({"mcpServers": {"s": server_with(&json!({"tools": tools}), &limits)}});
    let shop = Shop::new(&config)?;
    let start = Instant::now();
    let told = "timeout: `slow` did not answer within 200ms; what it did is unknown";
    assert_eq!(shop.complaint("s.slow", "{}")?, told);
    ensure!(start.elapsed().as_secs() < 15);
    assert_eq!(shop.value("s.quick", "{}")?, r#""done""#);
    Ok(())
}

#[test]
fn a_large_answer_is_refused() -> Result<()> {
    let shop = Shop::of(&json!([
        {"name": "most", "does": {"size": 1_999_998}},
        {"name": "more", "does": {"size": 1_999_999}},
    ]))?;
    assert_eq!(shop.value("s.most", "{}")?.len(), 2_000_000);
    let told = "too-large: the answer has 2000001 bytes, more than the 2000000 that are accepted";
    assert_eq!(shop.complaint("s.more", "{}")?, told);
    Ok(())
}

#[test]
fn mistakes_are_found_before_anything_is_sent() -> Result<()> {
    let schema = json!({"type": "object", "required": ["query"],
        "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}}});
    let shop = Shop::of(
        &json!([{"name": "search_issues", "inputSchema": schema, "does": {"echo": true}}]),
    )?;
    let signature = "s.search_issues({query: text, limit?: int})";
    for (tool, arguments, expected) in [
        ("search", "{}", "unknown-capability: `search` does not name a tool of a server\n  write SERVER.TOOL, as in `github.search_issues`".to_owned()),
        ("t.search_issues", "{}", "unknown-capability: there is no server `t`\n  did you mean `s.search_issues`?".to_owned()),
        ("s.search_isues", "{}", format!("unknown-capability: the server `s` has no tool `search_isues`\n  did you mean {signature}?")),
        ("s.search_issues", "{}", format!("malformed: the argument `query` is missing, in a call of `s.search_issues`\n  {signature}")),
        ("s.search_issues", r#"{"query":1}"#, format!("malformed: the argument `query` must be a text, and is a whole number, in a call of `s.search_issues`\n  {signature}")),
        ("s.search_issues", "[]", format!("malformed: the arguments of `s.search_issues` are no record\n  {signature}")),
    ] {
        assert_eq!(shop.complaint(tool, arguments)?, expected);
    }
    assert_eq!(shop.value("s.search_issues", r#"{"query":"a"}"#)?, r#"{"query":"a"}"#);
    Ok(())
}

#[test]
fn a_server_that_does_not_start_hides_only_itself() -> Result<()> {
    let tools = json!([{"name": "echo", "does": {"echo": true}}]);
    let config = json!({"mcpServers": {
        "dead": server(&json!({"ends": true})),
        "well": server(&json!({"tools": tools})),
    }});
    let shop = Shop::new(&config)?;
    let said = shop.say(&["capability", "list"])?;
    assert_eq!(said.output, "well.echo({}) [may destroy, allow]");
    ensure!(said.errors.contains("mcp-pif: dead: the server ended while it started"), "{said:?}");
    // What a server offered last is known when it is down.
    shop.write(&json!({"mcpServers": {"well": {"command": "/nonexistent", "grants": "allow"}}}))?;
    assert_eq!(shop.say(&["capability", "list"])?.output, said.output);
    Ok(())
}

#[test]
fn a_client_s_own_configuration_is_taken_over() -> Result<()> {
    let shop = Shop::of(&json!([]))?;
    let file = shop.file("theirs.json");
    let theirs = json!({"mcpServers": {"My Server": {"command": "npx", "args": ["x"], "alwaysAllow": ["y"],
        "env": {"TOKEN": "${env:MY_TOKEN}"}}}});
    std::fs::write(&file, theirs.to_string())?;
    let said = shop.say(&["capability", "import", &file.display().to_string()])?;
    ensure!(
        said.ok && said.errors.contains("`alwaysAllow` of `My Server` is left out"),
        "{said:?}"
    );
    let ours: serde_json::Value = serde_json::from_str(&said.output)?;
    assert_eq!(ours["mcpServers"]["my-server"]["env"]["TOKEN"], "${MY_TOKEN}");
    assert_eq!(ours["secrets"]["MY_TOKEN"]["env"], "MY_TOKEN");
    Ok(())
}
