//! Every case of `cases/` on every evaluator, and the examples of the form table.
//! `BLESS=1 cargo test -p pif-tests --test corpus` rewrites what the cases expect from what the
//! native machine gives; the difference is to be reviewed.

use std::process::ExitCode;
use std::sync::LazyLock;

use libtest_mimic::{Arguments, Failed, Trial};
use pif::form::{FORMS, Row};
use pif::limits::Limits;
use pif::request::{Program, Source};
use pif_sandbox::Sandbox;
use pif_tests::case::{self, Case, Expected, ExpectedFault, File, LIMITS};
use pif_tests::definitional::{self, Finished};
use pif_tests::run::{Fault, Run, Value, head};
use pif_tests::{component, excerpt, native};

fn main() -> anyhow::Result<ExitCode> {
    let mut corpus = case::corpus()?;
    if std::env::var_os("BLESS").is_some() {
        corpus.iter_mut().try_for_each(bless)?;
    }
    let mut trials: Vec<Trial> = FORMS.iter().map(|row| coverage_trial(row, &corpus)).collect();
    for evaluator in EVALUATORS {
        trials.extend(FORMS.iter().map(|row| example_trial(evaluator, row)));
        for file in &corpus {
            let cases = file.cases.iter().filter(|case| case.is_for(evaluator.name));
            trials.extend(cases.map(|case| case_trial(evaluator, &file.topic, case)));
        }
    }
    Ok(libtest_mimic::run(&Arguments::from_args(), trials).exit_code())
}

/// Something that runs programs.
struct Evaluator {
    name: &'static str,
    run: fn(&Program, &Limits) -> anyhow::Result<Run>,
    /// Whether it knows places and messages of faults, the words of warnings, and traces.
    is_whole: bool,
}

/// All evaluators.
const EVALUATORS: &[Evaluator] = &[
    Evaluator { name: "definitional", run: by_definition, is_whole: false },
    Evaluator { name: "native", run: on_machine, is_whole: true },
    Evaluator { name: "component", run: in_component, is_whole: true },
];

fn by_definition(program: &Program, limits: &Limits) -> anyhow::Result<Run> {
    let outcome = definitional::on_large_stack(|| definitional::run(program, limits))?;
    let result = match outcome.result {
        Ok(Finished { json, kind }) => {
            let (kind, trace, term) = (kind.to_owned(), Vec::new(), None);
            Ok(Value { json, kind, warnings: outcome.warnings, trace, term })
        }
        Err(code) => {
            let (code, warnings) = (code.name().to_owned(), outcome.warnings);
            Err(Fault { code, warnings, ..Fault::default() })
        }
    };
    Ok(Run { result, fuel: outcome.fuel })
}

/// Runs on the native machine, in one slice and in many, and with debug lines: that must make no
/// difference.
fn on_machine(program: &Program, limits: &Limits) -> anyhow::Result<Run> {
    let whole = native::run(program, limits, u64::MAX);
    if let Err(fault) = &whole.result {
        excerpt::verify(program, fault)?;
    }
    let sliced = native::run(program, limits, 97);
    anyhow::ensure!(whole == sliced, "in one slice: {whole:?}\n  in many: {sliced:?}");
    // A debugged run takes more memory.
    let (debugged, _) = native::debugged(program, limits);
    let is_full = |run: &Run| run.result.as_ref().is_err_and(|it| it.limit == Some("memory"));
    let is_equal = whole == debugged || is_full(&whole) && is_full(&debugged);
    anyhow::ensure!(is_equal, "in silence: {whole:?}\n  debugged: {debugged:?}");
    Ok(whole)
}

/// Runs in the component; all the native machine says must be the same there, word for word, and so
/// must all that it uses.
fn in_component(program: &Program, limits: &Limits) -> anyhow::Result<Run> {
    static SANDBOX: LazyLock<anyhow::Result<Sandbox>> = LazyLock::new(component::open);
    let sandbox = SANDBOX.as_ref().map_err(|error| anyhow::anyhow!("{error:#}"))?;
    let there = component::measured(sandbox, program, limits, 100_003);
    let here = native::measured(program, limits, 100_003);
    anyhow::ensure!(there == here, "in the component: {there:?}\n  native: {here:?}");
    Ok(there.0)
}

fn case_trial(evaluator: &'static Evaluator, topic: &str, case: &Case) -> Trial {
    let (name, case) = (format!("{}/{topic}/{}", evaluator.name, case.name), case.clone());
    Trial::test(name, move || {
        let run = (evaluator.run)(&case.program, &case.limits)?;
        differences(evaluator, &case, &run)?;
        match &case.expected.term {
            Some(Ok(term)) if !evaluator.is_whole => {
                let compare = || definitional::compare_kept(&case.program, &case.limits, term);
                Ok(definitional::on_large_stack(compare)??)
            }
            _ => Ok(()),
        }
    })
}

