//! The evaluator that is written in the language: cases of the corpus that have only forms of the
//! core calculus give through `std_interpret` what they give directly, but for those that
//! `interpret.json` lists with their reasons. A listed case that does not differ fails.

#![expect(clippy::print_stdout, reason = "tests tell what they measured")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use pif::analysis;
use pif::limits::Limits;
use pif::request::{Argument, Program, Source};
use pif_tests::case::{Case, canonical, corpus};
use pif_tests::interpret::{INTERPRETER, alone, is_core, run, tools};
use pif_tests::native;
use pif_tests::oracle::{Session, cases as recorded, divergences};
use serde::Deserialize;
use serde_json::Value;

/// The defaults of `evaluate`.
const LIMITS: Limits =
    Limits { fuel: 100_000_000, depth: 1_000_000, memory: 64 << 20, output: 8 << 20 };

/// What the interpreter gets, which needs more than the program itself.
const CEILINGS: Limits = Limits { fuel: 1_000_000_000, memory: 512 << 20, ..LIMITS };

/// Nodes of a program that need not end. Each costs a unit of fuel at least where it runs directly,
/// so that one which ends is not given less.
const NODES: u64 = 100_000;

/// Nodes of the programs of recorded answers.
const RECORDED_NODES: u64 = 300_000;

#[derive(Deserialize)]
struct Exceptions {
    reasons: BTreeMap<String, String>,
    /// Cases of the corpus, and why they differ.
    cases: BTreeMap<String, String>,
    /// Recorded answers of the original, and why they differ.
    recorded: BTreeMap<String, String>,
    variants: Vec<Variant>,
}

fn exceptions() -> Result<Exceptions> {
    Ok(serde_json::from_str(include_str!("../interpret.json"))?)
}

/// What a case gives through the interpreter, if it is not what it gives directly.
fn difference(case: &Case) -> Option<String> {
    let fuel = case.expected.fuel.unwrap_or(NODES);
    let nodes = if case.expected.result.is_ok() { fuel.max(NODES) } else { fuel.min(NODES) };
    let found = run(INTERPRETER, &case.program, nodes, &CEILINGS);
    let found = found.map(|it| it.result.map(|json| alone(&json)));
    let expected = case.expected.result.as_ref().map_err(|fault| &fault.code);
    match &found {
        Ok(found) if found.as_ref() == expected => None,
        found => Some(format!("expected {expected:?}\n     found {found:?}")),
    }
}

impl Exceptions {
    /// Every reason is known and used.
    fn check(&self) -> Result<()> {
        let used: BTreeSet<&String> = self.cases.values().chain(self.recorded.values()).collect();
        let known: BTreeSet<&String> = self.reasons.keys().collect();
        ensure!(used == known, "reasons that are not both used and explained");
        Ok(())
    }
}

#[test]
fn core_cases_give_what_they_give_directly() -> Result<()> {
    let exceptions = exceptions()?;
    exceptions.check()?;
    let (mut cases, mut equal, mut wrong) = (0, 0, Vec::new());
    let mut listed: BTreeSet<&String> = exceptions.cases.keys().collect();
    for file in corpus()? {
        for case in file.cases.iter().filter(|case| is_core(&case.program)) {
            cases += 1;
            let name = format!("{}/{}", file.topic, case.name);
            let is_listed = listed.remove(&name);
            match difference(case) {
                None if is_listed => wrong.push(format!("{name}: listed but equal")),
                None => equal += 1,
                Some(_) if is_listed => {}
                Some(difference) => wrong.push(format!("{name}\n  {difference}")),
            }
        }
    }
    println!("{cases} core cases, {equal} of them equal");
    ensure!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    ensure!(listed.is_empty(), "no case is called {listed:?}");
    Ok(())
}

/// Recorded answers of the original, and how many of the programs in them were interpreted.
#[test]
fn recorded_programs_give_what_the_original_gave() -> Result<()> {
    let (exceptions, divergences) = (exceptions()?.recorded, divergences()?);
    let (mut cases, mut wrong) = (0, Vec::new());
    for case in recorded()? {
        cases += 1;
        let judged = Session::new(interpret_if_core).check(&case, &divergences);
        match (judged, exceptions.get(&case.id)) {
            (Ok(()), Some(_)) => wrong.push(format!("{}: listed but equal", case.id)),
            (Err(error), None) => wrong.push(format!("{}: {error:#}", case.id)),
            (Ok(()), None) | (Err(_), Some(_)) => {}
        }
    }
    let interpreted = INTERPRETED.load(Ordering::Relaxed);
    println!("{cases} recorded answers, {interpreted} programs of them interpreted");
    ensure!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    ensure!(interpreted > cases / 2, "few are interpreted");
    Ok(())
}

/// Programs of recorded answers that the interpreter has run.
static INTERPRETED: AtomicUsize = AtomicUsize::new(0);

/// Runs a program by the interpreter if it is one of the core calculus, else directly.
fn interpret_if_core(program: &Program) -> Result<String> {
    if !is_core(program) {
        let run = native::run(program, &CEILINGS, u64::MAX);
        return run.result.map(|value| value.json).map_err(|fault| anyhow::anyhow!("{fault:?}"));
    }
    INTERPRETED.fetch_add(1, Ordering::Relaxed);
    match run(INTERPRETER, program, RECORDED_NODES, &CEILINGS)?.result {
        Ok(json) => Ok(alone(&json)),
        Err(code) => bail!("{code}"),
    }
}

