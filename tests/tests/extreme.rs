//! Programs too large to be written down in `cases/`: deep nesting, long lists, large integers. Each
//! gives a value within the default memory limit, natively and in the component alike, or is
//! refused by a limit; none may crash.

use pif::limits::Limits;
use pif::request::{Argument, Program};
use pif_tests::run::Run;
use pif_tests::{case, component, native};
use std::iter;

/// The default limits, with fuel and room for the largest results.
const LIMITS: Limits = Limits { fuel: 1_000_000_000, output: 64 << 20, ..case::LIMITS };

const MILLION: usize = 1_000_000;

/// Runs on both machines, which must agree.
fn run(program: &Program) -> anyhow::Result<Run> {
    let (here, used) = native::measured(program, &LIMITS, u64::MAX);
    let there = component::measured(&component::open()?, program, &LIMITS, u64::MAX);
    anyhow::ensure!(
        here == there.0,
        "native and component differ: {}",
        difference(&here, &there.0)
    );
    anyhow::ensure!(used == there.1, "native and component use {used:?} and {:?}", there.1);
    Ok(here)
}

fn difference(a: &Run, b: &Run) -> String {
    let end = |run: &Run| match &run.result {
        Ok(value) => format!("{} bytes, fuel {}", value.json.len(), run.fuel),
        Err(fault) => format!("{fault:?}, fuel {}", run.fuel),
    };
    format!("{} and {}", end(a), end(b))
}

fn value(program: &Program) -> anyhow::Result<String> {
    let run = run(program)?;
    run.result.map(|value| value.json).map_err(|fault| anyhow::anyhow!("{fault:?}"))
}

fn fault(program: &Program) -> anyhow::Result<String> {
    match run(program)?.result {
        Ok(value) => anyhow::bail!("a value of {} bytes", value.json.len()),
        Err(fault) => Ok(fault.code),
    }
}

fn nested(levels: usize) -> String {
    format!("{}{}", "[".repeat(levels), "]".repeat(levels))
}

fn list(items: usize) -> String {
    format!("[{}]", vec!["1"; items].join(","))
}

