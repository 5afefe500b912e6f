//! Both eras of the protocol on one pipe, and how each hears that the tools have changed.

use super::client::{Client, built_in, initialize, modern, request};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

const CHANGED: &str = "notifications/tools/list_changed";
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

fn capabilities() -> Value {
    json!({
        "completions": {},
        "resources": {"listChanged": true},
        "tools": {"listChanged": true},
    })
}

fn names(list: &Value) -> Result<Vec<String>> {
    let tools = list["tools"].as_array().with_context(|| format!("no tools: {list}"))?;
    Ok(tools.iter().filter_map(|tool| tool["name"].as_str()).map(str::to_owned).collect())
}

fn double() -> Value {
    json!({"name": "double", "description": "Doubles a number", "code": {"mul": [{"var": "x"}, 2]}})
}

#[test]
fn the_older_protocol_negotiates_its_version() -> Result<()> {
    for (asked, given) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let mut client = Client::start(&[])?;
        let mut params = initialize();
        params["protocolVersion"] = json!(asked);
        let result = client.request("initialize", &params)?;
        assert_eq!(result["protocolVersion"], given, "for {asked}");
        assert_eq!(result["serverInfo"]["name"], "mcp-pif");
        assert_eq!(result["capabilities"], capabilities());
        let instructions = result["instructions"].as_str().context("instructions")?;
        assert!(instructions.len() <= 2_048, "clients cut after 2 KB: {}", instructions.len());
        assert!(result.get("resultType").is_none());
    }
    Ok(())
}

#[test]
fn the_stateless_protocol_needs_no_session() -> Result<()> {
    let mut client = Client::start(&[])?;
    let found = client.modern("server/discover", json!({}))?;
    let versions = found["supportedVersions"].as_array().context("versions")?;
    assert!(versions.contains(&json!("2026-07-28")), "{found}");
    assert_eq!(found["resultType"], "complete");
    assert_eq!(found["capabilities"], capabilities());
    let list = client.modern("tools/list", json!({}))?;
    assert_eq!((&list["ttlMs"], &list["cacheScope"]), (&json!(0), &json!("private")));
    let result = client
        .modern("tools/call", json!({"name": "run", "arguments": {"code": {"add": [1, 2]}}}))?;
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["structuredContent"]["value"], 3);
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "mcp-pif");
    Ok(())
}

#[test]
fn a_session_takes_requests_of_both_protocols() -> Result<()> {
    let mut client = Client::legacy()?;
    let call = json!({"name": "evolve", "arguments": double()});
    assert_eq!(client.modern("tools/call", call)?["structuredContent"]["status"], "new");
    client.notification(CHANGED)?;
    assert_eq!(client.text("run", &json!({"tool": "double", "input": 21}))?, "42");
    let call = json!({"name": "double", "arguments": {"input": 4}});
    assert_eq!(client.modern("tools/call", call)?["structuredContent"]["value"], 8);
    let older = client.call("double", &json!({"input": 4}))?;
    assert!(older.get("resultType").is_none() && older.get("_meta").is_none(), "{older}");
    Ok(())
}

/// Clients probe with `server/discover` and initialize a session nevertheless.
#[test]
fn discovery_leaves_the_way_to_a_session_open() -> Result<()> {
    let mut client = Client::start(&[])?;
    client.send(modern(&json!("server-discover-probe-1"), "server/discover", json!({}))?)?;
    assert!(client.next_message()?.get("result").is_some());
    let initialized = client.initialize()?;
    assert_eq!(initialized["protocolVersion"], "2025-11-25");
    client.call("evolve", &double())?;
    client.notification(CHANGED)?;
    Ok(())
}

#[test]
fn a_request_without_session_and_meta_is_told_what_it_lacks() -> Result<()> {
    let mut client = Client::start(&[])?;
    let version = "io.modelcontextprotocol/protocolVersion";
    for (method, lack) in [("server/discover", version), ("tools/list", "`initialize`")] {
        let id = client.id();
        client.send(request(&id, method, &json!({})))?;
        let answer = client.answer(&id)?;
        assert_eq!(answer["error"]["code"], -32602, "{method}: {answer}");
        let message = answer["error"]["message"].as_str().context("a message")?;
        assert!(message.contains(lack), "{message}");
    }
    client.initialize().map(drop)
}

