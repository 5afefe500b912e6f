//! Costs that the analyst tells, against what runs take. `PIF_RANDOM_COSTS=1000` makes so many inputs
//! for each program.

use anyhow::{Context, Result, ensure};
use pif::limits::Limits;
use pif::request::{Argument, Program, Source};
use pif_analysis::cost::{Cost, Kind, Measure, Step, Variable, cost_term, fit, grow};
use pif_analysis::{Analysis, Request, Shape, analyze_term};
use pif_tests::types::Examples;
use pif_tests::{case, library, native, tell};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

const LIMITS: Limits =
    Limits { fuel: 10_000_000, depth: 100_000, memory: 256 << 20, output: 64 << 20 };
/// How many bounds are at most four times what the dearest input takes that is tried.
const CLOSE_PER_CENT: usize = 85;
/// How many wrong bounds are shown.
const SHOWN: usize = 12;

/// A program with what is told of it.
struct Told {
    code: String,
    analysis: Analysis,
    cost: Cost,
}

fn told(code: &str) -> Option<Told> {
    let mut terms = pif::term::Terms::default();
    let origin = pif::term::Origin::Code;
    let root = pif_notation_read(&mut terms, code, origin)?;
    let request = Request { code, ..Request::default() };
    let analysis = analyze_term(&terms, root, &request);
    let cost = cost_term(&terms, root, &request, &analysis);
    Some(Told { code: code.to_owned(), analysis, cost })
}

fn pif_notation_read(
    terms: &mut pif::term::Terms,
    code: &str,
    origin: pif::term::Origin,
) -> Option<u32> {
    Some(pif::notation::read_code(terms, code, origin, &["data", "input"]).ok()?.root)
}

/// What a variable is for an input; none if it cannot be measured.
fn size(variable: &Variable, data: &Value) -> u64 {
    let mut values = vec![data.clone()];
    for step in &variable.part.steps {
        values = values.into_iter().flat_map(|it| inner(it, step)).collect();
    }
    values.iter().map(|it| measured(variable.measure, it)).max().unwrap_or_default()
}

fn inner(value: Value, step: &Step) -> Vec<Value> {
    match (step, value) {
        (Step::Member(name), Value::Object(mut record)) => {
            record.remove(name).into_iter().collect()
        }
        (Step::Element, Value::Array(elements)) => elements,
        (Step::Values, Value::Object(record)) => record.into_iter().map(|it| it.1).collect(),
        (Step::Keys, Value::Object(record)) => {
            record.into_iter().map(|it| Value::String(it.0)).collect()
        }
        (Step::Index(at), Value::Array(elements)) => {
            elements.into_iter().skip(*at).take(1).collect()
        }
        _ => Vec::new(),
    }
}

fn measured(measure: Measure, value: &Value) -> u64 {
    match (measure, value) {
        (Measure::Length, Value::Array(elements)) => elements.len() as u64,
        (Measure::Length, Value::Object(record)) => record.len() as u64,
        (Measure::Length | Measure::Bytes, Value::String(text)) => text.len() as u64,
        (Measure::Value, Value::Number(n)) => {
            n.as_u64().unwrap_or_else(|| if n.to_string().starts_with('-') { 0 } else { 1 << 60 })
        }
        (Measure::Limbs, Value::Number(n)) => {
            let text = n.to_string();
            let is_integer = text.bytes().all(|it| it.is_ascii_digit() || it == b'-');
            let big = text.parse::<num_bigint::BigInt>().unwrap_or_default();
            let limbs = big.bits().div_ceil(64);
            if is_integer && limbs > 1 { limbs } else { 0 }
        }
        (Measure::Size, value) => whole(value),
        _ => 0,
    }
}

/// All parts of a value, the units of its texts and keys, 8 and the limbs of a big integer.
fn whole(value: &Value) -> u64 {
    match value {
        Value::Array(elements) => elements.iter().map(|it| 1 + whole(it)).sum(),
        Value::Object(record) => {
            record.iter().map(|(key, it)| 1 + key.len() as u64 / 8 + whole(it)).sum()
        }
        Value::String(text) => text.len() as u64 / 8,
        number => match measured(Measure::Limbs, number) {
            0 => 0,
            limbs => 8 + limbs,
        },
    }
}

fn bound(told: &Told, data: &Value) -> f64 {
    told.cost.bound.at(&|at| told.cost.variables.get(&at).map_or(0, |it| size(it, data)))
}

