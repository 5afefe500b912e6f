//! Arguments as clients write them: numbers, lists and records as text, empty texts for what is
//! left out, arguments that no tool has.

use super::client::{Client, call, text};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

/// Calls that do what the call beside them does.
#[test]
fn texts_are_decoded_by_the_type_that_is_declared() -> Result<()> {
    let mut client = Client::legacy()?;
    client.evolve("double", "Doubles", &json!({"mul": [{"var": "x"}, 2]}))?;
    for (tool, arguments, same) in [
        ("run", r#"{"code":1,"fuel":1000.0}"#, r#"{"code":1,"fuel":1000}"#),
        ("run", r#"{"code":1,"fuel":"1000"}"#, r#"{"code":1,"fuel":1000}"#),
        ("run", r#"{"code":1,"fuel":1e3}"#, r#"{"code":1,"fuel":1000}"#),
        ("run", r#"{"code":1,"memory":67108864.0}"#, r#"{"code":1,"memory":"64MiB"}"#),
        ("run", r#"{"code":1,"trace":"true"}"#, r#"{"code":1,"trace":true}"#),
        ("run", r#"{"code":1,"trace":"False"}"#, r#"{"code":1}"#),
        (
            "run",
            r#"{"code":{"var":"n"},"context":"{\"n\":123456789012345678901234567890}"}"#,
            r#"{"code":{"var":"n"},"context":{"n":123456789012345678901234567890}}"#,
        ),
        ("run", r#"{"code":1,"output_schema":"{\"type\":\"integer\"}"}"#, r#"{"code":1}"#),
        ("run", r#"{"code":1,"output_schema":"true"}"#, r#"{"code":1,"output_schema":true}"#),
        (
            "run",
            r#"{"code":1,"tool":"","context":"","output_schema":"","fuel":"","trace":""}"#,
            r#"{"code":1}"#,
        ),
        (
            "run",
            r#"{"code":"","tool":"double","input":2,"data":""}"#,
            r#"{"tool":"double","input":2}"#,
        ),
        ("run", r#"{"tool":"double","input":"","data":2}"#, r#"{"tool":"double","data":2}"#),
        ("run", "{\"code\":\"```json\\n{\\\"add\\\":[1,2]}\\n```\"}", r#"{"code":{"add":[1,2]}}"#),
        ("run", "{\"code\":\"\\n```\\n[1]```\\n\"}", r#"{"code":[1]}"#),
        (
            "check",
            "{\"code\":\"```json\\n{\\\"add\\\":[1,2]}\\n```\"}",
            r#"{"code":{"add":[1,2]}}"#,
        ),
        ("double", r#"{"data":2,"max_steps":"0.0","trace":""}"#, r#"{"data":2}"#),
        ("list", r#"{"query":"","cursor":""}"#, "{}"),
        ("help", r#"{"form":"add","category":"","query":""}"#, r#"{"form":"add"}"#),
        ("inspect", r#"{"tool":"double","revision":""}"#, r#"{"tool":"double"}"#),
        (
            "journal_recent",
            r#"{"since":"","kind":"","limit":"1.0","ending":"new"}"#,
            r#"{"limit":1,"ending":"new"}"#,
        ),
        ("journal_recent", r#"{"since":1.0,"ending":"new"}"#, r#"{"since":"1","ending":"new"}"#),
        ("memory_retrieve", r#"{"key":"","tags":"[]","query":""}"#, r#"{"tags":[]}"#),
        ("server_info", "{}", "null"),
    ] {
        let told = [arguments, same].map(|arguments| -> Result<String> {
            let result = client.call_text(tool, arguments)?;
            ensure!(result["isError"] == false, "{tool} {arguments}: {result}");
            Ok(text(&result)?.to_owned())
        });
        let [told, expected] = told;
        assert_eq!(told?, expected?, "{tool} {arguments}");
    }
    Ok(())
}

#[test]
fn lists_and_records_are_decoded_wherever_they_stand() -> Result<()> {
    let mut client = Client::legacy()?;
    let examples = r#"[{"args":[2,3],"output":5},"{\"args\":\"[12345678901234567890, 1]\",\"output\":12345678901234567891}"]"#;
    for examples in [examples.to_owned(), Value::from(examples).to_string()] {
        let code = r#"{"lam":["a","b"],"body":{"add":[{"var":"a"},{"var":"b"}]}}"#;
        let arguments = format!(
            r#"{{"name":"plus","description":"","code":{},"examples":{},"verify_dependents":"true","output_schema":"","expected_revision":""}}"#,
            Value::from(format!("```json\n{code}\n```")),
            examples,
        );
        let result = client.call_text("evolve", &arguments)?;
        ensure!(result["isError"] == false, "{result}");
    }
    let result = client.call_text(
        "memory_store",
        r#"{"key":"k","value":"[1]","tags":"[\"a\", \"b\"]","forget":"false"}"#,
    )?;
    assert_eq!(result["structuredContent"]["tags"], json!(["a", "b"]));
    // Where any JSON is meant, a text stays one.
    let kept = client.call("memory_retrieve", &json!({"key": "k"}))?;
    assert_eq!(kept["structuredContent"]["value"], "[1]");
    let forgotten = client.call("memory_store", &json!({"key": "k", "forget": "true"}))?;
    assert_eq!(forgotten["structuredContent"]["status"], "forgotten");
    Ok(())
}

#[test]
fn what_is_no_value_of_the_type_is_refused_as_before() -> Result<()> {
    let mut client = Client::legacy()?;
    for (tool, arguments, words) in [
        ("run", json!({"code": 1, "fuel": 1.5}), "`fuel` must be a whole number"),
        ("run", json!({"code": 1, "fuel": "many"}), "`fuel` must be a whole number"),
        ("run", json!({"code": 1, "trace": "yes"}), "`trace` must be true or false"),
        ("run", json!({"code": 1, "context": "[1]"}), "`context` must be an object"),
        ("memory_store", json!({"key": "k", "value": 1, "tags": "a"}), "`tags` must be a list"),
        (
            "evolve",
            json!({"name": "f", "description": "", "code": 1, "examples": "{}"}),
            "`examples` must be a list",
        ),
        ("evolve", json!({"name": "", "description": "", "code": 1}), "cannot name a tool"),
    ] {
        let fault = client.fault(tool, &arguments)?;
        let message = fault["message"].as_str().context("a message")?;
        ensure!(message.contains(words), "{tool} {arguments}: {message}");
    }
    Ok(())
}

#[test]
fn all_arguments_may_be_one_text() -> Result<()> {
    let mut client = Client::legacy()?;
    let whole = r#"{"code":{"add":[123456789012345678901234567890,1]}}"#;
    let result = client.call_text("run", &Value::from(whole).to_string())?;
    assert_eq!(text(&result)?, "123456789012345678901234567891");
    let list = client.call_text("list", "\"\"")?;
    assert_eq!(list["isError"], false);
    let id = client.id();
    client.send(call(&id, "run", "\"code\""))?;
    assert_eq!(client.answer(&id)?["error"]["code"], -32602);
    let meant = json!({"tool_name": "run", "arguments": r#"{"code":{"add":[1,2]}}"#});
    assert_eq!(client.text("execute-tool", &meant)?, "3");
    Ok(())
}

#[test]
fn arguments_that_no_tool_has_are_passed_over_with_a_warning() -> Result<()> {
    let mut client = Client::legacy()?;
    client.evolve("same", "Gives it back", &json!({"lam": "x", "body": {"var": "x"}}))?;
    for (tool, arguments) in [
        ("server_info", json!({"random_string": "x"})),
        ("list", json!({"_": ""})),
        ("help", json!({"description": "overview"})),
        ("run", json!({"code": 1, "purpose": "to know"})),
        ("same", json!({"data": 1, "purpose": "to know"})),
    ] {
        let result = client.call(tool, &arguments)?;
        assert_eq!(result["isError"], false, "{tool} {arguments}: {result}");
        let warnings = result["structuredContent"]["warnings"].to_string();
        ensure!(warnings.contains("ignored"), "{tool} {arguments}: {result}");
        ensure!(result["content"].to_string().contains("ignored"), "{tool}: {result}");
    }
    for (tool, arguments, meant) in [
        ("run", json!({"cod": 1}), "code"),
        ("run", json!({"code": 1, "inputs": 2}), "input"),
        ("list", json!({"Query": "x"}), "query"),
        ("same", json!({"max-step": 1}), "max_steps"),
    ] {
        let fault = client.fault(tool, &arguments)?;
        assert_eq!(fault["code"], "malformed", "{fault}");
        assert_eq!(fault["hint"], format!("did you mean `{meant}`?"), "{fault}");
    }
    Ok(())
}
