//! The environment of a run: its tools, each at the revision that is current when the run begins,
//! the handler of effects and the observer. All answers that a run gets are recorded.

use std::collections::HashMap;
use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use pif_domain::{Fault, Limit, Part, StepTold};
use pif_sandbox::{
    Answer as Given, AnswerFuture, Calls, Left as Came, Passage, Sandbox, Stepped, Summary, Wait,
    Watch, World,
};
use pif_schema::Schema;
use pif_store::journal::{Answer, Left};
use pif_store::registry::{self, Definition, Snapshot, name};

use super::bindings::{Bindings, Term};
use super::budget::CallBudget;
use super::call_log::{CallLog, CallRecords, EndedCalls, RequestedCalls};
use super::consent::Consents;
use super::effects::Effects;
use super::intent::Intent;
use super::library::library;
use super::observer::Observer;
use super::past::{ApprovalWait, ReplayLog, SkippedStep};
use super::refusal::stored;
use super::step_log::{self, steps};

/// The tools that a run can use.
#[derive(Debug, Clone)]
pub struct Tools {
    /// The tools of the registry.
    pub registered: Snapshot,
    /// Tools that are not registered yet. They take precedence over registered ones.
    pub candidates: Arc<[Candidate]>,
}

/// A tool that is not registered yet.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Its name.
    pub name: String,
    /// The canonical text of its term.
    pub source: String,
    /// sha256 of `source`.
    pub hash: String,
    /// Whether the tool is found only by a pinned revision.
    pub is_pinned: bool,
    /// The schema of the tool's values.
    pub output_schema: Option<Arc<Schema>>,
    /// Its functions as a JSON list, if it is a native capability.
    pub members: Option<String>,
    /// The text that its author wrote, if the term is that of this text.
    pub written: Option<String>,
}

impl Candidate {
    fn answers_to(&self, name: &str, pin: Option<&str>) -> bool {
        self.name == name
            && match pin {
                None => !self.is_pinned,
                Some(prefix) => registry::is_prefix(prefix, &self.hash),
            }
    }
}

impl Tools {
    /// Finds a tool by its name or by `name@hash`, in the registry and then in the library.
    pub fn find(&self, reference: &str) -> Result<Option<Definition>, Fault> {
        match self.registered.find(reference) {
            Ok(Some(found)) => Ok(Some(found)),
            Ok(None) => Ok(library().find(reference).cloned()),
            Err(registry::Error::Store(error)) => Err(stored(error)),
            // A malformed revision names no tool.
            Err(_) => Ok(None),
        }
    }

    /// The tools with a program as the tool `self`, if there is one.
    pub(super) fn with_own(&self, program: Option<&Summary>) -> Self {
        let Some(summary) = program else { return self.clone() };
        let own = Candidate {
            name: name::OWN.to_owned(),
            source: summary.canonical.clone(),
            hash: summary.hash.clone(),
            is_pinned: false,
            output_schema: None,
            members: None,
            written: None,
        };
        let candidates = self.candidates.iter().cloned().chain([own]).collect();
        Self { candidates, ..self.clone() }
    }

    /// The existing name that is closest to an unknown one.
    #[must_use]
    pub fn similar(&self, name: &str) -> Option<String> {
        let registered = self.registered.similar(name).unwrap_or_else(|error| {
            tracing::error!(%error, "names cannot be compared");
            None
        });
        registered.or_else(|| library().similar(name).map(str::to_owned))
    }

    /// Whether a candidate has this name.
    pub(super) fn is_candidate(&self, name: &str) -> bool {
        self.candidates.iter().any(|candidate| candidate.name == name)
    }

    /// The text of a candidate.
    pub(super) fn written(&self, reference: &str) -> Option<&str> {
        let (name, pin) = name::split(reference);
        let found = self.candidates.iter().find(|candidate| candidate.answers_to(name, pin))?;
        found.written.as_deref()
    }

    /// The output schema of a candidate.
    pub(super) fn candidate_schema(&self, reference: &str) -> Option<&Schema> {
        let (name, pin) = name::split(reference);
        let found = self.candidates.iter().find(|candidate| candidate.answers_to(name, pin))?;
        found.output_schema.as_deref()
    }

    /// The source and the hash of a tool, candidates first.
    pub(super) fn look_up(&self, reference: &str) -> Result<Option<(String, String)>, Fault> {
        let (name, pin) = name::split(reference);
        match self.candidates.iter().find(|candidate| candidate.answers_to(name, pin)) {
            Some(found) => Ok(Some((found.source.clone(), found.hash.clone()))),
            None => Ok(self.find(reference)?.map(|tool| (tool.source, tool.hash))),
        }
    }
}

