//! Derivations are made here: types of terms, and why terms surely have values. The checker checks each.

use pif_language::form::Form;
use pif_language::kinds::{ANY, Kinds};
use pif_proof::check::derive::{fits, is_total, type_of};
use pif_proof::context::{Context, Origin};
use pif_proof::facts::{COMPOUND, FACTS, is_strict, needs, sifted};
use pif_proof::proof::Derivation;
use pif_proof::rules::{Condition, Rule};
use pif_proof::term::{Bindings, Term, is_same};
use pif_proof::types::Type;
use std::cell::Cell;

/// Most questions that the derivation of one condition may ask.
const MOST: u32 = 2000;
/// Deepest nesting of a derivation.
const DEEPEST: u32 = 30;

/// Makes derivations.
#[derive(Debug)]
pub(super) struct Deriver {
    left: Cell<u32>,
}

impl Deriver {
    pub(super) fn new() -> Self {
        Self { left: Cell::new(MOST) }
    }

    /// The derivations of the conditions of a rule, in their order. None if one does not hold, as far as
    /// is known.
    pub(super) fn conditions(
        rule: &Rule,
        bindings: &Bindings,
        context: &Context,
    ) -> Option<Vec<Derivation>> {
        let mut derivations = Vec::new();
        for condition in &rule.conditions {
            let deriver = Self::new();
            let bound = |name| bindings.get(name);
            let body = |function: &'_ Term| {
                let is_one = function.form == Form::Lam && function.names.len() == 1;
                function.operands.first().filter(|_| is_one).cloned()
            };
            derivations.push(match condition {
                Condition::Function(f, count) => {
                    let function = bound(f)?;
                    if function.form != Form::Lam || function.names.len() != *count {
                        return None;
                    }
                    continue;
                }
                Condition::Total(t) => deriver.total(context, bound(t)?, DEEPEST)?,
                Condition::TotalAfter(t, first) => {
                    deriver.total(&context.valued(bound(first)?), bound(t)?, DEEPEST)?
                }
                Condition::Is(t, wanted) => {
                    deriver.within(context, bound(t)?, &wanted.as_type())?
                }
                Condition::TotalOn(f, list) => {
                    let function = bound(f)?;
                    deriver.total(
                        &context.element(function, bound(list)?),
                        &body(function)?,
                        DEEPEST,
                    )?
                }
                Condition::GivesOn(f, list, wanted) => {
                    let function = bound(f)?;
                    let inner = context.element(function, bound(list)?);
                    deriver.within(&inner, &body(function)?, &wanted.as_type())?
                }
            });
        }
        Some(derivations)
    }

    fn within(&self, context: &Context, term: &Term, wanted: &Type) -> Option<Derivation> {
        let (found, derivation) = self.typed(context, term, DEEPEST);
        found.is_within(wanted).then_some(derivation)
    }

    /// Tells whether one more question may be asked.
    fn ask(&self) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        left > 0
    }

    /// The narrowest type that is found for a term.
    pub(super) fn typed(&self, context: &Context, term: &Term, depth: u32) -> (Type, Derivation) {
        let any = || (Type::any(), Derivation::by("any", Vec::new(), Vec::new()));
        if depth == 0 || !self.ask() {
            return any();
        }
        let mut best = any();
        for derivation in self.candidates(context, term, depth - 1) {
            if let Ok(found) = type_of(context, term, &derivation)
                && found != best.0
            {
                best = if found.is_within(&best.0) {
                    (found, derivation)
                } else if best.0.is_within(&found) {
                    best
                } else {
                    let both = Derivation::by("both", Vec::new(), vec![best.1.clone(), derivation]);
                    match type_of(context, term, &both) {
                        Ok(met) => (met, both),
                        Err(_) => best,
                    }
                };
            }
        }
        best
    }

    fn candidates(&self, context: &Context, term: &Term, depth: u32) -> Vec<Derivation> {
        let mut found = Vec::new();
        let operand = |at: usize| {
            let inner = context.inside(term, at);
            term.operands.get(at).map(|it| self.typed(&inner, it, depth))
        };
        let derivations = |all: Vec<(Type, Derivation)>| all.into_iter().map(|it| it.1).collect();
        match term.form {
            _ if term.literal.is_some() => {
                return vec![Derivation::by("literal", Vec::new(), Vec::new())];
            }
            Form::Lam => return vec![Derivation::by("lambda", Vec::new(), Vec::new())],
            Form::Var => found.extend(self.variable(context, term, depth)),
            Form::If => {
                let branches = [1, 2].into_iter().filter_map(operand).collect();
                found.push(Derivation::by("if", Vec::new(), derivations(branches)));
            }
            Form::Let => {
                let body = operand(1).into_iter().collect();
                found.push(Derivation::by("let", Vec::new(), derivations(body)));
            }
            Form::List
            | Form::Record
            | Form::Append
            | Form::Either
            | Form::Both
            | Form::Coalesce => {
                let rule = match term.form {
                    Form::List => "list",
                    Form::Record => "record",
                    Form::Append => "append",
                    _ => "either",
                };
                let all = (0..term.operands.len()).filter_map(operand).collect();
                found.push(Derivation::by(rule, Vec::new(), derivations(all)));
            }
            Form::Map => {
                if let (Some(inner), Some(body)) = (context.callback(term), body_of(term)) {
                    let (_, derivation) = self.typed(&inner, body, depth);
                    found.push(Derivation::by("mapped", Vec::new(), vec![derivation]));
                }
            }
            Form::Reduce => found.extend(self.reduced(context, term, depth).map(|it| it.1)),
            Form::Get | Form::GetIn | Form::Nth | Form::Head | Form::Last => {
                let parts = [0, 2].into_iter().filter_map(operand).collect();
                found.push(Derivation::by("part", Vec::new(), derivations(parts)));
            }
            _ => {}
        }
        if let Some(at) = sifted(term.form) {
            let list = operand(at).into_iter().collect();
            found.push(Derivation::by("sifted", Vec::new(), derivations(list)));
        }
        if FACTS.iter().any(|it| it.form == term.form) {
            let types: Vec<(Type, Derivation)> =
                (0..term.operands.len()).filter_map(operand).collect();
            let (types, from): (Vec<Type>, Vec<Derivation>) = types.into_iter().unzip();
            let facts = FACTS.iter().filter(|it| it.form == term.form);
            let fitting = facts.enumerate().find(|(_, fact)| fits(fact, &types).is_ok());
            found.extend(fitting.map(|(at, _)| Derivation::by("fact", vec![at], from)));
        }
        found.extend(needed(context, term, true));
        found
    }

    fn variable(&self, context: &Context, term: &Term, depth: u32) -> Option<Derivation> {
        let (origin, around) = context.find(term.name()?)?;
        let from = match origin {
            Origin::Value(inner) | Origin::Element(inner) => {
                vec![self.typed(&around, inner, depth).1]
            }
            Origin::Gathered(whole) => vec![self.reduced(&around, whole, depth)?.1],
            Origin::Input | Origin::Assumed(_) => Vec::new(),
            Origin::Unknown => return None,
        };
        Some(Derivation::by("variable", Vec::new(), from))
    }

    /// The type of the accumulator of a `reduce`: that of what it begins with, if its function keeps it.
    fn reduced(&self, context: &Context, term: &Term, depth: u32) -> Option<(Type, Derivation)> {
        let (first, begins) = self.typed(&context.inside(term, 1), term.operands.get(1)?, depth);
        if first.kinds & COMPOUND != 0 {
            return None;
        }
        let around = context.callback(term)?;
        let (sum, body) = (term.operands.first()?.names.first()?, body_of(term)?);
        let (kept, keeps) = self.typed(&around.assume(sum, &first), body, depth);
        let at = vec![usize::from(first.kinds)];
        let derivation = Derivation::by("reduced", at, vec![begins, keeps]);
        kept.is_within(&first).then_some((first, derivation))
    }

    /// Why a term surely has a value.
    pub(super) fn total(&self, context: &Context, term: &Term, depth: u32) -> Option<Derivation> {
        if depth == 0 || !self.ask() {
            return None;
        }
        let found = needed(context, term, false)
            .or_else(|| self.total_by_form(context, term, depth - 1))?;
        is_total(context, term, &found).ok().map(|()| found)
    }

    fn total_by_form(&self, context: &Context, term: &Term, depth: u32) -> Option<Derivation> {
        let total =
            |at: usize| self.total(&context.inside(term, at), term.operands.get(at)?, depth);
        let typed =
            |at: usize| Some(self.typed(&context.inside(term, at), term.operands.get(at)?, depth));
        let by = |rule: &str, from: Vec<Derivation>| Some(Derivation::by(rule, Vec::new(), from));
        match term.form {
            _ if term.literal.is_some() => by("value", Vec::new()),
            Form::Lam | Form::Var => by("value", Vec::new()),
            Form::List | Form::Record => {
                by("parts", (0..term.operands.len()).map(total).collect::<Option<_>>()?)
            }
            Form::If => by("if", vec![total(0)?, typed(0)?.1, total(1)?, total(2)?]),
            Form::Let => by("let", vec![total(0)?, total(1)?]),
            Form::Map | Form::FlatMap | Form::Filter | Form::Any | Form::All | Form::Find => {
                let (inner, body) = (context.callback(term)?, body_of(term)?);
                let gives = self.typed(&inner, body, depth).1;
                by("each", vec![total(1)?, typed(1)?.1, self.total(&inner, body, depth)?, gives])
            }
            Form::Reduce => {
                let (assumed, derivation) = self.reduced(context, term, depth)?;
                let Derivation { at, from, .. } = derivation;
                let [begins, keeps] = <[Derivation; 2]>::try_from(from).ok()?;
                let sum = term.operands.first()?.names.first()?;
                let inner = context.callback(term)?.assume(sum, &assumed);
                let each = self.total(&inner, body_of(term)?, depth)?;
                let from = vec![total(1)?, begins, total(2)?, typed(2)?.1, keeps, each];
                Some(Derivation::by("reduced", at, from))
            }
            form => {
                let all = (0..term.operands.len()).map(typed).collect::<Option<Vec<_>>>()?;
                let types: Vec<Type> = all.iter().map(|it| it.0.clone()).collect();
                let facts = FACTS.iter().filter(|it| it.form == form).enumerate();
                let mut fitting = facts.filter(|(_, it)| it.is_total && fits(it, &types).is_ok());
                let (at, _) = fitting.next()?;
                let mut from = Vec::new();
                for (operand, (_, derivation)) in all.into_iter().enumerate() {
                    from.extend([total(operand)?, derivation]);
                }
                Some(Derivation::by("fact", vec![at], from))
            }
        }
    }
}

