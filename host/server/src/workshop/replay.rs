//! Replays a journaled run with the recorded answers and compares the outcomes. Replays are not
//! journaled.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::future::ready;

use pif_domain::{EntryKind, EntryOutcome, Fault, FaultCode, Limit, Refusal, Section, fault};
use pif_sandbox::{AnswerFuture, Calls, Outcome, Request, Wait, Watch, drive};
use pif_store::journal::{Answer, Body, Digest, Entry, Payload};
use pif_store::registry::short;
use serde_json::{Map, Value, json};

use super::archive::Archive;
use super::bindings::Term;
use super::call_log::{CallLog, Came, EndedCalls, RequestedCalls};
use super::call_record::{self, MissingAnswer};
use super::native::function;
use super::opening::Workshop;
use super::record::{self, RequestRecord};
use super::refusal::stored;
use super::world::{Oracle, ToolLookup, Witness};
use super::{conform, schemas, step_log};

/// The result of a replay.
#[derive(Debug)]
pub struct ReplayResult {
    /// The number of the entry.
    pub entry: i64,
    /// The comparison of the two runs.
    pub verdict: Verdict,
    /// The sha256 of the recorded evaluator, if it differs from the current one.
    pub evaluator: Option<String>,
}

/// The comparison of two runs.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All recorded fields are equal.
    Equal,
    /// These fields differ.
    Different(Vec<Difference>),
    /// The run could not be repeated, for this reason.
    Skipped(String),
}

impl Verdict {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Different(_) => "different",
            Self::Skipped(_) => "skipped",
        }
    }
}

/// A field in which two runs differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Its name, such as `value` or `fault.at`.
    pub field: String,
    /// The recorded value; null if there is none.
    pub recorded: Value,
    /// The value of the replay; null if there is none.
    pub now: Value,
}

impl Difference {
    /// The recorded value as text.
    #[must_use]
    pub fn recorded(&self) -> String {
        render(&self.recorded)
    }

    /// The value of the replay as text.
    #[must_use]
    pub fn now(&self) -> String {
        render(&self.now)
    }
}

