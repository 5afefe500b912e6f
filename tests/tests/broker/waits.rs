//! Runs that are kept because nobody can be asked at once: the stateless protocol, the command line,
//! and the model.

use super::asks::{
    accept, call, count, end, ensure_replays, greet, program, shop, shop_with, start,
};
use super::asks::{answer, question, with_forms};
use super::client::{Client, request};
use super::shop::Shop;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::thread::sleep;
use std::time::Duration;

/// A call in the stateless protocol, with more members of its parameters. Gives the answer.
fn modern(client: &mut Client, arguments: &Value, more: &Value) -> Result<Value> {
    let id = client.id();
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}}});
    let mut params = json!({"name": "run", "arguments": arguments, "_meta": meta});
    for (name, value) in more.as_object().into_iter().flatten() {
        params[name] = value.clone();
    }
    client.send(request(&id, "tools/call", &params))?;
    client.answer(&id)
}

fn stateless(shop: &Shop, flags: &[&str]) -> Result<Client> {
    Client::of(&mut shop.command(&[&["serve"], flags].concat())?)
}

/// The members of a call that answers a question.
fn retry(asked: &Value, reply: &Value) -> Value {
    json!({"requestState": asked["result"]["requestState"], "inputResponses": {"approval": reply}})
}

#[test]
fn a_stateless_client_is_asked_by_a_result() -> Result<()> {
    let shop = shop()?;
    let mut client = stateless(&shop, &[])?;
    let arguments = json!({"code": program(), "fuel": 100_000});
    let asked = modern(&mut client, &arguments, &json!({}))?;
    let told = &asked["result"];
    ensure!(told["resultType"] == "input_required", "{asked}");
    let question = &told["inputRequests"]["approval"];
    ensure!(question["method"] == "elicitation/create", "{asked}");
    ensure!(question["params"]["message"].to_string().contains("`s.add` (writes)"), "{asked}");
    ensure!((count(&shop, "look"), count(&shop, "add")) == (1, 0));

    // Without an answer the question comes again.
    let again = modern(&mut client, &arguments, &json!({"requestState": told["requestState"]}))?;
    ensure!(again["result"]["requestState"] == told["requestState"], "{again}");

    // The members of the arguments may stand in another order.
    let reordered = json!({"fuel": 100_000, "code": program()});
    let done = modern(&mut client, &reordered, &retry(&asked, &accept("once")))?;
    let value = &done["result"]["structuredContent"]["value"];
    ensure!(*value == json!([{"q": 1}, {"n": 2}]), "{done}");
    ensure!((count(&shop, "look"), count(&shop, "add")) == (1, 1));

    // The state serves once.
    let replayed = modern(&mut client, &arguments, &retry(&asked, &accept("once")))?;
    ensure!(replayed["error"]["code"] == -32602, "{replayed}");
    ensure!((count(&shop, "look"), count(&shop, "add")) == (1, 1));
    drop(client);
    ensure_replays(&shop, &mut greet(&shop, &[], &json!({}))?)?;
    Ok(())
}

#[test]
fn a_stateless_client_declines_or_forges() -> Result<()> {
    let shop = shop()?;
    let mut client = stateless(&shop, &["--pending-life", "3s"])?;
    let arguments = json!({"code": program()});
    let ask = |client: &mut Client| modern(client, &arguments, &json!({}));
    for reply in [accept("decline"), json!({"action": "decline"}), json!({"action": "cancel"})] {
        let asked = ask(&mut client)?;
        // Sooner than anybody can read: the client answers by itself.
        let done = modern(&mut client, &arguments, &retry(&asked, &reply))?;
        let told = &done["result"]["structuredContent"];
        ensure!(told["kind"] == "pending", "{done}");
        ensure!(told["hint"].to_string().contains("mcp-pif approve"), "{done}");
        sleep(Duration::from_millis(350));
        let done = modern(&mut client, &arguments, &retry(&asked, &reply))?;
        let told = &done["result"]["structuredContent"];
        ensure!(told["upstream"]["reason"] == "declined", "{done}");
    }
    let asked = ask(&mut client)?;
    let state = asked["result"]["requestState"].as_str().context("a state")?.to_owned();
    let (run, secret) = state.split_once('.').context("two parts")?;
    let yes = json!({"approval": accept("once")});
    let zeros = "0".repeat(secret.len());
    for forged in [
        format!("{run}.{zeros}"),
        format!("{run}."),
        String::new(),
        format!("9.{secret}"),
        "x".repeat(5_000),
    ] {
        let more = json!({"requestState": forged, "inputResponses": yes});
        let told = modern(&mut client, &arguments, &more)?;
        ensure!(told["error"]["code"] == -32602, "{forged}: {told}");
    }
    // Nor does it serve for another call, or with an answer that cannot be read.
    let other = json!({"code": call("s.drop", &json!({}))});
    let told = modern(&mut client, &other, &retry(&asked, &accept("once")))?;
    ensure!(told["error"]["code"] == -32602, "{told}");
    for garbage in [json!(null), json!({"action": "perhaps"}), accept("always"), json!([1])] {
        let told = modern(&mut client, &arguments, &retry(&asked, &garbage))?;
        ensure!(told["error"]["code"] == -32602, "{told}");
    }
    sleep(Duration::from_millis(3_100));
    let told = modern(&mut client, &arguments, &retry(&asked, &accept("once")))?;
    ensure!(told["error"]["message"].to_string().contains("has expired"), "{told}");
    ensure!(count(&shop, "add") == 0);
    Ok(())
}

