//! Servers that a model installs, as far as the operator's patterns allow.

use super::processes::{kill, parts};
use super::shop::{Running, Shop, server, until};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::fs;

const PROGRAM: &str = env!("CARGO_BIN_EXE_upstream");

/// The script of a server that counts its calls, in one word without blanks.
fn script(shop: &Shop) -> String {
    let find = json!({"name": "find", "annotations": {"readOnlyHint": true},
        "inputSchema": {"type": "object", "required": ["query"], "properties": {"query": {"type": "string"}}},
        "does": {"echo": true, "count": shop.file("find")}});
    json!({"started": shop.file("started"), "tools": [find]}).to_string()
}

fn counted(shop: &Shop, file: &str) -> usize {
    fs::read_to_string(shop.file(file)).unwrap_or_default().lines().count()
}

/// A shop whose operator allows one command.
fn shop(more: &Value) -> Result<Shop> {
    let shop = Shop::of(&json!([]))?;
    let mut install = json!({"pattern": [PROGRAM, script(&shop)]});
    for (name, value) in more.as_object().into_iter().flatten() {
        install[name] = value.clone();
    }
    let broken = json!({"tools": [{"name": "find", "annotations": {"readOnlyHint": true},
        "inputSchema": {"type": "object", "required": ["query"], "properties": {"query": {"type": "string"}}},
        "does": {"error": {"code": -32000, "message": "no index"}}}]});
    shop.write(&json!({
        "mcpServers": {"broken": server(&broken)},
        "allow_install": [install, "npx -y @scope/*"],
    }))?;
    Ok(shop)
}

fn wanted(shop: &Shop) -> Value {
    json!({"name": "new", "server_command": [PROGRAM, script(shop)]})
}

fn find() -> Value {
    json!({"call": {"tool": "new.find", "args": {"record": {"query": "ada"}}}})
}

fn listed(running: &mut Running) -> Result<Vec<String>> {
    let told = running.ask("tools/list", &json!({}))?;
    let tools = told["result"]["tools"].as_array().with_context(|| told.to_string())?;
    Ok(tools.iter().filter_map(|it| it["name"].as_str().map(str::to_owned)).collect())
}

/// Installed at run time, used by a program, replayed without a call, searched beside another server
/// that fails.
#[test]
fn a_trusted_server_is_installed_used_and_replayed() -> Result<()> {
    let shop = shop(&json!({"trusted": true, "grants": {"*": "read"}}))?;
    let mut running = Running::start(&shop, &["serve"])?;
    ensure!(listed(&mut running)?.contains(&"install_capability".to_owned()));
    let told = running.call("install_capability", &wanted(&shop))?;
    ensure!(told["state"] == "installed" && told["tools"][0]["name"] == "new.find", "{told}");
    let told = running.call("run", &json!({"code": {"get": [find(), "query"]}}))?;
    ensure!(told["value"] == "ada" && counted(&shop, "find") == 1, "{told}");
    let told = running.call("journal_recent", &json!({"kind": "run", "limit": 1}))?;
    let replayed = running.call("replay", &json!({"entry": told["entries"][0]["entry"]}))?;
    ensure!(replayed["verdict"] == "equal" && counted(&shop, "find") == 1, "{replayed}");
    let told = running.call("ukr_search", &json!({"query": "x"}))?;
    assert_eq!(
        told["results"],
        json!([
            {"source": "broken.find", "ok": false, "reason": "rpc-error", "message": "no index (code -32000)"},
            {"source": "new.find", "ok": true, "value": {"query": "x"}},
        ])
    );
    let told = running.call("journal_recent", &json!({"kind": "install"}))?;
    ensure!(
        told["entries"][0]["subject"] == "new" && told["entries"][0]["ending"] == "new",
        "{told}"
    );
    Ok(())
}

#[test]
fn what_was_installed_outlasts_processes_until_it_is_removed() -> Result<()> {
    let shop = shop(&json!({"trusted": true, "grants": "allow"}))?;
    let mut running = Running::start(&shop, &["serve"])?;
    running.call("install_capability", &wanted(&shop))?;
    let again = running.call("install_capability", &wanted(&shop))?;
    ensure!(again["state"] == "installed", "{again}");
    kill(*parts(&shop, "work").first().context("no worker")?)?;
    until("a new worker calls", || {
        let told = running.call("run", &json!({"code": find()}));
        told.is_ok_and(|it| it["value"] == json!({"query": "ada"}))
    })?;
    drop(running);
    let mut running = Running::start(&shop, &["serve"])?;
    ensure!(running.call("run", &json!({"code": find()}))?["value"] == json!({"query": "ada"}));
    let told = running.call("uninstall_capability", &json!({"name": "new"}))?;
    ensure!(told["state"] == "removed", "{told}");
    let told = running.call("run", &json!({"code": find()}))?;
    ensure!(told["code"] == "unknown-capability", "{told}");
    let told = running.call("uninstall_capability", &json!({"name": "broken"}))?;
    ensure!(told["message"].to_string().contains("in capabilities.json: it stays"), "{told}");
    drop(running);
    let said = shop.say(&["capability", "list"])?;
    ensure!(!said.output.contains("new.find"), "{said:?}");
    Ok(())
}

