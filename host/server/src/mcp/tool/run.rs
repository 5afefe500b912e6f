//! `run`: evaluates a term or a tool. Calls of evolved tools by their own names are evaluated here
//! too.

use std::sync::Arc;
use std::time::Duration;

use pif_domain::{Fault, FaultCode, Limit, fault};
use pif_sandbox::{Argument, Code, Limits, Request};
use pif_store::registry::name;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::super::arguments::{
    self, Size, any, any_value, decode, json_schema, malformed, record, schema, term, text_of,
};
use super::super::backend::Backend;
use super::super::beside::FaultContext;
use super::super::present;
use super::super::present::render;
use super::super::work::ResumeOptions;
use super::{Call, Tool, ToolResult, number, reply};
use crate::config::Profile;
use crate::render::object;
use crate::workshop::{Resolution, Tools, too_large};

/// The most continuations that one call may drive.
const MOST_STEPS: u64 = 1_000_000;

/// The highest step that a run may continue. Clients that read numbers as floats cannot count
/// further than the next one.
const LAST_STEP: u64 = (1 << 53) - 2;

/// The longest that a call waits for a run, in seconds.
const LONGEST_WAIT: u64 = 300;

const TEXT: &str = "\
Compute exactly in a sandbox: run a program (`code`) or an evolved tool (`tool`). Deterministic, \
bounded by fuel, without side effects.
`code` is JavaScript, an expression or statements: \"data.filter(o => o.paid).map(o => o.qty * \
o.price)\". It sees `data` and the members of `context`, plain JSON that is never code. A function \
is applied to `data`. Integers beyond 2^53 stand in `code`: many clients round them elsewhere.
A result {\"type\":\"continuation\",…} asks to go on; `max_steps` does that.";

/// The arguments of `run`: the code, and the settings of the run.
#[derive(Debug)]
pub(in super::super) struct Arguments {
    subject: Subject,
    settings: Settings,
}

/// What to run.
#[derive(Debug, Deserialize, JsonSchema)]
struct Subject {
    /// a program, its JSON term, or the name of a tool
    #[serde(default, deserialize_with = "any")]
    #[schemars(schema_with = "term")]
    code: Option<Box<RawValue>>,
    /// instead of `code`
    tool: Option<String>,
    /// the number of a run that waited or was interrupted, to go on with it
    resume: Option<u64>,
    /// go on after a crash: the answers of other servers are on the disk as they come
    #[serde(default)]
    durable: bool,
    /// answer at once with the number of the run, which is durable
    #[serde(default)]
    background: bool,
    /// seconds to wait for the run that `resume` names
    wait: Option<u64>,
    /// the number of a run to end
    cancel: Option<u64>,
    /// what to do about a call of which nobody knows what it did: retry, skip, or done with its `value`
    #[schemars(schema_with = "decisions")]
    decide: Option<DecisionKind>,
    /// the value of that call
    #[serde(default, deserialize_with = "any")]
    #[schemars(schema_with = "any_value")]
    value: Option<Box<RawValue>>,
    /// variables of `code`, as plain JSON
    #[serde(default)]
    #[schemars(schema_with = "record")]
    context: Option<Box<RawValue>>,
    /// JSON Schema for the value
    #[serde(default)]
    #[schemars(schema_with = "json_schema")]
    output_schema: Option<Box<RawValue>>,
    /// show what the first so many terms came to: each in the notation, with its value
    steps: Option<u64>,
}

/// What to do about a call of which nobody knows what it did.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum DecisionKind {
    Retry,
    Skip,
    Done,
}

fn decisions(_: &mut SchemaGenerator) -> Schema {
    schema(json!({"type": "string", "enum": ["retry", "skip", "done"]}))
}

/// The arguments that `run` and every evolved tool take.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Settings {
    /// the argument, as a term; text that holds JSON is decoded
    #[serde(default, deserialize_with = "any")]
    #[schemars(schema_with = "any_value")]
    input: Option<Box<RawValue>>,
    /// the argument, as plain JSON
    #[serde(default, deserialize_with = "any")]
    #[schemars(schema_with = "any_value")]
    data: Option<Box<RawValue>>,
    /// fuel for the run
    fuel: Option<u64>,
    /// bytes for the run
    memory: Option<Size>,
    /// pending evaluations for the run
    depth: Option<u64>,
    /// continuations to run
    max_steps: Option<u64>,
    /// `step` of the continuation
    step: Option<u64>,
    /// show the first evaluation steps
    #[serde(default)]
    trace: bool,
}

