//! Calls of other servers: what programs get of them, what the journal keeps, what a client is told.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use pif_domain::{EffectClass, Reason};
use serde_json::{Value, json};

use super::shop::{Peer, Shop};

fn call(tool: &str, args: &Value) -> Value {
    json!({"call": {"tool": tool, "args": {"record": args}}})
}

fn asked(shop: &Shop) -> usize {
    shop.clock.asked.load(Ordering::SeqCst)
}

/// The number of the latest entry of a run, and all of it.
fn last_run(peer: &mut Peer, id: u64) -> Result<Value> {
    peer.call(id, "journal_recent", &json!({"kind": "run", "limit": 1}))?;
    Ok(peer.answer(id)?["structuredContent"]["entries"][0].clone())
}

/// Replays the latest run.
fn replay(peer: &mut Peer, id: u64) -> Result<Value> {
    let entry = last_run(peer, id)?["entry"].clone();
    peer.call(id + 1, "replay", &json!({ "entry": entry }))?;
    Ok(peer.answer(id + 1)?["structuredContent"].clone())
}

/// The record of the fault that a run ends in.
fn fault(peer: &mut Peer, id: u64, code: &Value) -> Result<Value> {
    peer.run(id, code)?;
    let result = peer.answer(id)?;
    ensure!(result["isError"] == true, "{result}");
    Ok(result["structuredContent"].clone())
}

#[test]
fn each_reason_is_a_fault_that_try_catches() -> Result<()> {
    let shop = Shop::open(&[])?;
    let (mut peer, _session) = shop.greet()?;
    for (id, reason) in (1..).step_by(4).zip(Reason::ALL) {
        let name = reason.name();
        let tool = format!("fails.{name}");
        let told = fault(&mut peer, id, &json!({"add": [1, call(&tool, &json!({}))]}))?;
        ensure!(told["code"] == "upstream" && told["at"] == "/add/1", "{told}");
        ensure!(told["upstream"] == json!({"tool": tool, "reason": name}), "{told}");
        ensure!(
            told["calls_made"] == json!([{"tool": tool, "outcome": name, "ms": 0, "bytes": 0}]),
            "{told}"
        );
        ensure!(replay(&mut peer, id + 1)?["verdict"] == "equal");
        let seen = json!([{"get": [{"var": "e"}, "reason"]}, {"get": [{"var": "e"}, "tool"]}]);
        let handler = json!({"lam": "e", "body": seen});
        peer.run(id + 3, &json!({"try": call(&tool, &json!({})), "catch": handler}))?;
        ensure!(peer.value(id + 3)? == json!([name, tool]));
    }
    Ok(())
}

/// What is refused was not sent: no call is made, and a replay refuses too.
#[test]
fn refused_calls_are_not_made() -> Result<()> {
    let shop = Shop::open(&[])?;
    let (mut peer, _session) = shop.greet()?;
    let sleep = json!({"record": {"tool": "clock.sleep"}});
    for (id, tool, code) in
        [(1, "clock.gone", "unknown-capability"), (11, "net.get", "capability-denied")]
    {
        let calls = json!({"calls": [[sleep, sleep, {"record": {"tool": tool}}]]});
        let told = fault(&mut peer, id, &calls)?;
        ensure!(told["code"] == code && told["at"] == "/calls/0/2", "{told}");
        ensure!(told["calls_made"].is_null(), "{told}");
        let verdict = replay(&mut peer, id + 1)?;
        ensure!(verdict["verdict"] == "equal", "{verdict}");
    }
    ensure!(asked(&shop) == 0);
    Ok(())
}

