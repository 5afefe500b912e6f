//! Runs that wait for an approval: how they are kept, and what is known of them when they go on.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt::Write as _;

use pif_domain::text::quote_one;
use pif_domain::{
    Approval, Call, CallPreview, CallResult, Decision, Fault, FaultCode, Limit, Refusal, fault,
    named,
};
use pif_sandbox::{Calls, Passage};
use pif_store::journal::{Answer, Digest, Left, Parked, Pending, Policy, RunProgress, WaitState};

use super::call_record::{self as record, MissingAnswer};
use super::intent::{Intent, lost};
use super::refusal::stored;
use super::step_log;

/// Bytes of the secret in a handle.
const SECRET: usize = 32;

/// A run that waits for an approval, for whoever is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalWait {
    /// Its number. Each question of a run has a new one.
    pub run: i64,
    /// The calls that need the approval.
    pub wishes: Vec<CallPreview>,
    /// What was decided, if somebody has.
    pub decision: Option<Decision>,
    /// Until when it is kept, in milliseconds since 1970.
    pub until: i64,
    /// What names it to a client that holds its state. Nobody can guess it, and it serves once.
    pub handle: Option<String>,
}

/// A kept run, as it was found.
#[derive(Debug, Clone)]
pub struct WaitingRun {
    pub(super) row: Pending,
    pub(super) run: RunProgress,
    pub(super) waits: WaitState,
}

impl WaitingRun {
    /// The run, if it waits.
    pub(super) fn read(row: Pending) -> Option<Self> {
        let mut run = RunProgress::read(&row.parts);
        let waits = run.waits.take()?;
        Some(Self { row, run, waits })
    }

    /// What is asked.
    #[must_use]
    pub fn waiting(&self) -> ApprovalWait {
        ApprovalWait {
            run: self.row.id.unwrap_or_default(),
            wishes: self.waits.wishes.clone(),
            decision: self.waits.decision,
            until: self.row.until,
            handle: None,
        }
    }

    /// Whether a handle that is bound to this text names the run.
    pub(super) fn fits(&self, secret: &str, bound: &str) -> bool {
        self.waits.seal.as_deref() == Some(seal(secret, bound).as_str())
    }
}

/// What the store keeps of a handle.
fn seal(secret: &str, bound: &str) -> String {
    Digest::of(&format!("{secret} {bound}")).sha256
}

/// What is known of a run that goes on.
#[derive(Debug, Default)]
pub(super) struct ReplayLog {
    answers: VecDeque<Answer>,
    texts: HashMap<String, String>,
    /// The places in the last answer of calls that may have done something, where nobody knows.
    pub(super) unsure: Vec<usize>,
    /// Whether the answers tell where steps of the program begin.
    tells_steps: bool,
}

/// A step that is not evaluated, since it is written what it came to.
pub(super) struct SkippedStep {
    pub(super) given: Passage,
    /// All answers from its beginning to its end.
    pub(super) answers: Vec<Answer>,
    /// The texts of which these hold the digests.
    pub(super) texts: Vec<String>,
}

/// What came of calls before.
pub(super) enum RecordedAnswers {
    /// All of it.
    All(Result<Vec<CallResult>, Refusal>),
    /// That of some of them. The others are made now.
    Some(Vec<Option<CallResult>>),
}

impl ReplayLog {
    pub(super) fn new(answers: Vec<Answer>, texts: Vec<String>, unsure: Vec<usize>) -> Self {
        let texts = texts.into_iter().map(|text| (Digest::of(&text).sha256, text));
        let tells_steps = answers.iter().any(|it| matches!(it, Answer::Enter(_)));
        let mut past =
            Self { answers: answers.into(), texts: texts.collect(), unsure, tells_steps };
        past.settle();
        past
    }

    /// Whether the run has come as far as it was.
    pub(super) fn is_over(&self) -> bool {
        self.answers.is_empty()
    }

    /// Passes over what is asked again.
    fn settle(&mut self) {
        let is_told = |it: &Answer| {
            matches!(it, Answer::Calls(_) | Answer::Refused(..) | Answer::Waited(_))
                || matches!(it, Answer::Enter(_) | Answer::Leave(_))
        };
        while self.answers.pop_front_if(|it| !is_told(it)).is_some() {}
    }

    fn next(&mut self) -> Option<Answer> {
        let next = self.answers.pop_front();
        self.settle();
        next
    }

    /// What a step came to before that begins now, if it is written; else it is evaluated.
    pub(super) fn enter(&mut self, name: &str) -> Result<Option<SkippedStep>, Fault> {
        match self.answers.front() {
            Some(Answer::Enter(known)) if known == name => {}
            Some(_) if self.tells_steps => return Err(strayed()),
            _ => return Ok(None),
        }
        let Some(passed) = self.passed() else {
            self.next();
            return Ok(None);
        };
        self.answers.drain(..passed.answers.len());
        self.settle();
        Ok(Some(passed))
    }

    fn passed(&self) -> Option<SkippedStep> {
        let (end, left) = step_log::end_of(self.answers.iter())?;
        let came = left.came.as_ref()?;
        let text = |digest: &Digest| self.texts.get(&digest.sha256).cloned();
        let given = step_log::given(left, came, text(&came.value)?);
        let mut answers: Vec<Answer> = self.answers.iter().take(end).cloned().collect();
        let texts = step_log::digests(&answers).into_iter().map(text).collect::<Option<_>>()?;
        if let Some(Answer::Leave(left)) = answers.last_mut() {
            left.passed = true;
        }
        Some(SkippedStep { given, answers, texts })
    }

