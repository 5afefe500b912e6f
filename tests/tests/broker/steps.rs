//! Steps of durable runs: what is told of them, and that a run which goes on does not evaluate them again.

use super::client::{Client, request};
use super::shop::{Shop, server_with};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::fs;

/// A server that reads and writes. While the file `down` is there, `late` is not answered in time. `flaky`
/// is not answered twice, then it is.
fn shop() -> Result<Shop> {
    let shop = Shop::of(&json!([]))?;
    let tools = json!([
        {"name": "read", "annotations": {"readOnlyHint": true},
            "does": {"echo": true, "log": shop.file("reads")}},
        {"name": "late", "annotations": {"readOnlyHint": true},
            "does": {"echo": true, "log": shop.file("lates"),
                "while": [shop.file("down"), {"sleep_ms": 2_000}]}},
        {"name": "flaky", "annotations": {"readOnlyHint": true},
            "does": {"echo": true, "log": shop.file("flakies"),
                "until": [shop.file("tries"), 2, {"sleep_ms": 2_000}]}},
        {"name": "write", "annotations": {"destructiveHint": false},
            "does": {"echo": true, "log": shop.file("writes")}},
    ]);
    let more = json!({"grants": {"*": "allow"}, "limits": {"call_timeout": "600ms"}});
    let server = server_with(&json!({"tools": tools}), &more);
    shop.write(&json!({"mcpServers": {"s": server}}))?;
    Ok(shop)
}

fn serve(shop: &Shop) -> Result<Client> {
    let flags = ["serve", "--toolsets", "core,state,debug,work"];
    let mut client = Client::of(&mut shop.command(&flags)?)?;
    client.initialize()?;
    Ok(client)
}

fn lines(shop: &Shop, file: &str) -> usize {
    fs::read_to_string(shop.file(file)).unwrap_or_default().lines().count()
}

/// Name, count, state, calls and tries of each step.
fn told(record: &Value) -> Result<Vec<(String, u64, String, u64, u64)>> {
    let steps = record["step_log"].as_array().with_context(|| format!("no steps: {record}"))?;
    let step = |it: &Value| {
        let (name, state) = (it["name"].as_str()?.to_owned(), it["state"].as_str()?.to_owned());
        let number = |member: &str| it[member].as_u64();
        Some((name, number("count")?, state, number("calls")?, number("tries")?))
    };
    steps.iter().map(step).collect::<Option<_>>().with_context(|| format!("{record}"))
}

const PROGRAM: &str = r#"data => {
    const order = step("read", call("s.read", {n: data.n}));
    const sums = [1, 2].map(n => step("sum", range(0, 2000 * n).map(k => k * k).sum() + order.n));
    const tried = try(step("fail", fail("no")), e => e.value);
    const paid = step("pay", call("s.write", {n: 5}).n);
    const asked = step("ask", retry({attempts: 3, first_ms: 1}, () => call("s.flaky", {n: 2}).n));
    return step("all", [sums, tried, paid, asked, step("late", call("s.late", {n: 3}).n)]);
}"#;

const EXPECTED: [(&str, u64, &str, u64, u64); 8] = [
    ("read", 1, "done", 1, 1),
    ("sum", 1, "done", 0, 1),
    ("sum", 2, "done", 0, 1),
    ("fail", 1, "failed", 0, 1),
    ("pay", 1, "done", 1, 1),
    ("ask", 1, "done", 3, 3),
    ("all", 1, "done", 1, 1),
    ("late", 1, "done", 1, 1),
];

fn ensure_steps(record: &Value, expected: &[(&str, u64, &str, u64, u64)]) -> Result<()> {
    let told = told(record)?;
    let told: Vec<_> = told.iter().map(|it| (&*it.0, it.1, &*it.2, it.3, it.4)).collect();
    ensure!(told == expected, "{told:?}");
    Ok(())
}

/// The last run of the journal replays, and the journal is whole.
fn ensure_whole(shop: &Shop, client: &mut Client) -> Result<()> {
    let recent = client.call("journal_recent", &json!({"kind": "run", "limit": 1}))?;
    let entry = recent["structuredContent"]["entries"][0]["entry"].clone();
    let replayed = client.call("replay", &json!({"entry": entry}))?;
    ensure!(replayed["structuredContent"]["verdict"] == "equal", "{replayed}");
    let verified = shop.say(&["journal", "verify"])?;
    ensure!(verified.ok, "{verified:?}");
    Ok(())
}

