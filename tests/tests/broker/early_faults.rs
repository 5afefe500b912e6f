//! What can be known of a program is known before the first call.

use super::shop::{Running, Shop, server};
use anyhow::{Result, ensure};
use serde_json::{Value, json};
use std::fs;

fn shop() -> Result<Shop> {
    let shop = Shop::of(&json!([]))?;
    let schema = json!({"type": "object", "required": ["path"],
        "properties": {"path": {"type": "string"}, "lines": {"type": "integer"}}});
    let tools = json!([{"name": "write", "inputSchema": schema,
        "does": {"echo": true, "count": shop.file("writes")}}]);
    shop.write(&json!({"mcpServers": {"files": server(&json!({ "tools": tools }))}}))?;
    Ok(shop)
}

fn writes(shop: &Shop) -> usize {
    fs::read_to_string(shop.file("writes")).unwrap_or_default().lines().count()
}

#[test]
fn nothing_is_called_where_a_fault_is_sure() -> Result<()> {
    let shop = shop()?;
    let mut running = Running::start(&shop, &["serve"])?;
    // What the server offers is known from now on.
    running.call("capabilities", &json!({}))?;
    let write = r#"call("files.write", {path: "a"})"#;
    for (code, fault, words) in [
        (format!("[{write}, foo]"), "unbound", "`foo`"),
        (format!("[{write}, @no_such_tool(1)]"), "unknown-tool", "no_such_tool"),
        (format!(r#"[{write}, call("files.wipe", {{}})]"#), "unknown-capability", "wipe"),
        (format!(r#"[{write}, call("flies.write", {{}})]"#), "unknown-capability", "flies"),
        (format!(r#"[{write}, call("files.write", {{}})]"#), "malformed", "`path` is missing"),
        (format!(r#"[{write}, call("files.write", {{path: 1}})]"#), "malformed", "must be a text"),
        (format!("const xs = [1, 2]; [{write}, xs.size]"), "missing-key", "a list has no `size`"),
    ] {
        let told = running.call("run", &json!({ "code": code }))?;
        ensure!(told["code"] == fault && told["line"] == 1, "{code}: {told}");
        ensure!(told["message"].as_str().is_some_and(|it| it.contains(words)), "{code}: {told}");
        ensure!(writes(&shop) == 0, "{code}");
    }
    let told = running.call("run", &json!({"code": format!("[{write}, foo, bar]")}))?;
    ensure!(told["faults"].as_array().is_some_and(|it| it.len() == 2), "{told}");
    Ok(())
}

#[test]
fn what_is_never_reached_or_caught_is_left_to_the_run() -> Result<()> {
    let shop = shop()?;
    let mut running = Running::start(&shop, &["serve"])?;
    running.call("capabilities", &json!({}))?;
    for (code, value) in [
        (r#"[call("files.write", {path: "a"}), if(true, 1, foo)]"#, json!([{"path": "a"}, 1])),
        (
            r#"[call("files.write", {path: "a"}), try(call("files.wipe", {}), e => e.code)]"#,
            json!([{"path": "a"}, "unknown-capability"]),
        ),
    ] {
        let told = running.call("run", &json!({ "code": code }))?;
        ensure!(told["value"] == value, "{code}: {told}");
    }
    Ok(())
}

#[test]
fn calls_of_one_tool_are_told_together() -> Result<()> {
    let shop = shop()?;
    let mut running = Running::start(&shop, &["serve"])?;
    let code = r#"const made = calls(["a", "b", "c"].map(path => ({tool: "files.write", args: {path}}))); fail("x")"#;
    let told = running.ask("tools/call", &json!({"name": "run", "arguments": {"code": code}}))?;
    let text = told["result"]["content"][0]["text"].as_str().unwrap_or_default();
    ensure!(text.contains("files.write × 3 ok"), "{told}");
    let made: &Value = &told["result"]["structuredContent"]["calls_made"];
    ensure!(made[0]["bytes"].as_u64() > Some(0), "{made}");
    let code = r#"calls(["a", "b"].map(path => ({tool: "files.write", args: {path}}))).length()"#;
    let told = running.ask("tools/call", &json!({"name": "run", "arguments": {"code": code}}))?;
    let text = told["result"]["content"][1]["text"].as_str().unwrap_or_default();
    ensure!(
        text.contains("files.write × 2 ok") && text.contains("24 bytes fetched, 1 given"),
        "{told}"
    );
    Ok(())
}

#[test]
fn the_name_of_a_server_that_is_no_variable_shows_a_call() -> Result<()> {
    let shop = shop()?;
    let mut running = Running::start(&shop, &["serve"])?;
    running.call("capabilities", &json!({}))?;
    let told = running.call("run", &json!({"code": "[files, 1]"}))?;
    let hint = told["hint"].as_str().unwrap_or_default();
    ensure!(told["code"] == "unbound" && hint.contains("write files.write({path:"), "{told}");
    Ok(())
}

#[test]
fn instructions_say_how_servers_are_called() -> Result<()> {
    let shop = shop()?;
    let mut running = Running::start(&shop, &["serve"])?;
    let listed = running.ask("tools/list", &json!({}))?;
    let tools = listed["result"]["tools"].as_array().cloned().unwrap_or_default();
    let run = tools.iter().find(|it| it["name"] == "run").cloned().unwrap_or_default();
    let told = run["description"].as_str().unwrap_or_default();
    ensure!(told.contains("await Promise.all(files.map("), "{told}");
    Ok(())
}
