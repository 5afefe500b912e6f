//! The names and spellings of the ClojureScript ancestor: they do what the tools do that took
//! their place, and are not listed.

use super::client::{Client, call, text};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

const ALIASES: [&str; 6] = [
    "memory-store",
    "memory-retrieve",
    "journal-recent",
    "server-info",
    "execute-tool",
    "meta-evolve",
];

fn double() -> Value {
    json!({"lam": "x", "body": {"mul": [{"var": "x"}, 2]}})
}

#[test]
fn aliases_are_accepted_and_not_listed() -> Result<()> {
    let mut client = Client::legacy()?;
    let list = client.request("tools/list", &json!({}))?;
    for tool in list["tools"].as_array().context("tools")? {
        ensure!(!ALIASES.iter().any(|alias| tool["name"] == *alias), "{tool}");
    }
    assert_eq!(client.text("memory-store", &json!({"key": "k", "value": "v"}))?, {
        "stored `k` (3 characters)"
    });
    assert_eq!(client.text("memory-retrieve", &json!({"key": "k"}))?, "v");
    let info = client.call("server-info", &json!({}))?;
    assert_eq!(info["structuredContent"]["memory"], 1);
    let made = client.text(
        "meta-evolve",
        &json!({"type": "add-tool", "name": "double", "description": "Doubles", "code": double()}),
    )?;
    ensure!(made.starts_with("evolved `double`"), "{made}");
    let run = json!({"tool-name": "double", "arguments": {"input": 21}});
    assert_eq!(client.text("execute-tool", &run)?, "42");
    for alias in ALIASES {
        let fault =
            client.fault("evolve", &json!({"name": alias, "description": "", "code": 1}))?;
        assert_eq!(fault["code"], "malformed", "{alias}");
    }
    Ok(())
}

