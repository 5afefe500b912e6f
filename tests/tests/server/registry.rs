//! Tools that last: what a server keeps for the next one, and how tools change and go back.

use super::client::Client;
use super::folder::Folder;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

fn double() -> Value {
    json!({"lam": "x", "body": {"mul": [{"var": "x"}, 2]}})
}

fn triple() -> Value {
    json!({"lam": "x", "body": {"mul": [{"var": "x"}, 3]}})
}

/// A tool that calls `double` twice.
fn quadruple() -> Value {
    let call = |arg: Value| json!({"app": {"func": {"tool": "double"}, "arg": arg}});
    json!({"lam": "x", "body": call(call(json!({"var": "x"})))})
}

/// A session of a new server on a data directory.
fn server(data: &Folder) -> Result<Client> {
    Client::legacy_with(&["--data", data.path().to_str().context("a path in UTF-8")?])
}

fn end(client: Client) -> Result<()> {
    let ending = client.finish()?;
    ensure!(ending.status.success() && ending.errors.is_empty(), "{ending:?}");
    Ok(())
}

fn revision(client: &mut Client, tool: &str) -> Result<String> {
    let found = client.call("inspect", &json!({"tool": tool}))?;
    let revision = found["structuredContent"]["revision"].as_str();
    Ok(revision.with_context(|| found.to_string())?.to_owned())
}

/// An `evolve` that has to succeed, and its notes.
fn evolve(client: &mut Client, arguments: Value) -> Result<(Value, String)> {
    let mut all = json!({"description": "d"});
    let (Value::Object(all), Value::Object(arguments)) = (&mut all, arguments) else {
        unreachable!("two objects")
    };
    all.extend(arguments);
    let result = client.call("evolve", &Value::Object(all.clone()))?;
    ensure!(result["isError"] == false, "{result}");
    let record = result["structuredContent"].clone();
    let notes = record["notes"].to_string();
    Ok((record, notes))
}

#[test]
fn a_tool_outlives_its_server() -> Result<()> {
    let data = Folder::new()?;
    let mut first = server(&data)?;
    first.evolve("double", "Doubles", &double())?;
    let before = revision(&mut first, "double")?;
    end(first)?;
    let mut second = server(&data)?;
    ensure!(second.text("run", &json!({"tool": "double", "input": 21}))? == "42");
    ensure!(second.text("double", &json!({"input": 4}))? == "8");
    ensure!(revision(&mut second, "double")? == before);
    ensure!(second.text("list", &json!({}))?.contains("double"));
    end(second)
}

#[cfg(unix)]
#[test]
fn nobody_else_reads_what_is_kept() -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let data = Folder::new()?;
    let mut client = server(&data)?;
    client.evolve("double", "Doubles", &double())?;
    for file in std::fs::read_dir(data.path())? {
        let file = file?;
        let mode = file.metadata()?.permissions().mode() & 0o777;
        let own = if file.file_type()?.is_dir() { 0o700 } else { 0o600 };
        ensure!(mode == own, "{:?} has the mode {mode:o}", file.file_name());
    }
    end(client)
}

#[test]
fn what_is_ephemeral_does_not() -> Result<()> {
    let mut client = Client::legacy_with(&["--ephemeral"])?;
    client.evolve("double", "Doubles", &double())?;
    let info = client.call("server_info", &json!({}))?;
    ensure!(info["structuredContent"]["kept"] == "memory", "{info}");
    end(client)
}

#[test]
fn the_same_again_is_no_change() -> Result<()> {
    let mut client = Client::legacy()?;
    let arguments =
        json!({"name": "double", "code": double(), "examples": [{"input": 1, "output": 2}]});
    ensure!(evolve(&mut client, arguments.clone())?.0["status"] == "new");
    ensure!(evolve(&mut client, arguments)?.0["status"] == "unchanged");
    // The same term in another spelling is the same term.
    let spelled = json!({"name": "double", "code": "{ \"body\": {\"mul\": [{\"var\":\"x\"}, 2]}, \"lam\": \"x\"}"});
    ensure!(evolve(&mut client, spelled)?.0["status"] == "unchanged");
    let inspected = client.call("inspect", &json!({"tool": "double"}))?;
    let history = inspected["structuredContent"]["history"].as_array().context("a history")?;
    ensure!(history.len() == 1, "{inspected}");
    Ok(())
}

