//! The journal: what is in it, who finds what there, and whether tampering shows.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use pif_domain::text::time;
use pif_store::journal::{Entry, Hash};
use serde_json::{Value, json};

use super::chain::head;
use super::client::{Client, text};
use super::kept::{Kept, double};

/// An entry each of every kind of call.
pub(super) fn some_of_everything(client: &mut Client) -> Result<()> {
    client.evolve("double", "Doubles", &double())?;
    client.text("run", &json!({"tool": "double", "input": 21}))?;
    client.text("double", &json!({"data": 4}))?;
    client.fault("run", &json!({"code": {"head": []}}))?;
    client.fault("run", &json!({"cod": 1}))?;
    client.fault("double", &json!({"inpt": 1}))?;
    client.fault("evolve", &json!({"name": "run", "description": "d", "code": 1}))?;
    client.fault("evolve", &json!({"name": "half", "description": "d", "code": {"div": [1]}}))?;
    // None of these does anything.
    for tool in ["list", "help", "server_info", "journal_recent"] {
        client.text(tool, &json!({}))?;
    }
    client.text("check", &json!({"code": 1}))?;
    client.text("replay", &json!({"entry": 2}))?;
    client.fault("journal_recent", &json!({"limit": 0}))?;
    client.fault("replay", &json!({"entry": 99}))?;
    Ok(())
}

fn recent(client: &mut Client, arguments: &Value) -> Result<Value> {
    let result = client.call("journal_recent", arguments)?;
    ensure!(result["isError"] == false, "{result}");
    Ok(result["structuredContent"].clone())
}

fn numbers(found: &Value) -> Vec<i64> {
    let entries = found["entries"].as_array().into_iter().flatten();
    entries.filter_map(|entry| entry["entry"].as_i64()).collect()
}

