//! Renders durable runs.

use std::fmt::Write as _;

use pif_domain::text::{self, time};
use pif_domain::{StepTold, named};
use serde_json::{Value, json};

use super::reply::Reply;
/// The member of records that holds steps.
pub const STEPS: &str = "step_log";

/// Lines of steps.
pub const MOST_STEPS: usize = 20;

/// Characters of the name of a step.
const MOST_NAME: usize = 80;

/// Characters of the arguments of a call.
const MOST_ARGUMENTS: usize = 200;

/// What is told of a run that is kept.
#[derive(Debug, Clone)]
pub struct RunSummary {
    /// Its number.
    pub run: i64,
    /// How it stands.
    pub status: &'static str,
    /// The tool, or the beginning of the program.
    pub program: String,
    /// The calls that have an answer.
    pub calls: usize,
    /// When it began, in milliseconds since 1970, if that is known.
    pub began: Option<i64>,
    /// Until when it is kept.
    pub until: i64,
    /// Whether it goes on by itself.
    pub is_background: bool,
    /// Its steps that have names.
    pub steps: Vec<StepTold>,
    /// The code and the message of what stopped it.
    pub fault: Option<(String, String)>,
    /// The calls of which nobody knows what they have done, each with its arguments.
    pub unsure: Vec<(String, String)>,
}

/// A run on which a server works.
#[must_use]
pub fn working(run: i64, calls: usize, steps: &[StepTold]) -> Reply {
    let hint = named(&format!("run {{\"resume\": {run}, \"wait\": 30}}")).into_owned();
    let mut text = format!("run {run} is working: {calls} calls done");
    for line in step_lines(steps, MOST_STEPS) {
        let _ = write!(text, "\n  {line}");
    }
    let _ = write!(text, "\nwait for it: {hint}");
    let mut record = json!({"run": run, "status": "working", "calls": calls});
    put_steps(&mut record, steps);
    Reply::new(text, record)
}

/// A run that is kept.
#[must_use]
pub fn kept_run(kept: &RunSummary) -> Reply {
    Reply::new(run_line(kept), run_record(kept))
}

/// Runs that are kept.
#[must_use]
pub fn kept_runs(runs: &[RunSummary], more: usize) -> Reply {
    let mut lines: Vec<String> = runs.iter().map(run_line).collect();
    if more > 0 {
        lines.push(format!("… and {more} more"));
    }
    let text = if lines.is_empty() { "no runs".to_owned() } else { lines.join("\n") };
    let records: Vec<Value> = runs.iter().map(run_record).collect();
    let mut record = json!({"runs": records});
    if more > 0 {
        record["more"] = more.into();
    }
    Reply::new(text, record)
}

/// A run in a line or two.
#[must_use]
pub fn run_line(kept: &RunSummary) -> String {
    let RunSummary { run, status, program, calls, began, until, fault, unsure, steps, .. } = kept;
    let mut line = format!("run {run} {status}: {program}, {calls} calls done");
    // Writing to a string cannot fail.
    if let Some(began) = began {
        let _ = write!(line, ", since {}", time::format(*began));
    }
    let _ = write!(line, ", kept until {}", time::format(*until));
    for step in step_lines(steps, MOST_STEPS) {
        let _ = write!(line, "\n  {step}");
    }
    if let Some((code, message)) = fault {
        let _ = write!(line, "\n  {code}: {message}");
    }
    for (tool, args) in unsure {
        let args = text::line(args, MOST_ARGUMENTS);
        let _ = write!(line, "\n  nobody knows what came of {tool} {args}");
    }
    line
}

/// Steps, a line each; of more than so many the last.
#[must_use]
pub fn step_lines(steps: &[StepTold], most: usize) -> Vec<String> {
    let left_out = steps.len().saturating_sub(most);
    let mut lines = Vec::new();
    if left_out > 0 {
        lines.push(format!("{left_out} steps before these"));
    }
    lines.extend(steps.iter().skip(left_out).map(step_line));
    lines
}

/// A step in a line.
#[must_use]
pub fn step_line(step: &StepTold) -> String {
    let StepTold { name, count, state, fuel, calls, ms, tries } = step;
    let mut line = format!("step {}", text::line(name, MOST_NAME));
    // Writing to a string cannot fail.
    if *count > 1 {
        let _ = write!(line, " ({count})");
    }
    let _ = write!(line, ": {state}, {calls} calls");
    if *tries > 1 {
        let _ = write!(line, ", {tries} tries");
    }
    if let (Some(fuel), Some(ms)) = (fuel, ms) {
        let _ = write!(line, ", fuel {fuel}, {ms} ms");
    }
    line
}

/// Steps as records.
#[must_use]
pub fn step_records(steps: &[StepTold]) -> Vec<Value> {
    let record = |step: &StepTold| {
        let StepTold { name, count, state, fuel, calls, ms, tries } = step;
        let name = text::line(name, MOST_NAME);
        let mut told = json!({"name": name, "count": count, "state": state, "calls": calls});
        told["tries"] = (*tries).into();
        if let (Some(fuel), Some(ms)) = (fuel, ms) {
            told["fuel"] = (*fuel).into();
            told["ms"] = (*ms).into();
        }
        told
    };
    steps.iter().map(record).collect()
}

fn put_steps(record: &mut Value, steps: &[StepTold]) {
    if !steps.is_empty() {
        record[STEPS] = step_records(steps).into();
    }
}

fn run_record(kept: &RunSummary) -> Value {
    let RunSummary { run, status, program, calls, began, until, fault, unsure, .. } = kept;
    let until = time::format(*until);
    let mut record = json!({
        "run": run, "status": status, "program": program, "calls": calls, "until": until,
    });
    if let Some(began) = began {
        record["began"] = time::format(*began).into();
    }
    put_steps(&mut record, &kept.steps);
    if kept.is_background {
        record["background"] = true.into();
    }
    if let Some((code, message)) = fault {
        record["fault"] = json!({"code": code, "message": message});
    }
    if !unsure.is_empty() {
        let call = |(tool, args): &(String, String)| json!({"tool": tool, "args": text::line(args, MOST_ARGUMENTS)});
        record["unsure"] = unsure.iter().map(call).collect();
    }
    record
}
