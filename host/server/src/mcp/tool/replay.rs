//! `replay`: repeats a journaled run and compares the outcomes.

use std::sync::Arc;

use pif_domain::text;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::backend::Backend;
use super::{Call, Tool, ToolResult};
use crate::render::Reply;
use crate::workshop::{Difference, ReplayResult, Verdict};

/// The most characters of a differing field.
const MOST_FIELD: usize = 400;

/// The most fields in a reply.
const MOST_FIELDS: usize = 30;

const TEXT: &str = "\
Repeat a run of the journal (`entry`) with the tools that it had then, and compare everything \
with the record. It writes nothing.";

/// What it takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in super::super) struct Arguments {
    /// its number
    #[schemars(range(min = 1))]
    entry: u64,
}

impl Tool for Arguments {
    const TEXT: &'static str = TEXT;

    async fn call(self, backend: &Arc<Backend>, call: Call) -> ToolResult {
        let entry = i64::try_from(self.entry).unwrap_or(i64::MAX);
        let replay = move |backend: &Backend, watch: &_| backend.workshop.replay(entry, watch);
        let replayed = backend.run_blocking(&call.caller, replay).await??;
        Ok(render(&replayed))
    }
}

fn render(ReplayResult { entry, verdict, evaluator }: &ReplayResult) -> Reply {
    let mut lines = match verdict {
        Verdict::Equal => vec![format!("entry {entry}: equal to the record")],
        Verdict::Skipped(reason) => {
            vec![format!("entry {entry} cannot be replayed: {}", line(reason))]
        }
        Verdict::Different(differences) => {
            let mut lines = vec![format!("entry {entry}: different")];
            lines.extend(differences.iter().take(MOST_FIELDS).map(|it| {
                let recorded = line(&it.recorded());
                let now = line(&it.now());
                format!("- {}: recorded {recorded}, now {now}", line(&it.field))
            }));
            lines
        }
    };
    if let Some(hash) = evaluator {
        lines.push(format!("another evaluator made that run, sha256 {hash}"));
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
    // Short values stay JSON. Strings are bounded; lists and objects become text.
    let describe = |value: &Value| match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        Value::String(text) => line(text).into(),
        value => line(&value.to_string()).into(),
    };
    json!({"field": line(field), "recorded": describe(recorded), "now": describe(now)})
}

fn line(text: &str) -> String {
    text::line(text, MOST_FIELD)
}
