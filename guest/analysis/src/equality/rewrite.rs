//! Steps from a term to another: which rules apply where.

use super::derivation::Deriver;
use super::matching::matched;
use pif_language::form::Form;
use pif_proof::check::instance;
use pif_proof::context::descend;
use pif_proof::proof::Step;
use pif_proof::rules::{RULES, Rule, Use};
use pif_proof::schemes;
use pif_proof::term::{Bindings, Term, at, canonical, replace};

/// Largest term that is made.
const LARGEST: usize = 600;
/// Most steps of one simplification.
const MOST: usize = 300;
/// Most nodes that the steps of one simplification look at.
const MOST_NODES: usize = 60_000;
/// The schemes that simplify, in the order in which they are tried.
const SIMPLIFYING: &[&str] = &["beta", "let", "literal", "member", "element", "lift-let"];

/// A term, and the steps that led to it.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    pub(super) term: Term,
    pub(super) steps: Vec<Step>,
}

/// Tells whether a program names itself.
pub(super) fn calls_itself(term: &Term) -> bool {
    term.form == Form::SelfRef || term.operands.iter().any(calls_itself)
}

/// All places in a term, each before those within it.
pub(super) fn places(term: &Term) -> Vec<Vec<usize>> {
    let (mut found, mut open) = (Vec::new(), vec![(term, Vec::new())]);
    while let Some((current, place)) = open.pop() {
        for (at, operand) in current.operands.iter().enumerate().rev() {
            open.push((operand, [&place[..], &[at]].concat()));
        }
        found.push(place);
    }
    found
}

/// The step that a rule makes at a place, if it applies there.
pub(super) fn step(
    program: &Term,
    place: &[usize],
    rule: &Rule,
    is_backward: bool,
) -> Option<Step> {
    let (side, other) =
        if is_backward { (&rule.right, &rule.left) } else { (&rule.left, &rule.right) };
    let term = at(program, place)?;
    if side.form != term.form && !is_open(side) {
        return None;
    }
    let bindings = matched(rule, side, term)?;
    let after = replace(program, place, &instance(other, &bindings, &rule.variables))?;
    let context = descend(program, place, calls_itself(program) || calls_itself(&after)).ok()?;
    let conditions = Deriver::conditions(rule, &bindings, &context)?;
    Some(Step {
        rule: rule.name.clone(),
        at: place.to_vec(),
        is_backward,
        bindings,
        conditions,
        after,
    })
}

/// Tells whether a side matches terms of any form.
fn is_open(side: &Term) -> bool {
    matches!(side.form, Form::Var | Form::App)
}

/// The step that a scheme makes at a place, if it applies there.
pub(super) fn scheme(program: &Term, place: &[usize], name: &str) -> Option<Step> {
    let (made, totals) = schemes::apply(name, at(program, place)?)?;
    let after = replace(program, place, &made)?;
    let context = descend(program, place, calls_itself(program) || calls_itself(&after)).ok()?;
    let derive = |it| Deriver::new().total(&context, it, 30);
    let conditions = totals.iter().map(derive).collect::<Option<Vec<_>>>()?;
    let bindings = Bindings::new();
    Some(Step {
        rule: name.to_owned(),
        at: place.to_vec(),
        is_backward: false,
        bindings,
        conditions,
        after,
    })
}

impl Chain {
    pub(super) fn new(term: Term) -> Self {
        Self { term, steps: Vec::new() }
    }

    pub(super) fn push(&mut self, step: Step) {
        self.term = step.after.clone();
        self.steps.push(step);
    }

    /// Simplifies the term as far as the rules go.
    pub(super) fn simplify(&mut self) {
        let mut nodes = 0;
        for _ in 0..MOST {
            nodes += self.term.size();
            if nodes > MOST_NODES {
                return;
            }
            let Some(step) = simpler(&self.term).filter(|it| it.after.size() <= LARGEST) else {
                return;
            };
            self.push(step);
        }
    }
}

/// The first step that makes a term simpler.
fn simpler(program: &Term) -> Option<Step> {
    let places = places(program);
    for place in &places {
        let schemes = SIMPLIFYING.iter().filter_map(|name| scheme(program, place, name));
        let rules = RULES.iter().filter(|it| it.usage == Use::Simplify);
        let mut steps = schemes.chain(rules.filter_map(|rule| step(program, place, rule, false)));
        if let Some(step) = steps.next() {
            return Some(step);
        }
    }
    // What can be swapped is put in order.
    let before = canonical(program);
    for place in &places {
        for rule in RULES.iter().filter(|it| it.usage == Use::Order) {
            let step = step(program, place, rule, false);
            if let Some(step) = step.filter(|it| canonical(&it.after) < before) {
                return Some(step);
            }
        }
    }
    None
}

/// All steps that neither simplify nor only put in order.
pub(super) fn others(program: &Term) -> Vec<Step> {
    let mut found = Vec::new();
    for place in places(program) {
        found.extend(scheme(program, &place, "lift"));
        for rule in RULES.iter().filter(|it| it.usage != Use::Simplify) {
            for is_backward in [false, true] {
                found.extend(step(program, &place, rule, is_backward));
            }
        }
    }
    found
}
