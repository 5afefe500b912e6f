//! Branches of known conditions, and one spelling for each condition.

use super::scratch::Scratch;
use pif_language::form::Form;
use pif_language::kinds::{BOOLEAN, Kinds, NULL};
use pif_language::term::TermId;

pub(super) fn rule(scratch: &mut Scratch, term: TermId) -> Option<TermId> {
    match scratch.form(term) {
        Form::If => choice(scratch, term),
        Form::Cond => branches(scratch, term),
        form @ (Form::And | Form::Or) => junction(scratch, form, term),
        form @ (Form::Either | Form::Both | Form::Coalesce) => first_of(scratch, form, term),
        Form::Not => negation(scratch, term),
        Form::Truth => truth(scratch, term),
        _ => None,
    }
}

/// The truth value of a literal, which `if` takes.
fn known(scratch: &Scratch, term: TermId) -> Option<bool> {
    (scratch.form(term) == Form::Boolean).then(|| scratch.terms.boolean(term))
}

fn choice(scratch: &mut Scratch, term: TermId) -> Option<TermId> {
    let [test, then, otherwise] = scratch.parts(Form::If, term)?;
    if let Some(truth) = known(scratch, test) {
        return Some(if truth { then } else { otherwise });
    }
    if let Some([inner]) = scratch.parts(Form::Not, test)
        && scratch.is_of(inner, BOOLEAN)
    {
        return Some(scratch.make(Form::If, term, &[inner, otherwise, then]));
    }
    if let Some([value, body]) = scratch.parts(Form::Let, test) {
        let name = scratch.terms.only_name(test);
        let body = scratch.make(Form::If, term, &[body, then, otherwise]);
        return Some(scratch.let_one(name, value, body));
    }
    if !scratch.is_of(test, BOOLEAN) {
        return None;
    }
    match (known(scratch, then), known(scratch, otherwise)) {
        (Some(true), Some(false)) => Some(test),
        (Some(false), Some(true)) => Some(scratch.make(Form::Not, term, &[test])),
        (Some(false), None) if scratch.is_of(otherwise, BOOLEAN) => {
            let not = scratch.make(Form::Not, term, &[test]);
            Some(scratch.make(Form::And, term, &[not, otherwise]))
        }
        (None, Some(false)) if scratch.is_of(then, BOOLEAN) => {
            Some(scratch.make(Form::And, term, &[test, then]))
        }
        (Some(true), None) if scratch.is_of(otherwise, BOOLEAN) => {
            Some(scratch.make(Form::Or, term, &[test, otherwise]))
        }
        _ if then == otherwise && scratch.is_total(test) => Some(then),
        _ => None,
    }
}

/// A chain of conditions is `if` within `if`, up to a last one that may be false.
fn branches(scratch: &mut Scratch, term: TermId) -> Option<TermId> {
    let operands = scratch.terms.operands(term).to_vec();
    let [test, value, rest @ ..] = &operands[..] else { return None };
    match known(scratch, *test) {
        Some(true) => return Some(*value),
        Some(false) if !rest.is_empty() => return Some(scratch.make(Form::Cond, term, rest)),
        _ if rest.is_empty() => return None,
        _ => {}
    }
    let rest = scratch.make(Form::Cond, term, rest);
    Some(scratch.make(Form::If, term, &[*test, *value, rest]))
}

