//! Terms are written in the notation, and read back as they were. Long texts take time in proportion
//! to their length.
//! `PIF_RANDOM_TERMS=100000` takes so many, `PIF_RANDOM_SEED=5` from another seed on.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use pif::analysis;
use pif::form::FORMS;
use pif::limits::Limits;
use pif::request::{Argument, Program, Source};
use pif_sandbox::Watch;
use pif_tests::fuzz::notation::round_trip_of;
use pif_tests::generate::sample;
use pif_tests::{case, component, library, native};
use serde_json::Value;

fn setting(name: &str, default: u64) -> Result<u64> {
    match std::env::var(name) {
        Ok(text) => text.parse().with_context(|| format!("{name}={text}")),
        Err(_) => Ok(default),
    }
}

/// Collects the terms of the corpus, of the library and of the mistakes: the values of some members,
/// wherever they are.
fn collect(value: &Value, terms: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, terms)),
        Value::Object(members) => {
            for (key, member) in members {
                match (key.as_str(), member) {
                    ("term" | "code" | "right" | "input" | "source", _) => {
                        terms.push(member.to_string());
                    }
                    ("tools", Value::Object(tools)) => {
                        terms.extend(tools.values().map(Value::to_string));
                    }
                    _ => collect(member, terms),
                }
            }
        }
        _ => {}
    }
}

#[test]
fn terms_of_the_corpus_are_written_and_read_back() -> Result<()> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = library::files()?;
    files.extend(case::paths()?);
    files.push(tests.join("mistakes.json"));
    let mut terms: Vec<String> = FORMS.iter().map(|row| row.example.to_owned()).collect();
    for file in files {
        collect(&serde_json::from_str(&fs::read_to_string(file)?)?, &mut terms);
    }
    let mut tried = 0;
    for term in &terms {
        tried += usize::from(round_trip_of(term)?.is_some());
    }
    ensure!(tried > 2_500, "only {tried} of {} terms", terms.len());
    Ok(())
}

#[test]
#[ignore = "long"]
#[expect(clippy::print_stderr, reason = "how many terms were tried is the result")]
fn random_terms_are_written_and_read_back() -> Result<()> {
    let first = setting("PIF_RANDOM_SEED", 0)?;
    let count = setting("PIF_RANDOM_TERMS", 10_000)?;
    let (mut tried, mut json, mut bytes) = (0, 0, 0);
    for seed in first..first + count {
        let program = sample(seed).program;
        let code = match program.code {
            Source::Term(text) => Some(text),
            Source::Tool(_) => None,
        };
        for code in code.into_iter().chain(program.tools.into_iter().map(|(_, source)| source)) {
            let written = round_trip_of(&code).with_context(|| format!("seed {seed}"))?;
            if let Some(written) = written {
                (tried, json, bytes) = (tried + 1, json + code.len(), bytes + written.len());
            }
        }
    }
    ensure!(tried > count / 2, "only {tried} terms");
    eprintln!("{tried} random terms, {json} bytes of JSON, {bytes} in the notation");
    Ok(())
}

/// A case of the corpus comes to the same value or fault, for the same fuel, in either notation.
#[test]
fn programs_take_equal_fuel_in_either_notation() -> Result<()> {
    let mut tried = 0;
    for case in case::corpus()?.into_iter().flat_map(|file| file.cases) {
        let Source::Term(code) = &case.program.code else { continue };
        let Some(written) = round_trip_of(code)? else { continue };
        // A pointer shows the spelling of a term, so both have the canonical one.
        let canonical = analysis::check(code).map_err(|it| anyhow!("{it:?}"))?.canonical;
        let [json, notation] = [canonical, written].map(|code| {
            let program = Program { code: Source::Term(code), ..case.program.clone() };
            let run = native::run(&program, &case.limits, u64::MAX);
            match run.result {
                Ok(value) => (Ok(value.json), run.fuel),
                Err(fault) => (Err((fault.code, fault.at, fault.tool)), run.fuel),
            }
        });
        ensure!(json == notation, "{}: {json:?}, not {notation:?}", case.name);
        tried += 1;
    }
    ensure!(tried > 1_500, "only {tried} programs");
    Ok(())
}

/// Texts made of one part, repeated: before, in the middle, behind, and the number of repetitions
/// that stand for one.
const KINDS: [(&str, &str, &str, usize); 21] = [
    ("(", "1", ")", 1),
    ("[", "1", "]", 1),
    ("{a: ", "1", "}", 1),
    ("x => ", "x", "", 1),
    ("", "data", " - -data", 1),
    ("!", "true", "", 1),
    ("", "1", " + 1", 1),
    ("", "1", " ** 1", 1),
    ("", "data", ".a", 1),
    ("", "data", "?.a", 1),
    ("true ? 1 : ", "1", "", 1),
    ("to_string(", "1", ")", 1),
    ("const x = 1; ", "x", "", 1),
    ("`${", "1", "}`", 1),
    ("([a, b]) => ", "a", "", 4),
    ("if (true) return 1; ", "2", "", 1),
    ("", "'a'", " + 'b'", 1),
    ("", "data", " |> (x => x)", 1),
    ("", "data", ".sort()", 1),
    ("", "data", ".a.map(x => x)[0]", 2),
    ("data.map(x => ", "x", ")", 2),
];

fn text((before, middle, behind, part): (&str, &str, &str, usize), count: usize) -> String {
    let count = count / part;
    [&before.repeat(count), middle, &behind.repeat(count)].concat()
}

/// Wasm instructions are counted, so the machine's load does not matter.
#[test]
#[ignore = "long"]
fn a_text_of_twice_the_length_takes_twice_the_instructions() -> Result<()> {
    const LIMITS: Limits = Limits { depth: 1_000_000, fuel: 100_000_000, ..case::LIMITS };
    let sandbox = component::open()?;
    for kind in KINDS {
        let taken = [4_000, 8_000].map(|count| {
            let mut program = Program::term(text(kind, count));
            program.argument = Argument::Data("1".to_owned());
            component::instructions(&sandbox, &program, &LIMITS)
        });
        let [short, long] = taken;
        ensure!(short > 100_000 && long < short * 5 / 2, "{kind:?}: {taken:?}");
    }
    Ok(())
}

/// A check reads the text and prints its term. Its instructions are bounded by the text's length.
#[test]
#[ignore = "long"]
fn long_texts_are_checked_and_printed() -> Result<()> {
    let sandbox = component::open()?;
    for kind in KINDS {
        let code = text(kind, 20_000);
        let told = sandbox.check(&code, &Watch::new(Duration::from_mins(5)));
        let summary = told.map_err(|faults| anyhow::anyhow!("{kind:?}: {faults:?}"))?;
        ensure!(!summary.notation.is_empty(), "{kind:?}");
    }
    Ok(())
}
