//! Sessions: bindings that last from turn to turn, across restarts and kills; turns that change all
//! or nothing; replays of turns.

use super::client::{Client, text};
use super::folder::Folder;
use super::text::OMEGA;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

pub(super) fn server(folder: &Path, more: &[&str]) -> Result<Client> {
    let folder = folder.to_str().context("a path in UTF-8")?;
    let arguments = [&["--data", folder], more].concat();
    Client::legacy_with(&arguments)
}

/// Ends a server as nothing can prevent.
pub(super) fn kill(client: &mut Client) -> Result<()> {
    let process = client.process().to_string();
    ensure!(Command::new("kill").args(["-9", &process]).status()?.success());
    client.wait().map(drop)
}

/// Makes a turn, and gives its record.
pub(super) fn turn(client: &mut Client, arguments: &Value) -> Result<Value> {
    let result = client.call("session_eval", arguments)?;
    ensure!(result["isError"] == false, "{arguments}: {result}");
    Ok(result["structuredContent"].clone())
}

fn value(client: &mut Client, code: &str) -> Result<Value> {
    Ok(turn(client, &json!({ "code": code }))?["value"].clone())
}

/// The names that a session binds, with their kinds.
fn bindings(client: &mut Client, session: &str) -> Result<Vec<(String, String)>> {
    let shown = client.call("session_inspect", &json!({"session": session, "view": "bindings"}))?;
    let bindings = shown["structuredContent"]["bindings"].as_array().context("bindings")?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    Ok(bindings.iter().map(|it| (text(&it["name"]), text(&it["kind"]))).collect())
}

fn replay(client: &mut Client) -> Result<()> {
    let list = client.call("journal_recent", &json!({"kind": "run", "limit": 50}))?;
    let entries = list["structuredContent"]["entries"].as_array().context("entries")?.clone();
    ensure!(!entries.is_empty(), "{list}");
    for entry in entries {
        let arguments = json!({ "entry": entry["entry"].as_i64().or(entry["id"].as_i64()) });
        let replayed = client.call("replay", &arguments)?;
        let verdict = &replayed["structuredContent"]["verdict"];
        ensure!(verdict == "equal", "{entry}: {replayed}");
    }
    Ok(())
}

#[test]
fn values_and_functions_last_from_turn_to_turn() -> Result<()> {
    let folder = Folder::new()?;
    let mut client = server(folder.path(), &[])?;
    let orders = json!([{"region": "north", "qty": 3}, {"region": "south", "qty": 4}]);
    let told = turn(&mut client, &json!({"define": "orders", "data": orders}))?;
    assert_eq!((&told["defined"], &told["turn"]), (&json!(["orders"]), &json!(1)));
    let total = json!({"define": "total", "code": "os => os.map(o => o.qty).sum()"});
    assert_eq!(turn(&mut client, &total)?["kind"], "function");
    assert_eq!(value(&mut client, "total(orders)")?, 7);
    // A function over a binding keeps what it was then.
    let both = json!([["rate", "1.5"], ["price", "n => n * rate"], ["rate", "100.0"]]);
    let told = turn(&mut client, &json!({"define": both, "code": "price(total(orders))"}))?;
    assert_eq!((&told["value"], &told["defined"]), (&json!(10.5), &json!(["price", "rate"])));
    assert_eq!(value(&mut client, "[_1, rate, price(2)]")?, json!([10.5, 100.0, 3.0]));
    assert_eq!(value(&mut client, "[_2, _3]")?, json!([10.5, 7]));
    // An argument is applied; without one a function of no name is, too.
    assert_eq!(turn(&mut client, &json!({"code": "x => x + 1", "data": 4}))?["value"], 5);
    let named = ["_1", "_2", "_3", "orders", "price", "rate", "total"];
    let kinds = bindings(&mut client, "default")?;
    assert_eq!(kinds.iter().map(|it| it.0.as_str()).collect::<Vec<_>>(), named);
    replay(&mut client)
}

#[test]
fn sessions_last_across_restarts_and_kills() -> Result<()> {
    let folder = Folder::new()?;
    let mut client = server(folder.path(), &[])?;
    client.evolve("double", "Doubles", &json!("x => x * 2"))?;
    let started = client.call("session_start", &json!({"title": "orders of May"}))?;
    let name = started["structuredContent"]["session"].clone();
    let session = |code: &str| json!({"session": name, "code": code});
    turn(&mut client, &json!({"session": name, "define": "n", "data": 20}))?;
    turn(&mut client, &json!({"session": name, "define": "twice", "code": "x => @double(x)"}))?;
    ensure!(client.finish()?.status.success());

    let mut client = server(folder.path(), &[])?;
    assert_eq!(turn(&mut client, &session("twice(n)"))?["value"], 40);
    turn(&mut client, &json!({"session": name, "define": "m", "code": "_1 + 2"}))?;
    client.call("session_save", &json!({"session": name, "name": "may"}))?;
    kill(&mut client)?;

    let mut client = server(folder.path(), &[])?;
    assert_eq!(turn(&mut client, &session("[m, twice(m)]"))?["value"], json!([42, 84]));
    client.call("session_close", &json!({ "session": name }))?;
    let fault = client.fault("session_eval", &session("m"))?;
    assert_eq!(fault["code"], "session-closed", "{fault}");
    client.call("session_restore", &json!({"name": "may"}))?;
    assert_eq!(value(&mut client, "twice(m + n)")?, 124);
    let begun = client.call("session_start", &json!({"restore": "may"}))?;
    let begun = &begun["structuredContent"]["session"];
    assert_eq!(turn(&mut client, &json!({"session": begun, "code": "m"}))?["value"], 42);
    let list = client.call("session_list", &json!({}))?;
    let list = &list["structuredContent"];
    assert_eq!(list["saved"][0]["name"], "may", "{list}");
    assert_eq!(list["sessions"].as_array().map(Vec::len), Some(2), "{list}");
    replay(&mut client)
}