#[test]
fn a_revision_can_be_run_for_ever() -> Result<()> {
    let mut client = Client::legacy()?;
    client.evolve("double", "d", &double())?;
    let old = revision(&mut client, "double")?;
    client.evolve("double", "d", &triple())?;
    let pinned = format!("double@{}", &old[..8]);
    ensure!(client.text("run", &json!({"tool": "double", "input": 5}))? == "15");
    ensure!(client.text("run", &json!({"tool": pinned, "input": 5}))? == "10");
    ensure!(client.text("run", &json!({"code": pinned, "input": 5}))? == "10");
    let term =
        json!({"app": {"func": {"tool": format!("double@{}", old.to_uppercase())}, "arg": 5}});
    ensure!(client.text("run", &json!({"code": term}))? == "10");
    client.evolve("ten", "d", &json!({"app": {"func": {"tool": pinned}, "arg": 5}}))?;
    ensure!(client.text("ten", &json!({}))? == "10");
    client.text("rollback", &json!({"tool": "double", "retire": true}))?;
    ensure!(client.text("ten", &json!({}))? == "10", "a pinned revision stays");
    for wrong in ["double@1234567", "double@00000000", "double@", "double@zzzzzzzz"] {
        let fault = client.fault("run", &json!({"tool": wrong, "input": 5}))?;
        ensure!(fault["code"] == "unknown-tool", "{wrong}: {fault}");
    }
    Ok(())
}

#[test]
fn a_tool_goes_back_and_goes_away() -> Result<()> {
    let data = Folder::new()?;
    let mut client = server(&data)?;
    client.evolve("double", "Doubles", &double())?;
    let old = revision(&mut client, "double")?;
    client.evolve("double", "Triples", &triple())?;
    let back = client.call("rollback", &json!({"tool": "double", "revision": old[..12]}))?;
    ensure!(back["structuredContent"]["status"] == "changed", "{back}");
    ensure!(client.text("double", &json!({"input": 5}))? == "10");
    ensure!(client.text("list", &json!({}))?.contains("Doubles"), "its description too");
    client.evolve("quadruple", "d", &quadruple())?;
    let gone = client.text("rollback", &json!({"tool": "double", "retire": true}))?;
    ensure!(gone.contains("still called by `quadruple`"), "{gone}");
    end(client)?;
    let mut client = server(&data)?;
    ensure!(!client.text("list", &json!({}))?.contains("- double"));
    ensure!(client.fault("run", &json!({"tool": "double"}))?["code"] == "unknown-tool");
    let fault = client.fault("inspect", &json!({"tool": "double"}))?;
    ensure!(fault["hint"].as_str().is_some_and(|hint| hint.contains("restores it")), "{fault}");
    ensure!(
        client.fault("rollback", &json!({"tool": "double", "retire": true}))?["code"]
            == "unknown-tool"
    );
    client.text("rollback", &json!({"tool": "double", "revision": old}))?;
    ensure!(client.text("quadruple", &json!({"input": 5}))? == "20");
    let fault = client.fault("rollback", &json!({"tool": "double", "revision": "0123456789"}))?;
    ensure!(fault["message"].as_str().is_some_and(|it| it.contains("no revision")), "{fault}");
    end(client)
}

