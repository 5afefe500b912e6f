//! A program that is counted, natively or in the sandbox.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use pif::limits::Limits;
use pif::machine::Machine;
use pif::request::{Answer, Argument, Outcome, Program, Step};
use pif_domain::{CallOutcome, Refusal};
use pif_sandbox::{self, Code, InstanceUsage, Sandbox, Watch};
use serde_json::{Value, json};

use crate::bench::{self, Bench, GATE, Input, OPEN};

const FUEL: u64 = 1_000_000_000;
const LIMITS: Limits = Limits { fuel: FUEL, depth: 1_000_000, memory: 256 << 20, output: 16 << 20 };
/// Instruments make a run a hundred times slower.
const PATIENCE: Duration = Duration::from_mins(10);

/// How far a run goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// To where the input is there and what counts begins; nothing at all if everything counts.
    Ready,
    /// To its value, which is compared with what it must be.
    Whole,
}

/// What a run has spent on what counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spent {
    pub(crate) fuel: u64,
    /// Wasm instructions.
    pub(crate) instructions: u64,
    /// Bytes of linear memory of the whole instance.
    pub(crate) memory: u64,
}

/// A program, its input and its value.
pub(crate) struct Workload {
    pub(crate) name: String,
    program: Program,
    /// Whether it asks for an effect when its input is there.
    gated: bool,
    value: String,
}

/// All of them, or those named: calls as small as they get, the programs of `cargo x bench` and of
/// `cargo x bench peers`, and those of forms. Others are not even made, for that would be counted.
pub(crate) fn all(names: &[&str]) -> Result<Vec<Workload>> {
    let mut all = vec![
        Workload::term("empty call", "null", "null"),
        Workload::term("term of 2,047 nodes", &term(10), "1024"),
    ];
    let wanted = |name: &str| names.is_empty() || names.contains(&name);
    all.retain(|it| wanted(&it.name));
    let files =
        ["tests/cases/bench.json", "scripts/peers/workloads.json", "scripts/counts/workloads.json"];
    for file in files {
        let rows = bench::rows(file)?;
        let rows = rows.iter().filter(|row| row["name"].as_str().is_some_and(wanted));
        for row in rows {
            all.push(match row["input"].get("made") {
                Some(input) => made(row, input)?,
                None => bench::bench(row)?.into(),
            });
        }
    }
    Ok(all)
}

/// A program whose input is made by a term, which does not count.
fn made(row: &Value, input: &Value) -> Result<Workload> {
    let perform = json!({"capability": "ready", "args": null});
    let tool = json!({"tool": "program"});
    let lets = json!([["program", tool], ["x", input], ["ready", {"perform": perform}]]);
    let call = json!({"app": {"func": {"var": "program"}, "arg": {"var": "x"}}});
    let code = json!({"let": lets, "in": call}).to_string();
    let name = row["name"].as_str().context("a name")?.to_owned();
    let tools = vec![("program".to_owned(), row["source"].to_string())];
    let program = Program { tools, ..Program::term(code) };
    Ok(Workload { name, program, gated: true, value: row["value"].to_string() })
}

