//! Figures of calls of other servers.

use super::client::Client;
use super::folder::Folder;
use super::shop::{Shop, server};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::fs;

/// A shop whose server answers much, and fails.
fn shop() -> Result<Shop> {
    let rows: Vec<Value> = (0..500).map(|id| json!({"id": id, "name": "a customer"})).collect();
    let result = json!({"content": [], "structuredContent": {"rows": rows}});
    let failed = json!({"isError": true, "content": [{"type": "text", "text": "no such row"}]});
    Shop::new(&json!({"mcpServers": {"s": server(&json!({"tools": [
        {"name": "rows", "does": {"result": result}},
        {"name": "fails", "does": {"result": failed}},
        {"name": "slow", "does": {"sleep_ms": 60, "echo": true}},
    ]}))}}))
}

fn call(tool: &str) -> Value {
    json!({"call": {"tool": tool, "args": {"record": {}}}})
}

#[test]
fn calls_of_other_servers_are_counted_and_what_programs_reduce() -> Result<()> {
    let shop = shop()?;
    let mut client =
        Client::of(shop.command(&["serve", "--toolsets", "core,debug"])?.env("RUST_LOG", "off"))?;
    client.initialize()?;
    let code = json!({"length": {"get": [call("s.rows"), "rows"]}});
    assert_eq!(client.text("run", &json!({ "code": code }))?, "500");
    let fault = client.fault("run", &json!({"code": call("s.fails")}))?;
    ensure!(fault["code"] == "upstream", "{fault}");
    let stats = client.call("debug", &json!({"op": "stats"}))?["structuredContent"].clone();
    let upstream = stats["upstream"].as_array().context("upstream")?;
    let of = |tool: &str| upstream.iter().find(|it| it["tool"] == tool).context("a tool");
    assert_eq!(of("s.rows")?["outcomes"], json!({"ok": 1}), "{stats}");
    assert_eq!(of("s.fails")?["outcomes"], json!({"tool-error": 1}), "{stats}");
    // What the program computes from the rows is far shorter than they are.
    ensure!(stats["answered"].as_u64() > Some(10_000), "{stats}");
    ensure!(stats["reduction"].as_f64() > Some(10.0), "{stats}");
    let full = client.call("debug", &json!({"op": "get", "id": 1}))?["structuredContent"].clone();
    ensure!(
        full["calls"][0]["tool"] == "s.rows" && full["answered"] == stats["answered"],
        "{full}"
    );
    ensure!(full["phases_ms"]["upstream"].is_number(), "{full}");
    ensure!(!full.to_string().contains("customer"), "{full}");
    ensure!(client.finish()?.status.success());
    Ok(())
}

#[test]
fn a_call_of_another_server_is_a_child_of_the_run() -> Result<()> {
    let (shop, folder) = (shop()?, Folder::new()?);
    let traces = folder.path().to_str().context("UTF-8")?;
    let mut client = Client::of(&mut shop.command(&["serve", "--trace-dir", traces])?)?;
    client.initialize()?;
    let code = json!([call("s.slow"), call("s.slow")]);
    client.text("run", &json!({ "code": code }))?;
    client.fault("run", &json!({"code": call("s.fails")}))?;
    ensure!(client.finish()?.status.success());
    let file = fs::read_dir(folder.path())?.next().context("a file")??;
    let text = fs::read_to_string(file.path())?;
    let calls: Vec<Value> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let [slow, failed] = calls.as_slice() else { anyhow::bail!("{text}") };
    let spans = |line: &Value| line["resourceSpans"][0]["scopeSpans"][0]["spans"].clone();
    let slow = spans(slow);
    let slow = slow.as_array().context("spans")?;
    let run = slow.iter().find(|it| it["name"] == "run").context("a run")?;
    let theirs: Vec<&Value> = slow.iter().filter(|it| it["name"] == "tools/call slow").collect();
    ensure!(theirs.len() == 2, "{slow:?}");
    let time = |span: &Value, name: &str| -> Result<u128> {
        Ok(span[name].as_str().context("a time")?.parse()?)
    };
    let mut before = time(run, "startTimeUnixNano")?;
    for it in theirs {
        ensure!(it["parentSpanId"] == run["spanId"] && it["kind"] == 3, "{it}");
        let (from, to) = (time(it, "startTimeUnixNano")?, time(it, "endTimeUnixNano")?);
        ensure!(before <= from && to - from >= 60_000_000, "{it}");
        ensure!(to <= time(run, "endTimeUnixNano")?, "{it} {run}");
        ensure!(it["attributes"].to_string().contains("mcp_pif.upstream"), "{it}");
        before = to;
    }
    let failed = spans(failed).to_string();
    ensure!(failed.contains("tool-error") && !failed.contains("no such row"), "{failed}");
    Ok(())
}
