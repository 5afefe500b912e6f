//! Runs what the analyst asks for: a program on many inputs, until a question is answered, the budget is
//! used up or the time is over. Such a run calls nobody, and nothing of it is kept.

use std::collections::BTreeMap;
use std::future::ready;
use std::time::Duration;

use pif_domain::json::{depth, has_wide_number};
use pif_domain::{Fault, FaultCode, fault};
use pif_sandbox::{
    Answer, AnswerFuture, Argument, Calls, Came, Code, Completion, Counterexample, Inquiry, Limits,
    Ran, Request, TrialRun, Tried, Watch, World, drive,
};
use serde_json::{Map, Value, json};

use super::types::Sight;
use super::world::Tools;

/// Limits of a run beside its fuel. They are equal on all servers, so that all come to equal answers.
const LIMITS: Limits = Limits { fuel: 0, depth: 1_000_000, memory: 16 << 20, output: 64 << 10 };

/// The inputs of a first step, and of a step that makes an input small.
const FEW: u32 = 16;

/// The most inputs of a step.
const MANY: u32 = 256;

/// The deepest nesting of JSON that becomes a part of a record: that of proofs, and more.
const DEEPEST: usize = 1_000;

/// The time to tell what was tried, when the time is over.
const GRACE: Duration = Duration::from_secs(1);

/// What came of an inquiry.
#[derive(Debug, Clone)]
pub struct InquiryResult {
    /// What its trials came to, in their order.
    pub tried: Vec<Tried>,
    /// Whether the time was over before it was.
    pub is_late: bool,
}

impl InquiryResult {
    /// The input that was looked for.
    #[must_use]
    pub fn found(&self) -> Option<&Counterexample> {
        self.tried.iter().find_map(|it| it.counterexample.as_ref())
    }

    /// The inputs that said something.
    #[must_use]
    pub fn inputs(&self) -> u64 {
        self.tried.iter().map(|it| it.inputs).sum()
    }

    /// What was tried, as members of a record.
    pub(super) fn put(&self, record: &mut Map<String, Value>) {
        let silent: u64 = self.tried.iter().map(|it| it.silent).sum();
        let fuel: u64 = self.tried.iter().map(|it| it.fuel).sum();
        let exhaustive = self.tried.first().map_or(0, |it| it.exhaustive);
        let told = json!({"inputs": self.inputs(), "silent": silent, "exhaustive": exhaustive, "fuel": fuel});
        record.insert("tried".to_owned(), told);
        let ended_by = match (self.is_late, self.tried.iter().any(|it| it.is_cut)) {
            (true, _) => "time",
            (false, true) => "fuel",
            (false, false) => return,
        };
        record.insert("ended_by".to_owned(), ended_by.into());
    }
}

/// The input that was looked for, as members of a record.
pub(super) fn put_found(found: &Counterexample, record: &mut Map<String, Value>) {
    put_exact(record, ["args", "args_exact"], &found.arguments);
    let outcomes: Vec<Value> = found.outcomes.iter().map(told).collect();
    record.insert("outcomes".to_owned(), outcomes.into());
    for (names, text) in
        [(["call", "call_exact"], &found.call), (["example", "example_exact"], &found.example)]
    {
        if let Some(text) = text {
            put_exact(record, names, text);
        }
    }
}