impl arguments::Arguments for Arguments {
    fn names() -> Vec<&'static str> {
        [Subject::names(), Settings::names()].concat()
    }

    fn schema() -> Value {
        let mut schema = Settings::schema();
        if let (Some(all), Value::Object(own)) =
            (schema["properties"].as_object_mut(), Subject::schema()["properties"].take())
        {
            all.extend(own);
        }
        schema
    }

    fn take(members: &[(&str, &str)]) -> Result<Self, Fault> {
        Ok(Self { subject: Subject::take(members)?, settings: Settings::take(members)? })
    }
}

impl Tool for Arguments {
    const TEXT: &'static str = TEXT;

    fn output(profile: Profile) -> Value {
        output_schema(profile)
    }

    async fn call(self, backend: &Arc<Backend>, call: Call) -> ToolResult {
        if let Some(run) = self.subject.cancel {
            return backend.cancel_run(number(run), &call.caller).await;
        }
        if let Some(run) = self.subject.resume {
            return match self.wanted() {
                Ok(wanted) => backend.resume_run(number(run), wanted, &call.caller).await,
                Err(fault) => Err(backend.refuse("run", &call, fault).await),
            };
        }
        let Subject { durable, background, .. } = self.subject;
        match self.request(backend) {
            Ok((request, tools, is_text)) => {
                let how = (durable || background, background);
                run(backend, request, tools, is_text, how, &call).await
            }
            Err(fault) => Err(backend.refuse("run", &call, fault).await),
        }
    }
}

/// The schema of a run's reply.
pub(super) fn output_schema(profile: Profile) -> Value {
    let mut schema = reply(&json!({
        "exact": {"type": "string"},
        "kind": {"type": "string"},
        "fuel": {"type": "integer"},
    }));
    if profile == Profile::Debug
        && let Some(Value::Object(members)) = schema.get_mut("properties")
    {
        members.extend(object(present::schema()));
    }
    schema
}

async fn run(
    backend: &Arc<Backend>,
    request: Request,
    tools: Tools,
    is_text: bool,
    (durable, background): (bool, bool),
    call: &Call,
) -> ToolResult {
    let code = match &request.code {
        Code::Term(text) => Some(text.clone()),
        Code::Tool(_) => None,
    };
    let foreseen = backend.forewarn(&request, Vec::new(), &tools, &call.caller).await?;
    if !foreseen.is_empty() {
        return Err(backend.refuse_all("run", call, foreseen).await);
    }
    let bound = bound(&request);
    let mut report = if durable {
        let known = tools.clone();
        match backend.begin_durable(request, known, background, &call.caller).await {
            Ok(report) => report,
            Err(begun) => return Ok(begun?),
        }
    } else {
        backend.evaluate(request, tools.clone(), &call.caller).await
    };
    let mut beside = FaultContext::default();
    if let (Some(text), Err(fault)) = (&code, &report.outcome.ending) {
        beside = backend.look_beside(text, fault, &bound, &call.caller).await;
        if is_text
            && matches!(fault.code, FaultCode::Unparsable | FaultCode::Unbound)
            && !fault.at.starts_with("/input")
        {
            report.outcome.ending = Err(unknown(text, &tools, Some(fault)));
            beside = FaultContext::default();
        }
    }
    beside.add(render(report, &backend.config))
}

/// The variables of a program beside those that every program has.
pub(super) fn bound(request: &Request) -> Vec<String> {
    let context: Map<String, Value> =
        request.context.as_deref().and_then(|it| serde_json::from_str(it).ok()).unwrap_or_default();
    context.into_iter().map(|(name, _)| name).collect()
}

impl Arguments {
    /// What is wanted of a run that is kept.
    fn wanted(self) -> Result<ResumeOptions, Fault> {
        let Subject { code, tool, wait, decide, value, .. } = self.subject;
        if code.is_some() || tool.is_some() {
            let hint = "a run that goes on has its program: give only `resume`";
            return Err(malformed("`resume` is given with `code` or `tool`", Some(hint)));
        }
        let resolution = match (decide, value) {
            (None, _) => None,
            (Some(DecisionKind::Retry), _) => Some(Resolution::Retry),
            (Some(DecisionKind::Skip), _) => Some(Resolution::Skip),
            (Some(DecisionKind::Done), value) => {
                Some(Resolution::Done(value.map_or_else(|| "null".to_owned(), text_of)))
            }
        };
        let wait = within("wait", wait.unwrap_or(0), LONGEST_WAIT)?;
        Ok(ResumeOptions { wait: Duration::from_secs(wait), resolution })
    }