/// A program that computes a factorial.
const FACTORIAL: &str = "const fact = n => n <= 1 ? 1 : n * fact(n - 1); fact(5)";

/// A term that runs another one by the interpreter.
fn interpreted(term: &str) -> String {
    let request = format!(r#"{{"record": {{"term": {{"quote": {term}}}}}}}"#);
    format!(r#"{{"app": {{"func": {{"tool": "{INTERPRETER}"}}, "arg": {request}}}}}"#)
}

/// The interpreter interprets itself, within the limits that a run has by default. It gives the
/// value, and counts the nodes that it counts where it runs directly.
#[test]
fn the_interpreter_interprets_itself() -> Result<()> {
    let fact = analysis::check(FACTORIAL).map_err(|faults| anyhow::anyhow!("{faults:?}"))?;
    let once = interpreted(&fact.canonical);
    let twice = interpreted(&once);
    let mut replies = Vec::new();
    for term in [&fact.canonical, &once, &twice] {
        let program = Program { tools: tools()?.to_vec(), ..Program::term(term) };
        let start = Instant::now();
        let (run, usage) = native::measured(&program, &LIMITS, u64::MAX);
        let value = run.result.map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
        let (time, level) = (start.elapsed(), replies.len());
        println!("{level} levels: {time:?}, {usage:?}, {}", value.json);
        replies.push(value.json);
    }
    let [direct, once, twice] = &replies[..] else { bail!("three replies") };
    ensure!(direct == "120");
    ensure!(once.starts_with(r#"{"value":120,"fuel":"#), "{once}");
    ensure!(twice.starts_with(&format!(r#"{{"value":{once},"fuel":"#)), "{twice}");
    Ok(())
}

/// How much more fuel a program takes where it is interpreted, once and twice.
#[test]
fn the_factors_of_interpretation_are_told() -> Result<()> {
    let fuel = |levels: usize, n: u32| -> Result<u64> {
        let code = FACTORIAL.replace("fact(5)", &format!("fact({n})"));
        let term =
            analysis::check(&code).map_err(|faults| anyhow::anyhow!("{faults:?}"))?.canonical;
        let term = (0..levels).fold(term, |term, _| interpreted(&term));
        let program = Program { tools: tools()?.to_vec(), ..Program::term(&term) };
        let run = native::run(&program, &LIMITS, u64::MAX);
        run.result.map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
        Ok(run.fuel)
    };
    // What ten more calls take: what a program takes once, such as the making of rules, is left out.
    let more = |levels| Ok::<_, anyhow::Error>(fuel(levels, 20)? - fuel(levels, 10)?);
    let [direct, once, twice] = [more(0)?, more(1)?, more(2)?];
    println!("ten calls: {direct} fuel, {once} interpreted, {twice} interpreted twice");
    ensure!(once < 600 * direct && twice < 300 * once);
    Ok(())
}

/// A program, and what an evaluator of the library replies to it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Variant {
    tool: String,
    code: String,
    /// What the interpreter that the others are variants of replies.
    base: Value,
    reply: Value,
}

/// Each variant of the interpreter differs from it where it should.
#[test]
fn variants_differ_in_their_rule() -> Result<()> {
    let variants = exceptions()?.variants;
    for variant in &variants {
        let term =
            analysis::check(&variant.code).map_err(|it| anyhow::anyhow!("{it:?}"))?.canonical;
        for (tool, expected) in [(INTERPRETER, &variant.base), (&variant.tool, &variant.reply)] {
            let program = Program {
                code: Source::Tool(tool.to_owned()),
                argument: Argument::Data(format!(r#"{{"term":{term}}}"#)),
                tools: tools()?.to_vec(),
                ..Program::term("null")
            };
            let run = native::run(&program, &LIMITS, u64::MAX);
            let found = run.result.map_err(|fault| anyhow::anyhow!("{fault:?}"))?.json;
            ensure!(found == canonical(expected), "{tool} of {}: {found}", variant.code);
        }
    }
    let others = tools()?.iter().filter(|it| it.0.starts_with(INTERPRETER) && it.0 != INTERPRETER);
    let others: BTreeSet<&str> = others.map(|it| it.0.as_str()).collect();
    ensure!(others == variants.iter().map(|it| it.tool.as_str()).collect(), "{others:?}");
    Ok(())
}

/// The blocks of the page come to the values that stand in their last lines.
#[test]
fn the_page_is_right() -> Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../host/docs/interpret.md");
    let page = fs::read_to_string(path)?;
    let blocks: Vec<&str> = page.split("```js\n").skip(1).collect();
    let mut wrong = Vec::new();
    for block in &blocks {
        let (block, _) = block.split_once("\n```").context("a block without an end")?;
        let (code, value) = block.rsplit_once("\n// value ").context("a block without a value")?;
        let program = Program { tools: tools()?.to_vec(), ..Program::term(code) };
        let found = match native::run(&program, &LIMITS, u64::MAX).result {
            Ok(found) => found.json,
            Err(fault) => format!("{}: {} at {}", fault.code, fault.message, fault.at),
        };
        if found != canonical(&serde_json::from_str(value)?) {
            wrong.push(format!("{code}\n  {found}"));
        }
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    ensure!(blocks.len() > 10, "{} blocks", blocks.len());
    Ok(())
}
