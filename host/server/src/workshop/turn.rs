//! One turn of a session: its definitions and its code run in order, with the bindings of the
//! session. They change the session all together, or nothing.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use pif_domain::text::{quote_one, time};
use pif_domain::{Fault, FaultCode, Limit, Part, fault};
use pif_sandbox::{Argument, Binding, Code, Completion, Outcome, Request, Watch, finish, give_way};
use pif_store::Store;
use pif_store::journal::Draft;
use pif_store::session::{BoundValue, LAST, TurnChanges, Which};
use serde_json::{Value, json};

use super::bindings::Bindings;
use super::observer::Observer;
use super::opening::Workshop;
use super::past::waits;
use super::run::{RunResult, Start};
use super::session::{OpenTurn, TurnResult};
use super::warden;
use super::world::Tools;

/// What a turn does beside its request.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The session.
    pub which: Which,
    /// Names with the code of their values. Each sees those before it.
    pub define: Vec<(String, String)>,
    /// The name that the value of the request is bound to.
    pub name: Option<String>,
    /// Where the code of the request stands in the arguments: the JSON Pointer of a definition, or
    /// empty.
    pub place: String,
}

impl Plan {
    /// The place of a definition.
    #[must_use]
    pub fn place(at: usize) -> String {
        format!("/define/{at}/1")
    }
}

/// The state of a turn between its runs.
struct Progress {
    begun: OpenTurn,
    bound: Vec<BoundValue>,
    entries: Vec<Draft>,
    fuel: u64,
    memory: u64,
    depth: u32,
}

impl Workshop {
    /// Makes a turn to its end.
    #[must_use]
    pub fn turn(&self, plan: &Plan, request: &Request, tools: &Tools, watch: &Watch) -> RunResult {
        finish(self.turn_in_turns(plan, request, tools, &mut (), watch))
    }

    /// Like [`Self::turn`], but yields the thread where it may take long.
    pub async fn turn_in_turns(
        &self,
        plan: &Plan,
        request: &Request,
        tools: &Tools,
        observer: &mut (dyn Observer + Send),
        watch: &Watch,
    ) -> RunResult {
        let start = Instant::now();
        let begun = match self.begin_turn(&plan.which) {
            Ok(begun) => begun,
            Err(fault) => {
                return RunResult::new(Outcome::before(fault), request.limits, start.elapsed());
            }
        };
        let bound = Vec::new();
        let entries = Vec::new();
        let mut progress = Progress { begun, bound, entries, fuel: 0, memory: 0, depth: 0 };
        let guard = warden::guard(&self.store, &progress.begun, watch);
        let runs = self.run_all(&mut progress, plan, request, tools, observer, watch);
        let (mut outcome, last) = runs.await;
        drop(guard);
        outcome.usage.fuel = progress.fuel;
        outcome.usage.peak_memory = progress.memory;
        outcome.usage.peak_depth = progress.depth;
        give_way().await;
        let made = match &mut outcome.ending {
            Ok(ending) => Some(made(ending, &progress, request, last)),
            Err(_) => None,
        };
        let defined = progress.bound.iter().map(|bound| bound.name.clone()).collect();
        if progress.entries.is_empty() {
            self.give_up_turn(&progress.begun);
            return RunResult::new(outcome, request.limits, start.elapsed());
        }
        let is_made = made.is_some();
        let since = Instant::now();
        let ended = self.end_turn(&progress.begun, progress.entries, made);
        observer.passed(Part::Journal, since);
        match ended {
            Ok((session, entry)) => {
                let turned = is_made.then_some(TurnResult { session, defined });
                RunResult {
                    entry,
                    turned,
                    ..RunResult::new(outcome, request.limits, start.elapsed())
                }
            }
            Err(fault) => {
                let outcome = Outcome { ending: Err(fault), ..outcome };
                RunResult::new(outcome, request.limits, start.elapsed())
            }
        }
    }

