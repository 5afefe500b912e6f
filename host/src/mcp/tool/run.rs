//! `run`: evaluates a term or a tool. Calls of evolved tools by their own name end here too.

use std::sync::Arc;

use serde_json::{Value, json};

use super::super::arguments::{Arguments, decode, malformed};
use super::super::host::Host;
use super::super::profile;
use super::super::reply::{object, tell};
use super::{Call, Description, ToolResult, any_json, arguments, reply, texts};
use crate::config::Profile;
use crate::registry::name;
use crate::sandbox::{Argument, Code, Fault, Limits, Request, fault};
use crate::text::begins_as_json;
use crate::workshop::{Tools, too_large};

/// The most continuations that one call may drive.
const MOST_STEPS: u64 = 1_000_000;

/// The highest step that a run may continue: after the next one, clients that read numbers as
/// floats lose count.
const LAST_STEP: u64 = (1 << 53) - 2;

const KNOWN: [&str; 12] = [
    "code",
    "tool",
    "input",
    "data",
    "context",
    "output_schema",
    "fuel",
    "memory",
    "depth",
    "max_steps",
    "step",
    "trace",
];

const TEXT: &str = "\
Compute exactly in a sandbox: run a JSON term (`code`) or an evolved tool (`tool`), applied to \
`input` or `data` if given. Deterministic, bounded by fuel, without side effects.
{\"lam\":\"x\",\"body\":{\"mul\":[{\"var\":\"x\"},2]}} with input 21 gives 42; [1,2,3] is a list; \
{\"map\":[f,list]}, {\"fold\":[f,init,list]}, {\"if\":{\"cond\":…,\"then\":…,\"else\":…}}, {\"let\":[[\"x\",1]],\"in\":…}; \
integers are exact at any size. `help` lists all forms.
Prefer `data` for data: it is never code. `context` binds its members as variables of `code`.
A result {\"type\":\"continuation\",…} asks to be run again with its `tool`, `next_input` as `input`, and \
`step`; `max_steps` does that for you. A fault has a code, a JSON Pointer to the place, and mostly a hint.";

pub(super) fn describe(profile: Profile) -> Description {
    let mut properties = settings_schema();
    let own = json!({
        "code": any_json(1, "a term, its JSON text, or the name of an evolved tool"),
        "tool": {"type": "string", "description": "an evolved tool, instead of `code`"},
        "context": {"type": "object", "description": "variables of `code`, as plain JSON"},
        "output_schema": schema_schema("JSON Schema that the value has to conform to"),
    });
    if let (Value::Object(properties), Value::Object(own)) = (&mut properties, own) {
        properties.extend(own);
    }
    Description {
        title: "Run a term or tool".to_owned(),
        text: TEXT.to_owned(),
        input: arguments(&properties, &[]),
        output: output_schema(profile),
        read_only: true,
    }
}

/// The arguments that `run` and every evolved tool take.
pub(super) fn settings_schema() -> Value {
    let count = |text: &str| json!({"type": "integer", "description": text});
    json!({
        "input": any_json(2, "what the function is applied to, as a term; text that holds JSON is decoded"),
        "data": any_json(2, "the same as plain JSON, never code"),
        "fuel": count("steps allowed"),
        "memory": count("bytes allowed"),
        "depth": count("pending evaluations allowed"),
        "max_steps": count("continuations to drive"),
        "step": count("`step` of the continuation to go on with"),
        "trace": {"type": "boolean", "description": "also return the first evaluation steps"},
    })
}

/// The schema of an argument that is a JSON Schema.
pub(super) fn schema_schema(description: &str) -> Value {
    json!({"anyOf": [{"type": "object"}, {"type": "boolean"}], "description": description})
}

/// What a run replies.
pub(super) fn output_schema(profile: Profile) -> Value {
    let mut schema = reply(&json!({
        "exact": {"type": "string", "description": "the JSON text of `value`, where parsers may round it"},
        "kind": {"type": "string"},
        "fuel": {"type": "integer"},
        "warnings": texts("what to know of `value`"),
    }));
    if profile == Profile::Debug
        && let Some(Value::Object(members)) = schema.get_mut("properties")
    {
        members.extend(object(profile::schema()));
    }
    schema
}

pub(super) async fn call(host: &Arc<Host>, call: Call) -> ToolResult {
    let (request, tools, is_text) = match prepare(host, &call.arguments) {
        Ok(prepared) => prepared,
        Err(fault) => return Err(host.refuse("run", &call, fault).await),
    };
    let named = match &request.code {
        Code::Term(text) if is_text => Some(text.clone()),
        _ => None,
    };
    let mut report = host.evaluate(request, tools.clone(), &call.caller).await;
    if let (Some(text), Err(fault)) = (named, &report.outcome.ending)
        && fault.code == "unparsable"
        && !fault.at.starts_with("/input")
        && report.outcome.usage.fuel == 0
    {
        report.outcome.ending = Err(unknown(&text, &tools, Some(fault)));
    }
    tell(report, &host.config)
}

/// What to run, with which tools, and whether the code is text that could have been meant as a
/// name.
fn prepare(host: &Host, text: &str) -> Result<(Request, Tools, bool), Fault> {
    let tools = host.workshop.tools()?;
    let arguments = Arguments::parse(text, "run", &KNOWN)?;
    let (code, is_text) = read_code(&arguments, &tools)?;
    if let Code::Term(text) = &code
        && text.len() > host.config.max_code
    {
        return Err(too_large("code", "code", text.len(), host.config.max_code));
    }
    let mut request = read_settings(&arguments, host, code)?;
    request.context = read_context(&arguments, &request.code)?;
    request.output_schema = read_schema(&arguments)?;
    ensure_data(host, &request)?;
    Ok((request, tools, is_text))
}

/// What to run, and whether it is text that could have been meant as a name.
fn read_code(arguments: &Arguments<'_>, tools: &Tools) -> Result<(Code, bool), Fault> {
    let example = "write {\"code\": {\"add\": [1, 2]}} or {\"tool\": \"name\", \"input\": …}";
    let tool = arguments.text("tool")?;
    // Beside a tool a null is an argument left out; alone it is the term null.
    let beside = |name| arguments.raw(name).filter(|raw| !is_blank(raw));
    let code = if tool.is_some() { beside("code") } else { arguments.term("code") };
    match (code, tool) {
        (Some(_), Some(_)) => {
            Err(malformed("`code` and `tool` are both given", Some("give only one of them")))
        }
        (None, None) => Err(malformed("there is nothing to run", Some(example))),
        (None, Some(tool)) => match tools.find(&tool)? {
            Some(_) => Ok((Code::Tool(tool), false)),
            None => Err(unknown(&tool, tools, None)),
        },
        (Some(raw), None) if raw.starts_with('"') => {
            let text = decode("code", raw)?;
            let is_tool = names_tool(&text) && tools.find(&text)?.is_some();
            let is_name = !is_tool && !begins_as_json(&text);
            Ok(if is_tool { (Code::Tool(text), false) } else { (Code::Term(text), is_name) })
        }
        (Some(raw), None) => Ok((Code::Term(raw.to_owned()), false)),
    }
}

/// Whether a text could name a tool, or one of its revisions.
fn names_tool(text: &str) -> bool {
    name::is_well_formed(name::split(text).0)
}

/// The fault of a text that names no tool, and is no term either where it could have been one.
fn unknown(text: &str, tools: &Tools, no_term: Option<&Fault>) -> Fault {
    let name: String = text.chars().take(name::LONGEST).collect();
    let hint = match tools.similar(&name) {
        Some(similar) => format!("did you mean `{similar}`?"),
        None if name::is_well_formed(&name) => {
            "`list` shows the tools there are, `evolve` makes one".to_owned()
        }
        None => no_term.and_then(|fault| fault.hint.clone()).unwrap_or_else(|| {
            "pass a term as JSON; a string term is written {\"code\": \"\\\"text\\\"\"}".to_owned()
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
    fault("unknown-tool", message, Some(hint))
}

/// Everything about a run but what its code is and which variables it sees.
pub(super) fn read_settings(
    arguments: &Arguments<'_>,
    host: &Host,
    code: Code,
) -> Result<Request, Fault> {
    let max_steps = arguments.count("max_steps")?.unwrap_or(0);
    Ok(Request {
        code,
        argument: read_argument(arguments)?,
        context: None,
        limits: read_limits(arguments, host)?,
        step: within("step", arguments.count("step")?.unwrap_or(0), LAST_STEP)?,
        max_steps: within("max_steps", max_steps, MOST_STEPS)?,
        output_schema: None,
        debug: arguments.flag("trace")?,
    })
}

fn read_argument(arguments: &Arguments<'_>) -> Result<Argument, Fault> {
    match (arguments.raw("input"), arguments.raw("data")) {
        // Some clients write an empty text for what they leave out.
        (Some(input), Some(data)) if is_blank(data) => Ok(Argument::Input(input.to_owned())),
        (Some(input), Some(data)) if is_blank(input) => Ok(Argument::Data(data.to_owned())),
        (Some(_), Some(_)) => {
            let hint = "give `input` if it is a term, `data` if it is plain JSON";
            Err(malformed("`input` and `data` are both given", Some(hint)))
        }
        (Some(input), None) => Ok(Argument::Input(input.to_owned())),
        (None, Some(data)) => Ok(Argument::Data(data.to_owned())),
        (None, None) => Ok(Argument::None),
    }
}

fn is_blank(raw: &str) -> bool {
    raw == "\"\""
}

fn read_limits(arguments: &Arguments<'_>, host: &Host) -> Result<Limits, Fault> {
    let (limits, ceilings) = (host.config.limits, host.config.ceilings);
    let asked = |value: Option<u64>, name: &str, default: u64, most: u64| match value {
        Some(value) => within(name, value, most),
        None => Ok(default),
    };
    let depth = arguments.count("depth")?;
    let depth = asked(depth, "depth", limits.depth.into(), ceilings.depth.into())?;
    Ok(Limits {
        fuel: asked(arguments.count("fuel")?, "fuel", limits.fuel, ceilings.fuel)?,
        depth: u32::try_from(depth).unwrap_or(ceilings.depth),
        memory: asked(arguments.size("memory")?, "memory", limits.memory, ceilings.memory)?,
        output: limits.output,
    })
}

fn within(name: &str, value: u64, most: u64) -> Result<u64, Fault> {
    if value > most {
        let hint = format!("ask for {most} at most");
        return Err(malformed(format!("`{name}` is above its ceiling"), Some(&hint)));
    }
    Ok(value)
}

fn read_context(arguments: &Arguments<'_>, code: &Code) -> Result<Option<String>, Fault> {
    match (arguments.raw("context"), code) {
        (None, _) => Ok(None),
        (Some(_), Code::Tool(_)) => {
            let hint = "a tool sees no variables of its caller: pass them as `input` or `data`";
            Err(malformed("`context` is given with a tool", Some(hint)))
        }
        (Some(context), Code::Term(_)) if context.starts_with('{') => Ok(Some(context.to_owned())),
        (Some(_), Code::Term(_)) => {
            Err(malformed("`context` must be an object", Some("write {\"context\": {\"x\": 1}}")))
        }
    }
}

/// A JSON Schema, or the text of one.
pub(super) fn read_schema(arguments: &Arguments<'_>) -> Result<Option<String>, Fault> {
    let Some(raw) = arguments.raw("output_schema") else { return Ok(None) };
    let is_text = raw.starts_with('"');
    Ok(Some(if is_text { decode("output_schema", raw)? } else { raw.to_owned() }))
}

/// Refuses more data than the server takes.
pub(super) fn ensure_data(host: &Host, request: &Request) -> Result<(), Fault> {
    let (name, argument) = match &request.argument {
        Argument::None => ("context", 0),
        Argument::Input(text) => ("input", text.len()),
        Argument::Data(text) => ("data", text.len()),
    };
    let length = argument + request.context.as_ref().map_or(0, String::len);
    if length > host.config.max_data {
        return Err(too_large("data", name, length, host.config.max_data));
    }
    Ok(())
}
