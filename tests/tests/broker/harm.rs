//! The corpus `tests/hostile/upstreams.json`: servers that mean harm. Each costs its own calls only,
//! and nothing of it reaches the terminal that a reader would not see.

use super::shop::{Shop, server, server_with};
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::fs;
use std::path::Path;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Corpus {
    #[serde(rename = "note")]
    _note: String,
    servers: Vec<Harmful>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Harmful {
    name: String,
    #[serde(default)]
    script: Map<String, Value>,
    #[serde(default)]
    tool: Map<String, Value>,
    #[serde(default)]
    does: Value,
    #[serde(default)]
    config: Value,
    call: Option<String>,
    #[serde(default)]
    args: Map<String, Value>,
    /// How the complaint begins.
    told: Option<String>,
    value: Option<String>,
    /// Whatever comes of it: it ends.
    #[serde(default)]
    ends: bool,
}

impl Harmful {
    fn shop(&self) -> Result<Shop> {
        let mut tool = json!({"name": "t", "does": self.does});
        for (name, value) in &self.tool {
            tool[name] = repeated(value);
        }
        let mut script = json!({ "tools": [tool] });
        for (name, value) in &self.script {
            script[name] = value.clone();
        }
        let well = json!({"tools": [{"name": "echo", "does": {"echo": true}}]});
        Shop::new(&json!({"mcpServers": {
            "s": server_with(&script, &self.config),
            "well": server(&well),
        }}))
    }

    fn check(&self) -> Result<()> {
        let shop = self.shop()?;
        let name = format!("s.{}", self.call.as_deref().unwrap_or("t"));
        let args = Value::from(self.args.clone()).to_string();
        let said = shop.say(&["capability", "call", &name, &args])?;
        let all = format!("{}{}", said.output, said.errors);
        let is_hidden =
            |c: char| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c);
        ensure!(!all.contains(is_hidden), "{all:?}");
        let complaint = said.errors.lines().find_map(|line| line.strip_prefix("mcp-pif: "));
        if let Some(told) = &self.told {
            ensure!(complaint.is_some_and(|it| it.starts_with(told)), "{said:?}");
        }
        if let Some(value) = &self.value {
            ensure!(said.ok && said.output == *value, "{said:?}");
        }
        ensure!(self.ends || self.told.is_some() != self.value.is_some(), "what comes of it?");
        ensure!(said.ok != complaint.is_some(), "{said:?}");
        assert_eq!(shop.value("well.echo", r#"{"a":1}"#)?, r#"{"a":1}"#);
        Ok(())
    }
}

/// A text, or one that is told by its parts.
fn repeated(value: &Value) -> Value {
    match (value["repeat"].as_str(), value["times"].as_u64()) {
        (Some(text), Some(times)) => text.repeat(usize::try_from(times).unwrap_or_default()).into(),
        _ => value.clone(),
    }
}

#[test]
fn a_harmful_server_costs_its_own_calls_only() -> Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("hostile/upstreams.json");
    let corpus: Corpus = serde_json::from_slice(&fs::read(path)?)?;
    let mut wrong = Vec::new();
    for harmful in &corpus.servers {
        if let Err(error) = harmful.check().with_context(|| harmful.name.clone()) {
            wrong.push(format!("{error:#}"));
        }
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}
