//! Structured results against the schemas that tools/list advertises, and what else the list
//! promises.

use anyhow::{Context, Result, bail, ensure};
use pif_domain::{BuiltIn, Effect};
use serde_json::{Value, json};

use super::client::Client;
use super::text::identity;

/// The schemas' keywords that are known here. Another one is a failure: it would go unchecked.
const KEYWORDS: [&str; 9] = [
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "minimum",
    "description",
    "title",
];

/// Checks a value against a schema, in as much of JSON Schema as the server uses.
fn conform(value: &Value, schema: &Value, at: &str) -> Result<()> {
    let schema = schema.as_object().with_context(|| format!("{at}: no schema"))?;
    for (keyword, rule) in schema {
        ensure!(KEYWORDS.contains(&keyword.as_str()), "{at}: unknown keyword `{keyword}`");
        let holds = match (keyword.as_str(), rule) {
            ("type", Value::String(name)) => is_of_type(value, name)?,
            ("enum", Value::Array(values)) => values.contains(value),
            ("minimum", Value::Number(least)) => value.as_f64() >= least.as_f64(),
            ("required", Value::Array(names)) => {
                names.iter().all(|name| name.as_str().is_some_and(|name| value.get(name).is_some()))
            }
            ("additionalProperties", Value::Bool(false)) => {
                let known = |name: &String| schema["properties"].get(name).is_some();
                value.as_object().is_none_or(|members| members.keys().all(known))
            }
            ("properties", Value::Object(properties)) => {
                for (name, schema) in properties {
                    if let Some(member) = value.get(name) {
                        conform(member, schema, &format!("{at}/{name}"))?;
                    }
                }
                true
            }
            ("items", schema) => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    conform(item, schema, &format!("{at}/{index}"))?;
                }
                true
            }
            ("description" | "title", Value::String(_)) => true,
            _ => bail!("{at}: cannot check {keyword} {rule}"),
        };
        ensure!(holds, "{at}: {value} breaks {keyword} {rule}");
    }
    Ok(())
}

fn is_of_type(value: &Value, name: &str) -> Result<bool> {
    Ok(match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        _ => bail!("unknown type {name}"),
    })
}

/// A call of every kind of result that the built-in tools and an evolved one have.
fn calls() -> Vec<(&'static str, Value)> {
    let run = |code: Value| ("run", json!({"code": code, "trace": true}));
    let mut calls = vec![
        (
            "evolve",
            json!({"name": "double", "description": "Doubles", "code": {"mul": [{"var": "x"}, 2]}}),
        ),
        ("evolve", json!({"name": "double", "description": "Doubles", "code": identity()})),
        ("evolve", json!({"name": "double", "description": "Does", "code": identity()})),
        ("evolve", json!({"name": "double", "description": "Does", "code": identity()})),
        ("evolve", json!({"name": "double", "description": "Does", "code": {"add": 1}})),
        ("evolve", json!({"name": "1", "description": "Does", "code": 1})),
        (
            "evolve",
            json!({"name": "bad", "description": "", "code": 1, "examples": [{"output": 2}]}),
        ),
        (
            "evolve",
            json!({
                "name": "again", "description": "",
                "code": {"lam": "x", "body": {"continue": {"input": {"var": "x"}}}},
            }),
        ),
        ("double", json!({"input": 21})),
        ("double", json!({"inptu": 21})),
        ("again", json!({"input": 21})),
        ("again", json!({"input": 21, "max_steps": 3})),
        ("list", json!({})),
        ("list", json!({"query": "nothing like it"})),
        ("list", json!({"cursor": "bad"})),
        ("help", json!({})),
        ("help", json!({"category": "tools"})),
        ("help", json!({"category": "lists"})),
        ("help", json!({"form": "fold"})),
        ("help", json!({"form": "folt"})),
        ("help", json!({"query": "list"})),
        ("check", json!({"code": {"add": [{"var": "x"}, 1.5]}})),
        ("check", json!({"code": {"add": 1}})),
        ("check", json!({"code": "{"})),
        ("server_info", json!({})),
        ("server_info", json!({"x": 1})),
        ("run", json!({"code": identity(), "data": "x".repeat(60_000)})),
        ("run", json!({"code": 1, "max_steps": "x"})),
    ];
    calls.extend(
        [
            json!(null),
            json!(true),
            json!(1.5),
            json!([1, 2]),
            json!({"pair": [1, 2]}),
            identity(),
            json!({"quote": {"add": [1, 2]}}),
            json!({"add": [1, "a"]}),
            json!({"trace": ["a", 1]}),
            json!({"mul": [9_007_199_254_740_993_u64, 9_007_199_254_740_993_u64]}),
        ]
        .map(run),
    );
    calls.extend(memory_calls());
    calls
}

