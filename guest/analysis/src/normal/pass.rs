//! One pass: each node from its operands up, with the first rule that applies to it.

use super::scratch::Scratch;
use super::{branches, constants, lists, parts, variables};
use pif_language::form::Form;
use pif_language::term::TermId;

/// How a pass has ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ended {
    /// No rule applies.
    Fixed,
    /// The term is another now.
    Changed(TermId),
    /// There are no steps left. The term stays.
    OutOfSteps,
}

/// A rule: the term in place of another, if it applies.
type Rule = fn(&mut Scratch, TermId) -> Option<TermId>;

const RULES: [Rule; 5] =
    [variables::rule, branches::rule, constants::rule, parts::rule, lists::rule];

/// How often one node may be rewritten before its surroundings are.
const ROUNDS: usize = 8;

enum Work {
    Enter(TermId),
    /// The term that a variable is bound to is done.
    Bound(TermId),
    Leave(TermId),
}

/// Rewrites a term once, from its operands up.
pub(super) fn once(scratch: &mut Scratch, root: TermId) -> Ended {
    scratch.memo.clear();
    scratch.bound.clear();
    let (mut work, mut done) = (vec![Work::Enter(root)], Vec::new());
    while let Some(step) = work.pop() {
        if !scratch.step() {
            return Ended::OutOfSteps;
        }
        match step {
            Work::Enter(term) => enter(scratch, term, &mut work, &mut done),
            Work::Bound(term) => {
                let value = done.last().copied().unwrap_or_default();
                let name = scratch.terms.only_name(term);
                scratch.facts(value);
                scratch.bound.insert(name, value);
            }
            Work::Leave(term) => {
                let count = scratch.terms.operands(term).len();
                let operands = done.split_off(done.len().saturating_sub(count));
                let same = operands == scratch.terms.operands(term);
                let names = scratch.terms.names(term).to_vec();
                let form = scratch.form(term);
                let made = if same { term } else { scratch.bind(form, term, &operands, &names) };
                done.push(applied(scratch, made));
            }
        }
    }
    if scratch.is_over() {
        return Ended::OutOfSteps;
    }
    match done.pop() {
        Some(made) if made != root => Ended::Changed(made),
        _ => Ended::Fixed,
    }
}

fn enter(scratch: &mut Scratch, term: TermId, work: &mut Vec<Work>, done: &mut Vec<TermId>) {
    let form = scratch.form(term);
    if form == Form::Quote || form.is_literal() {
        done.push(term);
        return;
    }
    work.push(Work::Leave(term));
    let operands = scratch.terms.operands(term).to_vec();
    if let (Form::Let, [value, body]) = (form, &operands[..]) {
        work.extend([Work::Enter(*body), Work::Bound(term), Work::Enter(*value)]);
        return;
    }
    if matches!(form, Form::Lam | Form::Letrec) {
        note(scratch, term);
    }
    work.extend(operands.iter().rev().map(|it| Work::Enter(*it)));
}

/// Notes that parameters and recursive functions are bound, to values that are not known.
fn note(scratch: &mut Scratch, term: TermId) {
    for name in scratch.terms.names(term).to_vec() {
        let unknown = scratch.unknown;
        scratch.bound.insert(name, unknown);
    }
}

fn applied(scratch: &mut Scratch, term: TermId) -> TermId {
    let mut term = term;
    for _ in 0..ROUNDS {
        scratch.facts(term);
        let next = RULES.iter().find_map(|rule| rule(scratch, term));
        match next {
            Some(next) if next != term => term = next,
            _ => break,
        }
    }
    term
}
