//! `repair`: the cases of `repair.json`, and what nobody may do with it.

use super::client::Client;
use super::folder::Folder;
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::thread;

const SETS: &str = "core,state,staging,work";

/// How many servers run cases at the same time.
const AT_ONCE: usize = 2;

#[derive(Deserialize)]
struct Cases {
    cases: Vec<Case>,
}

/// A case on a server of its own.
#[derive(Deserialize)]
struct Case {
    kind: String,
    name: String,
    /// Calls of tools that come first.
    before: Vec<(String, Value)>,
    /// The arguments of `repair`.
    repair: Value,
    /// Members of its record: `$absent` stands for none.
    expect: Value,
    /// Which of the first calls made the revision that is to be found.
    since: Option<usize>,
}

fn cases() -> Result<Vec<Case>> {
    let Cases { cases } = serde_json::from_str(include_str!("../../repair.json"))?;
    Ok(cases)
}

fn server(data: &Path) -> Result<Client> {
    let data = data.to_str().context("a path in UTF-8")?;
    Client::legacy_with(&["--toolsets", SETS, "--fuel", "100M", "--data", data])
}

/// The record of a call that succeeds.
fn record(client: &mut Client, tool: &str, arguments: &Value) -> Result<Value> {
    let told = client.call(tool, arguments)?;
    ensure!(told["isError"] != true, "{tool}: {told}");
    Ok(told["structuredContent"].clone())
}

/// Arguments, with the long lists that they describe.
fn whole(value: &Value) -> Value {
    match value {
        Value::Object(members) => match members.get("$many") {
            Some(many) => list(many),
            None => members.iter().map(|(name, it)| (name.clone(), whole(it))).collect(),
        },
        Value::Array(items) => items.iter().map(whole).collect(),
        _ => value.clone(),
    }
}

/// So many equal elements, with another one among them.
fn list(many: &Value) -> Value {
    let count = many["count"].as_u64().unwrap_or_default();
    let element = |n| if many["at"] == n { &many["other"] } else { &many["each"] };
    (0..count).map(|n| element(n).clone()).collect()
}

/// What a record lacks of what is expected.
fn lacking(expected: &Value, found: &Value, at: &str, all: &mut Vec<String>) {
    match expected {
        Value::Object(members) => {
            for (name, value) in members {
                lacking(value, &found[name], &format!("{at}/{name}"), all);
            }
        }
        Value::String(text) if text == "$absent" => {
            if !found.is_null() {
                all.push(format!("{at} is there"));
            }
        }
        _ if expected == found => {}
        _ => all.push(format!("{at}: {found}, and not {expected}")),
    }
}

/// What is wrong with a case.
fn run(case: &Case) -> Result<Vec<String>> {
    let folder = Folder::new()?;
    let mut client = server(folder.path())?;
    let mut revisions = Vec::new();
    for (tool, arguments) in &case.before {
        let told = client.call(tool, &whole(arguments))?;
        // Runs fail on purpose.
        ensure!(told["isError"] != true || tool == "run", "{tool}: {told}");
        revisions.push(told["structuredContent"]["revision"].clone());
    }
    let told = record(&mut client, "repair", &whole(&case.repair))?;
    let mut wrong = Vec::new();
    lacking(&case.expect, &told, "", &mut wrong);
    if let Some(since) = case.since {
        let (found, meant) = (&told["diagnosis"]["since"]["revision"], &revisions[since]);
        let short = |it: &Value| it.as_str().map(|it| it.chars().take(12).collect::<String>());
        if found.is_null() || short(found) != short(meant) {
            wrong.push(format!("the change is {found}, and not {meant}"));
        }
    }
    if !wrong.is_empty() {
        wrong.push(told.to_string());
    }
    Ok(wrong)
}

/// What is told of a case that does not come to what is expected.
fn complaint(case: &Case) -> Option<String> {
    let wrong = match run(case) {
        Ok(wrong) => wrong.join("\n  "),
        Err(error) => format!("{error:#}"),
    };
    (!wrong.is_empty()).then(|| format!("{}, {}: {wrong}", case.kind, case.name))
}

