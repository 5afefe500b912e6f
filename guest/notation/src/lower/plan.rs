//! Lambda lifting (T. Johnsson, 1985). A local function takes the changing locals that it reads or
//! changes as further parameters, and gives those that it changes beside its value.

use crate::ast::{Ast, FunctionId, Kind};
use crate::lower::resolve::{Event, Origin, Resolved, VarId};
use std::collections::BTreeSet;

/// The changing locals that a function takes and gives.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// Locals that it takes as further parameters.
    pub(crate) takes: Vec<VarId>,
    /// Locals that it changes and gives beside its value.
    pub(crate) gives: Vec<VarId>,
}

impl Plan {
    /// Tells whether the function has further parameters.
    pub(crate) fn is_lifted(&self) -> bool {
        !self.takes.is_empty()
    }
}

/// Plans all functions.
pub(crate) fn plans(ast: &Ast<'_>, known: &Resolved<'_>) -> Vec<Plan> {
    let count = ast.functions.len();
    let mut plans = vec![Plan::default(); count];
    let changing: Vec<VarId> =
        (0..).take(known.vars.len()).filter(|var| known.var(*var).is_changed).collect();
    if changing.is_empty() {
        return plans;
    }
    let (mut writes, calls) = writes_and_calls(ast, known);
    let mut reads = writes.clone();
    add_reads(ast, known, &changing, &mut reads);
    for sets in [&mut writes, &mut reads] {
        close(ast, known, &calls, sets);
    }
    for (plan, (reads, writes)) in plans.iter_mut().zip(reads.into_iter().zip(writes)) {
        plan.takes = reads.into_iter().collect();
        plan.gives = writes.into_iter().collect();
    }
    plans
}

/// Finds the variables that each function changes, and the functions that it calls.
fn writes_and_calls(
    ast: &Ast<'_>,
    known: &Resolved<'_>,
) -> (Vec<BTreeSet<VarId>>, Vec<BTreeSet<FunctionId>>) {
    let mut writes = vec![BTreeSet::new(); ast.functions.len()];
    let mut calls = vec![BTreeSet::new(); ast.functions.len()];
    for event in &known.events {
        let mut owner = event.owner;
        // A change in an inner function is a change of the outer one, which may call it.
        while let Some(function) = owner {
            let var = known.var(event.var);
            if is_declared_outside(ast, function, var.at) {
                if event.is_call {
                    if let (Some(all), Some(callee)) =
                        (calls.get_mut(function as usize), var.function)
                    {
                        all.insert(callee);
                    }
                } else if let Some(all) = writes.get_mut(function as usize) {
                    all.insert(event.var);
                }
            }
            owner = owner_of(known, function);
        }
    }
    (writes, calls)
}

/// Adds the variables of which each function would read a stale value.
fn add_reads(
    ast: &Ast<'_>,
    known: &Resolved<'_>,
    changing: &[VarId],
    reads: &mut [BTreeSet<VarId>],
) {
    let mut by_var: Vec<Vec<&Event>> = vec![Vec::new(); known.vars.len()];
    for event in known.events.iter().filter(|event| !event.is_call) {
        if let Some(changes) = by_var.get_mut(event.var as usize) {
            changes.push(event);
        }
    }
    for var in changing {
        let info = known.var(*var);
        let changes = by_var.get(*var as usize).map_or(&[][..], Vec::as_slice);
        let mut seen = BTreeSet::new();
        for user in &info.users {
            let mut user = *user;
            while let Some(f) = user {
                if !is_declared_outside(ast, f, info.at) || !seen.insert(f) {
                    break;
                }
                if is_stale(ast, known, f, *var, changes)
                    && let Some(all) = reads.get_mut(f as usize)
                {
                    all.insert(*var);
                }
                user = owner_of(known, f);
            }
        }
    }
}

/// Returns the function around a function.
fn owner_of(known: &Resolved<'_>, function: FunctionId) -> Option<FunctionId> {
    known.owners.get(function as usize).copied().flatten()
}

/// Tells whether a variable that is declared at a byte is declared outside a function.
fn is_declared_outside(ast: &Ast<'_>, function: FunctionId, at: u32) -> bool {
    let (start, end) = ast.function(function).span;
    !(start..end).contains(&at)
}

/// Selects the events that change variables: changes, and calls of functions that make changes.
pub(crate) fn effects(known: &Resolved<'_>, plans: &[Plan]) -> Vec<Event> {
    let changes = |event: &&Event| {
        let function = known.var(event.var).function.filter(|_| event.is_call);
        match function {
            Some(function) => {
                plans.get(function as usize).is_some_and(|plan| !plan.gives.is_empty())
            }
            None => !event.is_call,
        }
    };
    known.events.iter().filter(changes).copied().collect()
}

/// Tells whether a local may change after a function that names it has been made.
fn is_stale(
    ast: &Ast<'_>,
    known: &Resolved<'_>,
    f: FunctionId,
    var: VarId,
    changes: &[&Event],
) -> bool {
    let (start, end) = ast.function(f).span;
    let info = known.var(var);
    let owner = known.owners.get(f as usize).copied().flatten();
    changes.iter().any(|event| {
        let in_loop = || {
            known.loops.iter().any(|(from, to)| {
                let is_around = *from <= start && end <= *to && *from <= event.at && event.at < *to;
                let is_new_each_time = *from <= info.at && info.at < *to;
                is_around && (info.origin == Origin::Declared(Kind::Var) || !is_new_each_time)
            })
        };
        event.at >= end || event.owner != owner || in_loop()
    })
}

/// Adds to each function's locals those of the functions that it calls.
fn close(
    ast: &Ast<'_>,
    known: &Resolved<'_>,
    calls: &[BTreeSet<FunctionId>],
    sets: &mut [BTreeSet<VarId>],
) {
    let mut is_done = false;
    while !is_done {
        is_done = true;
        for (f, callees) in calls.iter().enumerate() {
            let (start, end) = ast.functions.get(f).map_or((0, 0), |function| function.span);
            let more: Vec<VarId> = callees
                .iter()
                .filter_map(|callee| sets.get(*callee as usize))
                .flatten()
                .copied()
                .filter(|var| {
                    let at = known.var(*var).at;
                    !(start <= at && at < end)
                })
                .collect();
            let Some(set) = sets.get_mut(f) else { continue };
            let before = set.len();
            set.extend(more);
            is_done &= set.len() == before;
        }
    }
}
