//! Values that are kept as terms: bound again they are the values that they were. Random programs
//! and those of the corpus. `PIF_RANDOM_TERMS=1000000` takes so many random ones.

use anyhow::{Context, Result, ensure};
use pif::limits::{Limits, Usage};
use pif::request::{Argument, Program};
use pif_tests::case;
use pif_tests::definitional;
use pif_tests::generate::{Sample, sample};
use pif_tests::native;
use pif_tests::run::{Run, Value};
use std::collections::BTreeMap;

/// How often something came about.
type Counts = BTreeMap<String, u32>;

/// Arguments for functions that were kept.
const ARGUMENTS: &[&str] =
    &["0", "7", "null", r#""text""#, "[3,1,2]", r#"{"a":1,"k":[1.5]}"#, "[[1,2],[3]]", "true"];

#[test]
#[ignore = "long"]
#[expect(clippy::print_stderr, reason = "how many values were compared is the result")]
fn random_values_bound_again_are_the_same() -> Result<()> {
    let count = std::env::var("PIF_RANDOM_TERMS").map_or(Ok(20_000), |text| text.parse())?;
    let mut counts = Counts::new();
    let compared = definitional::on_large_stack(|| {
        (0..count).try_for_each(|seed| {
            let Sample { program, limits } = sample(seed);
            compare(&program, &limits, &mut counts)
                .with_context(|| format!("seed {seed}: {program:?}, {limits:?}"))
        })
    });
    compared??;
    let of = |what: &str| counts.get(what).copied().unwrap_or_default();
    eprintln!("{count} random programs: {counts:?}");
    assert!(of("kept") > of("program") / 3 && of("function") > of("program") / 50, "{counts:?}");
    assert!(of("call") > of("function"), "{counts:?}");
    Ok(())
}

#[test]
#[ignore = "long"]
#[expect(clippy::print_stderr, reason = "how many values were compared is the result")]
fn values_of_the_corpus_bound_again_are_the_same() -> Result<()> {
    let mut counts = Counts::new();
    for file in case::corpus()? {
        for case in file.cases.iter().filter(|case| case.is_for("definitional")) {
            let compare = || compare(&case.program, &case.limits, &mut counts);
            let name = || format!("{}/{}", file.topic, case.name);
            definitional::on_large_stack(compare)?.with_context(name)?;
        }
    }
    eprintln!("the corpus: {counts:?}");
    Ok(())
}

/// Keeps the value of a program, applied and unapplied.
fn compare(program: &Program, limits: &Limits, counts: &mut Counts) -> Result<()> {
    let mut count = |what: &str| *counts.entry(what.to_owned()).or_default() += 1;
    count("program");
    let kept = Program { keep: true, ..program.clone() };
    let (run, usage) = native::measured(&kept, limits, 997);
    let plain = Program { keep: false, ..program.clone() };
    let (plain, plain_usage) = native::measured(&plain, limits, 997);
    ensure!(unkept(run.clone()) == plain && usage == plain_usage, "keeping changes {plain:?}");
    if let Ok(value) = &run.result {
        compare_value(&kept, limits, value, &mut count)?;
    }
    let unapplied = Program { argument: Argument::Unapplied, ..kept };
    let made = native::run(&unapplied, limits, u64::MAX);
    match &made.result {
        Ok(value) if value.kind == "function" => {
            count("function");
            compare_value(&unapplied, limits, value, &mut count)?;
            if let Some(Ok(term)) = &value.term {
                compare_calls(&unapplied, limits, (made.fuel, term), &mut count)?;
            }
        }
        _ => {}
    }
    Ok(())
}

fn compare_value(
    program: &Program,
    limits: &Limits,
    value: &Value,
    count: &mut impl FnMut(&str),
) -> Result<()> {
    let term = match value.term.as_ref() {
        Some(Ok(term)) => term,
        Some(Err(fault)) => {
            ensure!(matches!(&*fault.code, "not-storable" | "too-large"), "{fault:?}");
            count(&format!("{}: {}", fault.code, fault.message.split('`').next().unwrap_or("")));
            return Ok(());
        }
        // A continuation is no value to be kept.
        None => return Ok(ensure!(value.kind == "continuation")),
    };
    count("kept");
    definitional::compare_kept(program, limits, term).map_err(anyhow::Error::msg)?;
    let kept_again = |term: &str| {
        let again = Program { argument: Argument::Unapplied, ..bound(program, term) };
        let run = native::run(&again, &wide(limits), 61);
        let found = run.result.map_err(|fault| anyhow::anyhow!("{fault:?} of {term}"))?;
        ensure!((&found.json, &found.kind) == (&value.json, &value.kind), "{found:?} is {term}");
        found.term.and_then(Result::ok).with_context(|| format!("{term} has no term"))
    };
    let again = kept_again(term)?;
    // A function that evaluates quotes keeps arguments that the next round finds hidden.
    let has_settled = again == *term || (term.contains("\"eval\"") && kept_again(&again)? == again);
    ensure!(has_settled, "{term}\nbecomes\n{again}");
    Ok(())
}

/// A function that was kept gives what it gave, for as much fuel.
fn compare_calls(
    program: &Program,
    limits: &Limits,
    (fuel, term): (u64, &str),
    count: &mut impl FnMut(&str),
) -> Result<()> {
    let limits = wide(limits);
    let again = bound(program, term);
    let made =
        native::run(&Program { argument: Argument::Unapplied, ..again.clone() }, &limits, 61);
    for argument in ARGUMENTS {
        let argument = Argument::Data((*argument).to_owned());
        let call = |program: &Program, fuel: u64| {
            let program = Program { argument: argument.clone(), keep: false, ..program.clone() };
            let run = native::run(&program, &limits, u64::MAX);
            let result = run.result.map(|value| (value.json, value.kind));
            (result.map_err(|fault| fault.code), run.fuel.wrapping_sub(fuel))
        };
        let (before, after) = (call(program, fuel), call(&again, made.fuel));
        if before.0.as_ref().is_err_and(|code| matches!(&**code, "out-of-fuel" | "too-large")) {
            continue;
        }
        count("call");
        // The run that made the function may have evaluated tools that it names, and a tool that
        // is pinned is another than the one that its own source names, also in a continuation.
        if !program.tools.is_empty() {
            let is_next = matches!(&before.0, Ok((json, _)) if json.contains("continuation"));
            ensure!(is_next || before.0 == after.0, "{argument:?}: {before:?}, {after:?}: {term}");
            continue;
        }
        ensure!(before == after, "{argument:?}: {before:?}, then {after:?} of {term}");
    }
    Ok(())
}

/// A program whose value is that of a term.
fn bound(program: &Program, term: &str) -> Program {
    let bindings = vec![("it".to_owned(), Some(term.to_owned()))];
    let tools = program.tools.clone();
    Program { bindings, tools, keep: true, ..Program::term(r#"{"var":"it"}"#) }
}

fn wide(limits: &Limits) -> Limits {
    Limits { fuel: 50_000, depth: 5_000, ..*limits }
}

fn unkept(mut run: Run) -> Run {
    run.result = run.result.map(|value| Value { term: None, ..value });
    run
}

/// The parts of a value that several functions share stand in its term once, however often.
#[test]
fn shared_values_are_bound_once() -> Result<()> {
    let limits = case::LIMITS;
    let doubled = r#"{"reduce":[{"lam":["a","x"],"body":ELEMENT},START,{"range":[0,200]}]}"#;
    for (start, element) in [
        (r#"{"lam":"z","body":{"var":"z"}}"#, r#"{"lam":"z","body":[{"var":"a"},{"var":"a"}]}"#),
        ("[1]", r#"{"pair":[{"var":"a"},{"var":"a"}]}"#),
    ] {
        let code = doubled.replace("ELEMENT", element).replace("START", start);
        let code = format!(r#"{{"let":[["d",{code}]],"in":{{"lam":"z","body":{{"var":"d"}}}}}}"#);
        let program = Program { keep: true, argument: Argument::Unapplied, ..Program::term(code) };
        let value = native::run(&program, &limits, u64::MAX).result;
        let value = value.map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
        let Some(Ok(term)) = &value.term else { anyhow::bail!("{:?}", value.term) };
        assert!(term.len() < 30_000, "{} bytes", term.len());
        compare_value(&program, &limits, &value, &mut |_| {})?;
    }
    Ok(())
}

/// A run reads what it names, and nothing else.
#[test]
fn unused_bindings_are_not_read() -> Result<()> {
    let names = ["used", "other", "broken"].map(|name| (name.to_owned(), None));
    let program =
        Program { bindings: names.to_vec(), ..Program::term(r#"{"add":[{"var":"used"},1]}"#) };
    let mut machine = pif::machine::Machine::start(program, case::LIMITS)
        .map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
    use pif::request::{Answer, Step};
    let mut answer = Answer::None;
    let mut asked = Vec::new();
    let json = loop {
        match machine.resume(answer, u64::MAX) {
            Step::Recall(name) => {
                asked.push(name);
                answer = Answer::Source(Some("41".to_owned()));
            }
            Step::Done(done) => break done.json,
            step => anyhow::bail!("{step:?}"),
        }
    };
    let Usage { fuel, .. } = machine.usage();
    assert_eq!((asked, json.as_str(), fuel), (vec!["used".to_owned()], "42", 3));
    Ok(())
}
