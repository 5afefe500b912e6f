//! Durable runs: what interrupts them, how they go on, and who is asked about a write of which nobody
//! knows what it did.

use super::client::Client;
use super::shop::{Shop, server_with};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

/// A server that reads and writes. While the file `down` is there, reads are not answered in time; while
/// `torn` is, writes are not, though they were made.
fn shop() -> Result<Shop> {
    let shop = Shop::of(&json!([]))?;
    let (down, torn) = (shop.file("down"), shop.file("torn"));
    let tools = json!([
        {"name": "read", "annotations": {"readOnlyHint": true},
            "does": {"echo": true, "log": shop.file("reads"), "while": [down, {"sleep_ms": 2_000}]}},
        {"name": "write", "annotations": {"destructiveHint": false},
            "does": {"echo": true, "log": shop.file("writes"), "while": [torn, {"sleep_ms": 2_000}]}},
        {"name": "put", "annotations": {"destructiveHint": false},
            "does": {"echo": true, "log": shop.file("puts"),
                "until": [shop.file("tries"), 2, {"sleep_ms": 2_000}]}},
        {"name": "slow", "annotations": {"readOnlyHint": true},
            "does": {"echo": true, "log": shop.file("slows"), "sleep_ms": 700}},
    ]);
    let more = json!({"grants": {"*": "allow"}, "effects": {"put": "idempotent"},
        "limits": {"call_timeout": "800ms", "tools": {"slow": {"call_timeout": "5s"}}}});
    let server = server_with(&json!({"tools": tools}), &more);
    shop.write(&json!({"mcpServers": {"s": server}}))?;
    Ok(shop)
}

fn serve(shop: &Shop, flags: &[&str]) -> Result<Client> {
    let sets = ["serve", "--toolsets", "core,state,work"];
    let mut client = Client::of(&mut shop.command(&[&sets, flags].concat())?)?;
    client.initialize()?;
    Ok(client)
}

fn run(client: &mut Client, arguments: &Value) -> Result<Value> {
    Ok(client.call("run", arguments)?["structuredContent"].clone())
}

fn lines(shop: &Shop, file: &str) -> usize {
    fs::read_to_string(shop.file(file)).unwrap_or_default().lines().count()
}

fn raise(shop: &Shop, file: &str) -> Result<()> {
    Ok(fs::write(shop.file(file), "")?)
}

fn lower(shop: &Shop, file: &str) -> Result<()> {
    Ok(fs::remove_file(shop.file(file))?)
}

/// The last run of the journal replays without calling anybody, and the journal is whole.
fn ensure_whole(shop: &Shop, client: &mut Client) -> Result<()> {
    let before = ["reads", "writes", "puts"].map(|file| lines(shop, file));
    let recent = client.call("journal_recent", &json!({"kind": "run", "limit": 1}))?;
    let entry = recent["structuredContent"]["entries"][0]["entry"].clone();
    let replayed = client.call("replay", &json!({"entry": entry}))?;
    ensure!(replayed["structuredContent"]["verdict"] == "equal", "{replayed}");
    ensure!(before == ["reads", "writes", "puts"].map(|file| lines(shop, file)));
    let verified = shop.say(&["journal", "verify"])?;
    ensure!(verified.ok, "{verified:?}");
    Ok(())
}

const PROGRAM: &str = r#"const a = call("s.read", {n: 1}).n; const b = call("s.write", {n: 2}).n; const c = call("s.read", {n: 3}).n; a + b + c"#;

#[test]
fn a_run_that_nothing_interrupts_has_its_value_and_its_number() -> Result<()> {
    let shop = shop()?;
    let mut client = serve(&shop, &[])?;
    let told = run(&mut client, &json!({"code": PROGRAM, "durable": true}))?;
    ensure!((&told["value"], &told["status"]) == (&json!(6), &json!("done")), "{told}");
    let again = run(&mut client, &json!({"resume": told["run"]}))?;
    ensure!((&again["value"], &again["fuel"]) == (&told["value"], &told["fuel"]), "{again}");
    ensure!((lines(&shop, "reads"), lines(&shop, "writes")) == (2, 1));
    ensure_whole(&shop, &mut client)?;
    let list = client.call("runs", &json!({}))?["structuredContent"]["runs"].clone();
    ensure!(list[0]["run"] == told["run"] && list[0]["calls"] == 3, "{list}");
    Ok(())
}

