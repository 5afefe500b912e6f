//! What clients make of schemas and of structured answers.

use super::client::Client;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

/// The schemas of arguments that take any JSON.
fn open_schemas(list: &Value) -> Result<Vec<(String, Value)>> {
    let mut found = Vec::new();
    for tool in list["tools"].as_array().context("tools")? {
        let members = tool["inputSchema"]["properties"].as_object().context("arguments")?;
        for (name, schema) in members {
            if ["data", "input", "value", "x"].contains(&name.as_str()) {
                found.push((format!("{} {name}", tool["name"]), schema.clone()));
            }
        }
    }
    Ok(found)
}

/// Whether some items of lists have no type.
fn has_untyped(schema: &Value) -> bool {
    let items = schema.get("items").is_some_and(|it| it.get("type").or(it.get("anyOf")).is_none());
    let parts = schema.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    items || parts.chain(schema.get("items")).any(has_untyped)
}

#[test]
fn any_json_is_lists_of_anything_and_integers_before_numbers() -> Result<()> {
    let mut client = Client::legacy()?;
    client.evolve("same", "Gives it back", &json!("x => x"))?;
    client.evolve("scale", "Scales", &json!("({x, by = 2}) => x * by"))?;
    let list = client.request("tools/list", &json!({}))?;
    let all = open_schemas(&list)?;
    ensure!(all.len() >= 6, "{all:?}");
    for (name, schema) in all {
        let choices = schema["anyOf"].as_array().with_context(|| format!("{name}: {schema}"))?;
        let at = |kind: &str| choices.iter().position(|it| it["type"] == kind);
        ensure!(at("integer").context("integer")? < at("number").context("number")?, "{name}");
        // Clients want a type everywhere. Lists of lists are in the schema.
        let list = choices.iter().find(|it| it["type"] == "array").context("a list")?;
        let items =
            list["items"]["anyOf"].as_array().with_context(|| format!("{name}: {schema}"))?;
        ensure!(
            items.iter().any(|it| it["type"] == "array") && !has_untyped(&schema),
            "{name}: {schema}"
        );
    }
    let by = list["tools"].as_array().into_iter().flatten().find(|it| it["name"] == "scale");
    let by = by.context("the tool")?["inputSchema"]["properties"]["by"].clone();
    assert_eq!(by["anyOf"], json!([{"type": "integer"}, {"type": "number"}]), "{by}");
    Ok(())
}

#[test]
fn integers_that_a_client_has_rounded_bring_a_warning() -> Result<()> {
    let mut client = Client::legacy()?;
    client.evolve("next", "The next number", &json!("x => x + 1"))?;
    let warned = |client: &mut Client, tool: &str, arguments: &str| {
        let told = client.call_text(tool, arguments)?;
        Ok::<_, anyhow::Error>(
            told["structuredContent"]["warnings"].to_string().contains("rounded"),
        )
    };
    for (tool, arguments) in [
        ("run", r#"{"code":"data + 1","data":12345678901234567000}"#),
        ("run", r#"{"code":"data.a","data":{"a":[9007199254740992]}}"#),
        ("run", r#"{"code":"x => x","input":-18446744073709552000}"#),
        ("session_eval", r#"{"define":"n","data":12345678901234567000}"#),
        ("memory_store", r#"{"key":"n","value":12345678901234567000}"#),
        ("next", r#"{"x":12345678901234567000}"#),
    ] {
        ensure!(warned(&mut client, tool, arguments)?, "{tool} {arguments}");
    }
    for (tool, arguments) in [
        ("run", r#"{"code":"data + 1","data":12345678901234567890}"#),
        ("run", r#"{"code":"12345678901234567000 + 1"}"#),
        ("run", r#"{"code":"data","data":["12345678901234567000", 9007199254740991]}"#),
    ] {
        ensure!(!warned(&mut client, tool, arguments)?, "{tool} {arguments}");
    }
    Ok(())
}

#[test]
fn the_record_of_a_fault_says_so_with_the_first_line() -> Result<()> {
    let mut client = Client::legacy()?;
    let examples = json!([{"input": 1, "output": 2}, {"input": 3, "output": 7}]);
    let arguments =
        json!({"name": "double", "description": "d", "code": "x => x * 2", "examples": examples});
    let told = client.call("evolve", &arguments)?;
    let error = told["structuredContent"]["error"].as_str().context("an error")?;
    ensure!(error.contains("example 1 ") || error.contains("example 2 "), "{told}");
    for arguments in [json!({"code": "1 / 0"}), json!({"code": "x +"}), json!({"tool": "nothing"})]
    {
        let told = client.call("run", &arguments)?;
        let text = told["content"][0]["text"].as_str().context("a text")?;
        assert_eq!(told["structuredContent"]["error"].as_str(), text.lines().next(), "{told}");
    }
    Ok(())
}

#[test]
fn a_value_stands_once() -> Result<()> {
    let mut client = Client::legacy()?;
    for (code, member) in [
        ("[1, 2.5, \"a\"]", "value"),
        ("12345678901234567891", "exact"),
        ("[1, {a: 2n ** 70n}]", "exact"),
    ] {
        let told = client.call("run", &json!({ "code": code }))?["structuredContent"].clone();
        let other = if member == "value" { "exact" } else { "value" };
        ensure!(told.get(member).is_some() && told.get(other).is_none(), "{code}: {told}");
    }
    Ok(())
}

#[test]
fn a_hint_that_converts_texts_leaves_numbers() -> Result<()> {
    let mut client = Client::legacy()?;
    let fault = client.fault("run", &json!({"code": "data.sum()", "data": ["1", 2]}))?;
    let hint = fault["hint"].as_str().context("a hint")?;
    let written = hint.split_once("list.map").map(|(_, rest)| format!("data.map{rest}.sum()"));
    let code = written.with_context(|| hint.to_owned())?;
    let told = client.call("run", &json!({"code": code, "data": ["1", 2]}))?;
    assert_eq!(told["structuredContent"]["value"], 3, "{told}");
    Ok(())
}

/// Some clients show a model only the record, others only the text.
#[test]
fn a_record_is_not_larger_than_its_text_by_more_than_a_third() -> Result<()> {
    let mut client = Client::legacy()?;
    client.call("run", &json!({"code": "[1, 2].map(x => x.y)"}))?;
    client.call("run", &json!({"code": {"map": [{"lam": "x", "body": 1}, [1, 2, 3]]}}))?;
    for (tool, arguments) in [
        ("help", json!({})),
        ("help", json!({"category": "lists"})),
        ("help", json!({"form": "fold"})),
        ("journal_recent", json!({"limit": 2})),
        ("server_info", json!({})),
        ("evolve", json!({"name": "double", "description": "Doubles", "code": "x => x * 2"})),
        ("evolve", json!({"name": "double", "description": "Doubles", "code": "x => x + x"})),
    ] {
        let told = client.call(tool, &arguments)?;
        let text = told["content"][0]["text"].as_str().context("a text")?.len();
        let record = told["structuredContent"].to_string().len();
        ensure!(3 * record <= 4 * text, "{tool} {arguments}: {record} beside {text}");
    }
    let told = client.text("journal_recent", &json!({"limit": 4}))?;
    for part in ["request: {\"code\":\"[1, 2].map(x => x.y)\"", "notation: [1, 2, 3].map(x => 1)"] {
        ensure!(told.contains(part), "{part} is not in {told}");
    }
    ensure!(told.contains("outcome: {\"fault\":{\"code\":\"type-mismatch\""), "{told}");
    Ok(())
}
