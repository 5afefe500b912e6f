//! Changes that are tried before they count: `stage`, `verify`, `commit`, `discard`.

use super::client::Client;
use super::folder::Folder;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

const SETS: &str = "core,state,sessions,staging";

fn server(data: &Path, more: &[&str]) -> Result<Client> {
    let data = data.to_str().context("a path in UTF-8")?;
    Client::legacy_with(&[&["--toolsets", SETS, "--data", data], more].concat())
}

/// A server with `double`, and with `quad`, which calls it.
fn begin(data: &Path, more: &[&str]) -> Result<Client> {
    let mut client = server(data, more)?;
    evolve(&mut client, "double", "x => x * 2", &json!([{"input": 2, "output": 4}]))?;
    evolve(&mut client, "quad", "x => @double(@double(x))", &json!([{"input": 2, "output": 8}]))?;
    Ok(client)
}

fn evolve(client: &mut Client, name: &str, code: &str, examples: &Value) -> Result<()> {
    let change = json!({"name": name, "description": name, "code": code, "examples": examples});
    let told = client.call("evolve", &change)?;
    ensure!(told["isError"] != true, "{told}");
    Ok(())
}

/// The record of a call that succeeds.
fn record(client: &mut Client, tool: &str, arguments: &Value) -> Result<Value> {
    let told = client.call(tool, arguments)?;
    ensure!(told["isError"] != true, "{tool} {arguments}: {told}");
    Ok(told["structuredContent"].clone())
}

fn code(client: &mut Client, tool: &str, arguments: &Value) -> Result<String> {
    let fault = client.fault(tool, arguments)?;
    Ok(fault["code"].as_str().context("a code")?.to_owned())
}

fn tool(name: &str, code: &str) -> Value {
    json!({"evolve": {"name": name, "description": name, "code": code}})
}

#[test]
fn nobody_else_sees_a_snapshot_before_its_commit() -> Result<()> {
    let folder = Folder::new()?;
    let mut client = begin(folder.path(), &[])?;
    let mut other = server(folder.path(), &[])?;
    let staged = record(
        &mut client,
        "stage",
        &json!({"operations": [
            tool("triple", "x => x * 3"),
            tool("six", "x => @triple(@double(x))"),
            {"memory": {"key": "rate", "value": 7, "tags": ["a"]}},
        ]}),
    )?;
    let snapshot = staged["snapshot"].clone();
    ensure!(staged["expires_at"].is_string() && staged["changes"].as_array().is_some(), "{staged}");
    let within = |code: &str| json!({"code": code, "snapshot": snapshot});
    assert_eq!(record(&mut client, "run", &within("@six(2)"))?["value"], 12);
    assert_eq!(code(&mut client, "run", &json!({"code": "@six(2)"}))?, "unknown-tool");
    assert_eq!(code(&mut other, "run", &json!({"code": "@six(2)"}))?, "unknown-tool");
    assert_eq!(record(&mut client, "list", &json!({"snapshot": snapshot}))?["total"], 4);
    assert_eq!(record(&mut client, "list", &json!({}))?["total"], 2);
    let found = record(&mut client, "list", &json!({"snapshot": snapshot, "query": "trip"}))?;
    assert_eq!(found["tools"][0]["name"], "triple");
    let seen = record(&mut client, "inspect", &json!({"tool": "triple", "snapshot": snapshot}))?;
    assert_eq!((&seen["notation"], &seen["called_by"]), (&json!("x => x * 3"), &json!(["six"])));
    let checked = record(&mut client, "check", &within("@six(1)"))?;
    ensure!(checked["notes"].is_null(), "{checked}");
    let key = json!({"key": "rate", "snapshot": snapshot});
    assert_eq!(record(&mut client, "memory_retrieve", &key)?["value"], 7);
    assert_eq!(code(&mut client, "memory_retrieve", &json!({"key": "rate"}))?, "unknown-key");
    let turn = json!({"code": "@six(3)", "snapshot": snapshot});
    assert_eq!(record(&mut client, "session_eval", &turn)?["value"], 18);
    let bound = json!({"define": "f", "code": "x => @six(x)", "snapshot": snapshot});
    assert_eq!(code(&mut client, "session_eval", &bound)?, "not-storable");
    let bound = json!({"define": "n", "code": "@six(3)", "snapshot": snapshot});
    record(&mut client, "session_eval", &bound)?;
    record(&mut client, "verify", &json!({ "snapshot": snapshot }))?;
    let done = record(&mut client, "commit", &json!({"snapshot": snapshot, "message": "why"}))?;
    assert_eq!(record(&mut other, "run", &json!({"code": "@six(2)"}))?["value"], 12);
    assert_eq!(record(&mut other, "memory_retrieve", &json!({"key": "rate"}))?["value"], 7);
    // One entry lists the changes, and the history of each tool points to it.
    let entries = record(&mut other, "journal_recent", &json!({"kind": "commit"}))?;
    let entry = &entries["entries"][0];
    assert_eq!(entry["entry"], done["entry"]);
    ensure!(entry["request"].to_string().contains("why"), "{entry}");
    assert_eq!(entry["outcome"]["changes"].as_array().map(Vec::len), Some(2), "{entry}");
    let seen = record(&mut other, "inspect", &json!({"tool": "six"}))?;
    assert_eq!(seen["history"][0]["entry"], done["entry"], "{seen}");
    Ok(())
}

