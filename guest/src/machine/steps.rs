//! The steps of a machine between the answers of its host.

use crate::check::doubt;
use crate::code::{APPLY, HALT};
use crate::compile::{Compiler, Failed, Store, Unit};
use crate::data::show;
use crate::data::show::Unwritten;
use crate::machine::drive::run;
use crate::machine::{Failure, Input, Machine, Phase, locate, named, trace};
use crate::memory::heap::{Frame, NO_CLOSURE};
use crate::memory::types::kind_of;
use crate::run::catch::Caught;
use crate::run::meter::Stop;
use crate::run::state::{Exit, Tool};
use pif_core::fault::{Code, Fault, Limit};
use pif_core::json::escape;
use pif_core::limits::to_u32;
use pif_language::kinds;
use pif_language::prices::CAUGHT;

use crate::algorithm::trouble::FULL;
use crate::algorithm::weight;
use crate::memory::word::{HOLE, KIND_CONTINUATION, UNIT, Word, aux, index, is_function};
use crate::request::{Answer, Continuation, Done, Refusal, Step};
use pif_language::term::Terms;
use std::rc::Rc;

impl Machine {
    /// Continues until the program ends, requests something, or has spent `slice` more fuel.
    pub fn resume(&mut self, answer: Answer, slice: u64) -> Step {
        self.state.meter.begin_slice(slice);
        self.answer(answer);
        match self.go_on() {
            Ok(step) => step,
            Err(fault) => {
                self.phase = Phase::Finished;
                Step::Failed(self.warned(*fault))
            }
        }
    }

    fn answer(&mut self, answer: Answer) {
        if self.is_entering {
            self.is_entering = false;
            let passage = if let Answer::Passed(passage) = answer { Some(*passage) } else { None };
            if let Some(named) = &mut self.state.named {
                named.said = Some(passage);
            }
        } else if let Some(tool) = self.called.take() {
            self.state.answer = Some(match answer {
                Answer::Outcomes(outcomes) => Ok(outcomes),
                Answer::Refused(refusal) => Err(Box::new(refusal)),
                Answer::None | Answer::Source(_) | Answer::Waited(_) | Answer::Passed(_) => {
                    Err(Box::new(Refusal::denied(&tool)))
                }
            });
        } else if let Some((_, waited)) = &mut self.failing {
            *waited = if let Answer::Waited(millis) = answer { Some(millis) } else { None };
        } else if let Answer::Source(source) = answer {
            if let Some(name) = self.asked.take() {
                self.learn(&name, source.as_deref());
            } else if let (Some(name), Some(term)) = (self.recalled.take(), source) {
                self.unread.push((name, Some(term)));
            }
        }
    }

    /// Notes a tool's source, or that there is no such tool.
    fn learn(&mut self, name: &str, source: Option<&str>) {
        let found = source.map(|text| {
            let source = self.tool_source(name, text);
            self.add_tool(Tool { name: name.to_owned(), source, entry: None })
        });
        self.state.note_tool(name, found);
    }

    fn add_tool(&mut self, tool: Tool) -> usize {
        self.state.tools.push(tool);
        self.state.tool_values.push(HOLE);
        self.state.tools.len() - 1
    }

    /// Learns a tool from the program's sources. Asks the host if it is not there.
    pub(super) fn look_up(&mut self, name: String) -> Option<Step> {
        if let Some(source) = self.sources.of_tool(&name).map(str::to_owned) {
            self.learn(&name, Some(&source));
            return None;
        }
        self.asked = Some(name.clone());
        Some(Step::Lookup(name))
    }

    fn go_on(&mut self) -> Result<Step, Failure> {
        loop {
            if matches!(self.phase, Phase::Start) {
                self.phase = Phase::Code;
                if let Some(step) = self.begin()? {
                    self.phase = Phase::Start;
                    return Ok(step);
                }
            }
            let value = match self.evaluate()? {
                Ok(value) => value,
                Err(step) => return Ok(step),
            };
            match self.phase {
                Phase::Tool(tool) => {
                    self.state.tool_values.get_mut(tool).into_iter().for_each(|at| *at = value);
                    self.phase = Phase::Start;
                }
                Phase::Code => {
                    // The running code is the first tool met.
                    if let Some(slot) = self.state.tool_values.first_mut() {
                        *slot = value;
                    }
                    if !is_function(value) || matches!(self.input, Input::Unapplied) {
                        return self.finish(value);
                    }
                    self.state.set(0, value);
                    self.begin_argument()?;
                }
                Phase::Argument => self.begin_application(value),
                _ => return self.finish(value),
            }
        }
    }

