//! Excerpts of faults, found in another way: the pointer is followed through the JSON that was sent,
//! and what stands there is written down as a whole before it is cut.

use crate::case::canonical;
use crate::run::Fault;
use anyhow::{Context, Result, ensure};
use pif::request::{Argument, Program, Source};
use serde_json::Value;

/// Characters of an excerpt.
const LONGEST: usize = 80;

/// A fault's excerpt is what stands where the fault points. It may be missing only where nothing
/// was read: for texts in the notation, which have a line and a column instead, for texts that are
/// no JSON, tools that are not there, limits of the whole run, and
/// what the host of these tests refuses.
pub fn verify(program: &Program, fault: &Fault) -> Result<()> {
    let Some(excerpt) = &fault.excerpt else {
        let codes = [
            "unparsable",
            "duplicate-key",
            "too-large",
            "unknown-tool",
            "out-of-fuel",
            "capability-denied",
            "unknown-capability",
        ];
        let is_context =
            fault.code == "malformed" && ["/context", "/bindings"].contains(&&*fault.at);
        // Of a result as a whole nothing was read.
        let is_number =
            fault.code == "not-finite" && (fault.at.is_empty() || fault.at.starts_with("/data"));
        // A call of a list that was computed.
        let is_call = fault.code == "malformed" && fault.at.contains("/calls/");
        let has_place = fault.place.is_some();
        let is_other = has_place || is_context || is_number || is_call;
        let may = is_other || codes.contains(&fault.code.as_str());
        ensure!(may, "no excerpt: {fault:?}");
        return Ok(());
    };
    // A pointer that had to be shortened or escaped leads nowhere.
    if fault.at.contains('…') || fault.at.contains('\\') {
        return Ok(());
    }
    let (text, pointer) = source(program, fault).context("the fault points to no source")?;
    let Ok(root) = serde_json::from_str::<Value>(&text) else { return Ok(()) };
    let found = follow(root, pointer).with_context(|| format!("{} leads nowhere", fault.at))?;
    let decoded = found.as_str().and_then(|text| serde_json::from_str(text).ok());
    let decoded = decoded.unwrap_or_else(|| found.clone());
    let expected = [canonical(&found), written(&found), canonical(&decoded)];
    let expected = expected.map(|text| shorten(&text));
    ensure!(expected.contains(excerpt), "at {}: {excerpt}, not {expected:?}", fault.at);
    Ok(())
}

/// The text that a fault points into, and the pointer within it.
fn source<'a>(program: &Program, fault: &'a Fault) -> Option<(String, &'a str)> {
    if let Some(name) = &fault.tool {
        let tool = program.tools.iter().find(|tool| tool.0 == *name)?;
        return Some((tool.1.clone(), &fault.at));
    }
    let code = match &program.code {
        Source::Term(text) => Some(text.clone()),
        Source::Tool(_) => None,
    };
    for (prefix, text) in [("/input", &program.argument), ("/data", &program.argument)] {
        if let (Some(rest), Argument::Input(text) | Argument::Data(text)) =
            (fault.at.strip_prefix(prefix), text)
            && (rest.is_empty() || rest.starts_with('/'))
        {
            return Some((text.clone(), rest));
        }
    }
    if let Some(rest) = fault.at.strip_prefix("/bindings/") {
        let name = rest.split('/').next().unwrap_or_default();
        let bound = program.bindings.iter().find(|bound| bound.0 == name)?;
        return Some((bound.1.clone()?, rest.get(name.len()..)?));
    }
    match (fault.at.strip_prefix("/context"), &program.context) {
        (Some(rest), Some(text)) => Some((text.clone(), rest)),
        _ => Some((code?, &fault.at)),
    }
}

/// What a pointer leads to. Strings on the way hold JSON, as they may in an input.
fn follow(root: Value, pointer: &str) -> Option<Value> {
    let mut at = root;
    for step in pointer.split('/').skip(1) {
        while let Value::String(text) = &at {
            at = serde_json::from_str(text).ok()?;
        }
        let key = step.replace("~1", "/").replace("~0", "~");
        at = match at {
            Value::Array(items) => items.into_iter().nth(key.parse().ok()?)?,
            Value::Object(mut members) => members.remove(&key)?,
            _ => return None,
        };
    }
    Some(at)
}

/// A value with its members in the order in which they were sent, and exponents as `serde_json`
/// writes them.
fn written(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            format!("[{}]", items.iter().map(written).collect::<Vec<_>>().join(","))
        }
        Value::Object(members) => {
            let member = |(key, value): (&String, &Value)| {
                format!("{}:{}", Value::from(key.as_str()), written(value))
            };
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(","))
        }
        scalar => scalar.to_string(),
    }
}

/// As many characters as an excerpt has, with what cannot be seen written as JSON escapes it.
fn shorten(text: &str) -> String {
    let visible = pif_domain::text::line(text, usize::MAX);
    let mut characters = visible.chars();
    let mut short: String = characters.by_ref().take(LONGEST).collect();
    if characters.next().is_some() {
        short.push('…');
    }
    short
}