    /// The request, the tools, and whether the code is text that may be a misspelled name.
    fn request(self, backend: &Backend) -> Result<(Request, Tools, bool), Fault> {
        let tools = backend.workshop.tools()?;
        let Subject { code, tool, context, output_schema, steps, .. } = self.subject;
        let (code, is_text) = read_code(code, tool, &tools)?;
        let most = backend.config.values.size(Limit::Code);
        if let Code::Term(text) = &code
            && text.len() > most
        {
            return Err(too_large(Limit::Code, "code", text.len(), most));
        }
        let mut request = self.settings.request(backend, code)?;
        request.context = read_context(context, &request.code)?;
        request.steps = within("steps", steps.unwrap_or(0), Limit::Steps.fixed())?;
        request.output_schema = output_schema.map(|raw| read_schema(&raw)).transpose()?;
        ensure_data(backend, &request)?;
        Ok((request, tools, is_text))
    }
}

/// The code, and whether it is text that may be a misspelled name.
pub(super) fn read_code(
    code: Option<Box<RawValue>>,
    tool: Option<String>,
    tools: &Tools,
) -> Result<(Code, bool), Fault> {
    let example = "write {\"code\": \"1 + 2\"} or {\"tool\": \"name\", \"input\": …}";
    // With `tool`, a null `code` is absent. Without it, null is a term.
    let is_absent = |raw: &RawValue| is_null(raw) || is_blank(raw);
    match (code.filter(|raw| tool.is_none() || !is_absent(raw)), tool) {
        (Some(_), Some(_)) => {
            Err(malformed("`code` and `tool` are both given", Some("give only one of them")))
        }
        (None, None) => Err(malformed("there is nothing to run", Some(example))),
        (None, Some(tool)) => match tools.find(&tool)? {
            Some(_) => Ok((Code::Tool(tool), false)),
            None => Err(unknown(&tool, tools, None)),
        },
        (Some(raw), None) if raw.get().starts_with('"') => {
            let text = decode("code", raw.get())?;
            let is_tool = names_tool(&text) && tools.find(&text)?.is_some();
            let is_name = !is_tool && names_tool(&text);
            Ok(if is_tool { (Code::Tool(text), false) } else { (Code::Term(text), is_name) })
        }
        (Some(raw), None) => Ok((Code::Term(text_of(raw)), false)),
    }
}

/// Whether a text has the form of a tool's name, with or without a revision.
fn names_tool(text: &str) -> bool {
    name::is_well_formed(name::split(text).0)
}

/// The fault of an unknown tool. `no_term` is the parser's fault if the text could have been a
/// term.
pub(super) fn unknown(text: &str, tools: &Tools, no_term: Option<&Fault>) -> Fault {
    let name: String = text.chars().take(name::LONGEST).collect();
    let hint = match tools.similar(&name) {
        Some(similar) => format!("did you mean `{similar}`?"),
        None if name::is_well_formed(&name) => {
            "`list` shows the tools there are, `evolve` makes one".to_owned()
        }
        None => no_term.and_then(|fault| fault.hint.clone()).unwrap_or_else(|| {
            "write an expression; a text stands in quotes: {\"code\": \"'text'\"}".to_owned()
        }),
    };
    let message = match no_term {
        None => format!("there is no tool `{name}`"),
        Some(fault) => {
            format!("`{name}` names no tool and is no term: {}", fault.message)
        }
    };
    fault_at_start(message, &hint)
}

fn fault_at_start(message: String, hint: &str) -> Fault {
    fault(FaultCode::UnknownTool, message, Some(hint))
}

impl Settings {
    /// Whether there is an argument beside others, where null is none.
    pub(super) fn has_argument(&self) -> bool {
        [&self.input, &self.data].into_iter().flatten().any(|raw| !is_null(raw))
    }

