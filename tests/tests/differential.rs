//! Random programs on the native machine and by the definition: same value or fault code, same fuel.
//! `PIF_RANDOM_PROGRAMS=1000000` runs so many instead of the default, `PIF_RANDOM_SEED=5` from
//! another seed on.

use pif::fault::Code;
use pif::limits::Limits;
use pif::request::{Argument, Program, Source};
use pif_tests::definitional;
use pif_tests::fuzz::differential::{Outcome, by_definition, by_machine};
use pif_tests::generate::{Sample, sample};
use pif_tests::native;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// A program on which they do not agree.
struct Difference {
    seed: u64,
    sample: Sample,
    native: Outcome,
    definition: Outcome,
}

#[test]
#[expect(clippy::print_stderr, reason = "how many programs were compared is the result")]
fn machine_agrees_with_the_definition_on_random_programs() -> anyhow::Result<()> {
    let first = setting("PIF_RANDOM_SEED", 0)?;
    let count = setting("PIF_RANDOM_PROGRAMS", 5_000)?;
    let compare = || (first..first + count).filter_map(|seed| compare(seed).err()).collect();
    let differences: Vec<Box<Difference>> = definitional::on_large_stack(compare)?;
    let shown = shortest_of_each_kind(&differences);
    let found = differences.len();
    assert!(differences.is_empty(), "{found} of {count} differ:\n{}", shown.join("\n"));
    eprintln!("{count} random programs from seed {first}: no difference");
    Ok(())
}

/// Random programs are only worth something if they do different things.
#[test]
fn random_programs_end_in_many_ways() -> anyhow::Result<()> {
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
    let ends = ends?;
    let values: u32 = definitional::KINDS.iter().filter_map(|kind| ends.get(kind)).sum();
    assert!(ends.len() >= 20, "{ends:?}");
    assert!((1200..2400).contains(&values), "{ends:?}");
    Ok(())
}