#[test]
fn what_no_pattern_allows_is_refused() -> Result<()> {
    let shop = shop(&json!({}))?;
    let mut running = Running::start(&shop, &["serve"])?;
    let other = json!({"started": shop.file("other"), "tools": []}).to_string();
    for wanted in [
        json!({"name": "new", "server_command": [PROGRAM, other]}),
        json!({"name": "new", "server_command": [PROGRAM, script(&shop), "more"]}),
        json!({"name": "new", "server_command": ["npx", "-y", "@scope/../x"]}),
        json!({"name": "new", "server_command": "npx -y @scope/a @scope/b"}),
        json!({"name": "new", "server_command": ["sh", "-c", "npx -y @scope/a"]}),
        json!({"name": "new", "url": "https://example.com/mcp"}),
    ] {
        let told = running.call("install_capability", &wanted)?;
        let message = told["message"].as_str().with_context(|| told.to_string())?;
        ensure!(told["code"] == "capability-denied", "{wanted}: {told}");
        ensure!(message.contains("is not allowed; the operator allows"), "{told}");
        ensure!(message.contains("npx -y @scope/*"), "{told}");
    }
    for (wanted, expected) in [
        (
            json!({"name": "broken", "server_command": ["npx", "-y", "@scope/a"]}),
            "names a server `broken`",
        ),
        (
            json!({"name": "A b", "server_command": ["npx", "-y", "@scope/a"]}),
            "the id of a server has",
        ),
        (json!({"name": "new"}), "either `server_command` or `url`"),
        (json!({"name": "new", "server_command": "npx '-y' x"}), "must be a list of words"),
    ] {
        let told = running.call("install_capability", &wanted)?;
        ensure!(told["message"].to_string().contains(expected), "{wanted}: {told}");
    }
    ensure!(counted(&shop, "other") == 0 && counted(&shop, "started") == 0);
    Ok(())
}

#[test]
fn without_trust_a_server_waits_for_the_operator() -> Result<()> {
    let shop = shop(&json!({"grants": {"*": "allow"}}))?;
    let mut running = Running::start(&shop, &["serve"])?;
    let told = running.call("install_capability", &wanted(&shop))?;
    ensure!(told["state"] == "pending", "{told}");
    let told = running.call("run", &json!({"code": find()}))?;
    ensure!(told["upstream"]["reason"] == "unavailable", "{told}");
    ensure!(told["message"].to_string().contains("mcp-pif capability approve new"), "{told}");
    running.call("capabilities", &json!({}))?;
    ensure!(counted(&shop, "started") == 0, "it was started before anybody approved it");
    let said = shop.say(&["capability", "approve", "new"])?;
    ensure!(said.output.starts_with("approved new.find"), "{said:?}");
    let told = running.call("run", &json!({"code": find()}))?;
    ensure!(told["value"] == json!({"query": "ada"}), "{told}");
    // Once more by the same name: nothing of the approval is left.
    running.call("uninstall_capability", &json!({"name": "new"}))?;
    let told = running.call("install_capability", &wanted(&shop))?;
    ensure!(told["state"] == "pending", "{told}");
    Ok(())
}

#[test]
fn what_is_not_granted_beside_the_pattern_asks() -> Result<()> {
    let shop = shop(&json!({"trusted": true}))?;
    let mut running = Running::start(&shop, &["serve"])?;
    let told = running.call("install_capability", &wanted(&shop))?;
    ensure!(told["tools"][0]["grant"] == "ask", "{told}");
    Ok(())
}

#[test]
fn a_policy_that_is_taken_back_takes_the_server_away() -> Result<()> {
    let shop = shop(&json!({"trusted": true, "grants": "allow"}))?;
    let mut running = Running::start(&shop, &["serve"])?;
    running.call("install_capability", &wanted(&shop))?;
    drop(running);
    shop.write(&json!({"mcpServers": {"broken": server(&json!({}))}}))?;
    let mut running = Running::start(&shop, &["serve"])?;
    ensure!(!listed(&mut running)?.contains(&"install_capability".to_owned()));
    let told = running.call("run", &json!({"code": find()}))?;
    ensure!(told["code"] == "unknown-capability", "{told}");
    let told = running.call("install_capability", &wanted(&shop))?;
    ensure!(told["message"].to_string().contains("the operator allows no installs"), "{told}");
    Ok(())
}

