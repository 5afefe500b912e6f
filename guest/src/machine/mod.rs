//! The machine: one run of one program, stepped by its host.

mod bindings;
mod complete;
mod context;
mod dispatch;
mod drive;
mod each;
mod eval;
mod keep;
mod keyed;
mod locate;
mod merge;
mod named;
mod operate;
#[cfg(test)]
mod rows;
mod shortcuts;
mod steps;
mod structure;
mod tools;
mod trace;

use crate::check::repair;
use crate::code::Image;
use pif_core::fault::{Code, Fault, Limit};
use pif_core::ids::IdMap;
use pif_core::json::number::literal;
use pif_core::json::tape::{Token, TokenId};

use crate::data::values::{self, Meaning, Stop, Value};
use crate::machine::tools::Sources;
use crate::memory::word::Word;
use crate::request::{Answer, Argument, Program, Source, Step, Stepped};
use crate::run::named::Named;
use crate::run::state::State;
use pif_core::limits::{Limits, Usage};
use pif_language::parse::{Reading, read};
use pif_language::term::{NameId, Origin, TermId, Terms};
use pif_notation::{fault_in_notation, note_in_notation, read_code};
use std::rc::Rc;

/// The argument, once parsed.
#[derive(Debug)]
enum Input {
    None,
    /// A function is not applied.
    Unapplied,
    /// The index of a constant, and the fuel of its evaluation as a term.
    Ready(usize, u64),
    Term(TermId),
}

/// The phase of a machine: the term that it evaluates.
#[derive(Debug)]
enum Phase {
    /// Nothing yet.
    Start,
    /// The tool of this number, for a binding.
    Tool(usize),
    Code,
    /// The argument. The function waits on the stack.
    Argument,
    Application,
    Finished,
}

/// One run of one program. It is not `Send`: it stays in the thread that starts it.
#[derive(Debug)]
pub struct Machine {
    image: Image,
    state: State,
    literals: IdMap,
    limits: Limits,
    program: Option<TermId>,
    tool: Option<String>,
    sources: Sources,
    input: Input,
    /// Variables of the code, and the constants that they stand for.
    context: Vec<(NameId, u32)>,
    /// Bindings that the code names, until they are read; the next one is last.
    unread: Vec<(String, Option<String>)>,
    /// The binding whose term the machine has requested.
    recalled: Option<String>,
    /// Bindings that are no literals, until they are made.
    unmade: Vec<(NameId, TermId)>,
    warnings: Vec<String>,
    /// The tool whose source the machine has requested.
    asked: Option<String>,
    /// The first tool of the calls whose outcomes the machine has requested.
    called: Option<String>,
    /// The fault after which a `retry` may try again, and how long the host has waited, if it has.
    failing: Option<(Failure, Option<u64>)>,
    /// Whether the host is told that a step begins.
    is_entering: bool,
    debug: bool,
    phase: Phase,
    /// The submitted code and its variables, if it is short enough to be repaired.
    submitted: Option<(String, Vec<String>)>,
}

type Failure = Box<Fault>;

impl Machine {
    /// Parses a program. It evaluates nothing yet.
    pub fn start(program: Program, limits: Limits) -> Result<Self, Box<Fault>> {
        let mut machine = Self {
            image: Image { sources: program.keep.then(Vec::new), ..Image::new() },
            state: State::new(&limits, program.step),
            literals: IdMap::default(),
            limits,
            program: None,
            tool: None,
            sources: Sources::of(program.tools),
            input: Input::None,
            context: Vec::new(),
            unread: Vec::new(),
            recalled: None,
            unmade: Vec::new(),
            warnings: Vec::new(),
            asked: None,
            called: None,
            failing: None,
            is_entering: false,
            debug: program.debug,
            phase: Phase::Start,
            submitted: None,
        };
        let Program { code, argument, context, bindings, .. } = program;
        let read = machine.read(code, argument, context, &bindings);
        match read.and_then(|()| machine.note_bindings(bindings)) {
            Ok(()) => {
                machine.state.heap.keep_fresh();
                Ok(machine)
            }
            Err(fault) => Err(machine.warned(*fault)),
        }
    }