    /// Sets the registers for a unit whose value goes to the slot `base`.
    pub(super) fn enter(&mut self, entry: u32, base: usize) {
        let state = &mut self.state;
        state.top = 0;
        let halt = Frame { pc: HALT, base: to_u32(base), closure: NO_CLOSURE, depth: 0 };
        // The first frame always has room.
        let _ = state.push_frame(halt);
        (state.pc, state.base, state.depth) = (entry as usize, base, 0);
        state.closure = NO_CLOSURE;
    }

    fn begin(&mut self) -> Result<Option<Step>, Failure> {
        let root = match (self.program, self.tool.clone()) {
            (Some(root), _) => {
                if self.state.tools.is_empty() {
                    self.add_tool(Tool { name: String::new(), source: Ok(root), entry: None });
                }
                let step = self.make_bindings()?;
                if step.is_some() || matches!(self.phase, Phase::Tool(_)) {
                    return Ok(step);
                }
                root
            }
            (None, Some(name)) => {
                if self.state.known_tool(&name).is_none()
                    && let Some(step) = self.look_up(name.clone())
                {
                    return Ok(Some(step));
                }
                match self.state.tools.first().map(|tool| tool.source.clone()) {
                    Some(source) => source?,
                    None => return Err(Box::new(locate::no_tool(&name))),
                }
            }
            (None, None) => return Ok(None),
        };
        let unit = Unit { root, scope: None, tool: 1, site: None };
        let entry = self.compile(unit)?;
        if let Some(tool) = self.state.tools.first_mut() {
            tool.entry = Some(entry);
        }
        self.enter(entry, 0);
        Ok(None)
    }

    /// Evaluates the argument. The function waits in the first slot.
    fn begin_argument(&mut self) -> Result<(), Failure> {
        match self.input {
            Input::None | Input::Unapplied => self.begin_application(UNIT),
            Input::Ready(constant, nodes) => {
                if self.state.meter.spend(nodes).is_err() {
                    let fault = locate::stop(&self.image, &mut self.state, Stop::OutOfFuel);
                    return Err(without_term("/input", None, fault).into());
                }
                let constant = self.state.constants.get_mut(constant);
                let value = constant.map_or(UNIT, |slot| std::mem::replace(slot, UNIT));
                self.begin_application(value);
            }
            Input::Term(root) => {
                let tool = u32::from(self.tool.is_some());
                let entry = self.compile(Unit { root, scope: None, tool, site: None })?;
                self.enter(entry, 1);
                self.phase = Phase::Argument;
            }
        }
        Ok(())
    }

    fn begin_application(&mut self, argument: Word) {
        self.state.set(1, argument);
        self.enter(APPLY, 0);
        self.phase = Phase::Application;
    }

