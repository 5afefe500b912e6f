//! Names: each binder gets one of its own before the rules, and a canonical one behind them.

use super::scratch::{Scratch, binds};
use pif_language::form::Form;
use pif_language::term::{NameId, TermId};
use pif_language::walk::{Step, schedule};
use std::collections::{BTreeMap, BTreeSet};

/// The term whose binders all have different names, and whose `let`s bind one name each.
pub(super) fn unique(scratch: &mut Scratch, root: TermId) -> TermId {
    let fresh = |scratch: &mut Scratch| scratch.fresh();
    let renamed = renamed(scratch, root, fresh);
    split(scratch, renamed)
}

/// The term with its chains of `let`s as one `let` each, and canonical names in order.
pub(super) fn canonical(scratch: &mut Scratch, root: TermId) -> TermId {
    let joined = joined(scratch, root);
    let free = free_names(scratch, joined);
    let mut number = 0_u32;
    renamed(scratch, joined, |scratch| {
        loop {
            number += 1;
            let name = format!("x{number}");
            if !free.contains(&name) {
                return scratch.terms.intern(&name);
            }
        }
    })
}

/// The variables that nothing binds, and all names within quotes.
fn free_names(scratch: &Scratch, root: TermId) -> BTreeSet<String> {
    let terms = &scratch.terms;
    let mut bound: BTreeMap<NameId, u32> = BTreeMap::new();
    let mut free = BTreeSet::new();
    let mut steps = vec![Step::Enter(root, 0)];
    while let Some(step) = steps.pop() {
        match step {
            Step::Enter(term, level) => {
                if terms.form(term) == Form::Var {
                    let name = terms.only_name(term);
                    if level > 0 || bound.get(&name).is_none_or(|it| *it == 0) {
                        free.insert(terms.name(name).to_owned());
                    }
                }
                schedule(terms, (term, level), &mut steps);
            }
            Step::Bind(name, _) => *bound.entry(name).or_default() += 1,
            Step::Unbind(name) => *bound.entry(name).or_default() -= 1,
        }
    }
    free
}

enum Work {
    Enter(TermId),
    Bind(TermId, usize),
    Leave(TermId),
}

/// Gives each binder a new name, in the order in which they stand in the text.
fn renamed(
    scratch: &mut Scratch,
    root: TermId,
    mut name_of: impl FnMut(&mut Scratch) -> NameId,
) -> TermId {
    // Of each name the new ones, the innermost last.
    let mut scopes: BTreeMap<NameId, Vec<NameId>> = BTreeMap::new();
    let (mut work, mut done) = (vec![Work::Enter(root)], Vec::new());
    while let Some(step) = work.pop() {
        match step {
            Work::Enter(term) => enter(scratch, term, &mut work, &mut done, &scopes),
            Work::Bind(term, at) => {
                let old = scratch.terms.names(term).get(at).copied().unwrap_or_default();
                let new = name_of(scratch);
                scopes.entry(old).or_default().push(new);
            }
            Work::Leave(term) => {
                let count = scratch.terms.operands(term).len();
                let operands = done.split_off(done.len().saturating_sub(count));
                let mut names = scratch.terms.names(term).to_vec();
                if binds(scratch.form(term)) {
                    for name in names.iter_mut().rev() {
                        let new = scopes.get_mut(name).and_then(Vec::pop);
                        *name = new.unwrap_or(*name);
                    }
                }
                let form = scratch.form(term);
                done.push(scratch.bind(form, term, &operands, &names));
            }
        }
    }
    done.pop().unwrap_or(root)
}

