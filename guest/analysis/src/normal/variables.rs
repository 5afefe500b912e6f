//! Bindings and applications: what is bound takes the places of its variable.

use super::scratch::Scratch;
use super::uses::Uses;
use pif_language::form::Form;
use pif_language::term::{NameId, TermId};
use std::collections::BTreeMap;

/// Nodes of the largest function that takes the place of a variable more than once.
const SMALL: u32 = 12;
/// Bytes of the longest text that does.
const SHORT: usize = 40;

pub(super) fn rule(scratch: &mut Scratch, term: TermId) -> Option<TermId> {
    match scratch.form(term) {
        Form::Let => binding(scratch, term),
        Form::App => application(scratch, term),
        Form::Pipe => pipe(scratch, term),
        Form::Apply => list_application(scratch, term),
        Form::Letrec => recursive(scratch, term),
        _ => None,
    }
}

fn binding(scratch: &mut Scratch, term: TermId) -> Option<TermId> {
    let [value, body] = scratch.parts(Form::Let, term)?;
    let name = scratch.terms.only_name(term);
    if let Some(moved) = outward(scratch, name, value, body) {
        return Some(moved);
    }
    let uses = scratch.uses(body, name);
    let facts = scratch.facts(value);
    if uses.count == 0 {
        let is_free = !facts.faults && !facts.calls;
        return if is_free { Some(body) } else { None };
    }
    let is_body = scratch.form(body) == Form::Var && scratch.terms.only_name(body) == name;
    if is_body {
        return Some(value);
    }
    if takes_places(scratch, value, uses) {
        return Some(scratch.substitute(body, name, value));
    }
    None
}

/// Whether a term takes the places of the variable that is bound to it.
fn takes_places(scratch: &mut Scratch, value: TermId, uses: Uses) -> bool {
    let facts = scratch.facts(value);
    let is_movable = scratch.may_move(facts, uses);
    let is_once = uses.count == 1;
    match scratch.form(value) {
        Form::Var => is_movable,
        Form::Text => is_once || scratch.terms.text(value).len() <= SHORT,
        form if form.is_literal() => true,
        Form::Nil => true,
        Form::List if scratch.terms.operands(value).is_empty() => true,
        Form::Lam => is_once || facts.size <= SMALL,
        _ => is_once && !uses.in_function && is_movable,
    }
}

/// `let x = (let y = a in b) in c` is `let y = a in let x = b in c`.
fn outward(scratch: &mut Scratch, name: NameId, value: TermId, body: TermId) -> Option<TermId> {
    let [first, inner] = scratch.parts(Form::Let, value)?;
    let other = scratch.terms.only_name(value);
    let rest = scratch.let_one(name, inner, body);
    Some(scratch.let_one(other, first, rest))
}

fn application(scratch: &mut Scratch, term: TermId) -> Option<TermId> {
    let operands = scratch.terms.operands(term).to_vec();
    let (function, arguments) = operands.split_first()?;
    match scratch.form(*function) {
        Form::Lam => Some(applied(scratch, term, *function, arguments)),
        // The function is evaluated first, so what it binds goes outward.
        Form::Let => {
            let [value, inner] = scratch.parts(Form::Let, *function)?;
            let name = scratch.terms.only_name(*function);
            let operands = [&[inner], arguments].concat();
            let body = scratch.make(Form::App, term, &operands);
            Some(scratch.let_one(name, value, body))
        }
        Form::App => {
            let inner = scratch.terms.operands(*function).to_vec();
            let total = arguments.iter().all(|it| scratch.is_total(*it));
            // The arguments of the outer application come after the inner one.
            total.then(|| scratch.make(Form::App, term, &[inner, arguments.to_vec()].concat()))
        }
        Form::If => {
            let [test, then, otherwise] = scratch.parts(Form::If, *function)?;
            let is_each = [then, otherwise].iter().all(|it| scratch.form(*it) == Form::Lam);
            let is_small = arguments.iter().all(|it| is_atom(scratch, *it));
            if !is_each || !is_small {
                return None;
            }
            let mut branch = |function: TermId| {
                let function = scratch.renamed(function);
                scratch.make(Form::App, term, &[&[function], arguments].concat())
            };
            let (then, otherwise) = (branch(then), branch(otherwise));
            Some(scratch.make(Form::If, term, &[test, then, otherwise]))
        }
        _ => None,
    }
}

fn is_atom(scratch: &Scratch, term: TermId) -> bool {
    let form = scratch.form(term);
    form == Form::Var || form.is_literal()
}