#[test]
fn the_prepared_cases_come_to_what_is_expected() -> Result<()> {
    let cases = cases()?;
    ensure!(cases.len() >= 50, "{} cases", cases.len());
    let wrong: Vec<String> = thread::scope(|scope| {
        let chunks = cases.chunks(cases.len().div_ceil(AT_ONCE));
        let threads: Vec<_> = chunks
            .map(|chunk| {
                scope.spawn(move || chunk.iter().filter_map(complaint).collect::<Vec<_>>())
            })
            .collect();
        threads
            .into_iter()
            .flat_map(|it| it.join().unwrap_or_else(|_| vec!["panic".to_owned()]))
            .collect()
    });
    ensure!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    Ok(())
}

/// A server with a tool whose last revision fails for records without `price`.
fn begin(data: &Path) -> Result<Client> {
    let mut client = server(data)?;
    for code in ["p => p / 2", "p => p.price / 2"] {
        client.evolve("net", "Half", &json!(code))?;
    }
    client.evolve("invoice", "Sum", &json!("ps => ps.map(p => @net(p)).sum()"))?;
    Ok(client)
}

#[test]
fn a_repaired_tool_counts_only_after_a_commit() -> Result<()> {
    let folder = Folder::new()?;
    let mut client = server(folder.path())?;
    client.evolve("shout", "Louder", &json!("o => o.nmae.upper()"))?;
    let about = json!({"tool": "shout", "data": {"name": "hi"}});
    let told = record(&mut client, "repair", &about)?;
    let snapshot = told["snapshot"].clone();
    assert_eq!(
        (&told["repaired"], &told["tools"]["shout"]),
        (&json!(true), &json!("o => o.name.upper()"))
    );
    assert_eq!(client.fault("run", &about)?["code"], "missing-key");
    let within = json!({"tool": "shout", "data": {"name": "hi"}, "snapshot": snapshot});
    assert_eq!(record(&mut client, "run", &within)?["value"], "HI");
    assert_eq!(record(&mut client, "verify", &json!({"snapshot": snapshot}))?["passed"], true);
    record(&mut client, "commit", &json!({"snapshot": snapshot}))?;
    assert_eq!(record(&mut client, "run", &about)?["value"], "HI");
    // Its older name means it, too.
    let told = record(&mut client, "reflexion_fix", &about)?;
    assert_eq!((&told["repaired"], &told["fault"]), (&json!(false), &Value::Null));
    Ok(())
}

#[test]
fn equal_requests_have_equal_answers() -> Result<()> {
    let folder = Folder::new()?;
    let mut client = begin(folder.path())?;
    let about = json!({"tool": "invoice", "data": [{"price": 2}, 3, {"price": 4}]});
    let first = record(&mut client, "repair", &about)?;
    assert_eq!(first["diagnosis"]["input"]["json"], "[0]");
    for _ in 0..2 {
        assert_eq!(record(&mut client, "repair", &about)?, first);
    }
    // Nothing of the search is journaled.
    let entries = record(&mut client, "journal_recent", &json!({"limit": 50}))?;
    let kinds: Vec<&Value> =
        entries["entries"].as_array().context("entries")?.iter().map(|it| &it["kind"]).collect();
    assert_eq!(kinds, ["evolve"; 3]);
    Ok(())
}