fn enter(
    scratch: &mut Scratch,
    term: TermId,
    work: &mut Vec<Work>,
    done: &mut Vec<TermId>,
    scopes: &BTreeMap<NameId, Vec<NameId>>,
) {
    let form = scratch.form(term);
    if form == Form::Var {
        let new = scopes.get(&scratch.terms.only_name(term)).and_then(|it| it.last());
        done.push(match new {
            Some(new) => scratch.variable(term, *new),
            None => term,
        });
        return;
    }
    if form == Form::Quote || form.is_literal() {
        done.push(term);
        return;
    }
    work.push(Work::Leave(term));
    let operands = scratch.terms.operands(term).to_vec();
    let names = scratch.terms.names(term).len();
    if form == Form::Let {
        work.extend(operands.get(names..).into_iter().flatten().map(|it| Work::Enter(*it)));
        for (at, operand) in operands.iter().enumerate().take(names).rev() {
            work.extend([Work::Bind(term, at), Work::Enter(*operand)]);
        }
        return;
    }
    work.extend(operands.iter().rev().map(|it| Work::Enter(*it)));
    if binds(form) {
        work.extend((0..names).rev().map(|at| Work::Bind(term, at)));
    }
}

/// Rebuilds a term from its operands up.
fn rebuilt(
    scratch: &mut Scratch,
    root: TermId,
    mut made: impl FnMut(&mut Scratch, TermId, Vec<TermId>) -> TermId,
) -> TermId {
    let (mut work, mut done) = (vec![(root, false)], Vec::new());
    while let Some((term, is_done)) = work.pop() {
        let operands = scratch.terms.operands(term);
        if is_done {
            let operands = done.split_off(done.len().saturating_sub(operands.len()));
            done.push(made(scratch, term, operands));
        } else if operands.is_empty() || scratch.form(term) == Form::Quote {
            done.push(term);
        } else {
            work.push((term, true));
            work.extend(operands.iter().rev().map(|it| (*it, false)));
        }
    }
    done.pop().unwrap_or(root)
}

/// The term whose `let`s bind one name each.
fn split(scratch: &mut Scratch, root: TermId) -> TermId {
    rebuilt(scratch, root, |scratch, term, mut operands| {
        let (form, names) = (scratch.form(term), scratch.terms.names(term).to_vec());
        if form != Form::Let {
            return scratch.bind(form, term, &operands, &names);
        }
        let body = operands.pop().unwrap_or_default();
        let pairs = names.iter().zip(operands).rev();
        pairs.fold(body, |body, (name, value)| {
            scratch.bind(Form::Let, term, &[value, body], &[*name])
        })
    })
}

/// A term whose operands are being joined: its names, and how many operands it gets.
struct Chain {
    names: Vec<NameId>,
    count: usize,
}

/// The term in which a `let` directly within a `let` is part of it.
fn joined(scratch: &mut Scratch, root: TermId) -> TermId {
    let mut work: Vec<(TermId, Option<Chain>)> = vec![(root, None)];
    let mut done = Vec::new();
    while let Some((term, ended)) = work.pop() {
        match ended {
            Some(Chain { names, count }) => {
                let operands: Vec<TermId> = done.split_off(done.len().saturating_sub(count));
                let form = scratch.form(term);
                done.push(scratch.bind(form, term, &operands, &names));
            }
            None if scratch.form(term) == Form::Quote => done.push(term),
            None => {
                let (names, operands) = chain(scratch, term);
                if operands.is_empty() {
                    done.push(term);
                    continue;
                }
                work.push((term, Some(Chain { names, count: operands.len() })));
                work.extend(operands.iter().rev().map(|it| (*it, None)));
            }
        }
    }
    done.pop().unwrap_or(root)
}

/// The names and the operands of a term; of a `let` with those of the `let`s that are its body.
fn chain(scratch: &Scratch, term: TermId) -> (Vec<NameId>, Vec<TermId>) {
    let terms = &scratch.terms;
    let mut names = terms.names(term).to_vec();
    let mut operands = terms.operands(term).to_vec();
    while let (Form::Let, Some(body)) = (terms.form(term), operands.last().copied()) {
        if terms.form(body) != Form::Let {
            break;
        }
        operands.pop();
        operands.extend(terms.operands(body));
        names.extend(terms.names(body));
    }
    (names, operands)
}