/// Results stand in the order of the calls, and a replay has them from the journal.
#[test]
fn several_calls_are_replayed_and_nobody_is_called() -> Result<()> {
    let shop = Shop::open(&[])?;
    let (mut peer, _session) = shop.greet()?;
    let args = json!({"record": {"n": {"var": "n"}}});
    let one = json!({"lam": "n", "body": {"record": {"tool": "box.echo", "args": args}}});
    peer.run(
        1,
        &json!({"calls": [{"map": [one, {"range": [0, 20]}]}, {"record": {"at_most": 3}}]}),
    )?;
    let value = peer.value(1)?;
    for n in 0..20 {
        ensure!(value[n] == json!({"ok": true, "value": {"n": n}}), "{value}");
    }
    ensure!(asked(&shop) == 20);
    let entry = last_run(&mut peer, 2)?;
    ensure!(entry["ending"] == "value", "{entry}");
    let verdict = replay(&mut peer, 3)?;
    ensure!(verdict["verdict"] == "equal" && asked(&shop) == 20, "{verdict}");
    Ok(())
}

/// An answer that is longer than the journal keeps of a result is kept whole all the same.
#[test]
fn long_answers_are_kept_for_replays() -> Result<()> {
    let shop = Shop::open(&["--journal-entry=1KiB"])?;
    let (mut peer, _session) = shop.greet()?;
    peer.run(1, &json!({"length": call("box.fill", &json!({"bytes": 300_000}))}))?;
    ensure!(peer.value(1)? == 300_000);
    ensure!(replay(&mut peer, 2)?["verdict"] == "equal" && asked(&shop) == 1);
    Ok(())
}

/// Without payload the run cannot be made again, and the reason says so.
#[test]
fn a_run_without_payload_is_not_replayed() -> Result<()> {
    let shop = Shop::open(&["--journal-payload=none"])?;
    let (mut peer, _session) = shop.greet()?;
    peer.run(1, &call("box.echo", &json!({"secret": "hunter2"})))?;
    ensure!(peer.value(1)? == json!({"secret": "hunter2"}));
    let verdict = replay(&mut peer, 2)?;
    ensure!(verdict["verdict"] == "skipped", "{verdict}");
    ensure!(verdict["reason"].to_string().contains("--journal-payload none"), "{verdict}");
    Ok(())
}

#[test]
fn a_run_has_a_budget_of_calls_and_bytes() -> Result<()> {
    let shop = Shop::open(&["--upstream-calls=3", "--upstream-answers=1000"])?;
    let (mut peer, _session) = shop.greet()?;
    let reasons = |value: &Value| -> Vec<Value> {
        value.as_array().into_iter().flatten().map(|it| it["reason"].clone()).collect()
    };
    let sleeps = vec![json!({"record": {"tool": "clock.sleep"}}); 5];
    peer.run(1, &json!({"calls": [sleeps]}))?;
    let value = peer.value(1)?;
    let none = Value::Null;
    let budget = json!("budget");
    ensure!(
        reasons(&value) == [&none, &none, &none, &budget, &budget].map(Clone::clone),
        "{value}"
    );
    ensure!(asked(&shop) == 3);
    ensure!(replay(&mut peer, 2)?["verdict"] == "equal");
    // Answers count together, and what no longer fits is not there.
    let fill =
        |bytes: u64| json!({"record": {"tool": "box.fill", "args": {"record": {"bytes": bytes}}}});
    peer.run(10, &json!({"calls": [[fill(500), fill(600), fill(400)]]}))?;
    let value = peer.value(10)?;
    ensure!(reasons(&value) == [&none, &json!("too-large"), &none].map(Clone::clone), "{value}");
    ensure!(value[1]["message"].to_string().contains("[answers]"), "{value}");
    let told = fault(
        &mut peer,
        20,
        &json!([
            call("clock.sleep", &json!({})),
            call("clock.sleep", &json!({})),
            call("clock.sleep", &json!({})),
            call("clock.sleep", &json!({})),
        ]),
    )?;
    ensure!(told["upstream"]["reason"] == "budget" && told["at"] == "/3", "{told}");
    ensure!(told["calls_made"].as_array().is_some_and(|made| made.len() == 4), "{told}");
    Ok(())
}

