//! Renders what a task has come to.

use serde_json::{Value, json};

use super::outcome::show;
use super::record::Record;
use super::reply::{Refusal, Reply};
use crate::workshop::{Keep, Solution};

/// The hint for an answer that is too large to show.
const LESS: &str = "ask for less in `task`, or run the program with `run`";

/// What a task has come to, with the number of its entry. `staged` tells the snapshot that has the program
/// and the name of the tool there, or why it was not staged.
pub fn solution(
    solution: &Solution,
    entry: i64,
    keep: Option<&Keep>,
    staged: Option<&Result<(i64, String), String>>,
    most: usize,
) -> Result<Reply, Refusal> {
    let value = match &solution.ending {
        Ok(value) => value,
        Err(fault) => {
            let mut refusal = Refusal::from(fault.clone());
            refusal.structured.extend(record(solution, entry));
            refusal.asides.push(course(solution));
            return Err(refusal);
        }
    };
    let mut reply = show(value, "answer", most, LESS);
    if let Some(answer) = reply.structured.remove("value") {
        reply.structured.insert("answer".to_owned(), answer);
    }
    reply.structured.extend(record(solution, entry));
    reply.asides.push(course(solution));
    reply.asides.extend(solution.program.as_ref().map(|it| format!("program: {it}")));
    match (staged, keep) {
        (Some(Ok((snapshot, name))), _) => {
            reply.asides.push(format!("staged in snapshot {snapshot} as `{name}`"));
            reply.structured.insert("snapshot".to_owned(), (*snapshot).into());
            reply.structured.insert("tool".to_owned(), name.as_str().into());
        }
        (_, Some(Keep { call, note })) => {
            reply.asides.push(format!("keep it: evolve {call}"));
            reply.structured.insert("evolve".to_owned(), call.clone());
            reply.note(&note.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>());
        }
        (_, None) => {}
    }
    if let Some(Err(why)) = staged {
        reply.note(&[format!("the program was not staged: {why}")]);
    }
    Ok(reply)
}

/// The model, the programs and the tokens on one line.
fn course(solution: &Solution) -> String {
    let count = solution.attempts.len();
    let programs = if count == 1 { "1 program".to_owned() } else { format!("{count} programs") };
    let model = solution.model.as_deref().unwrap_or("no model");
    format!("{programs} by {model}, {} tokens", solution.tokens)
}

fn record(solution: &Solution, entry: i64) -> Record {
    let attempts: Vec<Value> = solution
        .attempts
        .iter()
        .map(|it| json!({"program": it.fixed.as_ref().or(it.program.as_ref()), "fault": it.fault}))
        .collect();
    let mut record = Record::new();
    let mut put = |name: &str, value: Value| drop(record.insert(name.to_owned(), value));
    if let Some(program) = &solution.program {
        put("program", program.as_str().into());
    }
    put("attempts", attempts.into());
    put("calls", json!(solution.calls));
    put("tokens", solution.tokens.into());
    put("model", json!(solution.model));
    put("entry", entry.into());
    record
}