fn render(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

impl Workshop {
    /// Replays the run of an entry. It fails if there is no such entry, if the store fails, or if
    /// the watch stops the replay.
    pub fn replay(&self, id: i64, watch: &Watch) -> Result<ReplayResult, Fault> {
        match self.journal.entry(id).map_err(stored)? {
            Some(entry) => self.replay_entry(&entry, watch),
            None => Err(self.missing_entry(id)?),
        }
    }

    /// The fault of a missing entry.
    pub fn missing_entry(&self, id: i64) -> Result<Fault, Fault> {
        let anchor = self.journal.anchor().map_err(stored)?;
        let head = self.journal.head().map_err(stored)?;
        let message = format!("there is no entry {id} in the journal");
        let hint = match anchor.id {
            _ if head.id == anchor.id => "the journal is empty".to_owned(),
            removed if (1..=removed).contains(&id) => format!(
                "the entries up to {removed} were removed to keep the journal within its size"
            ),
            removed => format!("its entries are {} to {}", removed + 1, head.id),
        };
        Ok(fault(FaultCode::UnknownEntry, message, Some(&hint)))
    }

    /// Replays the run of an entry that is already read.
    pub fn replay_entry(&self, entry: &Entry, watch: &Watch) -> Result<ReplayResult, Fault> {
        self.replay_from(entry, &self.archive()?, watch)
    }

    /// Replays the run of an entry with the texts of an archive.
    pub(super) fn replay_from(
        &self,
        entry: &Entry,
        archive: &dyn Archive,
        watch: &Watch,
    ) -> Result<ReplayResult, Fault> {
        let evaluator = entry.component.clone().filter(|hash| hash != self.sandbox.hash());
        if entry.kind == EntryKind::Task.name() {
            let verdict = self.replay_task(entry, archive, watch)?;
            return Ok(ReplayResult { entry: entry.id, verdict, evaluator });
        }
        let verdict = match read(entry) {
            Err(reason) => Verdict::Skipped(reason),
            Ok((request, body)) => self.compare(entry, request, (&body, archive), watch)?,
        };
        Ok(ReplayResult { entry: entry.id, verdict, evaluator })
    }

    fn compare(
        &self,
        entry: &Entry,
        request: Request,
        (body, archive): (&Body, &dyn Archive),
        watch: &Watch,
    ) -> Result<Verdict, Fault> {
        let is_schema = |it: &&Answer| matches!(it, Answer::Schema(..) | Answer::StagedSchema(..));
        let recorded = body.answers.iter().find(is_schema);
        let mut nobody = ();
        let tells_steps = body.answers.iter().any(|it| matches!(it, Answer::Enter(_)));
        let witness = Witness::new(RecordedAnswers::new(archive, &body.answers), &mut nobody);
        let mut witness = witness.telling_steps(tells_steps);
        let mut schema = None;
        let outcome = match request.output_schema.as_deref().map(schemas::recall).transpose() {
            Ok(asked) => {
                let mut outcome = drive(&self.sandbox, request, &mut witness, watch);
                match conform::conform_again(&mut outcome, asked, recorded, archive, watch) {
                    Ok(answer) => schema = answer,
                    Err(reason) => return Ok(Verdict::Skipped(reason)),
                }
                outcome
            }
            Err(fault) => Outcome::before(fault),
        };
        match witness.oracle.obstacle.take() {
            Some(Obstacle::Missing(reason)) => return Ok(Verdict::Skipped(reason)),
            Some(Obstacle::Store(fault)) => return Err(*fault),
            None => {}
        }
        // A run that was stopped from outside says nothing about the program.
        if let Err(fault) = &outcome.ending
            && fault.code.is_stop()
        {
            return Err(fault.clone());
        }
        let mut answers = witness.close().answers;
        answers.extend(schema);
        let differences = differences(entry, body, &outcome, &answers);
        let is_equal = differences.is_empty();
        Ok(if is_equal { Verdict::Equal } else { Verdict::Different(differences) })
    }
}

/// The request and the body of an entry, or the reason why the run cannot be repeated.
pub(super) fn read(entry: &Entry) -> Result<(Request, Body), String> {
    if entry.kind != EntryKind::Run.name() {
        return Err(format!("it is not a run: its kind is `{}`", entry.kind));
    }
    if entry.ending == EntryOutcome::Unknown.name() {
        return Err("the server ended before it did: what came of its calls is unknown".to_owned());
    }
    if FaultCode::find(&entry.ending).is_some_and(FaultCode::is_worldly) {
        let reason = "which depends on the clock or on this server and not on the program";
        return Err(format!("it ended as `{}`, {reason}", entry.ending));
    }
    let body = entry.read_body().ok_or("its body cannot be read")?;
    let outcome: Value = body.outcome.as_ref().map_or(Value::Null, parse);
    let limit = outcome["fault"]["limit"]["name"].as_str().and_then(Limit::find);
    // The host's network limits may have changed since.
    if let Some(limit) = limit.filter(|limit| limit.row().section == Section::Net) {
        return Err(format!("it was stopped by `{limit}`, which depends on how the server is set"));
    }
    let request = match &body.request {
        None => return Err("its request was not kept (--journal-payload none)".to_owned()),
        Some(request) if request.digest().is_some() => {
            let reason = "(--journal-payload summary, or longer than --journal-entry)";
            return Err(format!("of its request only a digest was kept {reason}"));
        }
        Some(request) => serde_json::from_str::<RequestRecord>(request.text()),
    };
    let request = request.ok().and_then(RequestRecord::into_request);
    Ok((request.ok_or("its request cannot be read")?, body))
}

/// The recorded answers.
struct RecordedAnswers<'a> {
    sources: BTreeMap<String, Option<String>>,
    similar: BTreeMap<String, Option<String>>,
    /// Names with the hashes of their terms.
    bindings: BTreeMap<String, String>,
    /// Where the texts are that answers hold the digests of.
    archive: &'a dyn Archive,
    /// Recorded calls that the replay has not asked for yet, in order.
    calls: VecDeque<Answer>,
    obstacle: Option<Obstacle>,
}

