//! The environment of a run: its tools, each at the revision that is current when the run begins,
//! the handler of effects and the observer. All answers that a run gets are recorded.

use std::collections::HashMap;
use std::future::ready;
use std::sync::Arc;
use std::time::Instant;

use super::consent::{self, Consent, Consents, Said};
use super::effects::{self, Allowed, Effects, Intent};
use super::library::library;
use super::past::{Past, Waiting};
use super::purse::Purse;
use super::refusal::stored;
use crate::domain::{
    Answered, Approval, Call, Decision, Fault, FaultCode, Need, Refusal, Unsent, Wish, fault,
};
use crate::journal::Answer;
use crate::registry::{self, Definition, Snapshot, name};
use crate::sandbox::{Answer as Given, Asking, Calls, Watch, World, milliseconds};
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

/// Observes a run, and is asked for approvals.
pub trait Observer {
    /// Receives each driven continuation, with the count of those driven so far.
    fn advance(&mut self, driven: u64);
    /// Receives a line of the debug report.
    fn debug(&mut self, line: &str);
    /// Says whether calls may be made. The clocks of the run stand still meanwhile. A run that must
    /// stop drops the question.
    fn ask<'a>(&'a mut self, _wishes: &'a [Wish]) -> Asking<'a, Said> {
        Box::pin(ready(Said::Later(None)))
    }
}

/// Ignores everything.
impl Observer for () {
    fn advance(&mut self, _driven: u64) {}
    fn debug(&mut self, _line: &str) {}
}

/// Answers the questions of a run.
pub(super) trait Oracle: Send {
    /// The source and the hash of a tool.
    fn tool(&mut self, name: &str) -> Result<Found, Fault>;
    /// The existing name that is closest to an unknown one.
    fn similar(&mut self, name: &str) -> Option<String>;
    /// What came of these calls before the run waited.
    fn recall(&mut self, _calls: &Calls) -> Result<Option<Came>, Fault> {
        Ok(None)
    }
    /// What came of calls, or why none was sent.
    fn perform<'a>(
        &'a mut self,
        calls: &'a Calls,
        consents: &'a [Consent],
    ) -> Asking<'a, Result<Sent, Fault>>;
}

/// What came of calls.
pub(super) type Came = Result<Vec<Answered>, Refusal>;

/// What came of calls that were to be sent.
pub(super) type Sent = Result<Vec<Answered>, Unsent>;

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
    purse: Purse,
    past: Past,
}

impl Live {
    pub(super) fn new(
        tools: Tools,
        effects: Arc<dyn Effects>,
        allowed: Allowed,
        watch: &Watch,
    ) -> Self {
        Self { tools, effects, purse: Purse::new(allowed, watch), past: Past::default() }
    }

    /// The world of a run that goes on.
    pub(super) fn after(self, past: Past) -> Self {
        Self { past, ..self }
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

    fn recall(&mut self, calls: &Calls) -> Result<Option<Came>, Fault> {
        let came = self.past.recall(calls)?;
        if let Some(Ok(answered)) = &came {
            self.purse.charge(answered);
        }
        Ok(came)
    }

    fn perform<'a>(
        &'a mut self,
        calls: &'a Calls,
        consents: &'a [Consent],
    ) -> Asking<'a, Result<Sent, Fault>> {
        Box::pin(async { Ok(self.purse.spend(self.effects.as_ref(), calls, consents).await) })
    }
}

/// The environment of one run. It records each answer of the oracle.
pub(super) struct Witness<'a, O> {
    pub(super) oracle: O,
    observer: &'a mut (dyn Observer + Send),
    answers: Vec<Answer>,
    /// Texts of which the answers hold the digests.
    texts: Vec<String>,
    /// Writes down what the run asks for, before it is sent.
    intent: Option<Intent<'a>>,
    /// What those who were asked have said.
    consents: Consents,
    /// The question that the run is kept for.
    waiting: Option<Waiting>,
    /// Since when calls wait for what comes of them.
    waits: Option<Instant>,
    /// Sources that were looked up before. Each step of a run asks for them again.
    sources: HashMap<String, Option<String>>,
}

impl<'a, O: Oracle> Witness<'a, O> {
    pub(super) fn new(oracle: O, observer: &'a mut (dyn Observer + Send)) -> Self {
        let (answers, texts, sources) = (Vec::new(), Vec::new(), HashMap::new());
        Self {
            oracle,
            observer,
            answers,
            texts,
            intent: None,
            consents: Consents::default(),
            waiting: None,
            waits: None,
            sources,
        }
    }

