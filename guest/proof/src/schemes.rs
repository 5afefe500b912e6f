//! Rules that no pair of terms says: application, `let`, names, literals, members of records, and what
//! moves out of an operand.

use crate::check::derive::is_total;
use crate::context::Context;
use crate::facts::is_strict;
use crate::proof::Derivation;
use crate::term::{
    Bindings, Name, Term, boolean, free, fresh, integer, is_free, is_same, node, read, substitute,
    variable,
};
use pif_language::form::Form;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The names of the rules that are functions.
pub const SCHEMES: &[&str] =
    &["rename", "beta", "let", "literal", "member", "element", "lift", "lift-let"];

/// Checks that a scheme turns a term into another.
pub(crate) fn scheme(
    name: &str,
    before: &Term,
    after: &Term,
    conditions: &[Derivation],
    context: &Context,
) -> Result<(), String> {
    let (made, totals) =
        apply(name, before).ok_or_else(|| format!("`{name}` does not apply there"))?;
    if !is_same(&made, after) {
        return Err(format!("`{name}` gives another term"));
    }
    if totals.len() != conditions.len() {
        return Err("there is not one derivation for each condition".to_owned());
    }
    totals
        .iter()
        .zip(conditions)
        .try_for_each(|(total, derivation)| is_total(context, total, derivation))
}

/// What a scheme makes of a term, and the terms that must have values for it.
#[must_use]
pub fn apply(name: &str, term: &Term) -> Option<(Term, Vec<Term>)> {
    match name {
        "rename" => Some((Arc::clone(term), Vec::new())),
        "beta" => beta(term).map(|it| (it, Vec::new())),
        "let" => inline(term),
        "literal" => literal(term).map(|it| (it, Vec::new())),
        "member" => member(term),
        "element" => element(term),
        "lift" => lift(term).map(|it| (it, Vec::new())),
        "lift-let" => lift_let(term).map(|it| (it, Vec::new())),
        _ => None,
    }
}

/// `(x => b)(a)` is `const x = a; b`, whatever `a` is: it is evaluated first in both. What is left of
/// parameters or arguments stays.
fn beta(term: &Term) -> Option<Term> {
    let (function, arguments) = term.operands.split_first().filter(|_| term.form == Form::App)?;
    let body = function.operands.first().filter(|_| function.form == Form::Lam)?;
    let mut taken = BTreeSet::new();
    free(term, &mut taken);
    taken.extend(names_in(body));
    let (mut renamed, mut names) = (Bindings::new(), Vec::new());
    for name in &function.names {
        let new = if taken.contains(name) { fresh(name, &taken) } else { Arc::clone(name) };
        taken.insert(Arc::clone(&new));
        renamed.insert(Arc::clone(name), variable(&new));
        names.push(new);
    }
    let count = names.len().min(arguments.len());
    let (bound, left) = names.split_at(count);
    let (given, more) = arguments.split_at(count);
    let mut made = substitute(body, &renamed);
    if !left.is_empty() {
        made = node(Form::Lam, vec![made], left.to_vec());
    }
    for (name, value) in bound.iter().zip(given).rev() {
        made = node(Form::Let, vec![Arc::clone(value), made], vec![Arc::clone(name)]);
    }
    if !more.is_empty() {
        made = node(Form::App, [&[made], more].concat(), Vec::new());
    }
    Some(made)
}

fn names_in(term: &Term) -> BTreeSet<Name> {
    let mut found: BTreeSet<Name> = term.names.iter().cloned().collect();
    for operand in &term.operands {
        found.extend(names_in(operand));
    }
    found
}

/// `const x = a; b` is `b` with `a` for `x`, where `b` surely evaluates `x`, or `a` surely has a value.
fn inline(term: &Term) -> Option<(Term, Vec<Term>)> {
    let ([value, body], [name]) = (&term.operands[..], &term.names[..]) else { return None };
    if term.form != Form::Let {
        return None;
    }
    let bindings = Bindings::from([(Arc::clone(name), Arc::clone(value))]);
    let totals = if is_needed(name, body) { Vec::new() } else { vec![Arc::clone(value)] };
    Some((substitute(body, &bindings), totals))
}

/// Tells whether a term has a value only if a variable has one that is put in its place.
fn is_needed(name: &Name, term: &Term) -> bool {
    if term.form == Form::Var {
        return term.name() == Some(name);
    }
    let inner = |at: usize| {
        let operand = term.operands.get(at).filter(|_| !term.bound_in(at).contains(name));
        operand.is_some_and(|it| is_needed(name, it))
    };
    let is_both_ways = term.form == Form::If && inner(1) && inner(2);
    is_both_ways || (0..term.operands.len()).any(|at| is_strict(term.form, at) && inner(at))
}