#[test]
fn examples_stay_as_long_as_they_pass() -> Result<()> {
    let mut client = Client::legacy()?;
    let examples = json!([{"input": 0, "output": 0}, {"input": 2, "output": 4}]);
    evolve(&mut client, json!({"name": "double", "code": double(), "examples": examples}))?;
    let (_, notes) = evolve(&mut client, json!({"name": "double", "code": triple()}))?;
    ensure!(notes.contains("1 of its 2 examples failed and were removed"), "{notes}");
    let inspected = client.call("inspect", &json!({"tool": "double"}))?;
    let kept = &inspected["structuredContent"]["examples"];
    ensure!(kept == r#"[{"input":0,"output":0}]"#, "{inspected}");
    let refused = client.fault(
        "evolve",
        &json!({"name": "double", "description": "d", "code": double(), "examples": [{"input": 1, "output": 3}]}),
    )?;
    ensure!(refused["code"] == "fail", "{refused}");
    ensure!(client.text("double", &json!({"input": 1}))? == "3", "nothing changed");
    Ok(())
}

#[test]
fn who_changes_a_tool_hears_of_its_callers() -> Result<()> {
    let mut client = Client::legacy()?;
    evolve(&mut client, json!({"name": "double", "code": double()}))?;
    let examples = json!([{"input": 3, "output": 12}]);
    evolve(&mut client, json!({"name": "quadruple", "code": quadruple(), "examples": examples}))?;
    let indirect =
        json!({"lam": "x", "body": {"app": {"func": {"tool": "quadruple"}, "arg": {"var": "x"}}}});
    let examples = json!([{"input": 1, "output": 4}]);
    evolve(&mut client, json!({"name": "indirect", "code": indirect, "examples": examples}))?;
    let change = json!({"name": "double", "description": "d", "code": triple()});
    let mut strict = change.clone();
    strict["verify_dependents"] = json!(true);
    let refused = client.call("evolve", &strict)?;
    ensure!(refused["isError"] == true, "{refused}");
    let told = refused["content"][0]["text"].as_str().context("a text")?;
    ensure!(told.contains("example 0 of `quadruple`, which calls this tool"), "{told}");
    ensure!(client.text("double", &json!({"input": 1}))? == "2", "nothing changed");
    let (_, notes) = evolve(&mut client, change)?;
    ensure!(notes.contains("`quadruple`") && notes.contains("`indirect`"), "{notes}");
    // They were broken before this change: it is no news.
    let (_, notes) =
        evolve(&mut client, json!({"name": "double", "code": {"lam": "x", "body": 1}}))?;
    ensure!(!notes.contains("no longer pass"), "{notes}");
    Ok(())
}

#[test]
fn a_tool_is_inspected_from_all_sides() -> Result<()> {
    let mut client = Client::legacy()?;
    let examples = json!([{"input": 21, "output": 42}]);
    evolve(&mut client, json!({"name": "double", "code": triple()}))?;
    evolve(&mut client, json!({"name": "double", "code": double(), "examples": examples}))?;
    evolve(&mut client, json!({"name": "quadruple", "code": quadruple()}))?;
    client.text("double", &json!({"input": 1}))?;
    client.fault("run", &json!({"tool": "double", "input": "x"}))?;
    let double = client.call("inspect", &json!({"tool": "double"}))?;
    let record = &double["structuredContent"];
    ensure!(record["called_by"] == json!(["quadruple"]), "{record}");
    ensure!(record["forms"] == json!({"lam": 1, "mul": 1, "var": 1}), "{record}");
    ensure!(record["runs"]["count"] == 2 && record["runs"]["faults"] == 1, "{record}");
    ensure!(record["current"] == true, "{record}");
    let difference = record["difference"].as_str().context("a difference")?;
    ensure!(difference.contains('-') && difference.contains('+'), "{difference}");
    ensure!(
        difference.lines().any(|line| line.starts_with('-') && line.contains('3')),
        "{difference}"
    );
    ensure!(
        difference.lines().any(|line| line.starts_with('+') && line.contains('2')),
        "{difference}"
    );
    let first = record["history"][1]["revision"].as_str().context("a first revision")?.to_owned();
    let earlier = client.call("inspect", &json!({"tool": "double", "revision": first[..8]}))?;
    let earlier = &earlier["structuredContent"];
    ensure!(earlier["current"] == false && earlier["revision"] == first.as_str(), "{earlier}");
    ensure!(earlier["source"].as_str().is_some_and(|source| source.contains('3')), "{earlier}");
    let quadruple = client.call("inspect", &json!({"tool": "quadruple"}))?;
    ensure!(quadruple["structuredContent"]["calls"] == json!(["double"]), "{quadruple}");
    let fault = client.fault("inspect", &json!({"tool": "dubble"}))?;
    ensure!(fault["hint"] == "did you mean `double`?", "{fault}");
    Ok(())
}

#[test]
fn of_two_changes_of_one_revision_one_wins() -> Result<()> {
    let mut client = Client::legacy()?;
    client.evolve("double", "d", &double())?;
    let old = revision(&mut client, "double")?;
    let change = |code: Value| json!({"name": "double", "description": "d", "code": code, "expected_revision": old[..10]});
    client.text("evolve", &change(triple()))?;
    let fault = client.fault("evolve", &change(json!({"lam": "x", "body": 4})))?;
    ensure!(
        fault["message"].as_str().is_some_and(|it| it.contains("is at the revision")),
        "{fault}"
    );
    Ok(())
}
