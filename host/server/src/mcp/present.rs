//! Presents a reply according to the client's profile: text alone, text and a small record, or
//! everything including the resources that a run used.

use pif_domain::text::{self, quote_one};
use pif_domain::{CallSummary, FaultCode, Limit};
use pif_sandbox::{Completion, Outcome, milliseconds};
use pif_store::journal::RunStatus;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

use super::tool::ToolResult;
use crate::config::{Config, Profile};
use crate::render::{self, Record, Refusal, Reply, cap, put};
use crate::workshop::{ApprovalWait, RunResult};

/// Members of records that no tool's text contains. They are appended to the text, because some
/// clients show only text.
const UNTOLD: [&str; 6] = ["warnings", "trace", "evaluation", "steps", "next_cursor", "tags"];

/// The protocol's result of a call, for a profile.
pub(super) fn present(result: ToolResult, profile: Profile) -> CallToolResult {
    let (text, structured, asides, is_error) = match result {
        Ok(Reply { text, structured, asides }) => (text, structured, asides, false),
        Err(Refusal { text, structured, asides }) => (text, structured, asides, true),
    };
    let structured = if is_error { marked(structured, &text) } else { structured };
    // The first block holds only the value or the fault.
    let mut content = vec![ContentBlock::text(text)];
    let lines = [asides, missing_notes(&structured)].concat();
    if !lines.is_empty() {
        content.push(ContentBlock::text(lines.join("\n")));
    }
    let mut result =
        if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
    // Structured content is required of tools with an output schema. In the profile `slim` no tool
    // has one.
    result.structured_content = (profile != Profile::Slim).then_some(Value::Object(structured));
    result
}

/// The record of a fault, which says that it is one: `error` is the first line of the text, also with
/// the step that failed. Some clients show only the record.
fn marked(mut record: Record, text: &str) -> Record {
    let line = text.lines().next().unwrap_or_default();
    record.insert("error".to_owned(), line.into());
    record
}

/// Lines for the record's members that the text lacks.
fn missing_notes(structured: &Record) -> Vec<String> {
    let mut lines = Vec::new();
    for name in UNTOLD {
        let name_or_line = |value: &Value| match value {
            Value::String(line) => format!("{name}: {line}"),
            value => format!("{name}: {value}"),
        };
        match structured.get(name) {
            Some(Value::Array(values)) => lines.extend(values.iter().map(name_or_line)),
            Some(value) if value != 0 => lines.push(name_or_line(value)),
            _ => {}
        }
    }
    lines
}

/// The reply for a run, for the configured profile.
pub(super) fn render(run: RunResult, config: &Config) -> ToolResult {
    if let Some(ApprovalWait { run, until, wishes, .. }) = &run.waiting {
        return Ok(render::waiting(*run, *until, wishes));
    }
    let profile = config.profile;
    let lines = profile.lines();
    let mut told = render::outcome(&run.outcome, config.values.size(Limit::Result), lines);
    if let Ok(Completion::Value(value)) = &run.outcome.ending
        && let Some(line) = render::made(&run.made)
        && let Ok(reply) = &mut told
    {
        let fetched: usize = run.made.iter().map(|call| call.bytes).sum();
        let given = value.json.len();
        reply.asides.push(format!("{line}; {fetched} bytes fetched, {given} given"));
        reply.structured.insert("fetched".to_owned(), fetched.into());
    }
    let record = match &mut told {
        Ok(reply) => &mut reply.structured,
        Err(refusal) => &mut refusal.structured,
    };
    if !run.steps.is_empty() {
        record.insert(render::STEPS.to_owned(), render::step_records(&run.steps).into());
    }
    warn_of(&run.made, record, lines);
    if let Some(number) = run.run {
        record.insert("run".to_owned(), number.into());
        record.insert("status".to_owned(), standing(&run.outcome).name().into());
    }
    if profile == Profile::Debug {
        annotate(record, &run, config);
    }
    put(record, "evaluation", run.evaluation);
    let steps = render::step_lines(&run.steps, render::MOST_STEPS);
    match &mut told {
        Ok(reply) => reply.asides.extend(steps),
        Err(refusal) => refusal.asides.extend(steps),
    }
    told
}

/// How a durable run stands that has come to this outcome.
fn standing(outcome: &Outcome) -> RunStatus {
    match outcome.ending.as_ref().map_err(|fault| fault.code) {
        Ok(_) => RunStatus::Done,
        Err(FaultCode::Interrupted) => RunStatus::Interrupted,
        Err(FaultCode::OutcomeUnknown) => RunStatus::OutcomeUnknown,
        Err(FaultCode::Cancelled) => RunStatus::Cancelled,
        Err(_) => RunStatus::Failed,
    }
}

/// Adds warnings of answers that are not as their servers promise: each once.
fn warn_of(made: &[CallSummary], record: &mut Record, most: usize) {
    let mut lines: Vec<String> = Vec::new();
    for call in made {
        let Some(warning) = &call.warning else { continue };
        let line = format!("{}: {}", quote_one(&call.tool), text::line(warning, 400));
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    if lines.is_empty() {
        return;
    }
    let before = record.remove("warnings");
    let before = before.as_ref().and_then(Value::as_array).into_iter().flatten();
    let mut all: Vec<String> = before.filter_map(|it| Some(it.as_str()?.to_owned())).collect();
    all.extend(lines);
    put(record, "warnings", cap(all, most));
}

/// Adds the members of the profile `debug` to the record of a run, also of a failed one.
fn annotate(record: &mut Record, report: &RunResult, config: &Config) {
    let usage = &report.outcome.usage;
    let limits = report.limits;
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

/// The schema of the members that [`annotate`] adds.
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
