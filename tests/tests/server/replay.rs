//! Replays: whatever was run comes out the same, whatever has changed since; and where it does
//! not, each difference is told.

use super::client::{Client, text};
use super::kept::{Kept, double, run};
use super::text::{OMEGA, identity};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

/// The entry of the last run.
fn last(client: &mut Client) -> Result<i64> {
    let found = client.call("journal_recent", &json!({"kind": "run", "limit": 1}))?;
    let entry = &found["structuredContent"]["entries"][0]["entry"];
    entry.as_i64().with_context(|| found.to_string())
}

fn replay(client: &mut Client, entry: i64) -> Result<Value> {
    let result = client.call("replay", &json!({"entry": entry}))?;
    ensure!(result["isError"] == false, "{result}");
    let record = result["structuredContent"].clone();
    ensure!(record["entry"] == entry, "{result}");
    Ok(record)
}

fn assert_equal(client: &mut Client, entry: i64) -> Result<()> {
    let record = replay(client, entry)?;
    ensure!(record == json!({"entry": entry, "verdict": "equal"}), "{record}");
    Ok(())
}

fn applied(tool: &str, argument: &Value) -> Value {
    json!({"app": {"func": {"tool": tool}, "arg": argument}})
}

/// A tool that continues until it has counted down.
fn countdown() -> Value {
    json!({"lam": "n", "body": {"if": {
        "cond": {"lte": [{"var": "n"}, 0]},
        "then": "done",
        "else": {"continue": {"input": {"sub": [{"var": "n"}, 1]}}},
    }}})
}

/// A text that is doubled so many times.
fn doubled(text: &str, times: usize) -> Value {
    let before = json!({"fst": {"var": "p"}});
    json!({"fold": [{"lam": "p", "body": {"concat": [before, before]}}, text, vec![0; times]]})
}

/// Arguments of `run`, and how that ends.
fn runs() -> Vec<(Value, &'static str)> {
    let omega: Value = serde_json::from_str(&OMEGA).unwrap_or_default();
    let deep = json!({"lam": "n", "body": {"add": [1, {"app": {"func": {"self": true}, "arg": {"var": "n"}}}]}});
    let mut fueled = omega.clone();
    fueled["fuel"] = json!(10_000);
    vec![
        (json!({"code": {"add": [1, 2]}}), "value"),
        (json!({"code": "double", "input": "[\"21\"]"}), "type-mismatch"),
        (json!({"code": identity(), "input": "{\"a\": \"1\"}"}), "value"),
        (json!({"code": identity(), "data": {"b": [1.50, 1e300, null], "a": "\u{202e}"}}), "value"),
        (json!({"code": {"add": [{"var": "a"}, 1]}, "context": {"a": 41}}), "value"),
        (json!({"code": {"trace": ["sum", {"add": [1, 3], "sub": [1, 1]}]}}), "value"),
        (json!({"code": {"trace": ["sum", {"add": [1, 2]}]}, "trace": true}), "value"),
        (json!({"code": {"lam": "x", "body": 1}}), "value"),
        (json!({"tool": "countdown", "input": 5}), "continuation"),
        (json!({"tool": "countdown", "input": 5, "step": 7}), "continuation"),
        (json!({"tool": "countdown", "input": 5, "max_steps": 2}), "continuation"),
        (json!({"tool": "countdown", "input": 50, "max_steps": 100}), "value"),
        (json!({"tool": "quadruple", "input": 5}), "value"),
        (json!({"tool": "quadruple", "input": "five"}), "type-mismatch"),
        (json!({"code": {"head": []}}), "empty-list"),
        (json!({"code": {"ad": [1, 2]}}), "unknown-form"),
        (json!({"code": {"div": [1]}}), "malformed"),
        (json!({"code": "{"}), "unparsable"),
        (fueled, "out-of-fuel"),
        (
            json!({"code": {"let": {"f": deep}, "in": applied("deep", &json!(1))}, "depth": 1_000}),
            "too-deep",
        ),
        (json!({"code": doubled("ab", 40), "memory": 2 << 20}), "too-large"),
        (json!({"code": {"code_of": "doubel"}}), "unknown-tool"),
        (json!({"code": applied("no_such_thing_at_all", &json!(1))}), "unknown-tool"),
        (json!({"code": {"perform": {"capability": "clock", "args": null}}}), "capability-denied"),
    ]
}

fn prepare(client: &mut Client) -> Result<()> {
    client.evolve("double", "Doubles", &double())?;
    let body = applied("double", &applied("double", &json!({"var": "x"})));
    client.evolve("quadruple", "Doubles twice", &json!({"lam": "x", "body": body}))?;
    client.evolve("countdown", "Counts down", &countdown())?;
    let deeper = json!({"app": {"func": {"self": true}, "arg": {"var": "n"}}});
    let deep = json!({"lam": "n", "body": {"add": [1, deeper]}});
    client.evolve("deep", "Never comes back", &deep).map(drop)
}

