//! How a run ended, as text and as a record.

use super::record::put;
use super::reply::{Refusal, Reply};
use super::value::show;
use crate::sandbox::{Ending, Outcome};

/// How to have a result that can be shown.
const LESS: &str = "return less: `take`, `slice`, `length`, or fold the result to what you need";

/// How to have more than the function that a tool gives of its first argument.
const MORE: &str = r#"a tool takes several arguments by `code`: {"code": "@name(a, b)"}"#;

/// Tells how a run ended. The reply holds a result of `most` characters, and so many `lines` of
/// warnings and of trace.
pub(crate) fn outcome(outcome: &Outcome, most: usize, lines: usize) -> Result<Reply, Refusal> {
    let Outcome { ending, usage, driven, tool } = outcome;
    let (json, kind, warnings, trace) = match ending {
        Ok(Ending::Value(it)) => (&it.json, it.kind.as_str(), &it.warnings, &it.trace),
        Ok(Ending::Continuation(it)) => (&it.json, "continuation", &it.warnings, &it.trace),
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

/// Keeps as many lines as a reply shows, and says how many there are more.
pub(crate) fn cap(mut lines: Vec<String>, most: usize) -> Vec<String> {
    if lines.len() > most {
        let more = lines.len() - most;
        lines.truncate(most);
        lines.push(format!("… and {more} more"));
    }
    lines
}
