//! Recursion that follows the structure of an argument: which argument gets smaller, and how often.

use super::value::{Entry, Function};
use pif_language::form::Form;
use pif_language::term::{NameId, TermId, Terms};
use pif_language::walk::nodes;

/// How an argument changes from call to call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// A list loses an element, or more.
    Shorter,
    /// A number gets less by one or more, down to at most so much below zero.
    Less { below: u64 },
    /// A number gets more by one or more, as long as it is less than what the term gives.
    More { limit: TermId },
}

/// An argument that ends the recursion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Descent {
    pub(super) parameter: usize,
    pub(super) change: Change,
}

/// The name by which a function calls itself, if it is one of a `letrec`.
fn own_name(terms: &Terms, function: &Function) -> Option<NameId> {
    let scope = function.env.as_ref()?;
    let mut at = Some(scope);
    while let Some(scope) = at {
        if let Entry::Recursive(group, _) = scope.entry {
            let place = terms.names(group).iter().position(|it| *it == scope.name)?;
            if terms.operand(group, place) == function.term {
                return Some(scope.name);
            }
        }
        at = scope.outer.as_ref();
    }
    None
}

fn is_own(terms: &Terms, name: Option<NameId>, term: TermId) -> bool {
    match terms.form(term) {
        Form::SelfRef => true,
        Form::Var => Some(terms.only_name(term)) == name,
        _ => false,
    }
}

/// Whether a function names itself.
pub(super) fn calls_itself(terms: &Terms, function: &Function) -> bool {
    let name = own_name(terms, function);
    let body = terms.operand(function.term, 0);
    nodes(terms, body).any(|it| is_own(terms, name, it))
}

/// Finds what ends the recursion of a function that calls itself at most once on each way.
pub(super) fn find(terms: &Terms, function: &Function) -> Option<Descent> {
    let name = own_name(terms, function);
    let body = terms.operand(function.term, 0);
    let mut calls = Vec::new();
    if most_calls(terms, name, body, &mut calls)? > 1 || calls.is_empty() {
        return None;
    }
    let parameters = terms.names(function.term);
    (0..parameters.len()).find_map(|parameter| {
        let variable = *parameters.get(parameter)?;
        let mut changes = calls.iter().map(|call| {
            let argument = terms.operand(*call, parameter + 1);
            change(terms, variable, argument, body)
        });
        let first = changes.next()??;
        let is_same = changes.all(|it| it == Some(first));
        let is_fixed = match first {
            Change::More { limit } => calls.iter().all(|it| keeps(terms, parameters, *it, limit)),
            Change::Shorter | Change::Less { .. } => true,
        };
        (is_same && is_fixed).then_some(Descent { parameter, change: first })
    })
}

/// Whether a call gives on, as they are, the parameters that a term names.
fn keeps(terms: &Terms, parameters: &[NameId], call: TermId, term: TermId) -> bool {
    let named = |name: NameId| {
        nodes(terms, term).any(|it| terms.form(it) == Form::Var && terms.only_name(it) == name)
    };
    parameters.iter().enumerate().filter(|it| named(*it.1)).all(|(at, name)| {
        let argument = terms.operand(call, at + 1);
        terms.form(argument) == Form::Var && terms.only_name(argument) == *name
    })
}

/// How many calls of itself a term makes at most on one way; none if it uses itself otherwise.
fn most_calls(
    terms: &Terms,
    name: Option<NameId>,
    root: TermId,
    calls: &mut Vec<TermId>,
) -> Option<u32> {
    // Of each term the count, from the operands up.
    let (mut work, mut done) = (vec![(root, false)], Vec::<u32>::new());
    while let Some((term, is_left)) = work.pop() {
        let form = terms.form(term);
        let operands = terms.operands(term);
        if is_left {
            let counts = done.split_off(done.len().saturating_sub(operands.len()));
            let sum = |counts: &[u32]| counts.iter().sum::<u32>();
            let is_call = form == Form::App && is_own(terms, name, terms.operand(term, 0));
            let count = match (form, &counts[..]) {
                (Form::If, [test, then, otherwise]) => test + then.max(otherwise),
                (Form::Lam, counts) if sum(counts) > 0 => return None,
                // Within `try`, or on the way to an element, it is called an unknown number of times.
                _ => sum(&counts) + u32::from(is_call),
            };
            if is_call {
                calls.push(term);
            }
            done.push(count);
        } else if is_own(terms, name, term) {
            return None;
        } else if operands.is_empty() || form == Form::Quote {
            done.push(0);
        } else {
            work.push((term, true));
            let is_call = form == Form::App && is_own(terms, name, terms.operand(term, 0));
            let from = usize::from(is_call);
            work.extend(operands.iter().skip(from).rev().map(|it| (*it, false)));
            if is_call {
                done.push(0);
            }
        }
    }
    done.pop()
}

