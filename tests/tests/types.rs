//! What the analyst tells of programs holds when they run: random programs, every case of the corpus.
//! `PIF_RANDOM_TYPES=100000` runs so many random programs instead of the default, `PIF_RANDOM_SEED=5`
//! from another seed on.

use anyhow::{Context, Result, bail, ensure};
use pif::form::FORMS;
use pif::limits::Limits;
use pif::request::{Argument, Program};
use pif_analysis::{Parameter, Request, analyze, forms, text};
use pif_tests::case;
use pif_tests::form_types::{compare_call, compare_example};
use pif_tests::generate::{Random, Sample, sample};
use pif_tests::types::{Examples, applied, compare, compare_applied, told};
use pif_tests::{library, tell};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;

/// How many differences are shown.
const SHOWN: usize = 12;

fn setting(name: &str, default: u64) -> Result<u64> {
    std::env::var(name).map_or(Ok(default), |text| Ok(text.parse()?))
}

#[test]
fn types_of_random_programs_hold_when_they_run() -> Result<()> {
    let first = setting("PIF_RANDOM_SEED", 0)?;
    let count = setting("PIF_RANDOM_TYPES", 10_000)?;
    let mut wrong: Vec<(usize, String)> = Vec::new();
    let mut ends: BTreeMap<&str, u64> = BTreeMap::new();
    for seed in first..first + count {
        let Sample { program, limits } = sample(seed);
        let Some(told) = told(&program) else {
            *ends.entry("not read").or_default() += 1;
            continue;
        };
        match compare(&program, &limits, &told) {
            Ok(run) => {
                let is_known = told.output != pif_analysis::Shape::Any;
                let end = match (run.result.is_ok(), is_known) {
                    (true, true) => "a value of a type",
                    (true, false) => "a value of any type",
                    (false, _) => "a fault",
                };
                *ends.entry(end).or_default() += 1;
            }
            Err(why) => {
                let (code, tool) = (&program.code, program.tools.last());
                let argument = &program.argument;
                let text = format!(
                    "seed {seed}: told {}: {why}\n  {code:?} {argument:?}\n  {tool:?}",
                    told.shape
                );
                wrong.push((text.len(), text));
            }
        }
    }
    wrong.sort();
    let shown: Vec<&str> = wrong.iter().take(SHOWN).map(|it| it.1.as_str()).collect();
    ensure!(wrong.is_empty(), "{} of {count} are wrong:\n{}", wrong.len(), shown.join("\n"));
    tell(&format!("{count} random programs: {ends:?}"));
    Ok(())
}

#[test]
fn types_of_the_corpus_hold() -> Result<()> {
    let mut wrong = Vec::new();
    let (mut known, mut values, mut count) = (0, 0, 0);
    for file in case::corpus()? {
        for case in file.cases.iter().filter(|case| case.is_for("native")) {
            let Some(told) = told(&case.program) else { continue };
            count += 1;
            match compare(&case.program, &case.limits, &told) {
                Ok(run) => {
                    values += u32::from(run.result.is_ok());
                    let is_known = told.output != pif_analysis::Shape::Any;
                    known += u32::from(run.result.is_ok() && is_known);
                }
                Err(why) => wrong.push(format!(
                    "{}/{}: told {}: {why}\n  {:?}",
                    file.topic, case.name, told.shape, case.program.code
                )),
            }
        }
    }
    let shown: Vec<&str> = wrong.iter().take(60).map(String::as_str).collect();
    ensure!(wrong.is_empty(), "{} of {count} are wrong:\n{}", wrong.len(), shown.join("\n"));
    tell(&format!("{count} cases, {values} with a value, {known} of a type that is known"));
    Ok(())
}

/// The current tools of the library.
fn library_tools() -> Result<Vec<Map<String, Value>>> {
    let mut tools = Vec::new();
    for path in library::files()? {
        tools.extend(library::tools(&std::fs::read_to_string(path)?)?);
    }
    tools.retain(|tool| tool.get("pinned") != Some(&Value::Bool(true)));
    Ok(tools)
}

/// Their names and sources.
fn library() -> Result<Vec<(String, String)>> {
    let mut sources = Vec::new();
    for tool in library_tools()? {
        let name = tool.get("name").and_then(Value::as_str).context("a name")?;
        sources.push((name.to_owned(), tool.get("source").context("a source")?.to_string()));
    }
    Ok(sources)
}

