//! Constants: what literals come to, computed exactly.

use super::scratch::Scratch;
use num_bigint::BigInt;
use num_traits::{Signed as _, Zero as _};
use pif_core::json::number::Integer;
use pif_language::form::Form;
use pif_language::kinds::{NUMBER, STRING};
use pif_language::term::TermId;

/// Bits of the largest integer that is computed.
const LARGEST: u64 = 4096;
/// Bytes of the longest text that is made.
const LONGEST: usize = 4096;

pub(super) fn rule(scratch: &mut Scratch, term: TermId) -> Option<TermId> {
    let form = scratch.form(term);
    match form {
        Form::Add | Form::Mul => sum(scratch, form, term),
        Form::Sub | Form::Div | Form::Mod | Form::Rem => two(scratch, form, term),
        Form::Neg | Form::Abs => one(scratch, form, term),
        Form::Gt | Form::Gte => turned(scratch, form, term),
        Form::Lt | Form::Lte | Form::Eq => compared(scratch, form, term),
        Form::Concat | Form::Plus => joined(scratch, form, term),
        Form::Length => length(scratch, term),
        Form::Min | Form::Max => extreme(scratch, form, term),
        _ => None,
    }
}

fn integer(scratch: &Scratch, term: TermId) -> Option<BigInt> {
    match scratch.form(term) {
        Form::Integer => Some(scratch.terms.integer(term).into()),
        Form::BigInteger => scratch.terms.big_integer(term).cloned(),
        _ => None,
    }
    .filter(|it| it.bits() <= LARGEST)
}

/// A float that is neither infinite nor no number.
fn float(scratch: &Scratch, term: TermId) -> Option<f64> {
    let is_float = scratch.form(term) == Form::FloatNumber;
    is_float.then(|| scratch.terms.float(term)).filter(|it| it.is_finite())
}

fn made(scratch: &mut Scratch, at: TermId, value: BigInt) -> TermId {
    scratch.integer(at, Integer::from(value))
}

/// A float that is computed; one that is not finite is a fault, which stays.
fn made_float(scratch: &mut Scratch, at: TermId, value: f64) -> Option<TermId> {
    value.is_finite().then(|| scratch.float(at, value))
}

/// A sum or a product: of more than two operands, and with the leading literals computed.
fn sum(scratch: &mut Scratch, form: Form, term: TermId) -> Option<TermId> {
    let operands = scratch.terms.operands(term).to_vec();
    let (first, rest) = operands.split_first()?;
    let second = rest.first()?;
    if let (Some(a), Some(b)) = (integer(scratch, *first), integer(scratch, *second)) {
        let value = if form == Form::Add { a + b } else { a * b };
        let value = made(scratch, term, value);
        return Some(shorter(scratch, form, term, value, &operands));
    }
    if let (Some(a), Some(b)) = (float(scratch, *first), float(scratch, *second)) {
        let value = if form == Form::Add { a + b } else { a * b };
        let value = made_float(scratch, term, value)?;
        return Some(shorter(scratch, form, term, value, &operands));
    }
    // All operands are evaluated before the first two are added.
    let others_are_total = rest.iter().all(|it| scratch.is_total(*it));
    if scratch.form(*first) == form && (!scratch.observed.order || others_are_total) {
        let is_quiet = !scratch.observed.calls || others_are_total;
        let inner = scratch.terms.operands(*first).to_vec();
        return is_quiet.then(|| scratch.make(form, term, &[&inner, rest].concat()));
    }
    None
}

/// The operation with one value in place of its first two operands.
fn shorter(
    scratch: &mut Scratch,
    form: Form,
    term: TermId,
    value: TermId,
    operands: &[TermId],
) -> TermId {
    match operands.get(2..) {
        Some(rest) if !rest.is_empty() => scratch.make(form, term, &[&[value], rest].concat()),
        _ => value,
    }
}

fn two(scratch: &mut Scratch, form: Form, term: TermId) -> Option<TermId> {
    let [first, second] = scratch.parts(form, term)?;
    if let (Some(a), Some(b)) = (float(scratch, first), float(scratch, second)) {
        return if form == Form::Sub { made_float(scratch, term, a - b) } else { None };
    }
    let (a, b) = (integer(scratch, first)?, integer(scratch, second)?);
    if form == Form::Sub {
        return Some(made(scratch, term, a - b));
    }
    if b.is_zero() {
        return None;
    }
    let (quotient, remainder) = (&a / &b, &a % &b);
    // The quotient is rounded down, and the remainder has the sign of the divisor.
    let is_off = !remainder.is_zero() && (remainder.is_negative() != b.is_negative());
    let value = match form {
        Form::Rem => remainder,
        Form::Mod if is_off => remainder + b,
        Form::Mod => remainder,
        _ if is_off => quotient - 1,
        _ => quotient,
    };
    Some(made(scratch, term, value))
}

fn one(scratch: &mut Scratch, form: Form, term: TermId) -> Option<TermId> {
    let [operand] = scratch.parts(form, term)?;
    let value = integer(scratch, operand)?;
    Some(made(scratch, term, if form == Form::Abs { value.abs() } else { -value }))
}

