//! What the profiles show of a run: how many lines, and what `debug` adds.

use serde_json::{Value, json};

use super::evaluated::Evaluated;
use super::tool::ToolResult;
use crate::config::{Config, Profile};
use crate::domain::Limit;
use crate::render::{self, Record, cap, put};
use crate::sandbox::milliseconds;

/// Tells how a run ended, as the profile has it.
pub(super) fn tell(run: Evaluated, config: &Config) -> ToolResult {
    let profile = config.profile;
    let lines = profile.lines();
    let mut told = render::outcome(&run.outcome, config.values.size(Limit::Result), lines);
    let record = match &mut told {
        Ok(reply) => &mut reply.structured,
        Err(refusal) => &mut refusal.structured,
    };
    if profile == Profile::Debug {
        annotate(record, &run, config);
    }
    put(record, "evaluation", cap(run.evaluation, lines));
    told
}

/// What the profile `debug` adds to the record of a run, whether it ended well or not.
fn annotate(record: &mut Record, report: &Evaluated, config: &Config) {
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
            "wall_clock_ms": milliseconds(config.values.time(Limit::WallClock)),
            "result": config.values.size(Limit::Result),
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
