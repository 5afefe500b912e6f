//! Rules of sessions and of the tools that change something: what is refused, what a running turn
//! means for its session, and what is told of functions, titles and ends.

use super::bound::{server, turn};
use super::client::{Client, call};
use super::folder::Folder;
use super::kept::Kept;
use super::text::OMEGA;
use anyhow::{Context, Result, ensure};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Flags with which a run that does not end runs for so long.
const LONG: [&str; 4] = ["--fuel", "1000G", "--fuel-ceiling", "1000G"];

fn start(client: &mut Client, arguments: &Value) -> Result<Value> {
    Ok(client.call("session_start", arguments)?["structuredContent"]["session"].clone())
}

/// Begins a turn that does not end, and waits until it has its session. Another turn that asked would
/// be in its way.
pub(super) fn begin_turn(client: &mut Client, folder: &Folder, session: &Value) -> Result<Value> {
    let id = json!("long");
    let mut arguments: Value = serde_json::from_str(&OMEGA)?;
    arguments["session"] = session.clone();
    client.send(call(&id, "session_eval", &arguments.to_string()))?;
    let store = Connection::open(folder.path().join("mcp-pif.db"))?;
    let leased = "SELECT count(*) FROM session WHERE until IS NOT NULL";
    while store.query_row(leased, [], |row| row.get::<_, i64>(0))? == 0 {
        sleep(Duration::from_millis(5));
    }
    Ok(id)
}

#[test]
fn a_tool_that_changes_something_refuses_what_it_does_not_have() -> Result<()> {
    let mut client = Client::legacy_with(&["--toolsets", "core,state,sessions"])?;
    let list = client.request("tools/list", &json!({}))?;
    let tools = list["tools"].as_array().context("tools")?;
    let changes = |tool: &&Value| tool["annotations"]["readOnlyHint"] != true;
    let names: Vec<&str> =
        tools.iter().filter(changes).filter_map(|it| it["name"].as_str()).collect();
    ensure!(names.contains(&"session_close") && names.contains(&"memory_store"), "{names:?}");
    for name in names.iter().filter(|name| **name != "run") {
        let fault = client.fault(name, &json!({"key": "a", "value": 1, "zzz_unknown": 1}))?;
        assert_eq!(fault["code"], "malformed", "{name}: {fault}");
        ensure!(fault["message"].to_string().contains("has no argument"), "{name}: {fault}");
    }
    turn(&mut client, &json!({"define": "a", "data": 1}))?;
    for (tool, arguments) in [
        ("session_close", json!({"id": "s1"})),
        ("session_close", json!({"name": "s1"})),
        ("session_forget", json!({"id": "s1", "all": true})),
        ("reset", json!({"id": "s1"})),
        ("session_eval", json!({"code": "x => x + a", "data": 40, "context": {"a": 41}})),
    ] {
        let fault = client.fault(tool, &arguments)?;
        assert_eq!(fault["code"], "malformed", "{tool}: {fault}");
    }
    assert_eq!(turn(&mut client, &json!({"code": "a"}))?["value"], 1);
    // What changes nothing is made without it.
    let told = client.call("run", &json!({"code": "1", "zzz_unknown": 1}))?;
    ensure!(told["structuredContent"]["warnings"].to_string().contains("ignored"), "{told}");
    // An older name acts on the session that it is given.
    let other = start(&mut client, &json!({}))?;
    client.text("reset", &json!({ "session_id": other }))?;
    assert_eq!(turn(&mut client, &json!({"code": "a"}))?["value"], 1);
    Ok(())
}

#[test]
fn closing_from_another_server_ends_a_turn_at_once() -> Result<()> {
    let folder = Folder::new()?;
    let more = [&LONG[..], &["--wall-clock", "60s"]].concat();
    let (mut one, mut other) = (server(folder.path(), &more)?, server(folder.path(), &more)?);
    for from_other in [false, true] {
        let session = start(&mut one, &json!({}))?;
        let id = begin_turn(&mut one, &folder, &session)?;
        let since = Instant::now();
        let closer = if from_other { &mut other } else { &mut one };
        closer.text("session_close", &json!({ "session": session }))?;
        let answer = one.answer(&id)?;
        assert_eq!(answer["result"]["structuredContent"]["code"], "cancelled", "{answer}");
        ensure!(since.elapsed() < Duration::from_secs(10), "{:?}", since.elapsed());
    }
    Ok(())
}

#[test]
fn a_running_turn_uses_its_session() -> Result<()> {
    let folder = Folder::new()?;
    let more = [&LONG[..], &["--wall-clock", "6s"]].concat();
    let (mut one, mut other) = (server(folder.path(), &more)?, server(folder.path(), &more)?);
    let session = start(&mut one, &json!({"idle": 3}))?;
    turn(&mut one, &json!({"session": session, "define": "a", "data": 1}))?;
    let id = begin_turn(&mut one, &folder, &session)?;
    sleep(Duration::from_millis(3_500));
    // Whoever starts a session closes those that are over.
    start(&mut other, &json!({}))?;
    let list = other.call("session_list", &json!({}))?["structuredContent"]["sessions"].clone();
    ensure!(list.to_string().contains(session.as_str().context("a name")?), "{list}");
    assert_eq!(one.answer(&id)?["result"]["structuredContent"]["code"], "timeout");
    assert_eq!(turn(&mut one, &json!({"session": session, "code": "a"}))?["value"], 1);
    Ok(())
}

