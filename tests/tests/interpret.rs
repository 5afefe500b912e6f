//! The evaluator that is written in the language: cases of the corpus that have only forms of the
//! core calculus give through `std_interpret` what they give directly, but for those that
//! `interpret.json` lists with their reasons. A listed case that does not differ fails.

#![expect(clippy::print_stdout, reason = "tests tell what they measured")]

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use pif::limits::Limits;
use pif::request::Program;
use pif_tests::case::{Case, canonical, corpus};
use pif_tests::interpret::{INTERPRETER, is_core, run, within};
use serde::Deserialize;

/// The limits of the server, as `evaluate` has them.
const LIMITS: Limits = Limits { fuel: 100_000_000, depth: 1_000_000, memory: 64 << 20, output: 8 << 20 };

/// The most that a call may ask for.
const CEILINGS: Limits = Limits { fuel: 1_000_000_000, memory: 512 << 20, ..LIMITS };

/// Nodes of a case that has no limit of its own, or one that is higher.
const NODES: u64 = 2_000_000;

#[derive(Deserialize)]
struct Exceptions {
    reasons: BTreeMap<String, String>,
    cases: BTreeMap<String, String>,
}

fn exceptions() -> Result<Exceptions> {
    Ok(serde_json::from_str(include_str!("../interpret.json"))?)
}

/// What a case gives through the interpreter, if it is not what it gives directly.
fn difference(case: &Case) -> Option<String> {
    let nodes = case.limits.fuel.min(NODES);
    let found = run(INTERPRETER, &case.program, nodes, &CEILINGS);
    let expected = match &case.expected.result {
        Ok(json) => Ok(within(&serde_json::from_str(json).unwrap_or_default())),
        Err(fault) => Err(fault.code.clone()),
    };
    match found {
        Ok(found) => {
            let told = |result: &Result<serde_json::Value, String>| match result {
                Ok(value) => canonical(value),
                Err(code) => format!("fault {code}"),
            };
            let (expected, found) = (told(&expected), told(&found.result));
            (expected != found).then(|| format!("expected {expected}\n     found {found}"))
        }
        Err(error) => Some(format!("expected {expected:?}\n     found {error:#}")),
    }
}

impl Exceptions {
    /// Every reason is known and used.
    fn check(&self) -> Result<()> {
        let used: BTreeSet<&String> = self.cases.values().collect();
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

/// The program that computes a factorial, and one that runs another one by the interpreter.
const FACT: &str = r#"{"app": {"func": {"letrec": [["fact", {"lam": "n", "body": {"if": {"cond": {"lte": [{"var": "n"}, 1]}, "then": 1, "else": {"mul": [{"var": "n"}, {"app": {"func": {"var": "fact"}, "arg": {"sub": [{"var": "n"}, 1]}}}]}}}}]], "in": {"var": "fact"}}, "arg": 5}}"#;

fn interpreted(term: &str) -> String {
    format!(r#"{{"app": {{"func": {{"tool": "std_interpret"}}, "arg": {{"record": {{"term": {{"quote": {term}}}}}}}}}}}"#)
}

/// The interpreter interprets itself, within the limits that a run has by default.
#[test]
fn the_interpreter_interprets_itself() -> Result<()> {
    let (one, two) = (interpreted(FACT), interpreted(&interpreted(FACT)));
    let three = interpreted(&two);
    let mut before = 0;
    for (level, term) in [FACT.to_owned(), one, two].into_iter().enumerate() {
        let tools = pif_tests::interpret::tools()?;
        let program = Program { tools, ..Program::term(&term) };
        let start = std::time::Instant::now();
        let (run, usage) = pif_tests::native::measured(&program, &LIMITS, u64::MAX);
        let value = run.result.map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
        println!("level {level}: {} fuel, {:?}, {usage:?}, {}", run.fuel, start.elapsed(), value.json);
        before = run.fuel;
    }
    Ok(())
}
