//! The recorded answers of the original MCP-PIF server against the native machine. What the real
//! server says to the same calls is compared in `server/oracle.rs`.

use anyhow::Context;
use libtest_mimic::{Arguments, Trial};
use pif::limits::Limits;
use pif::notation;
use pif::request::{Argument, Program, Source};
use pif::term::{Origin, Terms};
use pif_tests::oracle::{Divergences, Members, Recorded, Reply, cases, divergences};
use pif_tests::{case, native};
use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use std::sync::Arc;

/// The original bounds nesting, not work: the fuel is what the server allows at most.
const LIMITS: Limits = Limits { fuel: 1_000_000_000, ..case::LIMITS };

fn main() -> anyhow::Result<ExitCode> {
    let (divergences, cases) = (Arc::new(divergences()?), cases()?);
    let ids: BTreeSet<String> = cases.iter().map(|case| case.id.clone()).collect();
    let mut trials = Vec::new();
    for case in cases {
        let listed = Arc::clone(&divergences);
        trials.push(Trial::test(case.id.clone(), move || Ok(check(&case, &listed)?)));
    }
    trials.push(Trial::test("divergences", move || Ok(divergences.check(&ids)?)));
    Ok(libtest_mimic::run(&Arguments::from_args(), trials).exit_code())
}

fn check(case: &Recorded, divergences: &Divergences) -> anyhow::Result<()> {
    let mut session = Session::default();
    for arguments in &case.setup {
        // A refusal shows in what the call gives.
        let _ = session.evolve(arguments);
    }
    case.judge(&session.call(&case.call), divergences)
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