fn memory_calls() -> [(&'static str, Value); 10] {
    [
        ("memory_store", json!({"key": "a", "value": {"b": [1, null]}, "tags": ["t"]})),
        ("memory_store", json!({"key": "a", "value": {"b": [1, null]}})),
        ("memory_store", json!({"key": "long", "value": "x".repeat(60_000)})),
        ("memory_store", json!({"key": "none", "forget": true})),
        ("memory_store", json!({"key": ""})),
        ("memory_retrieve", json!({"key": "a"})),
        ("memory_retrieve", json!({"key": "long"})),
        ("memory_retrieve", json!({"key": "none"})),
        ("memory_retrieve", json!({"tags": []})),
        ("memory_retrieve", json!({})),
    ]
}

#[test]
fn results_have_records() -> Result<()> {
    conform_all(&mut Client::legacy()?)
}

#[test]
fn results_of_the_profile_debug_conform_to_the_schemas_that_are_listed() -> Result<()> {
    conform_all(&mut Client::legacy_with(&["--profile", "debug"])?)
}

fn conform_all(client: &mut Client) -> Result<()> {
    for (tool, arguments) in calls() {
        let result = client.call(tool, &arguments)?;
        let list = client.request("tools/list", &json!({}))?;
        if let Some(schema) = listed(&list, tool)?.get("outputSchema") {
            conform(&result["structuredContent"], schema, tool)
                .with_context(|| format!("{tool} {arguments}: {result}"))?;
        }
        ensure!(result["structuredContent"].is_object(), "{tool} {arguments}: {result}");
    }
    Ok(())
}

fn listed<'a>(list: &'a Value, name: &str) -> Result<&'a Value> {
    let tools = list["tools"].as_array().context("tools")?;
    tools
        .iter()
        .find(|tool| tool["name"] == name)
        .with_context(|| format!("`{name}` is not listed"))
}

#[test]
fn the_list_says_what_clients_rely_on() -> Result<()> {
    let mut client = Client::legacy()?;
    client.evolve("double", "Doubles a number", &json!({"mul": [{"var": "x"}, 2]}))?;
    let list = client.request("tools/list", &json!({}))?;
    let tools = list["tools"].as_array().context("tools")?;
    for tool in tools {
        let name = &tool["name"];
        let description = tool["description"].as_str().context("a description")?;
        ensure!(!description.is_empty() && description.len() <= 2_048, "{name}: {description}");
        ensure!(tool["title"].is_string(), "{name} has no title");
        let schema = &tool["inputSchema"];
        ensure!(schema["type"] == "object" && schema["properties"].is_object(), "{name}");
        ensure!(tool.get("outputSchema").is_none(), "{name}: {tool}");
        let tool_name = name.as_str().context("a name")?;
        let effect = BuiltIn::find(tool_name).map_or(Effect::Runs, BuiltIn::effect);
        // What is the protocol's default is left out.
        let mut annotations = json!({"openWorldHint": false});
        if effect.is_read_only() {
            annotations["readOnlyHint"] = json!(true);
        } else {
            if !effect.destroys() {
                annotations["destructiveHint"] = json!(false);
            }
            if effect.is_idempotent() {
                annotations["idempotentHint"] = json!(true);
            }
        }
        ensure!(tool["annotations"] == annotations, "{name}: {}", tool["annotations"]);
        ensure!(tool.get("_meta").is_none() && tool.get("icons").is_none(), "{name}: {tool}");
    }
    let double = listed(&list, "double")?;
    let description = double["description"].as_str().unwrap_or_default();
    assert!(description.starts_with("Doubles a number\n(evolved, "), "{description}");
    Ok(())
}

/// An argument that the schema shows is taken, and one that no tool has is passed over.
#[test]
fn every_listed_argument_is_known() -> Result<()> {
    let mut client = Client::legacy()?;
    client.evolve("same", "Gives back its input", &identity())?;
    let list = client.request("tools/list", &json!({}))?;
    for tool in list["tools"].as_array().context("tools")? {
        let name = tool["name"].as_str().context("a name")?;
        let properties = tool["inputSchema"]["properties"].as_object().context("properties")?;
        for argument in properties.keys() {
            let result = client.call(name, &json!({argument: null}))?;
            let told = result.to_string();
            ensure!(!told.contains(&format!("has no argument `{argument}`")), "{name}: {told}");
        }
        let result = client.call(name, &json!({"unheard_of": 1}))?;
        // What changes something is refused, all else is made without it.
        let changes =
            tool["annotations"]["readOnlyHint"] != true && name != "run" && name != "same";
        let (told, words) = match changes {
            true => (&result["structuredContent"]["error"], "has no argument"),
            false => (&result["structuredContent"]["warnings"], "ignored"),
        };
        let told = told.to_string();
        ensure!(told.contains("`unheard_of`") && told.contains(words), "{name}: {result}");
    }
    Ok(())
}

#[test]
fn the_checker_sees_what_does_not_conform() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"type": "array", "items": {"type": "integer", "minimum": 0}}},
        "required": ["a"],
        "additionalProperties": false,
    });
    let conforms = |value: Value| conform(&value, &schema, "").is_ok();
    assert!(conforms(json!({"a": []})) && conforms(json!({"a": [0, 1]})));
    for value in
        [json!([]), json!({}), json!({"a": 1}), json!({"a": [-1]}), json!({"a": [], "b": 1})]
    {
        assert!(!conforms(value.clone()), "{value}");
    }
    assert!(conform(&json!(1), &json!({"maximum": 0}), "").is_err());
}