#[test]
fn a_text_that_was_changed_in_the_store_is_not_served() -> Result<()> {
    let kept = Kept::new()?;
    kept.session(|client| {
        turn(client, &json!({"define": "a", "data": [1, 2]}))?;
        client.text("session_save", &json!({"name": "state"})).map(drop)
    })?;
    kept.tamper("UPDATE text SET text = '[9,9]' WHERE text LIKE '%[1,2]%'")?;
    let hint = kept.complains(&["journal", "verify"])?;
    ensure!(hint.contains("not the one that was written"), "{hint}");
    kept.complains(&["session", "export"])?;
    let mut client = kept.server(&[])?;
    let fault = client.fault("session_eval", &json!({"code": "a"}))?;
    assert_eq!(fault["code"], "storage", "{fault}");
    client.text("session_restore", &json!({"name": "state"}))?;
    let fault = client.fault("session_eval", &json!({"code": "a"}))?;
    assert_eq!(fault["code"], "storage", "{fault}");
    // The same value, bound anew, is what it was.
    turn(&mut client, &json!({"define": "b", "data": [1, 2]}))?;
    assert_eq!(turn(&mut client, &json!({"code": "[a, b]"}))?["value"], json!([[1, 2], [1, 2]]));
    Ok(())
}

#[test]
fn null_is_data() -> Result<()> {
    let mut client = Client::legacy()?;
    turn(&mut client, &json!({"define": "x", "data": null}))?;
    assert_eq!(turn(&mut client, &json!({"code": "[x]"}))?["value"], json!([null]));
    client.evolve("is_null", "Tells", &json!("x => x == null"))?;
    for (arguments, value) in [
        (json!({"code": "data", "data": null}), json!(null)),
        (json!({"code": "x => [x]", "data": null}), json!([null])),
        (json!({"code": "x => [x]", "input": null}), json!([null])),
        (json!({"tool": "is_null", "data": null}), json!(true)),
        // Some clients fill in null for what is absent.
        (json!({"code": "x => [x]", "data": 1, "input": null}), json!([1])),
        (json!({"code": "x => [x]", "data": null, "input": 1}), json!([1])),
        (json!({"code": "1", "data": null, "input": null, "fuel": null}), json!(1)),
    ] {
        let told = client.call("run", &arguments)?;
        assert_eq!(told["structuredContent"]["value"], value, "{arguments}: {told}");
    }
    let told = client.call("is_null", &json!({"data": null}))?;
    assert_eq!(told["structuredContent"]["value"], true, "{told}");
    Ok(())
}

#[test]
fn functions_tell_how_many_arguments_they_take() -> Result<()> {
    let mut client = Client::legacy()?;
    client.evolve("twice", "Doubles", &json!("x => x * 2"))?;
    let all = json!([
        ["n", "1"],
        ["one", "x => x + n"],
        ["two", "(x, y) => x + y"],
        ["of_tool", "@twice"],
    ]);
    turn(&mut client, &json!({ "define": all }))?;
    let shown = client.call("session_inspect", &json!({"view": "bindings"}))?;
    let bindings = shown["structuredContent"]["bindings"].as_array().context("bindings")?;
    let arity = |name: &str| {
        let found = bindings.iter().find(|it| it["name"] == name);
        found.map_or(Value::Null, |it| it["arity"].clone())
    };
    let told: Vec<Value> = ["n", "one", "two", "of_tool"].map(arity).to_vec();
    assert_eq!(told, [json!(null), json!(1), json!(2), json!(1)], "{shown}");
    Ok(())
}

#[test]
fn a_session_that_is_over_says_why() -> Result<()> {
    let mut client = Client::legacy()?;
    let reason = |client: &mut Client, session: &Value| {
        let fault = client.fault("session_eval", &json!({"session": session, "code": "1"}))?;
        assert_eq!(fault["code"], "session-closed", "{fault}");
        Ok::<_, anyhow::Error>(fault["reason"].clone())
    };
    let closed = start(&mut client, &json!({}))?;
    client.text("session_close", &json!({ "session": closed }))?;
    let (ttl, idle) =
        (start(&mut client, &json!({"ttl": 1}))?, start(&mut client, &json!({"idle": 1}))?);
    sleep(Duration::from_millis(1_100));
    assert_eq!(reason(&mut client, &closed)?, "closed");
    assert_eq!(reason(&mut client, &ttl)?, "ttl");
    assert_eq!(reason(&mut client, &idle)?, "idle");
    Ok(())
}

