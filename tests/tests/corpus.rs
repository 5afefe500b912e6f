//! Every case of `cases/` on every evaluator, and the examples of the form table.
//! `BLESS=1 cargo test -p pif-tests --test corpus` rewrites what the cases expect from what the
//! native machine gives; the difference is to be reviewed.

use libtest_mimic::{Arguments, Failed, Trial};
use pif_guest::fault::Fault;
use pif_guest::form::{FORMS, Row};
use pif_guest::limits::Limits;
use pif_guest::request::{Program, Source};
use pif_tests::case::{self, Case, Expected, ExpectedFault, File, LIMITS};
use pif_tests::{definitional, native};
use std::process::ExitCode;

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
    run: fn(&Program, &Limits) -> anyhow::Result<Observed>,
}

/// All evaluators.
const EVALUATORS: &[Evaluator] = &[
    Evaluator { name: "definitional", run: on_definition },
    Evaluator { name: "native", run: on_machine },
];

/// What an evaluator makes of a program; nothing where it has no notion of it.
#[derive(Debug, PartialEq, Eq)]
struct Observed {
    result: Result<String, ObservedFault>,
    fuel: u64,
    kind: Option<String>,
    warnings: Option<Vec<String>>,
    trace: Option<Vec<String>>,
}

#[derive(Debug, PartialEq, Eq)]
enum ObservedFault {
    Code(&'static str),
    Whole(Box<Fault>),
}

fn on_definition(program: &Program, limits: &Limits) -> anyhow::Result<Observed> {
    let outcome = definitional::on_large_stack(|| definitional::run(program, limits))?;
    let kind = outcome.result.as_ref().ok().map(|finished| finished.kind.to_owned());
    let result = outcome.result.map(|finished| finished.json);
    let result = result.map_err(|code| ObservedFault::Code(code.name()));
    Ok(Observed { result, fuel: outcome.fuel, kind, warnings: None, trace: None })
}

/// Runs on the native machine, in one slice and in many: that must make no difference.
fn on_machine(program: &Program, limits: &Limits) -> anyhow::Result<Observed> {
    let whole = observe(native::run(program, limits, u64::MAX));
    let sliced = observe(native::run(program, limits, 97));
    anyhow::ensure!(whole == sliced, "in one slice: {whole:?}\n  in many: {sliced:?}");
    Ok(whole)
}

fn observe(native::Run { result, fuel }: native::Run) -> Observed {
    match result {
        Ok(done) => Observed {
            result: Ok(done.json),
            fuel,
            kind: Some(done.kind.to_owned()),
            warnings: Some(done.warnings),
            trace: Some(done.trace),
        },
        Err(fault) => {
            let result = Err(ObservedFault::Whole(fault));
            Observed { result, fuel, kind: None, warnings: None, trace: None }
        }
    }
}

fn case_trial(evaluator: &'static Evaluator, topic: &str, case: &Case) -> Trial {
    let (name, case) = (format!("{}/{topic}/{}", evaluator.name, case.name), case.clone());
    Trial::test(name, move || {
        let observed = (evaluator.run)(&case.program, &case.limits)?;
        differences(&case.expected, &observed)
    })
}

/// The example of a form gives the result that stands beside it.
fn example_trial(evaluator: &'static Evaluator, row: &'static Row) -> Trial {
    Trial::test(format!("{}/example/{}", evaluator.name, row.name), move || {
        let observed = (evaluator.run)(&Program::term(row.example), &LIMITS)?;
        match observed.result {
            Ok(json) if json == row.result => Ok(()),
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

fn differences(expected: &Expected, observed: &Observed) -> Result<(), Failed> {
    let result = match (&expected.result, &observed.result) {
        (Ok(a), Ok(b)) => a == b,
        (Err(a), Err(b)) => matches_fault(a, b),
        _ => false,
    };
    let lines = |expected, observed: &Option<_>| observed.as_ref().is_none_or(|o| o == expected);
    let kind = expected.kind.is_none() || expected.kind == observed.kind;
    let same = result
        && kind
        && expected.fuel.is_none_or(|f| f == observed.fuel)
        && lines(&expected.warnings, &observed.warnings)
        && lines(&expected.trace, &observed.trace);
    if same { Ok(()) } else { Err(format!("expected {expected:#?}\nfound {observed:#?}").into()) }
}

fn matches_fault(expected: &ExpectedFault, observed: &ObservedFault) -> bool {
    let fault = match observed {
        ObservedFault::Code(code) => return expected.code == *code,
        ObservedFault::Whole(fault) => fault,
    };
    let contains =
        |part: &Option<String>, text: &str| part.as_ref().is_none_or(|p| text.contains(p));
    expected.code == fault.code.name()
        && expected.at == fault.at
        && expected.tool == fault.tool
        && contains(&expected.hint, fault.hint.as_deref().unwrap_or_default())
        && contains(&expected.message, &fault.message)
        && expected.calls.as_ref().is_none_or(|calls| *calls == fault.calls)
}

/// Rewrites what the cases of a file expect.
fn bless(file: &mut File) -> anyhow::Result<()> {
    for case in file.cases.iter_mut().filter(|case| case.is_for("native")) {
        let observed = on_machine(&case.program, &case.limits)?;
        let result = observed.result.map_err(|fault| match fault {
            ObservedFault::Code(code) => ExpectedFault { code: code.into(), ..Default::default() },
            ObservedFault::Whole(fault) => ExpectedFault {
                code: fault.code.name().into(),
                at: fault.at,
                tool: fault.tool,
                calls: Some(fault.calls),
                ..Default::default()
            },
        });
        case.bless(Expected {
            result,
            fuel: Some(observed.fuel),
            kind: observed.kind,
            warnings: observed.warnings.unwrap_or_default(),
            trace: observed.trace.unwrap_or_default(),
        })?;
    }
    file.write()
}
