//! The recorded answers of the original MCP-PIF server, and how ours are compared with them: every
//! recorded value must come out equal and every error must be an error, but for the cases that
//! `oracle/divergences.json` lists with their reasons; a listed case that does not differ fails.

use anyhow::Context;
use num_bigint::BigInt;
use pif::notation;
use pif::request::{Argument, Program, Source};
use pif::term::{Origin, Terms};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// One recorded case.
#[derive(Debug, Deserialize)]
pub struct Recorded {
    /// Its name.
    pub id: String,
    /// Arguments of `evolve`, for tools that are made before.
    pub setup: Vec<Members>,
    /// The call: its `name`, and `arguments` if there are any.
    pub call: Members,
    ok: bool,
    text: Option<String>,
    /// The value; there is none for an error, and for the value `null` it is that.
    #[serde(default, deserialize_with = "present")]
    value: Option<Value>,
    /// The value as text where it is nested too deeply for a line of JSON.
    value_json: Option<String>,
}

/// The members of an object, with values exactly as they are written.
pub type Members = BTreeMap<String, Box<RawValue>>;

/// Tells `null` from nothing.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// The cases that differ on purpose.
#[derive(Debug, Deserialize)]
pub struct Divergences {
    /// What a reason means.
    reasons: BTreeMap<String, String>,
    /// Cases and their reasons.
    cases: BTreeMap<String, String>,
}

/// All cases that evaluate.
pub fn cases() -> anyhow::Result<Vec<Recorded>> {
    let lines = include_str!("../oracle/pif_cases.jsonl").lines();
    let cases = lines.map(serde_json::from_str::<Recorded>).collect::<Result<Vec<_>, _>>()?;
    Ok(cases.into_iter().filter(Recorded::is_evaluation).collect())
}

/// The cases that differ on purpose.
pub fn divergences() -> anyhow::Result<Divergences> {
    Ok(serde_json::from_str(include_str!("../oracle/divergences.json"))?)
}

impl Recorded {
    /// `help` and `list` are the server's, and their words are our own.
    fn is_evaluation(&self) -> bool {
        let name = self.call.get("name").map(|name| name.get());
        !matches!(name, Some(r#""help""# | r#""list""#))
    }

    /// Judges what a call gave; an error says what is wrong with it.
    pub fn judge(&self, reply: &Reply, divergences: &Divergences) -> anyhow::Result<()> {
        let listed = divergences.cases.get(&self.id);
        match (differs(self, reply)?, listed) {
            (None, None) | (Some(_), Some(_)) => Ok(()),
            (Some(difference), None) => anyhow::bail!("{difference}"),
            (None, Some(reason)) => anyhow::bail!("listed as `{reason}` but does not differ"),
        }
    }
}

impl Divergences {
    /// Every listed case exists, and every reason is known and used.
    pub fn check(&self, ids: &BTreeSet<String>) -> anyhow::Result<()> {
        let used: BTreeSet<&String> = self.cases.values().collect();
        let known: BTreeSet<&String> = self.reasons.keys().collect();
        let odd: Vec<_> = used.symmetric_difference(&known).collect();
        anyhow::ensure!(odd.is_empty(), "reasons that are not both used and explained: {odd:?}");
        let unknown = self.cases.keys().find(|id| !ids.contains(*id));
        anyhow::ensure!(unknown.is_none(), "no recorded case is called {unknown:?}");
        Ok(())
    }
}

/// What a call gives: a value as JSON, a text of our own, or a refusal.
pub type Reply = anyhow::Result<Option<String>>;

fn differs(case: &Recorded, reply: &Reply) -> anyhow::Result<Option<String>> {
    let recorded = case.value.as_ref().map(Value::to_string).or(case.value_json.clone());
    let same = match reply {
        Err(_) => !case.ok,
        Ok(None) => case.ok,
        Ok(Some(json)) => match (&case.value, &case.value_json) {
            _ if !case.ok => false,
            (Some(value), _) => equal(&plain(&serde_json::from_str(json)?), &plain(value)),
            (None, Some(text)) => *json == text.replace(' ', ""),
            (None, None) => false,
        },
    };
    let text = recorded.as_deref().or(case.text.as_deref()).unwrap_or("a crash");
    let found = match reply {
        Ok(json) => json.clone().unwrap_or_default(),
        Err(error) => format!("{error:#}"),
    };
    Ok((!same).then(|| format!("recorded {text}\n  found {found}")))
}

/// Writes `cons` chains that end in `nil`, as they stand in quoted terms, as arrays.
fn plain(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(members) => match members.iter().next() {
            Some((key, _)) if key == "nil" && members.len() == 1 => json!([]),
            Some((key, cell)) if key == "cons" && members.len() == 1 => plain_chain(cell),
            _ => plain_members(members),
        },
        scalar => scalar.clone(),
    }
}

fn plain_members(members: &Map<String, Value>) -> Value {
    members.iter().map(|(key, value)| (key.clone(), plain(value))).collect()
}

fn plain_chain(cell: &Value) -> Value {
    let (head, tail) = (plain(&cell["head"]), plain(&cell["tail"]));
    match tail {
        Value::Array(items) => std::iter::once(head).chain(items).collect(),
        tail => json!({"cons": {"head": head, "tail": tail}}),
    }
}

/// Equality, but for integers modulo 2^64.
fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let member = |(key, a): (&String, &Value)| b.get(key).is_some_and(|b| equal(a, b));
            a.len() == b.len() && a.iter().all(member)
        }
        (Value::Number(a), Value::Number(b)) => {
            match (a.as_str().parse::<BigInt>(), b.as_str().parse::<BigInt>()) {
                (Ok(a), Ok(b)) => (a - b) % (BigInt::from(1) << 64_u32) == BigInt::ZERO,
                _ => a == b,
            }
        }
        _ => a == b,
    }
}