#[test]
fn every_call_that_does_something_is_an_entry() -> Result<()> {
    let mut client = Client::legacy()?;
    some_of_everything(&mut client)?;
    let found = recent(&mut client, &json!({}))?;
    let told = |entry: &Value| {
        let text = |name: &str| entry[name].as_str().unwrap_or("-").to_owned();
        [text("kind"), text("subject"), text("ending")].join(" ")
    };
    let entries = found["entries"].as_array().context("entries")?;
    let told: Vec<String> = entries.iter().rev().map(told).collect();
    assert_eq!(
        told,
        [
            "evolve double new",
            "run double value",
            "run double value",
            "run - empty-list",
            "refusal run malformed",
            "refusal double malformed",
            "evolve run malformed",
            "evolve half malformed",
        ]
    );
    let run = entries.iter().find(|entry| entry["entry"] == 2).context("the first run")?;
    assert_eq!(
        (&run["request"]["tool"], &run["request"]["input"]),
        (&json!("double"), &json!("21"))
    );
    assert_eq!((&run["outcome"]["value"], &run["fuel"]), (&json!("42"), &json!(9)));
    ensure!(run["micros"].as_u64() > Some(0), "{run}");
    let refusal = entries.iter().find(|entry| entry["entry"] == 5).context("the refusal")?;
    assert_eq!(refusal["request"]["arguments"], r#"{"cod":1}"#);
    assert_eq!(refusal["outcome"]["fault"]["hint"], "did you mean `code`?");
    Ok(())
}

#[test]
fn entries_are_told_in_lines_too() -> Result<()> {
    let mut client = Client::legacy_with(&["--profile", "slim"])?;
    some_of_everything(&mut client)?;
    let told = client.text("journal_recent", &json!({"limit": 7}))?;
    ensure!(told.ends_with("\nthere is more: pass `before` 2"), "{told}");
    // Below the line of an entry stand its request and its outcome.
    let (lines, payload): (Vec<&str>, Vec<&str>) =
        told.lines().partition(|line| !line.starts_with("  "));
    ensure!(lines.len() == 8 && payload.iter().any(|it| it.starts_with("  request: ")), "{told}");
    ensure!(payload.iter().any(|it| it.starts_with("  outcome: {\"value\":")), "{told}");
    ensure!(
        lines[0].starts_with("8 20") && lines[0].ends_with("Z evolve `half`: malformed"),
        "{told}"
    );
    ensure!(lines[6].contains("Z run `double`: value, 9 fuel, "), "{told}");
    Ok(())
}

#[test]
fn filters_and_pages() -> Result<()> {
    let mut client = Client::legacy()?;
    some_of_everything(&mut client)?;
    let long_ago = "2000-01-01";
    for (arguments, expected, next) in [
        (json!({"kind": "run"}), &[4, 3, 2][..], None),
        (json!({"kind": "evolve"}), &[8, 7, 1], None),
        (json!({"tool": "double"}), &[6, 3, 2, 1], None),
        (json!({"tool": "double", "kind": "run"}), &[3, 2], None),
        (json!({"ending": "malformed"}), &[8, 7, 6, 5], None),
        (json!({"since": 7}), &[8, 7], None),
        (json!({"since": "7"}), &[8, 7], None),
        (json!({"since": long_ago, "before": 3}), &[2, 1], None),
        (json!({"since": "2999-01-01T00:00:00Z"}), &[], None),
        (json!({"limit": 2}), &[8, 7], Some(7)),
        (json!({"limit": 2, "before": 7}), &[6, 5], Some(5)),
        (json!({"limit": 2, "before": 3}), &[2, 1], None),
    ] {
        let found = recent(&mut client, &arguments)?;
        assert_eq!(numbers(&found), expected, "{arguments}");
        assert_eq!(found["next_before"].as_i64(), next, "{arguments}");
    }
    for (arguments, words) in [
        (json!({"limit": 101}), "1 to 100"),
        (json!({"kind": "runs"}), "did you mean `run`?"),
        (json!({"since": "yesterday"}), "2026-11-21T15:04:05Z"),
    ] {
        let fault = client.fault("journal_recent", &arguments)?;
        ensure!(fault.to_string().contains(words), "{arguments}: {fault}");
    }
    Ok(())
}

/// Whatever is in the entries: the reply stays within its bounds, hides nothing, and pages reach
/// each entry once.
#[test]
fn a_reply_is_bounded_and_plain() -> Result<()> {
    let mut client = Client::legacy_with(&["--max-result", "3000"])?;
    for length in [10, 300, 5_000, 20, 100_000] {
        let data = format!("{}\u{202e}\u{200b}", "x".repeat(length));
        client.call("run", &json!({"code": {"lam": "x", "body": {"var": "x"}}, "data": data}))?;
    }
    let (mut seen, mut before) = (Vec::new(), json!(null));
    loop {
        let result = client.call("journal_recent", &json!({"before": before}))?;
        let found = &result["structuredContent"];
        let size = found["entries"].to_string().chars().count() + text(&result)?.chars().count();
        ensure!(size <= 3_100, "{size}");
        ensure!(!result.to_string().contains(['\u{202e}', '\u{200b}']), "{result}");
        seen.extend(numbers(found));
        before = found["next_before"].clone();
        if before.is_null() {
            break;
        }
    }
    assert_eq!(seen, [5, 4, 3, 2, 1]);
    Ok(())
}

#[test]
fn the_command_line_shows_the_same() -> Result<()> {
    let kept = Kept::new()?;
    kept.session(some_of_everything)?;
    let all = kept.prints(&["journal"])?;
    ensure!(all.lines().count() == 8 && all.starts_with("1 20"), "{all}");
    ensure!(all.contains(" run `double`: value, 9 fuel, "), "{all}");
    assert_eq!(kept.execute_behind(&["journal"])?.output, all);
    assert_eq!(kept.prints(&["journal", "--limit", "2"])?.lines().count(), 2);
    assert_eq!(kept.prints(&["journal", "--kind", "run", "--tool", "double"])?.lines().count(), 2);
    let json = kept.prints(&["journal", "--json", "--kind", "refusal"])?;
    let entries = json.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>()?;
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[0]["outcome"]["fault"]["code"], "malformed");
    Ok(())
}

#[test]
fn a_store_that_is_not_there_is_named() -> Result<()> {
    for arguments in [
        &["journal"][..],
        &["journal", "verify"],
        &["journal", "export"],
        &["replay", "1"],
        &["export", "x"],
    ] {
        let kept = Kept::new()?;
        let errors = kept.complains(arguments)?;
        ensure!(errors.contains(&*kept.file().to_string_lossy()), "{arguments:?}: {errors}");
        ensure!(!kept.file().exists(), "{arguments:?} made a store");
    }
    Ok(())
}