/// `{"let": …, "in": {"app": …}}` that calls `go` with itself and `n`.
fn recursion(again: &str, n: usize) -> Program {
    let function = format!(
        r#"{{"lam":["go","n"],"body":{{"if":{{"cond":{{"eq":[{{"var":"n"}},0]}},"then":0,"else":{again}}}}}}}"#
    );
    let call = format!(r#"{{"app":{{"func":{{"var":"go"}},"args":[{{"var":"go"}},{n}]}}}}"#);
    Program::term(format!(r#"{{"let":{{"go":{function}}},"in":{call}}}"#))
}

const NEXT: &str = r#"{"app":{"func":{"var":"go"},"args":[{"var":"go"},{"sub":[{"var":"n"},1]}]}}"#;

#[test]
#[ignore = "long"]
fn a_million_nested_lists_are_quoted_and_printed() -> anyhow::Result<()> {
    let term = nested(MILLION);
    assert!(value(&Program::term(format!(r#"{{"quote":{term}}}"#)))? == term);
    Ok(())
}

#[test]
#[ignore = "long"]
fn a_million_nested_lists_are_evaluated() -> anyhow::Result<()> {
    let term = nested(MILLION);
    assert!(value(&Program::term(term.clone()))? == term);
    Ok(())
}

#[test]
#[ignore = "long"]
fn more_nested_lists_than_the_depth_limit_are_too_deep() -> anyhow::Result<()> {
    assert_eq!(fault(&Program::term(nested(MILLION + 2)))?, "too-deep");
    Ok(())
}

#[test]
#[ignore = "long"]
fn a_million_nested_lists_compare() -> anyhow::Result<()> {
    let body = r#"{"eq":[{"var":"x"},{"var":"x"}]}"#;
    let mut program = Program::term(format!(r#"{{"lam":"x","body":{body}}}"#));
    program.argument = Argument::Data(nested(MILLION));
    assert_eq!(value(&program)?, "true");
    Ok(())
}

#[test]
#[ignore = "long"]
fn a_million_open_brackets_are_unparsable() -> anyhow::Result<()> {
    assert_eq!(fault(&Program::term("[".repeat(MILLION)))?, "unparsable");
    Ok(())
}

#[test]
#[ignore = "long"]
fn a_million_elements_are_summed() -> anyhow::Result<()> {
    let sum = r#"{"lam":"p","body":{"add":[{"fst":{"var":"p"}},{"snd":{"var":"p"}}]}}"#;
    let program = Program::term(format!(r#"{{"fold":[{sum},0,{}]}}"#, list(MILLION)));
    assert_eq!(value(&program)?, "1000000");
    Ok(())
}

#[test]
#[ignore = "long"]
fn a_million_elements_of_data_go_in_and_out() -> anyhow::Result<()> {
    let mut program = Program::term(r#"{"lam":"x","body":{"var":"x"}}"#);
    program.argument = Argument::Data(list(MILLION));
    assert!(value(&program)? == list(MILLION));
    Ok(())
}

/// What has been read stays whole when garbage around it is collected.
#[test]
#[ignore = "long"]
fn a_hundred_thousand_integers_and_something_else_go_in_and_out() -> anyhow::Result<()> {
    let garbage = r#"{"reverse":{"take":[{"var":"x"},1000]}}"#;
    let code = format!(
        r#"{{"lam":"x","body":{{"if":{{"cond":{{"all":[{{"lam":"i","body":{{"eq":[{{"length":{garbage}}},1000]}}}},{{"range":[0,1500]}}]}},"then":{{"var":"x"}},"else":null}}}}}}"#
    );
    let integers = |n: usize| (0..n).map(|i| (i * 7919 % 1_000_003).to_string());
    for (before, item, after) in [
        (100_000, "7", 4),
        (100_001, "1.5", 300),
        (100_002, "123456789012", 40_000),
        (100_003, "[1]", 1),
        (40_000, r#""a""#, 100_000),
    ] {
        let items = integers(before).chain(iter::once(item.to_owned())).chain(integers(after));
        let data = format!("[{}]", items.collect::<Vec<_>>().join(","));
        let argument = Argument::Data(data.clone());
        let program = Program { argument, ..Program::term(code.clone()) };
        assert!(value(&program)? == data, "{before} integers and {item}");
    }
    Ok(())
}

#[test]
#[ignore = "long"]
fn recursion_goes_deep() -> anyhow::Result<()> {
    let again = format!(r#"{{"add":[1,{NEXT}]}}"#);
    assert_eq!(value(&recursion(&again, MILLION - 10))?, (MILLION - 10).to_string());
    assert_eq!(fault(&recursion(&again, MILLION + 10))?, "too-deep");
    Ok(())
}

#[test]
#[ignore = "long"]
fn a_tail_call_goes_on_for_long() -> anyhow::Result<()> {
    assert_eq!(value(&recursion(NEXT, MILLION))?, "0");
    Ok(())
}

#[test]
#[ignore = "long"]
fn a_million_evals_one_after_another() -> anyhow::Result<()> {
    let again = r#"{"app":{"func":{"var":"go"},"args":[{"var":"go"},{"eval":{"quote":{"sub":[{"var":"n"},1]}}}]}}"#;
    assert_eq!(value(&recursion(again, MILLION))?, "0");
    Ok(())
}

#[test]
#[ignore = "long"]
fn a_product_of_ten_thousand_digits() -> anyhow::Result<()> {
    let factor = "9".repeat(10_000);
    let product = value(&Program::term(format!(r#"{{"mul":[{factor},{factor}]}}"#)))?;
    assert!(product == format!("{}8{}1", "9".repeat(9_999), "0".repeat(9_999)));
    Ok(())
}