/// `a > b` is `b < a`, where the operands may be evaluated in either order.
fn turned(scratch: &mut Scratch, form: Form, term: TermId) -> Option<TermId> {
    let [first, second] = scratch.parts(form, term)?;
    let turned = if form == Form::Gt { Form::Lt } else { Form::Lte };
    let is_free = scratch.may_swap(first, second);
    is_free.then(|| scratch.make(turned, term, &[second, first]))
}

fn compared(scratch: &mut Scratch, form: Form, term: TermId) -> Option<TermId> {
    let [first, second] = scratch.parts(form, term)?;
    let texts = [first, second].map(|it| scratch.form(it) == Form::Text);
    let order = if texts == [true, true] {
        scratch.terms.text(first).cmp(scratch.terms.text(second))
    } else if let (Some(a), Some(b)) = (integer(scratch, first), integer(scratch, second)) {
        a.cmp(&b)
    } else {
        return alike(scratch, form, term, [first, second]);
    };
    let holds = match form {
        Form::Lt => order.is_lt(),
        Form::Lte => order.is_le(),
        _ => order.is_eq(),
    };
    Some(scratch.boolean(term, holds))
}

/// Two values of kinds that have no value in common are not equal.
fn alike(scratch: &mut Scratch, form: Form, term: TermId, both: [TermId; 2]) -> Option<TermId> {
    use pif_language::kinds::{BOOLEAN, NULL, ODD};
    let [first, second] = both;
    if form != Form::Eq || !both.iter().all(|it| scratch.is_total(*it)) || !scratch.is_total(term) {
        return None;
    }
    let kinds = both.map(|it| scratch.kinds(it));
    if kinds == [NULL, NULL] {
        return Some(scratch.boolean(term, true));
    }
    let groups = [NULL, BOOLEAN, STRING, NUMBER | ODD];
    let is_apart = groups.iter().any(|group| {
        let is_within = |kinds: u16| kinds & !group == 0;
        let is_outside = |kinds: u16| kinds & group == 0;
        is_within(kinds[0]) && is_outside(kinds[1]) || is_within(kinds[1]) && is_outside(kinds[0])
    });
    if is_apart {
        return Some(scratch.boolean(term, false));
    }
    match [first, second].map(|it| (scratch.form(it), it)) {
        [(Form::Boolean, a), (Form::Boolean, b)] => {
            let holds = scratch.terms.boolean(a) == scratch.terms.boolean(b);
            Some(scratch.boolean(term, holds))
        }
        _ => None,
    }
}

/// Texts as one text; a sum of texts is a join of texts, and one of numbers a sum.
fn joined(scratch: &mut Scratch, form: Form, term: TermId) -> Option<TermId> {
    let old = scratch.terms.operands(term).to_vec();
    if form == Form::Plus {
        if old.iter().all(|it| scratch.is_of(*it, STRING)) {
            return Some(scratch.make(Form::Concat, term, &old));
        }
        let is_sum = old.iter().all(|it| scratch.is_of(*it, NUMBER));
        return is_sum.then(|| scratch.make(Form::Add, term, &old));
    }
    let mut parts: Vec<TermId> = Vec::new();
    for operand in &old {
        if scratch.form(*operand) == Form::Concat && !scratch.observed.order {
            parts.extend(scratch.terms.operands(*operand));
        } else {
            parts.push(*operand);
        }
    }
    let mut joined: Vec<TermId> = Vec::new();
    for part in parts {
        let both = joined
            .last()
            .copied()
            .filter(|it| scratch.form(*it) == Form::Text && scratch.form(part) == Form::Text);
        let text = both.map(|it| [scratch.terms.text(it), scratch.terms.text(part)].concat());
        match text.filter(|it| it.len() <= LONGEST) {
            Some(text) => {
                joined.pop();
                joined.push(scratch.text(term, &text)?);
            }
            None => joined.push(part),
        }
    }
    match joined[..] {
        [only] if scratch.is_of(only, STRING) => Some(only),
        _ if joined == old || joined.len() < 2 => None,
        _ => Some(scratch.make(Form::Concat, term, &joined)),
    }
}

fn length(scratch: &mut Scratch, term: TermId) -> Option<TermId> {
    let [operand] = scratch.parts(Form::Length, term)?;
    if scratch.form(operand) != Form::Text {
        return None;
    }
    let count = scratch.terms.text(operand).chars().count();
    Some(made(scratch, term, count.into()))
}

fn extreme(scratch: &mut Scratch, form: Form, term: TermId) -> Option<TermId> {
    let operands = scratch.terms.operands(term).to_vec();
    if operands.len() < 2 {
        return None;
    }
    let values: Option<Vec<BigInt>> = operands.iter().map(|it| integer(scratch, *it)).collect();
    let values = values?.into_iter();
    let value = if form == Form::Min { values.min() } else { values.max() }?;
    Some(made(scratch, term, value))
}