/// The fuel of a run with a value.
fn fuel(code: &str, data: &Value) -> Option<u64> {
    let argument = Argument::Data(data.to_string());
    let program = Program { argument, ..Program::term(code.to_owned()) };
    let run = native::run(&program, &LIMITS, u64::MAX);
    run.result.is_ok().then_some(run.fuel)
}

/// A program and the class that a careful person would give.
#[derive(Deserialize)]
struct Written {
    code: String,
    class: String,
}

fn table() -> Result<Vec<Written>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("costs.json");
    Ok(serde_json::from_str(&std::fs::read_to_string(path)?)?)
}

#[test]
fn classes_are_those_that_a_careful_person_would_give() -> Result<()> {
    let mut wrong = Vec::new();
    let table = table()?;
    for Written { code, class } in &table {
        let told = told(code).with_context(|| code.clone())?;
        if told.cost.class() != *class {
            wrong.push(format!(
                "{code}\n  wanted {class}, told {} {}",
                told.cost.class(),
                told.cost.fuel()
            ));
        }
    }
    ensure!(
        wrong.is_empty(),
        "{} of {} are wrong:\n{}",
        wrong.len(),
        table.len(),
        wrong.join("\n")
    );
    Ok(())
}

/// Programs of the corpus, of the library and of the table that are applied to data.
fn programs() -> Result<Vec<String>> {
    let mut codes: Vec<String> = table()?.into_iter().map(|it| it.code).collect();
    for file in case::corpus()? {
        for case in file.cases.into_iter().filter(|case| case.is_for("native")) {
            let Program { code, argument, context, bindings, tools, .. } = case.program;
            if let (Source::Term(code), Argument::Data(_)) = (code, argument)
                && context.is_none()
                && bindings.is_empty()
                && tools.is_empty()
            {
                codes.push(code);
            }
        }
    }
    for path in library::files()? {
        for tool in library::tools(&std::fs::read_to_string(path)?)? {
            codes.push(tool.get("source").context("a source")?.to_string());
        }
    }
    codes.sort();
    codes.dedup();
    Ok(codes)
}

/// Data for a program: of growing sizes by its type, then random ones.
fn inputs(told: &Told, count: u64) -> Vec<Value> {
    let shape = match &told.analysis.parameters[..] {
        [only] => only.shape.clone(),
        _ => Shape::Null,
    };
    let mut examples = Examples::new(count, &shape);
    let sizes = [0, 1, 2, 3, 10, 50, 200];
    let grown = sizes.iter().filter_map(|n| serde_json::from_str(&grow(&shape, *n)).ok());
    let random = (0..count).map(|_| examples.next(&shape));
    grown.chain(random).collect()
}

#[test]
fn no_run_takes_more_than_the_bound() -> Result<()> {
    let count = std::env::var("PIF_RANDOM_COSTS").map_or(Ok(40), |it| it.parse())?;
    let (mut runs, mut bounds, mut all) = (0, 0, 0);
    let mut wrong = Vec::new();
    let mut loose: Vec<(f64, String)> = Vec::new();
    for code in programs()? {
        let Some(told) = told(&code) else { continue };
        if told.analysis.parameters.len() > 1 && told.analysis.is_function {
            continue;
        }
        all += 1;
        if told.cost.kind == Kind::Unknown {
            if std::env::var_os("PIF_SHOW_COSTS").is_some() {
                tell(&format!("unknown {}", code.chars().take(150).collect::<String>()));
            }
            continue;
        }
        bounds += 1;
        let mut best = f64::INFINITY;
        for data in inputs(&told, count) {
            let Some(taken) = fuel(&code, &data) else { continue };
            runs += 1;
            let most = bound(&told, &data);
            #[expect(clippy::cast_precision_loss, reason = "fuel is far below 2^53")]
            let taken = taken as f64;
            if taken > most + 0.5 {
                let data: String = data.to_string().chars().take(200).collect();
                wrong.push(format!(
                    "{} {:?}: {taken} > {most}\n  {code}\n  {data}",
                    told.cost.fuel(),
                    told.cost.places()
                ));
                break;
            }
            best = best.min(most / taken);
        }
        if best.is_finite() {
            loose.push((best, format!("{best:.1} {} {}", told.cost.fuel(), told.code)));
        }
    }
    wrong.sort_by_key(String::len);
    let shown: Vec<&str> = wrong.iter().take(SHOWN).map(String::as_str).collect();
    ensure!(wrong.is_empty(), "{} bounds are exceeded:\n{}", wrong.len(), shown.join("\n"));
    loose.sort_by(|a, b| b.0.total_cmp(&a.0));
    let within = loose.iter().filter(|it| it.0 <= 4.0).count();
    if std::env::var_os("PIF_SHOW_COSTS").is_some() {
        for (_, text) in loose.iter().take(60) {
            tell(&text.chars().take(300).collect::<String>());
        }
    }
    tell(&format!(
        "{all} programs, {bounds} with a bound, {runs} runs; of {} within four times {within}",
        loose.len()
    ));
    ensure!(runs >= 10_000, "only {runs} runs");
    let is_close = within * 100 >= CLOSE_PER_CENT * loose.len();
    ensure!(is_close, "{within} of {} bounds are within four times", loose.len());
    Ok(())
}

