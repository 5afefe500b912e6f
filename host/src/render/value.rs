//! Values as text and as records: exactly, or not at all.

use serde_json::{Value, json};

use super::fault::excess;
use super::record::Record;
use super::reply::Reply;
use crate::domain::{Excess, Limit};
use crate::json;
use crate::text::plain;

/// Levels of nesting that parsers of clients are trusted with.
const TRUSTED_DEPTH: usize = 64;

/// A value, exactly or not at all; `hint` says how to ask for less.
pub(crate) fn show(json: &str, what: &str, most: usize, hint: &str) -> Reply {
    let text = plain(json);
    let size = text.chars().count();
    if size > most {
        let text = format!(
            "the {what} has {size} characters, more than the {most} that are shown; {hint}"
        );
        let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
        let limit = excess(Excess { name: Limit::Result, used: count(size), limit: count(most) });
        let record = json!({"truncated": true, "size": size, "hint": hint, "limit": limit});
        return Reply::new(text, record);
    }
    Reply { text, structured: exact(json), asides: Vec::new() }
}

/// The members that hold a value: as such where clients can be trusted with it, as text where
/// they may not have it exactly otherwise.
pub(crate) fn exact(json: &str) -> Record {
    let mut structured = Record::new();
    let shallow = json::depth(json.as_bytes()) <= TRUSTED_DEPTH;
    let value: Option<Value> = shallow.then(|| serde_json::from_str(json).ok()).flatten();
    // Of members with one name, parsers keep the last.
    let is_whole =
        value.as_ref().is_some_and(|it| count_members(it) == json::count_members(json.as_bytes()));
    if !is_whole || json::has_wide_number(json) {
        structured.insert("exact".to_owned(), json.into());
    }
    if let Some(value) = value {
        structured.insert("value".to_owned(), value);
    }
    structured
}

/// How many members all objects in a value have.
fn count_members(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(count_members).sum(),
        Value::Object(members) => {
            members.len() + members.values().map(count_members).sum::<usize>()
        }
        _ => 0,
    }
}