#[test]
fn an_unsupported_version_is_refused_with_those_that_are() -> Result<()> {
    let mut client = Client::start(&[])?;
    let id = client.id();
    let line = modern(&id, "tools/list", json!({}))?.replace("2026-07-28", "2099-01-01");
    client.send(line)?;
    let answer = client.answer(&id)?;
    assert_eq!(answer["error"]["code"], -32022, "{answer}");
    assert_eq!(answer["error"]["data"]["requested"], "2099-01-01");
    let supported = answer["error"]["data"]["supported"].as_array().context("versions")?;
    assert!(supported.contains(&json!("2026-07-28")), "{answer}");
    Ok(())
}

#[test]
fn the_older_protocol_hears_of_changes() -> Result<()> {
    let mut client = Client::legacy()?;
    let before = names(&client.request("tools/list", &json!({}))?)?;
    assert_eq!(before, built_in());
    client.call("evolve", &double())?;
    let notification = client.notification(CHANGED)?;
    assert!(notification.get("id").is_none());
    let after = names(&client.request("tools/list", &json!({}))?)?;
    assert_eq!(after, [&before[..], &["double".to_owned()]].concat());
    let called = client.call("double", &json!({"input": 21}))?;
    assert_eq!(called["structuredContent"]["value"], 42);
    assert_eq!(client.text("run", &json!({"tool": "double", "input": 21}))?, "42");
    Ok(())
}

#[test]
fn a_subscriber_hears_of_changes() -> Result<()> {
    let mut client = Client::start(&[])?;
    let id = json!("listener");
    let filter = json!({"notifications": {"toolsListChanged": true}});
    client.send(modern(&id, "subscriptions/listen", filter)?)?;
    let acknowledged = client.next_message()?;
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(acknowledged["params"]["_meta"][SUBSCRIPTION], id, "{acknowledged}");
    client.modern("tools/call", json!({"name": "evolve", "arguments": double()}))?;
    let changed = client.notification(CHANGED)?;
    assert_eq!(changed["params"]["_meta"][SUBSCRIPTION], id, "{changed}");
    assert!(names(&client.modern("tools/list", json!({}))?)?.contains(&"double".to_owned()));
    // The end of input ends the subscription, which is the answer to its request.
    let rest = client.finish()?.rest;
    ensure!(rest.len() == 1 && rest[0]["id"] == id, "{rest:?}");
    ensure!(rest[0].get("result").is_some(), "{rest:?}");
    Ok(())
}

#[test]
fn who_does_not_subscribe_to_tools_is_not_told() -> Result<()> {
    let mut client = Client::start(&[])?;
    let (id, asked) = (json!("listener"), json!({"notifications": {"promptsListChanged": true}}));
    client.send(modern(&id, "subscriptions/listen", asked)?)?;
    client.notification("notifications/subscriptions/acknowledged")?;
    client.modern("tools/call", json!({"name": "evolve", "arguments": double()}))?;
    let rest = client.finish()?.rest;
    ensure!(rest.iter().all(|it| it["method"] != CHANGED), "{rest:?}");
    Ok(())
}

#[test]
fn what_changes_nothing_is_no_change() -> Result<()> {
    let mut client = Client::legacy()?;
    for status in ["new", "unchanged", "unchanged"] {
        let result = client.call("evolve", &double())?;
        assert_eq!(result["structuredContent"]["status"], status);
    }
    let info = client.call("server_info", &json!({}))?;
    assert_eq!(info["structuredContent"]["changes"], 1);
    assert_eq!(info["structuredContent"]["tools"], 1);
    Ok(())
}