/// A term of 2^`levels` ones that are added in pairs.
fn term(levels: usize) -> String {
    (0..levels).fold("1".to_owned(), |half, _| format!(r#"{{"add":[{half},{half}]}}"#))
}

impl From<Bench> for Workload {
    fn from(bench: Bench) -> Self {
        let Bench { name, source, input, value, .. } = bench;
        let (code, argument, gated) = match input {
            Input::Ready(input) => (GATE, Argument::Input(input), true),
            Input::Text(text) => (OPEN, Argument::Data(text), false),
        };
        let tools = vec![("program".to_owned(), source)];
        Self { name, program: Program { argument, tools, ..Program::term(code) }, gated, value }
    }
}

impl Workload {
    /// A term of which everything counts, from parsing to printing.
    pub(crate) fn term(name: &str, code: &str, value: &str) -> Self {
        let name = name.to_owned();
        let program = Program::term(code);
        let value = value.to_owned();
        Self { name, program, gated: false, value }
    }

    /// A function of data, of which everything counts.
    pub(crate) fn data(name: &str, code: &str, data: String, value: String) -> Self {
        let program = Program { argument: Argument::Data(data), ..Program::term(code) };
        Self { name: name.to_owned(), program, gated: false, value }
    }

    /// Runs on the native machine; the fuel.
    pub(crate) fn native(&self, extent: Extent) -> Result<u64> {
        if extent == Extent::Ready && !self.gated {
            return Ok(0);
        }
        let mut machine = Machine::start(self.program.clone(), LIMITS)?;
        let mut answer = Answer::None;
        let mut before = 0;
        if self.gated {
            let step = machine.resume(answer, FUEL);
            ensure!(matches!(step, Step::Perform(..)), "{}: {step:?}", self.name);
            answer = Answer::Outcomes(vec![Outcome::Value("null".to_owned())]);
            before = machine.usage().fuel;
            if extent == Extent::Ready {
                return Ok(0);
            }
        }
        match machine.resume(answer, FUEL) {
            Step::Done(done) if done.json == self.value => Ok(machine.usage().fuel - before),
            step => bail!("{}: {step:?} instead of {}", self.name, self.value),
        }
    }

    /// Runs in a fresh instance.
    pub(crate) fn sandboxed(&self, sandbox: &Sandbox, extent: Extent) -> Result<Spent> {
        if extent == Extent::Ready && !self.gated {
            return Ok(Spent::default());
        }
        let Limits { fuel, depth, memory, output } = LIMITS;
        let limits = pif_sandbox::Limits { fuel, depth, memory, output };
        let watch = Watch::new(PATIENCE);
        let fault = |fault: pif_domain::Fault| anyhow::anyhow!("{}: {fault:?}", self.name);
        let mut machine = sandbox.start(&self.convert(), limits, &watch).map_err(fault)?;
        let mut answer = pif_sandbox::Answer::None;
        let mut before = 0;
        let mut entered = 0;
        if self.gated {
            let step = machine.resume(&answer, FUEL).map_err(fault)?;
            ensure!(matches!(step, pif_sandbox::Step::Perform(_)), "{}: {step:?}", self.name);
            if extent == Extent::Ready {
                return Ok(Spent::default());
            }
            let value = CallOutcome::Value("null".to_owned());
            answer = Ok::<_, Refusal>(vec![value]).into();
            before = machine.usage().map_err(fault)?.fuel;
            entered = machine.taken().instructions;
        }
        let step = machine.resume(&answer, FUEL).map_err(fault)?;
        let InstanceUsage { instructions, memory } = machine.taken();
        match step {
            pif_sandbox::Step::Done(value) if value.json == self.value => {}
            step => bail!("{}: {step:?} instead of {}", self.name, self.value),
        }
        let fuel = machine.usage().map_err(fault)?.fuel - before;
        Ok(Spent { fuel, instructions: instructions - entered, memory })
    }

    fn convert(&self) -> pif_sandbox::Program {
        let Program { code, argument, tools, .. } = self.program.clone();
        let code = match code {
            pif::request::Source::Term(text) => Code::Term(text),
            pif::request::Source::Tool(name) => Code::Tool(name),
        };
        let argument = match argument {
            Argument::None => pif_sandbox::Argument::None,
            Argument::Unapplied => pif_sandbox::Argument::Unapplied,
            Argument::Input(text) => pif_sandbox::Argument::Input(text),
            Argument::Data(text) => pif_sandbox::Argument::Data(text),
        };
        let tools =
            tools.into_iter().map(|(name, code)| pif_sandbox::Source { name, code }).collect();
        pif_sandbox::Program {
            code,
            argument,
            context: None,
            bindings: Vec::new(),
            tools,
            step: 0,
            debug: false,
            keep: false,
        }
    }
}
