//! Names of tools with a prefix, for clients that put nothing before them.

use super::client::{Client, built_in};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

const PREFIX: [&str; 2] = ["--prefix", "pif_"];

fn tools(client: &mut Client) -> Result<Vec<Value>> {
    let list = client.request("tools/list", &json!({}))?;
    Ok(list["tools"].as_array().context("tools")?.clone())
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().filter_map(|tool| tool["name"].as_str()).collect()
}

/// The name of a built-in tool that a text gives without the prefix.
fn unprefixed(text: &str) -> Option<&'static str> {
    let text = format!(" {text}");
    built_in().into_iter().find(|name| {
        [format!("`{name}`"), format!("`{name} {{"), format!(" {name} {{")]
            .iter()
            .any(|written| text.contains(written))
    })
}

fn ensure_named(text: &str) -> Result<()> {
    ensure!(unprefixed(text).is_none(), "{:?} in {text}", unprefixed(text));
    Ok(())
}

fn evolve(name: &str) -> Value {
    json!({"name": name, "description": "Doubles a number", "code": "x => x * 2"})
}

#[test]
fn tools_are_listed_and_called_with_the_prefix() -> Result<()> {
    let mut client = Client::start_in(&[("MCP_PIF_PREFIX", "pif_")], &[])?;
    client.initialize()?;
    let prefixed: Vec<String> = built_in().iter().map(|name| format!("pif_{name}")).collect();
    assert_eq!(names(&tools(&mut client)?), prefixed);
    client.call("pif_evolve", &evolve("double"))?;
    client.notification("notifications/tools/list_changed")?;
    let listed = tools(&mut client)?;
    ensure!(names(&listed).last() == Some(&"pif_double"), "{listed:?}");
    ensure!(client.call("pif_double", &json!({"data": 21}))?["structuredContent"]["value"] == 42);
    // In programs a tool has its own name. In arguments it may have both.
    for arguments in [
        json!({"tool": "double", "data": 4}),
        json!({"tool": "pif_double", "data": 4}),
        json!({"code": "@double(4)"}),
    ] {
        let told = client.call("pif_run", &arguments)?;
        ensure!(told["structuredContent"]["value"] == 8, "{arguments}: {told}");
    }
    let shown = client.call("pif_inspect", &json!({"tool": "pif_double"}))?;
    ensure!(shown["structuredContent"]["name"] == "double", "{shown}");
    client.call("pif_evolve", &evolve("pif_twice"))?;
    let listed = tools(&mut client)?;
    ensure!(names(&listed).last() == Some(&"pif_twice"), "{listed:?}");
    // A client may take the prefix away again.
    ensure!(client.call("run", &json!({"code": "1 + 1"}))?["structuredContent"]["value"] == 2);
    Ok(())
}

#[test]
fn the_stateless_protocol_has_the_prefix_too() -> Result<()> {
    let mut client = Client::start(&PREFIX)?;
    let list = client.modern("tools/list", json!({}))?;
    let listed = list["tools"].as_array().context("tools")?;
    ensure!(names(listed).iter().all(|name| name.starts_with("pif_")), "{list}");
    let params = json!({"name": "pif_run", "arguments": {"code": "6 * 7"}});
    let told = client.modern("tools/call", params)?;
    ensure!(told["structuredContent"]["value"] == 42, "{told}");
    Ok(())
}

#[test]
fn texts_name_tools_as_clients_see_them() -> Result<()> {
    let mut client = Client::start(&PREFIX)?;
    let greeting = client.initialize()?;
    let instructions = greeting["instructions"].as_str().context("instructions")?;
    ensure!(instructions.contains("pif_run {") && instructions.contains("pif_memory_retrieve"));
    ensure!(instructions.contains("without `pif_`"), "{instructions}");
    ensure_named(instructions)?;
    for tool in tools(&mut client)? {
        ensure_named(tool["description"].as_str().context("a description")?)?;
        ensure_named(&tool["inputSchema"].to_string())?;
    }
    for (tool, arguments) in [
        ("help", json!({})),
        ("help", json!({"category": "tools"})),
        ("list", json!({})),
        ("server_info", json!({})),
    ] {
        ensure_named(&client.text(&format!("pif_{tool}"), &arguments)?)?;
    }
    client.call("pif_evolve", &evolve("double"))?;
    client.call("pif_rollback", &json!({"tool": "double", "retire": true}))?;
    for (tool, arguments, hint) in [
        ("run", json!({"tool": "nobody"}), "`pif_list` shows"),
        ("run", json!({"code": "@nobody(1)"}), "`pif_evolve`"),
        ("inspect", json!({"tool": "double"}), "pif_rollback {"),
        ("session_eval", json!({"session": "nobody", "code": "1"}), "`pif_session_list`"),
        ("rollback", json!({"tool": "double"}), "`pif_inspect` shows"),
    ] {
        let fault = client.fault(&format!("pif_{tool}"), &arguments)?.to_string();
        ensure!(fault.contains(hint), "{tool} {arguments}: {fault}");
        ensure_named(&fault)?;
    }
    // A name that somebody else gave stays as it is.
    client.call("pif_session_eval", &json!({"define": "list", "data": 1}))?;
    client.call("pif_memory_store", &json!({"key": "list", "value": 1}))?;
    for (tool, arguments) in [
        ("session_inspect", json!({"name": "lisst"})),
        ("memory_retrieve", json!({"key": "lisst"})),
    ] {
        let fault = client.fault(&format!("pif_{tool}"), &arguments)?.to_string();
        ensure!(fault.contains("did you mean `list`?"), "{tool}: {fault}");
    }
    for (sent, meant) in [("pif_evolv", "`pif_evolve`"), ("pif_rum", "`pif_run`")] {
        let error = client.error("tools/call", &json!({"name": sent, "arguments": {}}))?;
        let message = error["message"].as_str().context("a message")?;
        ensure!(message.contains(&format!("unknown tool `{sent}`")), "{message}");
        ensure!(message.contains(meant), "{message}");
    }
    Ok(())
}

#[test]
fn a_prefix_that_is_no_part_of_a_name_stops_the_start() -> Result<()> {
    for prefix in ["1a", "a b", "a.b", "é", "${PREFIX}", "a23456789_1234567"] {
        let mut client = Client::start(&["--prefix", prefix])?;
        ensure!(!client.wait()?.success(), "{prefix}");
        ensure!(client.finish()?.errors.contains("--prefix"), "{prefix}");
    }
    Ok(())
}
