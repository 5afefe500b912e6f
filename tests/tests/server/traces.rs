//! Traces in files: whose child a call is, what its parts are, and what of programs they tell.

use super::binary;
use super::client::{Client, command, request};
use super::folder::{Folder, cache};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

fn server(folder: &Path, flags: &[&str]) -> Result<Client> {
    let folder = folder.to_str().context("UTF-8")?;
    Client::legacy_with(&[&["--trace-dir", folder], flags].concat())
}

/// Calls a tool as a part of the caller's trace.
fn call_in(client: &mut Client, parent: &str, arguments: &Value) -> Result<Value> {
    let id = client.id();
    let meta = json!({"traceparent": parent, "tracestate": "vendor=1"});
    let params = json!({"name": "run", "arguments": arguments, "_meta": meta});
    client.send(request(&id, "tools/call", &params))?;
    client.answer(&id)
}

/// The calls in the files of a folder, each with its spans.
fn written(folder: &Path) -> Result<Vec<Vec<Value>>> {
    let mut calls = Vec::new();
    for file in fs::read_dir(folder)? {
        for line in fs::read_to_string(file?.path())?.lines() {
            let line: Value = serde_json::from_str(line)?;
            let resource = &line["resourceSpans"][0];
            let name = attribute(&resource["resource"], "service.name");
            ensure!(name == "mcp-pif", "{line}");
            let spans = resource["scopeSpans"][0]["spans"].as_array().context("spans")?;
            calls.push(spans.clone());
        }
    }
    Ok(calls)
}

/// An attribute of a span, as text; empty if it has none.
fn attribute(of: &Value, name: &str) -> String {
    let mut all = of["attributes"].as_array().into_iter().flatten();
    let found = all.find(|it| it["key"] == name).map(|it| &it["value"]);
    let text = |kind: &str| found.and_then(|it| it[kind].as_str());
    text("stringValue").or(text("intValue")).unwrap_or_default().to_owned()
}

fn times(span: &Value) -> Result<(u128, u128)> {
    let time = |name: &str| -> Result<u128> { Ok(span[name].as_str().context("a time")?.parse()?) };
    Ok((time("startTimeUnixNano")?, time("endTimeUnixNano")?))
}

#[test]
fn a_call_is_a_child_of_its_caller_and_its_parts_are_its_children() -> Result<()> {
    let folder = Folder::new()?;
    // The process is sealed: only this folder can be written to.
    let mut client = server(folder.path(), &[])?;
    call_in(&mut client, &format!("00-{TRACE}-{PARENT}-01"), &json!({"code": "1 + 1"}))?;
    call_in(&mut client, &format!("00-{TRACE}-{PARENT}-01"), &json!({"code": "1 / 0"}))?;
    // Who does not record the caller does not record the call.
    call_in(&mut client, &format!("00-{TRACE}-{PARENT}-00"), &json!({"code": "1"}))?;
    // What is malformed is passed over.
    call_in(&mut client, &format!("00-{TRACE}-{PARENT}-01-x"), &json!({"code": "1"}))?;
    client.text("run", &json!({"code": "1"}))?;
    let error = json!({"name": "gone", "arguments": {}});
    client.error("tools/call", &error)?;
    ensure!(client.finish()?.status.success());
    let calls = written(folder.path())?;
    ensure!(calls.len() == 5, "{calls:?}");
    for (index, spans) in calls.iter().enumerate() {
        let (root, parts) = spans.split_first().context("a span")?;
        ensure!((root["traceId"] == TRACE) == (index < 2), "{root}");
        ensure!(root["kind"] == 2 && attribute(root, "mcp.method.name") == "tools/call", "{root}");
        ensure!(root["parentSpanId"] == if index < 2 { json!(PARENT) } else { json!(null) });
        let (start, end) = times(root)?;
        let mut before = start;
        for part in parts {
            ensure!(part["traceId"] == root["traceId"] && part["kind"] == 1, "{part}");
            ensure!(part["parentSpanId"] == root["spanId"], "{part}");
            let (from, to) = times(part)?;
            ensure!(before <= from && from <= to && to <= end, "{spans:?}");
            before = to;
        }
        let names: Vec<&str> = parts.iter().filter_map(|it| it["name"].as_str()).collect();
        // A check looks at a program whose run has ended in a fault.
        let expected: &[&str] = match index {
            1 => &["admission", "instance", "run", "journal", "admission"],
            4 => &[],
            _ => &["admission", "instance", "run", "journal"],
        };
        assert_eq!(names, expected, "{spans:?}");
    }
    let roots: Vec<&Value> = calls.iter().filter_map(|spans| spans.first()).collect();
    let [good, fault, .., unknown] = roots.as_slice() else { anyhow::bail!("{roots:?}") };
    ensure!(good["name"] == "tools/call run" && good["status"].is_null(), "{good}");
    ensure!(good["traceState"] == "vendor=1", "{good}");
    for (name, value) in [
        ("gen_ai.operation.name", "execute_tool"),
        ("gen_ai.tool.name", "run"),
        ("mcp.protocol.version", "2025-11-25"),
        ("network.transport", "pipe"),
        ("mcp_pif.ending", "ok"),
        ("error.type", ""),
    ] {
        assert_eq!(attribute(good, name), value, "{name}: {good}");
    }
    ensure!(attribute(good, "mcp_pif.fuel").parse::<u64>()? > 0, "{good}");
    ensure!(attribute(good, "jsonrpc.request.id").contains("request"), "{good}");
    assert_eq!(fault["status"], json!({"code": 2, "message": "divide-by-zero"}));
    assert_eq!(attribute(fault, "error.type"), "tool_error");
    assert_eq!(attribute(unknown, "error.type"), "-32602");
    assert_eq!(unknown["name"], "tools/call _unknown");
    // No two spans have one name.
    let mut ids: Vec<String> = calls.iter().flatten().map(|it| it["spanId"].to_string()).collect();
    let count = ids.len();
    ids.sort();
    ids.dedup();
    ensure!(ids.len() == count, "{ids:?}");
    Ok(())
}