/// As much of the server as the recorded cases need.
#[derive(Debug)]
pub struct Session {
    /// Sources of the registered tools.
    tools: BTreeMap<String, String>,
    /// Runs a program.
    evaluate: Evaluate,
}

/// Gives the value of a program as JSON.
pub type Evaluate = fn(&Program) -> anyhow::Result<String>;

/// Names that no tool may take.
const RESERVED: &[&str] = &["run", "evolve", "list", "help"];

impl Session {
    /// A session without tools, in which this runs programs.
    #[must_use]
    pub fn new(evaluate: Evaluate) -> Self {
        Self { tools: BTreeMap::new(), evaluate }
    }

    /// Makes the tools of a case and its call, and judges what that gives.
    pub fn check(mut self, case: &Recorded, divergences: &Divergences) -> anyhow::Result<()> {
        for arguments in &case.setup {
            // A refusal shows in what the call gives.
            let _ = self.evolve(arguments);
        }
        case.judge(&self.call(&case.call), divergences)
    }

    fn call(&mut self, call: &Members) -> Reply {
        let name: String = serde_json::from_str(call.get("name").context("no name")?.get())?;
        let arguments = call.get("arguments").map_or("null", |arguments| arguments.get());
        let members = serde_json::from_str::<Members>(arguments);
        match name.as_str() {
            "run" => self.run(&members?).map(Some),
            "evolve" => self.evolve(&members?).map(|()| None),
            _ if arguments == "null" => self.run_tool(&name, "null").map(Some),
            _ => {
                let input = members?.remove("input").context("no input")?;
                self.run_tool(&name, input.get()).map(Some)
            }
        }
    }

    fn evolve(&mut self, arguments: &Members) -> anyhow::Result<()> {
        let text = |key: &str| -> anyhow::Result<String> {
            Ok(serde_json::from_str(arguments.get(key).context("missing")?.get())?)
        };
        let (name, _) = (text("name")?, text("description")?);
        anyhow::ensure!(is_name(&name) && !RESERVED.contains(&name.as_str()), "a bad name");
        let code = arguments.get("code").context("no code")?.get();
        let source = serde_json::from_str::<String>(code).unwrap_or_else(|_| code.to_owned());
        let mut terms = Terms::default();
        let parsed = notation::read_code(&mut terms, &source, Origin::Code, &["data", "input"])?;
        self.tools.insert(name, pif::print::term(&terms, parsed.root));
        Ok(())
    }

    fn run(&self, arguments: &Members) -> anyhow::Result<String> {
        let code = arguments.get("code").context("no code")?.get();
        let input = arguments.get("input").map_or("null", |input| input.get());
        match serde_json::from_str::<String>(code) {
            Ok(name) if self.tools.contains_key(&name) => self.run_tool(&name, input),
            Ok(text) => self.machine(Source::Term(text), input),
            Err(_) => self.machine(Source::Term(code.to_owned()), input),
        }
    }

    fn run_tool(&self, name: &str, input: &str) -> anyhow::Result<String> {
        self.machine(Source::Tool(name.to_owned()), input)
    }

    fn machine(&self, code: Source, input: &str) -> anyhow::Result<String> {
        let argument = Argument::Input(input.to_owned());
        let tools = self.tools.clone().into_iter().collect();
        let program = Program {
            code,
            argument,
            context: None,
            bindings: Vec::new(),
            tools,
            step: 0,
            debug: false,
            keep: false,
        };
        (self.evaluate)(&program)
    }
}

/// Whether a tool may have this name.
fn is_name(name: &str) -> bool {
    let head = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let rest = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    head && name.len() <= 64 && name.chars().all(rest)
}