#[test]
fn a_snapshot_sees_no_later_change_of_others() -> Result<()> {
    let folder = Folder::new()?;
    let mut client = begin(folder.path(), &[])?;
    let staged = record(&mut client, "stage", &json!({"operations": [tool("new", "x => x")]}))?;
    let snapshot = &staged["snapshot"];
    evolve(&mut client, "double", "x => x * 20", &json!([]))?;
    evolve(&mut client, "later", "x => x", &json!([]))?;
    let within = json!({"code": "@double(1)", "snapshot": snapshot});
    assert_eq!(record(&mut client, "run", &within)?["value"], 2);
    let within = json!({"code": "@later(1)", "snapshot": snapshot});
    assert_eq!(code(&mut client, "run", &within)?, "unknown-tool");
    let names = |list: Value| -> Vec<String> {
        let tools = list["tools"].as_array().cloned().unwrap_or_default();
        tools.iter().map(|it| it["name"].as_str().unwrap_or_default().to_owned()).collect()
    };
    let all = record(&mut client, "list", &json!({ "snapshot": snapshot }))?;
    assert_eq!(all["total"], 3);
    assert_eq!(names(all), ["double", "new", "quad"]);
    Ok(())
}

#[test]
fn operations_apply_in_order_and_all_or_none() -> Result<()> {
    let folder = Folder::new()?;
    let mut client = begin(folder.path(), &[])?;
    let fault = client.fault(
        "stage",
        &json!({"operations": [tool("a", "x => x"), {"retire": "nothing"}, tool("b", "x => x")]}),
    )?;
    let message = fault["message"].as_str().unwrap_or_default();
    ensure!(fault["code"] == "unknown-tool" && message.starts_with("operation 1:"), "{fault}");
    assert_eq!(record(&mut client, "stage", &json!({}))?["snapshots"], json!([]));
    for (operation, wanted) in [
        (json!({"evolve": {"name": "a"}}), "malformed"),
        (json!({"evolve": {"name": "a", "description": "", "code": "x =>"}}), "unparsable"),
        (json!({"evolve": {"name": "run", "description": "", "code": "1"}}), "malformed"),
        (json!({"rename": ["double"]}), "malformed"),
        (json!({"rename": ["double", "quad"]}), "malformed"),
        (json!({"rename": ["nothing", "else"]}), "unknown-tool"),
        (json!({"rollback": {"tool": "double", "revision": "00000000"}}), "malformed"),
        (json!({"memory": {"key": "k"}}), "malformed"),
        (json!({"what": 1}), "malformed"),
        (json!(1), "malformed"),
    ] {
        let fault = client.fault("stage", &json!({"operations": [operation]}))?;
        assert_eq!(fault["code"], wanted, "{operation}: {fault}");
        let has_hint = fault["hint"].is_string() || operation.to_string().contains("\"run\"");
        ensure!(has_hint || wanted == "unknown-tool", "{operation}: {fault}");
    }
    // An example that fails is a warning; the verification decides.
    let bad = json!({"evolve": {"name": "a", "description": "a", "code": "x => x",
        "examples": [{"input": 1, "output": 2}]}});
    let staged = record(&mut client, "stage", &json!({"operations": [bad]}))?;
    ensure!(staged["warnings"].to_string().contains("example 0 of `a` fails"), "{staged}");
    let snapshot = &staged["snapshot"];
    let verified = record(&mut client, "verify", &json!({ "snapshot": snapshot }))?;
    assert_eq!(verified["passed"], false);
    assert_eq!(verified["tools"][0]["examples"]["failed"][0]["example"], 0);
    assert_eq!(code(&mut client, "commit", &json!({ "snapshot": snapshot }))?, "unverified");
    // What comes later sees what came before, and the last state counts.
    let more = json!({"snapshot": snapshot, "operations": [
        tool("a", "x => x + 1"),
        {"retire": "quad"},
        tool("quad", "x => 4 * x"),
    ]});
    record(&mut client, "stage", &more)?;
    assert_eq!(
        record(&mut client, "run", &json!({"code": "@a(1) + @quad(1)", "snapshot": snapshot}))?["value"],
        6
    );
    Ok(())
}