/// Waiting has a clock of its own, for all calls of a run together.
#[test]
fn waiting_for_others_has_its_own_clock() -> Result<()> {
    let shop = Shop::open(&["--upstream-wall-clock=300ms", "--wall-clock=60s"])?;
    let (mut peer, _session) = shop.greet()?;
    let sleep = call("clock.sleep", &json!({"ms": 200}));
    let told = fault(&mut peer, 1, &json!([sleep, sleep]))?;
    ensure!(told["code"] == "timeout" && told["limit"]["name"] == "waiting_ms", "{told}");
    let made = told["calls_made"].as_array().context("calls_made")?;
    ensure!(made.len() == 2 && made[1]["outcome"] == "unknown", "{told}");
    Ok(())
}

/// Whoever makes a call hears at once that nobody waits for it any more.
#[test]
fn a_cancelled_run_drops_its_calls() -> Result<()> {
    let shop = Shop::open(&[])?;
    let (mut peer, _session) = shop.greet()?;
    peer.run(1, &call("clock.sleep", &json!({"ms": 50_000})))?;
    let start = Instant::now();
    while asked(&shop) == 0 {
        ensure!(start.elapsed() < Duration::from_secs(20));
        thread::sleep(Duration::from_millis(1));
    }
    peer.cancel(1)?;
    let start = Instant::now();
    while shop.clock.dropped.load(Ordering::SeqCst) == 0 {
        ensure!(start.elapsed() < Duration::from_secs(20));
        thread::sleep(Duration::from_millis(1));
    }
    ensure!(start.elapsed() < Duration::from_millis(50), "{:?}", start.elapsed());
    // The journal tells of the call.
    let mut entry = Value::Null;
    while entry["ending"] != "cancelled" && start.elapsed() < Duration::from_secs(20) {
        entry = last_run(&mut peer, 2)?;
    }
    ensure!(entry["ending"] == "cancelled", "{entry}");
    Ok(())
}

/// Examples of tools call nobody: what they would get is scripted.
#[test]
fn examples_script_their_answers() -> Result<()> {
    let shop = Shop::open(&[])?;
    let (mut peer, _session) = shop.greet()?;
    let code =
        json!({"lam": "n", "body": {"add": [{"var": "n"}, call("clock.sleep", &json!({}))]}});
    let evolve = |examples: Value| json!({"name": "later", "description": "Adds what the clock says", "code": code, "examples": examples});
    peer.call(1, "evolve", &evolve(json!([{"input": 1, "output": 3}])))?;
    let refused = peer.answer(1)?;
    ensure!(refused["isError"] == true, "{refused}");
    ensure!(refused["structuredContent"]["code"] == "capability-denied", "{refused}");
    ensure!(refused["structuredContent"]["hint"].to_string().contains("answers"), "{refused}");
    let answers = json!([{"tool": "clock.sleep", "value": 41}]);
    peer.call(2, "evolve", &evolve(json!([{"input": 1, "answers": answers, "output": 42}])))?;
    let evolved = peer.answer(2)?;
    ensure!(evolved["isError"] == false, "{evolved}");
    ensure!(asked(&shop) == 0);
    // Another tool than the next one of the script.
    let answers = json!([{"tool": "box.fill", "value": 41}]);
    peer.call(3, "evolve", &evolve(json!([{"input": 1, "answers": answers, "output": 42}])))?;
    let refused = peer.answer(3)?;
    ensure!(refused["structuredContent"]["hint"].to_string().contains("box.fill"), "{refused}");
    // And a failure.
    let code = json!({"lam": "n", "body": {"try": call("clock.sleep", &json!({})),
        "catch": {"lam": "e", "body": {"get": [{"var": "e"}, "reason"]}}}});
    let answers = json!([{"tool": "clock.sleep", "reason": "timeout", "message": "late"}]);
    let examples = json!([{"input": 1, "answers": answers, "output": "timeout"}]);
    peer.call(
        4,
        "evolve",
        &json!({"name": "late", "description": "Says why", "code": code, "examples": examples}),
    )?;
    let evolved = peer.answer(4)?;
    ensure!(evolved["isError"] == false, "{evolved}");
    Ok(())
}

