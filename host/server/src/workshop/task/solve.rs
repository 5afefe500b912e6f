//! The course of a task. It asks, checks and runs by a helper and knows nothing else, so equal answers
//! give an equal course.

use std::time::Instant;

use pif_domain::{
    Call, CallOutcome, CallResult, CallSummary, Completion, Excess, Failure, Fault, FaultCode,
    Limit, Message, Reason, estimated_tokens, fault,
};
use pif_sandbox::{AnswerFuture, milliseconds};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::account::{account, function, missed, no_program, told};
use super::answer::program;
use super::assignment::Assignment;
use super::prompt::{again, opening};
use crate::workshop::trial::is_same;

/// The name under which the journal has what a model was asked.
pub(super) const MODEL: &str = "pif.model";

/// Who asks the model, checks programs and runs them.
pub trait Helper: Send {
    /// Has the model go on with a conversation.
    fn ask<'a>(
        &'a mut self,
        messages: &'a [Message],
    ) -> AnswerFuture<'a, Result<Completion, ModelError>>;
    /// Checks a program, with sure repairs.
    fn check<'a>(&'a mut self, program: &'a str) -> AnswerFuture<'a, Result<Screening, Fault>>;
    /// Runs a program on data. A fault is the end of the task.
    fn run<'a>(
        &'a mut self,
        program: &'a str,
        data: Option<&'a str>,
    ) -> AnswerFuture<'a, Result<Ran, Fault>>;
}

/// Why a model has not answered.
#[derive(Debug)]
pub enum ModelError {
    /// It, or the way to it, failed.
    Failed(Failure),
    /// The task has to stop.
    Stopped(Fault),
}

/// What a check comes to.
#[derive(Debug)]
pub enum Screening {
    /// The program with sure repairs.
    Fit(String),
    /// What is wrong with it, as the journal has faults.
    Wrong(Value),
}

/// What a run of a program comes to.
#[derive(Debug)]
pub struct Ran {
    /// The number of its entry.
    pub entry: i64,
    /// Its outcome, as the journal has it.
    pub outcome: Value,
    /// The calls that it has made.
    pub made: Vec<CallSummary>,
    /// The tool of a call that was made and is not known to be safe to repeat.
    pub wrote: Option<String>,
}

/// A run of a program, as the entry of the task tells of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunTold {
    /// The number of its entry.
    pub entry: i64,
    /// The tool of a call that was made and is not known to be safe to repeat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrote: Option<String>,
}

/// A program that was tried.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attempt {
    /// The program as the model wrote it; None: the answer held none.
    pub program: Option<String>,
    /// The program with sure repairs, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed: Option<String>,
    /// Its runs: on the data, then on the examples.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<RunTold>,
    /// What was wrong; None: it solved the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Value>,
}

/// What a task has come to.
#[derive(Debug)]
pub struct Solution {
    /// The JSON text of the answer, or why there is none.
    pub ending: Result<String, Fault>,
    /// The program that solved the task.
    pub program: Option<String>,
    /// All programs.
    pub attempts: Vec<Attempt>,
    /// All calls of other servers.
    pub calls: Vec<CallSummary>,
    /// The tokens of all conversations.
    pub tokens: u64,
    /// The model that answered last.
    pub model: Option<String>,
    /// What the model was asked, each with what came of it.
    pub(super) asked: Vec<(Call, CallResult)>,
}

/// A task on its way.
struct Course<'a> {
    asked: &'a Assignment,
    helper: &'a mut dyn Helper,
    solution: Solution,
}

/// Has a model write programs until one solves the task.
pub async fn solve(asked: &Assignment, helper: &mut dyn Helper) -> Solution {
    let solution = Solution {
        ending: Err(unsolved(asked, 0)),
        program: None,
        attempts: Vec::new(),
        calls: Vec::new(),
        tokens: 0,
        model: None,
        asked: Vec::new(),
    };
    let mut course = Course { asked, helper, solution };
    course.solution.ending = course.go().await;
    course.solution
}

