//! Runs in the background as tasks of the protocol: for clients of both eras that declare them.

use super::client::{Client, request};
use super::shop::{Shop, server_with};
use anyhow::{Result, ensure};
use serde_json::{Value, json};
use std::fs;
use std::thread::sleep;
use std::time::Duration;

const EXTENSION: &str = "io.modelcontextprotocol/tasks";

fn shop() -> Result<Shop> {
    let shop = Shop::of(&json!([]))?;
    let tools = json!([
        {"name": "slow", "annotations": {"readOnlyHint": true},
            "does": {"echo": true, "sleep_ms": 400}},
        {"name": "write", "annotations": {"destructiveHint": false},
            "does": {"echo": true, "log": shop.file("writes")}},
    ]);
    let more = json!({"grants": {"slow": "read", "write": "ask"}});
    shop.write(&json!({"mcpServers": {"s": server_with(&json!({"tools": tools}), &more)}}))?;
    Ok(shop)
}

fn capabilities(knows_tasks: bool) -> Value {
    if knows_tasks { json!({"extensions": {EXTENSION: {}}, "elicitation": {}}) } else { json!({}) }
}

/// A client of an era, which may know tasks.
struct Raw {
    client: Client,
    is_stateless: bool,
    knows_tasks: bool,
}

impl Raw {
    fn start(shop: &Shop, is_stateless: bool, knows_tasks: bool) -> Result<Self> {
        let flags = ["serve", "--toolsets", "core,state,work"];
        let mut client = Client::of(&mut shop.command(&flags)?)?;
        if !is_stateless {
            let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities(knows_tasks),
                "clientInfo": {"name": "raw", "version": "1"}});
            let told = client.request("initialize", &params)?;
            ensure!(told["capabilities"]["extensions"][EXTENSION].is_object(), "{told}");
            client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)?;
        }
        Ok(Self { client, is_stateless, knows_tasks })
    }

    /// The answer to a request: its result or its error.
    fn ask(&mut self, method: &str, mut params: Value) -> Result<Value> {
        if self.is_stateless {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": capabilities(self.knows_tasks),
            });
        }
        let id = self.client.id();
        self.client.send(request(&id, method, &params))?;
        self.client.answer(&id)
    }

    fn begin(&mut self, code: &str) -> Result<Value> {
        let arguments = json!({"code": code, "background": true});
        let told = self.ask("tools/call", json!({"name": "run", "arguments": arguments}))?;
        Ok(told["result"].clone())
    }

    /// The task once it is in this status.
    fn wait(&mut self, id: &Value, status: &str) -> Result<Value> {
        for _ in 0..200 {
            let told = self.ask("tasks/get", json!({"taskId": id}))?["result"].clone();
            if told["status"] == status {
                return Ok(told);
            }
            // A run that was answered may not have gone on yet.
            ensure!(told["status"] == "working" || told["status"] == "input_required", "{told}");
            sleep(Duration::from_millis(50));
        }
        anyhow::bail!("the task {id} is not {status}")
    }
}

const SLOW: &str =
    r#"step("first", call("s.slow", {n: 1}).n) + step("second", call("s.slow", {n: 2}).n)"#;

#[test]
fn a_run_in_the_background_is_a_task() -> Result<()> {
    let shop = shop()?;
    for is_stateless in [false, true] {
        let mut raw = Raw::start(&shop, is_stateless, true)?;
        let begun = raw.begin(SLOW)?;
        ensure!(begun["resultType"] == "task" && begun["status"] == "working", "{begun}");
        ensure!(begun["ttlMs"].as_u64() > Some(0) && begun["createdAt"].is_string(), "{begun}");
        let id = begun["taskId"].clone();
        let told = raw.wait(&id, "completed")?;
        let result = &told["result"];
        ensure!(result["structuredContent"]["value"] == 3 && result["isError"] != true, "{told}");
        let message = told["statusMessage"].as_str().unwrap_or_default();
        ensure!(message.contains("step second: done, 1 calls"), "{told}");
        // It is a run as any other.
        let arguments = json!({"resume": id.as_str().and_then(|id| id.parse::<u64>().ok())});
        let run = raw.ask("tools/call", json!({"name": "run", "arguments": arguments}))?;
        ensure!(run["result"]["structuredContent"]["value"] == 3, "{run}");

        // A fault of the program is a result.
        let id = raw.begin("1 / 0")?["taskId"].clone();
        let told = raw.wait(&id, "completed")?;
        ensure!(told["result"]["isError"] == true, "{told}");

        // One is ended.
        let id = raw.begin(SLOW)?["taskId"].clone();
        let ended = raw.ask("tasks/cancel", json!({"taskId": id}))?;
        ensure!(ended["error"].is_null(), "{ended}");
        raw.wait(&id, "cancelled")?;
        for unknown in ["99999", "x"] {
            let told = raw.ask("tasks/get", json!({"taskId": unknown}))?;
            ensure!(told["error"]["code"] == -32602, "{told}");
        }
    }
    Ok(())
}

#[test]
fn a_task_asks_for_an_approval() -> Result<()> {
    let shop = shop()?;
    let mut raw = Raw::start(&shop, true, true)?;
    let code = r#"call("s.slow", {n: 1}).n + call("s.write", {n: 2}).n"#;
    let id = raw.begin(code)?["taskId"].clone();
    let told = raw.wait(&id, "input_required")?;
    let question = &told["inputRequests"]["approval"];
    ensure!(
        question["params"]["message"].as_str().is_some_and(|it| it.contains("s.write")),
        "{told}"
    );
    let answer = json!({"approval": {"action": "accept", "content": {"decision": "once"}}});
    let answered = raw.ask("tasks/update", json!({"taskId": id, "inputResponses": answer}))?;
    ensure!(answered["error"].is_null(), "{answered}");
    let told = raw.wait(&id, "completed")?;
    ensure!(told["result"]["structuredContent"]["value"] == 3, "{told}");
    ensure!(fs::read_to_string(shop.file("writes"))?.lines().count() == 1);
    let again = raw.ask("tasks/update", json!({"taskId": id, "inputResponses": answer}))?;
    ensure!(again["error"]["code"] == -32602, "{again}");
    Ok(())
}

#[test]
fn who_does_not_know_tasks_gets_none() -> Result<()> {
    let shop = shop()?;
    for is_stateless in [false, true] {
        let mut raw = Raw::start(&shop, is_stateless, false)?;
        let begun = raw.begin("1 + 2")?;
        ensure!(begun["structuredContent"]["status"] == "working", "{begun}");
        let run = begun["structuredContent"]["run"].to_string();
        let told = raw.ask("tasks/get", json!({"taskId": run}))?;
        ensure!(told["error"]["code"].is_i64(), "{told}");
    }
    Ok(())
}
