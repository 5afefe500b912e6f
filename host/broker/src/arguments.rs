//! Arguments compared with what a tool asks for, before anything is sent. Only what the schema says
//! plainly is looked at: names, and types of values. The server judges the rest.

use pif_domain::text;
use pif_domain::text::similar::similar;
use regex::Regex;
use serde_json::{Map, Value};

use super::signature::names;

/// What is wrong with arguments, in one sentence; None: nothing that we can see.
#[must_use]
pub(super) fn mistake(schema: &Value, args: &Map<String, Value>) -> Option<String> {
    let args: Vec<(&str, Option<&Value>)> =
        args.iter().map(|(name, value)| (name.as_str(), Some(value))).collect();
    wrong(schema, &args, true)
}

/// What is wrong with arguments of which some values are not known yet; `is_all` says that there are
/// no others.
#[must_use]
pub fn foreseen_mistake(
    schema: &Value,
    args: &[(String, Option<Value>)],
    is_all: bool,
) -> Option<String> {
    let args: Vec<(&str, Option<&Value>)> =
        args.iter().map(|(name, value)| (name.as_str(), value.as_ref())).collect();
    wrong(schema, &args, is_all)
}

fn wrong(schema: &Value, args: &[(&str, Option<&Value>)], is_all: bool) -> Option<String> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let known = || properties.into_iter().flat_map(|it| it.keys().map(String::as_str));
    let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    let has = |name: &str| args.iter().any(|(given, _)| *given == name);
    for (name, value) in args {
        let Some(schema) = properties.and_then(|it| it.get(*name)) else {
            // A name that is nearly one that is missing was meant to be that.
            let missing = names(schema).into_iter().filter(|it| !has(it));
            let meant = similar(name, missing);
            if matches_pattern(schema, name) || (!is_closed && meant.is_none()) {
                continue;
            }
            let hint = meant.or_else(|| similar(name, known()));
            let hint = hint.map(|it| format!("; did you mean {}?", text::quote_one(it)));
            let name = text::quote_one(name);
            return Some(format!("there is no argument {name}{}", hint.unwrap_or_default()));
        };
        if let Some(value) = value
            && let Some(TypeMismatch { at, expected, found }) = unmet(schema, value, name)
        {
            let at = text::quote_one(&at);
            return Some(format!("the argument {at} must be {expected}, and is {found}"));
        }
    }
    let has_default = |name: &str| properties.and_then(|it| it.get(name)?.get("default")).is_some();
    let missing: Vec<&str> = names(schema)
        .into_iter()
        .filter(|name| is_all && !has(name) && !has_default(name))
        .collect();
    match missing.as_slice() {
        [] => None,
        [name] => Some(format!("the argument {} is missing", text::quote_one(name))),
        names => Some(format!("the arguments {} are missing", text::quote(names))),
    }
}

/// Whether a schema has arguments whose names are like this one.
fn matches_pattern(schema: &Value, name: &str) -> bool {
    let patterns = schema.get("patternProperties").and_then(Value::as_object);
    // A pattern that we cannot read is the server's to judge.
    let is_like = |pattern: &String| Regex::new(pattern).map_or(true, |it| it.is_match(name));
    patterns.into_iter().flat_map(Map::keys).any(is_like)
}

/// A value of another type than it should have.
struct TypeMismatch {
    /// Where it is: `tags[0]`, `filter.state`.
    at: String,
    expected: String,
    found: &'static str,
}

/// The first part of a value that has another type than it should have.
fn unmet(schema: &Value, value: &Value, at: &str) -> Option<TypeMismatch> {
    let types: Vec<&str> = match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let is_met = |name: &&str| match *name {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => is_whole(value),
        // A type that we do not know is the server's to judge.
        _ => true,
    };
    let is_null = value.is_null() && schema.get("nullable") == Some(&Value::Bool(true));
    if !types.is_empty() && !is_null && !types.iter().any(is_met) {
        let told: Vec<&str> = types.iter().map(|name| word(name)).collect();
        let at = at.to_owned();
        let expected = told.join(" or ");
        return Some(TypeMismatch { at, expected, found: type_of(value) });
    }
    match value {
        Value::Array(elements) => {
            let items = schema.get("items")?;
            let mut elements = elements.iter().enumerate();
            elements.find_map(|(n, element)| unmet(items, element, &format!("{at}[{n}]")))
        }
        Value::Object(members) => {
            let known = schema.get("properties")?;
            let mut members = members.iter();
            members.find_map(|(name, it)| unmet(known.get(name)?, it, &format!("{at}.{name}")))
        }
        _ => None,
    }
}

/// Whether a number has no part behind the point.
fn is_whole(value: &Value) -> bool {
    let Value::Number(number) = value else { return false };
    let text = number.to_string();
    let (digits, part) = text.split_once('.').unwrap_or((&text, ""));
    !digits.contains(['e', 'E']) && part.chars().all(|c| c == '0')
}

fn word(name: &str) -> &str {
    match name {
        "string" => "a text",
        "boolean" => "true or false",
        "array" => "a list",
        "object" => "a record",
        "number" => "a number",
        "integer" => "a whole number",
        other => other,
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) if is_whole(value) => "a whole number",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a record",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn mistakes_name_the_argument() {
        let schema = json!({"required": ["query", "n"], "properties": {
            "query": {"type": "string"}, "n": {"type": "integer"}, "x": {"type": ["number", "null"]},
            "tags": {"type": "array", "items": {"type": "string"}},
            "by": {"properties": {"age": {"type": "integer", "nullable": true}}}}});
        let closed = {
            let mut closed = schema.clone();
            closed["additionalProperties"] = false.into();
            closed["patternProperties"] = json!({"^x-": {}});
            closed
        };
        for (schema, args, expected) in [
            (&schema, json!({"query": "a", "n": 1}), None),
            (&schema, json!({"query": "a", "n": 2.0, "x": null, "other": 1}), None),
            (&schema, json!({"n": 1}), Some("the argument `query` is missing")),
            (&schema, json!({}), Some("the arguments `query`, `n` are missing")),
            (
                &schema,
                json!({"qery": "a", "n": 1}),
                Some("there is no argument `qery`; did you mean `query`?"),
            ),
            (
                &schema,
                json!({"query": 1, "n": 1}),
                Some("the argument `query` must be a text, and is a whole number"),
            ),
            (
                &schema,
                json!({"query": "a", "n": 1.5}),
                Some("the argument `n` must be a whole number, and is a number"),
            ),
            (
                &schema,
                json!({"query": "a", "n": 1, "x": "1"}),
                Some("the argument `x` must be a number or null, and is a text"),
            ),
            (
                &schema,
                json!({"query": "a", "n": 1, "tags": ["a", 1]}),
                Some("the argument `tags[1]` must be a text, and is a whole number"),
            ),
            (
                &schema,
                json!({"query": "a", "n": 1, "by": {"age": "1"}}),
                Some("the argument `by.age` must be a whole number, and is a text"),
            ),
            (&schema, json!({"query": "a", "n": 1, "by": {"age": null}}), None),
            (&closed, json!({"query": "a", "n": 1, "x-a": 1}), None),
            (
                &closed,
                json!({"query": "a", "n": 1, "quary": 1}),
                Some("there is no argument `quary`; did you mean `query`?"),
            ),
        ] {
            let args = args.as_object().cloned().unwrap_or_default();
            assert_eq!(mistake(schema, &args).as_deref(), expected, "{args:?}");
        }
    }
}
