//! Renders outcomes and values as text and as records. A value is shown exactly or not at all.

use pif_domain::json;
use pif_domain::text::plain;
use pif_domain::{Excess, Limit};
use pif_sandbox::{Completion, Outcome};
use serde_json::{Value, json};

use super::fault::excess;
use super::record::{Record, put};
use super::reply::{Refusal, Reply};

/// The hint for a value that is too large to show.
const LESS: &str = "return less: `take`, `slice`, `length`, or fold the result to what you need";

/// The hint for a tool whose value is a function: it takes more arguments.
const MORE: &str = r#"a tool takes several arguments by `code`: {"code": "@name(a, b)"}"#;

/// Renders an outcome. The value may have `most` characters; warnings and trace may have `lines`
/// lines each.
pub fn outcome(outcome: &Outcome, most: usize, lines: usize) -> Result<Reply, Refusal> {
    let Outcome { ending, usage, driven, tool } = outcome;
    let (json, kind, warnings, trace) = match ending {
        Ok(Completion::Value(it)) => (&it.json, it.kind.as_str(), &it.warnings, &it.trace),
        Ok(Completion::Continuation(it)) => (&it.json, "continuation", &it.warnings, &it.trace),
        Err(fault) => {
            let mut refusal = Refusal::after(fault, usage.fuel);
            put(&mut refusal.structured, "warnings", cap(fault.warnings.clone(), lines));
            return Err(refusal);
        }
    };
    let mut reply = show(json, "result", most, LESS);
    if kind == "function" && tool.is_some() {
        reply.asides.push(format!("hint: {MORE}"));
        reply.structured.insert("hint".to_owned(), MORE.into());
    }
    reply.structured.insert("kind".to_owned(), kind.into());
    reply.structured.insert("fuel".to_owned(), usage.fuel.into());
    if *driven > 0 {
        reply.structured.insert("steps".to_owned(), (*driven).into());
    }
    put(&mut reply.structured, "warnings", cap(warnings.clone(), lines));
    put(&mut reply.structured, "trace", cap(trace.clone(), lines));
    Ok(reply)
}

/// Keeps the first `most` lines and adds one that counts the omitted lines.
pub fn cap(mut lines: Vec<String>, most: usize) -> Vec<String> {
    if lines.len() > most {
        let more = lines.len() - most;
        lines.truncate(most);
        lines.push(format!("… and {more} more"));
    }
    lines
}

/// The deepest nesting that the JSON parsers of clients are trusted with.
const TRUSTED_DEPTH: usize = 64;

/// Shows a value exactly, or only its size if it has more than `most` characters. `hint` says how
/// to ask for less.
pub fn show(json: &str, what: &str, most: usize, hint: &str) -> Reply {
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

/// The member that holds a value: `value` if client parsers keep it exactly, `exact` as JSON text
/// if they might not.
pub fn exact(json: &str) -> Record {
    let mut structured = Record::new();
    let shallow = json::depth(json.as_bytes()) <= TRUSTED_DEPTH;
    let value: Option<Value> = shallow.then(|| serde_json::from_str(json).ok()).flatten();
    // If two members have one name, parsers keep the last.
    let is_whole =
        value.as_ref().is_some_and(|it| count_members(it) == json::count_members(json.as_bytes()));
    match value.filter(|_| is_whole && !json::has_wide_number(json)) {
        Some(value) => structured.insert("value".to_owned(), value),
        None => structured.insert("exact".to_owned(), json.into()),
    };
    structured
}

/// The number of members of all objects in a value.
fn count_members(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(count_members).sum(),
        Value::Object(members) => {
            members.len() + members.values().map(count_members).sum::<usize>()
        }
        _ => 0,
    }
}