/// Answers the questions of a run.
pub(super) trait Oracle: Send {
    /// The source and the hash of a tool.
    fn tool(&mut self, name: &str) -> Result<ToolLookup, Fault>;
    /// The existing name that is closest to an unknown one.
    fn similar(&mut self, name: &str) -> Option<String>;
    /// The term of a binding, and its hash.
    fn binding(&mut self, name: &str) -> Result<Option<Term>, Fault>;
    /// Decides whether a `retry` tries again, and waits before that.
    fn wait<'a, 'b: 'a>(
        &'a mut self,
        wait: &'a Wait,
        log: &'a mut CallLog<'b>,
    ) -> AnswerFuture<'a, Result<Option<u64>, Fault>>;
    /// What a step of the program came to before that begins now, if that is known.
    fn enter(&mut self, _name: &str) -> Result<Option<SkippedStep>, Fault> {
        Ok(None)
    }
    /// How a step ended before that ends now, if that is known; and whether it has to be written down
    /// else.
    fn leave(&mut self) -> Result<(Option<Left>, bool), Fault> {
        Ok((None, false))
    }
    /// Ends calls that the log holds.
    fn perform<'a, 'b: 'a>(
        &'a mut self,
        asked: RequestedCalls<'a>,
        log: &'a mut CallLog<'b>,
    ) -> AnswerFuture<'a, Result<EndedCalls, Fault>>;
}

/// The answer to a look-up of a tool; empty if the tool does not exist.
#[derive(Debug, Default)]
pub(super) struct ToolLookup {
    pub(super) source: Option<String>,
    /// The revision that the name refers to.
    pub(super) hash: Option<String>,
}

/// Whether somebody ends a run, so that it does not go on.
pub type CancelCheck = Arc<AtomicBool>;

/// Answers from the current tools and effects.
pub(super) struct Live {
    pub(super) tools: Tools,
    /// Answers what the run asks of programs.
    pub(super) sandbox: Arc<Sandbox>,
    pub(super) watch: Watch,
    pub(super) effects: Arc<dyn Effects>,
    pub(super) budget: CallBudget,
    /// What came of calls before the run waited.
    pub(super) past: ReplayLog,
    /// The bindings of a session.
    pub(super) bindings: Bindings,
    /// Whether somebody ends the run.
    pub(super) by_hand: CancelCheck,
}

impl Live {
    /// The world of a run that goes on.
    pub(super) fn after(self, past: ReplayLog) -> Self {
        Self { past, ..self }
    }

    /// The world of a run in a session.
    pub(super) fn binding(self, bindings: Bindings) -> Self {
        Self { bindings, ..self }
    }
}

impl Oracle for Live {
    fn tool(&mut self, name: &str) -> Result<ToolLookup, Fault> {
        if name.contains('.') {
            let native = self.tools.native_of(name, self.effects.as_ref())?;
            let found = native.and_then(|(native, member)| native.function(member));
            return Ok(found.unwrap_or_default());
        }
        let (source, hash) = self.tools.look_up(name)?.unzip();
        Ok(ToolLookup { source, hash })
    }

    fn similar(&mut self, name: &str) -> Option<String> {
        self.tools.similar(name)
    }

    fn binding(&mut self, name: &str) -> Result<Option<Term>, Fault> {
        self.bindings.find(name)
    }

    fn enter(&mut self, name: &str) -> Result<Option<SkippedStep>, Fault> {
        let passed = self.past.enter(name)?;
        for digest in passed.iter().flat_map(|it| step_log::values(&it.answers)) {
            self.budget.know(digest.map_or(0, |it| it.bytes));
        }
        Ok(passed)
    }

    fn leave(&mut self) -> Result<(Option<Left>, bool), Fault> {
        let left = self.past.leave()?;
        Ok((left, self.past.is_over()))
    }

    fn perform<'a, 'b: 'a>(
        &'a mut self,
        asked: RequestedCalls<'a>,
        log: &'a mut CallLog<'b>,
    ) -> AnswerFuture<'a, Result<EndedCalls, Fault>> {
        Box::pin(self.make(asked, log))
    }

    fn wait<'a, 'b: 'a>(
        &'a mut self,
        wait: &'a Wait,
        log: &'a mut CallLog<'b>,
    ) -> AnswerFuture<'a, Result<Option<u64>, Fault>> {
        Box::pin(Live::wait(self, wait, log))
    }
}

/// The environment of one run. It records each answer of the oracle.
pub(super) struct Witness<'a, O> {
    pub(super) oracle: O,
    log: CallLog<'a>,
    /// Sources that were looked up before. Each step of a run asks for them again.
    sources: HashMap<String, Option<String>>,
    /// Of how many more steps the log tells.
    steps: u32,
}

impl<'a, O: Oracle> Witness<'a, O> {
    pub(super) fn new(oracle: O, observer: &'a mut (dyn Observer + Send)) -> Self {
        Self { oracle, log: CallLog::new(observer), sources: HashMap::new(), steps: 0 }
    }

    /// The world of a run whose log tells its steps.
    pub(super) fn telling_steps(self, is_telling: bool) -> Self {
        let most = u32::try_from(Limit::NamedSteps.fixed()).unwrap_or(u32::MAX);
        Self { steps: if is_telling { most } else { 0 }, ..self }
    }

