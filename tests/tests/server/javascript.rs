//! Programs are JavaScript: what the instructions say, what `help` finds, how tools are called by the
//! names of what their functions take, and where faults are.

use super::client::Client;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

/// Bytes of the instructions and of the list of the tools, as JSON.
const MOST: usize = 14_000;

#[test]
fn the_instructions_and_the_list_of_tools_are_short() -> Result<()> {
    let mut client = Client::start(&[])?;
    let instructions = client.initialize()?["instructions"].clone();
    let listed = client.request("tools/list", &json!({}))?;
    let [told, tools] = [&instructions, &listed].map(|it| it.to_string().len());
    ensure!(told + tools <= MOST, "{told} and {tools} bytes");
    let instructions = instructions.as_str().context("instructions")?;
    ensure!(instructions.contains("Programs are JavaScript"), "{instructions}");
    ensure!(!instructions.contains("Promise.all"), "no servers are configured: {instructions}");
    Ok(())
}

#[test]
fn help_finds_operators_names_of_javascript_and_words_of_questions() -> Result<()> {
    let mut client = Client::legacy()?;
    for (query, found) in [
        ("||", "a || b"),
        ("/", "a / b"),
        ("?.", "a?.b"),
        ("=>", "=>"),
        ("Math.floor", "Math.floor"),
        ("push", "xs.push(x)"),
        ("for", "for"),
        ("Promise.all", "async await Promise.all"),
        ("new Map", "new Map"),
        ("how do I sort by two keys", "xs.sort("),
        ("sort_by", "sort_by"),
    ] {
        let told = client.text("help", &json!({ "query": query }))?;
        ensure!(told.starts_with(found), "{query}: {told}");
    }
    let told = client.text("help", &json!({"query": "result of a call"}))?;
    ensure!(told.contains("structured content"), "{told}");
    let told = client.text("help", &json!({"form": "?."}))?;
    ensure!(told.starts_with("a?.b"), "{told}");
    Ok(())
}

/// The examples that `help` shows of JavaScript give what it says.
#[test]
fn what_help_shows_of_javascript_is_so() -> Result<()> {
    let mut client = Client::legacy()?;
    let rows = include_str!("../../../host/server/src/mcp/javascript.tsv");
    let mut wrong = Vec::new();
    for row in rows.lines() {
        let cells: Vec<&str> = row.split('\t').collect();
        let [name, _, _, example, result] = cells.as_slice() else {
            anyhow::bail!("no five cells: {row}");
        };
        if example.contains("filesystem.") || example.contains("github.") {
            continue;
        }
        let told = client.call("run", &json!({ "code": example }))?;
        let expected: Value = serde_json::from_str(result)?;
        let record = &told["structuredContent"];
        let exact = record["exact"].as_str().map(serde_json::from_str::<Value>).transpose()?;
        if *exact.as_ref().unwrap_or(&record["value"]) != expected {
            wrong.push(format!("{name}: {example} → {}", told["content"][0]["text"]));
        }
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

#[test]
fn tools_take_what_their_functions_take() -> Result<()> {
    let mut client = Client::legacy()?;
    client.evolve("report", "", &json!("({folder, month = 1}) => [folder, month]"))?;
    client.evolve("one", "", &json!("folder => [folder]"))?;
    client.evolve("minus", "", &json!("(a, b) => a - b"))?;
    for (tool, arguments, value) in [
        ("report", json!({"folder": "x"}), json!(["x", 1])),
        ("report", json!({"folder": "x", "month": 3}), json!(["x", 3])),
        ("report", json!({"data": {"folder": "y"}}), json!(["y", 1])),
        ("report", json!({"input": {"folder": "y", "month": 2}}), json!(["y", 2])),
        ("one", json!({"folder": "x"}), json!(["x"])),
        ("one", json!({"folder": "42", "fuel": 1000}), json!(["42"])),
        ("one", json!({"data": {"folder": 1}}), json!([{"folder": 1}])),
        ("minus", json!({"b": 3, "a": 5}), json!(2)),
    ] {
        let told = client.call(tool, &arguments)?;
        ensure!(told["structuredContent"]["value"] == value, "{tool} {arguments}: {told}");
    }
    let fault = client.fault("minus", &json!({"a": 5}))?;
    ensure!(fault["message"] == "the argument `b` is missing", "{fault}");
    let fault = client.fault("one", &json!({"foldr": 5}))?;
    ensure!(fault["hint"] == "did you mean `folder`?", "{fault}");
    let fault = client.fault("one", &json!({"folder": 5, "data": 6}))?;
    ensure!(fault["code"] == "malformed", "{fault}");
    let listed = client.request("tools/list", &json!({}))?;
    let tools = listed["tools"].as_array().context("tools")?;
    let report = tools.iter().find(|it| it["name"] == "report").context("report")?;
    let properties = &report["inputSchema"]["properties"];
    ensure!(
        properties["month"]
            == json!({"anyOf": [{"type": "integer"}, {"type": "number"}], "default": 1}),
        "{properties}"
    );
    ensure!(properties["folder"].is_object() && properties["data"].is_object(), "{properties}");
    Ok(())
}

#[test]
fn faults_in_examples_and_tools_have_places() -> Result<()> {
    let mut client = Client::legacy()?;
    let code = "x =>\n  x.foo + 1";
    let proposal = json!({"name": "bad", "description": "", "code": code,
        "examples": [{"data": {"a": 1}, "output": 2}]});
    let fault = client.fault("evolve", &proposal)?;
    ensure!(fault["line"] == 2 && fault["caret"].as_str().is_some(), "{fault}");
    client.evolve("bad", "", &json!(code))?;
    let fault = client.fault("run", &json!({"code": "@bad(data)", "data": {"a": 1}}))?;
    ensure!(fault["tool"] == "bad" && fault["line"] == 1, "{fault}");
    Ok(())
}

#[test]
fn a_text_of_an_example_that_is_decoded_is_told() -> Result<()> {
    let mut client = Client::legacy()?;
    let proposal = |input: Value, output: Value| {
        json!({"name": "same", "description": "", "code": "x => x",
            "examples": [{"input": input, "output": output}]})
    };
    client.text("evolve", &proposal(json!("abc"), json!("abc")))?;
    let fault = client.fault("evolve", &proposal(json!("42"), json!("42")))?;
    let hint = fault["hint"].as_str().context("hint")?;
    ensure!(hint.contains("was read as 42") && hint.contains("`data`"), "{hint}");
    Ok(())
}

#[test]
fn a_run_tells_all_faults_of_a_text_and_notes() -> Result<()> {
    let mut client = Client::legacy()?;
    let code = "const unused = 1;\nx => x.foo + 1";
    let told = client.fault("run", &json!({"code": code, "data": {"a": 1}}))?;
    ensure!(told["notes"][0]["message"] == "`unused` is bound here and never used", "{told}");
    let code = r#"[{"add": [1]}, {"sub": [1]}]"#;
    let told = client.fault("run", &json!({ "code": code }))?;
    ensure!(told["faults"].as_array().is_some_and(|it| it.len() == 2), "{told}");
    Ok(())
}

#[test]
fn faults_in_functions_of_a_session_have_places() -> Result<()> {
    let mut client = Client::legacy()?;
    client.text("session_eval", &json!({"define": "f", "code": "x => x.foo + 1"}))?;
    let fault = client.fault("session_eval", &json!({"code": "f({a: 1})"}))?;
    ensure!(fault["line"] == 1 && fault["caret"].as_str().is_some(), "{fault}");
    Ok(())
}