/// An operation on literals, computed.
fn literal(term: &Term) -> Option<Term> {
    let number =
        |it: &Term| it.literal.as_ref().filter(|_| it.form == Form::Integer)?.parse::<i64>().ok();
    let [a, b] = &term.operands[..] else {
        let [a] = &term.operands[..] else { return None };
        return match term.form {
            Form::Not if a.form == Form::Boolean => {
                Some(boolean(a.literal.as_deref() != Some("true")))
            }
            Form::Neg => Some(integer(number(a)?.checked_neg()?)),
            _ => None,
        };
    };
    if let (Form::Concat | Form::Plus, Form::Text, Form::Text) = (term.form, a.form, b.form) {
        let (a, b) = (a.literal.as_deref()?, b.literal.as_deref()?);
        // Two texts in quotes: one text in quotes.
        return read(&format!("{}{}", a.strip_suffix('"')?, b.strip_prefix('"')?)).ok();
    }
    if let (Form::Eq, Form::Text, Form::Text) = (term.form, a.form, b.form) {
        return Some(boolean(a.literal == b.literal));
    }
    let (a, b) = (number(a)?, number(b)?);
    match term.form {
        Form::Add | Form::Plus => a.checked_add(b).map(integer),
        Form::Sub => a.checked_sub(b).map(integer),
        Form::Mul => a.checked_mul(b).map(integer),
        Form::Eq => Some(boolean(a == b)),
        Form::Lt => Some(boolean(a < b)),
        Form::Lte => Some(boolean(a <= b)),
        Form::Gt => Some(boolean(a > b)),
        Form::Gte => Some(boolean(a >= b)),
        _ => None,
    }
}

/// The member of a literal record, where all its members have values.
fn member(term: &Term) -> Option<(Term, Vec<Term>)> {
    let (record, key) = (term.operands.first()?, term.operands.get(1)?);
    let is_get = term.form == Form::Get && term.operands.len() == 2;
    if !is_get || record.form != Form::Record || key.form != Form::Text {
        return None;
    }
    let key = read_text(key)?;
    let at = record.names.iter().position(|it| **it == *key)?;
    Some((record.operands.get(at)?.clone(), but_for(&record.operands, at)))
}

/// The element of a literal list at a literal index, where all elements have values.
fn element(term: &Term) -> Option<(Term, Vec<Term>)> {
    let (list, key) = (term.operands.first()?, term.operands.get(1)?);
    let is_get = term.form == Form::Get && term.operands.len() == 2;
    if !is_get || list.form != Form::List || key.form != Form::Integer {
        return None;
    }
    let at = key.literal.as_ref()?.parse::<usize>().ok()?;
    Some((list.operands.get(at)?.clone(), but_for(&list.operands, at)))
}

fn but_for(operands: &[Term], at: usize) -> Vec<Term> {
    operands.iter().enumerate().filter(|it| it.0 != at).map(|it| Arc::clone(it.1)).collect()
}

fn read_text(term: &Term) -> Option<String> {
    let json = term.literal.as_deref()?;
    let plain = json.strip_prefix('"')?.strip_suffix('"')?;
    (!plain.contains('\\')).then(|| plain.to_owned())
}

/// Tells whether a form evaluates all its operands and does nothing else with them before.
fn takes_all(form: Form) -> bool {
    !matches!(
        form,
        Form::If | Form::Cond | Form::Lam | Form::Let | Form::Letrec | Form::Try | Form::Pipe
    ) && (0..3).all(|at| is_strict(form, at))
}

/// A form of an `if` is an `if` of forms: the first operand that is an `if` moves out.
fn lift(term: &Term) -> Option<Term> {
    let at =
        term.operands.iter().position(|it| it.form == Form::If).filter(|_| takes_all(term.form))?;
    let [condition, then, other] = &term.operands.get(at)?.operands[..] else { return None };
    let with = |branch: &Term| {
        let mut operands = term.operands.clone();
        if let Some(place) = operands.get_mut(at) {
            *place = Arc::clone(branch);
        }
        node(term.form, operands, term.names.clone())
    };
    Some(node(Form::If, vec![Arc::clone(condition), with(then), with(other)], Vec::new()))
}

/// A form of a `let` is a `let` around the form. The name must not be one of the other operands.
fn lift_let(term: &Term) -> Option<Term> {
    let first = term.operands.iter().position(|it| it.form == Form::Let)?;
    let inner = term.operands.get(first)?;
    let ([value, body], [name]) = (&inner.operands[..], &inner.names[..]) else { return None };
    let is_strict_here = is_strict(term.form, first) && term.bound_in(first).is_empty();
    if !is_strict_here {
        return None;
    }
    let mut taken = BTreeSet::new();
    free(term, &mut taken);
    taken.extend(names_in(body));
    taken.extend(term.names.iter().cloned());
    let is_free_beside = but_for(&term.operands, first).iter().any(|it| is_free(name, it));
    let new =
        if is_free_beside || taken.contains(name) { fresh(name, &taken) } else { Arc::clone(name) };
    let renamed = Bindings::from([(Arc::clone(name), variable(&new))]);
    let mut operands = term.operands.clone();
    *operands.get_mut(first)? = substitute(body, &renamed);
    Some(node(
        Form::Let,
        vec![Arc::clone(value), node(term.form, operands, term.names.clone())],
        vec![new],
    ))
}