/// Adds JSON to a record: as a value under the first name if parsers of clients keep it exactly, as a text
/// under the second name if they might not.
pub(super) fn put_exact(
    record: &mut Map<String, Value>,
    [name, exact]: [&'static str; 2],
    text: &str,
) {
    let is_shallow = depth(text.as_bytes()) <= DEEPEST && !has_wide_number(text);
    match is_shallow.then(|| serde_json::from_str(text).ok()).flatten() {
        Some(value) => record.insert(name.to_owned(), value),
        None => record.insert(exact.to_owned(), text.into()),
    };
}

/// What came of a run, as a record.
fn told(came: &Came) -> Value {
    let mut record = Map::new();
    match came {
        Came::Value((text, _)) => put_exact(&mut record, ["value", "exact"], text),
        Came::Fault(code) => _ = record.insert("fault".to_owned(), code.as_str().into()),
        Came::Nothing => {}
    }
    Value::Object(record)
}

impl Sight<'_> {
    /// Runs what an inquiry asks for, within the time of the watch.
    pub(super) fn inquire(&self, inquiry: &Inquiry, watch: &Watch) -> Result<InquiryResult, Fault> {
        let mut alone = Alone { tools: self.tools, known: BTreeMap::new(), has_asked: false };
        let mut turn = self.sandbox.inquire(inquiry, (None, &[]), FEW, watch)?;
        let mut most = FEW;
        loop {
            if turn.runs.is_empty() {
                return Ok(InquiryResult { tried: turn.tried, is_late: false });
            }
            let (mut came, mut left) = (Vec::with_capacity(turn.runs.len()), turn.fuel);
            let mut is_late = false;
            for run in &turn.runs {
                let Some(program) = usize::try_from(run.program).ok() else { break };
                let Some(code) = turn.programs.get(program).filter(|_| left > 0) else { break };
                match self.try_run(code, run, left, &mut alone, watch)? {
                    None => {
                        is_late = true;
                        break;
                    }
                    Some(ran) => {
                        left = left.saturating_sub(ran.fuel);
                        came.push(ran);
                    }
                }
            }
            let is_found = turn.tried.iter().any(|it| it.counterexample.is_some());
            most = if is_found { FEW } else { most.saturating_mul(2).min(MANY) };
            let grace = watch.again_for(GRACE);
            let next = (Some(&turn.state), came.as_slice());
            let next =
                self.sandbox.inquire(inquiry, next, most, if is_late { &grace } else { watch });
            turn = match next {
                Ok(next) if is_late => return Ok(InquiryResult { tried: next.tried, is_late }),
                Ok(next) => next,
                Err(fault) if fault.code == FaultCode::Timeout => {
                    return Ok(InquiryResult { tried: turn.tried, is_late: true });
                }
                Err(fault) => return Err(fault),
            };
        }
    }

    /// Makes a run. None: the time was over before.
    fn try_run(
        &self,
        code: &str,
        run: &TrialRun,
        left: u64,
        alone: &mut Alone<'_>,
        watch: &Watch,
    ) -> Result<Option<Ran>, Fault> {
        let request = Request {
            code: Code::Term(code.to_owned()),
            // What the program gives is the outcome, also where that is a function.
            argument: Argument::Unapplied,
            context: Some(format!("{{\"data\":{}}}", run.data)),
            bindings: Vec::new(),
            keep: false,
            limits: Limits { fuel: run.fuel.min(left), ..LIMITS },
            step: 0,
            max_steps: 0,
            output_schema: None,
            debug: false,
            steps: 0,
        };
        alone.has_asked = false;
        let outcome = drive(self.sandbox, request, alone, watch);
        let told = match outcome.ending {
            Ok(Completion::Value(value)) => Came::Value((value.json, value.kind)),
            Ok(Completion::Continuation(_)) => Came::Nothing,
            Err(_) if alone.has_asked => Came::Nothing,
            Err(fault) => match fault.code {
                FaultCode::Timeout => return Ok(None),
                FaultCode::Cancelled | FaultCode::Storage => return Err(fault),
                code => Came::Fault(code.name().to_owned()),
            },
        };
        Ok(Some(Ran { told, fuel: outcome.usage.fuel }))
    }
}

/// A world without others. A run that asks them for something ends, and says nothing.
struct Alone<'a> {
    tools: &'a Tools,
    /// The sources of tools that were looked up.
    known: BTreeMap<String, Option<String>>,
    has_asked: bool,
}

impl Alone<'_> {
    fn look_up(&mut self, name: &str) -> Result<Option<String>, Fault> {
        if let Some(source) = self.known.get(name) {
            return Ok(source.clone());
        }
        let source = self.tools.look_up(name)?.map(|(source, _)| source);
        self.known.insert(name.to_owned(), source.clone());
        Ok(source)
    }
}

impl World for Alone<'_> {
    fn source<'a>(&'a mut self, tool: &'a str) -> AnswerFuture<'a, Result<Option<String>, Fault>> {
        Box::pin(ready(self.look_up(tool)))
    }

    fn similar<'a>(&'a mut self, _: &'a str) -> AnswerFuture<'a, Option<String>> {
        Box::pin(ready(None))
    }

    fn perform<'a>(&'a mut self, _: &'a Calls) -> AnswerFuture<'a, Result<Answer, Fault>> {
        self.has_asked = true;
        let message = "a run of an inquiry calls nobody".to_owned();
        Box::pin(ready(Err(fault(FaultCode::CapabilityDenied, message, None))))
    }

    fn advance(&mut self, _: u64) {}

    fn debug(&mut self, _: &str) {}
}
