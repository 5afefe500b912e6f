//! The corpus: cases of expected behaviour, as the files in `cases/` write them.

use anyhow::{Context, bail};
use pif::limits::Limits;
use pif::request::{Argument, Program, Source};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// The limits of a case that names none: the server's defaults, but a tenth of its fuel.
pub const LIMITS: Limits =
    Limits { fuel: 10_000_000, depth: 1_000_000, memory: 64 << 20, output: 8 << 20 };

/// A file of cases.
#[derive(Clone, Debug)]
pub struct File {
    /// Where it is.
    pub path: PathBuf,
    /// Its name without the ending, which says what the cases are about.
    pub topic: String,
    /// Its cases.
    pub cases: Vec<Case>,
}

/// One case: a program, its limits, and what must come of it.
#[derive(Clone, Debug)]
pub struct Case {
    /// As it stands in the file.
    members: Map<String, Value>,
    /// What it is about, unique in its file.
    pub name: String,
    /// The program.
    pub program: Program,
    /// Its limits.
    pub limits: Limits,
    /// What must come of it.
    pub expected: Expected,
    /// The evaluators that run it; none means all.
    pub only: Vec<String>,
}

/// What must come of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Canonical JSON of the value, or the fault.
    pub result: Result<String, ExpectedFault>,
    /// Fuel spent.
    pub fuel: Option<u64>,
    /// The type of the value, where the case says it.
    pub kind: Option<String>,
    /// Warnings, in order.
    pub warnings: Vec<String>,
    /// Lines of the trace, in order.
    pub trace: Vec<String>,
    /// The value as a term, or why it has none, where the case says it.
    pub term: Option<Result<String, ExpectedFault>>,
}

/// A fault as a case describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedFault {
    /// Its code.
    pub code: String,
    /// Where: a JSON Pointer, empty for the whole.
    #[serde(default)]
    pub at: String,
    /// The tool in whose source `at` points.
    pub tool: Option<String>,
    /// What the hint must contain.
    pub hint: Option<String>,
    /// What the message must contain.
    pub message: Option<String>,
    /// Tools whose code was active.
    pub calls: Option<Vec<String>>,
    /// What stands at `at`, shortened.
    pub excerpt: Option<String>,
    /// Line and column, `1:5`, where the program is written in the notation.
    pub place: Option<String>,
}

/// A case as JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    #[serde(default, deserialize_with = "present")]
    term: Option<Value>,
    text: Option<String>,
    tool: Option<String>,
    #[serde(default)]
    tools: Map<String, Value>,
    #[serde(default)]
    sources: Map<String, Value>,
    #[serde(default, deserialize_with = "present")]
    input: Option<Value>,
    input_text: Option<String>,
    #[serde(default, deserialize_with = "present")]
    data: Option<Value>,
    data_text: Option<String>,
    /// Whether a function is applied where nothing is given.
    apply: Option<bool>,
    #[serde(default, deserialize_with = "present")]
    context: Option<Value>,
    /// Variables of the term, with their terms.
    #[serde(default)]
    bindings: Map<String, Value>,
    #[serde(default)]
    step: u64,
    #[serde(default)]
    limits: LimitsWritten,
    #[serde(default, deserialize_with = "present")]
    value: Option<Value>,
    fault: Option<ExpectedFault>,
    fuel: Option<u64>,
    kind: Option<String>,
    #[serde(default)]
    warnings: Vec<String>,
    #[serde(default)]
    trace: Vec<String>,
    /// The value as a term.
    #[serde(default, deserialize_with = "present")]
    term_of_value: Option<Value>,
    /// Why the value has no term.
    unkept: Option<ExpectedFault>,
    #[serde(default)]
    only: Vec<String>,
    /// Why the case is there, for readers.
    #[serde(rename = "note")]
    _note: Option<IgnoredAny>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct LimitsWritten {
    fuel: Option<u64>,
    depth: Option<u32>,
    memory: Option<u64>,
    output: Option<u32>,
}