/// What a tool needs says how far it reaches, also by way of other tools.
#[test]
fn needs_show_in_check_and_in_hints() -> Result<()> {
    let shop = Shop::open(&[])?;
    let (mut peer, _session) = shop.greet()?;
    let lam = |body: Value| json!({"lam": "n", "body": body});
    let tools = [
        ("adds", lam(json!({"add": [{"var": "n"}, 1]}))),
        ("reads", lam(call("clock.sleep", &json!({})))),
        ("writes", lam(call("box.fill", &json!({})))),
        ("by_way", lam(json!({"app": {"func": {"tool": "writes"}, "arg": {"var": "n"}}}))),
        ("computes", lam(json!({"perform": {"capability": {"var": "n"}, "args": null}}))),
    ];
    for (id, (name, code)) in (1..).zip(&tools) {
        peer.call(id, "evolve", &json!({"name": name, "description": "A tool", "code": code}))?;
        let evolved = peer.answer(id)?;
        ensure!(evolved["isError"] == false, "{evolved}");
    }
    for (id, (name, needs, is_computed)) in (10..).zip([
        ("adds", json!(null), false),
        ("reads", json!(["clock.sleep"]), false),
        ("by_way", json!(["box.fill"]), false),
        ("computes", json!(null), true),
    ]) {
        peer.call(id, "check", &json!({"code": {"tool": name}}))?;
        let found = peer.answer(id)?["structuredContent"].clone();
        ensure!(found["needs"] == needs, "{name}: {found}");
        ensure!((found["computed"] == true) == is_computed, "{name}: {found}");
        ensure!((found["pure"] == true) == (name == "adds"), "{name}: {found}");
    }
    peer.request(20, "tools/list", &json!({}))?;
    let listed = peer.answer(20)?;
    let hints = |name: &str| -> Result<(bool, bool)> {
        let tools = listed["tools"].as_array().context("tools")?;
        let tool = tools.iter().find(|tool| tool["name"] == name).context("not listed")?;
        let hints = &tool["annotations"];
        Ok((hints["readOnlyHint"] == true, hints["openWorldHint"] != false))
    };
    ensure!(hints("adds")? == (true, false));
    ensure!(hints("reads")? == (true, true));
    ensure!(hints("writes")? == (false, true));
    ensure!(hints("by_way")? == (false, true));
    ensure!(hints("computes")? == (false, true));
    ensure!(hints("run")? == (false, true));
    ensure!(hints("list")? == (true, false));
    Ok(())
}

/// What a tool may do depends on what others offer, so a client hears of changes there.
#[test]
fn the_list_changes_with_what_others_offer() -> Result<()> {
    let shop = Shop::open(&[])?;
    let (mut peer, _session) = shop.greet()?;
    let code = json!({"lam": "x", "body": call("clock.sleep", &json!({}))});
    peer.call(1, "evolve", &json!({"name": "nap", "description": "Waits.", "code": code}))?;
    ensure!(peer.answer(1)?["isError"] == false);
    let changed = "notifications/tools/list_changed";
    let is_reader = |peer: &mut Peer, id| -> Result<bool> {
        peer.find(|it| it["method"] == changed)?;
        peer.request(id, "tools/list", &json!({}))?;
        let listed = peer.answer(id)?["tools"].clone();
        let nap = listed.as_array().into_iter().flatten().find(|tool| tool["name"] == "nap");
        Ok(nap.context("it is listed")?["annotations"]["readOnlyHint"] == true)
    };
    ensure!(is_reader(&mut peer, 2)?);
    shop.clock.offer(&[("clock.sleep", EffectClass::Write)]);
    ensure!(!is_reader(&mut peer, 3)?);
    shop.clock.offer(&[("clock.sleep", EffectClass::Read)]);
    ensure!(is_reader(&mut peer, 4)?);
    Ok(())
}
