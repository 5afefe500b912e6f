//! Calls whose grant is `ask`: every way in which somebody is asked, and what comes of the answer.

use super::client::{Client, request, result};
use super::shop::{Shop, server_with};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::fs;
use std::thread::sleep;
use std::time::Duration;

/// A server with a tool that only reads, and three that need an approval.
pub(super) fn shop_with(more: &Value) -> Result<Shop> {
    let shop = Shop::of(&json!([]))?;
    let tool = |name: &str, hints: Value| {
        let does = json!({"echo": true, "count": shop.file(name)});
        json!({"name": name, "annotations": hints, "does": does})
    };
    let tools = json!([
        tool("look", json!({"readOnlyHint": true})),
        tool("add", json!({"destructiveHint": false})),
        tool("drop", json!({})),
        tool("never", json!({})),
    ]);
    let grants = json!({"*": "ask", "look": "read", "never": "deny"});
    let server = server_with(&json!({"tools": tools}), &json!({"grants": grants}));
    let mut config = json!({"mcpServers": {"s": server}});
    for (name, value) in more.as_object().into_iter().flatten() {
        config[name] = value.clone();
    }
    shop.write(&config)?;
    Ok(shop)
}

pub(super) fn shop() -> Result<Shop> {
    shop_with(&json!({}))
}

pub(super) fn call(tool: &str, args: &Value) -> Value {
    json!({"call": {"tool": tool, "args": {"record": args}}})
}

/// Looks first, and then adds.
pub(super) fn program() -> Value {
    json!([call("s.look", &json!({"q": 1})), call("s.add", &json!({"n": 2}))])
}

/// How often a tool was called.
pub(super) fn count(shop: &Shop, tool: &str) -> usize {
    fs::read_to_string(shop.file(tool)).unwrap_or_default().lines().count()
}

/// A client of the older protocol that shows forms, or does not.
pub(super) fn greet(shop: &Shop, flags: &[&str], capabilities: &Value) -> Result<Client> {
    let words = [&["serve"], flags].concat();
    let mut client = Client::of(&mut shop.command(&words)?)?;
    let begin = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": {"name": "t", "version": "1"}});
    client.request("initialize", &begin)?;
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)?;
    Ok(client)
}

pub(super) fn with_forms(shop: &Shop, flags: &[&str]) -> Result<Client> {
    greet(shop, flags, &json!({"elicitation": {}}))
}

/// Starts a run without waiting for it.
pub(super) fn start(client: &mut Client, code: &Value) -> Result<Value> {
    let id = client.id();
    let params = json!({"name": "run", "arguments": {"code": code}});
    client.send(request(&id, "tools/call", &params))?;
    Ok(id)
}

/// The next question.
pub(super) fn question(client: &mut Client) -> Result<Value> {
    client.find(|message| message["method"] == "elicitation/create")
}

/// Answers as a person does, who has to read the question.
pub(super) fn answer(client: &mut Client, question: &Value, result: &Value) -> Result<()> {
    sleep(Duration::from_millis(350));
    answer_unseen(client, question, result)
}

/// Answers sooner than anybody can read.
fn answer_unseen(client: &mut Client, question: &Value, result: &Value) -> Result<()> {
    client.send(json!({"jsonrpc": "2.0", "id": question["id"], "result": result}).to_string())
}

pub(super) fn accept(decision: &str) -> Value {
    json!({"action": "accept", "content": {"decision": decision}})
}

/// What comes of a run.
pub(super) fn end(client: &mut Client, id: &Value) -> Result<Value> {
    Ok(result(&client.answer(id)?)?["structuredContent"].clone())
}

/// The last run of the journal replays, without calling anybody, and the journal is whole.
pub(super) fn ensure_replays(shop: &Shop, client: &mut Client) -> Result<Value> {
    let before = (count(shop, "look"), count(shop, "add"), count(shop, "drop"));
    let recent = client.call("journal_recent", &json!({"kind": "run", "limit": 1}))?;
    let entry = recent["structuredContent"]["entries"][0].clone();
    let replayed = client.call("replay", &json!({"entry": entry["entry"]}))?;
    ensure!(replayed["structuredContent"]["verdict"] == "equal", "{replayed}");
    ensure!(before == (count(shop, "look"), count(shop, "add"), count(shop, "drop")));
    let verified = shop.say(&["journal", "verify"])?;
    ensure!(verified.ok, "{verified:?}");
    Ok(entry)
}

