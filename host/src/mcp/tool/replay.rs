//! `replay`: makes a run of the journal again and compares.

use std::sync::Arc;

use serde_json::{Value, json};

use super::super::arguments::{Arguments, malformed};
use super::super::backend::Backend;
use super::{Call, Description, ToolResult, arguments, reply};
use crate::render::Reply;
use crate::text;
use crate::workshop::{Difference, Replayed, Verdict};

/// Characters of a field in which two runs differ.
const MOST_FIELD: usize = 400;

/// Fields that are told.
const MOST_FIELDS: usize = 30;

const TEXT: &str = "\
Repeat a journaled run with its tools as they were, and compare value, fault, warnings, \
trace, steps, fuel, memory, depth with what is recorded. Writes nothing. `journal_recent` shows the entries.";

pub(super) fn describe() -> Description {
    let entry = json!({"type": "integer", "minimum": 1, "description": "the number of an entry"});
    Description {
        title: "Replay a run".to_owned(),
        text: TEXT.to_owned(),
        input: arguments(&json!({ "entry": entry }), &["entry"]),
        output: reply(
            &json!({"verdict": {"type": "string"}, "differences": {"type": "array", "items": {"type": "object"}}}),
        ),
        read_only: true,
    }
}

pub(super) async fn call(backend: &Arc<Backend>, call: Call) -> ToolResult {
    let arguments = Arguments::parse(&call.arguments, "replay", &["entry"])?;
    let Some(entry) = arguments.count("entry")? else {
        let hint = "add the number of an entry; `journal_recent` shows them";
        return Err(malformed("the argument `entry` is missing", Some(hint)).into());
    };
    let entry = i64::try_from(entry).unwrap_or(i64::MAX);
    let replay = move |backend: &Backend, watch: &_| backend.workshop.replay(entry, watch);
    let replayed = backend.run_blocking(&call.caller, replay).await??;
    Ok(tell(&replayed))
}

fn tell(Replayed { entry, verdict, evaluator }: &Replayed) -> Reply {
    let mut lines = match verdict {
        Verdict::Equal => vec![format!("entry {entry}: equal in all that is recorded")],
        Verdict::Skipped(reason) => {
            vec![format!("entry {entry} cannot be replayed: {}", line(reason))]
        }
        Verdict::Different(differences) => {
            let mut lines = vec![format!("entry {entry}: different")];
            lines.extend(differences.iter().take(MOST_FIELDS).map(|it| {
                let (recorded, now) = (line(&it.recorded()), line(&it.now()));
                format!("- {}: recorded {recorded}, now {now}", line(&it.field))
            }));
            lines
        }
    };
    if let Some(hash) = evaluator {
        lines.push(format!("it was made with another evaluator, sha256 {hash}"));
    }
    let mut reply =
        Reply::new(lines.join("\n"), json!({"entry": entry, "verdict": verdict.name()}));
    let mut put = |name: &str, value: Value| drop(reply.structured.insert(name.to_owned(), value));
    match verdict {
        Verdict::Equal => {}
        Verdict::Skipped(reason) => put("reason", line(reason).into()),
        Verdict::Different(differences) => {
            put("differences", differences.iter().take(MOST_FIELDS).map(record).collect());
        }
    }
    if let Some(hash) = evaluator {
        put("evaluator", hash.as_str().into());
    }
    reply
}

fn record(difference: &Difference) -> Value {
    let Difference { field, recorded, now } = difference;
    // What is no text is short, or a list of lines: both are told as text where they are not.
    let told = |value: &Value| match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        Value::String(text) => line(text).into(),
        value => line(&value.to_string()).into(),
    };
    json!({"field": line(field), "recorded": told(recorded), "now": told(now)})
}

fn line(text: &str) -> String {
    text::line(text, MOST_FIELD)
}