    /// Runs the definitions, then the request. Returns its outcome and its value as a term.
    async fn run_all(
        &self,
        progress: &mut Progress,
        plan: &Plan,
        request: &Request,
        tools: &Tools,
        observer: &mut (dyn Observer + Send),
        watch: &Watch,
    ) -> (Outcome, Option<Result<BoundValue, Fault>>) {
        for (at, (name, code)) in plan.define.iter().enumerate() {
            let request = Request {
                code: Code::Term(code.clone()),
                argument: Argument::Unapplied,
                context: None,
                output_schema: None,
                step: 0,
                max_steps: 0,
                ..request.clone()
            };
            let (outcome, term) =
                self.run_one(progress, name, &request, tools, observer, watch).await;
            let outcome = match (outcome.ending, term) {
                (Ok(_), Some(Ok(bound))) => {
                    define(&mut progress.bound, bound);
                    continue;
                }
                (Ok(_), Some(Err(fault))) => Outcome { ending: Err(fault), ..outcome },
                (Ok(_), None) => Outcome { ending: Err(no_term()), ..outcome },
                (Err(fault), _) => Outcome { ending: Err(fault), ..outcome },
            };
            return (within(&Plan::place(at), outcome), None);
        }
        let name = plan.name.as_deref().unwrap_or(LAST[0]);
        let (mut outcome, last) =
            self.run_one(progress, name, request, tools, observer, watch).await;
        if plan.name.is_some() && outcome.ending.is_ok() {
            match &last {
                Some(Ok(bound)) => define(&mut progress.bound, bound.clone()),
                Some(Err(fault)) => outcome.ending = Err(fault.clone()),
                None => outcome.ending = Err(no_term()),
            }
        }
        (within(&plan.place, outcome), last)
    }

    /// Makes one run of the turn. Returns its outcome and its value as a term.
    async fn run_one(
        &self,
        progress: &mut Progress,
        name: &str,
        request: &Request,
        tools: &Tools,
        observer: &mut (dyn Observer + Send),
        watch: &Watch,
    ) -> (Outcome, Option<Result<BoundValue, Fault>>) {
        let bindings = bindings(progress, &self.store);
        let mut request = Request { keep: true, ..request.clone() };
        request.limits.fuel = request.limits.fuel.saturating_sub(progress.fuel);
        if let Code::Term(_) = request.code {
            let names = bindings.names().map(|name| Binding { name, term: None });
            request.bindings = names.collect();
        }
        let before = Start { bindings: Some(bindings), ..Start::default() };
        let ran = self.run_unwritten(&request, tools.clone(), before, observer, watch).await;
        // A run of a turn does not wait.
        let Ok((RunResult { outcome, .. }, draft)) = ran else {
            return (Outcome::before(waits()), None);
        };
        progress.entries.push(draft);
        progress.fuel += outcome.usage.fuel;
        progress.memory = progress.memory.max(outcome.usage.peak_memory);
        progress.depth = progress.depth.max(outcome.usage.peak_depth);
        let term = match &outcome.ending {
            Ok(Completion::Value(value)) => value.term.clone().map(|term| {
                let term = term.map_err(Fault::from)?;
                self.ensure_registered(&term, tools, watch)?;
                Ok(BoundValue { name: name.to_owned(), kind: value.kind.clone(), term })
            }),
            _ => None,
        };
        (outcome, term)
    }
}

impl Workshop {
    /// Refuses a term that names a staged tool: the tool may never count.
    fn ensure_registered(&self, term: &str, tools: &Tools, watch: &Watch) -> Result<(), Fault> {
        if !tools.registered.is_view() {
            return Ok(());
        }
        let Ok(summary) = self.sandbox.check(term, &watch.again()) else { return Ok(()) };
        let mut names = summary.names().into_iter();
        let Some(staged) = names.find(|name| tools.registered.is_staged(name)) else {
            return Ok(());
        };
        let message = format!("the value names {}, which is only staged", quote_one(&staged));
        let hint = "commit the snapshot first";
        Err(Fault { at: "/value".to_owned(), ..fault(FaultCode::NotStorable, message, Some(hint)) })
    }
}

