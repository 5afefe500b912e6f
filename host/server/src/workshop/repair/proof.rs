//! Runs the examples of what was repaired.

use std::sync::Arc;

use pif_domain::text::line;
use pif_domain::{Fault, FaultCode, fault};
use pif_sandbox::{Argument, Code, Request, Watch, drive};

use super::case::Wrong;
use super::fixes::with;
use super::report::Proof;
use crate::workshop::example::{Example, from_json};
use crate::workshop::opening::Workshop;
use crate::workshop::property::of_tool;
use crate::workshop::world::{Tools, Witness};

/// The name of a program whose examples have several arguments.
const PROGRAM: &str = "program";

/// The most characters of what is told of an example.
const MOST_TOLD: usize = 500;

impl Workshop {
    /// Runs the examples of tools and tries their properties, and the given ones, which are those of the
    /// code.
    pub(super) fn try_repair(
        &self,
        code: &Code,
        wrong: &Wrong,
        named: &[String],
        tools: &Tools,
        watch: &Watch,
    ) -> Result<Proof, Fault> {
        let (mut proof, watch) = (Proof::default(), watch.again());
        let mut add = |what: String, tried: Result<(), Fault>| match tried {
            Ok(()) => proof.passed += 1,
            Err(fault) if fault.code.is_stop() => proof.is_cut = true,
            Err(fault) => proof.failed.push(format!("{what}: {}", line(&fault.message, MOST_TOLD))),
        };
        for (index, example) in wrong.examples.iter().enumerate() {
            add(format!("given example {index}"), self.try_given(code, example, tools, &watch));
        }
        for name in named {
            let Some(tool) = tools.find(name)? else { continue };
            for (index, example) in from_json(&tool.examples)?.iter().enumerate() {
                let tried = self.try_example(name, example, tools, &watch);
                add(format!("example {index} of `{name}`"), tried);
            }
        }
        let mut hold = |name: &str, properties: &[String], tools: &Tools| {
            for held in self.held(name, properties, tools, &watch)? {
                match held.refutation() {
                    Some(fault) => proof.refuted.push(line(&fault.message, MOST_TOLD)),
                    None => proof.held += 1,
                }
            }
            Ok::<(), Fault>(())
        };
        for name in named {
            let tool = tools.find(name)?;
            hold(name, &tool.as_ref().map_or(Ok(Vec::new()), of_tool)?, tools)?;
        }
        match code {
            Code::Tool(name) => hold(name, &wrong.properties, tools)?,
            Code::Term(code) if !wrong.properties.is_empty() => {
                if let Ok(summary) = self.sandbox.check(code, &watch) {
                    let tools = with(tools, PROGRAM, summary.canonical, summary.hash);
                    hold(PROGRAM, &wrong.properties, &tools)?;
                }
            }
            Code::Term(_) => {}
        }
        Ok(proof)
    }

    fn try_given(
        &self,
        code: &Code,
        example: &Example,
        tools: &Tools,
        watch: &Watch,
    ) -> Result<(), Fault> {
        let code = match code {
            Code::Tool(name) => return self.try_example(name, example, tools, watch),
            Code::Term(code) => code,
        };
        let summary = self.sandbox.check(code, watch).map_err(first)?;
        if example.args.is_some() {
            let tools = with(tools, PROGRAM, summary.canonical, summary.hash);
            return self.try_example(PROGRAM, example, &tools, watch);
        }
        let Some(expected) = &example.output else { return Ok(()) };
        let argument = match (&example.input, &example.data) {
            (Some(input), _) => Argument::Input(input.get().to_owned()),
            (None, Some(data)) => Argument::Data(data.get().to_owned()),
            (None, None) => Argument::None,
        };
        let request: Request = self.request(Code::Term(code.clone()), argument);
        let mut nobody = ();
        let live = self.live(tools.clone(), Arc::new(example.script()), watch);
        let mut witness = Witness::new(live, &mut nobody);
        let ending = drive(&self.sandbox, request, &mut witness, watch).ending;
        self.judge_example(PROGRAM, example, expected.get(), ending, tools, watch)
    }
}

/// The first of the faults of a program.
fn first(faults: Vec<Fault>) -> Fault {
    faults.into_iter().next().unwrap_or_else(|| {
        let message = "a program was refused without a reason".to_owned();
        fault(FaultCode::Internal, message, None)
    })
}