#[test]
fn a_policy_says_what_traces_hold() -> Result<()> {
    const LONG: usize = 70_000;
    for policy in ["none", "summary", "full"] {
        let folder = Folder::new()?;
        let mut client = server(folder.path(), &["--trace-payloads", policy])?;
        let id = client.id();
        let arguments = r#"{"code":"data + \"fish\"","data":"sword"}"#;
        client.send(super::client::call(&id, "run", arguments))?;
        client.answer(&id)?;
        client.fault("run", &json!({"code": "{}.swordfish"}))?;
        client.text("run", &json!({"code": "length(data)", "data": "sword".repeat(LONG / 5)}))?;
        ensure!(client.finish()?.status.success());
        let calls = written(folder.path())?;
        let roots: Vec<&Value> = calls.iter().filter_map(|spans| spans.first()).collect();
        let [short, _, long] = roots.as_slice() else { anyhow::bail!("{roots:?}") };
        let all = format!("{calls:?}");
        ensure!(all.contains("sword") == (policy == "full"), "{policy}: {all}");
        let size = attribute(short, "mcp_pif.arguments.size");
        if policy == "none" {
            ensure!(size.is_empty() && attribute(short, "mcp_pif.result.sha256").is_empty());
            continue;
        }
        assert_eq!(size, arguments.len().to_string(), "{short}");
        let digest = "2066be7085dcf6595e96c98e48bd1e102577dbad45b455efce208f5478949b44";
        assert_eq!(attribute(short, "mcp_pif.arguments.sha256"), digest, "{short}");
        ensure!(attribute(short, "mcp_pif.result.size").parse::<usize>()? > 0, "{short}");
        ensure!(attribute(long, "mcp_pif.arguments.size").parse::<usize>()? > LONG, "{policy}");
        if policy == "full" {
            assert_eq!(attribute(short, "gen_ai.tool.call.arguments"), arguments);
            let result = attribute(short, "gen_ai.tool.call.result");
            ensure!(result.contains("swordfish"), "{result}");
            // Of what is too long only the size is told.
            ensure!(attribute(long, "gen_ai.tool.call.arguments").is_empty());
        }
    }
    Ok(())
}

#[test]
fn traces_that_cannot_be_written_stop_the_start() -> Result<()> {
    let folder = Folder::new()?;
    let file = folder.path().join("file");
    fs::write(&file, "")?;
    for place in [folder.path().join("missing"), file] {
        let place = place.to_str().context("UTF-8")?;
        let mut client = Client::start(&["--trace-dir", place])?;
        ensure!(!client.wait()?.success(), "{place}");
        let said = client.finish()?.errors;
        ensure!(said.contains("--trace-dir") && said.contains("no such folder"), "{said}");
        ensure!(said.contains(place), "{said}");
    }
    let mut client = Client::start(&["--trace-payloads", "some"])?;
    ensure!(!client.wait()?.success());
    let said = client.finish()?.errors;
    ensure!(said.contains("--trace-payloads") && said.contains("summary"), "{said}");
    Ok(())
}

/// A limit on the size of files stands in for a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_stops_the_start() -> Result<()> {
    let folder = Folder::new()?;
    let script = "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\"";
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).arg(binary::path()?).arg("--ephemeral");
    shell.arg("--trace-dir").arg(folder.path());
    shell.env_clear().env("MCP_PIF_CACHE", cache()).stdin(Stdio::null());
    let output = shell.output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(!output.status.success() && said.contains("no traces can be written"), "{said}");
    ensure!(fs::read_dir(folder.path())?.next().is_none(), "something is left");
    Ok(())
}

#[test]
fn a_variable_names_the_folder_and_nobody_else_reads_it() -> Result<()> {
    let (home, folder) = (Folder::new()?, Folder::new()?);
    let mut command = command(&home)?;
    command.env("MCP_PIF_TRACE_DIR", folder.path()).env("MCP_PIF_TRACE_PAYLOADS", "full");
    let mut client = Client::of(&mut command)?;
    client.initialize()?;
    client.text("run", &json!({"code": "40 + 2"}))?;
    ensure!(client.finish()?.status.success());
    let calls = written(folder.path())?;
    let result = attribute(&calls[0][0], "gen_ai.tool.call.result");
    ensure!(result.contains("42"), "{result}");
    #[cfg(unix)]
    for file in fs::read_dir(folder.path())? {
        let file = file?;
        let mode = std::os::unix::fs::PermissionsExt::mode(&file.metadata()?.permissions());
        let name = file.file_name();
        ensure!(mode & 0o777 == 0o600, "{mode:o}");
        let name = name.to_str().context("UTF-8")?;
        ensure!(name.starts_with("traces-2") && name.ends_with(".jsonl"), "{name}");
    }
    Ok(())
}
