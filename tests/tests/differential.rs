//! Random programs on the native machine and by the definition: same value or fault code, same fuel.
//! `PIF_RANDOM_TERMS=1000000` runs so many instead of the default, `PIF_RANDOM_SEED=5` from
//! another seed on.

use pif_guest::fault::Code;
use pif_guest::request::{Argument, Program, Source};
use pif_tests::generate::{Sample, sample};
use pif_tests::{definitional, native};
use std::collections::BTreeMap;

/// What both evaluators must agree on.
type Outcome = (Result<(String, &'static str), &'static str>, u64);

/// A program on which they do not agree.
struct Difference {
    seed: u64,
    sample: Sample,
    native: Outcome,
    definition: Outcome,
}

#[test]
fn machine_agrees_with_the_definition_on_random_programs() {
    let first = setting("PIF_RANDOM_SEED", 0);
    let count = setting("PIF_RANDOM_TERMS", 20_000);
    let compare = || (first..first + count).filter_map(|seed| compare(seed).err()).collect();
    let differences: Vec<Box<Difference>> = definitional::on_large_stack(compare).unwrap();
    let shown = shortest_of_each_kind(&differences);
    let found = differences.len();
    assert!(differences.is_empty(), "{found} of {count} differ:\n{}", shown.join("\n"));
    eprintln!("{count} random programs from seed {first}: no difference");
}

/// Random programs are only worth something if they do different things.
#[test]
fn random_programs_end_in_many_ways() {
    let run = |seed| {
        let Sample { program, limits } = sample(seed);
        definitional::run(&program, &limits)
    };
    let ends = definitional::on_large_stack(|| {
        let mut ends = BTreeMap::new();
        for outcome in (0..3000).map(run) {
            let end = outcome.result.map_or_else(Code::name, |finished| finished.kind);
            *ends.entry(end).or_insert(0) += 1;
        }
        ends
    });
    let ends = ends.unwrap();
    let values: u32 = definitional::KINDS.iter().filter_map(|kind| ends.get(kind)).sum();
    assert!(ends.len() >= 20, "{ends:?}");
    assert!((1200..2400).contains(&values), "{ends:?}");
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

fn compare(seed: u64) -> Result<(), Box<Difference>> {
    let sample = sample(seed);
    let Sample { program, limits } = &sample;
    let outcome = definitional::run(program, limits);
    let result = outcome.result.map(|f| (f.json, f.kind)).map_err(Code::name);
    let definition = (result, outcome.fuel);
    let run = native::run(program, limits, 1 + seed % 1000);
    let result = run.result.map(|done| (done.json, done.kind)).map_err(|fault| fault.code.name());
    let native = (result, run.fuel);
    if native == definition {
        return Ok(());
    }
    Err(Box::new(Difference { seed, sample, native, definition }))
}

/// The shortest program of each kind of difference, described.
fn shortest_of_each_kind(differences: &[Box<Difference>]) -> Vec<String> {
    let mut shortest: BTreeMap<_, (usize, &Difference)> = BTreeMap::new();
    for difference in differences {
        let length = length(&difference.sample.program);
        let entry = shortest.entry(difference.kind()).or_insert((0, difference));
        let least = if entry.0 == 0 { length } else { length.min(length_of(entry.1)) };
        if least == length {
            entry.1 = difference;
        }
        entry.0 += 1;
    }
    let describe = |(count, difference): (usize, &Difference)| {
        format!("{count} like {}", difference.describe())
    };
    shortest.into_values().map(describe).collect()
}

fn length_of(difference: &Difference) -> usize {
    length(&difference.sample.program)
}

fn length(program: &Program) -> usize {
    let (Source::Term(code) | Source::Tool(code)) = &program.code;
    let argument = match &program.argument {
        Argument::None => 0,
        Argument::Input(text) | Argument::Data(text) => text.len(),
    };
    let tool = if code.contains("random") { program.tools.last() } else { None };
    code.len() + argument + tool.map_or(0, |(_, source)| source.len())
}

impl Difference {
    /// How both runs ended.
    fn kind(&self) -> (&'static str, &'static str, bool) {
        let end = |outcome: &Outcome| match outcome.0 {
            Ok((_, kind)) => kind,
            Err(code) => code,
        };
        (end(&self.native), end(&self.definition), self.native.1 == self.definition.1)
    }

    fn describe(&self) -> String {
        let Self { seed, sample: Sample { program, limits }, native, definition } = self;
        let Program { code, argument, context, tools, step, .. } = program;
        let random = tools.last().map(|tool| tool.1.as_str()).unwrap_or_default();
        format!(
            "seed {seed}, {limits:?}\n  {code:?}\n  {argument:?} {context:?} step {step}\n  random: \
             {random}\n  native: {native:?}\n  definition: {definition:?}"
        )
    }
}
