//! `evolve`: makes a term a tool, or gives a tool another term. The examples are run first.

use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::super::arguments::{Arguments, decode, malformed};
use super::super::host::{Caller, Host, Tools, too_large};
use super::super::members::Members;
use super::super::reply::{Refusal, Reply, plain, put, quote, quote_one};
use super::{Call, Description, ToolResult, arguments, reply};
use crate::registry::{Change, Error, Status};
use crate::sandbox::{Argument, Code, Ending, Fault, Request, Summary, fault};
use crate::text;

/// The most examples that one change may bring.
const MOST_EXAMPLES: usize = 64;

/// Continuations that an example may drive: what counts is the value at the end. The wall clock
/// stops those that never come to one.
const MOST_STEPS: u64 = 1_000_000;

/// Characters of a value that a refusal quotes.
const QUOTED: usize = 200;

/// Characters of a note.
const MOST_NOTE: usize = 2_500;

const KNOWN: [&str; 5] = ["name", "description", "code", "examples", "expected_revision"];

const TEXT: &str = "\
Create or change a tool of your own: a JSON term under a name, kept in the registry and callable at \
once by `run {\"tool\": name}`, by other tools as {\"tool\": name}, and by its own name.
{\"name\":\"double\",\"description\":\"Doubles a number\",\"code\":{\"lam\":\"x\",\"body\":{\"mul\":[{\"var\":\"x\"},2]}},\
\"examples\":[{\"input\":21,\"output\":42}]}
Examples are run first, continuations driven; one that fails refuses the change. Inside a tool {\"self\":true} is its function, \
{\"continue\":{\"input\":t}} asks to be run again. A term with one free variable and no lambda becomes a \
function of that variable. `check` looks at a term without keeping it; `help` lists the forms.";

pub(super) fn describe() -> Description {
    let example = json!({
        "type": "object",
        "properties": {"input": {}, "data": {}, "output": {"description": "the expected value"}},
        "required": ["output"],
        "additionalProperties": false,
    });
    let properties = json!({
        "name": {"type": "string", "description": "a letter or `_`, then up to 63 letters, digits, `_`, `-`"},
        "description": {"type": "string", "description": "what it does, for those who will call it"},
        "code": {"description": "a term, or its JSON text"},
        "examples": {"type": "array", "items": example, "description": "run before the change is made"},
        "expected_revision": {"type": "string", "description": "change only this revision"},
    });
    Description {
        title: "Evolve a tool".to_owned(),
        text: TEXT.to_owned(),
        input: arguments(&properties, &["name", "description", "code"]),
        output: reply(json!({
            "name": {"type": "string"},
            "revision": {"type": "string", "description": "sha256 of the canonical term"},
            "status": {"enum": ["new", "changed", "described", "unchanged"]},
            "previous": {"type": "string", "description": "the revision that was changed"},
            "notes": {"type": "array", "items": {"type": "string"}},
            "faults": {"type": "array", "items": {"type": "object"}},
        })),
        read_only: false,
    }
}

pub(super) async fn call(host: &Arc<Host>, call: Call) -> ToolResult {
    let arguments = Arguments::parse(&call.arguments, "evolve", &KNOWN)?;
    let name = arguments.required("name", "the name of the tool, such as \"double\"")?;
    let description = arguments.required("description", "a sentence on what the tool does")?;
    let expected = arguments.text("expected_revision")?;
    let examples = read_examples(host, &arguments)?;
    host.registry.review(&name, &description, expected.as_deref()).map_err(|it| refuse(&it))?;

    let (summary, mut notes) = prepare(host, &arguments, &call.caller).await?;
    let candidate = Some((name.clone(), summary.canonical.clone()));
    let tools = Tools { candidate, ..Tools::of(host) };
    let is_missing = |tool: &&String| **tool != name && !tools.registered.contains_key(*tool);
    let missing: Vec<String> = summary.tools.iter().filter(is_missing).cloned().collect();
    if !missing.is_empty() {
        notes.push(format!("warning: there is no tool {} yet", quote(&missing)));
    }
    for (index, example) in examples.iter().enumerate() {
        try_example(host, &name, example, &tools, &call.caller)
            .await
            .map_err(|refusal| refusal.during(&format!("example {index} refuses the change")))?;
    }
    if let Some(other) = host.registry.lookalike(&name) {
        notes.push(format!("warning: `{name}` resembles the tool `{other}`: do not confuse them"));
    }
    match examples.len() {
        0 => {}
        1 => notes.push("1 example passed".to_owned()),
        count => notes.push(format!("{count} examples passed")),
    }
    // A snapshot that somebody holds has to be copied for the change.
    drop(tools);
    let change = Change {
        name: name.clone(),
        description,
        source: summary.canonical,
        hash: summary.hash.clone(),
        expected,
    };
    let status = host.registry.evolve(change).map_err(|it| refuse(&it))?;
    Ok(tell(&name, &summary.hash, &status, &notes))
}

/// The checked term, and what there is to say of it.
async fn prepare(
    host: &Arc<Host>,
    arguments: &Arguments<'_>,
    caller: &Caller,
) -> Result<(Summary, Vec<String>), Refusal> {
    let (summary, mut notes) = check(host, arguments, caller).await?;
    notes.extend(summary.warnings.iter().map(|warning| format!("warning: {warning}")));
    match summary.free.as_slice() {
        [variable] if summary.form != "lam" => {
            notes.push(format!("made a function of its free variable {}", quote_one(variable)));
            let code = abstract_over(variable, &summary.canonical);
            let summary = host.check(code, caller).await.map_err(|it| Refusal::of_all(&it))?;
            Ok((summary, notes))
        }
        [] => Ok((summary, notes)),
        free => {
            let names = quote(free);
            notes.push(format!("warning: no lambda binds {names}; using them will be a fault"));
            Ok((summary, notes))
        }
    }
}

/// Checks the code as a term; text that is no JSON is a term too, namely that text.
async fn check(
    host: &Arc<Host>,
    arguments: &Arguments<'_>,
    caller: &Caller,
) -> Result<(Summary, Vec<String>), Refusal> {
    let Some(raw) = arguments.term("code") else {
        let hint =
            "add a term, such as {\"lam\": \"x\", \"body\": {\"mul\": [{\"var\": \"x\"}, 2]}}";
        return Err(malformed("the argument `code` is missing", Some(hint)).into());
    };
    let refuse = |faults: Vec<Fault>| Refusal::of_all(&faults);
    if !raw.starts_with('"') {
        let summary = host.check(raw.to_owned(), caller).await.map_err(refuse)?;
        return Ok((summary, Vec::new()));
    }
    match host.check(decode("code", raw)?, caller).await {
        Ok(summary) => Ok((summary, Vec::new())),
        Err(faults) if matches!(faults.as_slice(), [fault] if fault.code == "unparsable") => {
            let summary = host.check(raw.to_owned(), caller).await.map_err(refuse)?;
            let note = "the code is no JSON, so the tool's value is that text";
            Ok((summary, vec![note.to_owned()]))
        }
        Err(faults) => Err(refuse(faults)),
    }
}

fn abstract_over(variable: &str, canonical: &str) -> String {
    format!("{{\"body\":{canonical},\"lam\":{}}}", Value::from(variable))
}

/// What a tool is expected to do.
struct Example {
    argument: Argument,
    output: String,
}

fn read_examples(host: &Host, arguments: &Arguments<'_>) -> Result<Vec<Example>, Fault> {
    let Some(raw) = arguments.raw("examples") else { return Ok(Vec::new()) };
    let shape = "write {\"examples\": [{\"input\": 21, \"output\": 42}]}";
    let items: Vec<&RawValue> = serde_json::from_str(raw)
        .map_err(|_| malformed("`examples` must be a list", Some(shape)))?;
    if items.len() > MOST_EXAMPLES {
        let message = format!("there are {} examples", items.len());
        return Err(malformed(message, Some(&format!("give {MOST_EXAMPLES} at most"))));
    }
    if raw.len() > host.config.max_data {
        return Err(too_large("data", "examples", raw.len(), host.config.max_data));
    }
    items.iter().enumerate().map(|(index, item)| read_example(index, item.get(), shape)).collect()
}

fn read_example(index: usize, text: &str, shape: &str) -> Result<Example, Fault> {
    let fail = |reason: &str| malformed(format!("example {index} {reason}"), Some(shape));
    let members = Members::parse(text).map_err(|_| fail("is not an object"))?;
    if let Some(name) = members.duplicate() {
        return Err(fail(&format!("has two members `{name}`")));
    }
    let known = |name: &str| matches!(name, "input" | "data" | "output");
    if let Some((name, _)) = members.iter().find(|(name, _)| !known(name)) {
        return Err(fail(&format!("has an unknown member `{name}`")));
    }
    let argument = match (members.raw("input"), members.raw("data")) {
        (Some(_), Some(_)) => return Err(fail("has both `input` and `data`")),
        (Some(input), None) => Argument::Input(input.to_owned()),
        (None, Some(data)) => Argument::Data(data.to_owned()),
        (None, None) => Argument::None,
    };
    let output = members.raw("output").ok_or_else(|| fail("has no `output`"))?.to_owned();
    Ok(Example { argument, output })
}

/// Runs the candidate on an example and compares what comes out.
async fn try_example(
    host: &Arc<Host>,
    name: &str,
    example: &Example,
    tools: &Tools,
    caller: &Caller,
) -> Result<(), Refusal> {
    let request = Request {
        code: Code::Tool(name.to_owned()),
        argument: example.argument.clone(),
        context: None,
        limits: host.config.limits,
        step: 0,
        max_steps: MOST_STEPS,
        debug: false,
    };
    let ending = host.evaluate(request, tools.clone(), caller).await.outcome.ending?;
    let found = match ending {
        Ending::Value(value) => value.json,
        Ending::Continuation(continuation) => continuation.json,
    };
    if is_same(&found, &example.output) {
        return Ok(());
    }
    let message = format!("expected {}, got {}", cut(&example.output), cut(&found));
    Err(fault("fail", message, Some("correct the code or the example")).into())
}

/// Whether a value is the one that somebody wrote down: spelling does not count, and a float
/// that is a whole number may be written as one.
fn is_same(found: &str, expected: &str) -> bool {
    let parse = |text: &str| serde_json::from_str::<Value>(text).ok();
    found == expected
        || matches!((parse(found), parse(expected)), (Some(a), Some(b)) if is_equal(&a, &b))
}

fn is_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let is_integer = |n: &str| !n.contains(['.', 'e', 'E']);
            let (left, right) = (a.to_string(), b.to_string());
            let exact = is_integer(&left) && is_integer(&right);
            left == right || (!exact && a.as_f64().is_some_and(|a| Some(a) == b.as_f64()))
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| is_equal(a, b)))
        }
        _ => a == b,
    }
}