#[test]
fn a_rename_carries_over_all_callers() -> Result<()> {
    let folder = Folder::new()?;
    let mut client = begin(folder.path(), &[])?;
    evolve(&mut client, "told", "x => [@double(x), \"double\", quote(@double(1))]", &json!([]))?;
    evolve(&mut client, "chain", "x => if (x > 9) x else @chain(@double(x))", &json!([])).or_else(
        |_| evolve(&mut client, "chain", "x => x > 9 ? x : @chain(@double(x))", &json!([])),
    )?;
    record(&mut client, "session_eval", &json!({"define": "f", "code": "x => @double(x)"}))?;
    let staged =
        record(&mut client, "stage", &json!({"operations": [{"rename": ["double", "twice"]}]}))?;
    let snapshot = staged["snapshot"].clone();
    let warnings = staged["warnings"].to_string();
    ensure!(warnings.contains("`told` names `double` in a quote"), "{warnings}");
    ensure!(warnings.contains("`f` of the session"), "{warnings}");
    let within = |code: &str| json!({"code": code, "snapshot": snapshot});
    assert_eq!(
        record(&mut client, "run", &within("@quad(1) + @twice(1) + @chain(3)"))?["value"],
        18
    );
    assert_eq!(code(&mut client, "run", &within("@double(1)"))?, "unknown-tool");
    let seen = record(&mut client, "inspect", &json!({"tool": "quad", "snapshot": snapshot}))?;
    assert_eq!(seen["notation"], "x => @twice(@twice(x))");
    let verified = record(&mut client, "verify", &json!({ "snapshot": snapshot }))?;
    assert_eq!(verified["passed"], true, "{verified}");
    let done = record(&mut client, "commit", &json!({ "snapshot": snapshot }))?;
    // What a commit tells is compared with what was before it, not with its own operations.
    let told: Vec<(&Value, &Value)> = done["changes"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|it| (&it["tool"], &it["status"]))
        .collect();
    ensure!(told.contains(&(&json!("quad"), &json!("changed"))), "{done}");
    ensure!(told.contains(&(&json!("double"), &json!("retired"))), "{done}");
    ensure!(told.contains(&(&json!("twice"), &json!("new"))), "{done}");
    assert_eq!(record(&mut client, "run", &json!({"code": "@quad(1)"}))?["value"], 4);
    // A pin names a revision of the old name, which the new one does not have.
    let revision = record(&mut client, "inspect", &json!({"tool": "twice"}))?["revision"].clone();
    let short = revision.as_str().and_then(|it| it.get(..12)).context("a revision")?;
    evolve(&mut client, "pinned", &format!("x => @\"twice@{short}\"(x)"), &json!([]))?;
    let fault = client.fault("stage", &json!({"operations": [{"rename": ["twice", "dup"]}]}))?;
    ensure!(fault["message"].to_string().contains("`pinned` names a revision"), "{fault}");
    Ok(())
}

