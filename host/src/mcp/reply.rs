//! How results and faults are told: a short text for the model, and a small structured record
//! for programs. The one place that knows both the faults and the protocol's results.

use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::profile::{annotate, cap};
use super::report::Report;
use super::scan;
use crate::config::{Config, Profile};
use crate::sandbox::{Ending, Excess, Fault, Note, Outcome, Summary};
use crate::text::{self, MOST_NAME, plain, quote};

/// Levels of nesting that parsers of clients are trusted with.
const TRUSTED_DEPTH: usize = 64;

/// Characters of a message, a hint, a pointer, a line of a list.
const MOST_LINE: usize = 2_500;

/// Characters of a list of lines, such as warnings.
const MOST_LINES: usize = 50_000;

/// Notes on a term: more than an evaluator makes.
const MOST_NOTES: usize = 200;

/// How to have a result that can be shown.
const LESS: &str = "return less: `take`, `slice`, `length`, or fold the result to what you need";

/// How to have more than the function that a tool gives of its first argument.
const MORE: &str = r#"a tool takes several arguments by `code`: {"app": {"func": {"tool": "name"}, "args": [a, b]}}"#;

/// What a tool gives its caller.
pub(super) type ToolResult = Result<Reply, Refusal>;

/// What a tool has to say.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) text: String,
    pub(super) structured: JsonObject,
    /// Lines that the record tells and the text does not.
    pub(super) asides: Vec<String>,
}

impl Reply {
    /// A reply whose record is a JSON object.
    pub(super) fn new(text: impl Into<String>, structured: Value) -> Self {
        Self { text: text.into(), structured: object(structured), asides: Vec::new() }
    }

    /// Says something more.
    pub(super) fn note(&mut self, notes: &[String]) {
        self.asides.extend(told_notes(&mut self.structured, notes));
    }
}

/// Adds notes to a record, and gives the lines that tell of them.
fn told_notes(record: &mut JsonObject, notes: &[String]) -> Vec<String> {
    let mut all: Vec<Value> = notes.iter().map(|note| note.as_str().into()).collect();
    if !all.is_empty() {
        if let Some(Value::Array(before)) = record.remove("notes") {
            all.splice(0..0, before);
        }
        record.insert("notes".to_owned(), Value::Array(all));
    }
    notes.iter().map(|note| format!("note: {note}")).collect()
}

/// What a tool refused, or a program did wrong.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) text: String,
    pub(super) structured: JsonObject,
    /// Lines that the record tells and the text does not.
    pub(super) asides: Vec<String>,
}

impl Refusal {
    /// The refusal of a run that spent so much fuel.
    fn after(fault: &Fault, fuel: u64) -> Self {
        let mut structured = record(fault);
        structured.insert("fuel".to_owned(), fuel.into());
        Self { text: explain(fault), structured, asides: Vec::new() }
    }

    /// Several faults at once: the record is the first one's, with all of them as a member.
    pub(super) fn of_all(faults: &[Fault]) -> Self {
        let text: Vec<String> = faults.iter().map(explain).collect();
        let mut structured = faults.first().map(record).unwrap_or_default();
        let all = faults.iter().map(|fault| Value::Object(record(fault))).collect();
        structured.insert("faults".to_owned(), Value::Array(all));
        Self { text: text.join("\n"), structured, asides: Vec::new() }
    }

    /// The same refusal, introduced by what was being tried.
    pub(super) fn during(mut self, what: &str) -> Self {
        self.text = format!("{what}: {}", self.text);
        self
    }

    /// Says something more.
    pub(super) fn note(&mut self, notes: &[String]) {
        self.asides.extend(told_notes(&mut self.structured, notes));
    }
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self { text: explain(&fault), structured: record(&fault), asides: Vec::new() }
    }
}

/// Puts warnings about arguments before the other warnings. The profile repeats all of them in the text.
pub(super) fn warn(result: &mut Result<Reply, Refusal>, warnings: &[String]) {
    if warnings.is_empty() {
        return;
    }
    let structured = match result {
        Ok(reply) => &mut reply.structured,
        Err(refusal) => &mut refusal.structured,
    };
    let mut all: Vec<Value> = warnings.iter().map(|warning| warning.as_str().into()).collect();
    if let Some(Value::Array(before)) = structured.remove("warnings") {
        all.extend(before);
    }
    structured.insert("warnings".to_owned(), Value::Array(all));
}

