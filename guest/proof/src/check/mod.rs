//! The checker: each step of a proof is an instance of a rule, and what the rule asks holds.
//!
//! It knows nothing of how a proof was found. In the model that it checks against, a fault and a run
//! without end are one and the same: no value. So a rule holds if both its sides have equal values, or
//! neither has one; and what the machine gives differs from that only by a limit.

pub mod derive;

use crate::context::{Context, descend};

use crate::proof::{Proof, Step};
use crate::rules::{Condition, Rule, rule};
use crate::schemes::scheme;
use crate::term::{
    Bindings, Name, Node, Term, at, free, fresh, is_free, is_same, replace, substitute, variable,
};
use derive::{has_type, is_total};
use pif_language::form::Form;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Checks a proof. Fails with the number of the step that is wrong, from 0 on, and the reason.
pub fn check(proof: &Proof) -> Result<(), (usize, String)> {
    let [from, to] = &proof.equal;
    let mut current = from;
    for program in [from, to] {
        no_fault_is_seen(program).map_err(|reason| (0, reason))?;
    }
    for (number, step) in proof.steps.iter().enumerate() {
        check_step(current, step).map_err(|reason| (number, reason))?;
        current = &step.after;
    }
    if is_same(current, to) {
        Ok(())
    } else {
        Err((proof.steps.len(), "the last term is not the second program".to_owned()))
    }
}

/// Checks the step from a term to the next.
pub fn check_step(current: &Term, step: &Step) -> Result<(), String> {
    no_fault_is_seen(&step.after)?;
    let (left, right) =
        if step.is_backward { (&step.after, current) } else { (current, &step.after) };
    let no_place = || "there is no such place".to_owned();
    let before = at(left, &step.at).ok_or_else(no_place)?;
    let after = at(right, &step.at).ok_or_else(no_place)?;
    if replace(left, &step.at, after).as_ref() != Some(right) {
        return Err("something else has changed besides the place".to_owned());
    }
    let has_self = calls_itself(current) || calls_itself(&step.after);
    let context = descend(left, &step.at, has_self)?;
    match rule(&step.rule) {
        Some(rule) => check_rule(rule, step, (before, after), &context),
        None => scheme(&step.rule, before, after, &step.conditions, &context),
    }
}

fn check_rule(
    rule: &Rule,
    step: &Step,
    (before, after): (&Term, &Term),
    context: &Context,
) -> Result<(), String> {
    let named = |name: &Name| step.bindings.contains_key(name);
    if step.bindings.len() != rule.variables.len() || !rule.variables.iter().all(named) {
        return Err("the bindings are not those of the variables of the rule".to_owned());
    }
    if !is_same(&instance(&rule.left, &step.bindings, &rule.variables), before) {
        return Err("the left side of the rule is not what stands there".to_owned());
    }
    if !is_same(&instance(&rule.right, &step.bindings, &rule.variables), after) {
        return Err("the right side of the rule is not what stands there".to_owned());
    }
    if step.conditions.len() != rule.derived() {
        return Err("there is not one derivation for each condition".to_owned());
    }
    let mut derivations = step.conditions.iter();
    for condition in &rule.conditions {
        let bound = |name: &str| {
            step.bindings.get(name).ok_or_else(|| format!("the rule has no variable `{name}`"))
        };
        if let Condition::Function(f, count) = condition {
            let function = bound(f)?;
            if function.form == Form::Lam && function.names.len() == *count {
                continue;
            }
            return Err(format!("`{f}` is not a function of {count}"));
        }
        let derivation = derivations.next().ok_or("a derivation is missing")?;
        match condition {
            Condition::Function(..) => {}
            Condition::Total(t) => is_total(context, bound(t)?, derivation)?,
            Condition::TotalAfter(t, first) => {
                is_total(&context.valued(bound(first)?), bound(t)?, derivation)?;
            }
            Condition::Is(t, wanted) => {
                has_type(context, bound(t)?, derivation, &wanted.as_type())?;
            }
            Condition::TotalOn(f, list) => {
                let function = bound(f)?;
                is_total(&context.element(function, bound(list)?), body(function)?, derivation)?;
            }
            Condition::GivesOn(f, list, wanted) => {
                let function = bound(f)?;
                let inner = context.element(function, bound(list)?);
                has_type(&inner, body(function)?, derivation, &wanted.as_type())?;
            }
        }
    }
    Ok(())
}