/// `and` and `or`: all in one, without those that are known.
fn junction(scratch: &mut Scratch, form: Form, term: TermId) -> Option<TermId> {
    let deciding = form == Form::Or;
    let old = scratch.terms.operands(term).to_vec();
    let mut operands = Vec::new();
    for operand in &old {
        if scratch.form(*operand) == form {
            operands.extend(scratch.terms.operands(*operand));
        } else {
            operands.push(*operand);
        }
    }
    if let Some(at) = operands.iter().position(|it| known(scratch, *it) == Some(deciding)) {
        operands.truncate(at + 1);
        // What stands before it counts only where it may fault.
        while let [.., before, _] = operands[..] {
            if !scratch.is_total(before) || !scratch.is_of(before, BOOLEAN) {
                break;
            }
            operands.remove(operands.len() - 2);
        }
    }
    operands.retain(|it| known(scratch, *it) != Some(!deciding));
    match operands[..] {
        [] => Some(scratch.boolean(term, !deciding)),
        [only] if scratch.is_of(only, BOOLEAN) => Some(only),
        // The value of one alone is not looked at.
        [only] => {
            let last = scratch.boolean(term, !deciding);
            let made = [only, last];
            (made.len() != old.len()).then(|| scratch.make(form, term, &made))
        }
        _ if operands == old => None,
        _ => Some(scratch.make(form, term, &operands)),
    }
}

/// Whether a value counts as the one that is looked for; `None` if that is not known.
fn is_taken(scratch: &mut Scratch, form: Form, term: TermId) -> Option<bool> {
    let kinds = scratch.kinds(term);
    if form == Form::Coalesce {
        return match kinds {
            NULL => Some(false),
            kinds if kinds & NULL == 0 => Some(true),
            _ => None,
        };
    }
    let truth = literal_truth(scratch, term, kinds)?;
    Some(truth == (form == Form::Either))
}

/// Whether a value counts as true, where that is known.
fn literal_truth(scratch: &Scratch, term: TermId, kinds: Kinds) -> Option<bool> {
    use pif_language::kinds::{
        CONTINUATION, DATE, FUNCTION, LIST, MAP, PAIR, QUOTED, RECORD, REGEX, SET,
    };
    const TRUE: Kinds =
        CONTINUATION | DATE | FUNCTION | LIST | MAP | PAIR | QUOTED | RECORD | REGEX | SET;
    match scratch.form(term) {
        Form::Boolean => Some(scratch.terms.boolean(term)),
        Form::Text => Some(!scratch.terms.text(term).is_empty()),
        Form::Integer => Some(scratch.terms.integer(term) != 0),
        Form::BigInteger => Some(true),
        _ if kinds == NULL => Some(false),
        _ if kinds & !TRUE == 0 && kinds != 0 => Some(true),
        _ => None,
    }
}

/// `either`, `both` and `coalesce`: all in one, up to the first that is surely taken.
fn first_of(scratch: &mut Scratch, form: Form, term: TermId) -> Option<TermId> {
    let old = scratch.terms.operands(term).to_vec();
    let mut operands: Vec<TermId> = Vec::new();
    for operand in &old {
        if scratch.form(*operand) == form {
            operands.extend(scratch.terms.operands(*operand));
        } else {
            operands.push(*operand);
        }
    }
    let mut kept = Vec::new();
    let count = operands.len();
    for (at, operand) in operands.into_iter().enumerate() {
        let is_last = at + 1 == count;
        match is_taken(scratch, form, operand) {
            Some(true) => {
                kept.push(operand);
                break;
            }
            Some(false) if !is_last && scratch.is_total(operand) => {}
            _ => kept.push(operand),
        }
    }
    match kept[..] {
        [only] => Some(only),
        _ if kept == old => None,
        _ => Some(scratch.make(form, term, &kept)),
    }
}

fn negation(scratch: &mut Scratch, term: TermId) -> Option<TermId> {
    let [operand] = scratch.parts(Form::Not, term)?;
    if let Some(truth) = known(scratch, operand) {
        return Some(scratch.boolean(term, !truth));
    }
    let [inner] = scratch.parts(Form::Not, operand)?;
    scratch.is_of(inner, BOOLEAN).then_some(inner)
}

fn truth(scratch: &mut Scratch, term: TermId) -> Option<TermId> {
    let [operand] = scratch.parts(Form::Truth, term)?;
    let kinds = scratch.kinds(operand);
    if kinds & !BOOLEAN == 0 {
        return Some(operand);
    }
    let truth = literal_truth(scratch, operand, kinds)?;
    let is_total = scratch.is_total(operand);
    is_total.then(|| scratch.boolean(term, truth))
}