/// Tells how a run ended.
pub(super) fn tell(report: Report, config: &Config) -> Result<Reply, Refusal> {
    let profile = config.profile;
    let mut told = tell_ending(&report, config);
    let record = match &mut told {
        Ok(reply) => &mut reply.structured,
        Err(refusal) => &mut refusal.structured,
    };
    if profile == Profile::Debug {
        annotate(record, &report, config);
    }
    put(record, "evaluation", cap(report.evaluation, profile.lines()));
    told
}

fn tell_ending(report: &Report, config: &Config) -> Result<Reply, Refusal> {
    let Outcome { ending, usage, driven, tool } = &report.outcome;
    let lines = config.profile.lines();
    let (json, kind, warnings, trace) = match ending {
        Ok(Ending::Value(it)) => (&it.json, it.kind.as_str(), &it.warnings, &it.trace),
        Ok(Ending::Continuation(it)) => (&it.json, "continuation", &it.warnings, &it.trace),
        Err(fault) => {
            let mut refusal = Refusal::after(fault, usage.fuel);
            put(&mut refusal.structured, "warnings", cap(fault.warnings.clone(), lines));
            return Err(refusal);
        }
    };
    let mut reply = show(json, "result", config.max_result, LESS);
    if kind == "function" && tool.is_some() {
        reply.asides.push(format!("hint: {MORE}"));
        reply.structured.insert("hint".to_owned(), MORE.into());
    }
    reply.structured.insert("kind".to_owned(), kind.into());
    reply.structured.insert("fuel".to_owned(), usage.fuel.into());
    if *driven > 0 {
        reply.structured.insert("steps".to_owned(), (*driven).into());
    }
    put(&mut reply.structured, "warnings", cap(warnings.clone(), lines));
    put(&mut reply.structured, "trace", cap(trace.clone(), lines));
    Ok(reply)
}

/// A value, exactly or not at all; `hint` says how to ask for less.
pub(super) fn show(json: &str, what: &str, most: usize, hint: &str) -> Reply {
    let text = plain(json);
    let size = text.chars().count();
    if size > most {
        let text = format!(
            "the {what} has {size} characters, more than the {most} that are shown; {hint}"
        );
        let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
        let limit = excess(Excess { name: "result", used: count(size), limit: count(most) });
        let record = json!({"truncated": true, "size": size, "hint": hint, "limit": limit});
        return Reply::new(text, record);
    }
    Reply { text, structured: exact(json), asides: Vec::new() }
}

/// The members that hold a value: as such where clients can be trusted with it, as text where
/// they may not have it exactly otherwise.
pub(super) fn exact(json: &str) -> JsonObject {
    let mut structured = JsonObject::new();
    let shallow = scan::depth(json.as_bytes()) <= TRUSTED_DEPTH;
    let value: Option<Value> = shallow.then(|| serde_json::from_str(json).ok()).flatten();
    // Of members with one name, parsers keep the last.
    let is_whole =
        value.as_ref().is_some_and(|it| count_members(it) == scan::members(json.as_bytes()));
    if !is_whole || scan::has_wide_number(json) {
        structured.insert("exact".to_owned(), json.into());
    }
    if let Some(value) = value {
        structured.insert("value".to_owned(), value);
    }
    structured
}

/// How many members all objects in a value have.
fn count_members(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(count_members).sum(),
        Value::Object(members) => {
            members.len() + members.values().map(count_members).sum::<usize>()
        }
        _ => 0,
    }
}

/// A fault in words.
pub(crate) fn explain(fault: &Fault) -> String {
    let Fault { code, message, at, tool, hint, excerpt, .. } = told(fault);
    let place = match (tool, at.as_str()) {
        (Some(tool), "") => Some(format!("in tool `{tool}`")),
        (Some(tool), at) => Some(format!("at {at} in tool `{tool}`")),
        (None, "") => excerpt.is_some().then(|| "in the term".to_owned()),
        (None, at) => Some(format!("at {at}")),
    };
    let mut text = format!("{code}: {message}");
    let place = place.map(|place| match excerpt {
        Some(excerpt) => format!("{place}: {excerpt}"),
        None => place,
    });
    for line in [place, hint.map(|hint| format!("hint: {hint}"))].into_iter().flatten() {
        text.push('\n');
        text.push_str(&line);
    }
    text
}