/// A journal that is followed shows what other processes do, and ends quietly with its reader.
#[test]
fn following_shows_what_other_processes_do() -> Result<()> {
    let kept = Kept::new()?;
    kept.session(|client| client.evolve("double", "Doubles", &double()).map(drop))?;
    let mut command = kept.command(&["journal", "--follow", "--kind", "run"])?;
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut lines = BufReader::new(child.stdout.take().context("output")?).lines();
    let followed = kept.session(|client| {
        for n in 0..3 {
            client.text("double", &json!({"input": n}))?;
            let line = lines.next().context("it ended")??;
            ensure!(line.contains("run `double`: value"), "{line}");
        }
        // Nobody reads any more: the next entry ends it.
        drop(lines);
        client.text("double", &json!({"input": 3})).map(drop)
    });
    if followed.is_err() {
        child.kill()?;
    }
    let output = child.wait_with_output()?;
    followed?;
    ensure!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// What `journal export` prints is enough to follow the chain elsewhere.
#[test]
fn an_export_holds_all_there_is() -> Result<()> {
    let kept = Kept::new()?;
    kept.session(|client| {
        some_of_everything(client)?;
        client.call("run", &json!({"code": "\"\u{202e}\u{0}é\"", "fuel": 1_000})).map(drop)
    })?;
    let printed = kept.prints(&["journal", "export"])?;
    ensure!(!printed.contains('\u{202e}') && printed.contains("\\u202e"), "{printed}");
    let mut before = Hash([0; 32]);
    for (index, line) in kept.export()?.iter().enumerate() {
        let of_body = ["request", "answers", "outcome", "memory", "depth", "micros"];
        let body: serde_json::Map<String, Value> = of_body
            .into_iter()
            .filter_map(|name| Some((name.to_owned(), line.get(name)?.clone())))
            .collect();
        let text = |name: &str| line[name].as_str().map(str::to_owned);
        let entry = Entry {
            id: line["entry"].as_i64().context("a number")?,
            time: time::parse(&text("time").context("a time")?).context("a moment")?,
            kind: text("kind").context("a kind")?,
            subject: text("subject"),
            ending: text("ending").context("an ending")?,
            fuel: line["fuel"].as_i64(),
            component: text("component"),
            body: Value::Object(body).to_string(),
            ends: line["ends"].as_i64().context("a length")?,
            hash: Hash([0; 32]),
            principal: text("principal"),
            chain: 0,
        };
        before = entry.link(before);
        assert_eq!(text("hash"), Some(before.to_string()), "{index}: {line}");
    }
    ensure!(head(&kept)? == format!("9:{before}"));
    Ok(())
}

#[test]
fn a_policy_says_what_entries_keep() -> Result<()> {
    let long = "x".repeat(200);
    for (flags, reason) in [
        (&["--journal-payload", "summary"][..], "only a digest was kept"),
        (&["--journal-payload", "none"], "its request was not kept"),
        (&["--journal-entry", "100"], "only a digest was kept"),
        (&["--journal-entry", "0"], "only a digest was kept"),
    ] {
        let kept = Kept::new()?;
        kept.session_with(flags, |client| {
            client
                .text("run", &json!({"code": {"lam": "x", "body": {"var": "x"}}, "data": long}))?;
            let replayed = client.call("replay", &json!({"entry": 1}))?;
            let record = &replayed["structuredContent"];
            assert_eq!(
                (&replayed["isError"], &record["verdict"]),
                (&json!(false), &json!("skipped"))
            );
            ensure!(record["reason"].as_str().context("a reason")?.contains(reason), "{record}");
            Ok(())
        })?;
        ensure!(!kept.prints(&["journal", "export"])?.contains(&long), "{flags:?}");
        let entry = kept.export()?.into_iter().next().context("an entry")?;
        let digest = &entry["outcome"]["sha256"];
        assert_eq!(digest.is_string(), !flags.contains(&"none"), "{entry}");
        // Fuel and peaks are no payload.
        ensure!(entry["fuel"] == 6 && entry["memory"].as_u64() > Some(0), "{entry}");
        head(&kept)?;
        let all = kept.prints(&["replay", "--all"])?;
        ensure!(
            all.contains(reason) && all.ends_with("\n0 equal, 0 different, 1 skipped\n"),
            "{all}"
        );
    }
    Ok(())
}

/// The table of flags in host/docs/journal.md says what `--help` says.
#[test]
fn the_table_of_flags_is_true() -> Result<()> {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../host/docs/journal.md");
    let page = fs::read_to_string(page)?;
    let rows: Vec<&str> = page
        .lines()
        .skip_while(|line| !line.starts_with("| `--"))
        .take_while(|line| line.starts_with('|'))
        .collect();
    let help = Kept::new()?.execute_behind(&["--help"])?.output;
    let (_, help) = help.split_once("\nState:").context("no such section in the help")?;
    let (help, _) = help.split_once("\nSessions:").context("no section behind it")?;
    assert_eq!(rows.len(), help.matches("[env: MCP_PIF_").count(), "{help}");
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        let flag = cells[1].split(' ').next().context("a flag")?;
        let named = [format!("{flag} "), format!("{flag}\n")];
        let told = named.iter().find_map(|flag| help.split_once(flag.as_str()));
        let (_, told) = told.with_context(|| flag.to_owned())?;
        let told = told.split("\n      --").next().unwrap_or_default();
        let variable = flag.trim_start_matches('-').replace('-', "_").to_uppercase();
        ensure!(told.contains(&format!("[env: MCP_PIF_{variable}=")), "{flag}: {told}");
        if row.contains("| `full` |") || cells[2].ends_with("iB") {
            ensure!(told.contains(&format!("[default: {}]", cells[2])), "{flag}: {told}");
        }
    }
    Ok(())
}
