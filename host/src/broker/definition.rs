//! The definition of a tool, as its server tells it, and the hash that it is approved by.

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
    /// Reads what a server has listed; None: it is too large, or its name cannot be called.
    pub(super) fn read(tool: &Tool) -> Option<Self> {
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
        (is_callable && definition.canonical().len() <= MOST).then_some(definition)
    }

    /// What an approval is for: everything that a model or a program sees of the tool.
    fn canonical(&self) -> String {
        let Self { name, title, description, input, output, annotations } = self;
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

/// The text of a value in which the order of members makes no difference.
fn canonical(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            let told: Vec<String> = members
                .into_iter()
                .map(|(name, value)| format!("{}:{}", Value::from(name.as_str()), canonical(value)))
                .collect();
            format!("{{{}}}", told.join(","))
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
}