#[test]
fn a_read_that_the_world_refuses_interrupts_a_run() -> Result<()> {
    let shop = shop()?;
    let mut client = serve(&shop, &[])?;
    let code = r#"const a = call("s.write", {n: 1}).n; a + call("s.read", {n: 2}).n"#;
    raise(&shop, "down")?;
    let told = run(&mut client, &json!({"code": code, "durable": true}))?;
    ensure!(told["code"] == "interrupted" && told["status"] == "interrupted", "{told}");
    let number = told["run"].clone();
    // It may be tried as often as one likes.
    let told = run(&mut client, &json!({"resume": number}))?;
    ensure!((&told["code"], &told["run"]) == (&json!("interrupted"), &number), "{told}");
    drop(client);
    lower(&shop, "down")?;
    let mut client = serve(&shop, &[])?;
    let listed = client.call("runs", &json!({"status": "interrupted"}))?;
    ensure!(listed["structuredContent"]["runs"][0]["run"] == number, "{listed}");
    let told = run(&mut client, &json!({"resume": number}))?;
    ensure!((&told["value"], &told["run"]) == (&json!(3), &number), "{told}");
    ensure!((lines(&shop, "writes"), lines(&shop, "reads")) == (1, 3));
    ensure_whole(&shop, &mut client)?;
    // What a program catches is an answer.
    raise(&shop, "down")?;
    let code = r#"try(call("s.read", {n: 2}), e => e.reason)"#;
    let told = run(&mut client, &json!({"code": code, "durable": true}))?;
    ensure!(told["value"] == "timeout", "{told}");
    Ok(())
}

/// Makes a run whose write was made, and of which nobody knows it.
fn torn(shop: &Shop, client: &mut Client) -> Result<Value> {
    raise(shop, "torn")?;
    let code = r#"const a = call("s.read", {n: 1}).n;
        const b = try(call("s.write", {n: 2}).n, e => e.reason == "skipped" ? 0 : fail(e.reason));
        a + b + call("s.read", {n: 3}).n"#;
    let told = run(client, &json!({"code": code, "durable": true}))?;
    ensure!(told["code"] == "outcome-unknown" && told["status"] == "outcome-unknown", "{told}");
    lower(shop, "torn")?;
    // Nothing is done before somebody says what came of it.
    let again = run(client, &json!({"resume": told["run"]}))?;
    ensure!(again["code"] == "outcome-unknown", "{again}");
    let list = client.call("runs", &json!({}))?["structuredContent"]["runs"].clone();
    ensure!(list[0]["unsure"][0]["tool"] == "s.write", "{list}");
    Ok(told["run"].clone())
}

#[test]
fn somebody_says_what_came_of_a_write() -> Result<()> {
    let shop = shop()?;
    let mut client = serve(&shop, &[])?;
    for (decide, value, sum, writes) in [
        ("retry", json!(null), 6, 2),
        ("skip", json!(null), 4, 1),
        ("done", json!({"n": 10}), 14, 1),
    ] {
        let before = (lines(&shop, "writes"), lines(&shop, "reads"));
        let number = torn(&shop, &mut client)?;
        let wanted = json!({"resume": number, "decide": decide, "value": value});
        let told = run(&mut client, &wanted)?;
        ensure!((&told["value"], &told["run"]) == (&json!(sum), &number), "{decide}: {told}");
        let after = (lines(&shop, "writes"), lines(&shop, "reads"));
        ensure!(after == (before.0 + writes, before.1 + 2), "{decide}: {before:?} {after:?}");
        ensure_whole(&shop, &mut client)?;
        let again = client.call("run", &wanted)?;
        ensure!(again["isError"] == true, "{again}");
    }
    Ok(())
}

