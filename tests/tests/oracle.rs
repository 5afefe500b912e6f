//! The recorded answers of the original MCP-PIF server against the native machine. Every recorded
//! value must come out equal and every error must be an error, but for the cases that
//! `oracle/divergences.json` lists with their reasons; a listed case that does not differ fails.

use anyhow::Context;
use libtest_mimic::{Arguments, Failed, Trial};
use num_bigint::BigInt;
use pif_guest::limits::Limits;
use pif_guest::parse::{self, Notation};
use pif_guest::request::{Argument, Program, Source};
use pif_guest::term::{Origin, Terms};
use pif_tests::case;
use pif_tests::native;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;

/// The original bounds nesting, not work: the fuel is what the server allows at most.
const LIMITS: Limits = Limits { fuel: 1_000_000_000, ..case::LIMITS };

/// One recorded case.
#[derive(Deserialize)]
struct Recorded {
    id: String,
    setup: Vec<Members>,
    call: Members,
    ok: bool,
    text: Option<String>,
    /// The value; there is none for an error, and for the value `null` it is that.
    #[serde(default, deserialize_with = "present")]
    value: Option<Value>,
    /// The value as text where it is nested too deeply for a line of JSON.
    value_json: Option<String>,
}

/// The members of an object, with values exactly as they are written.
type Members = BTreeMap<String, Box<RawValue>>;

/// Tells `null` from nothing.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// The cases that differ on purpose.
#[derive(Deserialize)]
struct Divergences {
    /// What a reason means.
    reasons: BTreeMap<String, String>,
    /// Cases and their reasons.
    cases: BTreeMap<String, String>,
}

fn main() -> anyhow::Result<ExitCode> {
    let divergences: Divergences =
        serde_json::from_str(include_str!("../oracle/divergences.json"))?;
    let lines = include_str!("../oracle/pif_cases.jsonl").lines();
    let cases = lines.map(serde_json::from_str::<Recorded>).collect::<Result<Vec<_>, _>>()?;
    let ids: BTreeSet<String> = cases.iter().map(|case| case.id.clone()).collect();
    let mut trials = Vec::new();
    for case in cases.into_iter().filter(Recorded::is_evaluation) {
        let listed = divergences.cases.get(&case.id).cloned();
        trials.push(Trial::test(case.id.clone(), move || check(&case, listed.as_deref())));
    }
    trials.push(Trial::test("divergences", move || check_divergences(&divergences, &ids)));
    Ok(libtest_mimic::run(&Arguments::from_args(), trials).exit_code())
}

impl Recorded {
    /// `help` and `list` are the server's, and their words are our own.
    fn is_evaluation(&self) -> bool {
        let name = self.call.get("name").map(|name| name.get());
        !matches!(name, Some(r#""help""# | r#""list""#))
    }
}

/// Every listed case exists, and every reason is known and used.
fn check_divergences(divergences: &Divergences, ids: &BTreeSet<String>) -> Result<(), Failed> {
    let used: BTreeSet<&String> = divergences.cases.values().collect();
    let known: BTreeSet<&String> = divergences.reasons.keys().collect();
    if used != known {
        let odd: Vec<_> = used.symmetric_difference(&known).collect();
        return Err(format!("reasons that are not both used and explained: {odd:?}").into());
    }
    match divergences.cases.keys().find(|id| !ids.contains(*id)) {
        Some(id) => Err(format!("no recorded case is called `{id}`").into()),
        None => Ok(()),
    }
}

fn check(case: &Recorded, listed: Option<&str>) -> Result<(), Failed> {
    let mut session = Session::default();
    for arguments in &case.setup {
        // A refusal shows in what the call gives.
        let _ = session.evolve(arguments);
    }
    let reply = session.call(&case.call);
    let difference = differs(case, &reply)?;
    match (difference, listed) {
        (None, None) | (Some(_), Some(_)) => Ok(()),
        (Some(difference), None) => Err(difference.into()),
        (None, Some(reason)) => Err(format!("listed as `{reason}` but does not differ").into()),
    }
}

/// What a call gives: a value as JSON, a text of our own, or a refusal.
type Reply = anyhow::Result<Option<String>>;

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
#[derive(Default)]
struct Session {
    /// Sources of the registered tools.
    tools: BTreeMap<String, String>,
}

/// Names that no tool may take.
const RESERVED: &[&str] = &["run", "evolve", "list", "help"];

impl Session {
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
        // Text that is no JSON is a string literal.
        let source = match serde_json::from_str::<String>(code) {
            Ok(text) if Terms::default().tape.parse(&text).is_ok() => text,
            _ => code.to_owned(),
        };
        let mut terms = Terms::default();
        let parsed = parse::parse(&mut terms, &source, Origin::Code, Notation::Code)?;
        self.tools.insert(name, pif_guest::print::term(&terms, parsed.root));
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
        let program = Program { code, argument, context: None, tools, step: 0, debug: false };
        let run = native::run(&program, &LIMITS, u64::MAX);
        run.result.map(|value| value.json).map_err(|fault| anyhow::anyhow!("{fault:?}"))
    }
}

/// Whether a tool may have this name.
fn is_name(name: &str) -> bool {
    let head = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let rest = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    head && name.len() <= 64 && name.chars().all(rest)
}