#[test]
fn a_run_that_goes_on_does_not_evaluate_its_steps_again() -> Result<()> {
    let shop = shop()?;
    let mut client = serve(&shop)?;
    client.evolve("flow", "Takes an order", &json!(PROGRAM))?;
    let asked = json!({"workflow_name": "flow", "variables": {"n": 7}});
    let plain = client.call("workflow_execute", &asked)?["structuredContent"].clone();
    ensure_steps(&plain, &EXPECTED)?;
    ensure_whole(&shop, &mut client)?;
    let inspected = client.call("inspect", &json!({"tool": "flow"}))?;
    ensure_steps(&inspected["structuredContent"], &EXPECTED)?;

    // Another one is interrupted in its last step.
    fs::remove_file(shop.file("tries"))?;
    fs::write(shop.file("down"), "")?;
    let stopped = client.call("workflow_execute", &asked)?["structuredContent"].clone();
    ensure!(stopped["status"] == "interrupted", "{stopped}");
    let mut expected = EXPECTED;
    (expected[6].2, expected[7].2) = ("interrupted", "interrupted");
    ensure_steps(&stopped, &expected)?;
    let number = stopped["run"].clone();
    let listed = client.call("runs", &json!({"limit": 1}))?["structuredContent"].clone();
    ensure_steps(&listed["runs"][0], &expected)?;
    let shown = shop.say(&["runs", "show", &number.to_string()])?;
    ensure!(shown.output.contains("step ask: done, 3 calls, 3 tries, fuel "), "{shown:?}");
    drop(client);
    fs::remove_file(shop.file("down"))?;
    let before = ["reads", "writes", "flakies"].map(|file| lines(&shop, file));
    let mut client = serve(&shop)?;
    let resumed = client.call("run", &json!({"resume": number}))?["structuredContent"].clone();
    for member in ["value", "fuel"] {
        ensure!(resumed[member] == plain[member] && !plain[member].is_null(), "{plain} {resumed}");
    }
    ensure_steps(&resumed, &EXPECTED)?;
    ensure!(before == ["reads", "writes", "flakies"].map(|file| lines(&shop, file)));
    // What the server has evaluated now: what failed, and what had not ended.
    let recent = client.call("debug", &json!({"op": "recent", "tool": "run"}))?;
    let id = recent["structuredContent"]["calls"][0]["id"].clone();
    let measured = client.call("debug", &json!({"op": "get", "id": id}))?;
    let steps = measured["structuredContent"]["steps"].as_array().cloned().unwrap_or_default();
    let names: Vec<&str> = steps.iter().filter_map(|it| it["name"].as_str()).collect();
    ensure!(names == ["fail", "late", "all"], "{measured}");
    ensure_whole(&shop, &mut client)
}

#[test]
fn progress_tells_steps() -> Result<()> {
    let shop = shop()?;
    let mut client = serve(&shop)?;
    let code = r#"step("first", call("s.read", {n: 1}).n)
        + step("second", retry({}, () => call("s.flaky", {n: 2}).n))"#;
    let arguments = json!({"code": code, "durable": true});
    let params = json!({"name": "run", "arguments": arguments, "_meta": {"progressToken": "p"}});
    client.send(request(&json!("r"), "tools/call", &params))?;
    let told = client.find(|it| it["method"] == "notifications/progress")?;
    let message = told["params"]["message"].as_str().unwrap_or_default();
    ensure!(message.starts_with("step "), "{told}");
    let answer = client.answer(&json!("r"))?;
    ensure!(answer["result"]["structuredContent"]["value"] == 3, "{answer}");
    Ok(())
}

#[test]
fn a_durable_run_tells_its_first_steps() -> Result<()> {
    let shop = shop()?;
    let mut client = serve(&shop)?;
    let code = r#"range(0, 1500).map(n => step("each", n)).sum()"#;
    let told = client.call("run", &json!({"code": code, "durable": true}))?;
    let record = &told["structuredContent"];
    ensure!(record["value"] == 1_124_250, "{told}");
    ensure!(record["step_log"].as_array().is_some_and(|it| it.len() == 1_000), "{record}");
    let plain = client.call("run", &json!({"code": code}))?["structuredContent"].clone();
    ensure!(plain["fuel"] == record["fuel"] && plain["step_log"].is_null(), "{plain}");
    ensure_whole(&shop, &mut client)
}
