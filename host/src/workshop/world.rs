//! The environment of a run: its tools, each at the revision that is current when the run begins,
//! the handler of effects and the observer. All answers that a run gets are recorded.

use std::collections::HashMap;
use std::fmt::Debug;
use std::future::ready;
use std::sync::Arc;

use super::library::library;
use super::refusal::stored;
use crate::domain::Fault;
use crate::journal::Answer;
use crate::registry::{self, Definition, Snapshot, name};
use crate::sandbox::{Answer as Given, Asking, Effect, World};
use crate::schema::Schema;

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

/// Observes a run.
pub trait Observer {
    /// Receives each driven continuation, with the count of those driven so far.
    fn advance(&mut self, driven: u64);
    /// Receives a line of the debug report.
    fn debug(&mut self, line: &str);
}

/// Ignores everything.
impl Observer for () {
    fn advance(&mut self, _driven: u64) {}
    fn debug(&mut self, _line: &str) {}
}

/// Performs the effects that programs ask for. Each effect that a program may use is granted here.
pub trait Effects: Send + Sync + Debug {
    /// Performs an effect. Returns `{"ok":true,"value":…}` or `{"ok":false,"reason":…,"message":…}`
    /// as JSON text; None if the effect is denied.
    fn perform<'a>(&'a self, effect: &'a Effect) -> Asking<'a, Option<String>>;
}

/// Denies every effect.
#[derive(Debug)]
pub struct Denied;

impl Effects for Denied {
    fn perform<'a>(&'a self, _effect: &'a Effect) -> Asking<'a, Option<String>> {
        Box::pin(ready(None))
    }
}

/// Answers the questions of a run.
pub(super) trait Oracle: Send {
    /// The source and the hash of a tool.
    fn tool(&mut self, name: &str) -> Result<Found, Fault>;
    /// The existing name that is closest to an unknown one.
    fn similar(&mut self, name: &str) -> Option<String>;
    /// Performs an effect; None if it is denied.
    fn perform<'a>(&'a mut self, effect: &'a Effect) -> Asking<'a, Option<String>>;
}

/// The answer to a look-up of a tool; empty if the tool does not exist.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) source: Option<String>,
    /// The revision that the name refers to.
    pub(super) hash: Option<String>,
}

/// Answers from the current tools and effects.
pub(super) struct Live {
    tools: Tools,
    effects: Arc<dyn Effects>,
}

impl Live {
    pub(super) fn new(tools: Tools, effects: Arc<dyn Effects>) -> Self {
        Self { tools, effects }
    }

    /// An oracle that denies effects, for trial runs.
    pub(super) fn of(tools: Tools) -> Self {
        Self::new(tools, Arc::new(Denied))
    }
}

impl Oracle for Live {
    fn tool(&mut self, name: &str) -> Result<Found, Fault> {
        let (source, hash) = self.tools.look_up(name)?.unzip();
        Ok(Found { source, hash })
    }

    fn similar(&mut self, name: &str) -> Option<String> {
        self.tools.similar(name)
    }

    fn perform<'a>(&'a mut self, effect: &'a Effect) -> Asking<'a, Option<String>> {
        self.effects.perform(effect)
    }
}

/// The environment of one run. It records each answer of the oracle.
pub(super) struct Witness<'a, O> {
    pub(super) oracle: O,
    observer: &'a mut (dyn Observer + Send),
    answers: Vec<Answer>,
    /// Sources that were looked up before. Each step of a run asks for them again.
    sources: HashMap<String, Option<String>>,
}

impl<'a, O: Oracle> Witness<'a, O> {
    pub(super) fn new(oracle: O, observer: &'a mut (dyn Observer + Send)) -> Self {
        Self { oracle, observer, answers: Vec::new(), sources: HashMap::new() }
    }

    /// All recorded questions with their answers.
    pub(super) fn into_answers(self) -> Vec<Answer> {
        self.answers
    }

    fn look_up(&mut self, tool: &str) -> Result<Option<String>, Fault> {
        if let Some(source) = self.sources.get(tool) {
            return Ok(source.clone());
        }
        let Found { source, hash } = self.oracle.tool(tool)?;
        self.answers.push(Answer::Tool(tool.to_owned(), hash));
        self.sources.insert(tool.to_owned(), source.clone());
        Ok(source)
    }
}

impl<O: Oracle> World for Witness<'_, O> {
    fn source<'a>(&'a mut self, tool: &'a str) -> Asking<'a, Result<Option<String>, Fault>> {
        Box::pin(ready(self.look_up(tool)))
    }

    fn similar<'a>(&'a mut self, tool: &'a str) -> Asking<'a, Option<String>> {
        let similar = self.oracle.similar(tool);
        self.answers.push(Answer::Similar(tool.to_owned(), similar.clone()));
        Box::pin(ready(similar))
    }

    fn perform<'a>(&'a mut self, effect: &'a Effect) -> Asking<'a, Result<Given, Fault>> {
        Box::pin(async {
            // A denied effect is not recorded.
            let Some(outcome) = self.oracle.perform(effect).await else { return Ok(Given::Denied) };
            let Effect { capability, argument } = effect.clone();
            self.answers.push(Answer::Effect(capability, argument, outcome.clone()));
            Ok(Given::Outcome(outcome))
        })
    }

    fn advance(&mut self, driven: u64) {
        self.observer.advance(driven);
    }

    fn debug(&mut self, line: &str) {
        self.observer.debug(line);
    }
}