#[test]
fn a_rename_reaches_into_properties() -> Result<()> {
    let folder = Folder::new()?;
    let mut client = begin(folder.path(), &[])?;
    client.evolve("again", "", &json!("xs => [...xs, ...xs]"))?;
    // One that calls the tool, one that does not, the tool itself, and one that only has its name in a text.
    let tools = [
        ("four", "xs => @again(@again(xs))", "xs => @self([1]).length == @again([1]).length * 2"),
        ("plus", "xs => xs.concat(xs)", "xs => @self([1]).length == @again([1]).length"),
        ("again", "xs => [...xs, ...xs]", "xs => @again([1]) == @self([1])"),
        ("apart", "x => x", "n => [@self(n), \"again\"].length == 2"),
    ];
    for (name, code, property) in tools {
        let tool =
            json!({"name": name, "description": name, "code": code, "properties": [property]});
        record(&mut client, "evolve", &tool)?;
    }
    let staged =
        record(&mut client, "stage", &json!({"operations": [{"rename": ["again", "twice"]}]}))?;
    let snapshot = staged["snapshot"].clone();
    let verified = record(&mut client, "verify", &json!({ "snapshot": snapshot }))?;
    assert_eq!(verified["passed"], true, "{verified}");
    record(&mut client, "commit", &json!({ "snapshot": snapshot }))?;
    for (name, has) in
        [("four", "@twice("), ("plus", "@twice("), ("twice", "@twice("), ("apart", "\\\"again\\\"")]
    {
        let seen = record(&mut client, "inspect", &json!({ "tool": name }))?;
        let properties = seen["properties"].as_str().context("`properties`")?;
        ensure!(properties.contains(has) && !properties.contains("@again"), "{name}: {properties}");
    }
    Ok(())
}

#[test]
fn a_verification_runs_all_that_depends_on_the_changes() -> Result<()> {
    let folder = Folder::new()?;
    let mut client = begin(folder.path(), &[])?;
    evolve(&mut client, "top", "x => @quad(x) + 1", &json!([{"input": 1, "output": 5}]))?;
    evolve(&mut client, "apart", "x => x", &json!([{"input": 1, "output": 1}]))?;
    let operations = json!([{"evolve": {"name": "double", "description": "d", "code": "x => x * 3",
        "examples": [{"input": 2, "output": 6}]}}]);
    let staged = record(&mut client, "stage", &json!({ "operations": operations }))?;
    let snapshot = staged["snapshot"].clone();
    let verified = record(&mut client, "verify", &json!({ "snapshot": snapshot }))?;
    assert_eq!(verified["passed"], false);
    let names: Vec<&str> = verified["dependents"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|it| it["tool"].as_str())
        .collect();
    assert_eq!(names, ["quad", "top"], "{verified}");
    let own = &verified["tools"][0];
    assert_eq!(own["examples"]["passed"], 1);
    ensure!(own["fuel"]["before"].as_u64() > Some(0) && own["fuel"]["after"].is_u64(), "{own}");
    let tests = json!(["ap*", {"tool": "apart", "input": 2, "output": 2}]);
    let asked = json!({"snapshot": snapshot, "tests": tests});
    let verified = record(&mut client, "verify", &asked)?;
    assert_eq!(verified["tests"][0]["tool"], "apart", "{verified}");
    assert_eq!(verified["tests"][0]["examples"]["passed"], 2, "{verified}");
    // A tool that goes leaves a fault in those that call it, with or without examples.
    let retired = record(&mut client, "stage", &json!({"operations": [{"retire": "quad"}]}))?;
    ensure!(retired["warnings"].to_string().contains("still called by `top`"), "{retired}");
    let asked = json!({"snapshot": retired["snapshot"]});
    let verified = record(&mut client, "verify", &asked)?;
    ensure!(verified["passed"] == false, "{verified}");
    assert_eq!(verified["dependents"][0]["faults"][0]["code"], "unknown-tool", "{verified}");
    // What is forced counts, and the journal says so.
    record(&mut client, "commit", &json!({"snapshot": retired["snapshot"], "force": true}))?;
    let entries = record(&mut client, "journal_recent", &json!({"kind": "commit"}))?;
    ensure!(entries["entries"][0]["request"].to_string().contains("forced"), "{entries}");
    Ok(())
}

