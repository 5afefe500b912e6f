//! What models write by mistake in JSON: each entry is a wrong spelling, the hint it must be answered with,
//! and the same thing as the hint has it, which must run. Some are faults (`code`), the others what
//! `check` notes at a place (`note`), whether it is a fault or not. What is right has no notes.

use anyhow::{Context, Result, ensure};
use pif::analysis;
use pif::fault::Note;
use pif::form::FORMS;
use pif::machine::Machine;
use pif::request::{Answer, Argument, Program, Source, Step};
use pif_tests::case::LIMITS;
use serde::Deserialize;
use serde_json::Value;

/// A mistake in either notation, or in both. Those in the notation are tried by its own tests.
#[derive(Deserialize)]
struct Case {
    #[serde(default)]
    json: Option<Mistake>,
}

#[derive(Deserialize)]
struct Mistake {
    /// Code that is no JSON, in place of `wrong`.
    #[serde(default)]
    text: Option<String>,
    wrong: Value,
    #[serde(default)]
    code: Option<String>,
    #[serde(default)]
    note: Option<String>,
    hint: String,
    right: Value,
    value: Value,
}

/// The value of a term, or the code and the hint of its fault.
fn evaluate(term: &str) -> Result<Result<Value, (String, String)>> {
    let program = Program {
        code: Source::Term(term.to_owned()),
        argument: Argument::None,
        context: None,
        bindings: Vec::new(),
        tools: Vec::new(),
        step: 0,
        debug: false,
        keep: false,
    };
    let fault = |fault: pif::fault::Fault| {
        (fault.code.name().to_owned(), fault.hint.map(|hint| hint.to_string()).unwrap_or_default())
    };
    let mut machine = match Machine::start(program, LIMITS) {
        Ok(machine) => machine,
        Err(failed) => return Ok(Err(fault(*failed))),
    };
    let mut step = machine.resume(Answer::None, u64::MAX);
    while matches!(step, Step::Lookup(_)) {
        step = machine.resume(Answer::Source(None), u64::MAX);
    }
    match step {
        Step::Done(done) => Ok(Ok(serde_json::from_str(&done.json)?)),
        Step::Failed(failed) => Ok(Err(fault(*failed))),
        step => anyhow::bail!("{term} comes to {step:?}"),
    }
}

#[test]
fn hints_lead_to_what_runs() -> Result<()> {
    let cases: Vec<Case> = serde_json::from_str(include_str!("../mistakes.json"))?;
    let mistakes: Vec<Mistake> = cases.into_iter().filter_map(|case| case.json).collect();
    let (noted, faulty) = mistakes.iter().partition::<Vec<_>, _>(|mistake| mistake.note.is_some());
    ensure!(faulty.len() >= 125 && noted.len() >= 20, "{} and {}", faulty.len(), noted.len());
    let wrong = mistakes.iter().filter_map(|mistake| judge(mistake).err());
    let wrong: Vec<String> = wrong.map(|error| format!("{error:#}")).collect();
    ensure!(wrong.is_empty(), "not answered as they should be:\n{}", wrong.join("\n"));
    Ok(())
}

fn judge(Mistake { text, wrong, code, note, hint, right, value }: &Mistake) -> Result<()> {
    let wrong = text.clone().unwrap_or_else(|| wrong.to_string());
    if let Some(at) = note {
        let notes = notes(&wrong)?;
        let has_hint = |note: &Note| {
            let found = note.hint.as_ref().map(ToString::to_string).unwrap_or_default();
            found.contains(hint)
        };
        let is_told = |note: &Note| note.at == *at && has_hint(note);
        ensure!(notes.iter().any(is_told), "{wrong}: {notes:?}, not {hint} at {at:?}");
    } else {
        let fault = evaluate(&wrong)?.err().with_context(|| format!("{wrong} runs"))?;
        ensure!(
            Some(&fault.0) == code.as_ref() && fault.1.contains(hint),
            "{wrong}: {fault:?}, not {hint}"
        );
        let constant = |note: &Note| note.message.contains("the test is always");
        let notes = notes(&right.to_string())?;
        ensure!(notes.iter().all(constant), "{right}: {notes:?}");
    }
    let found = evaluate(&right.to_string())?;
    ensure!(found == Ok(value.clone()), "{right}: {found:?}, not {value}");
    Ok(())
}

