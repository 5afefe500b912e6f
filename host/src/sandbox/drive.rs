//! Runs one request to its end: answers what machines ask for, and drives continuations, each
//! step on a fresh machine. It blocks its thread, or gives way in turns, and waits where the
//! [`World`] does; the [`Watch`] is the way to stop it.

use serde::de::IgnoredAny;

use super::bindings::{Answer, Argument, Code, Continuation, Limits, Program, Usage, Value};
use super::fault::DEFECT;
use super::turn::{finish, give_way};
use super::{Machine, Sandbox, Step, Watch, World};
use crate::domain::{Excess, Fault, FaultCode, Limit, fault};

/// Fuel between two looks at the watch from outside the guest.
const SLICE: u64 = 1_000_000;

/// The same while debugging, so that lines appear while the program runs.
const DEBUG_SLICE: u64 = 1_000;

/// Sources that are looked up in one turn.
const LOOKUPS: usize = 8;

/// Bytes of the sources that one machine may look up, unless it is only one.
const MOST_SOURCES: u64 = Limit::Sources.fixed();

/// What to evaluate, and how.
#[derive(Debug, Clone)]
pub struct Request {
    /// The term, or the name of a tool.
    pub code: Code,
    /// What its function is applied to.
    pub argument: Argument,
    /// A JSON object whose members are variables of the term.
    pub context: Option<String>,
    /// The limits of each step.
    pub limits: Limits,
    /// The step of the continuation that led here; 0 for a first run.
    pub step: u64,
    /// How many continuations to drive before one is the result.
    pub max_steps: u64,
    /// The JSON Schema that the value has to conform to. Nothing here looks at it: whoever has the
    /// outcome does.
    pub output_schema: Option<String>,
    /// Whether to report every evaluation step.
    pub debug: bool,
}

/// How a request ended.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The result, or what went wrong.
    pub ending: Result<Ending, Fault>,
    /// Fuel of all steps together; peaks of the step that reached highest.
    pub usage: Usage,
    /// The number of continuations driven.
    pub driven: u64,
    /// The tool that was run, at the last step; None: a term.
    pub tool: Option<String>,
}

impl Outcome {
    /// Of a run that ended before it began.
    #[must_use]
    pub fn before(fault: Fault) -> Self {
        let usage = Usage { fuel: 0, peak_memory: 0, peak_depth: 0 };
        Self { ending: Err(fault), usage, driven: 0, tool: None }
    }
}

/// A result.
#[derive(Debug, Clone)]
pub enum Ending {
    /// The program came to a value.
    Value(Value),
    /// The program wants to be called again, and nobody asked for it to be driven further.
    Continuation(Continuation),
}

/// Runs `request` to its end.
pub fn drive(sandbox: &Sandbox, request: Request, world: &mut dyn World, watch: &Watch) -> Outcome {
    finish(drive_in_turns(sandbox, request, world, watch))
}

/// The same, giving way after each turn.
pub async fn drive_in_turns(
    sandbox: &Sandbox,
    request: Request,
    world: &mut dyn World,
    watch: &Watch,
) -> Outcome {
    let Request { code, argument, context, limits, step, max_steps, debug, .. } = request;
    let program = Program { code, argument, context, tools: Vec::new(), step, debug };
    let mut run = Run {
        sandbox,
        world,
        watch,
        limits,
        usage: Usage { fuel: 0, peak_memory: 0, peak_depth: 0 },
        driven: 0,
        tool: None,
    };
    let ending = run.drive(program, max_steps).await;
    Outcome { ending, usage: run.usage, driven: run.driven, tool: run.tool }
}

struct Run<'a> {
    sandbox: &'a Sandbox,
    world: &'a mut dyn World,
    watch: &'a Watch,
    limits: Limits,
    usage: Usage,
    driven: u64,
    tool: Option<String>,
}

