//! Sets of tools that are on or off.

use anyhow::{Context, Result, ensure};
use pif_domain::{BuiltIn, Toolset};
use serde_json::{Value, json};

use super::client::Client;

fn listed(client: &mut Client) -> Result<Vec<String>> {
    let list = client.request("tools/list", &json!({}))?;
    let tools = list["tools"].as_array().context("tools")?;
    Ok(tools.iter().filter_map(|tool| tool["name"].as_str().map(str::to_owned)).collect())
}

fn of(sets: &[Toolset]) -> Vec<&'static str> {
    let tools = BuiltIn::ALL.iter().filter(|tool| sets.contains(&tool.set()));
    tools.filter(|tool| !tool.needs_policy()).map(|tool| tool.name()).collect()
}

/// The sets that are on by default, and need no other servers.
const OWN: [Toolset; 3] = [Toolset::Core, Toolset::State, Toolset::Sessions];

#[test]
fn every_set_has_tools_and_most_are_on_by_default() -> Result<()> {
    for set in Toolset::ALL {
        ensure!(!of(&[set]).is_empty(), "{} is empty", set.name());
    }
    assert_eq!(listed(&mut Client::legacy()?)?, of(&OWN));
    Ok(())
}

/// Without other servers there is nothing to call, and nobody has to say so.
#[test]
fn the_set_for_other_servers_is_empty_without_any() -> Result<()> {
    let sets = ["--toolsets", "core,capabilities"];
    assert_eq!(listed(&mut Client::legacy_with(&sets)?)?, of(&[Toolset::Core]));
    Ok(())
}

#[test]
fn a_flag_and_a_variable_switch_sets() -> Result<()> {
    for set in [&OWN[..], &[Toolset::Staging, Toolset::Analysis, Toolset::Debug]].concat() {
        let mut client = Client::legacy_with(&["--toolsets", set.name()])?;
        assert_eq!(listed(&mut client)?, of(&[set]));
        let mut client = Client::start_in(&[("MCP_PIF_TOOLSETS", set.name())], &[])?;
        client.initialize()?;
        assert_eq!(listed(&mut client)?, of(&[set]));
    }
    Ok(())
}

#[test]
fn a_tool_of_a_set_that_is_off_is_unknown() -> Result<()> {
    let mut client = Client::legacy_with(&["--toolsets", "core"])?;
    let call = |name: &str| json!({"name": name, "arguments": {}});
    for name in of(&[Toolset::State]) {
        let error = client.error("tools/call", &call(name))?;
        let message = error["message"].as_str().context("a message")?;
        ensure!(error["code"] == -32602, "{error}");
        ensure!(message.contains(&format!("unknown tool `{name}`")), "{message}");
        ensure!(message.contains("the toolset `state`"), "{message}");
    }
    // A name of an earlier server leads to no other answer.
    let error = client.error("tools/call", &call("memory-retrieve"))?;
    ensure!(error["message"].to_string().contains("the toolset `state`"), "{error}");
    let help = client.text("help", &json!({"category": "tools"}))?;
    ensure!(help.contains("## run") && !help.contains("## rollback"), "{help}");
    Ok(())
}

#[test]
fn a_set_that_is_not_offered_stops_the_start() -> Result<()> {
    for sets in ["drafts", "core,drafts", "", "core;state", "core,,state"] {
        let mut client = Client::start(&["--toolsets", sets])?;
        ensure!(!client.wait()?.success(), "{sets}");
        let said = client.finish()?.errors;
        ensure!(said.contains("--toolsets") && said.contains("`core`, `state`"), "{said}");
    }
    Ok(())
}

/// What the server measures is shown only where somebody asked for it.
#[test]
fn the_default_sets_are_all_but_that_of_debugging() -> Result<()> {
    let info: Value = Client::legacy()?.call("server_info", &json!({}))?;
    let sets = OWN.map(Toolset::name);
    assert_eq!(info["structuredContent"]["toolsets"], json!(sets));
    Ok(())
}
