//! Programs of the core calculus, run by the evaluator of the library that is written in the calculus
//! itself: a request that runs a program becomes one that runs `std_interpret` on it.

use crate::run;
use crate::{library, native};
use anyhow::{Context, Result, bail, ensure};
use pif::analysis;
use pif::form::{FORMS, Form};
use pif::limits::Limits;
use pif::parse::{self, Reading};
use pif::request::{Argument, Program, Source};
use pif::term::{Origin, Terms};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::sync::LazyLock;

/// The evaluator.
pub const INTERPRETER: &str = "std_interpret";

/// What came of a program: its value as JSON, or the code of its fault; and the fuel that the
/// evaluator of the library counted.
#[derive(Debug)]
pub struct Interpreted {
    /// JSON of the value, or the code of the fault.
    pub result: Result<String, String>,
    /// The nodes evaluated; none where a limit of the server ended the run.
    pub fuel: Option<u64>,
    /// The fuel of the run that interpreted it.
    pub cost: u64,
}

/// All tools of the library, by name, with their sources.
pub fn tools() -> Result<&'static [(String, String)]> {
    static TOOLS: LazyLock<Result<Vec<(String, String)>>> = LazyLock::new(read_tools);
    TOOLS.as_deref().map_err(|error| anyhow::anyhow!("{error:#}"))
}

fn read_tools() -> Result<Vec<(String, String)>> {
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
        Argument::Input(text) => input(text).is_ok_and(|term| is_core_text(&term)),
        Argument::Data(text) => serde_json::from_str::<Value>(text).is_ok(),
        Argument::None | Argument::Unapplied => true,
    }
}

/// An input as the term that it stands for.
fn input(text: &str) -> Result<String> {
    let mut terms = Terms::default();
    let parsed = parse::parse(&mut terms, text, Origin::Argument("input"), Reading::Input);
    let parsed = parsed.map_err(|fault| anyhow::anyhow!("{}", fault.code.name()))?;
    Ok(pif::print::term(&terms, parsed.root))
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

/// The members of a JSON object, with their values as they are written: they may be nested deeply.
type Members = BTreeMap<String, Box<RawValue>>;

/// The argument of `std_interpret` for a program, and for so many nodes.
fn request(program: &Program, nodes: u64) -> Result<Members> {
    let raw = RawValue::from_string;
    let (mut env, mut request) = (Members::new(), Members::new());
    if let Some(text) = &program.context {
        env = serde_json::from_str(text)?;
    }
    let (mut is_function, mut takes_input) = (true, false);
    let (key, mut code) = match &program.code {
        Source::Term(text) => {
            let summary = analysis::check(text);
            let summary = summary.map_err(|faults| anyhow::anyhow!("{faults:?}"))?;
            is_function = summary.form == Form::Lam.name();
            takes_input = !is_function && summary.free.iter().any(|name| name == "input");
            ("term", summary.canonical)
        }
        Source::Tool(name) => ("tool", json!(name).to_string()),
    };
    let argument = match &program.argument {
        Argument::None => Some("null".to_owned()),
        Argument::Unapplied => None,
        Argument::Data(text) => {
            if !is_function {
                env.insert("data".to_owned(), raw(text.clone())?);
            }
            Some(literal(&serde_json::from_str(text)?).to_string())
        }
        Argument::Input(text) => {
            if takes_input {
                code = format!(r#"{{"lam":"input","body":{code}}}"#);
            }
            Some(input(text)?)
        }
    };
    if let Some(argument) = argument {
        request.insert("input".to_owned(), raw(argument)?);
    }
    request.insert(key.to_owned(), raw(code)?);
    request.insert("env".to_owned(), raw(serde_json::to_string(&env)?)?);
    request.insert("fuel".to_owned(), raw(nodes.to_string())?);
    Ok(request)
}

/// Runs a program by an evaluator of the library, which evaluates at most so many nodes.
pub fn run(evaluator: &str, program: &Program, nodes: u64, limits: &Limits) -> Result<Interpreted> {
    let tools = program.tools.iter().chain(tools()?).cloned().collect();
    let request = serde_json::to_string(&request(program, nodes)?)?;
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
fn is_beyond(fault: &run::Fault) -> bool {
    let is_limit = ["out-of-fuel", "too-deep", "too-large"].contains(&fault.code.as_str());
    is_limit || fault.at.is_empty() || fault.at.starts_with("/data")
}

/// Reads the reply of an evaluator of the library.
fn read(reply: &str, cost: u64) -> Result<Interpreted> {
    let mut reply: Members = serde_json::from_str(reply)?;
    let fuel = serde_json::from_str(reply.get("fuel").context("no fuel")?.get())?;
    let result = match (reply.remove("value"), reply.remove("fault")) {
        (Some(value), None) => Ok(value.get().to_owned()),
        (None, Some(fault)) => Err(serde_json::from_str::<Fault>(fault.get())?.code),
        _ => bail!("neither a value nor a fault"),
    };
    ensure!(fuel <= cost, "the count of nodes is above the fuel of the run");
    Ok(Interpreted { result, fuel: Some(fuel), cost })
}

/// What is read of a fault.
#[derive(Deserialize)]
struct Fault {
    code: String,
}

/// The value of a run that is a continuation, as it is within another value.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Within {
    #[serde(rename = "continuation")]
    _is_one: bool,
    input: Box<RawValue>,
    step: u64,
    tool: String,
}

/// JSON of the value of a run, from JSON of it within another value: a continuation that is the
/// result of a run tells how to go on.
#[must_use]
pub fn alone(json: &str) -> String {
    let Ok(it) = serde_json::from_str::<Within>(json) else { return json.to_owned() };
    format!(
        r#"{{"message":"{MESSAGE}","next_input":{},"step":{},"tool":"{}","type":"continuation"}}"#,
        it.input, it.step, it.tool
    )
}

/// What a continuation that is the result of a run says.
const MESSAGE: &str = "Recursive step needed. Call run again with:";
