//! The schemas of arguments, in a form that every known client accepts.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

/// The schema of the struct `T`.
pub(super) fn of<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    plain(settings.into_generator().into_root_schema_for::<T>().to_value())
}

/// Removes the parts of a schema that clients do not need and that some do not understand:
/// alternatives with null, formats and null defaults.
fn plain(mut schema: Value) -> Value {
    let Some(members) = schema.as_object_mut() else { return schema };
    members.retain(|name, _| matches!(name.as_str(), "type" | "properties" | "required"));
    let properties = members.entry("properties").or_insert_with(|| json!({}));
    for property in properties.as_object_mut().into_iter().flat_map(|it| it.values_mut()) {
        let Some(members) = property.as_object_mut() else { continue };
        members.remove("format");
        members.retain(|name, value| match name.as_str() {
            "minimum" => value != 0,
            "default" => !value.is_null() && value != false && value != "",
            _ => true,
        });
        let only = match members.get("type") {
            Some(Value::Array(types)) => types.iter().find(|kind| *kind != "null").cloned(),
            _ => None,
        };
        members.extend(only.map(|kind| ("type".to_owned(), kind)));
    }
    schema
}

/// The schema of a program. Terms of other types are programs, too, and their text is one.
pub(in super::super) fn term(_: &mut SchemaGenerator) -> Schema {
    schema(json!({"anyOf": [{"type": "string"}, {"type": "object"}]}))
}

/// The schema of any JSON.
pub(in super::super) fn any_value(_: &mut SchemaGenerator) -> Schema {
    schema(any(LISTS))
}

/// Lists within lists that schemas of any JSON tell of.
const LISTS: usize = 2;

/// Any JSON, with so many lists within each other. Some clients need a type everywhere, and `items` of a
/// list, so the schema ends somewhere: deeper lists are not in it, and the server takes them. Some clients
/// build types from it and try them in order: `integer` stands before `number`, which would make floats of
/// integers. What the members of an object are is not told: anything.
fn any(lists: usize) -> Value {
    let types = ["object", "string", "integer", "number", "boolean", "null"];
    let mut all: Vec<Value> = types.iter().map(|name| json!({"type": name})).collect();
    if lists > 0 {
        all.push(json!({"type": "array", "items": any(lists - 1)}));
    }
    json!({ "anyOf": all })
}

/// The schema of the items of a list of which nothing is known.
pub(in super::super) fn any_item() -> Value {
    any(LISTS - 1)
}

/// The schema of a list of programs.
pub(in super::super) fn terms(generator: &mut SchemaGenerator) -> Schema {
    schema(json!({"type": "array", "items": term(generator)}))
}

/// The schema of a number, of which integers stay integers.
pub(in super::super) fn number() -> Value {
    json!({"anyOf": [{"type": "integer"}, {"type": "number"}]})
}

/// The schema of an argument that is a JSON Schema.
pub(in super::super) fn json_schema(_: &mut SchemaGenerator) -> Schema {
    schema(json!({"anyOf": [{"type": "object"}, {"type": "boolean"}]}))
}

/// The schema of an object.
pub(in super::super) fn record(_: &mut SchemaGenerator) -> Schema {
    schema(json!({"type": "object"}))
}

/// The schema of a string.
pub(in super::super) fn text(_: &mut SchemaGenerator) -> Schema {
    schema(json!({"type": "string"}))
}

/// The schema for a JSON value.
pub(in super::super) fn schema(value: Value) -> Schema {
    Schema::try_from(value).unwrap_or_default()
}
