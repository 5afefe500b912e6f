//! What models write by mistake: each entry is a wrong spelling, the hint it must be answered with,
//! and the same thing as the hint has it, which must run.

use anyhow::{Context, Result, ensure};
use pif_guest::machine::Machine;
use pif_guest::request::{Answer, Argument, Program, Source, Step};
use pif_tests::case::LIMITS;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Mistake {
    wrong: Value,
    code: String,
    hint: String,
    right: Value,
    value: Value,
}

/// The value of a term, or the code and the hint of its fault.
fn evaluate(term: &Value) -> Result<Result<Value, (String, String)>> {
    let program = Program {
        code: Source::Term(term.to_string()),
        argument: Argument::None,
        context: None,
        tools: Vec::new(),
        step: 0,
        debug: false,
    };
    let fault = |fault: pif_guest::fault::Fault| {
        (fault.code.name().to_owned(), fault.hint.unwrap_or_default())
    };
    let mut machine = match Machine::start(program, LIMITS) {
        Ok(machine) => machine,
        Err(failed) => return Ok(Err(fault(*failed))),
    };
    match machine.resume(Answer::None, u64::MAX) {
        Step::Done(done) => Ok(Ok(serde_json::from_str(&done.json)?)),
        Step::Failed(failed) => Ok(Err(fault(*failed))),
        step => anyhow::bail!("{term} comes to {step:?}"),
    }
}

#[test]
fn hints_lead_to_what_runs() -> Result<()> {
    let mistakes: Vec<Mistake> = serde_json::from_str(include_str!("../mistakes.json"))?;
    ensure!(mistakes.len() >= 40, "only {} mistakes", mistakes.len());
    for Mistake { wrong, code, hint, right, value } in mistakes {
        let fault = evaluate(&wrong)?.err().with_context(|| format!("{wrong} runs"))?;
        ensure!(fault.0 == code && fault.1.contains(&hint), "{wrong}: {fault:?}, not {hint}");
        let found = evaluate(&right)?;
        ensure!(found == Ok(value.clone()), "{right}: {found:?}, not {value}");
    }
    Ok(())
}