/// What goes through a list in one go stops where it would have stopped one by one.
#[test]
fn runs_stop_at_the_same_place_whatever_their_fuel() -> anyhow::Result<()> {
    const LIMITS: Limits = Limits { fuel: 10_000, depth: 1000, memory: 1 << 22, output: 10_000 };
    const RECORDS: &str = r#"{"k": "one", "l": 0}, {"k": "two", "l": 1}, {"a": 0, "k": "two"},
        {"k": "six", "l": 2}, {"k": "one", "l": 3}"#;
    const KEY: &str = r#"{"lam": "r", "body": {"get": [{"var": "r"}, "k"]}}"#;
    for form in ["map", "group_by", "count_by", "distinct_by", "flat_map", "sort_by", "max_by"] {
        for odd in [r#"{"k": 7}"#, r#"{"k": [[]], "l": 5}"#, "{}"] {
            let data = format!(r#"[{RECORDS}, {odd}, {{"k": "one", "l": 4}}]"#);
            let code = format!(r#"{{"lam": "x", "body": {{"{form}": [{KEY}, {{"var": "x"}}]}}}}"#);
            let argument = Argument::Data(data.clone());
            let program = Program { argument, ..Program::term(code) };
            compare_whatever_the_fuel(program, LIMITS)?;
        }
    }
    Ok(())
}

/// What several operations are done for at once stops where it would have stopped one by one.
#[test]
fn calls_stop_at_the_same_place_whatever_their_fuel_and_depth() -> anyhow::Result<()> {
    const FIB: &str = r#"{"lam": "n", "body": {"if": {"cond": {"lt": [{"var": "n"}, 2]},
        "then": {"var": "n"}, "else": {"add": [
            {"app": {"func": {"self": true}, "arg": {"sub": [{"var": "n"}, 1]}}},
            {"app": {"func": {"self": true}, "arg": {"sub": [{"var": "n"}, 2]}}}]}}}}"#;
    const SUM: &str = r#"{"lam": "n", "body": {"if": {"cond": {"eq": [{"var": "n"}, 0]},
        "then": 0, "else": {"add": [{"var": "n"},
            {"app": {"func": {"self": true}, "arg": {"sub": [{"var": "n"}, 1]}}}]}}}}"#;
    const LOOP: &str = r#"{"lam": "s", "body": {"if": {"cond": {"eq": [{"fst": {"var": "s"}}, 0]},
        "then": {"snd": {"var": "s"}}, "else": {"app": {"func": {"self": true}, "arg": {"pair": [
            {"sub": [{"fst": {"var": "s"}}, 1]},
            {"add": [{"snd": {"var": "s"}}, {"fst": {"var": "s"}}]}]}}}}}}"#;
    const DOUBLE: &str = r#"{"lam": "n", "body": {"if": {"cond": {"lte": [{"var": "n"}, 0]},
        "then": 1, "else": {"add": [
            {"app": {"func": {"self": true}, "arg": {"sub": [{"var": "n"}, 1]}}},
            {"app": {"func": {"self": true}, "arg": {"sub": [{"var": "n"}, 1]}}}]}}}}"#;
    const BUILD: &str = r#"{"lam": "n", "body": {"fold": [{"lam": "p", "body": {"cons": {
        "head": {"add": [{"snd": {"var": "p"}}, {"mul": [{"var": "n"}, 100]}]},
        "tail": {"fst": {"var": "p"}}}}}, [], [1, 2, 3]]}}"#;
    const COUNT: &str = r#"{"lam": "n", "body": {"if": {"cond": {"eq": [{"var": "n"}, 0]},
        "then": 0, "else": {"add": [1,
            {"app": {"func": {"self": true}, "arg": {"add": [-1, {"var": "n"}]}}}]}}}}"#;
    const EVEN: &str = r#"{"lam": "n", "body": {"letrec": [
        ["even", {"lam": "m", "body": {"if": {"cond": {"eq": [{"var": "m"}, 0]}, "then": {"var": "n"},
            "else": {"app": {"func": {"var": "odd"}, "arg": {"sub": [{"var": "m"}, 1]}}}}}}],
        ["odd", {"lam": "m", "body": {"add": [1,
            {"app": {"func": {"var": "even"}, "arg": {"sub": [{"var": "m"}, 1]}}}]}}]],
        "in": {"app": {"func": {"var": "even"}, "arg": {"var": "n"}}}}}"#;
    const REDUCE: &str = r#"{"lam": "n", "body": {"reduce": [{"lam": ["a", "x"], "body":
        {"add": [{"var": "a"}, {"mul": [{"var": "x"}, {"var": "n"}]}]}}, {"var": "n"}, [1, 2, 3]]}}"#;
    const LEAST: &str = "-4611686018427387904";
    for (tool, arguments) in [
        (FIB, ["6", "\"six\"", "1"]),
        (SUM, ["7", "{\"float\": 2.5}", LEAST]),
        (LOOP, [r#"{"pair": [5, 0]}"#, r#"{"pair": [4, "no"]}"#, LEAST]),
        (COUNT, ["5", "\"five\"", LEAST]),
        (DOUBLE, ["3", "\"three\"", LEAST]),
        (EVEN, ["6", "\"six\"", "1"]),
        (REDUCE, ["3", "\"three\"", LEAST]),
        (BUILD, ["3", "\"three\"", LEAST]),
        (LOOP, [r#"{"pair": [5, 4611686018427387900]}"#, "7", r#"{"pair": [false, 0]}"#]),
    ] {
        for argument in arguments {
            let term = format!(r#"{{"app": {{"func": {{"tool": "f"}}, "arg": {argument}}}}}"#);
            let tools = vec![("f".to_owned(), tool.to_owned())];
            let program = Program { tools, ..Program::term(term) };
            for depth in [2, 3, 6, 50] {
                let limits = Limits { fuel: 300, depth, memory: 1 << 22, output: 10_000 };
                compare_whatever_the_fuel(program.clone(), limits)?;
            }
        }
    }
    Ok(())
}

/// So does a loop of which the accumulator is kept in halves, however crowded it is.
#[test]
fn folds_of_pairs_stop_at_the_same_place_whatever_their_fuel_and_depth() -> anyhow::Result<()> {
    const ACC: &str = r#"{"fst": {"var": "p"}}"#;
    const ITEM: &str = r#"{"snd": {"var": "p"}}"#;
    let (first, second) = (format!(r#"{{"fst": {ACC}}}"#), format!(r#"{{"snd": {ACC}}}"#));
    let next = |a: &str, b: &str| format!(r#"{{"pair": [{a}, {b}]}}"#);
    let sum = format!(r#"{{"add": [{first}, {ITEM}]}}"#);
    let small = format!(r#"{{"lt": [{ITEM}, 3]}}"#);
    let added = next(&sum, &second);
    let kept = next(&first, &format!(r#"{{"cons": {{"head": {ITEM}, "tail": {second}}}}}"#));
    let choice = format!(r#"{{"if": {{"cond": {small}, "then": {added}, "else": {kept}}}}}"#);
    let branches = format!(r#"{{"cond": [[{small}, {choice}], [{{"lt": [{sum}, 9]}}, {added}]]}}"#);
    let own = next(&next(r#"{"var": "a"}"#, &first), &second);
    let named = format!(r#"{{"let": [["q", {ACC}], ["a", {sum}], ["q", {own}]], "in": {kept}}}"#);
    let names: Vec<String> = (0..170).map(|n| format!(r#"["v{n}", {{"not": true}}]"#)).collect();
    let last = next(&sum, r#"{"var": "v169"}"#);
    let crowded = format!(r#"{{"let": [{}], "in": {last}}}"#, names.join(", "));
    for body in [&added, &choice, &branches, &named, &crowded, &next(&second, &first)] {
        for items in ["[1, 4, 2, 7]", r#"[1, "two", 3]"#] {
            let function = format!(r#"{{"lam": "p", "body": {body}}}"#);
            let fold = format!(r#"{{"fold": [{function}, {{"pair": [0, []]}}, {items}]}}"#);
            let depths: &[u32] = if *body == crowded { &[7] } else { &[3, 5, 7, 50] };
            for depth in depths.iter().copied() {
                let limits = Limits { fuel: 500, depth, memory: 1 << 22, output: 10_000 };
                compare_whatever_the_fuel(Program::term(fold.clone()), limits)?;
            }
        }
    }
    Ok(())
}

/// A program with every fuel up to what it takes, or is given. Of places the definition knows
/// nothing; but each operation is done for itself while a program is watched, which must not show.
fn compare_whatever_the_fuel(program: Program, limits: Limits) -> anyhow::Result<()> {
    let mut sample = Sample { program, limits };
    let most = definitional::on_large_stack(|| by_definition(&sample).1)?;
    for fuel in 0..=most {
        sample.limits.fuel = fuel;
        let defined = definitional::on_large_stack(|| by_definition(&sample))?;
        for slice in [1, 50, 1000] {
            let machine = by_machine(&sample, slice);
            assert_eq!(machine, defined, "{:?}, {slice} at a time", sample.program);
        }
        let place = |debug| {
            let program = Program { debug, ..sample.program.clone() };
            native::run(&program, &sample.limits, 1000).result.map_err(|fault| fault.at)
        };
        assert_eq!(place(false), place(true), "{:?}, watched, with {fuel}", sample.program);
    }
    Ok(())
}

fn setting(name: &str, default: u64) -> anyhow::Result<u64> {
    std::env::var(name).map_or(Ok(default), |text| Ok(text.parse()?))
}

fn compare(seed: u64) -> Result<(), Box<Difference>> {
    let sample = sample(seed);
    let definition = by_definition(&sample);
    let native = by_machine(&sample, 1 + seed % 1000);
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
        Argument::None | Argument::Unapplied => 0,
        Argument::Input(text) | Argument::Data(text) => text.len(),
    };
    let tool = if code.contains("random") { program.tools.last() } else { None };
    code.len() + argument + tool.map_or(0, |(_, source)| source.len())
}

/// The type of the value or the code of the fault.
fn end(outcome: &Outcome) -> &str {
    match &outcome.0 {
        Ok((_, end)) | Err(end) => end,
    }
}

impl Difference {
    /// How both runs ended.
    fn kind(&self) -> (&str, &str, Ordering) {
        (end(&self.native), end(&self.definition), self.native.1.cmp(&self.definition.1))
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