/// The class of what runs on growing inputs take is that of the bound.
#[test]
fn measured_classes_are_those_of_the_bounds() -> Result<()> {
    let mut kinds: BTreeMap<bool, u32> = BTreeMap::new();
    for Written { code, class } in table()? {
        let told = told(&code).with_context(|| code.clone())?;
        let [parameter] = &told.analysis.parameters[..] else { continue };
        let mut points = Vec::new();
        for n in [50, 100, 200, 400] {
            let data = serde_json::from_str(&grow(&parameter.shape, n))?;
            points.extend(fuel(&code, &data).map(|it| (n as u64, it)));
        }
        if let (Some(found), true) =
            (fit(&points), ["1", "n", "n log n", "n^2"].contains(&class.as_str()))
        {
            *kinds.entry(found == class).or_default() += 1;
        }
    }
    let right = kinds.get(&true).copied().unwrap_or_default();
    let wrong = kinds.get(&false).copied().unwrap_or_default();
    tell(&format!("{right} of {} measured as they are derived", right + wrong));
    ensure!(right >= 9 * wrong && right >= 15, "{right} are measured so, {wrong} are not");
    Ok(())
}

/// The programs of the analyst's page have the costs that stand below them.
#[test]
fn costs_are_as_the_page_shows_them() -> Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../guest/analysis/README.md");
    let page = std::fs::read_to_string(path)?;
    let mut wrong = Vec::new();
    let mut count = 0;
    for block in page.split("```js\n").skip(1) {
        let block = block.split("```").next().context("the end of a block")?;
        let (expected, code): (Vec<&str>, Vec<&str>) =
            block.lines().partition(|line| line.starts_with("// "));
        if !block.contains("\n// class ") {
            continue;
        }
        count += 1;
        let code = code.join("\n");
        let told = told(&code).with_context(|| code.clone())?.cost;
        let mut lines = vec![format!("// class {}", told.class())];
        if told.kind == Kind::Bound {
            lines.push(format!("// cost {}", told.fuel()));
        }
        let places = told.places();
        lines.extend(places.iter().map(|(name, of)| format!("// where {name} = {of}")));
        if lines != expected {
            wrong.push(format!("{code}\n{}", lines.join("\n")));
        }
    }
    ensure!(count >= 3 && wrong.is_empty(), "{count} programs, wrong:\n{}", wrong.join("\n"));
    Ok(())
}

/// Bytes of a stack on which costs of long programs are told. That of the component is smaller, and so
/// are its frames.
const STACK: usize = 1 << 20;

/// A program of many parts that are made alike.
fn repeated(part: impl Fn(usize) -> String) -> String {
    (0..6_000).map(part).collect()
}

/// Programs whose functions hold one another, and with many sizes: they take little of the stack, and
/// what they take of time does not grow with its square.
#[test]
fn costs_of_long_programs_end() -> Result<()> {
    let functions = repeated(|at| format!("const f{at} = x => x + {at};\n"));
    let held = repeated(|at| format!("const r{at} = {{f: x => x + {at}}};\n"));
    let members = repeated(|at| format!("data.k{at} + 1, "));
    let branches = repeated(|at| format!("data.k{at} > 1 ? data.a : data.b, "));
    let programs = [
        format!("{functions}f0(1)"),
        format!("{held}r0.f(1)"),
        format!("[{members}0]"),
        format!("[{branches}0]"),
    ];
    let tell = move || programs.iter().all(|code| told(code).is_some());
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(tell)?;
    ensure!(thread.join().is_ok_and(|is_told| is_told), "a program is not read");
    Ok(())
}
