//! Programs that call other servers, through the real binary: the sealed server, the broker and
//! scripted servers.

use super::processes::{kill, parts};
use super::shop::{Running, Shop, server, until};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::fs;

fn call(tool: &str, args: &Value) -> Value {
    json!({"call": {"tool": tool, "args": {"record": args}}})
}

/// How often a tool was called that counts its calls in a file.
fn counted(shop: &Shop, file: &str) -> usize {
    fs::read_to_string(shop.file(file)).unwrap_or_default().lines().count()
}

/// Two servers. All their tools count their calls.
fn shop() -> Result<Shop> {
    let shop = Shop::of(&json!([]))?;
    let orders = json!([
        {"id": 1, "customer": "ada", "total": 40},
        {"id": 2, "customer": "bob", "total": 5},
        {"id": 3, "customer": "ada", "total": 2},
    ]);
    let result = json!({"content": [], "structuredContent": {"orders": orders}});
    let sales = json!([
        {"name": "orders", "annotations": {"readOnlyHint": true},
            "does": {"result": result, "count": shop.file("orders")}},
        {"name": "slow", "does": {"sleep_ms": 20_000, "count": shop.file("slow")}},
    ]);
    let rates = json!([{"name": "rate", "does": {"echo": true, "count": shop.file("rate")}}]);
    shop.write(&json!({"mcpServers": {
        "sales": server(&json!({"tools": sales})),
        "rates": server(&json!({"tools": rates})),
    }}))?;
    Ok(shop)
}

/// The total of one customer's orders, times a rate of another server.
fn reduction() -> Value {
    let var = |name: &str| json!({ "var": name });
    let is_ada = json!({"lam": "o", "body": {"eq": [{"get": [var("o"), "customer"]}, "ada"]}});
    let total = json!({"lam": "o", "body": {"get": [var("o"), "total"]}});
    let orders = json!({"get": [call("sales.orders", &json!({})), "orders"]});
    let sum = json!({"sum": {"map": [total, {"filter": [is_ada, orders]}]}});
    json!({"mul": [sum, {"get": [call("rates.rate", &json!({"n": 3})), "n"]}]})
}

/// The latest entry of a run.
fn last_run(running: &mut Running) -> Result<Value> {
    let told = running.call("journal_recent", &json!({"kind": "run", "limit": 1}))?;
    Ok(told["entries"][0].clone())
}

#[test]
fn a_program_reduces_the_answers_of_two_servers() -> Result<()> {
    let shop = shop()?;
    let mut running = Running::start(&shop, &["serve"])?;
    let told = running.call("run", &json!({"code": reduction()}))?;
    ensure!(told["value"] == 126, "{told}");
    ensure!((counted(&shop, "orders"), counted(&shop, "rate")) == (1, 1));
    // A replay gives the same value, and calls nobody.
    let entry = last_run(&mut running)?["entry"].clone();
    let replayed = running.call("replay", &json!({ "entry": entry }))?;
    ensure!(replayed["verdict"] == "equal", "{replayed}");
    ensure!((counted(&shop, "orders"), counted(&shop, "rate")) == (1, 1));
    Ok(())
}

#[test]
fn a_run_that_fails_tells_the_calls_that_it_made() -> Result<()> {
    let shop = shop()?;
    let mut running = Running::start(&shop, &["serve"])?;
    let told = running.call("run", &json!({"code": {"div": [reduction(), 0]}}))?;
    ensure!(told["code"] == "divide-by-zero", "{told}");
    let made = told["calls_made"].as_array().with_context(|| told.to_string())?;
    let made: Vec<_> = made.iter().map(|it| (&it["tool"], &it["outcome"])).collect();
    let expected = [(&json!("sales.orders"), &json!("ok")), (&json!("rates.rate"), &json!("ok"))];
    ensure!(made == expected, "{told}");
    Ok(())
}

/// The worker is killed while a call is under way: the call fails, nobody repeats it, and a new
/// worker makes the next one.
#[test]
fn a_worker_that_dies_fails_its_calls_only() -> Result<()> {
    let shop = shop()?;
    let mut running = Running::start(&shop, &["serve"])?;
    running.call("capabilities", &json!({}))?;
    let worker = *parts(&shop, "work").first().context("no worker")?;
    running.send(
        "tools/call",
        &json!({"name": "run",
        "arguments": {"code": call("sales.slow", &json!({}))}}),
    )?;
    until("the call is under way", || counted(&shop, "slow") == 1)?;
    kill(worker)?;
    let told = running.receive()?["result"]["structuredContent"].clone();
    ensure!(told["code"] == "upstream", "{told}");
    ensure!(told["upstream"] == json!({"tool": "sales.slow", "reason": "lost"}), "{told}");
    ensure!(told["calls_made"][0]["tool"] == "sales.slow", "{told}");
    until("a new worker calls", || {
        let told = running.call("run", &json!({"code": reduction()}));
        told.is_ok_and(|it| it["value"] == 126)
    })?;
    ensure!(counted(&shop, "slow") == 1);
    Ok(())
}