/// An alias is the call that is meant: the same result, the same entry in the journal.
#[test]
fn values_pass_through_as_they_were_sent() -> Result<()> {
    let mut client = Client::legacy()?;
    let wide = r#"{"key":"wide","value":{"n":123456789012345678901234567890,"f":1.50,"my-key":1}}"#;
    for (tool, arguments) in [
        ("memory-store", wide.to_owned()),
        ("execute-tool", format!(r#"{{"tool-name":"memory_store","arguments":{wide}}}"#)),
        ("execute_tool", format!(r#"{{"tool_name":"memory-store","arguments":{wide}}}"#)),
    ] {
        let result = client.call_text(tool, &arguments)?;
        ensure!(result["isError"] == false, "{tool}: {result}");
        let kept = client.call("memory_retrieve", &json!({"key": "wide"}))?;
        assert_eq!(
            text(&kept)?,
            r#"{"n":123456789012345678901234567890,"f":1.50,"my-key":1}"#,
            "{tool}"
        );
    }
    let sum = r#"{"tool-name":"run","arguments":{"code":{"add":[99999999999999999999,1]}}}"#;
    let result = client.call_text("execute-tool", sum)?;
    assert_eq!(text(&result)?, "100000000000000000000");
    Ok(())
}

#[test]
fn arguments_may_be_spelled_with_hyphens() -> Result<()> {
    let mut client = Client::legacy()?;
    let counting = json!({
        "lam": "n",
        "body": {"if": {
            "cond": {"lte": [{"var": "n"}, 0]},
            "then": "done",
            "else": {"continue": {"input": {"sub": [{"var": "n"}, 1]}}},
        }},
    });
    let made = client.call(
        "meta-evolve",
        &json!({
            "type": "add-tool", "tool-name": "count", "description": "Counts down",
            "code": counting.to_string(), "tool-type": "arithmetic", "schema": {"type": "object"},
        }),
    )?;
    let record = &made["structuredContent"];
    assert_eq!(record["status"], "new", "{made}");
    ensure!(made["content"].to_string().contains("`tool-type` is ignored"), "{made}");
    ensure!(record["notes"].to_string().contains("`schema` is ignored"), "{made}");
    let run = |arguments: Value| json!({"tool-name": "count", "arguments": arguments});
    assert_eq!(client.text("execute-tool", &run(json!({"input": 3, "max-steps": 9})))?, "done");
    let once = client.call("execute-tool", &run(json!({"input": 3})))?;
    assert_eq!(once["structuredContent"]["kind"], "continuation");
    let change = |expected: &Value| {
        json!({
            "type": "add-tool", "name": "count", "description": "One", "code": 1,
            "expected-revision": expected,
        })
    };
    let conflict = client.fault("meta-evolve", &change(&json!("00000000")))?;
    ensure!(conflict["message"].to_string().contains("not at the revision"), "{conflict}");
    let changed = client.call("meta-evolve", &change(&record["revision"]))?;
    assert_eq!(changed["structuredContent"]["status"], "changed", "{changed}");
    let twice = client.call_text("memory-store", r#"{"key":"a","value":1,"value":2}"#)?;
    ensure!(text(&twice)?.contains("`value` is given twice"), "{twice}");
    // The tools themselves know one spelling only.
    let fault = client.fault("run", &json!({"code": 1, "max-steps": 2}))?;
    ensure!(fault["hint"] == "did you mean `max_steps`?", "{fault}");
    Ok(())
}

#[test]
fn a_function_in_javascript_becomes_a_tool() -> Result<()> {
    let mut client = Client::legacy()?;
    for (code, data, value) in [
        ("function(x){return x*2}", json!(3), "6"),
        ("function add(args) { return args.x + args.y; }", json!({"x": 1, "y": 2}), "3"),
        ("(args) => args.x + args.y", json!({"x": 1, "y": 2}), "3"),
        (
            "function (l) { const n = l.length(); return l.map(x => x + n); }",
            json!([1, 2]),
            "[3,4]",
        ),
        ("n => n > 0 ? 'positive' : 'not'", json!(3), "positive"),
    ] {
        let arguments = json!({"type": "add-tool", "name": "f", "description": "f", "code": code});
        let made = client.call("meta-evolve", &arguments)?;
        ensure!(made["isError"] == false, "{code}: {made}");
        let run = json!({"tool-name": "f", "arguments": {"data": data}});
        assert_eq!(client.text("execute-tool", &run)?, value, "{code}");
    }
    for (code, hint) in [
        ("function(x){ return this.x; }", "s => s.w"),
        ("(fn [x] (* x 2))", "x => x + 1"),
        ("function(x){ x.push(1); return x; }", "[...x"),
    ] {
        let arguments = json!({"type": "add-tool", "name": "f", "description": "f", "code": code});
        let refused = client.call("meta-evolve", &arguments)?;
        let fault = &refused["structuredContent"];
        ensure!(refused["isError"] == true, "{code}: {refused}");
        ensure!(fault["hint"].as_str().is_some_and(|it| it.contains(hint)), "{code}: {refused}");
        ensure!(fault["line"] == 1 && fault["column"].is_u64(), "{code}: {refused}");
        ensure!(fault["caret"].as_str().is_some_and(|it| it.ends_with('^')), "{code}: {refused}");
    }
    Ok(())
}

#[test]
fn what_an_alias_cannot_do_is_told() -> Result<()> {
    let mut client = Client::legacy()?;
    let tool = |name: &str, arguments: Value| json!({"tool-name": name, "arguments": arguments});
    for (alias, arguments, code, words) in [
        ("execute-tool", json!({}), "malformed", "`tool_name` is missing"),
        ("execute-tool", json!({"name": "x"}), "malformed", "has no argument `name`"),
        ("execute-tool", json!({"tool-name": 1}), "malformed", "must be a string"),
        ("execute-tool", tool("run", json!([1])), "malformed", "`arguments` must be an object"),
        ("execute-tool", tool("chek", json!({})), "unknown-tool", "there is no tool `chek`"),
        ("execute-tool", tool("chek", json!({})), "unknown-tool", "did you mean `check`?"),
        ("execute-tool", tool("execute-tool", json!({})), "malformed", "does not call itself"),
        ("execute-tool", tool("execute_tool", json!({})), "malformed", "does not call itself"),
        ("execute-tool", tool("run", json!({"cod": 1})), "malformed", "has no argument `cod`"),
        ("meta-evolve", json!({"name": "a"}), "malformed", "`type` is missing"),
        ("meta-evolve", json!({"type": "add-namespace"}), "malformed", "`add-namespace`"),
        ("meta-evolve", json!({"type": 1}), "malformed", "`type` must be a string"),
        (
            "meta-evolve",
            json!({"type": "add-tool", "name": "a", "tool-name": "a"}),
            "malformed",
            "`name` and `tool-name` are both given",
        ),
        ("meta-evolve", json!({"type": "add-tool"}), "malformed", "`name` is missing"),
        ("memory-store", json!({"ky": "a"}), "malformed", "did you mean `key`?"),
    ] {
        let result = client.call(alias, &arguments)?;
        ensure!(result["structuredContent"]["code"] == code, "{alias} {arguments}: {result}");
        ensure!(text(&result)?.contains(words), "{alias} {arguments}: {result}");
    }
    let id = client.id();
    client.send(call(&id, "memory-sotre", "{}"))?;
    let answer = client.answer(&id)?;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    Ok(())
}
