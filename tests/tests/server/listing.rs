//! What tools/list shows: schemas that every known client takes, descriptions and names that the
//! services behind them take, and no more of it than models need.

use super::client::Client;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

/// Characters of a description that services take.
const MOST_DESCRIPTION: usize = 1_024;

fn tools(client: &mut Client) -> Result<Vec<Value>> {
    let list = client.request("tools/list", &json!({}))?;
    Ok(list["tools"].as_array().context("tools")?.clone())
}

/// Keywords that converters of schemas take.
const KEYWORDS: [&str; 11] = [
    "anyOf",
    "default",
    "description",
    "enum",
    "items",
    "maximum",
    "minimum",
    "properties",
    "required",
    "title",
    "type",
];

const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/// Every schema has one type, or choices that have; every array has the schema of its items.
fn ensure_portable(schema: &Value, at: &str) -> Result<()> {
    let members = schema.as_object().with_context(|| format!("{at} is no object: {schema}"))?;
    for keyword in members.keys() {
        ensure!(KEYWORDS.contains(&keyword.as_str()), "{at} has `{keyword}`");
    }
    match (schema.get("type"), schema.get("anyOf").and_then(Value::as_array)) {
        (Some(Value::String(name)), None) => {
            ensure!(TYPES.contains(&name.as_str()), "{at}: {name}");
        }
        (None, Some(choices)) => {
            for (index, choice) in choices.iter().enumerate() {
                ensure_portable(choice, &format!("{at}/anyOf/{index}"))?;
            }
        }
        _ => anyhow::bail!("{at} has no type, or several: {schema}"),
    }
    // `items` without a type are items of any kind.
    if schema["type"] == "array" && schema["items"] != json!({}) {
        ensure_portable(&schema["items"], &format!("{at}/items"))?;
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        ensure_portable(property, &format!("{at}/{name}"))?;
    }
    Ok(())
}

#[test]
fn schemas_are_what_every_known_client_takes() -> Result<()> {
    for profile in ["structured", "debug"] {
        let mut client = Client::legacy_with(&["--profile", profile])?;
        let schemas = [
            json!(null),
            json!({"type": ["integer", "null"], "$defs": {"a": {"type": "array"}}}),
            json!({"type": "array", "prefixItems": [{}]}),
            json!(true),
        ];
        for (index, schema) in schemas.iter().enumerate() {
            let name = format!("tool_{index}");
            let code = json!({"lam": "x", "body": [1]});
            let arguments =
                json!({"name": name, "description": "", "code": code, "output_schema": schema});
            client.text("evolve", &arguments)?;
        }
        for tool in tools(&mut client)? {
            let name = tool["name"].as_str().context("a name")?;
            let is_bare = profile == "structured";
            ensure!(tool.get("outputSchema").is_none() == is_bare, "{name}: {tool}");
            for schema in ["inputSchema", "outputSchema"].into_iter().take(2 - usize::from(is_bare))
            {
                ensure_portable(&tool[schema], &format!("{name}/{schema}"))?;
                ensure!(tool[schema]["type"] == "object", "{name}: {schema}");
            }
            ensure!(tool["inputSchema"]["properties"].is_object(), "{name}");
        }
    }
    Ok(())
}

#[test]
fn the_list_of_the_built_in_tools_is_short() -> Result<()> {
    let tools = tools(&mut Client::legacy()?)?;
    let whole = json!({ "tools": tools }).to_string();
    ensure!(whole.len() <= 14_000, "{} bytes", whole.len());
    let length = |tool: &Value, member: &str| match &tool[member] {
        Value::String(text) => text.len(),
        value => value.to_string().len(),
    };
    let shown = ["name", "description", "inputSchema"];
    let shown: usize = tools
        .iter()
        .map(|tool| shown.iter().map(|member| length(tool, member)).sum::<usize>())
        .sum();
    ensure!(shown <= 12_000, "{shown} bytes of names, descriptions, arguments");
    Ok(())
}

#[test]
fn listed_descriptions_are_no_longer_than_services_take() -> Result<()> {
    let mut client = Client::legacy()?;
    for (index, description) in
        ["x".repeat(1_000), "é".repeat(1_000), "x".repeat(987)].iter().enumerate()
    {
        client.evolve(&format!("tool_{index}"), description, &json!(1))?;
    }
    for tool in tools(&mut client)? {
        let description = tool["description"].as_str().context("a description")?;
        let length = description.chars().count();
        ensure!((1..=MOST_DESCRIPTION).contains(&length), "{}: {length}", tool["name"]);
        if tool["name"] == "tool_0" {
            ensure!(description.starts_with(&"x".repeat(1_000)), "{description}");
        }
    }
    Ok(())
}

#[test]
fn names_are_short_enough_to_be_put_behind_the_name_of_the_server() -> Result<()> {
    let mut client = Client::legacy()?;
    client.evolve(&"a".repeat(48), "", &json!(1))?;
    for length in [49, 64] {
        let arguments = json!({"name": "a".repeat(length), "description": "", "code": 1});
        let fault = client.fault("evolve", &arguments)?;
        let message = fault["message"].as_str().context("a message")?;
        let told = format!("the name has {length} characters: shorten it to at most 48");
        ensure!(message.starts_with(&told), "{message}");
    }
    Ok(())
}