    /// The world of a run that is journaled: calls are on the disk before they are sent.
    pub(super) fn intending(self, intent: Intent<'a>, consents: Consents) -> Self {
        Self { intent: Some(intent), consents, ..self }
    }

    /// The question that the run is kept for, if it ended because nobody answers that now.
    pub(super) fn waiting(&mut self) -> Option<Waiting> {
        self.waiting.take()
    }

    /// All recorded questions with their answers, the texts whose digests the answers hold, and what
    /// the store keeps of the run until it has ended.
    pub(super) fn into_answers(mut self) -> (Vec<Answer>, Vec<String>, Option<i64>) {
        // The run ended while it waited.
        if let (Some(waits), Some(Answer::Calls(made))) = (self.waits, self.answers.last_mut()) {
            let ms = milliseconds(waits.elapsed());
            for made in made {
                made.ms = ms;
            }
        }
        let pending = self.intent.and_then(Intent::pending);
        (self.answers, self.texts, pending)
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

impl<O: Oracle> Witness<'_, O> {
    /// Has calls sent.
    async fn send(&mut self, calls: &Calls, consents: &[Consent]) -> Result<Sent, Fault> {
        // A run that ends meanwhile has made them all the same.
        let (asked, args) = effects::asked(&calls.calls, consents);
        let kept = self.texts.len();
        self.answers.push(asked);
        self.texts.extend(args);
        if let Some(intent) = &mut self.intent {
            intent.note(&calls.calls, &self.answers, &self.texts)?;
        }
        self.waits = Some(Instant::now());
        let sent = self.oracle.perform(calls, consents).await?;
        self.waits = None;
        self.answers.pop();
        self.texts.truncate(kept);
        Ok(sent)
    }

    /// Records what came of calls.
    fn record(&mut self, calls: &Calls, came: Came) -> Given {
        let (answer, values) = effects::answered(&calls.calls, &came);
        // A denied call is not recorded.
        if came != Err(Refusal::denied(&calls.calls)) {
            self.answers.push(answer);
            self.texts.extend(calls.calls.iter().map(|call| call.args.clone()));
            self.texts.extend(values);
        }
        let outcomes =
            came.map(|answered| answered.into_iter().map(|it| it.outcome).collect::<Vec<_>>());
        outcomes.into()
    }

    /// Asks whether calls may be made. If nobody answers now, the run is kept and ends.
    async fn consider(
        &mut self,
        calls: &[Call],
        needs: &[Need],
    ) -> Result<Result<Vec<Consent>, Refusal>, Fault> {
        let Some(intent) = &mut self.intent else { return Ok(Err(Refusal::denied(calls))) };
        let wishes = consent::wishes(calls, needs);
        if let Some(decision) = self.consents.recall(&wishes) {
            return Ok(Ok(self.consents.decide(calls, needs, &Ok(decision))));
        }
        intent.withdraw(&self.answers, &self.texts)?;
        let asked = self.observer.ask(&wishes);
        let decided = match intent.watch.while_asking(asked).await {
            Said::Chosen(choice) => Ok(Decision { choice, by: Approval::Once }),
            Said::Not(reason) => Err(reason),
            Said::Later(bound) => {
                let granted = self.consents.granted.clone();
                let run = intent.so_far(&self.answers, &self.texts);
                match intent.put_off(run, wishes, granted, bound.as_deref())? {
                    Ok(waiting) => self.waiting = Some(waiting),
                    Err(refusal) => return Ok(Err(refusal)),
                }
                // Nobody reads this: `waiting` says how the run ended.
                let message = "the run waits for an approval".to_owned();
                return Err(fault(FaultCode::Internal, message, None));
            }
        };
        Ok(Ok(self.consents.decide(calls, needs, &decided)))
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

    fn perform<'a>(&'a mut self, calls: &'a Calls) -> Asking<'a, Result<Given, Fault>> {
        Box::pin(async {
            if let Some(came) = self.oracle.recall(calls)? {
                return Ok(self.record(calls, came));
            }
            let known = self.consents.of(&calls.calls);
            let mut sent = self.send(calls, &known).await?;
            if let Err(Unsent::Asks(needs)) = &sent {
                sent = match self.consider(&calls.calls, needs).await? {
                    Ok(decided) => self.send(calls, &decided).await?,
                    Err(refusal) => Err(refusal.into()),
                };
            }
            Ok(self.record(calls, sent.map_err(|unsent| unsent.refusal(&calls.calls))))
        })
    }

    fn advance(&mut self, driven: u64) {
        self.observer.advance(driven);
    }

    fn debug(&mut self, line: &str) {
        self.observer.debug(line);
    }
}