/// The outcome of code at a place of the arguments. A fault in a tool or a binding keeps its own
/// place.
fn within(place: &str, outcome: Outcome) -> Outcome {
    let Outcome { ending, usage, driven, tool } = outcome;
    let ending = ending.map_err(|fault| {
        let is_elsewhere = fault.tool.is_some() || fault.at.starts_with("/bindings/");
        let at = if is_elsewhere { fault.at } else { format!("{place}{}", fault.at) };
        Fault { at, ..fault }
    });
    Outcome { ending, usage, driven, tool }
}

/// What the session binds now, with what the turn has bound so far.
fn bindings(progress: &Progress, store: &Arc<dyn Store>) -> Bindings {
    let kept = progress.begun.bindings.iter();
    let kept: BTreeMap<String, String> =
        kept.map(|binding| (binding.name.clone(), binding.hash.clone())).collect();
    let new = progress.bound.iter().map(|bound| (bound.name.clone(), bound.term.clone()));
    Bindings { store: Some(Arc::clone(store)), kept, new: new.collect() }
}

/// Binds a name, in place of what it meant before.
fn define(all: &mut Vec<BoundValue>, bound: BoundValue) {
    all.retain(|it| it.name != bound.name);
    all.push(bound);
}

fn no_term() -> Fault {
    let message = "a continuation cannot be kept".to_owned();
    let hint = "run it to its end first: give `max_steps`";
    Fault { at: "/value".to_owned(), ..fault(FaultCode::NotStorable, message, Some(hint)) }
}

/// What the turn leaves behind. Warns of a value that is not kept.
fn made(
    ending: &mut Completion,
    progress: &Progress,
    request: &Request,
    last: Option<Result<BoundValue, Fault>>,
) -> TurnChanges {
    let most = Limit::SessionLast.fixed_count();
    let (last, reason) = match last {
        Some(Ok(bound)) if bound.term.len() <= most => {
            (Some(BoundValue { name: LAST[0].to_owned(), ..bound }), None)
        }
        Some(Ok(bound)) => {
            let reason = format!("its term has {} bytes, more than {most}", bound.term.len());
            (None, Some(reason))
        }
        Some(Err(fault)) => (None, Some(fault.message)),
        None => (None, Some("it is a continuation".to_owned())),
    };
    let (json, kind, warnings) = match ending {
        Completion::Value(it) => (&it.json, it.kind.as_str(), &mut it.warnings),
        Completion::Continuation(it) => (&it.json, "continuation", &mut it.warnings),
    };
    if let Some(reason) = reason {
        warnings.push(format!("the value is not kept as `{}`: {reason}", LAST[0]));
    }
    let mut told =
        json!({ "time": time::format(time::now()), "kind": kind, "fuel": progress.fuel });
    let mut put = |name: &str, value: Value| told[name] = value;
    match &request.code {
        Code::Term(text) => put("code", text.as_str().into()),
        Code::Tool(name) => put("tool", name.as_str().into()),
    }
    put("value", json.as_str().into());
    let defined: Vec<&str> = progress.bound.iter().map(|bound| bound.name.as_str()).collect();
    if !defined.is_empty() {
        put("defined", json!(defined));
    }
    shorten(&mut told);
    TurnChanges { bound: progress.bound.clone(), last, told: told.to_string() }
}

/// Puts sizes in place of texts that are too long to be remembered.
fn shorten(told: &mut Value) {
    for name in ["value", "code"] {
        if told.to_string().len() <= Limit::SessionTurn.fixed_count() {
            return;
        }
        if let Some(bytes) = told[name].as_str().map(str::len) {
            told[name] = json!({ "bytes": bytes });
        }
    }
}
