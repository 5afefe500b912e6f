//! Runs a program again and again, within bounds, and journals nothing.

use std::cell::Cell;
use std::sync::Arc;

use pif_domain::{Fault, FaultCode};
use pif_sandbox::{Completion, Outcome, Request, Watch, drive};
use pif_store::journal::Answer;

use super::answers::{Answers, Before};
use crate::workshop::opening::Workshop;
use crate::workshop::world::{Tools, Witness};

/// The most runs of one search.
const MOST_RUNS: u32 = 1_500;

/// The most fuel of all runs of one search, unless a single run may have more.
const MOST_FUEL: u64 = 100_000_000;

/// Fuel that each run of a search may have.
const ENOUGH: u64 = 100_000;

/// The most continuations that one run drives.
const MOST_STEPS: u64 = 10_000;

/// Runs of one search.
pub(super) struct Bench<'a> {
    pub(super) workshop: &'a Workshop,
    pub(super) watch: Watch,
    calls: Arc<[Before]>,
    runs: Cell<u32>,
    fuel: Cell<u64>,
}

/// What came of a run.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) ending: Result<Completion, Fault>,
    pub(super) fuel: u64,
    /// The tools that it looked up, by their names.
    pub(super) tools: Vec<String>,
    /// The last argument that it told.
    pub(super) seen: Option<String>,
}

impl<'a> Bench<'a> {
    /// A search whose calls of other servers get these answers. Its clock starts now.
    pub(super) fn new(workshop: &'a Workshop, calls: &Arc<[Before]>, watch: &Watch) -> Self {
        let runs = Cell::new(0);
        let fuel = Cell::new(0);
        Self { workshop, watch: watch.again(), calls: Arc::clone(calls), runs, fuel }
    }

    /// Another search of this kind.
    pub(super) fn again(&self) -> Self {
        Self::new(self.workshop, &self.calls, &self.watch)
    }

    /// Runs a request. None: a bound of the search is met, or the run was stopped from outside.
    pub(super) fn run(&self, request: &Request, tools: &Tools) -> Option<Ran> {
        let most = MOST_FUEL.max(request.limits.fuel.saturating_mul(2));
        if self.runs.get() >= MOST_RUNS || self.fuel.get() >= most || self.watch.verdict().is_err()
        {
            return None;
        }
        self.runs.set(self.runs.get() + 1);
        let answers = Arc::new(Answers::new(Arc::clone(&self.calls)));
        let mut nobody = ();
        let live = self.workshop.live(tools.clone(), Arc::<Answers>::clone(&answers), &self.watch);
        let mut witness = Witness::new(live, &mut nobody);
        let max_steps = request.max_steps.min(MOST_STEPS);
        let request = Request { max_steps, ..request.clone() };
        let Outcome { ending, usage, .. } =
            drive(&self.workshop.sandbox, request, &mut witness, &self.watch);
        self.fuel.set(self.fuel.get().saturating_add(usage.fuel));
        if ending.as_ref().is_err_and(|fault| fault.code.is_worldly()) {
            return None;
        }
        let looked_up = witness.close().answers.into_iter().filter_map(|answer| match answer {
            Answer::Tool(name, _) => Some(name),
            _ => None,
        });
        Some(Ran { ending, fuel: usage.fuel, tools: looked_up.collect(), seen: answers.seen() })
    }

    /// The request with as much fuel as one that fails so needs, and some more: what becomes small needs
    /// less. Where a limit is met, the limits stay.
    pub(super) fn bounded(&self, request: &Request, tools: &Tools) -> Option<Request> {
        let ran = self.run(request, tools)?;
        let mut request = request.clone();
        if ran.ending.as_ref().is_err_and(|fault| fault.limit.is_none()) {
            let enough = ran.fuel.saturating_mul(4).saturating_add(ENOUGH);
            request.limits.fuel = request.limits.fuel.min(enough);
        }
        Some(request)
    }

    /// The fault of a run, if it has one.
    pub(super) fn fault(&self, request: &Request, tools: &Tools) -> Option<Option<Fault>> {
        Some(self.run(request, tools)?.ending.err())
    }
}

/// What tells a fault from others while the program stays as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sign {
    code: FaultCode,
    tool: Option<String>,
    /// Where it is, unless a limit was met: that is met anywhere.
    at: Option<String>,
    /// What an explicit `fail` says.
    said: Option<String>,
}

impl Sign {
    /// The sign of a fault while the input changes.
    pub(super) fn of(fault: &Fault) -> Self {
        let is_limit = fault.limit.is_some();
        Self {
            code: fault.code,
            tool: fault.tool.clone().filter(|_| !is_limit),
            at: (!is_limit).then(|| fault.at.clone()),
            said: (fault.code == FaultCode::Fail).then(|| fault.message.clone()),
        }
    }

    /// The sign of a fault while the program around its place changes.
    pub(super) fn around(fault: &Fault) -> Self {
        let excerpt = fault.excerpt.as_deref().map(str::to_owned);
        Self { at: excerpt.filter(|_| fault.limit.is_none()), ..Self::of(fault) }
    }

    /// The sign of a fault while tools change.
    pub(super) fn kind(fault: &Fault) -> Self {
        Self { at: None, tool: None, ..Self::of(fault) }
    }
}