/// Tells `null` from nothing.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// Finds every file of cases, in the order of their topics. Those of a group of forms are in its
/// folder.
pub fn paths() -> anyhow::Result<Vec<PathBuf>> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("cases")];
    let mut paths = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            if path.is_dir() { folders.push(path) } else { paths.push(path) }
        }
    }
    paths.sort_by(|a, b| a.file_name().cmp(&b.file_name()));
    Ok(paths)
}

/// Reads every file of the corpus. `bench.json` is no part of it: its inputs are made, not written
/// down, and `cargo x bench` checks its values.
pub fn corpus() -> anyhow::Result<Vec<File>> {
    let mut paths = paths()?;
    paths.retain(|path| !path.ends_with("bench.json"));
    paths
        .into_iter()
        .map(|path| File::read(path.clone()).context(path.display().to_string()))
        .collect()
}

impl File {
    fn read(path: PathBuf) -> anyhow::Result<Self> {
        let topic = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let cases: Vec<Map<String, Value>> =
            serde_json::from_str(&std::fs::read_to_string(&path)?)?;
        let cases = cases.into_iter().map(Case::read).collect::<anyhow::Result<Vec<_>>>()?;
        let mut names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
        names.sort_unstable();
        if let Some([name, _]) = names.array_windows().find(|[a, b]| a == b) {
            bail!("two cases are called `{name}`");
        }
        Ok(Self { path, topic, cases })
    }

    /// Writes the cases back.
    pub fn write(&self) -> anyhow::Result<()> {
        let cases: Vec<String> = self.cases.iter().map(Case::text).collect();
        std::fs::write(&self.path, format!("[\n{}\n]\n", cases.join(",\n")))?;
        Ok(())
    }
}

impl Case {
    fn read(members: Map<String, Value>) -> anyhow::Result<Self> {
        let name = members.get("name").map(Value::to_string).unwrap_or_default();
        let written: Written =
            serde_json::from_value(Value::Object(members.clone())).context(name.clone())?;
        let program = written.program().context(name)?;
        let limits = Limits {
            fuel: written.limits.fuel.unwrap_or(LIMITS.fuel),
            depth: written.limits.depth.unwrap_or(LIMITS.depth),
            memory: written.limits.memory.unwrap_or(LIMITS.memory),
            output: written.limits.output.unwrap_or(LIMITS.output),
        };
        let expected = Expected {
            result: written
                .value
                .map(|value| canonical(&value))
                .ok_or(written.fault.unwrap_or_default()),
            fuel: written.fuel,
            kind: written.kind,
            warnings: written.warnings,
            trace: written.trace,
            term: match (written.term_of_value, written.unkept) {
                (Some(term), _) => Some(Ok(canonical(&term))),
                (None, unkept) => unkept.map(Err),
            },
        };
        Ok(Self { members, name: written.name, program, limits, expected, only: written.only })
    }

    /// Whether this evaluator runs the case.
    #[must_use]
    pub fn is_for(&self, evaluator: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == evaluator)
    }

    /// Replaces what must come of the case.
    pub fn bless(&mut self, expected: Expected) -> anyhow::Result<()> {
        let members = &mut self.members;
        let old = std::mem::replace(&mut self.expected, expected);
        let new = &self.expected;
        match &new.result {
            Ok(text) => {
                members.shift_remove("fault");
                members.insert("value".to_owned(), serde_json::from_str(text)?);
            }
            Err(fault) => {
                let old = old.result.err().unwrap_or_default();
                members.shift_remove("value");
                members.insert("fault".to_owned(), fault.json(&old));
            }
        }
        let fuel = members.shift_remove("fuel").and(new.fuel).or(new.fuel);
        members.insert("fuel".to_owned(), json!(fuel));
        if old.kind.is_some() {
            members.insert("kind".to_owned(), json!(new.kind));
        }
        match (&new.term, old.term) {
            (Some(Ok(term)), Some(_)) => {
                members.shift_remove("unkept");
                members.insert("term_of_value".to_owned(), serde_json::from_str(term)?);
            }
            (Some(Err(fault)), Some(old)) => {
                members.shift_remove("term_of_value");
                let fault = fault.json(&old.err().unwrap_or_default());
                members.insert("unkept".to_owned(), fault);
            }
            _ => {}
        }
        for (key, lines) in [("warnings", &new.warnings), ("trace", &new.trace)] {
            members.shift_remove(key);
            if !lines.is_empty() {
                members.insert(key.to_owned(), json!(lines));
            }
        }
        Ok(())
    }

    /// The case as the file has it: on one line if it is short, else a line for each member.
    fn text(&self) -> String {
        const WIDTH: usize = 96;
        let member = |(key, value): (&String, &Value)| format!("{}: {}", json!(key), spaced(value));
        let members: Vec<String> = self.members.iter().map(member).collect();
        let line = members.join(", ");
        if line.chars().count() <= WIDTH {
            return format!("  {{{line}}}");
        }
        format!("  {{\n    {}\n  }}", members.join(",\n    "))
    }
}