/// Every run is replayed three times: at once, in the same server after all tools have changed,
/// and in another process with other limits.
#[test]
fn whatever_was_run_comes_out_the_same() -> Result<()> {
    let kept = Kept::new()?;
    let mut entries = Vec::new();
    kept.session(|client| {
        prepare(client)?;
        for (arguments, ending) in runs() {
            client.call("run", &arguments)?;
            let entry = last(client)?;
            let found = client.call("journal_recent", &json!({"since": entry}))?;
            let found = &found["structuredContent"]["entries"][0];
            ensure!(found["ending"] == ending, "{arguments}: {found}");
            assert_equal(client, entry).with_context(|| arguments.to_string())?;
            entries.push(entry);
        }
        for name in ["double", "quadruple", "countdown", "deep"] {
            client.evolve(
                name,
                "Something else",
                &json!({"lam": "y", "body": "something else"}),
            )?;
        }
        client.evolve("doubel", "What was meant by nobody", &double())?;
        client.text("rollback", &json!({"tool": "deep", "retire": true}))?;
        for entry in &entries {
            assert_equal(client, *entry)?;
        }
        Ok(())
    })?;
    let flags = ["replay", "--all", "--fuel", "10", "--depth", "10", "--memory", "1MiB"];
    let all = kept.prints(&flags)?;
    let summary = format!("{} equal, 0 different, 10 skipped\n", entries.len());
    ensure!(all.ends_with(&summary), "{all}");
    for entry in &entries {
        ensure!(all.contains(&format!("{entry} equal\n")), "{entry}: {all}");
    }
    ensure!(all.starts_with("1 skipped: it is not a run: its kind is `evolve`\n"), "{all}");
    assert_eq!(
        kept.prints(&["replay", &entries[0].to_string()])?,
        format!("{} equal\n", entries[0])
    );
    Ok(())
}

#[test]
fn a_tool_that_changed_is_replayed_at_its_revision() -> Result<()> {
    let mut client = Client::legacy()?;
    prepare(&mut client)?;
    assert_eq!(client.text("run", &json!({"tool": "quadruple", "input": 5}))?, "20");
    let entry = last(&mut client)?;
    client.evolve("double", "Triples", &json!({"mul": [{"var": "x"}, 3]}))?;
    assert_eq!(client.text("run", &json!({"tool": "quadruple", "input": 5}))?, "45");
    assert_equal(&mut client, entry)?;
    let after = last(&mut client)?;
    client.text("rollback", &json!({"tool": "double", "retire": true}))?;
    assert_equal(&mut client, after)
}

/// The name that a hint proposes is part of what was answered then.
#[test]
fn hints_are_those_of_then() -> Result<()> {
    let mut client = Client::legacy()?;
    let fault = client.fault("run", &json!({"code": applied("doubel", &json!(1))}))?;
    ensure!(fault.get("hint").is_none_or(|hint| !hint.to_string().contains("double")), "{fault}");
    let before = last(&mut client)?;
    client.evolve("double", "Doubles", &double())?;
    let fault = client.fault("run", &json!({"code": applied("doubel", &json!(1))}))?;
    assert_eq!(fault["hint"], "did you mean `double`?");
    let after = last(&mut client)?;
    client.text("rollback", &json!({"tool": "double", "retire": true}))?;
    assert_equal(&mut client, before)?;
    assert_equal(&mut client, after)
}

#[test]
fn a_replay_leaves_no_trace() -> Result<()> {
    let kept = Kept::new()?;
    kept.session(|client| {
        prepare(client)?;
        run(client, &applied("double", &json!(1))).map(drop)
    })?;
    let before = kept.prints(&["journal", "verify"])?;
    kept.session(|client| assert_equal(client, 5))?;
    kept.prints(&["replay", "--all"])?;
    assert_eq!(kept.prints(&["journal", "verify"])?, before);
    Ok(())
}

