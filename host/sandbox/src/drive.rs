//! Runs one request to its end: answers the questions of machines and drives continuations, each
//! step on a fresh machine. It blocks its thread or gives way after each turn, and waits while the
//! [`World`] works. The [`Watch`] can stop it.

use std::time::Instant;

use pif_domain::{Excess, Fault, FaultCode, Limit, Part, fault, named};
use serde::de::IgnoredAny;

use super::bindings::{
    Answer, Argument, Binding, Code, Continuation, Limits, Program, Usage, Value,
};
use super::evaluator::Sandbox;
use super::fault::DEFECT;
use super::machine::{Machine, Step};
use super::turn::{finish, give_way};
use super::watch::Watch;
use super::world::World;

/// Fuel between two checks of the watch outside the guest.
const SLICE: u64 = 1_000_000;

/// Fuel between two checks while debugging. It is small, because debug lines appear after each.
const DEBUG_SLICE: u64 = 1_000;

/// What to do where there is no tool.
pub const NO_TOOL: &str = "make it with `evolve` first; `list` shows the tools there are";

/// The number of sources looked up in one turn.
const LOOKUPS: usize = 8;

/// Bytes of all the sources that one machine may look up. A single source may be longer.
const MOST_SOURCES: u64 = Limit::Sources.fixed();

/// A program to evaluate, with its limits.
#[derive(Debug, Clone)]
pub struct Request {
    /// The term, or the name of a tool.
    pub code: Code,
    /// The argument of the term or tool.
    pub argument: Argument,
    /// A JSON object whose members are variables of the term.
    pub context: Option<String>,
    /// Variables of the term. For those without a term the world is asked, if the code names them.
    pub bindings: Vec<Binding>,
    /// Whether to give the value as a term, too.
    pub keep: bool,
    /// The limits of each step.
    pub limits: Limits,
    /// The step of the continuation that led here; 0 for a first run.
    pub step: u64,
    /// The number of continuations to drive before one becomes the result.
    pub max_steps: u64,
    /// The JSON Schema that the value has to conform to. The sandbox ignores it; the receiver of
    /// the outcome checks the value.
    pub output_schema: Option<String>,
    /// Whether to report every evaluation step.
    pub debug: bool,
    /// How many terms are shown with their values. The sandbox reports all that the evaluator tells.
    pub steps: u64,
}

/// The outcome of a request.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The result, or the fault that ended the run.
    pub ending: Result<Completion, Fault>,
    /// The fuel of all steps together, and the highest peaks of any step.
    pub usage: Usage,
    /// The number of continuations driven.
    pub driven: u64,
    /// The tool of the last step, or `None` for a term.
    pub tool: Option<String>,
}

impl Outcome {
    /// The outcome of a run that failed before it began.
    #[must_use]
    pub fn before(fault: Fault) -> Self {
        let usage = Usage { fuel: 0, peak_memory: 0, peak_depth: 0 };
        Self { ending: Err(fault), usage, driven: 0, tool: None }
    }
}

/// A result.
#[derive(Debug, Clone)]
pub enum Completion {
    /// The value of the program.
    Value(Value),
    /// The next call that the program asks for, after `max_steps` continuations were driven.
    Continuation(Continuation),
}

/// Runs `request` to its end.
pub fn drive(sandbox: &Sandbox, request: Request, world: &mut dyn World, watch: &Watch) -> Outcome {
    finish(drive_in_turns(sandbox, request, world, watch))
}

