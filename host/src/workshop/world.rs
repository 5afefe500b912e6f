//! What surrounds a run: the tools that it can use, each at the revision it had when the run
//! began, whoever answers effects, and whoever watches it. What it is told is written down.

use std::collections::HashMap;
use std::fmt::Debug;
use std::future::ready;
use std::sync::Arc;

use super::{library, stored};
use crate::domain::Fault;
use crate::journal::Answer;
use crate::registry::{self, Definition, Snapshot, name};
use crate::sandbox::{Answer as Given, Asking, Effect, World};
use crate::schema::Schema;

/// The tools that a run can use.
#[derive(Debug, Clone)]
pub struct Tools {
    /// Those of the registry.
    pub registered: Snapshot,
    /// Tools that are not registered yet; they go before those that are.
    pub candidates: Arc<[Candidate]>,
}

/// A tool that somebody wants to register.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Its name.
    pub name: String,
    /// The canonical text of its term.
    pub source: String,
    /// sha256 of that.
    pub hash: String,
    /// Whether it is to be found only where a revision is pinned.
    pub is_pinned: bool,
    /// What its values have to be like.
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
    /// A tool by its name, or by `name@hash`: one of the registry, else one of the library.
    pub fn find(&self, reference: &str) -> Result<Option<Definition>, Fault> {
        match self.registered.find(reference) {
            Ok(Some(found)) => Ok(Some(found)),
            Ok(None) => Ok(library().find(reference).cloned()),
            Err(registry::Error::Store(error)) => Err(stored(error)),
            // What cannot name a revision names nothing.
            Err(_) => Ok(None),
        }
    }

    /// The name closest to one that is unknown.
    #[must_use]
    pub fn similar(&self, name: &str) -> Option<String> {
        let registered = self.registered.similar(name).unwrap_or_else(|error| {
            tracing::error!(%error, "names cannot be compared");
            None
        });
        registered.or_else(|| library().similar(name).map(str::to_owned))
    }

    /// Whether a tool of this name is to be registered.
    pub(super) fn is_candidate(&self, name: &str) -> bool {
        self.candidates.iter().any(|candidate| candidate.name == name)
    }

    /// What the values of a tool that is to be registered have to be like.
    pub(super) fn candidate_schema(&self, reference: &str) -> Option<&Schema> {
        let (name, pin) = name::split(reference);
        let found = self.candidates.iter().find(|candidate| candidate.answers_to(name, pin))?;
        found.output_schema.as_deref()
    }

    /// The source and the hash of a tool, registered or not.
    pub(super) fn look_up(&self, reference: &str) -> Result<Option<(String, String)>, Fault> {
        let (name, pin) = name::split(reference);
        match self.candidates.iter().find(|candidate| candidate.answers_to(name, pin)) {
            Some(found) => Ok(Some((found.source.clone(), found.hash.clone()))),
            None => Ok(self.find(reference)?.map(|tool| (tool.source, tool.hash))),
        }
    }
}

/// Who watches a run.
pub trait Observer {
    /// Hears of each continuation that is driven, with the count of those driven so far.
    fn advance(&mut self, driven: u64);
    /// Takes a line of the debug report.
    fn debug(&mut self, line: &str);
}

/// Nobody.
impl Observer for () {
    fn advance(&mut self, _driven: u64) {}
    fn debug(&mut self, _line: &str) {}
}

/// Who does what programs ask of the world. Whatever is granted is granted here.
pub trait Effects: Send + Sync + Debug {
    /// Does something; gives `{"ok":true,"value":…}` or `{"ok":false,"reason":…,"message":…}`, or
    /// None where nothing grants it.
    fn perform<'a>(&'a self, effect: &'a Effect) -> Asking<'a, Option<String>>;
}

/// Nothing is granted.
#[derive(Debug)]
pub struct Denied;

impl Effects for Denied {
    fn perform<'a>(&'a self, _effect: &'a Effect) -> Asking<'a, Option<String>> {
        Box::pin(ready(None))
    }
}

/// Who knows the answers to what a run asks.
pub(super) trait Oracle: Send {
    /// The source and the hash of a tool.
    fn tool(&mut self, name: &str) -> Result<Found, Fault>;
    /// The name closest to one that is unknown.
    fn similar(&mut self, name: &str) -> Option<String>;
    /// What came of an effect; None: it is denied.
    fn perform<'a>(&'a mut self, effect: &'a Effect) -> Asking<'a, Option<String>>;
}

/// What is known of a tool.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) source: Option<String>,
    /// The revision that the name stands for.
    pub(super) hash: Option<String>,
}

/// The answers as they are now.
pub(super) struct Live {
    tools: Tools,
    effects: Arc<dyn Effects>,
}

impl Live {
    pub(super) fn new(tools: Tools, effects: Arc<dyn Effects>) -> Self {
        Self { tools, effects }
    }

    /// Answers without effects: for what is run to try it.
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

/// The world of one run: whatever is asked of the oracle and answered is written down here.
pub(super) struct Witness<'a, O> {
    pub(super) oracle: O,
    observer: &'a mut (dyn Observer + Send),
    answers: Vec<Answer>,
    /// Sources that were asked for before: each step of a run asks anew.
    sources: HashMap<String, Option<String>>,
}

impl<'a, O: Oracle> Witness<'a, O> {
    pub(super) fn new(oracle: O, observer: &'a mut (dyn Observer + Send)) -> Self {
        Self { oracle, observer, answers: Vec::new(), sources: HashMap::new() }
    }

    /// What was asked, and the answers.
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
            // What is denied was not answered.
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