    /// Runs until there is a value, or a step for the host.
    fn evaluate(&mut self) -> Result<Result<Word, Step>, Failure> {
        if let Some((fault, waited)) = self.failing.take()
            && let Some(step) = self.try_again(fault, waited)?
        {
            return Ok(Err(step));
        }
        loop {
            if let Some(left) = self.state.named.as_mut().and_then(|it| it.take_failed()) {
                return Ok(Err(Step::Leave(left)));
            }
            match run(&self.image, &mut self.state) {
                Exit::Value(value) => return Ok(Ok(value)),
                Exit::Stop(Stop::Pause) => return Ok(Err(Step::Paused)),
                Exit::Stop(stop) => {
                    return Err(Box::new(locate::stop(&self.image, &mut self.state, stop)));
                }
                Exit::Trouble(trouble) => {
                    let fault = locate::trouble(&self.image, &mut self.state, trouble);
                    if let Some(step) = self.catch(Box::new(fault))? {
                        return Ok(Err(step));
                    }
                }
                Exit::Lookup(name) => {
                    if let Some(step) = self.look_up(name) {
                        return Ok(Err(step));
                    }
                }
                Exit::CompileTool(tool) => {
                    let source = self.state.tools.get(tool).map(|tool| tool.source.clone());
                    let Some(Ok(root)) = source else { continue };
                    self.state.relieve_for(root);
                    let unit = Unit { root, scope: None, tool: to_u32(tool + 1), site: None };
                    let entry = self.compile(unit)?;
                    if let Some(tool) = self.state.tools.get_mut(tool) {
                        tool.entry = Some(entry);
                    }
                }
                Exit::CompileTerm(root, scope, tool) => {
                    let plain = (tool == 0).then(|| self.image.scopes.get(scope as usize));
                    let site = plain.flatten().map(|scope| scope.site);
                    let unit = Unit { root, scope: Some(scope), tool, site };
                    self.state.relieve_for(root);
                    let mark = self.image.mark();
                    let id = self.compile_code(unit)?;
                    let weight = weight::of_term(&self.state.terms, root, u64::MAX);
                    self.state.evaluated.insert((root, scope, tool), (id, weight));
                    if self.state.first_built.is_some_and(|first| first <= root) {
                        // An entry of the table above, and constants.
                        let built = self.image.bytes_since(mark) + 100;
                        if let Err(full) = self.state.account_built(built) {
                            let (image, state) = (&self.image, &mut self.state);
                            return Err(Box::new(locate::trouble(image, state, full.into())));
                        }
                    }
                }
                Exit::Enter(name) => {
                    self.is_entering = true;
                    return Ok(Err(Step::Enter(name)));
                }
                Exit::Leave(value, spent) => {
                    let value = self.data(value);
                    let left = self.state.left_step(value, spent)?;
                    return Ok(Err(Step::Leave(left)));
                }
                Exit::Perform(calls) => {
                    self.called = calls.calls.first().map(|call| call.tool.clone());
                    self.state.calls = self.state.calls.saturating_add(to_u32(calls.calls.len()));
                    return Ok(Err(Step::Perform(*calls)));
                }
            }
        }
    }

    /// The canonical term of a value that is data.
    fn data(&mut self, value: Word) -> Option<String> {
        let text = self.term(value).ok()?;
        named::is_data(&text, self.limits).then_some(text)
    }

    /// Goes on after a fault that is caught. Gives the step of a `retry` that may try again.
    fn catch(&mut self, fault: Failure) -> Result<Option<Step>, Failure> {
        match self.state.catch(&fault).map_err(|_| Box::new(full()))? {
            Caught::Not => Err(fault),
            Caught::Handled => self.pay_for_fault().map(|()| None),
            Caught::Waits(wait) => {
                self.failing = Some((fault, None));
                Ok(Some(Step::Wait(wait)))
            }
        }
    }

    /// Tries again if the host has waited; else the fault goes on.
    fn try_again(&mut self, fault: Failure, waited: Option<u64>) -> Result<Option<Step>, Failure> {
        let Some(millis) = waited else {
            self.state.give_up();
            return self.catch(fault);
        };
        match self.state.try_again(millis) {
            Ok(()) => self.pay_for_fault().map(|()| None),
            Err(Exit::Trouble(trouble)) => {
                Err(Box::new(locate::trouble(&self.image, &mut self.state, trouble)))
            }
            Err(_) => Err(Fault::defect("a `retry` does not go on").into()),
        }
    }

    fn pay_for_fault(&mut self) -> Result<(), Failure> {
        let paid = self.state.meter.spend(CAUGHT);
        paid.map_err(|stop| Box::new(locate::stop(&self.image, &mut self.state, stop)))
    }

    pub(super) fn compile(&mut self, unit: Unit) -> Result<u32, Failure> {
        let id = self.compile_code(unit)?;
        let code = self.image.codes.get(id as usize);
        Ok(code.ok_or_else(|| Fault::defect("a term has no code"))?.entry)
    }

    fn compile_code(&mut self, unit: Unit) -> Result<u32, Failure> {
        let terms = Rc::clone(&self.state.terms);
        let context = if unit.scope.is_none() && self.program == Some(unit.root) {
            self.context.as_slice()
        } else {
            &[]
        };
        let (heap, constants) = (&mut self.state.heap, &mut self.state.constants);
        let store = Store { heap, constants, literals: &mut self.literals };
        let compiler = Compiler::new(&terms, &mut self.image, store, self.debug);
        compiler.unit(unit, context).map_err(|failed| Self::refused(&terms, unit, failed))
    }