/// Every example in the library, and none of its tools has a place that surely fails.
#[test]
fn types_of_the_library_hold() -> Result<()> {
    let (tools, sources) = (library_tools()?, library()?);
    let mut count = 0;
    for (tool, (name, _)) in tools.iter().zip(&sources) {
        let program = Program { tools: sources.clone(), ..Program::tool(name) };
        let told = told(&program).with_context(|| name.clone())?;
        ensure!(told.fails.is_empty(), "{name}: {:?}", told.fails);
        if std::env::var_os("PIF_SHOW_TYPES").is_some() {
            tell(&format!("{name}: {}", told.shape));
        }
        for example in tool.get("examples").and_then(Value::as_array).context("examples")? {
            let text = |member: &str| example.get(member).map(Value::to_string);
            let argument = match (text("data"), text("input")) {
                (Some(data), _) => Argument::Data(data),
                (_, Some(input)) => Argument::Input(input),
                (None, None) => Argument::None,
            };
            let program = Program { argument, ..program.clone() };
            if let Err(why) = compare(&program, &case::LIMITS, &told) {
                bail!("{name}: told {}: {why}", told.shape);
            }
            count += 1;
        }
    }
    tell(&format!("{count} examples of {} tools", tools.len()));
    Ok(())
}

/// Calls of each form with operands of its type.
const CALLS: u64 = 200;

/// The type of each form is read as it is written, and right for its example and for calls with random
/// operands of the type.
#[test]
fn types_of_forms_hold() -> Result<()> {
    let (mut wrong, mut unvalued, mut examples, mut calls) = (Vec::new(), Vec::new(), 0, 0);
    for row in FORMS {
        let shape = forms::shape_of(row).map_err(|it| anyhow::Error::msg(it.message))?;
        let written = shape.to_string();
        if text::read(&written).as_ref() != Ok(&shape) {
            wrong.push(format!("{}: {written} is not read so", row.name));
        }
        if let Some(compared) = compare_example(row) {
            examples += 1;
            wrong.extend(compared.err().map(|why| format!("{}: {written}: {why}", row.name)));
        }
        let (mut tried, mut valued) = (false, false);
        for seed in 0..CALLS {
            let Some(compared) = compare_call(row, &mut Random::new(seed)) else { continue };
            tried = true;
            match compared {
                Ok(has_value) => {
                    valued |= has_value;
                    calls += 1;
                }
                Err(why) => {
                    wrong.push(format!("{}: {written}: {why}", row.name));
                    break;
                }
            }
        }
        if tried && !valued {
            unvalued.push(row.name);
        }
    }
    ensure!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    tell(&format!("{examples} examples, {calls} calls; none of {unvalued:?} has a value"));
    ensure!(examples > 150 && calls > 20_000, "{examples} examples, {calls} calls");
    Ok(())
}

/// A program, and the type that a careful person would write.
#[derive(Deserialize)]
struct Written {
    code: String,
    #[serde(rename = "type")]
    shape: String,
}

fn table() -> Result<Vec<Written>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("types.json");
    Ok(serde_json::from_str(&std::fs::read_to_string(path)?)?)
}

/// The types of programs in `types.json` are exact for most; none is wrong.
#[test]
fn types_are_those_that_a_careful_person_would_write() -> Result<()> {
    const EXACT_PER_CENT: usize = 85;
    const ANY_PER_CENT: usize = 5;
    let table = table()?;
    let (mut exact, mut has_any, mut others, mut wrong) = (0, 0, Vec::new(), Vec::new());
    for Written { code, shape: text } in &table {
        let wanted = text::read(text).map_err(|it| anyhow::anyhow!("{text}: {it:?}"))?;
        ensure!(wanted.to_string() == *text, "{text} is written {wanted}");
        let request = Request { code, ..Request::default() };
        let told = analyze(&request).map_err(|it| anyhow::anyhow!("{code}: {it:?}"))?;
        let line = format!("{code}\n    wanted {wanted}\n    told   {}", told.shape);
        if told.shape.is_same(&wanted) {
            exact += 1;
        } else if told.shape.includes(&wanted) {
            has_any += usize::from(told.shape.count_any() > wanted.count_any());
            others.push(line);
        } else {
            wrong.push(line);
        }
    }
    let count = table.len();
    let told = format!("{exact} of {count} exact, {has_any} with an any too much");
    tell(&told);
    let is_good = exact * 100 >= EXACT_PER_CENT * count
        && has_any * 100 <= ANY_PER_CENT * count
        && wrong.is_empty();
    let (others, wrong) = (others.join("\n"), wrong.join("\n"));
    ensure!(is_good, "{told}\n  wider:\n{others}\n  wrong:\n{wrong}");
    Ok(())
}