/// Runs `request` to its end and gives way after each turn.
pub async fn drive_in_turns(
    sandbox: &Sandbox,
    request: Request,
    world: &mut dyn World,
    watch: &Watch,
) -> Outcome {
    let Request { code, argument, context, limits, step, max_steps, debug, .. } = request;
    let Request { bindings, keep, steps, .. } = request;
    let debug = debug || steps > 0;
    let tools = Vec::new();
    let program = Program { code, argument, context, bindings, tools, step, debug, keep };
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
    async fn drive(&mut self, mut program: Program, max_steps: u64) -> Result<Completion, Fault> {
        loop {
            self.tool = match &program.code {
                Code::Tool(name) => Some(name.clone()),
                Code::Term(_) => None,
            };
            let next = match self.run(&program).await? {
                Completion::Continuation(next) if self.driven < max_steps => next,
                ending => return Ok(ending),
            };
            self.driven += 1;
            self.world.advance(self.driven);
            // Each step is short, but there may be a million steps.
            give_way().await;
            program = Program {
                code: Code::Tool(next.tool),
                argument: Argument::Input(next.input),
                context: None,
                bindings: Vec::new(),
                tools: Vec::new(),
                step: next.step,
                debug: program.debug,
                keep: program.keep,
            };
        }
    }

    /// Runs one machine from start to end.
    async fn run(&mut self, program: &Program) -> Result<Completion, Fault> {
        let since = Instant::now();
        let started = self.sandbox.start_in_turns(program, self.limits, self.watch).await;
        self.world.passed(Part::Instance, since);
        let mut machine = started?;
        let most = self.world.named_steps();
        if most > 0 {
            machine.tell_named_steps(most).await?;
        }
        let since = Instant::now();
        let mut seen = Usage { fuel: 0, peak_memory: 0, peak_depth: 0 };
        let result = self.converse(&mut machine, program.debug, &mut seen).await;
        // A machine that trapped cannot report its usage, so the last known usage counts.
        self.account(machine.usage_in_turns().await.unwrap_or(seen));
        drop(machine);
        self.world.passed(Part::Run, since);
        result
    }

    /// Resumes the machine with answers until it asks no more questions.
    async fn converse(
        &mut self,
        machine: &mut Machine,
        debug: bool,
        seen: &mut Usage,
    ) -> Result<Completion, Fault> {
        let slice = if debug { DEBUG_SLICE } else { SLICE };
        let mut answer = Answer::None;
        let mut missed = None;
        let mut sources = 0;
        let mut asked = 0_usize;
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
                    return Ok(Completion::Value(value));
                }
                Step::Continuation(continuation) => {
                    ensure_json(&continuation.json)?;
                    return Ok(Completion::Continuation(continuation));
                }
                // The world may deny an effect. The machine then adds the position to the fault.
                Step::Perform(calls) => {
                    self.watch.while_waiting(self.world.perform(&calls)).await??
                }
                Step::Wait(wait) => {
                    let waited = self.watch.while_waiting(self.world.wait(&wait)).await??;
                    waited.map_or(Answer::None, Answer::Waited)
                }
                Step::Enter(name) => self.world.enter(&name)?.map_or(Answer::None, Answer::Passed),
                Step::Leave(left) => {
                    self.world.leave(left)?;
                    Answer::None
                }
                Step::Recall(name) => Answer::Source(self.world.recall(&name).await?),
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
        // A name with a period is that of another server's tool, unless a tool here has it.
        if source.is_none() && !tool.contains('.') {
            *missed = Some(tool);
        }
        Ok(Answer::Source(source))
    }

    fn report(&mut self, machine: &mut Machine) -> Result<(), Fault> {
        for line in machine.debug()? {
            // Writing a line may take a moment.
            self.watch.verdict()?;
            self.world.debug(&line);
        }
        for step in machine.steps()? {
            self.world.stepped(&step);
        }
        Ok(())
    }

    /// Adds a hint to an `unknown-tool` fault: a similar name, else how tools are made. The evaluator
    /// knows neither.
    async fn advise(&mut self, mut fault: Fault, missed: Option<String>) -> Fault {
        if fault.code != FaultCode::UnknownTool {
            return fault;
        }
        if let Some(name) = missed
            && let Some(similar) = self.world.similar(&name).await
        {
            fault.hint = Some(format!("did you mean `{similar}`?"));
        }
        fault.hint.get_or_insert_with(|| named(NO_TOOL).into_owned());
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

/// Adds up the bytes of the sources and fails if they are too many. Sources stay in the machine's
/// memory.
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

/// Checks that a value is JSON, because clients receive it as JSON. An evaluator that returns
/// anything else is stopped with an `internal` fault.
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