#[test]
fn what_is_hostile_ends_soon_and_honestly() -> Result<()> {
    let folder = Folder::new()?;
    let mut client = begin(folder.path())?;
    let numbers: Vec<Value> = (0..90_000).map(|n| json!(format!("{n:06}"))).collect();
    let long: Vec<Value> = numbers.into_iter().chain([json!(7)]).collect();
    let about = json!({"code": "data.map(t => t.lower())", "data": long});
    let told = record(&mut client, "repair", &about)?;
    assert_eq!(
        (&told["repaired"], &told["fault"]["code"]),
        (&json!(false), &json!("type-mismatch"))
    );
    let text = "x".repeat(1_000_000);
    let told = record(&mut client, "repair", &json!({"code": "data * 2", "data": text}))?;
    assert_eq!(told["diagnosis"]["input"], json!({"json": "\"\"", "least": true}));
    let omega = json!({"code": "(x => x(x))(x => x(x))", "data": [1, 2, 3]});
    let told = record(&mut client, "repair", &omega)?;
    assert_eq!(told["fault"]["code"], "out-of-fuel");
    let deep = format!("{}1{}", "[".repeat(60), "]".repeat(60));
    let deep: Value = serde_json::from_str(&deep)?;
    record(&mut client, "repair", &json!({"code": "data.x", "data": deep}))?;
    for (about, code) in [
        (json!({"tool": "nobody"}), "unknown-tool"),
        (json!({"run": 99}), "unknown-entry"),
        (json!({"run": 1}), "malformed"),
        (json!({}), "malformed"),
        (json!({"code": "1", "tool": "net"}), "malformed"),
        (json!({"code": "1", "error": 5}), "malformed"),
        (json!({"code": "1", "examples": 5}), "malformed"),
        (json!({"tool": "net", "context": {"a": 1}}), "malformed"),
    ] {
        assert_eq!(client.fault("repair", &about)?["code"], code, "{about}");
    }
    // The run of a tool that was retired since.
    let failed = client.fault("run", &json!({"tool": "net", "data": 1}))?;
    ensure!(failed["code"] == "type-mismatch", "{failed}");
    record(&mut client, "rollback", &json!({"tool": "net", "retire": true}))?;
    let entries = record(&mut client, "journal_recent", &json!({"kind": "run", "limit": 1}))?;
    let run = &entries["entries"][0]["entry"];
    let told = record(&mut client, "repair", &json!({"run": run}))?;
    assert_eq!(told["fault"]["code"], "unknown-tool");
    assert_eq!(told["diagnosis"]["since"]["tool"], "net");
    Ok(())
}

#[test]
fn a_trimmed_journal_is_said() -> Result<()> {
    let folder = Folder::new()?;
    let data = folder.path().to_str().context("a path in UTF-8")?.to_owned();
    let mut client =
        Client::legacy_with(&["--toolsets", SETS, "--data", &data, "--journal-size", "1MiB"])?;
    client.evolve("inc", "More", &json!("x => x.n + 1"))?;
    client.fault("run", &json!({"tool": "inc", "data": {}}))?;
    let pad = "x".repeat(50_000);
    for n in 0..40 {
        record(&mut client, "run", &json!({"tool": "inc", "data": {"n": n, "pad": pad}}))?;
    }
    assert_eq!(client.fault("repair", &json!({"run": 2}))?["code"], "unknown-entry");
    let told = record(&mut client, "repair", &json!({"tool": "inc"}))?;
    // Without an argument the tool is no run that fails: its value is the function.
    assert_eq!(told["fault"], Value::Null);
    let told = record(&mut client, "repair", &json!({"tool": "inc", "data": {}}))?;
    assert_eq!(told["diagnosis"]["since"]["tool"], "inc");
    Ok(())
}

/// The example of the page.
#[test]
fn the_page_shows_what_happens() -> Result<()> {
    let page = include_str!("../../../host/docs/repair.md");
    let folder = Folder::new()?;
    let mut client = server(folder.path())?;
    let mut calls = 0;
    for block in page.split("```text\n").skip(1) {
        let block = block.split("```").next().unwrap_or_default();
        for call in block.split("→ ").skip(1) {
            let (asked, told) = call.split_once("← ").unwrap_or((call, ""));
            let (tool, arguments) = asked.trim().split_once(' ').context("a call")?;
            let arguments: Map<String, Value> = serde_json::from_str(arguments)?;
            let answer = client.call(tool, &arguments.into())?;
            let text = answer["content"][0]["text"].as_str().context("a text")?;
            // A moment is another one in each run.
            let plain = |text: &str| {
                let lines = text.lines().map(|line| match line.split_once(" (entry ") {
                    Some((before, _)) => before.trim().to_owned(),
                    None => line.trim().to_owned(),
                });
                lines.collect::<Vec<_>>().join("\n").trim().to_owned()
            };
            if !told.is_empty() {
                assert_eq!(plain(text), plain(told), "{asked}");
            }
            calls += 1;
        }
    }
    ensure!(calls > 3, "{calls}");
    Ok(())
}