/// How an argument of a call differs from the parameter.
fn change(terms: &Terms, variable: NameId, argument: TermId, body: TermId) -> Option<Change> {
    let is_it = |term: TermId| terms.form(term) == Form::Var && terms.only_name(term) == variable;
    let literal = |term: TermId| terms.literal::<i64>(term);
    let operands = terms.operands(argument);
    match (terms.form(argument), operands) {
        (Form::Tail, [list]) if is_it(*list) => Some(Change::Shorter),
        (Form::Drop, [list, count]) if is_it(*list) && literal(*count)? > 0 => {
            Some(Change::Shorter)
        }
        (Form::Sub, [from, by]) if is_it(*from) => match literal(*by)? {
            1.. => lower_end(terms, variable, body),
            _ => None,
        },
        (Form::Add | Form::Plus, [a, b]) => {
            let by = if is_it(*a) { literal(*b)? } else { literal(*a).filter(|_| is_it(*b))? };
            match by {
                1.. => upper_end(terms, variable, body),
                ..0 => lower_end(terms, variable, body),
                0 => None,
            }
        }
        _ => None,
    }
}

/// The tests that hold wherever a function goes on, each as `a < b`, `a <= b` or `a == b`, and whether
/// that is true there.
fn tests(terms: &Terms, body: TermId) -> Vec<(TermId, bool)> {
    let mut found = Vec::new();
    let mut at = body;
    loop {
        match (terms.form(at), terms.operands(at)) {
            (Form::Let, operands) => at = operands.last().copied().unwrap_or_default(),
            (Form::If, [test, then, otherwise]) => {
                found.push((*test, true));
                let is_end = nodes(terms, *then).all(|it| !is_call(terms, it));
                let is_other_end = nodes(terms, *otherwise).all(|it| !is_call(terms, it));
                match (is_end, is_other_end) {
                    (true, _) => {
                        found.pop();
                        found.push((*test, false));
                        at = *otherwise;
                    }
                    (_, true) => at = *then,
                    _ => {
                        found.pop();
                        break;
                    }
                }
            }
            _ => break,
        }
        if found.len() > 100 {
            break;
        }
    }
    let mut all = Vec::new();
    for (test, truth) in found {
        let is_all =
            terms.form(test) == Form::And && truth || terms.form(test) == Form::Or && !truth;
        let inner = if is_all { terms.operands(test) } else { std::slice::from_ref(&test) };
        for test in inner {
            match (terms.form(*test), terms.operands(*test)) {
                (Form::Not, [inner]) => all.push((*inner, !truth)),
                _ => all.push((*test, truth)),
            }
        }
    }
    all
}

/// Whether a term may be a call of the function that it stands in.
fn is_call(terms: &Terms, term: TermId) -> bool {
    terms.form(term) == Form::App
}

/// A parameter that gets less, down to a number.
fn lower_end(terms: &Terms, variable: NameId, body: TermId) -> Option<Change> {
    let is_it = |term: TermId| terms.form(term) == Form::Var && terms.only_name(term) == variable;
    tests(terms, body).into_iter().find_map(|(test, truth)| {
        let [a, b] = *terms.operands(test) else { return None };
        let literal = if is_it(a) {
            b
        } else if is_it(b) {
            a
        } else {
            return None;
        };
        let end = terms.literal::<i64>(literal)?;
        let is_first = is_it(a);
        let goes_on = match (terms.form(test), truth) {
            (Form::Eq, false) => true,
            (Form::Lt | Form::Lte, true) => !is_first,
            (Form::Lt | Form::Lte, false) => is_first,
            (Form::Gt | Form::Gte, true) => is_first,
            (Form::Gt | Form::Gte, false) => !is_first,
            _ => false,
        };
        let below = end.min(0).unsigned_abs();
        goes_on.then_some(Change::Less { below })
    })
}

/// A parameter that gets more, up to a term that does not depend on it.
fn upper_end(terms: &Terms, variable: NameId, body: TermId) -> Option<Change> {
    let is_it = |term: TermId| terms.form(term) == Form::Var && terms.only_name(term) == variable;
    tests(terms, body).into_iter().find_map(|(test, truth)| {
        let [a, b] = *terms.operands(test) else { return None };
        let limit = if is_it(a) {
            b
        } else if is_it(b) {
            a
        } else {
            return None;
        };
        let is_first = is_it(a);
        let goes_on = match (terms.form(test), truth) {
            (Form::Lt | Form::Lte, true) | (Form::Gt | Form::Gte, false) => is_first,
            (Form::Lt | Form::Lte, false) | (Form::Gt | Form::Gte, true) => !is_first,
            _ => false,
        };
        let is_fixed = nodes(terms, limit).all(|it| !is_it(it));
        (goes_on && is_fixed).then_some(Change::More { limit })
    })
}
