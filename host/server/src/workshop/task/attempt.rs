//! How a server checks and runs the programs of a task, and which tools it tells a model of.

use std::time::{Duration, Instant};

use pif_domain::text::{line, visible};
use pif_domain::{Access, CallSummary, EffectClass, Fault, FaultCode, Offer, Pin, Reason, Stage};
use pif_sandbox::{Argument, Code, Request, Watch};
use serde_json::Value;

use super::assignment::Assignment;
use super::solve::{Ran, Screening};
use crate::workshop::analyze::ANALYZE;
use crate::workshop::observer::Observer;
use crate::workshop::opening::Workshop;
use crate::workshop::record;
use crate::workshop::refusal::too_large;
use crate::workshop::run::Start;

/// The most continuations that a program may drive.
const MOST_STEPS: u64 = 1_000_000;

/// Tools of the workshop that a model is told of.
const MOST_TOOLS: usize = 12;

/// Tools of other servers that a model is told of.
const MOST_OFFERS: usize = 24;

/// Characters of the line of a tool.
const MOST_LINE: usize = 400;

/// Characters of a description in it.
const MOST_DESCRIPTION: usize = 160;

/// The moment at which a task that begins now is over.
#[must_use]
pub fn until(asked: &Assignment) -> Instant {
    Instant::now() + Duration::from_millis(asked.most_millis)
}

impl Workshop {
    /// The workshop of the programs of a task: its snapshot, and other servers behind a fence.
    pub fn of_task(&self, asked: &Assignment) -> Result<Self, Fault> {
        let workshop = match asked.snapshot {
            Some(snapshot) => self.within(snapshot)?,
            None => self.clone(),
        };
        Ok(if asked.allow_writes { workshop } else { workshop.reading() })
    }

    /// Fills in the tools that a program can use, those first that the words of the task find.
    pub fn furnish(
        &self,
        asked: &mut Assignment,
        offers: &[Offer],
        watch: &Watch,
    ) -> Result<(), Fault> {
        for (tool, _) in self.find_tools(&asked.task)?.into_iter().take(MOST_TOOLS) {
            watch.verdict()?;
            let shape = self.type_of_tool(&tool, watch).map(|it| it.of_tool.clone());
            let about = format!("@{}: {}", tool.name, shape.unwrap_or_else(|| "any".to_owned()));
            asked.tools.push(described(&about, &tool.description));
        }
        let is_callable = |offer: &&Offer| {
            let may = offer.access() != Access::Denied;
            let writes = offer.class != EffectClass::Read;
            may && offer.pin == Pin::Approved && (asked.allow_writes || !writes)
        };
        let callable: Vec<Offer> = offers.iter().filter(is_callable).cloned().collect();
        let found = self.find_offers(&callable, &asked.task)?;
        let others = callable.iter().filter(|it| !found.iter().any(|told| told.name == it.name));
        let told: Vec<&Offer> = found.iter().copied().chain(others).take(MOST_OFFERS).collect();
        let lines = told.iter().map(|it| described(&it.signature, &it.description));
        asked.upstream.extend(lines);
        Ok(())
    }

    /// Checks a program of a task, with sure repairs. The outer fault is no program's.
    pub fn check_program(
        &self,
        asked: &Assignment,
        program: &str,
        watch: &Watch,
    ) -> Result<Screening, Fault> {
        if program.len() > self.most_code {
            let limit = pif_domain::Limit::Code;
            let fault = too_large(limit, "code", program.len(), self.most_code);
            return Ok(Screening::Wrong(record::fault(&fault)["fault"].take()));
        }
        let program = match self.check(program, &watch.again()) {
            Ok(summary) => {
                let fixed = summary.notes.iter().find_map(|note| note.fix.as_ref());
                fixed.map_or_else(|| program.to_owned(), |fix| fix.fixed.clone())
            }
            Err(faults) => {
                let fixed = faults.iter().find_map(|fault| Some(fault.fix.as_ref()?.fixed.clone()));
                match fixed {
                    Some(fixed) => fixed,
                    None => return wrong(&faults),
                }
            }
        };
        if let Err(faults) = self.check(&program, &watch.again()) {
            return wrong(&faults);
        }
        let request = self.request_of(asked, &program, asked.data.as_deref());
        let foreseen = self.forewarn(&request, &[], &self.tools()?, &watch.again())?;
        if foreseen.is_empty() { Ok(Screening::Fit(program)) } else { wrong(&foreseen) }
    }

    /// Runs a program of a task and journals the run. The outer fault is no program's.
    pub async fn run_program(
        &self,
        asked: &Assignment,
        (program, data): (&str, Option<&str>),
        observer: &mut (dyn Observer + Send),
        watch: &Watch,
    ) -> Result<Ran, Fault> {
        let request = self.request_of(asked, program, data);
        let start = Start { unkept: true, ..Start::default() };
        let finished = self.go_on(&request, self.tools()?, start, observer, watch).await;
        if let Err(fault) = &finished.outcome.ending
            && fault.code.is_worldly()
            && fault.code != FaultCode::Timeout
        {
            return Err(fault.clone());
        }
        let wrote = finished.made.iter().find(|it| self.is_risky(it)).map(|it| it.tool.clone());
        Ok(Ran {
            entry: finished.entry.unwrap_or_default(),
            outcome: record::outcome(&finished.outcome),
            made: finished.made,
            wrote,
        })
    }

    /// Whether a call may have changed something that a repetition would change again.
    fn is_risky(&self, made: &CallSummary) -> bool {
        let stage = Reason::find(&made.outcome).map(Reason::stage);
        let was_done = !matches!(stage, Some(Stage::NotSent | Stage::Refused));
        was_done && made.tool != ANALYZE && !self.effects.is_repeatable(&made.tool)
    }

    fn request_of(&self, asked: &Assignment, program: &str, data: Option<&str>) -> Request {
        Request {
            code: Code::Term(program.to_owned()),
            argument: data.map_or(Argument::None, |it| Argument::Data(it.to_owned())),
            context: asked.context.clone(),
            bindings: Vec::new(),
            keep: false,
            limits: self.limits,
            step: 0,
            max_steps: MOST_STEPS,
            output_schema: asked.output_schema.clone(),
            debug: false,
            steps: 0,
        }
    }
}

/// The first fault of a check, as the journal has it. What stops a check from outside stops the task.
fn wrong(faults: &[Fault]) -> Result<Screening, Fault> {
    let Some(first) = faults.first() else { return Ok(Screening::Wrong(Value::Null)) };
    if first.code.is_worldly() {
        return Err(first.clone());
    }
    Ok(Screening::Wrong(record::fault(first)["fault"].take()))
}

/// A tool on one line.
fn described(about: &str, description: &str) -> String {
    let description = description.split_whitespace().collect::<Vec<_>>().join(" ");
    let description = line(&description, MOST_DESCRIPTION);
    let about = line(&visible(about), MOST_LINE);
    if description.is_empty() { about } else { format!("{about} — {description}") }
}