    /// Parses the whole program.
    fn read(
        &mut self,
        code: Source,
        argument: Argument,
        context: Option<String>,
        bindings: &[(String, Option<String>)],
    ) -> Result<(), Failure> {
        let text = match code {
            Source::Term(text) => Some(text),
            Source::Tool(_) if context.is_some() => {
                let message = "`context` binds variables of `code`, not of a tool";
                let hint = "pass the values as `data`";
                return Err(Box::new(
                    Fault::new(Code::Malformed, message).at("/context").hint(hint),
                ));
            }
            Source::Tool(name) => {
                self.tool = Some(name);
                None
            }
        };
        let given = match &argument {
            Argument::None | Argument::Unapplied => None,
            Argument::Input(_) => Some("input"),
            Argument::Data(_) => Some("data"),
        };
        let context = context.map(|text| self.read_context(&text)).transpose();
        if let Some(text) = text {
            let members = context.iter().flatten().flatten().map(|(name, _)| name);
            let bound = bindings.iter().map(|(name, _)| name);
            let names = members.chain(bound).map(String::as_str).chain(given);
            let names: Vec<&str> = names.collect();
            if text.len() <= repair::LONGEST {
                let names = names.iter().map(|name| (*name).to_owned()).collect();
                self.submitted = Some((text.clone(), names));
            }
            self.program = Some(self.submitted(&text, &names)?);
        }
        self.input = self.argument(argument)?;
        if let Some(name) = given {
            self.bind_argument(name);
        }
        // A fault of the code comes first.
        if let Some(members) = context? {
            self.bind_context(members);
        }
        Ok(())
    }

    /// Parses the submitted code.
    fn submitted(&mut self, text: &str, free: &[&str]) -> Result<TermId, Failure> {
        let parsed = read_code(self.terms(), text, Origin::Code, free)?;
        self.warnings.extend(parsed.notes.into_iter().map(|it| note_in_notation(it).to_string()));
        Ok(parsed.root)
    }

    /// Adds all warnings of the run to a fault.
    fn warned(&mut self, fault: Fault) -> Failure {
        let warnings = self.all_warnings();
        Box::new(Fault { warnings, ..self.repaired(fault_in_notation(fault)) })
    }

    /// Adds the repair of the submitted code to a fault, if that is sure.
    fn repaired(&self, fault: Fault) -> Fault {
        let Some((code, names)) = self.submitted.as_ref().filter(|_| repair::may_repair(&fault))
        else {
            return fault;
        };
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        match repair::repair(code, &names, Some(&fault)) {
            Some(repaired) => repaired.fault(fault),
            None => fault,
        }
    }

    /// Returns the terms. Nothing else refers to them between two steps.
    fn terms(&mut self) -> &mut Terms {
        Rc::make_mut(&mut self.state.terms)
    }

    /// Parses the source of a tool.
    fn tool_source(&mut self, name: &str, text: &str) -> Result<TermId, Failure> {
        Ok(read_code(self.terms(), text, Origin::Tool(name.to_owned()), &[])?.root)
    }

    fn plain_json(&mut self, text: &str, member: &'static str) -> Result<TokenId, Failure> {
        let terms = self.terms();
        let root = terms.tape.parse(text).map_err(|fault| fault.within(&format!("/{member}")))?;
        terms.add_origin(root, Origin::Argument(member));
        Ok(root)
    }