/// The body of a function of one parameter.
fn body(function: &Term) -> Result<&Term, String> {
    match (&function.operands[..], function.names.len()) {
        ([body], 1) if function.form == Form::Lam => Ok(body),
        _ => Err("a function of one parameter is missing".to_owned()),
    }
}

/// A side of a rule with terms for its variables. What a rule binds captures nothing. A function of the
/// bindings that is applied to variables of the rule is its body with these variables: they are values,
/// so that changes nothing.
#[must_use]
pub fn instance(side: &Term, bindings: &Bindings, variables: &[Name]) -> Term {
    let applied = (side.form == Form::App).then(|| side.operands.split_first()).flatten();
    if let Some((function, arguments)) = applied {
        let bound = function.name().filter(|_| function.form == Form::Var);
        let lambda = bound.filter(|it| variables.contains(it)).and_then(|it| bindings.get(it));
        let is_own =
            |it: &Term| it.form == Form::Var && it.name().is_some_and(|it| !variables.contains(it));
        if let Some(lambda) =
            lambda.filter(|it| it.form == Form::Lam && it.names.len() == arguments.len())
            && arguments.iter().all(is_own)
        {
            let own = lambda.names.iter().cloned().zip(arguments.iter().cloned()).collect();
            return lambda
                .operands
                .first()
                .map_or_else(|| Arc::clone(lambda), |it| substitute(it, &own));
        }
    }
    if side.form == Form::Var {
        let bound = side.name().filter(|it| variables.contains(it)).and_then(|it| bindings.get(it));
        return bound.unwrap_or(side).clone();
    }
    if !side.is_binder() {
        let operands = side.operands.iter().map(|it| instance(it, bindings, variables)).collect();
        return Arc::new(Node { operands, ..(**side).clone() });
    }
    // The names of the rule become others where a binding has them free.
    let mut taken: BTreeSet<Name> = variables.iter().cloned().collect();
    bindings.values().for_each(|it| free(it, &mut taken));
    taken.extend(side.names.iter().cloned());
    let mut renamed = Bindings::new();
    let mut names = Vec::new();
    for name in &side.names {
        let is_captured = bindings.values().any(|it| is_free(name, it));
        let new = if is_captured { fresh(name, &taken) } else { Arc::clone(name) };
        taken.insert(Arc::clone(&new));
        renamed.insert(Arc::clone(name), variable(&new));
        names.push(new);
    }
    let each = |it| instance(&substitute(it, &renamed), bindings, variables);
    Arc::new(Node { operands: side.operands.iter().map(each).collect(), names, ..(**side).clone() })
}

/// Tells whether a program names itself: then it may be applied to more than its inputs.
fn calls_itself(term: &Term) -> bool {
    term.form == Form::SelfRef || term.operands.iter().any(calls_itself)
}

/// Refuses a program that looks at a fault: there one fault is not as good as another.
fn no_fault_is_seen(term: &Term) -> Result<(), String> {
    if term.form == Form::Try {
        let is_blind = term.operands.get(1).is_some_and(|handler| {
            let body = handler.operands.first();
            let ignores = |name| body.is_some_and(|it| !is_free(name, it));
            handler.form == Form::Lam
                && handler.names.len() == 1
                && handler.names.iter().all(ignores)
        });
        if !is_blind || !term.names.is_empty() {
            return Err("a `try` looks at the fault that it catches".to_owned());
        }
    }
    term.operands.iter().try_for_each(no_fault_is_seen)
}