    /// A request that runs `code` without variables.
    pub(super) fn request(self, backend: &Backend, code: Code) -> Result<Request, Fault> {
        let limits = self.limits(backend)?;
        Ok(Request {
            code,
            limits,
            context: None,
            bindings: Vec::new(),
            keep: false,
            step: within("step", self.step.unwrap_or(0), LAST_STEP)?,
            max_steps: within("max_steps", self.max_steps.unwrap_or(0), MOST_STEPS)?,
            output_schema: None,
            debug: self.trace,
            steps: 0,
            argument: read_argument(self.input, self.data)?,
        })
    }

    fn limits(&self, backend: &Backend) -> Result<Limits, Fault> {
        let limits = backend.config.limits;
        let ceilings = backend.config.ceilings;
        let asked = |value: Option<u64>, name: &str, default: u64, most: u64| match value {
            Some(value) => within(name, value, most),
            None => Ok(default),
        };
        let depth = asked(self.depth, "depth", limits.depth.into(), ceilings.depth.into())?;
        let memory = self.memory.map(|Size(bytes)| bytes);
        Ok(Limits {
            fuel: asked(self.fuel, "fuel", limits.fuel, ceilings.fuel)?,
            depth: u32::try_from(depth).unwrap_or(ceilings.depth),
            memory: asked(memory, "memory", limits.memory, ceilings.memory)?,
            output: limits.output,
        })
    }
}

pub(super) fn read_argument(
    input: Option<Box<RawValue>>,
    data: Option<Box<RawValue>>,
) -> Result<Argument, Fault> {
    // Null is a value. Some clients send null or an empty text for an absent argument: so it is
    // absent where the other one is there, too.
    let is_absent = |raw: &RawValue| is_null(raw) || is_blank(raw);
    match (input, data) {
        (Some(input), Some(data)) if is_null(&input) && is_null(&data) => Ok(Argument::None),
        (Some(input), Some(data)) if is_absent(&data) => Ok(Argument::Input(text_of(input))),
        (Some(input), Some(data)) if is_absent(&input) => Ok(Argument::Data(text_of(data))),
        (Some(_), Some(_)) => {
            let hint = "give `input` if it is a term, `data` if it is plain JSON";
            Err(malformed("`input` and `data` are both given", Some(hint)))
        }
        (Some(input), None) => Ok(Argument::Input(text_of(input))),
        (None, Some(data)) => Ok(Argument::Data(text_of(data))),
        (None, None) => Ok(Argument::None),
    }
}

fn is_null(raw: &RawValue) -> bool {
    raw.get() == "null"
}

fn is_blank(raw: &RawValue) -> bool {
    raw.get() == "\"\""
}

fn within(name: &str, value: u64, most: u64) -> Result<u64, Fault> {
    if value > most {
        let hint = format!("ask for {most} at most");
        return Err(malformed(format!("`{name}` is above its ceiling"), Some(&hint)));
    }
    Ok(value)
}

pub(super) fn read_context(
    context: Option<Box<RawValue>>,
    code: &Code,
) -> Result<Option<String>, Fault> {
    match (context, code) {
        (None, _) => Ok(None),
        (Some(_), Code::Tool(_)) => {
            let hint = "a tool sees no variables of its caller: pass them as `input` or `data`";
            Err(malformed("`context` is given with a tool", Some(hint)))
        }
        (Some(raw), Code::Term(_)) if raw.get().starts_with('{') => Ok(Some(text_of(raw))),
        (Some(_), Code::Term(_)) => {
            Err(malformed("`context` must be an object", Some("write {\"context\": {\"x\": 1}}")))
        }
    }
}

/// The text of a JSON Schema that is given as JSON or as a string.
pub(super) fn read_schema(raw: &RawValue) -> Result<String, Fault> {
    let raw = raw.get();
    if raw.starts_with('"') { decode("output_schema", raw) } else { Ok(raw.to_owned()) }
}

/// Refuses an argument and a context that exceed the server's limit together.
pub(super) fn ensure_data(backend: &Backend, request: &Request) -> Result<(), Fault> {
    let (name, argument) = match &request.argument {
        Argument::None | Argument::Unapplied => ("context", 0),
        Argument::Input(text) => ("input", text.len()),
        Argument::Data(text) => ("data", text.len()),
    };
    let length = argument + request.context.as_ref().map_or(0, String::len);
    if length > backend.config.values.size(Limit::Data) {
        return Err(too_large(Limit::Data, name, length, backend.config.values.size(Limit::Data)));
    }
    Ok(())
}