    /// Returns the fault of a term that cannot be compiled.
    pub(super) fn refused(terms: &Terms, unit: Unit, failed: Failed) -> Failure {
        let too_large = |message: &str| Fault::new(Code::TooLarge, message);
        let (fault, term) = match failed {
            Failed::Full => {
                let message = "the constants of the term do not fit into the memory limit";
                (too_large(message).by(Limit::Memory), None)
            }
            Failed::Entangled => {
                (too_large("too many functions of the term share too many variables"), None)
            }
            Failed::Defect => (Fault::defect("a term has no rule"), None),
            Failed::Parameters(t) => {
                let message = "a function takes at most 64 parameters or arguments at once";
                (too_large(message), Some(t))
            }
            Failed::NotAValue(t) => {
                let message = "a binding is the term of a value, and this would have to be run";
                let fault = Fault::new(Code::Malformed, message);
                (fault.hint("run the term, and bind the `term` of its value"), Some(t))
            }
        };
        let term = unit.site.or(term).unwrap_or(unit.root);
        Box::new(terms.locate(terms.node(term).token, fault))
    }

    /// The JSON of the result, and the first function in it.
    fn json(&self, value: Word) -> Result<(String, Option<Word>), Failure> {
        let state = &self.state;
        let limit = self.limits.output as usize;
        let written = show::json(&state.heap, &state.terms, &state.names(), value, limit);
        written.map_err(|unwritten| {
            if let Unwritten::NotFinite(odd) = unwritten {
                return Box::new(locate::unwritable(&state.heap, odd));
            }
            let message = format!("the result is longer than {limit} bytes of JSON");
            let fault = Fault::new(Code::TooLarge, message).by(Limit::Output);
            Box::new(fault.hint("return a part of it, or its length"))
        })
    }

    fn finish(&mut self, value: Word) -> Result<Step, Failure> {
        self.phase = Phase::Finished;
        if self.debug {
            trace::ended(&mut self.state, value);
        }
        let lines = self.state.trace.clone();
        if self.state.heap.object_kind(value) != KIND_CONTINUATION {
            let is_kept = self.image.sources.is_some();
            let term = is_kept.then(|| self.term(value));
            let (json, function) = self.json(value)?;
            if let Some(function) = function {
                self.doubt_function(function, function == value)?;
            }
            let (warnings, kind) =
                (self.all_warnings(), kinds::name(kind_of(&self.state.heap, value)));
            return Ok(Step::Done(Done { json, kind, warnings, trace: lines, term }));
        }
        let warnings = self.all_warnings();
        let heap = &self.state.heap;
        let [input, _] = heap.cell(index(value) + 1);
        let tool = self.state.tools.get(aux(heap.header(value)) as usize - 1);
        let tool = tool.ok_or_else(|| Fault::defect("the tool of a continuation is lost"))?;
        let tool = tool.name.clone();
        let (input, _) = self.json(input)?;
        let step = self.state.step.saturating_add(1);
        let mut name = String::new();
        escape::string(&tool, &mut name);
        let json = format!(
            r#"{{"message":"Recursive step needed. Call run again with:","next_input":{input},"step":{step},"tool":{name},"type":"continuation"}}"#
        );
        let done = Done { json, kind: "continuation", warnings, trace: lines, term: None };
        Ok(Step::Continuation(done, Continuation { tool, input, step }))
    }

    /// Warns of a function in the result of a program in the notation, unless the program is a
    /// tool or nobody wants to apply it.
    fn doubt_function(&mut self, function: Word, is_whole: bool) -> Result<(), Failure> {
        if self.tool.is_some() || matches!(self.input, Input::Unapplied) {
            return Ok(());
        }
        let Some(root) = self.program else { return Ok(()) };
        let Some(missing) = self.state.missing_arguments(&self.image, function) else {
            return Err(Fault::defect("a function of the result has no code").into());
        };
        let terms = &self.state.terms;
        if terms.byte(terms.node(root).token).is_some() {
            self.state
                .notes
                .add(terms, "likely-mistake", root, || doubt::function(is_whole, missing));
        }
        Ok(())
    }
}

/// Makes a fault at a place without a term.
fn without_term(at: &str, tool: Option<String>, fault: Fault) -> Fault {
    Fault { at: at.to_owned(), tool, excerpt: None, ..fault }
}

fn full() -> Fault {
    locate::no_room(FULL)
}