#[test]
fn a_stateless_run_asks_again_for_another_call() -> Result<()> {
    let shop = shop()?;
    let mut client = stateless(&shop, &[])?;
    let code = json!([call("s.add", &json!({"n": 1})), call("s.add", &json!({"n": 2}))]);
    let arguments = json!({ "code": code });
    let first = modern(&mut client, &arguments, &json!({}))?;
    let second = modern(&mut client, &arguments, &retry(&first, &accept("once")))?;
    ensure!(second["result"]["resultType"] == "input_required", "{second}");
    ensure!(count(&shop, "add") == 1);
    let told = modern(&mut client, &arguments, &retry(&first, &accept("once")))?;
    ensure!(told["error"]["code"] == -32602, "{told}");
    let done = modern(&mut client, &arguments, &retry(&second, &accept("once")))?;
    ensure!(done["result"]["structuredContent"]["value"] == json!([{"n": 1}, {"n": 2}]), "{done}");
    ensure!(count(&shop, "add") == 2);
    Ok(())
}

/// Starts a run that is kept, and gives its number.
fn keep(client: &mut Client) -> Result<i64> {
    let id = start(client, &program())?;
    let told = end(client, &id)?;
    ensure!(told["kind"] == "pending", "{told}");
    told["run"].as_i64().with_context(|| told.to_string())
}

#[test]
fn a_person_decides_on_the_command_line() -> Result<()> {
    let shop = shop()?;
    let mut client = greet(&shop, &[], &json!({}))?;
    let result = client.call("run", &json!({"code": program()}))?;
    let run = result["structuredContent"]["run"].as_i64().context("a number")?;
    let told = result["content"][0]["text"].as_str().context("a text")?;
    ensure!(told.contains(&format!("`mcp-pif approve {run}`")), "{told}");
    ensure!(!told.contains("You may decide it"), "{told}");
    let listed = shop.say(&["approve"])?.output;
    ensure!(listed.contains(&format!("run {run} waits until")), "{listed}");
    ensure!(listed.contains("`s.add` (writes) with {\"n\":2}"), "{listed}");
    // It waits until somebody decides, also in another process.
    let still = client.call("run", &json!({ "resume": run }))?["structuredContent"].clone();
    ensure!(still["kind"] == "pending" && still["run"] == run, "{still}");
    let number = run.to_string();
    let said = shop.say(&["approve", &number])?;
    ensure!(said.ok && said.output.starts_with(&format!("approved: run {run}")), "{said:?}");
    ensure!(shop.say(&["approve"])?.output.contains(&format!("run {run} is decided")));
    drop(client);
    let mut client = greet(&shop, &[], &json!({}))?;
    let done = client.call("run", &json!({ "resume": run }))?["structuredContent"].clone();
    ensure!(done["value"] == json!([{"q": 1}, {"n": 2}]), "{done}");
    ensure!((count(&shop, "look"), count(&shop, "add")) == (1, 1));
    ensure_replays(&shop, &mut client)?;
    let gone = client.fault("run", &json!({ "resume": run }))?;
    ensure!(gone["code"] == "unknown-entry", "{gone}");
    let said = shop.say(&["approve", &number])?;
    ensure!(!said.ok && said.errors.contains(&format!("no run {run} waits")), "{said:?}");
    Ok(())
}