/// A fault as the flat record of the language reference.
pub(super) fn record(fault: &Fault) -> JsonObject {
    let Fault { code, message, at, tool, hint, calls, excerpt, limit, mismatches, warnings } =
        told(fault);
    let mut record = object(json!({"code": code, "message": message, "at": at}));
    if let Some(excerpt) = excerpt {
        record.insert("excerpt".to_owned(), excerpt.into());
    }
    if let Some(hint) = hint {
        record.insert("hint".to_owned(), hint.into());
    }
    if let Some(tool) = tool {
        record.insert("tool".to_owned(), tool.into());
    }
    put(&mut record, "calls", calls);
    put(&mut record, "warnings", warnings);
    if let Some(limit) = limit {
        record.insert("limit".to_owned(), excess(limit));
    }
    if let Some(mismatches) = mismatches {
        // The first one's members are the fault's own.
        record.extend(mismatches.iter().next().map(|it| object(json!(it))).unwrap_or_default());
        if mismatches.iter().count() > 1 {
            record.insert("mismatches".to_owned(), json!(mismatches));
        }
    }
    record
}

/// A fault as readers get it: whatever it quotes is bounded, and nothing of it is hidden.
fn told(fault: &Fault) -> Fault {
    let line = |text: &String| text::line(text, MOST_LINE);
    Fault {
        code: text::line(&fault.code, MOST_NAME),
        message: line(&fault.told()),
        at: line(&fault.at),
        tool: fault.tool.as_ref().map(|tool| text::line(tool, MOST_NAME)),
        hint: fault.hint.as_ref().map(line),
        calls: fault.calls.clone(),
        excerpt: fault.excerpt.as_ref().map(line),
        warnings: fault.warnings.clone(),
        limit: fault.limit,
        mismatches: fault
            .mismatches
            .as_ref()
            .map(|it| Box::new(it.map(|text| text::line(text, MOST_LINE)))),
    }
}

/// A limit that was met.
pub(crate) fn excess(Excess { name, used, limit }: Excess) -> Value {
    json!({"name": name, "used": used, "limit": limit})
}

/// What is known of a term that is well formed.
pub(crate) fn describe(summary: &Summary) -> String {
    let forms: Vec<String> = summary
        .forms
        .iter()
        .map(|(form, count)| if *count == 1 { form.clone() } else { format!("{form} × {count}") })
        .collect();
    let mut lines = vec![
        format!("ok: `{}`, revision {}", summary.form, summary.hash.get(..12).unwrap_or_default()),
        format!("canonical: {}", text::visible(&summary.canonical)),
    ];
    let lists = [
        ("forms", forms.join(", ")),
        ("free variables", quote(&summary.free)),
        ("tools named", quote(&summary.names())),
        ("pure", if summary.pure { "yes" } else { "no, it can `perform`" }.to_owned()),
    ];
    let given = lists.iter().filter(|(_, list)| !list.is_empty());
    lines.extend(given.map(|(title, list)| format!("{title}: {list}")));
    lines.extend(
        summary
            .notes
            .iter()
            .take(MOST_NOTES)
            .map(|note| format!("note: {}", text::line(&note.to_string(), MOST_LINE))),
    );
    lines.join("\n")
}

/// Notes as records.
pub(super) fn notes(notes: &[Note]) -> Vec<Value> {
    let line = |text: &String| text::line(text, MOST_LINE);
    let record = |note: &Note| {
        let Note { code, at, message, .. } = note;
        let (hint, excerpt) = (note.hint.as_ref().map(line), note.excerpt.as_ref().map(line));
        let mut record =
            object(json!({"code": line(code), "at": line(at), "message": line(message)}));
        let more = [("excerpt", excerpt), ("hint", hint)];
        let given =
            more.into_iter().filter_map(|(name, text)| Some((name.to_owned(), text?.into())));
        record.extend(given);
        Value::Object(record)
    };
    notes.iter().take(MOST_NOTES).map(record).collect()
}

/// The members of a JSON object; of anything else, none.
pub(super) fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(members) => members,
        _ => JsonObject::new(),
    }
}

/// Adds a list of lines, unless it is empty. They are bounded one by one and together.
pub(super) fn put(record: &mut JsonObject, name: &str, list: Vec<String>) {
    let (count, mut lines, mut room) = (list.len(), Vec::new(), MOST_LINES);
    for line in list {
        let line = text::line(&line, MOST_LINE);
        let Some(left) = room.checked_sub(line.chars().count()) else {
            lines.push(format!("… and {} more", count - lines.len()));
            break;
        };
        room = left;
        lines.push(line);
    }
    if !lines.is_empty() {
        record.insert(name.to_owned(), lines.into());
    }
}