#[test]
fn titles_show_no_hidden_characters() -> Result<()> {
    let folder = Folder::new()?;
    let mut client = server(folder.path(), &[])?;
    for hidden in ["a\u{1b}[2J", "a\u{202e}b", "a\0b", "a\nb", "a\u{e0041}"] {
        let fault = client.fault("session_start", &json!({ "title": hidden }))?;
        assert_eq!(fault["code"], "malformed", "{fault}");
    }
    start(&mut client, &json!({"title": "größer ❤️"}))?;
    // A store of an older version may have one.
    let file = Connection::open(folder.path().join("mcp-pif.db"))?;
    file.execute("UPDATE session SET title = ?1", ["x\u{1b}\u{202e}y"])?;
    let list = client.call("session_list", &json!({}))?.to_string();
    ensure!(!list.contains('\u{202e}') && !list.contains("\\u001b["), "{list}");
    Ok(())
}

#[test]
fn faults_of_definitions_say_where() -> Result<()> {
    let mut client = Client::legacy()?;
    for (arguments, at) in [
        (json!({"define": [["a", "1"], ["b", {"mul": ["x", 2]}]]}), "/define/1/1/mul"),
        (json!({"define": [["b", {"mul": ["x", 2]}], ["a", "1"]]}), "/define/0/1/mul"),
        (json!({"define": [["a", "1"]], "code": {"mul": ["x", 2]}}), "/mul"),
    ] {
        let fault = client.fault("session_eval", &arguments)?;
        let told = fault["at"].as_str().unwrap_or_default();
        ensure!(told.starts_with(at), "{arguments}: {fault}");
    }
    Ok(())
}

#[test]
fn the_source_of_a_tool_evaluates_to_its_function() -> Result<()> {
    let mut client = Client::legacy()?;
    client.evolve("fact", "Factorial", &json!("n => n <= 1 ? 1 : n * self(n - 1)"))?;
    turn(&mut client, &json!({"define": [["t", {"eval": {"code_of": "fact"}}]]}))?;
    assert_eq!(turn(&mut client, &json!({"code": "t(5)"}))?["value"], 120);
    Ok(())
}

#[test]
fn too_many_definitions_are_refused_before_any_is_made() -> Result<()> {
    let mut client = Client::legacy()?;
    let many: Vec<Value> = (0..100_000).map(|n| json!([format!("v{n}"), "1"])).collect();
    let since = Instant::now();
    let fault = client.fault("session_eval", &json!({ "define": many }))?;
    assert_eq!(
        (&fault["code"], &fault["limit"]["name"]),
        (&json!("session-limit"), &json!("session_bindings"))
    );
    ensure!(since.elapsed() < Duration::from_secs(3), "{:?}", since.elapsed());
    Ok(())
}

#[test]
fn names_in_faults_are_cut() -> Result<()> {
    let mut client = Client::legacy()?;
    let long = "n".repeat(100_000);
    for (tool, arguments) in [
        ("session_eval", json!({"session": long, "code": "1"})),
        ("session_inspect", json!({ "session": long })),
        ("session_close", json!({ "session": long })),
        ("session_restore", json!({ "name": long })),
        ("session_forget", json!({ "saved": long })),
        ("session_forget", json!({ "names": [long] })),
        ("session_start", json!({ "restore": long })),
    ] {
        let answer = client.call(tool, &arguments)?;
        ensure!(answer["isError"] == true && answer.to_string().len() < 2_000, "{tool}");
    }
    Ok(())
}

#[test]
fn a_saved_state_is_told_apart_from_its_session() -> Result<()> {
    let folder = Folder::new()?;
    let mut client = server(folder.path(), &[])?;
    turn(&mut client, &json!({"define": "a", "data": 1}))?;
    let saved =
        client.call("session_save", &json!({"name": "state"}))?["structuredContent"].clone();
    assert_eq!(saved, json!({"session": "default", "saved": "state", "turn": 1}));
    // The default session has one name.
    let fault = client.fault("session_eval", &json!({"session": "s1", "code": "a"}))?;
    assert_eq!(fault["code"], "unknown-session", "{fault}");
    let gone =
        client.call("session_forget", &json!({"saved": "state"}))?["structuredContent"].clone();
    assert_eq!(gone, json!({"saved": "state"}));
    Ok(())
}

#[test]
fn a_declaration_in_a_turn_is_told_how_a_session_binds() -> Result<()> {
    let mut client = Client::legacy()?;
    let told = turn(&mut client, &json!({"code": "const k = [1, 2]"}))?;
    let hint = told["warnings"][0].as_str().context("a warning")?;
    let written = hint.split_once('{').map(|(_, rest)| format!("{{{rest}"));
    turn(&mut client, &serde_json::from_str(&written.context("a call")?)?)?;
    assert_eq!(turn(&mut client, &json!({"code": "k"}))?["value"], json!([1, 2]));
    let fault = client.fault("session_eval", &json!({"code": "gone + 1"}))?;
    ensure!(fault["hint"].to_string().contains("`define`"), "{fault}");
    Ok(())
}