/// A function that is written out, applied: its parameters are bound.
fn applied(scratch: &mut Scratch, term: TermId, function: TermId, arguments: &[TermId]) -> TermId {
    let names = scratch.terms.names(function).to_vec();
    let body = scratch.terms.operand(function, 0);
    let (given, rest) = arguments.split_at(names.len().min(arguments.len()));
    let (bound, waiting) = names.split_at(given.len());
    let mut inner = body;
    if !waiting.is_empty() {
        inner = scratch.bind(Form::Lam, function, &[body], waiting);
    }
    if rest.is_empty() {
        let pairs = bound.iter().zip(given).rev();
        return pairs.fold(inner, |inner, (name, value)| scratch.let_one(*name, *value, inner));
    }
    // All arguments are evaluated before the function is applied.
    let body = scratch.let_all(rest, |scratch, others| {
        let others: Vec<TermId> = others.iter().map(|it| scratch.variable(term, *it)).collect();
        scratch.make(Form::App, term, &[&[inner], &others[..]].concat())
    });
    let pairs = bound.iter().zip(given).rev();
    pairs.fold(body, |inner, (name, value)| scratch.let_one(*name, *value, inner))
}

/// All operands are evaluated before the first function is applied.
fn pipe(scratch: &mut Scratch, term: TermId) -> Option<TermId> {
    let operands = scratch.terms.operands(term).to_vec();
    let (value, functions) = operands.split_first()?;
    let is_plain = functions.iter().all(|it| scratch.is_total(*it));
    is_plain.then(|| {
        functions
            .iter()
            .fold(*value, |value, function| scratch.make(Form::App, term, &[*function, value]))
    })
}

/// `apply` to a literal list gives the function as many as it has parameters.
fn list_application(scratch: &mut Scratch, term: TermId) -> Option<TermId> {
    let [function, list] = scratch.parts(Form::Apply, term)?;
    if scratch.form(function) != Form::Lam || scratch.form(list) != Form::List {
        return None;
    }
    let count = scratch.terms.names(function).len();
    let arguments = scratch.terms.operands(list).to_vec();
    if arguments.is_empty() || arguments.len() > count {
        return None;
    }
    Some(scratch.make(Form::App, term, &[&[function], &arguments[..]].concat()))
}

/// Functions that nobody uses go, one that does not call itself is bound by a `let`, and the others
/// stand in the order in which they are first used.
fn recursive(scratch: &mut Scratch, term: TermId) -> Option<TermId> {
    let names = scratch.terms.names(term).to_vec();
    let operands = scratch.terms.operands(term).to_vec();
    let (body, functions) = operands.split_last()?;
    let places: BTreeMap<NameId, usize> = names.iter().copied().zip(0..).collect();
    let mut calls = Vec::new();
    for function in functions {
        calls.push(first_uses(scratch, *function, &places));
    }
    let (mut order, mut at) = (first_uses(scratch, *body, &places), 0);
    while let Some(used) = order.get(at).and_then(|it| calls.get(*it)) {
        let new: Vec<usize> = used.iter().filter(|it| !order.contains(it)).copied().collect();
        order.extend(new);
        at += 1;
    }
    let is_plain = |at: &usize| calls.get(*at).is_some_and(Vec::is_empty);
    if let Some(plain) = order.iter().copied().find(is_plain) {
        // A function that calls none of them is bound around the others.
        let (name, function) = (*names.get(plain)?, *functions.get(plain)?);
        order.retain(|it| *it != plain);
        let rest = ordered(scratch, term, &order);
        return Some(scratch.let_one(name, function, rest));
    }
    if order.iter().copied().eq(0..names.len()) {
        return None;
    }
    Some(ordered(scratch, term, &order))
}

/// The recursive functions of a term in this order; without any, its body.
fn ordered(scratch: &mut Scratch, term: TermId, order: &[usize]) -> TermId {
    let body = scratch.terms.operands(term).last().copied().unwrap_or_default();
    if order.is_empty() {
        return body;
    }
    let of = |all: &[u32]| order.iter().filter_map(|at| all.get(*at).copied()).collect::<Vec<_>>();
    let names: Vec<NameId> = of(scratch.terms.names(term));
    let mut operands: Vec<TermId> = of(scratch.terms.operands(term));
    operands.push(body);
    scratch.bind(Form::Letrec, term, &operands, &names)
}

/// Which of these variables a term uses, in the order of their first uses.
fn first_uses(scratch: &mut Scratch, root: TermId, places: &BTreeMap<NameId, usize>) -> Vec<usize> {
    let mut found = Vec::new();
    let mut left = vec![root];
    while let Some(term) = left.pop() {
        scratch.step();
        match scratch.form(term) {
            Form::Var => {
                let place = places.get(&scratch.terms.only_name(term));
                found.extend(place.filter(|it| !found.contains(*it)).copied());
            }
            Form::Quote => {}
            _ => left.extend(scratch.terms.operands(term).iter().rev()),
        }
    }
    found
}