/// The example of a form gives the result that stands beside it.
fn example_trial(evaluator: &'static Evaluator, row: &'static Row) -> Trial {
    Trial::test(format!("{}/example/{}", evaluator.name, row.name), move || {
        let run = (evaluator.run)(&Program::term(row.example), &LIMITS)?;
        match run.result {
            Ok(value) if value.json == row.result => Ok(()),
            other => Err(format!("expected {}\n  found {other:?}", row.result).into()),
        }
    })
}

/// A form has at least three cases, one of them with a fault.
fn coverage_trial(row: &'static Row, corpus: &[File]) -> Trial {
    let key = format!("\"{}\":", row.name);
    let cases = corpus.iter().flat_map(|file| &file.cases);
    let cases: Vec<&Case> = cases.filter(|case| mentions(&case.program, &key)).collect();
    let faults = cases.iter().filter(|case| case.expected.result.is_err()).count();
    let (name, count) = (format!("coverage/{}", row.name), cases.len());
    Trial::test(name, move || {
        if count >= 3 && faults >= 1 {
            return Ok(());
        }
        Err(format!("{count} cases, {faults} of them with a fault").into())
    })
}

fn mentions(program: &Program, key: &str) -> bool {
    let code = match &program.code {
        Source::Term(text) => text.contains(key),
        Source::Tool(_) => false,
    };
    code || program.tools.iter().any(|(_, source)| source.contains(key))
}

fn differences(evaluator: &Evaluator, case: &Case, run: &Run) -> Result<(), Failed> {
    let expected = &case.expected;
    let result = match (&expected.result, &run.result) {
        (Ok(json), Ok(value)) => *json == value.json && matches_value(evaluator, expected, value),
        (Err(a), Err(b)) => a.code == b.code && (!evaluator.is_whole || matches_fault(a, b)),
        _ => false,
    };
    if result && matches_warnings(evaluator, case, run) && expected.fuel == Some(run.fuel) {
        return Ok(());
    }
    Err(format!("expected {expected:?}\n   found {run:?}").into())
}

fn matches_value(evaluator: &Evaluator, expected: &Expected, value: &Value) -> bool {
    let kind = expected.kind.as_ref().is_none_or(|kind| *kind == value.kind);
    let term = match (&expected.term, &value.term) {
        (None, None) => true,
        (Some(Ok(term)), Some(Ok(found))) => term == found,
        (Some(Err(a)), Some(Err(b))) => a.code == b.code && matches_fault(a, b),
        _ => !evaluator.is_whole,
    };
    kind && term && (expected.trace == value.trace || !evaluator.is_whole)
}

/// Warnings stand beside values and faults. Where plain quotes are evaluated the definition does
/// not know.
fn matches_warnings(evaluator: &Evaluator, case: &Case, run: &Run) -> bool {
    let expected = &case.expected.warnings;
    let warnings = run.warnings();
    if evaluator.is_whole {
        return expected == warnings;
    }
    let heads: Vec<&str> = expected.iter().map(|line| head(line)).collect();
    heads == warnings || mentions(&case.program, "\"eval\":")
}

fn matches_fault(expected: &ExpectedFault, fault: &Fault) -> bool {
    let contains =
        |part: &Option<String>, text: &str| part.as_ref().is_none_or(|part| text.contains(part));
    expected.at == fault.at
        && expected.tool == fault.tool
        && expected.place == fault.place
        && contains(&expected.hint, fault.hint.as_deref().unwrap_or_default())
        && contains(&expected.message, &fault.message)
        && expected.calls.as_ref().is_none_or(|calls| *calls == fault.calls)
        && (expected.excerpt.is_none() || expected.excerpt == fault.excerpt)
}

fn expected_of(fault: Fault) -> ExpectedFault {
    let Fault { code, at, tool, calls, excerpt, place, .. } = fault;
    let calls = Some(calls);
    ExpectedFault { code, at, tool, calls, excerpt, place, ..ExpectedFault::default() }
}

/// Rewrites what the cases of a file expect.
fn bless(file: &mut File) -> anyhow::Result<()> {
    for case in file.cases.iter_mut().filter(|case| case.is_for("native")) {
        let Run { result, fuel } = on_machine(&case.program, &case.limits)?;
        let mut expected = Expected {
            result: Ok(String::new()),
            fuel: Some(fuel),
            kind: None,
            warnings: Vec::new(),
            trace: Vec::new(),
            term: None,
        };
        match result {
            Ok(Value { json, kind, warnings, trace, term }) => {
                expected =
                    Expected { result: Ok(json), kind: Some(kind), warnings, trace, ..expected };
                expected.term = term.map(|term| term.map_err(expected_of));
            }
            Err(mut fault) => {
                expected.warnings = std::mem::take(&mut fault.warnings);
                expected.result = Err(expected_of(fault));
            }
        }
        case.bless(expected)?;
    }
    file.write()
}
