//! The inspector's command line, which starts the server anew for each request: an evolved tool
//! is there because the server keeps it.

use super::Tally;
use super::node::Node;
use anyhow::{Context, Result};
use pif_tests::server::client;
use serde_json::{Value, json};
use std::path::Path;

/// How the inspector exits when a tool says `isError`.
const TOOL_FAILED: i32 = 5;

/// What came of a request.
struct Answer {
    code: Option<i32>,
    result: Value,
    said: String,
}

/// Makes every check in an era, `legacy` or `modern`.
pub(super) fn check(node: &Node, server: &Path, era: &str, tally: &mut Tally) -> Result<()> {
    let way = if server.starts_with("http:") { " over HTTP" } else { "" };
    let client = format!("inspector{way}, {era}");
    // It starts the server anew for each request, with little more of the environment than this.
    let home = node.new_home(&client)?;
    let request = |arguments: &[&str]| request(node, server, &home, era, arguments);
    let call = |tool: &str, arguments: Value| {
        let arguments = arguments.to_string();
        request(&["tools/call", "--tool-name", tool, "--tool-args-json", &arguments])
    };
    let mut check = |name: &str, answer: &Answer, code: i32, holds: bool| {
        let holds = holds && answer.code == Some(code);
        tally.check(&client, name, holds, &format!("exit {:?}\n{}", answer.code, answer.said));
    };

    let answer = request(&["tools/list", "--strict"])?;
    check(
        "lists the tools, portable schemas",
        &answer,
        0,
        sorted(names(&answer.result)) == sorted(client::built_in()),
    );

    let double = json!({"name": "double", "description": "Doubles a number",
        "code": {"mul": [{"var": "x"}, 2]}});
    let answer = call("evolve", double)?;
    check("evolves a tool", &answer, 0, member(&answer, "status") == "new");

    let answer = call("double", json!({"input": 21}))?;
    check("calls the tool by its name", &answer, 0, member(&answer, "value") == 42);

    let answer = call("run", json!({"code": {"mul": [21, 2]}}))?;
    check("runs a term", &answer, 0, member(&answer, "value") == 42);
    // Only results of the stateless protocol say who made them.
    let stateless = !answer.result["_meta"]["io.modelcontextprotocol/serverInfo"].is_null();
    check("speaks the protocol of its era", &answer, 0, stateless == (era == "modern"));

    let answer = call("run", json!({"code": {"add": [1, "a"]}}))?;
    check("sees a fault", &answer, TOOL_FAILED, member(&answer, "code") == "type-mismatch");
    Ok(())
}

fn request(
    node: &Node,
    server: &Path,
    home: &Path,
    era: &str,
    arguments: &[&str],
) -> Result<Answer> {
    let mut command = node.command("mcp-inspector")?;
    command.env("HOME", home);
    command.arg("--cli").arg(server).args(["--quiet", "--format", "json"]);
    command.args(["--protocol-era", era, "--method"]).args(arguments);
    let output = command.output().context("the inspector does not start")?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    let result =
        serde_json::from_str(&stdout).map_or(Value::Null, |it: Value| it["result"].clone());
    let said = format!("{stdout}{}", String::from_utf8_lossy(&output.stderr));
    Ok(Answer { code: output.status.code(), result, said })
}

/// The names of the tools in a list.
fn names(result: &Value) -> Vec<&str> {
    let tools = result["tools"].as_array().map_or([].as_slice(), Vec::as_slice);
    tools.iter().filter_map(|tool| tool["name"].as_str()).collect()
}

fn sorted(mut names: Vec<&str>) -> Vec<&str> {
    names.sort_unstable();
    names
}

/// A member of the structured content.
fn member<'a>(answer: &'a Answer, name: &str) -> &'a Value {
    &answer.result["structuredContent"][name]
}
