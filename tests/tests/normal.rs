//! Normal forms of programs do what the programs do: random programs, every case of the corpus.
//! `PIF_RANDOM_NORMAL=100000` runs so many random programs instead of the default, `PIF_RANDOM_SEED=5`
//! from another seed on.

use anyhow::{Context, Result, ensure};
use pif::limits::Limits;
use pif::request::{Program, Source};
use pif_analysis::Request;
use pif_analysis::normal::{Normal, normal};
use pif_analysis::shape::Shape;
use pif_tests::generate::{Sample, sample};
use pif_tests::run::Run;
use pif_tests::{case, native, tell};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;

/// How many differences are shown.
const SHOWN: usize = 8;

/// Codes of limits: a program that meets one says nothing.
const OF_LIMITS: [&str; 4] = ["out-of-fuel", "too-deep", "too-large", "eval-depth"];

fn setting(name: &str, default: u64) -> Result<u64> {
    std::env::var(name).map_or(Ok(default), |text| Ok(text.parse()?))
}

/// The normal form of a program that is a term; none if it does not parse.
fn normal_of(program: &Program, code: &str) -> Option<Normal> {
    let mut variables: Vec<(String, Shape)> =
        program.bindings.iter().map(|it| (it.0.clone(), Shape::Any)).collect();
    if let Some(context) = &program.context {
        let context: Map<String, Value> = serde_json::from_str(context).ok()?;
        variables.extend(context.keys().map(|name| (name.clone(), Shape::Any)));
    }
    normal(&Request { code, variables, ..Request::default() }).ok()
}

/// How a program and its normal form have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    NotRead,
    Incomplete,
    Limit,
    Value,
    Fault,
}

/// Runs a program and its normal form, and compares what they come to.
fn compare(program: &Program, limits: &Limits) -> Result<End, String> {
    let Source::Term(code) = &program.code else { return Ok(End::NotRead) };
    let Some(told) = normal_of(program, code) else { return Ok(End::NotRead) };
    let again = normal_of(program, &told.json).ok_or_else(|| format!("unread {}", told.json))?;
    if told.complete && again != told {
        return Err(format!("not a fixed point: {}\n  then {}", told.json, again.json));
    }
    let limits = Limits { fuel: limits.fuel.max(1_000_000), depth: 10_000, ..*limits };
    let run = |code: String| {
        let program = Program { code: Source::Term(code), ..program.clone() };
        native::run(&program, &limits, u64::MAX)
    };
    let (before, after) = (run(code.clone()), run(told.json.clone()));
    let is_limit =
        |run: &Run| matches!(&run.result, Err(it) if OF_LIMITS.contains(&it.code.as_str()));
    if is_limit(&before) || is_limit(&after) {
        return Ok(End::Limit);
    }
    match (&before.result, &after.result) {
        (Ok(a), Ok(b)) if a.json == b.json && a.kind == b.kind => {}
        // A program as a value is its own term.
        (Ok(a), Ok(b)) if a.kind == b.kind && a.json.contains("continuation") => {}
        (Err(_), Err(_)) => return Ok(End::Fault),
        // A binding that is no value is a mistake of the request, not of the program.
        (Err(fault), _) if fault.at.starts_with("/bindings/") => return Ok(End::Fault),
        _ => {
            let told = &told.json;
            return Err(format!("{:?}\n  then {:?}\n  by {told}", before.result, after.result));
        }
    }
    Ok(if told.complete { End::Value } else { End::Incomplete })
}

fn report(wrong: &mut [String], count: u64, ends: &BTreeMap<End, u64>) -> Result<()> {
    wrong.sort_by_key(String::len);
    let shown: Vec<&str> = wrong.iter().take(SHOWN).map(String::as_str).collect();
    ensure!(wrong.is_empty(), "{} of {count} are wrong:\n{}", wrong.len(), shown.join("\n"));
    tell(&format!("{count} programs: {ends:?}"));
    Ok(())
}

#[test]
fn normal_forms_of_random_programs_do_what_the_programs_do() -> Result<()> {
    let first = setting("PIF_RANDOM_SEED", 0)?;
    let count = setting("PIF_RANDOM_NORMAL", 10_000)?;
    let (mut wrong, mut ends) = (Vec::new(), BTreeMap::new());
    for seed in first..first + count {
        let Sample { program, limits } = sample(seed);
        match compare(&program, &limits) {
            Ok(end) => *ends.entry(end).or_default() += 1,
            Err(why) => wrong.push(format!("seed {seed}: {:?}\n  {why}", program.code)),
        }
    }
    report(&mut wrong, count, &ends)
}

#[test]
fn normal_forms_of_the_corpus_do_what_the_programs_do() -> Result<()> {
    let (mut wrong, mut ends, mut count) = (Vec::new(), BTreeMap::new(), 0);
    for file in case::corpus()? {
        for case in file.cases.iter().filter(|case| case.is_for("native")) {
            count += 1;
            match compare(&case.program, &case.limits) {
                Ok(end) => *ends.entry(end).or_default() += 1,
                Err(why) => wrong.push(format!(
                    "{}/{}: {:?}\n  {why}",
                    file.topic, case.name, case.program.code
                )),
            }
        }
    }
    report(&mut wrong, count, &ends)
}

/// Programs that have one normal form, and programs that have different ones.
#[derive(Deserialize)]
struct Table {
    equal: Vec<[String; 2]>,
    different: Vec<[String; 2]>,
}

#[test]
fn programs_have_one_normal_form_or_different_ones() -> Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("normal.json");
    let table: Table = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    ensure!(table.equal.len() >= 40 && table.different.len() >= 20, "too few");
    let form = |code: &String| {
        let told = normal(&Request { code, ..Request::default() });
        told.map_err(|it| anyhow::anyhow!("{code}: {it:?}"))
    };
    let mut wrong = Vec::new();
    for (pairs, are_equal) in [(&table.equal, true), (&table.different, false)] {
        for pair in pairs {
            let [first, second] = [form(&pair[0])?, form(&pair[1])?];
            let hash = first.hash.as_ref().context("a hash")?;
            if (Some(hash) == second.hash.as_ref()) != are_equal {
                let shown = format!("  {}\n  {}", first.notation, second.notation);
                wrong.push(format!("{}\n{}\n{shown}", pair[0], pair[1]));
            }
        }
    }
    ensure!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n\n"));
    Ok(())
}

/// The programs of the analyst's page have the normal forms that stand below them.
#[test]
fn normal_forms_are_as_the_page_shows_them() -> Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../guest/analysis/README.md");
    let page = std::fs::read_to_string(path)?;
    let mut wrong = Vec::new();
    let mut count = 0;
    for block in page.split("```js\n").skip(1) {
        let block = block.split("```").next().context("the end of a block")?;
        let (expected, code): (Vec<&str>, Vec<&str>) =
            block.lines().partition(|line| line.starts_with("// "));
        if !block.contains("\n// normal ") {
            continue;
        }
        count += 1;
        let code = code.join("\n");
        let told = normal(&Request { code: &code, ..Request::default() });
        let told = told.map_err(|it| anyhow::anyhow!("{code}: {it:?}"))?;
        let lines = vec![format!("// normal {}", told.notation)];
        if lines != expected {
            wrong.push(format!("{code}\n{}", lines.join("\n")));
        }
    }
    ensure!(count >= 3 && wrong.is_empty(), "{count} programs, wrong:\n{}", wrong.join("\n"));
    Ok(())
}