fn notes(code: &str) -> Result<Vec<Note>> {
    let checked = analysis::check(code);
    Ok(checked.map_err(|faults| anyhow::anyhow!("{code}: {faults:?}"))?.notes)
}

/// What is written as it should be is not complained of.
#[test]
fn examples_have_no_notes() -> Result<()> {
    for row in FORMS {
        let notes = notes(row.example)?;
        let constant = |note: &Note| note.message.contains("the test is always");
        ensure!(notes.iter().all(constant), "{}: {notes:?}", row.example);
    }
    Ok(())
}

/// One malformed term hides no other, and brings no faults of its own.
#[test]
fn all_faults_are_told() -> Result<()> {
    let code = r#"{"add": [{"+": [{"-": 1}, 2]}, {"lam": 1}, {"let": [["x", {"mul": [1]}]],
        "in": [{"var": "y"}, {"nope": 0}, 3]}, {"float": "x"}]}"#;
    let faults = analysis::check(code).err().context("no fault")?;
    let places: Vec<&str> = faults.iter().map(|fault| fault.at.as_str()).collect();
    let expected = ["/add/0", "/add/1/lam", "/add/2/let/0/1/mul", "/add/2/in/1", "/add/3/float"];
    ensure!(places == expected, "{places:?}");
    ensure!(faults.iter().all(|fault| fault.excerpt.is_some()), "{faults:?}");
    let many = format!("[{}0]", r#"{"+":1},"#.repeat(100));
    ensure!(analysis::check(&many).err().is_some_and(|faults| faults.len() == 20));
    Ok(())
}

/// Whether a term can do more than compute.
#[test]
fn purity_is_told() -> Result<()> {
    for (code, pure) in [
        (r#"{"add": [1, 2]}"#, true),
        (r#"{"perform": {"capability": "c", "args": null}}"#, false),
        (r#"{"eval": {"quote": {"perform": {"capability": "c", "args": null}}}}"#, false),
        (r#"{"tool": "t"}"#, true),
        (r#"{"lam": "x", "body": {"tool": {"var": "x"}}}"#, false),
        (r#"{"data_to_term": [1]}"#, true),
        (r#"{"eval": {"data_to_term": {"var": "x"}}}"#, false),
    ] {
        let summary = analysis::check(code).map_err(|faults| anyhow::anyhow!("{faults:?}"))?;
        ensure!(summary.pure == pure, "{code}");
    }
    Ok(())
}

/// An excerpt of a term of megabytes is made at once, however it is nested.
#[test]
fn excerpts_of_huge_terms_are_short() -> Result<()> {
    let (open, close) = ("[".repeat(1_000_000), "]".repeat(1_000_000));
    let wide = format!("[{}0]", r#"{"record":{"k":1}},"#.repeat(200_000));
    let long = format!("\"{}\"", "é\\u0000".repeat(500_000));
    for huge in [format!("{open}{close}"), wide, long] {
        let code =
            format!(r#"{{"app":{{"func":1,"arg":{{"add":[1,{{"lam":"x","body":{huge}}}]}}}}}}"#);
        let step = match Machine::start(Program::term(code), LIMITS) {
            Ok(mut machine) => machine.resume(Answer::None, u64::MAX),
            Err(fault) => Step::Failed(fault),
        };
        let Step::Failed(fault) = step else { anyhow::bail!("it has a value") };
        let excerpt = fault.excerpt.context("no excerpt")?;
        ensure!(fault.at == "/app/arg/add/1", "{}", fault.at);
        ensure!(
            excerpt.starts_with(r#"{"lam":"x","body":"#) && excerpt.chars().count() == 81,
            "{excerpt}"
        );
    }
    Ok(())
}
