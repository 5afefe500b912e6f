//! The definition of a tool, as its server tells it, and the hash that it is approved by.

use pif_domain::text;
use rmcp::model::Tool;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::grant::Hints;

/// Bytes of all schemas and texts of one tool.
const MOST: usize = 256 << 10;

/// What a server says of a tool of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Definition {
    /// Its name.
    pub(super) name: String,
    /// Its name for people.
    #[serde(default)]
    pub(super) title: String,
    /// What it does.
    #[serde(default)]
    pub(super) description: String,
    /// The schema of its arguments.
    pub(super) input: Value,
    /// The schema of its value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) output: Option<Value>,
    /// Its hints, as they came.
    #[serde(default)]
    pub(super) annotations: Value,
}

impl Definition {
    /// Reads what a server has listed, unless it is too large, or its name cannot be called.
    pub(super) fn read(tool: &Tool) -> Result<Self, String> {
        let object = |it: &Map<String, Value>| Value::Object(it.clone());
        let annotations = tool.annotations.as_ref();
        let title = tool.title.clone();
        let definition = Self {
            name: tool.name.to_string(),
            title: title.or_else(|| annotations?.title.clone()).unwrap_or_default(),
            description: tool.description.clone().unwrap_or_default().into_owned(),
            input: object(&tool.input_schema),
            output: tool.output_schema.as_deref().map(object),
            annotations: serde_json::to_value(annotations).unwrap_or_default(),
        };
        let name_length = definition.name.len();
        let is_callable = (1..=128).contains(&name_length)
            && !definition.name.chars().any(|c| c.is_control() || c.is_whitespace());
        let name = text::quote_one(&definition.name);
        match definition.canonical().len() {
            _ if !is_callable => Err(format!("the tool {name} has a name that nobody can call")),
            length if length > MOST => Err(format!(
                "the tool {name} has a definition of {length} bytes, more than {MOST}: it is not offered"
            )),
            _ => Ok(definition),
        }
    }

    /// What an approval is for: everything that a model or a program sees of the tool.
    fn canonical(&self) -> String {
        let Self { name, title, description, input, output, annotations } = self;
        let input = settled(input);
        let output = output.as_ref().map(settled);
        canonical(&json!([name, title, description, input, output, annotations]))
    }

    /// The sha256 of all that, 64 hexadecimal digits.
    #[must_use]
    pub(super) fn hash(&self) -> String {
        format!("{:x}", Sha256::digest(self.canonical().as_bytes()))
    }

    /// What the server says of its effects.
    #[must_use]
    pub(super) fn hints(&self) -> Hints {
        let hint = |name: &str| self.annotations.get(name).and_then(Value::as_bool);
        Hints {
            read_only: hint("readOnlyHint") == Some(true),
            additive: hint("destructiveHint") == Some(false),
        }
    }
}

/// A schema whose sets have one order. Many servers keep them in sets of their language, and list
/// them in another order after each start.
fn settled(schema: &Value) -> Value {
    let Value::Object(members) = schema else { return schema.clone() };
    let settled = members.iter().map(|(name, value)| (name.clone(), settled_member(name, value)));
    Value::Object(settled.collect())
}

fn settled_member(name: &str, value: &Value) -> Value {
    match (name, value) {
        ("required" | "type" | "enum" | "examples", Value::Array(elements)) => {
            set(elements.iter().cloned())
        }
        ("anyOf" | "oneOf" | "allOf", Value::Array(schemas)) => set(schemas.iter().map(settled)),
        ("prefixItems" | "items", Value::Array(schemas)) => schemas.iter().map(settled).collect(),
        (
            "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
            Value::Object(schemas),
        ) => {
            let schemas = schemas.iter().map(|(name, schema)| (name.clone(), settled(schema)));
            Value::Object(schemas.collect())
        }
        ("dependentRequired" | "dependencies", Value::Object(members)) => {
            let members = members.iter().map(|(name, value)| match value {
                Value::Array(names) => (name.clone(), set(names.iter().cloned())),
                schema => (name.clone(), settled(schema)),
            });
            Value::Object(members.collect())
        }
        // Any value may stand here, also one that looks like a schema.
        ("const" | "default" | "enum" | "examples", _) => value.clone(),
        _ => settled(value),
    }
}

