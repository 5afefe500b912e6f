//! Describes data in a prompt: their type, and the first three elements of each list.

use std::collections::BTreeMap;

use pif_domain::text;
use serde_json::{Map, Value};

/// The most bytes of all that is told of data.
pub(super) const MOST: usize = 4_096;

/// The most bytes of a shape.
const MOST_SHAPE: usize = 1_024;

/// Elements of a list that are shown.
const ELEMENTS: usize = 3;

/// Characters of a text that are shown.
const CHARACTERS: usize = 200;

/// Levels of a shape.
const LEVELS: usize = 6;

/// Members of a record that a shape names.
const MEMBERS: usize = 40;

/// Describes JSON in at most [`MOST`] bytes.
pub(super) fn described(json: &str) -> String {
    let Ok(value) = serde_json::from_str::<Value>(json) else {
        return format!("JSON of {} bytes, nested deep", json.len());
    };
    let shape = cut(&Shape::of(&value, LEVELS).to_string(), MOST_SHAPE);
    let count = match &value {
        Value::Array(items) => format!(", {} elements", items.len()),
        _ => String::new(),
    };
    let shown = shortened(&value).to_string();
    let is_whole = shown.len() == value.to_string().len();
    let title = if is_whole { "whole" } else { "a part, lists with three elements" };
    let head = format!("type: {shape}{count}\n{title}: ");
    let left = MOST.saturating_sub(head.len());
    format!("{head}{}", cut(&text::visible(&shown), left))
}

/// The beginning of a text, at most so many bytes.
pub(super) fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(most.saturating_sub('…'.len_utf8()));
    format!("{}…", text.get(..end).unwrap_or_default())
}

/// A value with three elements of each list and the beginning of each text.
fn shortened(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().take(ELEMENTS).map(shortened).collect(),
        Value::Object(members) => {
            let short = |(name, value): (&String, &Value)| (name.clone(), shortened(value));
            Value::Object(members.iter().map(short).collect::<Map<_, _>>())
        }
        Value::String(text) if text.chars().nth(CHARACTERS).is_some() => {
            let beginning: String = text.chars().take(CHARACTERS).collect();
            format!("{beginning}…").into()
        }
        value => value.clone(),
    }
}

/// The shapes that values have at a place.
#[derive(Debug, Default)]
struct Shape {
    /// Names of types that have no parts.
    plain: Vec<&'static str>,
    /// What the elements of lists are.
    elements: Option<Box<Shape>>,
    /// The members of records, each with how many records have it.
    members: Option<(BTreeMap<String, (u64, Shape)>, u64)>,
}

impl Shape {
    fn of(value: &Value, levels: usize) -> Self {
        let mut shape = Self::default();
        shape.add(value, levels);
        shape
    }

    /// Adds a value that is found at the place, too.
    fn add(&mut self, value: &Value, levels: usize) {
        let name = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(n) if n.to_string().contains(['.', 'e', 'E']) => "float",
            Value::Number(_) => "integer",
            Value::String(_) => "text",
            Value::Array(_) | Value::Object(_) if levels == 0 => "any",
            Value::Array(items) => {
                let elements = self.elements.get_or_insert_default();
                items.iter().for_each(|item| elements.add(item, levels - 1));
                return;
            }
            Value::Object(members) => {
                let (known, count) = self.members.get_or_insert_default();
                *count += 1;
                for (name, value) in members {
                    if known.len() < MEMBERS || known.contains_key(name) {
                        let (times, shape) = known.entry(name.clone()).or_default();
                        *times += 1;
                        shape.add(value, levels - 1);
                    }
                }
                return;
            }
        };
        if !self.plain.contains(&name) {
            self.plain.push(name);
            self.plain.sort_unstable();
        }
    }
}

impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut kinds: Vec<String> = self.plain.iter().map(|it| (*it).to_owned()).collect();
        if let Some(elements) = &self.elements {
            let inner = elements.to_string();
            let is_union = inner.contains(" | ") && !inner.starts_with('{');
            kinds.push(if is_union { format!("({inner})[]") } else { format!("{inner}[]") });
        }
        if let Some((members, count)) = &self.members {
            let member = |(name, (times, shape)): (&String, &(u64, Self))| {
                format!("{name}{}: {shape}", if times == count { "" } else { "?" })
            };
            let members: Vec<String> = members.iter().map(member).collect();
            kinds.push(format!("{{{}}}", members.join(", ")));
        }
        f.write_str(if kinds.is_empty() { "any" } else { "" })?;
        f.write_str(&kinds.join(" | "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_written_as_types() {
        for (json, shape) in [
            ("1", "integer"),
            ("[]", "any[]"),
            ("[1, 2.5, null]", "(float | integer | null)[]"),
            (r#"[{"a": 1, "b": "x"}, {"a": 2}]"#, "{a: integer, b?: text}[]"),
            (r#"{"a": [[true]]}"#, "{a: boolean[][]}"),
        ] {
            let value: Value = serde_json::from_str(json).expect("JSON");
            assert_eq!(Shape::of(&value, LEVELS).to_string(), shape, "{json}");
        }
    }

    #[test]
    fn a_description_shows_three_elements_and_has_an_end() {
        let told = described("[1,2,3,4]");
        assert_eq!(told, "type: integer[], 4 elements\na part, lists with three elements: [1,2,3]");
        assert_eq!(described("{\"a\":1}"), "type: {a: integer}\nwhole: {\"a\":1}");
        let long = format!("[{}]", vec![format!("\"{}\"", "ü".repeat(5_000)); 9].join(","));
        assert!(described(&long).len() <= MOST && described(&long).contains("ü…"));
        let wide: Vec<String> =
            (0..500).map(|n| format!("\"member_{n}\":\"{}\"", "x".repeat(90))).collect();
        assert!(described(&format!("{{{}}}", wide.join(","))).len() <= MOST);
        assert!(described(&"[".repeat(900)).starts_with("JSON of 900 bytes"));
    }
}