    fn argument(&mut self, argument: Argument) -> Result<Input, Failure> {
        match argument {
            Argument::None => Ok(Input::None),
            Argument::Unapplied => Ok(Input::Unapplied),
            Argument::Data(text) => {
                let value = self.value_of(&text, "data")?;
                Ok(self.ready(value, 0))
            }
            Argument::Input(text) => {
                let value = values::read(&mut self.state.heap, &text, Meaning::Either, u64::MAX);
                if let Ok(value) = value
                    && value.wrong.is_none()
                    && value.depth < self.limits.depth as usize
                {
                    return Ok(self.ready(value.word, value.nodes));
                }
                let root = self.plain_json(&text, "input")?;
                let parsed = read(self.terms(), root, Reading::Input)?;
                self.warnings.extend(parsed.notes.iter().map(ToString::to_string));
                Ok(Input::Term(parsed.root))
            }
        }
    }

    /// Keeps a value as a constant, where the collector finds it, until the argument is needed.
    fn ready(&mut self, value: Word, nodes: u64) -> Input {
        self.state.constants.push(value);
        Input::Ready(self.state.constants.len() - 1, nodes)
    }

    /// Makes the value of plain JSON, which is a member of the request.
    fn value_of(&mut self, text: &str, member: &'static str) -> Result<Word, Failure> {
        match values::read(&mut self.state.heap, text, Meaning::Data, u64::MAX) {
            Ok(Value { word, wrong: None, .. }) => return Ok(word),
            Err(Stop::Full) => {
                let message = "the data does not fit into the memory limit of this run";
                let fault = Fault::new(Code::TooLarge, message).by(Limit::Memory);
                return Err(Box::new(fault.hint("give `memory`")));
            }
            Ok(_) | Err(Stop::Syntax(_) | Stop::Twice | Stop::Spent(_) | Stop::Unfit) => {}
        }
        // The tape tells where the fault is.
        let root = self.plain_json(text, member)?;
        let terms = &self.state.terms;
        let wrong = (root..terms.tape.len()).find_map(|token| match terms.tape.token(token) {
            Token::Number(span) => Some((token, literal(terms.tape.str(span)).err()?)),
            _ => None,
        });
        let defect = || (root, Fault::defect("the data was refused without a reason"));
        let (token, fault) = wrong.unwrap_or_else(defect);
        Err(Box::new(terms.locate(token, fault)))
    }

    /// Runs to the end without a host: other tools than those of the program do not exist, and all
    /// calls of other servers are denied.
    pub fn run_alone(&mut self) -> Step {
        let mut answer = Answer::None;
        loop {
            match self.resume(answer, u64::MAX) {
                Step::Lookup(_) | Step::Recall(_) => answer = Answer::Source(None),
                Step::Paused
                | Step::Perform(_)
                | Step::Wait(_)
                | Step::Enter(_)
                | Step::Leave(_) => {
                    answer = Answer::None;
                }
                step => return step,
            }
        }
    }

    /// Returns the run's usage so far.
    #[must_use]
    pub fn usage(&self) -> Usage {
        Usage {
            fuel: self.state.meter.spent(),
            peak_memory: 8 * self.state.heap.peak as u64,
            peak_depth: self.state.meter.peak_depth(),
        }
    }

    /// Returns the bytes of memory that the run needs now: its reachable values, its stack and its
    /// pending calls. This walks all values; a run never calls it.
    #[must_use]
    pub fn needed_memory(&self) -> u64 {
        8 * self.state.needed() as u64
    }

    /// Takes the steps of a debug run that came to their values since the last call.
    pub fn take_steps(&mut self) -> Vec<Stepped> {
        self.state.steps.take()
    }

    /// Has the host told of the steps of the program, of so many at most. It is to be said before the
    /// machine runs.
    pub fn tell_named_steps(&mut self, most: u32) {
        self.state.named = Some(Box::new(Named::new(most)));
    }

    /// Takes the debug lines written since the last call.
    pub fn take_debug(&mut self) -> Vec<String> {
        std::mem::take(&mut self.state.debug)
    }
}

impl Machine {
    /// Returns all warnings: the parser's, then those of the run.
    pub(crate) fn all_warnings(&mut self) -> Vec<String> {
        self.state.warn_of_trials();
        self.warnings.iter().cloned().chain(self.state.notes.lines()).collect()
    }
}