fn set(elements: impl Iterator<Item = Value>) -> Value {
    let mut elements: Vec<(String, Value)> = elements.map(|it| (canonical(&it), it)).collect();
    elements.sort_by(|first, second| first.0.cmp(&second.0));
    elements.dedup_by(|first, second| first.0 == second.0);
    elements.into_iter().map(|(_, element)| element).collect()
}

/// The text of a value in which the order of members makes no difference.
fn canonical(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            let lines: Vec<String> = members
                .into_iter()
                .map(|(name, value)| format!("{}:{}", Value::from(name.as_str()), canonical(value)))
                .collect();
            format!("{{{}}}", lines.join(","))
        }
        Value::Array(elements) => {
            format!("[{}]", elements.iter().map(canonical).collect::<Vec<_>>().join(","))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(description: &str, input: &str) -> Definition {
        let input = serde_json::from_str(input).expect("JSON");
        Definition {
            name: "a".into(),
            title: String::new(),
            description: description.into(),
            input,
            output: None,
            annotations: Value::Null,
        }
    }

    #[test]
    fn the_hash_tells_of_every_change_but_the_order_of_members() {
        let first = definition("x", r#"{"type":"object","properties":{"a":1,"b":2}}"#);
        let moved = definition("x", r#"{"properties":{"b":2,"a":1},"type":"object"}"#);
        assert_eq!(first.hash(), moved.hash());
        assert_ne!(first.hash(), definition("y", &first.input.to_string()).hash());
        assert_ne!(first.hash(), definition("x", "{}").hash());
        let hinted = Definition { annotations: json!({"readOnlyHint": true}), ..first.clone() };
        assert_ne!(first.hash(), hinted.hash());
        assert_ne!(first.hash(), Definition { output: Some(json!({})), ..first.clone() }.hash());
    }

    #[test]
    fn sets_are_compared_as_sets_and_lists_as_lists() {
        for (first, second, is_equal) in [
            (r#"{"required":["a","b"]}"#, r#"{"required":["b","a"]}"#, true),
            (r#"{"required":["a","b"]}"#, r#"{"required":["a"]}"#, false),
            (
                r#"{"properties":{"a":{"enum":[1,"x",null]}}}"#,
                r#"{"properties":{"a":{"enum":[null,1,"x"]}}}"#,
                true,
            ),
            (
                r#"{"items":{"type":["string","null"]}}"#,
                r#"{"items":{"type":["null","string"]}}"#,
                true,
            ),
            (
                r#"{"anyOf":[{"type":"string"},{"enum":[1,2]}]}"#,
                r#"{"anyOf":[{"enum":[2,1]},{"type":"string"}]}"#,
                true,
            ),
            (r#"{"examples":[1,2]}"#, r#"{"examples":[2,1]}"#, true),
            (r#"{"examples":[[1,2]]}"#, r#"{"examples":[[2,1]]}"#, false),
            (r#"{"default":[1,2]}"#, r#"{"default":[2,1]}"#, false),
            (r#"{"default":{"enum":[1,2]}}"#, r#"{"default":{"enum":[2,1]}}"#, false),
            (
                r#"{"prefixItems":[{"type":"string"},{}]}"#,
                r#"{"prefixItems":[{},{"type":"string"}]}"#,
                false,
            ),
            (
                r#"{"dependentRequired":{"a":["b","c"]}}"#,
                r#"{"dependentRequired":{"a":["c","b"]}}"#,
                true,
            ),
            (
                r#"{"properties":{"enum":{"default":[1,2]}}}"#,
                r#"{"properties":{"enum":{"default":[2,1]}}}"#,
                false,
            ),
        ] {
            let equal = definition("x", first).hash() == definition("x", second).hash();
            assert_eq!(equal, is_equal, "{first} {second}");
        }
    }
}
