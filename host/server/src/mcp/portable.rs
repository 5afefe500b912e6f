//! Schemas in the keywords that every known client takes. What cannot be said in them is left out, so
//! that the schema accepts more.

use serde_json::{Map, Value, json};

use super::arguments::any_item;

/// The schema in portable keywords. None if it accepts anything then.
pub(super) fn portable(schema: &Value) -> Option<Value> {
    let members = schema.as_object()?;
    if let Some(text) = members.get("const").and_then(Value::as_str) {
        return Some(json!({"type": "string", "enum": [text]}));
    }
    if let Some(choices) = members.get("anyOf").and_then(Value::as_array) {
        let choices: Option<Vec<Value>> = choices.iter().map(portable).collect();
        return choices.map(|choices| json!({ "anyOf": united(choices) }));
    }
    let name = members.get("type").and_then(Value::as_str)?;
    let mut record = Map::new();
    record.insert("type".to_owned(), name.into());
    match name {
        "array" => {
            let items = members.get("items").and_then(portable).unwrap_or_else(any_item);
            record.insert("items".to_owned(), items);
        }
        "object" => describe_members(members, &mut record),
        _ => {}
    }
    Some(record.into())
}

/// Adds the members of a record of which something is known.
fn describe_members(members: &Map<String, Value>, told: &mut Map<String, Value>) {
    let properties = members.get("properties").and_then(Value::as_object);
    let known: Map<String, Value> = properties
        .into_iter()
        .flatten()
        .filter_map(|(name, schema)| Some((name.clone(), portable(schema)?)))
        .collect();
    let required = members.get("required").and_then(Value::as_array);
    let required: Vec<&Value> = required
        .into_iter()
        .flatten()
        .filter(|name| name.as_str().is_some_and(|name| known.contains_key(name)))
        .collect();
    if !required.is_empty() {
        told.insert("required".to_owned(), json!(required));
    }
    if !known.is_empty() {
        told.insert("properties".to_owned(), known.into());
    }
}

/// Choices of texts become one choice.
fn united(choices: Vec<Value>) -> Vec<Value> {
    let (texts, mut others): (Vec<Value>, Vec<Value>) =
        choices.into_iter().partition(|it| it.get("enum").is_some());
    let texts: Vec<Value> =
        texts.iter().filter_map(|it| it["enum"].as_array()).flatten().cloned().collect();
    if !texts.is_empty() {
        others.push(json!({"type": "string", "enum": texts}));
    }
    others
}

#[cfg(test)]
mod tests {
    use super::{any_item, portable};
    use serde_json::{Value, json};

    #[test]
    fn a_portable_schema_accepts_no_less() {
        let record = json!({"type": "object", "properties": {"a": {}, "b": {"type": "number"}}, "required": ["a", "b"]});
        for (schema, told) in [
            (json!({}), None),
            (json!({"const": "x"}), Some(json!({"type": "string", "enum": ["x"]}))),
            (json!({"anyOf": [{"const": "x"}, {}]}), None),
            (
                json!({"anyOf": [{"const": "x"}, {"type": "null"}, {"const": "y"}]}),
                Some(json!({"anyOf": [{"type": "null"}, {"type": "string", "enum": ["x", "y"]}]})),
            ),
            (
                json!({"type": "array", "prefixItems": [{}], "items": false}),
                Some(json!({"type": "array", "items": any_item()})),
            ),
            (
                record,
                Some(
                    json!({"type": "object", "required": ["b"], "properties": {"b": {"type": "number"}}}),
                ),
            ),
            (json!({"not": {}}), None),
            (json!({"allOf": [{"type": "object"}]}), None),
        ] {
            let told: Option<Value> = told;
            assert_eq!(portable(&schema), told, "{schema}");
        }
    }
}