    /// How a step ended before that ends now, if that is written.
    pub(super) fn leave(&mut self) -> Result<Option<Left>, Fault> {
        match self.answers.front() {
            Some(Answer::Leave(left)) => {
                let left = left.clone();
                self.next();
                Ok(Some(left))
            }
            Some(_) if self.tells_steps => Err(strayed()),
            _ => Ok(None),
        }
    }

    /// What came of these calls before. Of a call that may have done something somebody has to say it
    /// first.
    pub(super) fn recall(&mut self, calls: &Calls) -> Result<Option<RecordedAnswers>, Fault> {
        let Some(next) = self.answers.front() else { return Ok(None) };
        if let (1, Answer::Calls(made)) = (self.answers.len(), next)
            && let Some(unsure) = self.unsure.first().and_then(|at| made.get(*at))
        {
            return Err(record::outcome_unknown(&unsure.asked.tool));
        }
        let text = |digest: &Digest| Ok(self.texts.get(&digest.sha256).cloned());
        let recalled = if next.is_open() {
            record::recall_some(&calls.calls, next, text).map(|it| it.map(RecordedAnswers::Some))
        } else {
            record::recall(&calls.calls, next, text).map(|it| it.map(RecordedAnswers::All))
        };
        match recalled {
            Ok(Some(recalled)) => {
                self.next();
                Ok(Some(recalled))
            }
            Err(MissingAnswer::Store(error)) => Err(stored(error)),
            Ok(None) | Err(MissingAnswer::Text(_)) => Err(strayed()),
        }
    }

    /// What was decided before, after a call had failed in a `retry`.
    pub(super) fn waited(&mut self) -> Result<Option<Option<u64>>, Fault> {
        match self.answers.front() {
            None => Ok(None),
            Some(Answer::Waited(waited)) => {
                let waited = *waited;
                self.next();
                Ok(Some(waited))
            }
            Some(_) => Err(strayed()),
        }
    }

    /// Passes over calls that were refused before any was made.
    pub(super) fn pass_refused(&mut self) {
        if let Some(Answer::Refused(..)) = self.answers.front() {
            self.next();
        }
    }
}

/// The fault of a run that asks for something else than it did before.
fn strayed() -> Fault {
    let message = "the run does not go on as it began, so nobody is called".to_owned();
    let hint = "the evaluator may have changed since: run the program again";
    fault(FaultCode::Internal, message, Some(hint))
}

impl Intent<'_> {
    /// Keeps the run until somebody answers. The refusal says why it cannot be kept.
    pub(super) fn put_off(
        &mut self,
        run: RunProgress,
        wishes: Vec<CallPreview>,
        granted: BTreeMap<String, Approval>,
        bound: Option<&str>,
    ) -> Result<Result<ApprovalWait, Refusal>, Fault> {
        let calls: Vec<Call> = wishes.iter().map(|wish| wish.call.clone()).collect();
        let refuse = |message: String, hint: &str| {
            let hint = Some(named(hint).into_owned());
            Ok(Err(Refusal { message, hint, ..Refusal::denied(&calls) }))
        };
        let tool = quote_one(calls.first().map_or("", |call| call.tool.as_str()));
        let Some(patience) = self.patience else {
            let message =
                format!("a call of {tool} needs an approval, and this run does not wait for one");
            return refuse(message, "make the call by `run`: it is kept until somebody decides");
        };
        if self.journal.settings().policy != Policy::Full {
            let message =
                format!("a call of {tool} needs an approval, and the run must not be kept");
            return refuse(
                message,
                "runs wait where the journal keeps payloads: --journal-payload full",
            );
        }
        let secret = bound.is_some().then(secret).transpose()?;
        let sealed = secret.as_deref().zip(bound);
        let sealed = sealed.map(|(secret, bound)| seal(secret, bound));
        let (asked, decision) = (wishes.clone(), None);
        let waits = WaitState { wishes, granted, as_of: self.as_of, seal: sealed, decision };
        let run = RunProgress { waits: Some(waits), ..run };
        let parked = self.journal.park(self.pending, run, patience.life, patience.most);
        let (run, until) = match parked.map_err(stored)? {
            (Parked::Kept(run), until) => (run, until),
            (Parked::Lost, _) => return Err(lost()),
            (Parked::Full, _) => {
                let message = format!(
                    "a call of {tool} needs an approval, and {} runs wait for theirs [{}]",
                    patience.most,
                    Limit::PendingRuns,
                );
                return refuse(message, "decide those first: `mcp-pif approve` lists them");
            }
        };
        let handle = secret.map(|secret| format!("{run}.{secret}"));
        Ok(Ok(ApprovalWait { run, wishes: asked, decision: None, until, handle }))
    }
}

/// How a run ends that is kept. Nobody reads this: its question is told instead.
pub(super) fn waits() -> Fault {
    fault(FaultCode::Internal, "the run waits for an approval".to_owned(), None)
}

/// A text that nobody can guess.
fn secret() -> Result<String, Fault> {
    let mut bytes = [0; SECRET];
    getrandom::fill(&mut bytes).map_err(|error| {
        let message = format!("the system has no random numbers: {error}");
        fault(FaultCode::Internal, message, None)
    })?;
    let mut text = String::with_capacity(2 * SECRET);
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    Ok(text)
}