/// What somebody wrote into the journal who can forge its chain, and the fields that tell.
#[expect(clippy::too_many_lines, reason = "a table")]
#[test]
fn differences_are_told_field_by_field() -> Result<()> {
    let whole = Kept::new()?;
    whole.session(|client| {
        prepare(client)?;
        client.text("run", &json!({"code": {"trace": ["sum", {"add": [1, 3], "sub": [1, 1]}]}}))?;
        client.fault("run", &json!({"tool": "quadruple", "input": "five"}))?;
        client.text("run", &json!({"tool": "countdown", "input": 5, "max_steps": 9}))?;
        client.text("run", &json!({"tool": "countdown", "input": 5}))?;
        client.fault("run", &json!({"code": {"add": [1, 2]}, "fuel": 2}))?;
        client.fault("run", &json!({"code": {"tool": "doubel"}})).map(drop)
    })?;
    let body = |from: &str, to: &str| format!("body = replace(body, '{from}', '{to}')");
    for (entry, change, fields) in [
        (5, body(r#""value":"4""#, r#""value":"5""#), &["value"][..]),
        (5, body(r#""kind":"integer""#, r#""kind":"float""#), &["kind"]),
        (5, body("sum: 4", "sum: 5"), &["trace"]),
        (5, body("ignored-key at", "ignored at"), &["warnings"]),
        (5, body("\"warnings\":[", "\"ignored\":["), &["ignored", "warnings"]),
        (5, "fuel = fuel + 1".to_owned(), &["fuel"]),
        (5, "body = json_set(body, '$.memory', 99)".to_owned(), &["memory"]),
        (7, "body = json_set(body, '$.depth', 99)".to_owned(), &["depth"]),
        (5, "ending = 'continuation'".to_owned(), &["ending"]),
        (6, body(r#""code":"type-mismatch""#, r#""code":"fail""#), &["fault.code"]),
        (6, body(r#""at":"/body/"#, r#""at":"/bodies/"#), &["fault.at"]),
        (6, body(r#""tool":"double","hint""#, r#""tool":"triple","hint""#), &["fault.tool"]),
        (10, body("did you mean", "is it"), &["fault.hint"]),
        (6, body("\"message\":\"the", "\"message\":\"a"), &["fault.message"]),
        (6, body(r#"["quadruple","double"]"#, r#"["double"]"#), &["fault.calls"]),
        (7, body("\"steps\":5", "\"steps\":6"), &["steps"]),
        (8, body("\\\"step\\\":1", "\\\"step\\\":2"), &["continuation"]),
        (9, body("\"used\":2", "\"used\":3"), &["fault.limit"]),
        (10, body("\"double\"", "\"doable\""), &["fault.hint"]),
        // What was answered is what is asked for; nobody asks for the other name.
        (
            6,
            body(r#"{"tool":["double","#, r#"{"tool":["triple","#),
            &[
                "answers",
                "ending",
                "fault.at",
                "fault.calls",
                "fault.code",
                "fault.excerpt",
                "fault.hint",
                "fault.message",
                "fault.tool",
            ],
        ),
    ] {
        let kept = whole.copy()?;
        kept.tamper(&format!("UPDATE entry SET {change} WHERE id = {entry}"))?;
        kept.forge()?;
        let printed = kept.execute(&["replay", &entry.to_string()], "")?;
        ensure!(printed.code == Some(1) && printed.errors.is_empty(), "{change}: {printed:?}");
        let mut lines = printed.output.lines();
        assert_eq!(lines.next(), Some(format!("{entry} different").as_str()), "{change}");
        let mut told: Vec<&str> = lines.filter_map(|line| line.trim().split(':').next()).collect();
        told.retain(|field| {
            !(fields.contains(&"answers") && matches!(*field, "fuel" | "depth" | "memory"))
        });
        told.sort_unstable();
        assert_eq!(told, fields, "{change}: {printed:?}");
    }
    Ok(())
}

#[test]
fn a_difference_shows_both_sides() -> Result<()> {
    let kept = Kept::new()?;
    kept.session(|client| run(client, &json!({"add": [1, 2]})).map(drop))?;
    kept.tamper(
        r#"UPDATE entry SET body = replace(body, '"value":"3"', '"value":"4"'), fuel = NULL"#,
    )?;
    kept.forge()?;
    let all = kept.execute(&["replay", "--all"], "")?;
    let told = "1 different\n  value: recorded 4, now 3\n  fuel: recorded nothing, now 3\n\
        0 equal, 1 different, 0 skipped\n";
    assert_eq!((all.code, all.output.as_str()), (Some(1), told));
    kept.session(|client| {
        let result = client.call("replay", &json!({"entry": 1}))?;
        let differences = json!([
            {"field": "value", "recorded": "4", "now": "3"},
            {"field": "fuel", "recorded": null, "now": 3},
        ]);
        assert_eq!(result["structuredContent"]["differences"], differences);
        ensure!(text(&result)?.contains("- value: recorded 4, now 3"), "{result}");
        Ok(())
    })
}

/// A result that was too long to keep is compared by its digest.
#[test]
fn long_results_are_compared_by_digest() -> Result<()> {
    let kept = Kept::new()?;
    let long = doubled("ab", 16);
    kept.session(|client| {
        run(client, &long)?;
        assert_equal(client, 1)
    })?;
    ensure!(kept.export()?[0]["outcome"]["sha256"].is_string());
    kept.tamper(r#"UPDATE entry SET body = replace(body, '"sha256":"', '"sha256":"0')"#)?;
    kept.forge()?;
    let printed = kept.execute(&["replay", "1"], "")?;
    ensure!(printed.output.starts_with("1 different\n  outcome: recorded {"), "{printed:?}");
    Ok(())
}

#[test]
fn an_entry_of_another_evaluator_is_replayed_and_that_is_said() -> Result<()> {
    let kept = Kept::new()?;
    kept.session(|client| run(client, &json!({"add": [1, 2]})).map(drop))?;
    let other = "ab".repeat(32);
    kept.tamper(&format!("UPDATE component SET hash = '{other}'"))?;
    kept.forge()?;
    let told = kept.prints(&["replay", "1"])?;
    assert_eq!(told, format!("1 equal (made with another evaluator, {other})\n"));
    kept.session(|client| {
        let record = replay(client, 1)?;
        assert_eq!(record, json!({"entry": 1, "verdict": "equal", "evaluator": other}));
        Ok(())
    })
}

/// A run that was stopped by a limit of the host's may end otherwise on another host.
#[test]
fn limits_of_the_host_are_not_replayed() -> Result<()> {
    let kept = Kept::new()?;
    kept.session(|client| {
        client.fault("run", &json!({"code": {"add": [1, 2]}, "fuel": 2}))?;
        assert_equal(client, 1)
    })?;
    for limit in ["instance_memory", "wasmtime_fuel"] {
        let copy = kept.copy()?;
        let sql = format!(
            r#"UPDATE entry SET body = replace(body, '"name":"fuel"', '"name":"{limit}"')"#
        );
        copy.tamper(&sql)?;
        copy.forge()?;
        let told = copy.prints(&["replay", "1"])?;
        ensure!(told.starts_with(&format!("1 skipped: it was stopped by `{limit}`")), "{told}");
    }
    Ok(())
}

/// Each entry that cannot be replayed says why.
#[test]
fn what_cannot_be_replayed_says_why() -> Result<()> {
    let kept = Kept::new()?;
    let flags = ["--fuel", "1000000G", "--fuel-ceiling", "1000000G", "--wall-clock", "200ms"];
    kept.session_with(&flags, |client| {
        prepare(client)?;
        client.fault("run", &json!({"cod": 1}))?;
        let omega: Value = serde_json::from_str(&OMEGA)?;
        assert_eq!(client.fault("run", &omega)?["code"], "timeout");
        client.text("run", &json!({"tool": "double", "input": 1}))?;
        for (entry, words) in [
            (1, "its kind is `evolve`"),
            (5, "its kind is `refusal`"),
            (6, "it ended as `timeout`, which depends on the clock"),
        ] {
            let record = replay(client, entry)?;
            assert_eq!(record["verdict"], "skipped");
            ensure!(record["reason"].as_str().context("a reason")?.contains(words), "{record}");
        }
        let fault = client.fault("replay", &json!({"entry": 8}))?;
        assert_eq!(
            (&fault["code"], &fault["hint"]),
            (&json!("unknown-entry"), &json!("its entries are 1 to 7"))
        );
        for arguments in [json!({}), json!({"entry": "last"})] {
            assert_eq!(client.fault("replay", &arguments)?["code"], "malformed", "{arguments}");
        }
        Ok(())
    })?;
    let errors = kept.complains(&["replay", "8"])?;
    ensure!(errors.starts_with("unknown-entry: there is no entry 8"), "{errors}");
    // A revision that somebody took away, and one that somebody changed.
    let copy = kept.copy()?;
    copy.tamper("DELETE FROM revision WHERE source LIKE '%\"mul\"%'")?;
    let told = copy.prints(&["replay", "7"])?;
    ensure!(
        told.starts_with("7 skipped: the revision ")
            && told.contains("of `double` is not in the store"),
        "{told}"
    );
    kept.tamper(
        "UPDATE revision SET source = replace(source, '2', '3') WHERE source LIKE '%\"mul\"%'",
    )?;
    for arguments in [["replay", "7"], ["replay", "--all"]] {
        let printed = kept.execute(&arguments, "")?;
        ensure!(printed.code == Some(1), "{printed:?}");
        ensure!(
            printed.errors.contains("the term of `double` is not the one that its hash"),
            "{printed:?}"
        );
    }
    kept.session(|client| {
        let fault = client.fault("run", &json!({"tool": "double", "input": 1}))?;
        assert_eq!(fault["code"], "storage");
        Ok(())
    })
    .err()
    .context("the store's failure is logged")?;
    Ok(())
}