#[test]
fn a_turn_that_fails_changes_nothing() -> Result<()> {
    let folder = Folder::new()?;
    let mut client = server(folder.path(), &["--wall-clock", "300ms"])?;
    turn(&mut client, &json!({"define": "a", "data": [1, 2]}))?;
    let before = client.call("session_inspect", &json!({"view": "bindings"}))?;
    let define = |second: Value| json!({"define": [["a", "5"], ["b", second]], "code": "a"});
    let endless = serde_json::from_str::<Value>(&OMEGA)?["code"].clone();
    let turns = [
        (define(json!("gone + 1")), "unbound"),
        (define(json!("1 / 0")), "divide-by-zero"),
        (define(endless.clone()), "out-of-fuel timeout"),
        (json!({"define": "a", "code": "fail('no')"}), "fail"),
        (
            json!({"define": "a", "data": "x", "output_schema": {"type": "integer"}}),
            "schema-mismatch",
        ),
        (json!({"define": [["a", "5"]], "code": "a +"}), "unparsable malformed"),
    ];
    for (arguments, codes) in turns {
        let fault = client.fault("session_eval", &arguments)?;
        let code = fault["code"].as_str().unwrap_or_default();
        ensure!(codes.split(' ').any(|it| it == code), "{arguments}: {fault}");
        let after = client.call("session_inspect", &json!({"view": "bindings"}))?;
        let of = |shown: &Value| shown["structuredContent"]["bindings"].clone();
        assert_eq!(of(&before), of(&after), "{arguments}");
    }
    assert_eq!(value(&mut client, "a")?, json!([1, 2]));
    Ok(())
}

#[test]
fn what_cannot_be_kept_is_refused_or_returned_with_a_warning() -> Result<()> {
    let folder = Folder::new()?;
    let mut client = server(folder.path(), &[])?;
    client.evolve(
        "count",
        "Counts",
        &json!({"lam": "n", "body": {"continue": {"input": {"var": "n"}}}}),
    )?;
    let fault =
        client.fault("session_eval", &json!({"tool": "count", "data": 1, "define": "c"}))?;
    assert_eq!(fault["code"], "not-storable", "{fault}");
    let told = turn(&mut client, &json!({"tool": "count", "data": 1}))?;
    let warnings = told["warnings"].to_string();
    ensure!(warnings.contains("the value is not kept as `_1`: it is a continuation"), "{told}");
    for define in ["2x", "a-b", "_1", ""] {
        let fault = client.fault("session_eval", &json!({"define": define, "data": 1}))?;
        assert_eq!(fault["code"], "malformed", "{fault}");
    }
    Ok(())
}

#[test]
fn the_default_session_has_the_older_names() -> Result<()> {
    let folder = Folder::new()?;
    let mut client = server(folder.path(), &[])?;
    client.call("execute", &json!({"define": "x", "code": "6 * 7"}))?;
    assert_eq!(text(&client.call("lisp_eval", &json!({"code": "x"}))?)?, "42");
    ensure!(client.text("state", &json!({}))?.contains("x: integer"));
    client.call("save_state", &json!({"name": "kept"}))?;
    client.call("reset", &json!({}))?;
    assert_eq!(client.fault("execute", &json!({"code": "x + 1"}))?["code"], "unbound");
    client.call("restore_state", &json!({"name": "kept"}))?;
    assert_eq!(value(&mut client, "x")?, 42);
    let started = client.call("lisp_session_start", &json!({}))?;
    let session = &started["structuredContent"]["session"];
    let arguments = json!({"session_id": session, "code": "1 + 1"});
    assert_eq!(text(&client.call("lisp_session_eval", &arguments)?)?, "2");
    Ok(())
}

#[test]
fn a_session_shows_sources_and_turns_and_never_all_values() -> Result<()> {
    let folder = Folder::new()?;
    let mut client = server(folder.path(), &[])?;
    turn(&mut client, &json!({"define": "f", "code": "x => x + 1"}))?;
    turn(&mut client, &json!({"define": "secret", "data": "a long text of a value"}))?;
    let one = client.call("session_inspect", &json!({"name": "f"}))?;
    assert_eq!(text(&one)?, "x => x + 1");
    let source = json!(r#"{"body":{"plus":[{"var":"x"},1]},"lam":"x"}"#);
    assert_eq!(one["structuredContent"]["source"], source);
    let all = client.text("session_inspect", &json!({}))?;
    ensure!(all.contains("f: function") && !all.contains("a long text"), "{all}");
    let history = client.text("session_inspect", &json!({"view": "history"}))?;
    ensure!(history.lines().count() == 2 && history.contains("x => x + 1"), "{history}");
    let fault = client.fault("session_inspect", &json!({"name": "secrets"}))?;
    assert_eq!(fault["hint"], "did you mean `secret`?");
    client.call("session_forget", &json!({"names": ["secret"]}))?;
    assert_eq!(client.fault("session_forget", &json!({"names": ["secret"]}))?["code"], "unbound");
    client.call("session_forget", &json!({"history": true}))?;
    assert_eq!(client.text("session_inspect", &json!({"view": "history"}))?, "no turns");
    Ok(())
}