#[test]
fn people_decide_and_go_on_with_the_command_line() -> Result<()> {
    let shop = shop()?;
    let mut client = serve(&shop, &[])?;
    let number = torn(&shop, &mut client)?.to_string();
    client.finish()?;
    let shown = shop.say(&["runs"])?;
    let line = format!("run {number} outcome-unknown");
    ensure!(shown.ok && shown.output.contains(&line), "{shown:?}");
    ensure!(shown.output.contains("nobody knows what came of s.write"), "{shown:?}");
    let decided = shop.say(&["runs", "decide", &number, "--done", r#"{"n": 5}"#])?;
    ensure!(decided.ok && decided.output.contains("interrupted"), "{decided:?}");
    let resumed = shop.say(&["runs", "resume", &number])?;
    ensure!(resumed.ok && resumed.output == "9", "{resumed:?}");
    let shown = shop.say(&["runs", "show", &number])?;
    ensure!(shown.ok && shown.output.starts_with(&format!("run {number} done")), "{shown:?}");
    ensure!((lines(&shop, "reads"), lines(&shop, "writes")) == (2, 1));
    // One that waits is ended.
    let mut client = serve(&shop, &[])?;
    let number = torn(&shop, &mut client)?.to_string();
    let cancelled = shop.say(&["runs", "cancel", &number])?;
    ensure!(cancelled.ok && cancelled.output.contains("cancelled"), "{cancelled:?}");
    let told = run(&mut client, &json!({"resume": number.parse::<u64>()?}))?;
    ensure!(told["code"] == "cancelled" && told["status"] == "cancelled", "{told}");
    let verified = shop.say(&["journal", "verify"])?;
    ensure!(verified.ok, "{verified:?}");
    Ok(())
}

#[test]
fn calls_at_once_keep_the_answers_that_have_come() -> Result<()> {
    let shop = shop()?;
    let mut client = serve(&shop, &[])?;
    raise(&shop, "torn")?;
    let code = r#"calls([{tool: "s.read", args: {n: 1}}, {tool: "s.write", args: {n: 2}}], {all: true, at_most: 1}).map(r => r.n)"#;
    let told = run(&mut client, &json!({"code": code, "durable": true}))?;
    ensure!(told["code"] == "outcome-unknown", "{told}");
    lower(&shop, "torn")?;
    let wanted = json!({"resume": told["run"], "decide": "retry"});
    let told = run(&mut client, &wanted)?;
    ensure!(told["value"] == json!([1, 2]), "{told}");
    ensure!((lines(&shop, "reads"), lines(&shop, "writes")) == (1, 2));
    ensure_whole(&shop, &mut client)
}

#[test]
fn a_write_that_may_be_repeated_is_tried_again() -> Result<()> {
    let shop = shop()?;
    let mut client = serve(&shop, &[])?;
    // Twice it ends before it answers.
    let code = r#"retry({attempts: 3, first_ms: 1}, () => call("s.put", {n: 7}).n)"#;
    let told = run(&mut client, &json!({"code": code}))?;
    ensure!(told["value"] == 7, "{told}");
    ensure!(lines(&shop, "puts") == 3, "{}", lines(&shop, "puts"));
    ensure_whole(&shop, &mut client)?;
    // Another write is not, and nothing after it.
    raise(&shop, "torn")?;
    let code = r#"retry({attempts: 3, first_ms: 1}, () => call("s.write", {n: 7}).n)"#;
    let told = run(&mut client, &json!({"code": code}))?;
    ensure!(told["code"] == "upstream" && lines(&shop, "writes") == 1, "{told}");
    lower(&shop, "torn")?;
    raise(&shop, "down")?;
    let code = r#"retry({attempts: 3, first_ms: 1}, () => call("s.write", {n: 7}).n + call("s.read", {}).n)"#;
    let told = run(&mut client, &json!({"code": code}))?;
    ensure!(told["code"] == "upstream", "{told}");
    ensure!((lines(&shop, "writes"), lines(&shop, "reads")) == (2, 1));
    ensure_whole(&shop, &mut client)?;
    // A read is: as often as the program says.
    let code = r#"retry({attempts: 4, first_ms: 1}, () => call("s.read", {n: 1}).n)"#;
    let told = run(&mut client, &json!({"code": code}))?;
    ensure!(told["code"] == "upstream" && lines(&shop, "reads") == 5, "{told}");
    ensure_whole(&shop, &mut client)
}

#[test]
fn a_run_in_the_background_goes_on_without_its_client() -> Result<()> {
    let shop = shop()?;
    let mut client = serve(&shop, &[])?;
    let code = r#"[1, 2, 3].map(n => call("s.slow", {n}).n).sum()"#;
    let told = run(&mut client, &json!({"code": code, "background": true}))?;
    ensure!(told["status"] == "working", "{told}");
    let number = told["run"].clone();
    let start = Instant::now();
    let told = run(&mut client, &json!({"resume": number}))?;
    ensure!(told["status"] == "working", "{told}");
    ensure!(start.elapsed() < Duration::from_millis(600), "{:?}", start.elapsed());
    let told = run(&mut client, &json!({"resume": number, "wait": 30}))?;
    ensure!(told["value"] == 6 && told["status"] == "done", "{told}");
    ensure_whole(&shop, &mut client)?;

    // One goes on when a server starts.
    let told = run(&mut client, &json!({"code": code, "background": true}))?;
    let number = told["run"].clone();
    std::thread::sleep(Duration::from_millis(900));
    client.vanish();
    drop(client);
    let mut client = serve(&shop, &[])?;
    let told = run(&mut client, &json!({"resume": number, "wait": 30}))?;
    ensure!(told["value"] == 6, "{told}");
    ensure!(lines(&shop, "slows") <= 7, "{}", lines(&shop, "slows"));
    ensure_whole(&shop, &mut client)?;

    // One is ended.
    let told = run(&mut client, &json!({"code": code, "background": true}))?;
    let told = run(&mut client, &json!({"cancel": told["run"]}))?;
    ensure!(told["status"] == "cancelled", "{told}");
    let list = client.call("runs", &json!({"status": "cancelled"}))?;
    ensure!(list["structuredContent"]["runs"].as_array().context("runs")?.len() == 1, "{list}");
    Ok(())
}

#[test]
fn a_workflow_is_a_durable_run_of_a_tool() -> Result<()> {
    let shop = shop()?;
    let mut client = serve(&shop, &[])?;
    let code = r#"({n}) => call("s.read", {n}).n + 1"#;
    let made =
        client.call("evolve", &json!({"name": "next", "description": "Next", "code": code}))?;
    ensure!(made["isError"] != true, "{made}");
    let asked = json!({"workflow_name": "next", "variables": {"n": 4}});
    let told = client.call("workflow_execute", &asked)?["structuredContent"].clone();
    ensure!(told["value"] == 5 && told["run"].is_u64(), "{told}");
    raise(&shop, "down")?;
    let told = client.call("workflow_execute", &asked)?["structuredContent"].clone();
    ensure!(told["code"] == "interrupted", "{told}");
    // It goes on with the tool as it was when it began.
    let code = r#"({n}) => call("s.read", {n}).n + 100"#;
    client.call("evolve", &json!({"name": "next", "description": "Next", "code": code}))?;
    lower(&shop, "down")?;
    let told = run(&mut client, &json!({"resume": told["run"]}))?;
    ensure!(told["value"] == 5, "{told}");
    ensure_whole(&shop, &mut client)
}

#[test]
fn a_durable_run_waits_longer_for_others() -> Result<()> {
    let shop = shop()?;
    let code = r#"[1, 2].map(n => call("s.slow", {n}).n).sum()"#;
    let flags = ["--upstream-wall-clock", "1s", "--durable-wall-clock", "20s"];
    let mut client = serve(&shop, &flags)?;
    let told = run(&mut client, &json!({"code": code}))?;
    ensure!(told["code"] != json!(null), "{told}");
    let told = run(&mut client, &json!({"code": code, "durable": true}))?;
    ensure!(told["value"] == 3, "{told}");
    drop(client);
    // What its time ends goes on, with a clock that starts again.
    let mut client = serve(&shop, &["--durable-wall-clock", "1s"])?;
    let told = run(&mut client, &json!({"code": code, "durable": true}))?;
    ensure!(told["code"] == "interrupted", "{told}");
    for _ in 0..3 {
        let told = run(&mut client, &json!({"resume": told["run"]}))?;
        if told["value"] == 3 {
            return Ok(());
        }
    }
    ensure!(false, "it does not go on: {told}");
    Ok(())
}

#[test]
fn arguments_of_a_set_that_is_off_are_refused() -> Result<()> {
    let shop = shop()?;
    let mut client = Client::of(&mut shop.command(&["serve"])?)?;
    client.initialize()?;
    for (name, value) in
        [("durable", json!(true)), ("background", json!(true)), ("cancel", json!(1))]
    {
        let told = run(&mut client, &json!({"code": "1", name: value}))?;
        let message = told["message"].as_str().unwrap_or_default();
        ensure!(told["code"] == "malformed" && message.contains("the set `work`"), "{told}");
    }
    let names = |client: &mut Client| -> Result<Vec<String>> {
        let listed = client.request("tools/list", &json!({}))?;
        let tools = listed["tools"].as_array().cloned().unwrap_or_default();
        let run = tools.iter().find(|it| it["name"] == "run").context("run")?;
        let properties = run["inputSchema"]["properties"].as_object().context("arguments")?;
        Ok(properties.keys().cloned().collect())
    };
    ensure!(!names(&mut client)?.contains(&"durable".to_owned()));
    drop(client);
    let mut client = serve(&shop, &[])?;
    ensure!(names(&mut client)?.contains(&"durable".to_owned()));
    Ok(())
}

/// The program of the page about workflows.
fn workflow() -> Result<&'static str> {
    let page = include_str!("../../../host/docs/workflows.md");
    let (_, rest) = page.split_once("```js\n").context("a program")?;
    Ok(rest.split_once("```").context("an end")?.0)
}

/// The page's workflow is killed while it waits for an approval, and goes on.
#[test]
fn the_workflow_of_the_page_survives() -> Result<()> {
    for (flags, last, value) in [
        (&[][..], "confirm", json!({"id": 7, "amount": 10})),
        (&["--deny"], "release", json!({"id": 7, "failed": "declined"})),
    ] {
        let shop = Shop::of(&json!([]))?;
        let reads = json!({"readOnlyHint": true});
        let writes = json!({"destructiveHint": false});
        let given = |value: Value| json!({"content": [], "structuredContent": value});
        let order = given(json!({"id": 7, "items": ["a", "b"]}));
        let tool = |name: &str, hints: &Value, does: Value| {
            let mut does = does;
            does["count"] = json!(shop.file(name));
            json!({"name": name, "annotations": hints, "does": does})
        };
        let echo = json!({"echo": true});
        let tools = json!([
            tool("order", &reads, json!({"result": order})),
            tool("price", &reads, json!({"result": given(json!({"price": 5}))})),
            tool("reserve", &writes, echo.clone()),
            tool("charge", &writes, echo.clone()),
            tool("confirm", &writes, echo.clone()),
            tool("release", &writes, echo.clone()),
        ]);
        let grants = json!({"grants": {"*": "allow", "charge": "ask"}});
        let server = server_with(&json!({"tools": tools}), &grants);
        shop.write(&json!({"mcpServers": {"shop": server}}))?;
        let mut client = serve(&shop, &[])?;
        let asked = json!({"code": workflow()?, "data": {"id": 7}, "durable": true});
        let told = run(&mut client, &asked)?;
        ensure!(told["kind"] == "pending", "{told}");
        let number = told["run"].to_string();
        let process = client.process().to_string();
        Command::new("kill").args(["-9", &process]).status()?;
        drop(client);
        let approved = shop.say(&[&["approve", &number], flags].concat())?;
        ensure!(approved.ok, "{approved:?}");
        let mut client = serve(&shop, &[])?;
        let told = run(&mut client, &json!({"resume": number.parse::<u64>()?}))?;
        ensure!(told["value"] == value && told["run"].to_string() == number, "{told}");
        let times = ["order", "price", "reserve", last].map(|name| lines(&shop, name));
        ensure!(times == [1, 2, 1, 1], "{times:?}");
        let other = if last == "confirm" { "release" } else { "confirm" };
        ensure!(
            lines(&shop, other) == 0 && lines(&shop, "charge") == usize::from(last == "confirm")
        );
        ensure_whole(&shop, &mut client)?;
    }
    Ok(())
}
