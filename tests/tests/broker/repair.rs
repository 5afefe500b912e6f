//! Repairs of runs that called other servers: calls get what they got then, and nobody is called again.

use super::client::Client;
use super::shop::{Shop, server_with};
use anyhow::{Context, Result, ensure};
use serde_json::json;
use std::fs;

/// A server that gives back its arguments, and writes down each call.
fn shop() -> Result<Shop> {
    let shop = Shop::of(&json!([]))?;
    let tools = json!([{"name": "read", "annotations": {"readOnlyHint": true},
        "does": {"echo": true, "log": shop.file("reads")}}]);
    let server = server_with(&json!({"tools": tools}), &json!({"grants": {"*": "allow"}}));
    shop.write(&json!({"mcpServers": {"s": server}}))?;
    Ok(shop)
}

fn calls(shop: &Shop) -> usize {
    fs::read_to_string(shop.file("reads")).unwrap_or_default().lines().count()
}

#[test]
fn nobody_is_called_again() -> Result<()> {
    let shop = shop()?;
    let sets = ["serve", "--toolsets", "core,state,staging,work"];
    let mut client = Client::of(&mut shop.command(&sets)?)?;
    client.initialize()?;
    let code = r#"const price = call("s.read", {price: {net: 7}}).price; data.map(o => o.qty * price.gross)"#;
    let about = json!({"code": code, "data": [{"qty": 1}, {"qty": 2}]});
    ensure!(client.fault("run", &about)?["code"] == "missing-key");
    ensure!(calls(&shop) == 1);
    let recent = client.call("journal_recent", &json!({"kind": "run", "limit": 1}))?;
    let run = recent["structuredContent"]["entries"][0]["entry"].clone();
    let told = client.call("repair", &json!({"run": run}))?["structuredContent"].clone();
    ensure!(told["fault"]["code"] == "missing-key", "{told}");
    ensure!(
        told["diagnosis"]["input"] == json!({"json": "[{\"qty\":0}]", "least": true}),
        "{told}"
    );
    let program = told["diagnosis"]["program"]["code"].as_str().context("a program")?;
    ensure!(program.contains("price.gross"), "{told}");
    // A call without an answer is refused: of this run nobody knows one.
    let told = client.call("repair", &about)?["structuredContent"].clone();
    ensure!(told["fault"]["code"] == "capability-denied", "{told}");
    ensure!(calls(&shop) == 1);
    Ok(())
}
