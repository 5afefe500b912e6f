//! What the profiles show of a run: how many lines, and what `debug` adds.

use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::report::Report;
use crate::config::Config;
use crate::sandbox::milliseconds;

/// Keeps as many lines as the profile shows, and says how many there are more.
pub(super) fn cap(mut lines: Vec<String>, most: usize) -> Vec<String> {
    if lines.len() > most {
        let more = lines.len() - most;
        lines.truncate(most);
        lines.push(format!("… and {more} more"));
    }
    lines
}

/// What the profile `debug` adds to the record of a run, whether it ended well or not.
pub(super) fn annotate(record: &mut JsonObject, report: &Report, config: &Config) {
    let (usage, limits) = (&report.outcome.usage, report.limits);
    let added = json!({
        "usage": {
            "fuel": usage.fuel,
            "peak_memory": usage.peak_memory,
            "peak_depth": usage.peak_depth,
        },
        "limits": {
            "fuel": limits.fuel,
            "depth": limits.depth,
            "memory": limits.memory,
            "wall_clock_ms": milliseconds(config.wall_clock),
            "result": config.max_result,
        },
        "elapsed_ms": milliseconds(report.elapsed),
        "steps": report.outcome.driven,
        "warnings": [],
        "trace": [],
    });
    if let Value::Object(added) = added {
        for (name, value) in added {
            record.entry(name).or_insert(value);
        }
    }
    if let Some(revision) = &report.revision {
        record.insert("revision".to_owned(), revision.as_str().into());
    }
    if let Some(entry) = report.entry {
        record.insert("entry".to_owned(), entry.into());
    }
}

/// The schema of what [`annotate`] adds.
pub(super) fn schema() -> Value {
    let numbers = |text: &str| json!({"type": "object", "description": text});
    json!({
        "usage": numbers("fuel, peak_memory in bytes, peak_depth"),
        "limits": numbers("what the run was allowed"),
        "elapsed_ms": {"type": "integer"},
        "entry": {"type": "integer", "description": "its number in the journal"},
        "revision": {"type": "string", "description": "sha256 of the canonical term that was run"},
    })
}