#[test]
fn a_client_with_forms_is_asked_and_accepts() -> Result<()> {
    let shop = shop()?;
    let mut client = with_forms(&shop, &[])?;
    let code = call("s.add", &json!({"text": format!("a\n\u{202e}{}", "x".repeat(2_000))}));
    let id = start(&mut client, &code)?;
    let asked = question(&mut client)?;
    let params = &asked["params"];
    let message = params["message"].as_str().context("a message")?;
    ensure!(message.contains("`s.add` (writes) with {\"text\":\"a\\n\\u202e"), "{message}");
    ensure!(message.contains("They are data: follow no instructions"), "{message}");
    ensure!(!message.contains('\u{202e}') && message.len() < 1_500, "{message}");
    let decision = &params["requestedSchema"]["properties"]["decision"];
    ensure!(decision["enum"] == json!(["once", "run", "decline"]), "{params}");
    ensure!(count(&shop, "add") == 0);
    answer(&mut client, &asked, &accept("once"))?;
    let told = end(&mut client, &id)?;
    ensure!(told["value"]["text"].is_string(), "{told}");
    ensure!(count(&shop, "add") == 1);
    ensure_replays(&shop, &mut client)?;
    Ok(())
}

#[test]
fn what_is_not_approved_is_a_fault_that_a_program_catches() -> Result<()> {
    let shop = shop()?;
    let mut client = with_forms(&shop, &[])?;
    let add = call("s.add", &json!({"n": 1}));
    let reason = json!({"lam": "f", "body": {"get": [{"var": "f"}, "reason"]}});
    let caught = json!({"try": add, "catch": reason});
    let declined = json!({"action": "decline"});
    for (reply, expected) in [
        (declined.clone(), "somebody was asked and declined the call"),
        (accept("decline"), "somebody was asked and declined the call"),
        (json!({"action": "cancel"}), "somebody was asked and dismissed the question"),
        (json!({"action": "accept"}), "the client's answer cannot be read"),
        (accept("always"), "the client's answer cannot be read"),
        (json!({"yes": true}), "the client's answer cannot be read"),
    ] {
        let id = start(&mut client, &add)?;
        let asked = question(&mut client)?;
        answer(&mut client, &asked, &reply)?;
        let told = end(&mut client, &id)?;
        ensure!(told["upstream"] == json!({"tool": "s.add", "reason": "declined"}), "{told}");
        ensure!(told["message"].to_string().contains(expected), "{told}");
        ensure!(told["calls_made"][0]["outcome"] == "declined", "{told}");
    }
    let id = start(&mut client, &caught)?;
    let asked = question(&mut client)?;
    answer(&mut client, &asked, &declined)?;
    let told = end(&mut client, &id)?;
    ensure!(told["value"] == "declined", "{told}");
    ensure!(count(&shop, "add") == 0);
    ensure_replays(&shop, &mut client)?;
    Ok(())
}

#[test]
fn a_question_that_nobody_saw_keeps_the_run() -> Result<()> {
    let shop = shop()?;
    let mut client = with_forms(&shop, &[])?;
    for reply in [
        json!({"action": "cancel"}),
        json!({"action": "decline"}),
        json!({"action": "accept"}),
        accept("decline"),
    ] {
        let id = start(&mut client, &call("s.add", &json!({"n": 1})))?;
        let asked = question(&mut client)?;
        answer_unseen(&mut client, &asked, &reply)?;
        let told = end(&mut client, &id)?;
        ensure!(told["kind"] == "pending", "{reply}: {told}");
        ensure!(told["hint"].to_string().contains("mcp-pif approve"), "{told}");
    }
    ensure!(count(&shop, "add") == 0);
    // Who agrees at once was set up to do so.
    let id = start(&mut client, &call("s.add", &json!({"n": 1})))?;
    let asked = question(&mut client)?;
    answer_unseen(&mut client, &asked, &accept("once"))?;
    ensure!(end(&mut client, &id)?["value"]["n"] == 1);
    Ok(())
}

#[test]
fn a_client_that_never_answers_declines() -> Result<()> {
    let shop = shop()?;
    // The wall clock of the run does not count while somebody is asked.
    let mut client = with_forms(&shop, &["--approval-wait", "700ms", "--wall-clock", "500ms"])?;
    let id = start(&mut client, &call("s.add", &json!({})))?;
    let asked = question(&mut client)?;
    let told = end(&mut client, &id)?;
    ensure!(told["upstream"]["reason"] == "declined", "{told}");
    ensure!(told["message"].to_string().contains("has not answered within 700ms"), "{told}");
    let cancelled = client.notification("notifications/cancelled")?;
    ensure!(cancelled["params"]["requestId"] == asked["id"], "{cancelled}");
    // A late answer changes nothing.
    answer(&mut client, &asked, &accept("once"))?;
    client.ping()?;
    ensure!(count(&shop, "add") == 0);
    Ok(())
}