#[test]
fn a_person_declines_on_the_command_line() -> Result<()> {
    let shop = shop()?;
    let mut client = greet(&shop, &[], &json!({}))?;
    let run = keep(&mut client)?;
    let said = shop.say(&["approve", &run.to_string(), "--deny"])?;
    ensure!(said.ok && said.output.starts_with(&format!("declined: run {run}")), "{said:?}");
    let told = client.fault("run", &json!({"resume": run}))?;
    ensure!(told["upstream"]["reason"] == "declined", "{told}");
    ensure!((count(&shop, "look"), count(&shop, "add")) == (1, 0));
    ensure_replays(&shop, &mut client)?;
    Ok(())
}

/// A tool that is evolved meanwhile is, for the run that waited, the one that it was.
#[test]
fn a_run_goes_on_with_the_tools_that_it_began_with() -> Result<()> {
    let shop = shop()?;
    let mut client = greet(&shop, &[], &json!({}))?;
    client.evolve("twice", "", &json!({"lam": "x", "body": {"mul": [{"var": "x"}, 2]}}))?;
    let code = json!("@twice(call('s.add', {n: 4}).n)");
    let id = start(&mut client, &code)?;
    let run = end(&mut client, &id)?["run"].clone();
    client.evolve("twice", "", &json!({"lam": "x", "body": {"mul": [{"var": "x"}, 3]}}))?;
    shop.say(&["approve", &run.to_string()])?;
    let done = client.call("run", &json!({"resume": run}))?["structuredContent"].clone();
    ensure!(done["value"] == 8, "{done}");
    ensure_replays(&shop, &mut client)?;
    Ok(())
}

