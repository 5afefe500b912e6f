//! Programs of the core calculus, run by the evaluator of the library that is written in the calculus
//! itself: a request that runs a program becomes one that runs `std_interpret` on it.

use crate::run::Fault;
use crate::{library, native};
use anyhow::{Context, Result, bail, ensure};
use pif::analysis;
use pif::form::{FORMS, Form};
use pif::limits::Limits;
use pif::parse::{self, Reading};
use pif::request::{Argument, Program, Source};
use pif::term::{Origin, Terms};
use serde_json::{Map, Value, json};
use std::fs;

/// The evaluator.
pub const INTERPRETER: &str = "std_interpret";

/// What came of a program: its value as JSON, or the code of its fault; and the fuel that the
/// evaluator of the library counted.
#[derive(Debug)]
pub struct Interpreted {
    /// The value, or the code of the fault.
    pub result: Result<Value, String>,
    /// The nodes evaluated; none where a limit of the server ended the run.
    pub fuel: Option<u64>,
    /// The fuel of the run that interpreted it.
    pub cost: u64,
}

/// All tools of the library, by name, with their sources.
pub fn tools() -> Result<Vec<(String, String)>> {
    let mut all = Vec::new();
    for file in library::files()? {
        for tool in library::tools(&fs::read_to_string(file)?)? {
            let name = tool["name"].as_str().context("a name")?.to_owned();
            if tool.get("pinned").is_none() {
                all.push((name, tool["source"].to_string()));
            }
        }
    }
    Ok(all)
}

/// Whether a program consists of the forms of the original calculus alone, and so do the tools that
/// it has. A program that is no term has no forms.
#[must_use]
pub fn is_core(program: &Program) -> bool {
    let texts = program.tools.iter().map(|(_, source)| source);
    let mut texts = texts.chain(match &program.code {
        Source::Term(text) => Some(text),
        Source::Tool(_) => None,
    });
    let is_host = program.step != 0 || !program.bindings.is_empty() || program.keep;
    !is_host && texts.all(|text| is_core_text(text)) && is_core_argument(&program.argument)
}

fn is_core_text(text: &str) -> bool {
    analysis::check(text).is_ok_and(|it| it.forms.iter().all(|(name, _)| is_core_form(name)))
}

fn is_core_form(name: &str) -> bool {
    FORMS.iter().find(|row| row.name == name).is_none_or(|row| row.form.is_original())
}

fn is_core_argument(argument: &Argument) -> bool {
    match argument {
        Argument::Input(text) => input(text).is_ok_and(|term| is_core_text(&term.to_string())),
        Argument::Data(text) => serde_json::from_str::<Value>(text).is_ok(),
        Argument::None | Argument::Unapplied => true,
    }
}

/// An input as the term that it stands for.
fn input(text: &str) -> Result<Value> {
    let mut terms = Terms::default();
    let parsed = parse::parse(&mut terms, text, Origin::Argument("input"), Reading::Input);
    let parsed = parsed.map_err(|fault| anyhow::anyhow!("{}", fault.code.name()))?;
    Ok(serde_json::from_str(&pif::print::term(&terms, parsed.root))?)
}

/// Data as the term that has it as its value.
fn literal(data: &Value) -> Value {
    match data {
        Value::Array(items) => items.iter().map(literal).collect(),
        Value::Object(members) => {
            let members: Map<String, Value> =
                members.iter().map(|(key, value)| (key.clone(), literal(value))).collect();
            json!({ "record": members })
        }
        scalar => scalar.clone(),
    }
}

/// The argument of `std_interpret` for a program.
pub fn request(program: &Program) -> Result<Map<String, Value>> {
    let mut env = match &program.context {
        Some(text) => serde_json::from_str::<Map<String, Value>>(text)?,
        None => Map::new(),
    };
    let mut request = Map::new();
    let (mut is_function, mut free) = (true, Vec::new());
    match &program.code {
        Source::Term(text) => {
            let summary = analysis::check(text);
            let summary = summary.map_err(|faults| anyhow::anyhow!("{faults:?}"))?;
            request.insert("term".to_owned(), serde_json::from_str(&summary.canonical)?);
            is_function = summary.form == Form::Lam.name();
            free = summary.free;
        }
        Source::Tool(name) => _ = request.insert("tool".to_owned(), json!(name)),
    }
    match &program.argument {
        Argument::None => _ = request.insert("input".to_owned(), Value::Null),
        Argument::Unapplied => {}
        Argument::Data(text) => {
            let data: Value = serde_json::from_str(text)?;
            request.insert("input".to_owned(), literal(&data));
            if !is_function {
                env.insert("data".to_owned(), data);
            }
        }
        Argument::Input(text) => {
            if !is_function && free.iter().any(|name| name == "input") {
                let body = request.remove("term");
                request.insert("term".to_owned(), json!({"lam": "input", "body": body}));
            }
            request.insert("input".to_owned(), input(text)?);
        }
    }
    request.insert("env".to_owned(), Value::Object(env));
    Ok(request)
}

/// Runs a program by an evaluator of the library, which evaluates at most so many nodes.
pub fn run(evaluator: &str, program: &Program, nodes: u64, limits: &Limits) -> Result<Interpreted> {
    let library = tools()?;
    let tools = program.tools.iter().cloned().chain(library).collect();
    let mut request = request(program)?;
    request.insert("fuel".to_owned(), json!(nodes));
    let request = Value::Object(request).to_string();
    let program = Program {
        code: Source::Tool(evaluator.to_owned()),
        argument: Argument::Data(request),
        context: None,
        tools,
        ..program.clone()
    };
    let run = native::run(&program, limits, u64::MAX);
    match run.result {
        Ok(value) => read(&value.json, run.fuel).with_context(|| value.json.clone()),
        Err(fault) if is_beyond(&fault) => {
            Ok(Interpreted { result: Err(fault.code), fuel: None, cost: run.fuel })
        }
        Err(fault) => bail!("{}: {} at {}", fault.code, fault.message, fault.at),
    }
}

/// Whether no program can catch a fault: it is that of a limit, or of data or a value that is not
/// JSON.
fn is_beyond(fault: &Fault) -> bool {
    let is_limit = ["out-of-fuel", "too-deep", "too-large"].contains(&fault.code.as_str());
    is_limit || fault.at.is_empty() || fault.at.starts_with("/data")
}

/// Reads the reply of an evaluator of the library.
fn read(reply: &str, cost: u64) -> Result<Interpreted> {
    let mut reply: Map<String, Value> = serde_json::from_str(reply)?;
    let fuel = reply.get("fuel").and_then(Value::as_u64).context("no fuel")?;
    let result = match (reply.remove("value"), reply.remove("fault")) {
        (Some(value), None) => Ok(value),
        (None, Some(fault)) => Err(fault["code"].as_str().context("no code")?.to_owned()),
        _ => bail!("neither a value nor a fault"),
    };
    ensure!(fuel <= cost, "the count of nodes is above the fuel of the run");
    Ok(Interpreted { result, fuel: Some(fuel), cost })
}

/// The value of a run as it is within another value: a continuation that is the result of a run
/// tells how to go on.
#[must_use]
pub fn within(value: &Value) -> Value {
    let member = |name: &str| value.get(name).cloned().unwrap_or_default();
    if member("type") == "continuation" && value.get("next_input").is_some() {
        let (input, step, tool) = (member("next_input"), member("step"), member("tool"));
        return json!({"continuation": true, "input": input, "step": step, "tool": tool});
    }
    value.clone()
}