#[test]
fn what_changed_since_is_a_conflict() -> Result<()> {
    let folder = Folder::new()?;
    // What happens between staging and committing, and whether it matters to a change of `double`.
    for (what, matters) in [
        (tool("double", "x => x + x"), true),
        (tool("quad", "x => 4 * x"), true),
        (tool("caller", "x => @quad(x)"), true),
        (tool("base", "x => x"), true),
        (tool("alone", "x => x"), false),
    ] {
        let data = folder.path().join(what.to_string().len().to_string() + &matters.to_string());
        let mut client = begin(&data, &[])?;
        evolve(&mut client, "base", "x => x * 1", &json!([]))?;
        let change = json!({"operations": [tool("double", "x => @base(x) * 2")]});
        let snapshot = record(&mut client, "stage", &change)?["snapshot"].clone();
        record(&mut client, "verify", &json!({ "snapshot": snapshot }))?;
        record(&mut client, "evolve", &what["evolve"])?;
        let told = client.call("commit", &json!({ "snapshot": snapshot }))?;
        let fault = &told["structuredContent"];
        if !matters {
            ensure!(told["isError"] != true, "{what}: {told}");
            continue;
        }
        ensure!(fault["code"] == "conflict", "{what}: {told}");
        let name = what["evolve"]["name"].as_str().context("a name")?;
        ensure!(fault["message"].to_string().contains(name), "{fault}");
        record(&mut client, "stage", &json!({"snapshot": snapshot, "rebase": true}))?;
        assert_eq!(code(&mut client, "commit", &json!({ "snapshot": snapshot }))?, "unverified");
        record(&mut client, "verify", &json!({ "snapshot": snapshot }))?;
        record(&mut client, "commit", &json!({ "snapshot": snapshot }))?;
        assert_eq!(record(&mut client, "run", &json!({"code": "@double(4)"}))?["value"], 8);
    }
    let mut client = begin(folder.path(), &[])?;
    let change = json!({"operations": [{"memory": {"key": "k", "value": 1}}]});
    let snapshot = record(&mut client, "stage", &change)?["snapshot"].clone();
    record(&mut client, "memory_store", &json!({"key": "k", "value": 2}))?;
    record(&mut client, "verify", &json!({ "snapshot": snapshot }))?;
    assert_eq!(code(&mut client, "commit", &json!({ "snapshot": snapshot }))?, "conflict");
    Ok(())
}

/// An outcome that is staged shows in the snapshot, and counts with its commit.
#[test]
fn outcomes_are_staged() -> Result<()> {
    let folder = Folder::new()?;
    let mut client = server(folder.path(), &[])?;
    let context = "report of invoices";
    let note = json!({"key": "sum", "value": 1, "context": context});
    record(&mut client, "memory_store", &note)?;
    let confidence = |client: &mut Client, snapshot: &Value| -> Result<Value> {
        let mut asked = json!({"context": context});
        if !snapshot.is_null() {
            asked["snapshot"] = snapshot.clone();
        }
        Ok(record(client, "memory_retrieve", &asked)?["entries"][0]["confidence"].clone())
    };
    let outcome = |key: &str, outcome: &str| json!({"memory": {"key": key, "outcome": outcome}});
    let operations =
        json!([outcome("sum", "helped"), outcome("sum", "failed"), outcome("sum", "helped")]);
    let staged = record(&mut client, "stage", &json!({"operations": operations}))?;
    let snapshot = staged["snapshot"].clone();
    // (2 · 0.8 + 2) ÷ (2 + 3)
    assert_eq!(confidence(&mut client, &snapshot)?, json!(0.72));
    assert_eq!(confidence(&mut client, &Value::Null)?, json!(0.8));
    record(&mut client, "verify", &json!({"snapshot": snapshot}))?;
    record(&mut client, "commit", &json!({"snapshot": snapshot}))?;
    assert_eq!(confidence(&mut client, &Value::Null)?, json!(0.72));
    let unknown = json!({"operations": [outcome("none", "helped")]});
    assert_eq!(code(&mut client, "stage", &unknown)?, "unknown-key");
    // An entry of the snapshot itself has outcomes, too.
    let new = json!([{"memory": {"key": "new", "value": 2, "context": "weather"}}, outcome("new", "failed")]);
    let snapshot = record(&mut client, "stage", &json!({"operations": new}))?["snapshot"].clone();
    record(&mut client, "verify", &json!({"snapshot": snapshot}))?;
    record(&mut client, "commit", &json!({"snapshot": snapshot}))?;
    let found = record(&mut client, "memory_retrieve", &json!({"context": "weather"}))?;
    ensure!(found["entries"][0]["confidence"].as_f64().is_some_and(|it| it < 0.6), "{found}");
    Ok(())
}

