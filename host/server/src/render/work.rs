//! Renders durable runs.

use std::fmt::Write as _;

use pif_domain::named;
use pif_domain::text::{self, time};
use serde_json::{Value, json};

use super::reply::Reply;
/// Characters of the arguments of a call.
const MOST_ARGUMENTS: usize = 200;

/// What is told of a run that is kept.
#[derive(Debug, Clone)]
pub struct KeptRunTold {
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
    /// The code and the message of what stopped it.
    pub fault: Option<(String, String)>,
    /// The calls of which nobody knows what they have done, each with its arguments.
    pub unsure: Vec<(String, String)>,
}

/// A run on which a server works.
#[must_use]
pub fn working(run: i64, calls: usize) -> Reply {
    let hint = named(&format!("run {{\"resume\": {run}, \"wait\": 30}}")).into_owned();
    let text = format!("run {run} is working: {calls} calls done\nwait for it: {hint}");
    let record = json!({"run": run, "status": "working", "calls": calls});
    Reply::new(text, record)
}

/// A run that is kept.
#[must_use]
pub fn kept_run(kept: &KeptRunTold) -> Reply {
    Reply::new(run_line(kept), run_record(kept))
}

/// Runs that are kept.
#[must_use]
pub fn kept_runs(runs: &[KeptRunTold], more: usize) -> Reply {
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
pub fn run_line(kept: &KeptRunTold) -> String {
    let KeptRunTold { run, status, program, calls, began, until, fault, unsure, .. } = kept;
    let mut line = format!("run {run} {status}: {program}, {calls} calls done");
    // Writing to a string cannot fail.
    if let Some(began) = began {
        let _ = write!(line, ", since {}", time::format(*began));
    }
    let _ = write!(line, ", kept until {}", time::format(*until));
    if let Some((code, message)) = fault {
        let _ = write!(line, "\n  {code}: {message}");
    }
    for (tool, args) in unsure {
        let args = text::line(args, MOST_ARGUMENTS);
        let _ = write!(line, "\n  nobody knows what came of {tool} {args}");
    }
    line
}

fn run_record(kept: &KeptRunTold) -> Value {
    let KeptRunTold { run, status, program, calls, began, until, fault, unsure, .. } = kept;
    let until = time::format(*until);
    let mut record = json!({
        "run": run, "status": status, "program": program, "calls": calls, "until": until,
    });
    if let Some(began) = began {
        record["began"] = time::format(*began).into();
    }
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