/// The reason why a replay cannot continue.
enum Obstacle {
    /// Something that the replay needs no longer exists.
    Missing(String),
    /// The store fails.
    Store(Box<Fault>),
}

impl<'a> RecordedAnswers<'a> {
    fn new(archive: &'a dyn Archive, recorded: &[Answer]) -> Self {
        let mut sources = BTreeMap::new();
        let mut similar = BTreeMap::new();
        let mut bindings = BTreeMap::new();
        let mut calls = VecDeque::new();
        for answer in recorded.iter().cloned() {
            match answer {
                Answer::Tool(name, hash) => drop(sources.insert(name, hash)),
                Answer::Similar(name, meant) => drop(similar.insert(name, meant)),
                Answer::Calls(_) | Answer::Refused(..) | Answer::Waited(_) => {
                    calls.push_back(answer);
                }
                Answer::Binding(name, hash) => drop(bindings.insert(name, hash)),
                // A replay evaluates all steps.
                Answer::Enter(_) | Answer::Leave(_) => {}
                // `conform_again` reads the schema.
                Answer::Schema(..) | Answer::StagedSchema(..) => {}
            }
        }
        Self { sources, similar, bindings, archive, calls, obstacle: None }
    }

    /// What came of the calls then. Others than the next ones were denied.
    fn recall(&mut self, calls: &Calls) -> Result<Came, Fault> {
        let denied = || Err(Refusal::denied(&calls.calls));
        let Some(next) = self.calls.front() else { return Ok(denied()) };
        let text = |digest: &Digest| self.archive.text(&digest.sha256);
        match call_record::recall(&calls.calls, next, text) {
            Ok(Some(came)) => {
                self.calls.pop_front();
                Ok(came)
            }
            Ok(None) => Ok(denied()),
            Err(MissingAnswer::Text(tool)) => {
                let reason = format!("what `{tool}` answered is not in the store");
                Err(self.give_up(Obstacle::Missing(reason)))
            }
            Err(MissingAnswer::Store(error)) => {
                Err(self.give_up(Obstacle::Store(Box::new(stored(error)))))
            }
        }
    }

    /// Ends the run. Nobody reads the returned fault: `obstacle` holds the reason.
    fn give_up(&mut self, obstacle: Obstacle) -> Fault {
        self.obstacle = Some(obstacle);
        fault(FaultCode::Internal, "the replay cannot go on".to_owned(), None)
    }
}

impl Oracle for RecordedAnswers<'_> {
    fn tool(&mut self, tool: &str) -> Result<ToolLookup, Fault> {
        // A tool that the recorded run did not ask for has no answer. The lists of answers then
        // differ.
        let Some(hash) = self.sources.get(tool).cloned().flatten() else {
            return Ok(ToolLookup::default());
        };
        if let Some((name, member)) = tool.split_once('.') {
            return Ok(ToolLookup { source: Some(function(name, member)), hash: Some(hash) });
        }
        let source = match self.archive.source(&hash) {
            Ok(Some(source)) => source,
            Ok(None) => {
                let short = short(&hash);
                let reason = format!("the revision {short} of `{tool}` is not in the store");
                return Err(self.give_up(Obstacle::Missing(reason)));
            }
            Err(error) => return Err(self.give_up(Obstacle::Store(Box::new(stored(error))))),
        };
        Ok(ToolLookup { source: Some(source), hash: Some(hash) })
    }

    fn similar(&mut self, tool: &str) -> Option<String> {
        self.similar.get(tool).cloned().flatten()
    }

    fn binding(&mut self, name: &str) -> Result<Option<Term>, Fault> {
        let Some(hash) = self.bindings.get(name).cloned() else { return Ok(None) };
        match self.archive.text(&hash) {
            Ok(Some(term)) => Ok(Some(Term { term, hash, is_kept: true })),
            Ok(None) => {
                let reason = format!("the term of `{name}` is not in the store");
                Err(self.give_up(Obstacle::Missing(reason)))
            }
            Err(error) => Err(self.give_up(Obstacle::Store(Box::new(stored(error))))),
        }
    }

    /// Returns the recorded outcome; calls nobody.
    fn perform<'a, 'b: 'a>(
        &'a mut self,
        asked: RequestedCalls<'a>,
        log: &'a mut CallLog<'b>,
    ) -> AnswerFuture<'a, Result<EndedCalls, Fault>> {
        Box::pin(ready(self.recall(asked.calls).map(|came| log.end(asked, came))))
    }

    /// Waits for nothing.
    fn wait<'a, 'b: 'a>(
        &'a mut self,
        _wait: &'a Wait,
        log: &'a mut CallLog<'b>,
    ) -> AnswerFuture<'a, Result<Option<u64>, Fault>> {
        let waited = match self.calls.front() {
            Some(Answer::Waited(waited)) => *waited,
            _ => None,
        };
        if let Some(Answer::Waited(_)) = self.calls.front() {
            self.calls.pop_front();
        }
        Box::pin(ready(log.waited(waited, false).map(|()| waited)))
    }
}