impl Written {
    fn program(&self) -> anyhow::Result<Program> {
        let code = match (&self.term, &self.text, &self.tool) {
            (Some(term), None, None) => Source::Term(term.to_string()),
            (None, Some(text), None) => Source::Term(text.clone()),
            (None, None, Some(tool)) => Source::Tool(tool.clone()),
            _ => bail!("a case has one of `term`, `text` and `tool`"),
        };
        let input = self.input.as_ref().map(Value::to_string).or(self.input_text.clone());
        let data = self.data.as_ref().map(Value::to_string).or(self.data_text.clone());
        let argument = match (input, data) {
            (None, None) if self.apply == Some(false) => Argument::Unapplied,
            (None, None) => Argument::None,
            (Some(input), None) => Argument::Input(input),
            (None, Some(data)) => Argument::Data(data),
            _ => bail!("a case has `input` or `data`"),
        };
        let terms = self.tools.iter().map(|(name, term)| (name.clone(), term.to_string()));
        let texts = self.sources.iter();
        let texts =
            texts.map(|(name, text)| (name.clone(), text.as_str().unwrap_or_default().to_owned()));
        let tools = terms.chain(texts).collect();
        let context = self.context.as_ref().map(Value::to_string);
        let terms = self.bindings.iter();
        let bindings = terms.map(|(name, term)| (name.clone(), Some(term.to_string()))).collect();
        let keep = self.term_of_value.is_some() || self.unkept.is_some();
        let step = self.step;
        Ok(Program { code, argument, context, bindings, tools, step, debug: false, keep })
    }
}

impl ExpectedFault {
    /// As JSON, with those of the optional members that the case has had before.
    fn json(&self, old: &Self) -> Value {
        let mut members = Map::new();
        members.insert("code".to_owned(), json!(self.code));
        if !self.at.is_empty() {
            members.insert("at".to_owned(), json!(self.at));
        }
        if let Some(tool) = &self.tool {
            members.insert("tool".to_owned(), json!(tool));
        }
        if let Some(place) = &self.place {
            members.insert("place".to_owned(), json!(place));
        }
        for (key, text) in [("hint", &old.hint), ("message", &old.message)] {
            if let Some(text) = text {
                members.insert(key.to_owned(), json!(text));
            }
        }
        if old.calls.is_some() {
            members.insert("calls".to_owned(), json!(self.calls));
        }
        if old.excerpt.is_some() {
            members.insert("excerpt".to_owned(), json!(self.excerpt));
        }
        Value::Object(members)
    }
}

/// JSON as a run writes it: members in their order, no blanks.
#[must_use]
pub fn canonical(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(canonical).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(members) => {
            let members = members.iter();
            let members =
                members.map(|(key, value)| format!("{}:{}", json!(key), canonical(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        scalar => scalar_text(scalar),
    }
}

/// A scalar; `serde_json` reads `1e16` as `1e+16`, which is not how we write it.
fn scalar_text(scalar: &Value) -> String {
    match scalar {
        Value::Number(number) => number.as_str().replace("e+", "e"),
        other => other.to_string(),
    }
}

/// JSON on one line with blanks after commas and colons.
fn spaced(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(spaced).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(members) => {
            let members = members.iter();
            let members = members.map(|(key, value)| format!("{}: {}", json!(key), spaced(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        scalar => scalar_text(scalar),
    }
}