#[test]
fn the_model_decides_where_the_operator_lets_it() -> Result<()> {
    let shop = shop_with(&json!({"model_may_approve": ["s.add"]}))?;
    let mut client = greet(&shop, &[], &json!({}))?;
    let listed = client.request("tools/list", &json!({}))?.to_string();
    ensure!(listed.contains(r#""name":"approve""#), "{listed}");
    let result = client.call("run", &json!({"code": program()}))?;
    let run = result["structuredContent"]["run"].as_i64().context("a number")?;
    let told = result["content"][0]["text"].as_str().context("a text")?;
    ensure!(told.contains(&format!("approve {{\"run\": {run}, ")), "{told}");
    let done = client.call("approve", &json!({"run": run, "decision": "once"}))?;
    ensure!(done["structuredContent"]["value"] == json!([{"q": 1}, {"n": 2}]), "{done}");
    ensure!((count(&shop, "look"), count(&shop, "add")) == (1, 1));
    ensure_replays(&shop, &mut client)?;
    let run = keep(&mut client)?;
    let told = client.fault("approve", &json!({"run": run, "decision": "decline"}))?;
    ensure!(told["upstream"]["reason"] == "declined", "{told}");
    ensure!(told["message"].to_string().contains("the model was asked and declined"), "{told}");

    // What it may not approve stays for a person.
    let id = start(&mut client, &call("s.drop", &json!({})))?;
    let told = end(&mut client, &id)?;
    let run = told["run"].as_i64().with_context(|| told.to_string())?;
    for decision in ["once", "run", "decline"] {
        let told = client.fault("approve", &json!({"run": run, "decision": decision}))?;
        ensure!(told["code"] == "capability-denied", "{told}");
        ensure!(told["hint"] == format!("a person decides it: mcp-pif approve {run}"), "{told}");
    }
    ensure!(count(&shop, "drop") == 0);
    Ok(())
}

#[test]
fn the_model_decides_nothing_by_default() -> Result<()> {
    let shop = shop()?;
    let mut client = greet(&shop, &[], &json!({}))?;
    let listed = client.request("tools/list", &json!({}))?.to_string();
    ensure!(!listed.contains(r#""name":"approve""#), "{listed}");
    let run = keep(&mut client)?;
    let told = client.fault("approve", &json!({"run": run, "decision": "once"}))?;
    ensure!(told["code"] == "capability-denied", "{told}");
    ensure!(count(&shop, "add") == 0);
    Ok(())
}

#[test]
fn a_client_that_refuses_to_ask_has_its_run_kept() -> Result<()> {
    let shop = shop()?;
    let mut client = with_forms(&shop, &[])?;
    let id = start(&mut client, &program())?;
    let asked = question(&mut client)?;
    let error = json!({"code": -32601, "message": "no forms here"});
    client.send(json!({"jsonrpc": "2.0", "id": asked["id"], "error": error}).to_string())?;
    let told = end(&mut client, &id)?;
    ensure!(told["kind"] == "pending", "{told}");
    // Whoever goes on is asked for what comes next.
    let run = told["run"].as_i64().context("a number")?;
    shop.say(&["approve", &run.to_string()])?;
    let id = client.id();
    let more = json!({"name": "run", "arguments": {"resume": run}});
    client.send(request(&id, "tools/call", &more))?;
    ensure!(end(&mut client, &id)?["value"] == json!([{"q": 1}, {"n": 2}]));
    let id = start(&mut client, &call("s.add", &json!({})))?;
    let asked = question(&mut client)?;
    answer(&mut client, &asked, &accept("once"))?;
    ensure!(end(&mut client, &id)?["value"] == json!({}));
    Ok(())
}

#[test]
fn so_many_runs_wait_for_approvals() -> Result<()> {
    let shop = shop()?;
    let mut client = greet(&shop, &["--pending-runs", "2"], &json!({}))?;
    keep(&mut client)?;
    let second = keep(&mut client)?;
    let told = client.fault("run", &json!({"code": program()}))?;
    ensure!(told["code"] == "capability-denied", "{told}");
    ensure!(told["message"].to_string().contains("[pending_runs]"), "{told}");
    ensure_replays(&shop, &mut client)?;
    shop.say(&["approve", &second.to_string(), "--deny"])?;
    client.fault("run", &json!({"resume": second}))?;
    keep(&mut client)?;
    ensure!(count(&shop, "add") == 0);
    Ok(())
}

#[test]
fn a_run_waits_so_long_for_an_approval() -> Result<()> {
    let shop = shop()?;
    let mut client = greet(&shop, &["--pending-life", "500ms"], &json!({}))?;
    let run = keep(&mut client)?;
    sleep(Duration::from_millis(600));
    let told = client.fault("run", &json!({"resume": run}))?;
    ensure!(told["code"] == "unknown-entry", "{told}");
    let recent = client.call("journal_recent", &json!({"kind": "run", "limit": 1}))?;
    let entry = &recent["structuredContent"]["entries"][0];
    ensure!(entry["ending"] == "timeout", "{recent}");
    ensure!(shop.say(&["journal", "verify"])?.ok);
    ensure!(count(&shop, "add") == 0);
    Ok(())
}

/// What must not be written down cannot be kept.
#[test]
fn a_run_without_payload_does_not_wait() -> Result<()> {
    let shop = shop()?;
    let mut client = greet(&shop, &["--journal-payload", "summary"], &json!({}))?;
    let told = client.fault("run", &json!({"code": program()}))?;
    ensure!(told["code"] == "capability-denied", "{told}");
    ensure!(told["hint"].to_string().contains("--journal-payload full"), "{told}");
    Ok(())
}

/// A capability that a model has built calls servers too. What they answered before the run waited is
/// known when it goes on, and the capability runs again.
#[test]
fn a_run_waits_within_a_native_capability() -> Result<()> {
    let shop = shop()?;
    let mut client = greet(&shop, &[], &json!({}))?;
    let looked = call("s.look", &json!({"q": {"get": [{"var": "a"}, "n"]}}));
    let added = call("s.add", &json!({"n": {"get": [{"var": "a"}, "n"]}}));
    let both = json!({"lam": "a", "body": [looked, added]});
    let code = json!({"record": {"both": both}});
    let list = json!({"name": "basket", "description": "Adds", "code": code, "capability": true});
    let told = client.call("evolve", &list)?;
    ensure!(told["isError"] == false, "{told}");
    let ask = |tool: &str, n: i64| json!({"record": {"tool": tool, "args": {"record": {"n": n}}}});
    let program =
        json!({"calls": [[ask("basket.both", 1), ask("s.look", 2), ask("basket.both", 3)]]});

    let id = start(&mut client, &program)?;
    let waits = end(&mut client, &id)?;
    ensure!(waits["kind"] == "pending" && count(&shop, "add") == 0, "{waits}");
    // The first function has called. The calls of the server itself come after all functions.
    ensure!(count(&shop, "look") == 1);
    let mut run = waits["run"].clone();
    for adds in 1..=2 {
        ensure!(shop.say(&["approve", &run.to_string()])?.ok);
        let told = client.call("run", &json!({"resume": run}))?["structuredContent"].clone();
        ensure!(count(&shop, "add") == adds, "{told}");
        if adds == 1 {
            ensure!(told["kind"] == "pending", "{told}");
            run = told["run"].clone();
        } else {
            let pair = |n: i64| json!({"ok": true, "value": [{"q": n}, {"n": n}]});
            let looked = json!({"ok": true, "value": {"n": 2}});
            ensure!(told["value"] == json!([pair(1), looked, pair(3)]), "{told}");
        }
    }
    ensure!((count(&shop, "look"), count(&shop, "add")) == (3, 2));
    ensure_replays(&shop, &mut client)?;
    Ok(())
}