#[test]
fn two_processes_list_the_same_bytes() -> Result<()> {
    let list = || -> Result<String> {
        let mut client = Client::legacy()?;
        for name in ["zeta", "alpha", "mid"] {
            client.evolve(name, "A tool", &json!({"lam": "x", "body": {"var": "x"}}))?;
        }
        Ok(client.request("tools/list", &json!({}))?.to_string())
    };
    let (first, second) = (list()?, list()?);
    assert_eq!(first, second);
    let listed = names(&serde_json::from_str(&first)?)?;
    assert!(listed.ends_with(&["alpha", "mid", "zeta"].map(str::to_owned)), "{listed:?}");
    Ok(())
}

#[test]
fn long_lists_come_in_pages() -> Result<()> {
    let mut client = Client::legacy_with(&["--listed", "150"])?;
    for index in 0..160 {
        client.evolve(&format!("tool{index:03}"), "A tool", &json!(index))?;
    }
    let mut all = Vec::new();
    let mut page = client.request("tools/list", &json!({}))?;
    all.extend(names(&page)?);
    while let Some(cursor) = page.get("nextCursor") {
        page = client.request("tools/list", &json!({"cursor": cursor}))?;
        all.extend(names(&page)?);
    }
    assert_eq!(all.len(), built_in().len() + 150, "built-in tools and as many as are listed");
    all.dedup();
    assert_eq!(all.len(), built_in().len() + 150, "none twice");
    let unlisted = (0..160).map(|index| format!("tool{index:03}")).find(|name| !all.contains(name));
    let unlisted = unlisted.context("one is not listed")?;
    assert!(client.call(&unlisted, &json!({}))?["isError"] == false, "it can be called");

    let mut listed = 0;
    let mut page = client.call("list", &json!({}))?;
    loop {
        let structured = &page["structuredContent"];
        listed += structured["tools"].as_array().map_or(0, Vec::len);
        let Some(cursor) = structured.get("next_cursor").cloned() else { break };
        page = client.call("list", &json!({"cursor": cursor}))?;
    }
    assert_eq!(listed, 160, "the tool `list` shows all");
    Ok(())
}

/// Who makes a tool is told of the new list before the answer.
#[test]
fn a_change_is_told_before_its_answer() -> Result<()> {
    for pause in [false, true] {
        let mut client = Client::start(&[])?;
        let (hello, first, second) = (client.id(), client.id(), client.id());
        client.send(request(&hello, "initialize", &initialize()))?;
        client
            .send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string())?;
        for (id, name) in [(&first, "one"), (&second, "two")] {
            let arguments = json!({"name": name, "description": "d", "code": "x => x"});
            client.send(super::client::call(id, "evolve", &arguments.to_string()))?;
            let mut is_told = false;
            while pause || id == &second {
                let message = client.next_message()?;
                is_told |= message["method"] == CHANGED;
                if message["id"] == *id {
                    break;
                }
            }
            ensure!(is_told || !pause && id == &first, "{name} is told too late");
        }
    }
    let mut client = Client::start(&[])?;
    let listen = json!({"notifications": {"toolsListChanged": true}});
    let id = client.id();
    client.send(modern(&id, "subscriptions/listen", listen)?)?;
    client.notification("notifications/subscriptions/acknowledged")?;
    let id = client.id();
    let params = json!({"name": "evolve", "arguments": double()});
    client.send(modern(&id, "tools/call", params)?)?;
    let mut is_told = false;
    loop {
        let message = client.next_message()?;
        is_told |= message["method"] == CHANGED;
        if message["id"] == id {
            break;
        }
    }
    ensure!(is_told, "a subscriber is told too late");
    Ok(())
}

#[test]
fn a_list_that_cannot_change_is_not_announced() -> Result<()> {
    let mut client = Client::start(&["--listed", "0"])?;
    let result = client.initialize()?;
    assert_eq!(result["capabilities"]["tools"], json!({}), "{result}");
    client.call("evolve", &double())?;
    ensure!(client.try_find(|message| message["method"] == CHANGED).is_none());
    Ok(())
}
