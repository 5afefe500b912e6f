//! One run as JSON in and JSON out, for hosts without typed bindings.

use crate::machine::Machine;
use crate::request::{Argument, Done, Program, Source, Step};
use pif_core::fault::{Code, Fault};
use pif_core::json::tape::{Tape, Token, TokenId};
use pif_core::json::{escape, write};
use pif_core::limits::{Limits, Usage};
use pif_core::text::quote::shorten;

/// Evaluates `{code | tool, input | data | apply, context?, bindings?, tools?, limits?, step?, keep?}`.
#[must_use]
pub fn evaluate(request: &str) -> String {
    let mut out = String::from("{");
    let outcome = read(request)
        .and_then(|(program, limits)| Machine::start(program, limits).map_err(|fault| *fault));
    let usage = match outcome {
        Ok(mut machine) => {
            write_step(&machine.run_alone(), &mut out);
            machine.usage()
        }
        Err(fault) => {
            write_fault(&fault, &mut out);
            Usage::default()
        }
    };
    member("fuel", &usage.fuel.to_string(), &mut out);
    member("peak_memory", &usage.peak_memory.to_string(), &mut out);
    out.push('}');
    out
}

fn read(request: &str) -> Result<(Program, Limits), Fault> {
    let mut tape = Tape::default();
    let root = tape.parse(request)?;
    if !matches!(tape.token(root), Token::Object { .. }) {
        return Err(Fault::new(Code::Malformed, "the request must be an object"));
    }
    let mut program = Program::term("null");
    let mut limits = Limits::default();
    for (key, value) in tape.members(root).collect::<Vec<_>>() {
        let text = || source(&tape, value);
        match tape.str(key) {
            "code" => program.code = Source::Term(text()),
            "tool" => program.code = Source::Tool(string(&tape, value)?),
            "input" => program.argument = Argument::Input(text()),
            "data" => program.argument = Argument::Data(text()),
            "context" => program.context = Some(text()),
            "step" => program.step = number(&tape, value)?,
            "apply" if tape.token(value) == Token::Boolean(false) => {
                program.argument = Argument::Unapplied;
            }
            "apply" => {}
            "keep" => program.keep = tape.token(value) == Token::Boolean(true),
            "bindings" => {
                let terms = sources(&tape, value).into_iter();
                program.bindings = terms.map(|(name, term)| (name, Some(term))).collect();
            }
            "tools" => program.tools = sources(&tape, value),
            "limits" => {
                for (name, value) in tape.members(value) {
                    set_limit(&mut limits, tape.str(name), number(&tape, value)?)?;
                }
            }
            key => return Err(unknown(key)),
        }
    }
    let member = |key| tape.member(root, key).is_some();
    if member("code") == member("tool") {
        return Err(Fault::new(Code::Malformed, "give `code` or `tool`, one of them"));
    }
    if [member("input"), member("data"), member("apply")].into_iter().filter(|is| *is).count() > 1 {
        let message = "give one of `input`, `data` and `apply`";
        return Err(Fault::new(Code::Malformed, message));
    }
    Ok((program, limits))
}

fn unknown(key: &str) -> Fault {
    let known = "code, tool, input, data, apply, context, bindings, tools, limits, step, keep";
    Fault::new(Code::Malformed, format!("the request has no member `{}`", shorten(key)))
        .hint(format!("its members are {known}"))
}

fn set_limit(limits: &mut Limits, name: &str, value: u64) -> Result<(), Fault> {
    let narrow = || u32::try_from(value).unwrap_or(u32::MAX);
    match name {
        "fuel" => limits.fuel = value,
        "depth" => limits.depth = narrow(),
        "memory" => limits.memory = value,
        "output" => limits.output = narrow(),
        _ => {
            return Err(Fault::new(
                Code::Malformed,
                format!("there is no limit `{}`", shorten(name)),
            ));
        }
    }
    Ok(())
}

fn string(tape: &Tape, id: TokenId) -> Result<String, Fault> {
    match tape.token(id) {
        Token::Text(span) => Ok(tape.str(span).to_owned()),
        _ => Err(Fault::new(Code::Malformed, "`tool` must be a string")),
    }
}

fn number(tape: &Tape, id: TokenId) -> Result<u64, Fault> {
    let number = match tape.token(id) {
        Token::Integer(n) => u64::try_from(n).ok(),
        Token::Number(span) => tape.str(span).parse().ok(),
        _ => None,
    };
    number.ok_or_else(|| Fault::new(Code::Malformed, "a limit or step must be a whole number"))
}

/// The JSON text of a value on the tape.
fn source(tape: &Tape, root: TokenId) -> String {
    write::text(tape, root, usize::MAX)
}

/// The JSON texts of the members of an object on the tape.
fn sources(tape: &Tape, root: TokenId) -> Vec<(String, String)> {
    let members = tape.members(root);
    members.map(|(name, code)| (tape.str(name).to_owned(), source(tape, code))).collect()
}

fn member(key: &str, json: &str, out: &mut String) {
    if out.len() > 1 {
        out.push(',');
    }
    escape::string(key, out);
    out.push(':');
    out.push_str(json);
}

fn text(key: &str, value: &str, out: &mut String) {
    let mut json = String::new();
    escape::string(value, &mut json);
    member(key, &json, out);
}

fn texts(key: &str, values: &[String], out: &mut String) {
    if values.is_empty() {
        return;
    }
    let mut json = String::from("[");
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            json.push(',');
        }
        escape::string(value, &mut json);
    }
    json.push(']');
    member(key, &json, out);
}

fn write_step(step: &Step, out: &mut String) {
    match step {
        Step::Done(done) => write_done("value", done, out),
        Step::Continuation(done, _) => write_done("continuation", done, out),
        Step::Failed(fault) => write_fault(fault, out),
        Step::Lookup(_)
        | Step::Recall(_)
        | Step::Perform(..)
        | Step::Wait(..)
        | Step::Enter(_)
        | Step::Leave(_)
        | Step::Paused => {}
    }
}

fn write_done(key: &str, done: &Done, out: &mut String) {
    member(key, &done.json, out);
    text("kind", done.kind, out);
    texts("warnings", &done.warnings, out);
    texts("trace", &done.trace, out);
    match &done.term {
        Some(Ok(term)) => member("term", term, out),
        Some(Err(fault)) => member("unkept", &fault_json(fault), out),
        None => {}
    }
}

fn write_fault(fault: &Fault, out: &mut String) {
    member("fault", &fault_json(fault), out);
    texts("warnings", &fault.warnings, out);
}

fn fault_json(fault: &Fault) -> String {
    let mut json = String::from("{");
    text("code", fault.code.name(), &mut json);
    text("message", &fault.message, &mut json);
    text("at", &fault.at, &mut json);
    if let Some(tool) = &fault.tool {
        text("tool", tool, &mut json);
    }
    if let Some(hint) = &fault.hint {
        text("hint", &hint.to_string(), &mut json);
    }
    texts("calls", &fault.calls, &mut json);
    if let Some(call) = &fault.upstream {
        let mut failed = String::from("{");
        text("tool", &call.tool, &mut failed);
        text("reason", &call.reason, &mut failed);
        failed.push('}');
        member("upstream", &failed, &mut json);
    }
    if let Some(excerpt) = &fault.excerpt {
        text("excerpt", excerpt, &mut json);
    }
    if let Some(place) = &fault.place {
        member("line", &place.line.to_string(), &mut json);
        member("column", &place.column.to_string(), &mut json);
        text("caret", &place.caret, &mut json);
    }
    json.push('}');
    json
}