impl Run<'_> {
    async fn drive(&mut self, mut program: Program, max_steps: u64) -> Result<Ending, Fault> {
        loop {
            self.tool = match &program.code {
                Code::Tool(name) => Some(name.clone()),
                Code::Term(_) => None,
            };
            let next = match self.run(&program).await? {
                Ending::Continuation(next) if self.driven < max_steps => next,
                ending => return Ok(ending),
            };
            self.driven += 1;
            self.world.advance(self.driven);
            // Each step is short; there may be a million.
            give_way().await;
            program = Program {
                code: Code::Tool(next.tool),
                argument: Argument::Input(next.input),
                context: None,
                tools: Vec::new(),
                step: next.step,
                debug: program.debug,
            };
        }
    }

    /// One machine from start to end.
    async fn run(&mut self, program: &Program) -> Result<Ending, Fault> {
        let mut machine = self.sandbox.start_in_turns(program, self.limits, self.watch).await?;
        let mut seen = Usage { fuel: 0, peak_memory: 0, peak_depth: 0 };
        let result = self.converse(&mut machine, program.debug, &mut seen).await;
        // A machine that trapped cannot say what it used: then what was last seen must do.
        self.account(machine.usage_in_turns().await.unwrap_or(seen));
        machine.end(&self.sandbox.spare);
        result
    }

    /// Resumes the machine with answers to its questions until it asks no more.
    async fn converse(
        &mut self,
        machine: &mut Machine,
        debug: bool,
        seen: &mut Usage,
    ) -> Result<Ending, Fault> {
        let slice = if debug { DEBUG_SLICE } else { SLICE };
        let mut answer = Answer::None;
        let (mut missed, mut sources, mut asked) = (None, 0, 0_usize);
        loop {
            let step = machine.resume_in_turns(&answer, slice).await;
            if debug && !machine.is_lost() {
                self.report(machine)?;
            }
            let step = match step {
                Ok(step) => step,
                Err(fault) => return Err(self.advise(fault, missed.take()).await),
            };
            answer = match step {
                Step::Done(value) => {
                    ensure_json(&value.json)?;
                    return Ok(Ending::Value(value));
                }
                Step::Continuation(continuation) => {
                    ensure_json(&continuation.json)?;
                    return Ok(Ending::Continuation(continuation));
                }
                // Where it is denied, the machine knows where the effect stands.
                Step::Perform(effect) => {
                    self.watch.while_waiting(self.world.perform(&effect)).await??
                }
                Step::Lookup(tool) => {
                    asked += 1;
                    if asked.is_multiple_of(LOOKUPS) {
                        give_way().await;
                    }
                    let found = self.look_up(tool, &mut missed, debug).await?;
                    count_source(&found, &mut sources)?;
                    found
                }
                Step::Paused => {
                    *seen = machine.usage_in_turns().await?;
                    Answer::None
                }
            };
        }
    }

    async fn look_up(
        &mut self,
        tool: String,
        missed: &mut Option<String>,
        debug: bool,
    ) -> Result<Answer, Fault> {
        let source = self.world.source(&tool).await?;
        if debug {
            let found = source.as_deref().unwrap_or("there is none");
            self.world.debug(&format!("look up tool `{tool}`: {found}"));
        }
        if source.is_none() {
            *missed = Some(tool);
        }
        Ok(Answer::Source(source))
    }

    fn report(&mut self, machine: &mut Machine) -> Result<(), Fault> {
        for line in machine.debug()? {
            // To write one may take a moment.
            self.watch.verdict()?;
            self.world.debug(&line);
        }
        Ok(())
    }

    /// The guest does not know the names of tools, so it cannot say which one was meant.
    async fn advise(&mut self, mut fault: Fault, missed: Option<String>) -> Fault {
        if fault.code == FaultCode::UnknownTool
            && let Some(name) = missed
            && let Some(similar) = self.world.similar(&name).await
        {
            fault.hint = Some(format!("did you mean `{similar}`?"));
        }
        fault
    }

    fn account(&mut self, usage: Usage) {
        self.usage = Usage {
            fuel: self.usage.fuel.saturating_add(usage.fuel),
            peak_memory: self.usage.peak_memory.max(usage.peak_memory),
            peak_depth: self.usage.peak_depth.max(usage.peak_depth),
        };
    }
}

/// What a machine reads stays in its memory: it may not read without end.
fn count_source(found: &Answer, sources: &mut usize) -> Result<(), Fault> {
    let Answer::Source(Some(source)) = found else { return Ok(()) };
    let before = std::mem::replace(sources, sources.saturating_add(source.len()));
    let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    if before == 0 || count(*sources) <= MOST_SOURCES {
        return Ok(());
    }
    let met = Excess { name: Limit::Sources, used: count(*sources), limit: MOST_SOURCES };
    let message = "the sources of the tools that this run uses are too long".to_owned();
    Err(fault(FaultCode::TooLarge, message, Some("use fewer or shorter tools in one run"))
        .by(Some(met)))
}

/// A value is told to clients as JSON: an evaluator that gives anything else is stopped here.
fn ensure_json(text: &str) -> Result<(), Fault> {
    match serde_json::from_str::<IgnoredAny>(text) {
        Ok(_) => Ok(()),
        Err(error) => {
            tracing::error!(%error, "the evaluator gave a value that is no JSON");
            let message = format!("the evaluator gave a value that is no JSON: {error}");
            Err(fault(FaultCode::Internal, message, Some(DEFECT)))
        }
    }
}