impl Course<'_> {
    async fn go(&mut self) -> Result<String, Fault> {
        for _ in 0..self.asked.max_loops {
            let messages = self.messages();
            self.ensure_tokens(&messages)?;
            let mut attempt = Attempt::default();
            let found = match self.ask(&messages).await? {
                Ok(text) => match program(&text) {
                    Some(written) => {
                        attempt.program = Some(written);
                        self.attempt(&mut attempt).await
                    }
                    None => Ok(Err(no_program())),
                },
                Err(failure) => {
                    Ok(Err(told(FaultCode::ModelFailed.name(), &failure.message, "answer shortly")))
                }
            };
            let (ending, wrote) = match found {
                Ok(Ok(value)) => {
                    let program = attempt.fixed.clone().or_else(|| attempt.program.clone());
                    self.solution.program = program;
                    (Some(Ok(value)), None)
                }
                Ok(Err(fault)) => {
                    attempt.fault = Some(fault);
                    (None, attempt.runs.iter().find_map(|it| it.wrote.clone()))
                }
                Err(stopped) => (Some(Err(stopped)), None),
            };
            self.solution.attempts.push(attempt);
            match (ending, wrote) {
                (Some(ending), _) => return ending,
                (None, Some(tool)) => return Err(partial(&tool, self.last_fault())),
                (None, None) => {}
            }
        }
        let mut fault = unsolved(self.asked, self.solution.attempts.len());
        let last = self.last_fault().map(account).unwrap_or_default();
        fault.hint = last.lines().next().map(|line| format!("the last one: {line}"));
        Err(fault)
    }

    fn last_fault(&self) -> Option<&Value> {
        self.solution.attempts.last()?.fault.as_ref()
    }

    fn messages(&self) -> Vec<Message> {
        match self.solution.attempts.last() {
            Some(Attempt { program, fixed, fault: Some(fault), .. }) => {
                again(self.asked, fixed.as_deref().or(program.as_deref()), fault)
            }
            _ => opening(self.asked),
        }
    }

    /// Ends the task if the next conversation would exceed its tokens.
    fn ensure_tokens(&self, messages: &[Message]) -> Result<(), Fault> {
        let bytes = messages.iter().map(|it| it.content.len()).sum();
        let used = self.solution.tokens.saturating_add(estimated_tokens(bytes));
        let limit = self.asked.most_tokens;
        if used <= limit {
            return Ok(());
        }
        let message = "the task has used up its tokens".to_owned();
        let excess = Excess { name: Limit::TaskTokens, used, limit };
        Err(fault(FaultCode::Unsolved, message, None).by(Some(excess)))
    }

    /// Asks the model. Some failures are worth another question; others end the task.
    async fn ask(&mut self, messages: &[Message]) -> Result<Result<String, Failure>, Fault> {
        let args = json!({"messages": messages, "thinking": self.asked.thinking}).to_string();
        let call = Call { tool: MODEL.to_owned(), args, is_raw: false };
        let since = Instant::now();
        let came = self.helper.ask(messages).await;
        let millis = milliseconds(since.elapsed());
        let note = |outcome| self.solution.asked.push((call, CallResult::new(outcome, millis)));
        match came {
            Ok(completion) => {
                note(CallOutcome::Value(json!(completion).to_string()));
                self.solution.tokens = self.solution.tokens.saturating_add(completion.tokens);
                self.solution.model = Some(completion.model);
                Ok(Ok(completion.text))
            }
            Err(ModelError::Stopped(fault)) => Err(fault),
            Err(ModelError::Failed(failure)) => {
                note(failure.clone().into());
                match failure.reason {
                    Reason::Lost | Reason::BadOutput | Reason::TooLarge => Ok(Err(failure)),
                    Reason::Timeout => Err(self.late()),
                    _ => {
                        let hint = "the operator looks at `models` in capabilities.json";
                        Err(fault(FaultCode::ModelFailed, failure.message, Some(hint)))
                    }
                }
            }
        }
    }

    fn late(&self) -> Fault {
        let limit = self.asked.most_millis;
        let excess = Excess { name: Limit::TaskWallClock, used: limit, limit };
        let message = "the task has used up its time".to_owned();
        fault(FaultCode::Unsolved, message, None).by(Some(excess))
    }

    /// Tries a program: the answer, or what is wrong with it. The outer fault stops the task.
    async fn attempt(&mut self, attempt: &mut Attempt) -> Result<Result<String, Value>, Fault> {
        let written = attempt.program.clone().unwrap_or_default();
        let program = match self.helper.check(&written).await? {
            Screening::Wrong(fault) => return Ok(Err(fault)),
            Screening::Fit(program) => program,
        };
        if program != written {
            attempt.fixed = Some(program.clone());
        }
        let value = match self.run(&program, self.asked.data.as_deref(), attempt).await? {
            Ok(value) => value,
            Err(fault) => return Ok(Err(fault)),
        };
        for given in &self.asked.examples {
            match self.run(&program, Some(&given.data), attempt).await? {
                Ok(found) if is_same(&found, &given.output) => {}
                Ok(found) => return Ok(Err(missed(&given.data, &given.output, &found))),
                Err(fault) => return Ok(Err(fault)),
            }
        }
        Ok(Ok(value))
    }

    async fn run(
        &mut self,
        program: &str,
        data: Option<&str>,
        attempt: &mut Attempt,
    ) -> Result<Result<String, Value>, Fault> {
        let Ran { entry, outcome, made, wrote } = self.helper.run(program, data).await?;
        attempt.runs.push(RunTold { entry, wrote });
        self.solution.calls.extend(made);
        Ok(match (outcome["value"].as_str(), outcome["kind"].as_str()) {
            (Some(_), Some("function")) => Err(function()),
            (Some(value), _) => Ok(value.to_owned()),
            (None, _) if outcome["fault"].is_object() => Err(outcome["fault"].clone()),
            (None, _) => Err(told("fail", "the program asks to run again", "give a value")),
        })
    }
}

/// The fault of a task whose programs all failed.
fn unsolved(asked: &Assignment, tried: usize) -> Fault {
    let message = format!("none of {tried} programs solved the task");
    let most = asked.max_loops;
    let hint = format!("say more in `task`, or let it try more than {most} by `max_loops`");
    fault(FaultCode::Unsolved, message, Some(&hint))
}

/// The fault of a task that stops after a program that failed and wrote.
fn partial(tool: &str, last: Option<&Value>) -> Fault {
    let why = last.map(account).unwrap_or_default();
    let why = why.lines().next().unwrap_or_default();
    let tool = pif_domain::text::quote_one(tool);
    let message = format!("a program called {tool}, which may change something, and then failed");
    let hint = format!("look at what it has changed before you ask again; the fault: {why}");
    fault(FaultCode::PartialSideEffects, message, None).advised(Some(hint))
}