/// The programs of the analyst's page have the types that stand below them.
#[test]
fn types_are_as_the_page_shows_them() -> Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../guest/analysis/README.md");
    let page = std::fs::read_to_string(path)?;
    let mut count = 0;
    for block in page.split("```js\n").skip(1) {
        let block = block.split("```").next().context("the end of a block")?;
        // Others show a normal form or a cost.
        if !block.contains("\n// type ") {
            continue;
        }
        let is_told = |line: &&str| line.starts_with("// ");
        let expected: Vec<&str> = block.lines().filter(is_told).collect();
        let code: Vec<&str> = block.lines().filter(|line| !is_told(line)).collect();
        let code = code.join("\n");
        let request = Request { code: &code, ..Request::default() };
        let told = analyze(&request).map_err(|it| anyhow::anyhow!("{code}: {it:?}"))?;
        let mut lines = vec![format!("// type {}", told.shape)];
        if expected.iter().any(|line| line.starts_with("// accepts ")) {
            let accepted = told.parameters.iter().map(|it| format!("// accepts {}", it.accepted));
            lines.extend(accepted);
        }
        for fails in &told.fails {
            let always = if fails.always { "always " } else { "" };
            lines.push(format!("// fails {always}{} at {}", fails.code.name(), fails.at));
        }
        let is_same = lines.len() == expected.len()
            && lines.iter().zip(&expected).all(|(told, expected)| is_same_line(told, expected));
        ensure!(is_same, "{code}\n{}", lines.join("\n"));
        count += 1;
    }
    ensure!(count >= 12, "{count} programs");
    Ok(())
}

/// Whether two lines say the same, whatever the order of the parts of a type.
fn is_same_line(told: &str, expected: &str) -> bool {
    let shape = |line: &str| text::read(line.strip_prefix("// type ")?).ok();
    match (shape(told), shape(expected)) {
        (Some(told), Some(expected)) => told.is_same(&expected),
        _ => told == expected,
    }
}

/// The programs of the table, of the corpus and of the library with random data, for the most part of
/// the types that are told. `PIF_RANDOM_INPUTS=1000` makes so many for each program.
#[test]
fn types_hold_for_random_data() -> Result<()> {
    const LIMITS: Limits = Limits { fuel: 100_000, depth: 1000, memory: 4 << 20, output: 100_000 };
    let count = setting("PIF_RANDOM_INPUTS", 30)?;
    let mut programs = Vec::new();
    for Written { code, .. } in table()? {
        programs.push(Program::term(code));
    }
    for file in case::corpus()? {
        let cases = file.cases.into_iter().filter(|case| case.is_for("native"));
        let with_data = |it: &Program| matches!(it.argument, Argument::Data(_) | Argument::None);
        programs.extend(cases.map(|case| case.program).filter(with_data));
    }
    let sources = library()?;
    let tools = || sources.clone();
    programs.extend(sources.iter().map(|it| Program { tools: tools(), ..Program::tool(&it.0) }));
    let (mut values, mut runs, mut wrong) = (0, 0, Vec::new());
    for (seed, program) in (0..).zip(&programs) {
        let Some(told) = told(program) else { continue };
        let [parameter] = &told.parameters[..] else {
            let Some(program) = applied(program).filter(|_| told.is_function) else { continue };
            for seed in (seed..).step_by(programs.len()).take(usize::try_from(count)?) {
                let like = |it: &Parameter| Examples::new(seed, &it.shape).next(&it.shape);
                let arguments: Vec<Value> = told.parameters.iter().map(like).collect();
                let argument = Argument::Data(Value::from(arguments.clone()).to_string());
                let program = Program { argument, ..program.clone() };
                runs += 1;
                match compare_applied(&program, &LIMITS, &told, &arguments) {
                    Ok(has_value) => values += u32::from(has_value),
                    Err(why) => {
                        let (code, shape) = (&program.code, &told.shape);
                        wrong.push(format!("{code:?}\n  {arguments:?}\n  told {shape}: {why}"));
                        break;
                    }
                }
            }
            continue;
        };
        let mut examples = Examples::new(seed, &parameter.shape);
        for _ in 0..count {
            let data = examples.next(&parameter.shape).to_string();
            let program = Program { argument: Argument::Data(data.clone()), ..program.clone() };
            runs += 1;
            match compare(&program, &LIMITS, &told) {
                Ok(run) => values += u32::from(run.result.is_ok()),
                Err(why) => {
                    let code = &program.code;
                    wrong.push(format!("{code:?}\n  {data}\n  told {}: {why}", told.shape));
                    break;
                }
            }
        }
    }
    wrong.sort_by_key(String::len);
    let shown: Vec<&str> = wrong.iter().take(SHOWN).map(String::as_str).collect();
    ensure!(wrong.is_empty(), "{} programs:\n{}", wrong.len(), shown.join("\n"));
    tell(&format!("{runs} runs with random data, {values} with a value"));
    Ok(())
}