fn cut(json: &str) -> String {
    format!("`{}`", text::line(&plain(json), QUOTED))
}

fn refuse(error: &Error) -> Refusal {
    malformed(error.to_string(), None).into()
}

fn tell(name: &str, hash: &str, status: &Status, notes: &[String]) -> Reply {
    let short = |hash: &str| hash.get(..12).unwrap_or(hash).to_owned();
    let revision = short(hash);
    let (word, told) = match status {
        Status::New => ("new", format!("evolved `{name}` (revision {revision}, new)")),
        Status::Changed(previous) => {
            let previous = short(previous);
            ("changed", format!("evolved `{name}` (revision {revision}, changed from {previous})"))
        }
        Status::Described => {
            ("described", format!("described `{name}` anew (revision {revision} as before)"))
        }
        Status::Unchanged => {
            ("unchanged", format!("`{name}` is so already (revision {revision}): nothing changed"))
        }
    };
    // A note that quotes the term may hold anything.
    let notes: Vec<String> = notes.iter().map(|note| text::line(note, MOST_NOTE)).collect();
    let lines: Vec<&str> =
        std::iter::once(told.as_str()).chain(notes.iter().map(String::as_str)).collect();
    let mut reply =
        Reply::new(lines.join("\n"), json!({"name": name, "revision": hash, "status": word}));
    if let Status::Changed(previous) = status {
        reply.structured.insert("previous".to_owned(), previous.as_str().into());
    }
    put(&mut reply.structured, "notes", notes);
    reply
}