    /// The steps so far. Those that have not ended are in the state `open`.
    pub(super) fn steps(&self, open: &'static str) -> Vec<StepTold> {
        steps(&self.log.answers, open)
    }

    /// The world of a run that is journaled: calls are on the disk before they are sent.
    pub(super) fn intending(self, intent: Intent<'a>, consents: Consents) -> Self {
        Self { log: self.log.intending(intent, consents), ..self }
    }

    /// The question that the run is kept for, if it ended because nobody answers that now.
    pub(super) fn waiting(&mut self) -> Option<ApprovalWait> {
        self.log.waiting.take()
    }

    /// Interrupts a durable run. Gives its number.
    pub(super) fn put_down(
        &mut self,
        fault: &Fault,
        is_unanswered: bool,
    ) -> Result<Option<i64>, Fault> {
        self.log.put_down(fault, is_unanswered)
    }

    /// Interrupts a durable run that has not come as far as it was before.
    pub(super) fn put_down_again(
        &mut self,
        fault: &Fault,
        unsure: Vec<usize>,
    ) -> Result<Option<i64>, Fault> {
        self.log.put_down_again(fault, unsure)
    }

    /// All that was written down.
    pub(super) fn close(self) -> CallRecords {
        self.log.close()
    }

    fn binding(&mut self, name: &str) -> Result<Option<String>, Fault> {
        let Some(term) = self.oracle.binding(name)? else { return Ok(None) };
        Ok(Some(self.log.recall(name, term)))
    }

    fn enter_step(&mut self, name: &str) -> Result<Option<Passage>, Fault> {
        let name = step_log::name(name);
        self.steps = self.steps.saturating_sub(1);
        let Some(passed) = self.oracle.enter(&name)? else {
            self.log.enter(name);
            return Ok(None);
        };
        let SkippedStep { given, answers, texts } = passed;
        self.steps = self.steps.saturating_sub(given.steps);
        for answer in &answers {
            // Whoever asks for the tool again is not told of it again.
            if let Answer::Tool(tool, _) = answer {
                let ToolLookup { source, .. } = self.oracle.tool(tool)?;
                self.sources.entry(tool.clone()).or_insert(source);
            }
        }
        self.log.pass(answers, texts);
        Ok(Some(given))
    }

    fn look_up(&mut self, tool: &str) -> Result<Option<String>, Fault> {
        if let Some(source) = self.sources.get(tool) {
            return Ok(source.clone());
        }
        let ToolLookup { source, hash } = self.oracle.tool(tool)?;
        // The name of another server's tool is looked up, too, and is the name of no tool here.
        if hash.is_some() || !tool.contains('.') {
            self.log.answers.push(Answer::Tool(tool.to_owned(), hash));
        }
        self.sources.insert(tool.to_owned(), source.clone());
        Ok(source)
    }
}

impl<O: Oracle> World for Witness<'_, O> {
    fn source<'a>(&'a mut self, tool: &'a str) -> AnswerFuture<'a, Result<Option<String>, Fault>> {
        Box::pin(ready(self.look_up(tool)))
    }

    fn recall<'a>(&'a mut self, name: &'a str) -> AnswerFuture<'a, Result<Option<String>, Fault>> {
        Box::pin(ready(self.binding(name)))
    }

    fn similar<'a>(&'a mut self, tool: &'a str) -> AnswerFuture<'a, Option<String>> {
        let similar = self.oracle.similar(tool);
        self.log.answers.push(Answer::Similar(tool.to_owned(), similar.clone()));
        Box::pin(ready(similar))
    }

    fn perform<'a>(&'a mut self, calls: &'a Calls) -> AnswerFuture<'a, Result<Given, Fault>> {
        Box::pin(async move {
            let asked = self.log.ask(calls);
            let came = self.oracle.perform(asked, &mut self.log).await?.came();
            let outcomes =
                came.map(|answered| answered.into_iter().map(|it| it.outcome).collect::<Vec<_>>());
            Ok(outcomes.into())
        })
    }

    fn wait<'a>(&'a mut self, wait: &'a Wait) -> AnswerFuture<'a, Result<Option<u64>, Fault>> {
        self.oracle.wait(wait, &mut self.log)
    }

    fn named_steps(&self) -> u32 {
        self.steps
    }

    fn enter(&mut self, name: &str) -> Result<Option<Passage>, Fault> {
        self.enter_step(name)
    }

    fn leave(&mut self, came: Came) -> Result<(), Fault> {
        let (known, is_new) = self.oracle.leave()?;
        self.log.leave(came, known, is_new)
    }

    fn advance(&mut self, driven: u64) {
        self.log.observer.advance(driven);
    }

    fn debug(&mut self, line: &str) {
        self.log.observer.debug(line);
    }

    fn stepped(&mut self, step: &Stepped) {
        self.log.observer.stepped(step);
    }

    fn passed(&mut self, part: Part, since: Instant) {
        self.log.observer.passed(part, since);
    }
}