#[test]
fn runs_in_a_snapshot_replay_equal_when_it_is_gone() -> Result<()> {
    let folder = Folder::new()?;
    let mut client = begin(folder.path(), &[])?;
    let schema = json!({"type": "integer"});
    let change = json!({"operations": [{"evolve": {"name": "triple", "description": "t",
        "code": "x => x * 3", "output_schema": schema}}]});
    let mut entries = Vec::new();
    for ends in ["discard", "commit"] {
        let snapshot = record(&mut client, "stage", &change)?["snapshot"].clone();
        for arguments in [
            json!({"code": "@triple(2)", "snapshot": snapshot}),
            json!({"tool": "triple", "input": 5, "snapshot": snapshot}),
            json!({"tool": "triple", "data": 0.5, "snapshot": snapshot}),
        ] {
            client.call("run", &arguments)?;
            let last = record(&mut client, "journal_recent", &json!({"kind": "run", "limit": 1}))?;
            assert_eq!(last["entries"][0]["request"]["snapshot"], snapshot, "{last}");
            entries.push(last["entries"][0]["entry"].clone());
        }
        record(&mut client, ends, &json!({"snapshot": snapshot, "force": true}))
            .or_else(|_| record(&mut client, ends, &json!({ "snapshot": snapshot })))?;
    }
    drop(client);
    let mut client = server(folder.path(), &[])?;
    for entry in &entries {
        let verdict = record(&mut client, "replay", &json!({ "entry": entry }))?;
        assert_eq!(verdict["verdict"], "equal", "{verdict}");
    }
    Ok(())
}

#[test]
fn snapshots_survive_the_server_and_have_one_owner() -> Result<()> {
    let folder = Folder::new()?;
    let mut client = begin(folder.path(), &[])?;
    let staged = record(&mut client, "stage", &json!({"operations": [tool("new", "x => x")]}))?;
    drop(client);
    let mut client = server(folder.path(), &[])?;
    let within = json!({"code": "@new(1)", "snapshot": staged["snapshot"]});
    assert_eq!(record(&mut client, "run", &within)?["value"], 1);
    let listed = record(&mut client, "stage", &json!({}))?;
    assert_eq!(listed["snapshots"][0]["tools"], json!(["new"]), "{listed}");
    record(&mut client, "discard", &json!({"snapshot": staged["snapshot"]}))?;
    for tool in ["verify", "commit", "discard"] {
        let fault = code(&mut client, tool, &json!({"snapshot": staged["snapshot"]}))?;
        assert_eq!(fault, "unknown-snapshot", "{tool}");
    }
    assert_eq!(code(&mut client, "run", &within)?, "unknown-snapshot");
    Ok(())
}

#[test]
fn snapshots_end_by_themselves() -> Result<()> {
    let folder = Folder::new()?;
    let mut client = begin(folder.path(), &["--snapshot-life", "300ms"])?;
    let staged = record(&mut client, "stage", &json!({"operations": [tool("new", "x => x")]}))?;
    sleep(Duration::from_millis(400));
    let within = json!({"code": "@new(1)", "snapshot": staged["snapshot"]});
    assert_eq!(code(&mut client, "run", &within)?, "unknown-snapshot");
    assert_eq!(record(&mut client, "stage", &json!({}))?["snapshots"], json!([]));
    Ok(())
}