#[test]
fn no_more_servers_are_installed_than_may_be() -> Result<()> {
    let shop = shop(&json!({}))?;
    let mut running = Running::start(&shop, &["serve"])?;
    let mut install = |n: u32| {
        let command = ["npx", "-y", "@scope/a"];
        running.call(
            "install_capability",
            &json!({"name": format!("n{n}"), "server_command": command}),
        )
    };
    for n in 0..32 {
        let told = install(n)?;
        ensure!(told["state"] == "pending", "{told}");
    }
    let told = install(32)?;
    ensure!(told["message"].to_string().contains("32 servers are installed already"), "{told}");
    Ok(())
}

/// Whoever runs a program by hand has the servers too.
#[test]
fn a_program_runs_by_hand_with_servers() -> Result<()> {
    let shop = Shop::of(&json!([{"name": "echo", "does": {"echo": true}}]))?;
    let code = json!({"get": [{"call": {"tool": "s.echo", "args": {"record": {"n": 7}}}}, "n"]});
    let file = shop.file("capabilities.json").display().to_string();
    let mut command = shop.command(&["run", "--capabilities", &file, &code.to_string()])?;
    command.env_remove("MCP_PIF_CAPABILITIES");
    let output = command.output()?;
    ensure!(output.status.success() && output.stdout.trim_ascii() == b"7", "{output:?}");
    until("its broker has ended", || parts(&shop, "supervise").is_empty())
}

/// A file that is no configuration is refused. A mistake in one server is told with its place, and
/// takes nothing from the others.
#[test]
fn mistakes_of_an_import_are_told_with_their_place() -> Result<()> {
    let shop = Shop::of(&json!([]))?;
    let file = shop.file("theirs.json").display().to_string();
    let import = |theirs: &str| {
        fs::write(&file, theirs)?;
        shop.say(&["capability", "import", &file])
    };
    for (theirs, expected) in [
        ("{", "this is no JSON: "),
        ("{}", "the file: there is no member `mcpServers`, `servers`"),
        (r#"{"mcpServers": []}"#, "there is no member `mcpServers`"),
        (r#"{"mcpServers": {"a": 1}}"#, "/a: write an object"),
    ] {
        let said = import(theirs)?;
        ensure!(!said.ok && said.output.is_empty(), "{theirs}: {said:?}");
        ensure!(
            said.errors.contains(expected) && said.errors.contains("theirs.json"),
            "{theirs}: {said:?}"
        );
    }
    for (theirs, expected) in [
        (r#"{"a": {}}"#, "/mcpServers/a: write a `command` with `args`, or a `url`"),
        (r#"{"a": {"command": "x", "args": "y"}}"#, "/mcpServers/a/args: invalid type: string"),
        (r#"{"a b": {"command": "x"}}"#, "the server `a b` is named `a-b` here"),
        (r#"{"a": {"type": "sse", "url": "https://x.test"}}"#, "/mcpServers/a/type: the older"),
        (r#"{"a": {"command": "mcp-pif"}}"#, "this server is mcp-pif itself"),
        (r#"{"a": {"command": "x", "args": ["${env:PIF_NO_SUCH}"]}}"#, "named `PIF_NO_SUCH`"),
        (r#"{"a": {"command": "x", "args": ["${env:MY_TOKEN}"]}}"#, "would see a secret here"),
    ] {
        let rest = theirs.trim_start_matches('{');
        let said = import(&format!(r#"{{"mcpServers": {{"well": {{"command": "x"}}, {rest}}}"#))?;
        ensure!(said.ok && said.output.contains("\"well\""), "{theirs}: {said:?}");
        ensure!(said.errors.contains(expected), "{theirs}: {said:?}");
    }
    Ok(())
}

/// From the file of another client to a program that calls a tool: three steps.
#[test]
fn a_file_of_another_client_is_used_in_three_steps() -> Result<()> {
    let shop = Shop::of(&json!([]))?;
    let theirs = shop.file("theirs.json");
    let script = json!({"tools": [{"name": "echo", "does": {"echo": true}}]}).to_string();
    let entry =
        json!({"command": env!("CARGO_BIN_EXE_upstream"), "args": [script], "autoApprove": ["*"]});
    fs::write(&theirs, format!("{{ // servers\n\"servers\": {{\"My Server\": {entry}, }}, }}"))?;
    let said = shop.say(&["capability", "import", &theirs.display().to_string()])?;
    let granted = said.output.replace(r#""grants": {}"#, r#""grants": "allow""#);
    shop.write(&serde_json::from_str(&granted)?)?;
    let said = shop.say(&["run", "call(\"my-server.echo\", {n: 7}).n"])?;
    ensure!(said.ok && said.output == "7", "{said:?}");
    Ok(())
}
