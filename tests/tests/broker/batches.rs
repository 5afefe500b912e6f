//! Calls that are made together: each ends by itself.

use super::shop::{Running, Shop, server, server_with};
use anyhow::{Result, ensure};
use serde_json::{Value, json};
use std::fs;
use std::time::{Duration, Instant};

fn echo() -> Value {
    json!({"tools": [{"name": "echo", "does": {"echo": true}}, {"name": "slow", "does": {"sleep_ms": 60_000}}]})
}

#[test]
fn a_server_that_hangs_as_it_starts_keeps_its_own_calls_only() -> Result<()> {
    let mut late = echo();
    late["start_ms"] = 120_000.into();
    let shop = Shop::new(&json!({"mcpServers": {"good": server(&echo()), "late": server(&late)}}))?;
    let mut running = Running::start(&shop, &["serve", "--upstream-wall-clock", "3s"])?;
    let code = r#"calls([{tool: "good.echo", args: {a: 1}}, {tool: "late.echo"}]).map(r => r.ok ? r.value : r.reason)"#;
    let told = running.call("run", &json!({ "code": code }))?;
    ensure!(told["value"] == json!([{"a": 1}, "unavailable"]), "{told}");
    Ok(())
}

#[test]
#[ignore = "long"]
fn hanging_starts_leave_places_to_others() -> Result<()> {
    let mut late = echo();
    late["start_ms"] = 120_000.into();
    let mut servers = json!({"good": server(&echo())});
    for n in 0..5 {
        servers[format!("late{n}")] = server(&late);
    }
    let shop = Shop::new(&json!({ "mcpServers": servers }))?;
    let mut running = Running::start(&shop, &["serve", "--upstream-wall-clock", "12s"])?;
    let code = r#"
        calls([0, 1, 2, 3, 4].map(n => ({tool: `late${n}.echo`})).concat([{tool: "good.echo", args: {a: 1}}])).map(r => r.ok)"#;
    let told = running.call("run", &json!({ "code": code }))?;
    ensure!(told["value"] == json!([false, false, false, false, false, true]), "{told}");
    Ok(())
}

#[test]
fn what_had_answered_is_told_when_the_time_is_over() -> Result<()> {
    let shop = Shop::new(
        &json!({"mcpServers": {"s": server_with(&echo(), &json!({"limits": {"call_timeout": "30s"}}))}}),
    )?;
    let mut running = Running::start(&shop, &["serve", "--upstream-wall-clock", "2s"])?;
    let start = Instant::now();
    let code = r#"calls([{tool: "s.echo"}, {tool: "s.slow"}]).map(r => r.ok ? r.value : [r.reason, r.message])"#;
    let told = running.call("run", &json!({ "code": code }))?;
    let message =
        "`slow` did not answer before the time of the run was over; what it did is unknown";
    ensure!(told["value"] == json!([{}, ["timeout", message]]), "{told}");
    ensure!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    Ok(())
}

#[test]
fn what_had_answered_is_told_of_a_run_that_is_cancelled() -> Result<()> {
    let limits = json!({"limits": {"call_timeout": "30s"}});
    let shop = Shop::of(&json!([]))?;
    let count = shop.file("count");
    let mut script = echo();
    script["tools"][0]["does"]["count"] = json!(count);
    shop.write(&json!({"mcpServers": {"s": server_with(&script, &limits)}}))?;
    let mut running = Running::start(&shop, &["serve"])?;
    let code = r#"calls([{tool: "s.echo", args: {a: 1}}, {tool: "s.slow"}])"#;
    running.send("tools/call", &json!({"name": "run", "arguments": {"code": code}}))?;
    super::shop::until("the first call is made", || fs::read_to_string(&count).is_ok())?;
    std::thread::sleep(Duration::from_millis(300));
    running.notify("notifications/cancelled", &json!({"requestId": 1}))?;
    // The entry tells the one as it came, and of the other that nobody knows.
    let is_told = || {
        let files = fs::read_dir(shop.file("data")).into_iter().flatten().flatten();
        let texts = files.filter_map(|it| fs::read(it.path()).ok());
        let all = texts.map(|it| String::from_utf8_lossy(&it).into_owned()).collect::<String>();
        all.contains(r#""tool":"s.echo","args":"#)
            && all.contains(r#""outcome":{"value":{"bytes":7,"#)
            && all.contains(r#""outcome":"unknown""#)
    };
    super::shop::until("the journal tells what had answered", is_told)
}

#[test]
fn what_is_denied_is_found_before_anything_is_sent() -> Result<()> {
    let shop = Shop::of(&json!([]))?;
    let count = shop.file("count");
    let script = json!({"tools": [{"name": "counter", "does": {"count": count}}, {"name": "wipe", "does": {}}]});
    let grants = json!({"grants": {"*": "allow", "wipe": "deny"}});
    shop.write(&json!({"mcpServers": {"ev": server_with(&script, &grants)}}))?;
    let mut running = Running::start(&shop, &["serve"])?;
    running.call(
        "evolve",
        &json!({"name": "wiper", "description": "Wipes", "code": "x => call(\"ev.wipe\", {})"}),
    )?;
    for code in [
        r#"[call("ev.counter", {}), call("ev.wipe", {})]"#,
        r#"calls([{tool: "ev.counter"}, {tool: "ev.wipe"}])"#,
        r#"[call("ev.counter", {}), @wiper(1)]"#,
    ] {
        let told = running.call("run", &json!({ "code": code }))?;
        ensure!(told["code"] == "capability-denied", "{code}: {told}");
        ensure!(fs::read_to_string(&count).is_err(), "{code}");
    }
    Ok(())
}