#[test]
fn holds_so_many_snapshots_and_operations() -> Result<()> {
    let folder = Folder::new()?;
    let more = ["--snapshots", "2", "--snapshot-operations", "3"];
    let mut client = begin(folder.path(), &more)?;
    let one = json!({"operations": [tool("a", "1")]});
    let first = record(&mut client, "stage", &one)?["snapshot"].clone();
    record(&mut client, "stage", &one)?;
    let fault = client.fault("stage", &one)?;
    assert_eq!(
        (&fault["code"], &fault["limit"]["name"]),
        (&json!("snapshot-limit"), &json!("snapshots"))
    );
    let many =
        json!({"snapshot": first, "operations": [tool("b", "1"), tool("c", "1"), tool("d", "1")]});
    let fault = client.fault("stage", &many)?;
    assert_eq!(fault["limit"]["name"], "snapshot_operations", "{fault}");
    record(&mut client, "discard", &json!({ "snapshot": first }))?;
    record(&mut client, "stage", &one)?;
    Ok(())
}

#[test]
fn a_server_can_take_changes_only_staged() -> Result<()> {
    let folder = Folder::new()?;
    let mut client = begin(folder.path(), &[])?;
    let exported = client.call("inspect", &json!({"tool": "double"}))?;
    ensure!(exported["isError"] != true, "{exported}");
    drop(client);
    let data = folder.path().to_str().context("a path")?.to_owned();
    let mut client = Client::legacy_with(&["--data", &data, "--require-staging"])?;
    let change = json!({"name": "double", "description": "d", "code": "x => x + x"});
    for (tool, arguments) in
        [("evolve", change.clone()), ("rollback", json!({"tool": "double", "retire": true}))]
    {
        let fault = client.fault(tool, &arguments)?;
        ensure!(fault["code"] == "unverified", "{fault}");
        ensure!(fault["hint"].to_string().contains("`stage`"), "{fault}");
    }
    // A new tool breaks nothing.
    record(&mut client, "evolve", &json!({"name": "new", "description": "n", "code": "x => x"}))?;
    let staged = json!({"operations": [{"evolve": change}], "auto_commit": true});
    let done = record(&mut client, "stage", &staged)?;
    assert_eq!(done["committed"], true, "{done}");
    let broken = json!({"operations": [tool("double", "x => x")], "auto_commit": true});
    let kept = record(&mut client, "stage", &broken)?;
    assert_eq!(kept["committed"], false, "{kept}");
    assert_eq!(record(&mut client, "run", &json!({"code": "@quad(1)"}))?["value"], 4);
    Ok(())
}

#[test]
fn the_argument_belongs_to_the_set() -> Result<()> {
    let mut client = Client::legacy()?;
    for (tool, arguments) in [
        ("run", json!({"code": "1", "snapshot": 1})),
        ("check", json!({"code": "1", "snapshot": 1})),
        ("list", json!({"snapshot": 1})),
        ("inspect", json!({"tool": "a", "snapshot": 1})),
        ("session_eval", json!({"code": "1", "snapshot": 1})),
        ("memory_retrieve", json!({"key": "k", "snapshot": 1})),
    ] {
        let fault = client.fault(tool, &arguments)?;
        ensure!(fault["message"].to_string().contains("`staging`"), "{tool}: {fault}");
    }
    let list = client.request("tools/list", &json!({}))?.to_string();
    ensure!(!list.contains("snapshot"), "{list}");
    let mut client = Client::legacy_with(&["--toolsets", SETS])?;
    let list = client.request("tools/list", &json!({}))?.to_string();
    assert_eq!(list.matches("the number of a snapshot").count(), 6);
    Ok(())
}

#[test]
fn examples_that_never_end_do_not_hold_the_server() -> Result<()> {
    let mut client = Client::legacy_with(&["--toolsets", SETS, "--wall-clock", "1s"])?;
    let change = |count: usize| {
        let examples = vec![json!({"input": 1, "output": 1}); count];
        json!({"evolve": {"name": "l", "description": "", "code": "x => self(x)", "examples": examples}})
    };
    let fault = client.fault("stage", &json!({"operations": [change(65)]}))?;
    ensure!(fault["message"].to_string().contains("65 examples"), "{fault}");
    let many = vec![change(64); 20];
    assert_eq!(code(&mut client, "stage", &json!({ "operations": many }))?, "timeout");
    Ok(())
}