fn differences(
    entry: &Entry,
    body: &Body,
    outcome: &Outcome,
    answers: &[Answer],
) -> Vec<Difference> {
    let now = record::outcome(outcome);
    let mut found = Vec::new();
    let mut compare = |field: &str, recorded: Value, now: Value| {
        if recorded != now {
            found.push(Difference { field: field.to_owned(), recorded, now });
        }
    };
    compare("ending", json!(entry.ending), json!(record::ending(outcome).name()));
    // An outcome that was not kept is not compared.
    if let Some(kept) = &body.outcome {
        if let Some(digest) = kept.digest() {
            compare("outcome", json!(digest), json!(Digest::of(&now.to_string())));
        } else {
            let recorded = fields(&parse(kept));
            let now = fields(&now);
            let names: BTreeSet<&String> = recorded.keys().chain(now.keys()).collect();
            for name in names {
                let of = |fields: &Map<String, Value>| fields.get(name).cloned();
                compare(name, of(&recorded).unwrap_or_default(), of(&now).unwrap_or_default());
            }
        }
    }
    let usage = &outcome.usage;
    let fuel = i64::try_from(usage.fuel).unwrap_or(i64::MAX);
    compare("fuel", json!(entry.fuel), json!(fuel));
    // What a step took that was not evaluated again is not known.
    if !step_log::has_passed(&body.answers) {
        compare("memory", json!(body.memory), json!(usage.peak_memory));
        compare("depth", json!(body.depth), json!(usage.peak_depth));
    }
    compare("answers", json!(comparable(&body.answers)), json!(comparable(answers)));
    found
}

/// Answers without what is of one run alone: what somebody said of calls of which nobody knew what they
/// had done, the times of steps, and which of these were not evaluated again.
fn comparable(answers: &[Answer]) -> Vec<Answer> {
    let mut answers = answers.to_vec();
    let made = answers.iter_mut().filter_map(|answer| match answer {
        Answer::Calls(made) => Some(made),
        _ => None,
    });
    made.flatten().for_each(|made| made.decided = None);
    step_log::timeless(&mut answers);
    answers
}

/// The members of an outcome. Those of nested objects get names such as `fault.at`.
fn fields(outcome: &Value) -> Map<String, Value> {
    let mut fields = Map::new();
    for (name, value) in outcome.as_object().into_iter().flatten() {
        match value.as_object() {
            Some(members) if name == "fault" => {
                let named = members.iter().map(|(member, it)| (format!("fault.{member}"), it));
                fields.extend(named.map(|(name, it)| (name, it.clone())));
            }
            _ => drop(fields.insert(name.clone(), value.clone())),
        }
    }
    fields
}

/// The JSON value of a payload; null if it was tampered with.
fn parse(payload: &Payload) -> Value {
    serde_json::from_str(payload.text()).unwrap_or_default()
}