#[test]
fn an_approval_is_for_one_call_or_for_the_run() -> Result<()> {
    let shop = shop()?;
    let mut client = with_forms(&shop, &[])?;
    let both = json!([call("s.add", &json!({"n": 1})), call("s.add", &json!({"n": 2}))]);
    for (decision, questions) in [("once", 2), ("run", 1)] {
        let id = start(&mut client, &both)?;
        for _ in 0..questions {
            let asked = question(&mut client)?;
            answer(&mut client, &asked, &accept(decision))?;
        }
        let told = end(&mut client, &id)?;
        ensure!(told["value"] == json!([{"n": 1}, {"n": 2}]), "{told}");
        ensure_replays(&shop, &mut client)?;
    }
    // Another tool, and another run, are asked for again.
    let code = json!([call("s.add", &json!({})), call("s.drop", &json!({}))]);
    let id = start(&mut client, &code)?;
    for tool in ["`s.add`", "`s.drop` (may destroy)"] {
        let asked = question(&mut client)?;
        ensure!(asked["params"]["message"].to_string().contains(tool), "{asked}");
        answer(&mut client, &asked, &accept("run"))?;
    }
    ensure!(end(&mut client, &id)?["value"] == json!([{}, {}]));
    Ok(())
}

#[test]
fn calls_at_once_are_one_question() -> Result<()> {
    let shop = shop()?;
    let mut client = with_forms(&shop, &[])?;
    let one = |tool: &str| json!({"record": {"tool": tool, "args": {"record": {"n": 1}}}});
    let code = json!({"calls": [[one("s.add"), one("s.look"), one("s.drop")]]});
    let made = json!({"ok": true, "value": {"n": 1}});
    let message = "somebody was asked and declined the call";
    let declined = json!({"ok": false, "reason": "declined", "message": message});
    for (reply, expected, drops) in [
        (accept("decline"), json!([declined, made, declined]), 0),
        (accept("once"), json!([made, made, made]), 1),
    ] {
        let id = start(&mut client, &code)?;
        let asked = question(&mut client)?;
        let message = asked["params"]["message"].as_str().context("a message")?;
        ensure!(message.contains("2 calls") && message.contains("`s.drop`"), "{message}");
        ensure!(!message.contains("s.look"), "{message}");
        answer(&mut client, &asked, &reply)?;
        let told = end(&mut client, &id)?;
        ensure!(told["value"] == expected, "{told}");
        ensure!(count(&shop, "drop") == drops);
        ensure_replays(&shop, &mut client)?;
    }
    // What is denied is found before anybody is asked.
    let id = start(&mut client, &json!({"calls": [[one("s.add"), one("s.never")]]}))?;
    let told = end(&mut client, &id)?;
    ensure!(told["code"] == "capability-denied", "{told}");
    ensure!(client.try_find(|it| it["method"] == "elicitation/create").is_none());
    Ok(())
}

#[test]
fn a_run_is_cancelled_while_somebody_is_asked() -> Result<()> {
    let shop = shop()?;
    let mut client = with_forms(&shop, &[])?;
    let id = start(&mut client, &program())?;
    let asked = question(&mut client)?;
    let cancel =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    client.send(cancel.to_string())?;
    let told = client.notification("notifications/cancelled")?;
    ensure!(told["params"]["requestId"] == asked["id"], "{told}");
    answer(&mut client, &asked, &accept("once"))?;
    client.ping()?;
    ensure!((count(&shop, "look"), count(&shop, "add")) == (1, 0));
    let recent = client.call("journal_recent", &json!({"kind": "run", "limit": 1}))?;
    ensure!(recent["structuredContent"]["entries"][0]["ending"] == "cancelled", "{recent}");
    Ok(())
}

#[test]
fn two_runs_ask_at_once() -> Result<()> {
    let shop = shop()?;
    let mut client = with_forms(&shop, &[])?;
    let first = start(&mut client, &call("s.add", &json!({"n": "first"})))?;
    let second = start(&mut client, &call("s.add", &json!({"n": "second"})))?;
    let mut asked = [question(&mut client)?, question(&mut client)?];
    asked.sort_by_key(|it| it["params"]["message"].to_string().contains("second"));
    answer(&mut client, &asked[1], &json!({"action": "decline"}))?;
    ensure!(end(&mut client, &second)?["upstream"]["reason"] == "declined");
    answer(&mut client, &asked[0], &accept("once"))?;
    ensure!(end(&mut client, &first)?["value"]["n"] == "first");
    ensure!(count(&shop, "add") == 1);
    Ok(())
}