/// The body of the function that is the first operand of a form.
fn body_of(term: &Term) -> Option<&Term> {
    term.operands.first()?.operands.first()
}

/// Why a term has a value, or a type: it is evaluated within a term that is known to have a value.
fn needed(context: &Context, term: &Term, is_typed: bool) -> Option<Derivation> {
    if term.literal.is_some() {
        return None;
    }
    for entry in (0..context.len()).rev() {
        let Some((whole, is_true)) = context.known(entry) else { continue };
        let mut open = vec![(whole, vec![entry], is_true, ANY)];
        while let Some((current, place, is_true, needs_of)) = open.pop() {
            let says = !is_typed || needs_of != ANY;
            if says && place.len() > usize::from(is_typed) && is_same(current, term) {
                return Some(Derivation::by("needed", place, Vec::new()));
            }
            if current.is_binder() {
                continue;
            }
            for (at, operand) in current.operands.iter().enumerate() {
                let is_reached = is_true && current.form == Form::And;
                if is_reached || is_strict(current.form, at) {
                    let needs_of = needs(current.form, at, beside(current, at));
                    open.push((operand, [&place[..], &[at]].concat(), is_reached, needs_of));
                }
            }
        }
    }
    None
}

/// The kind of the literal beside an operand of two.
fn beside(parent: &Term, operand: usize) -> Kinds {
    let other = parent.operands.get(1 - operand.min(1)).filter(|_| parent.operands.len() == 2);
    match other.and_then(|it| Some((it.form, it.literal.as_ref()?))) {
        Some((form, json)) => pif_proof::facts::of_literal(form, json),
        None => ANY,
    }
}
