//! Strict forms whose operands are not two small integers.

use super::context::Context;
use super::state::{Exit, State};
use crate::form::Form;
use crate::heap::{Full, Heap};
use crate::limits::TEXT_BYTES;
use crate::primitive::comparison::{Compared, equal, order};
use crate::primitive::{Trouble, arithmetic, lexical, meta};
use crate::value::{
    KIND_QUOTED, NIL, ROPE, Word, aux, boolean, fit, is_list, kind, pointer, small as word, within,
};
use std::rc::Rc;

/// A strict form of two small integers, if that needs no more than a word.
#[inline(always)]
pub(super) fn small(form: Form, a: i64, b: i64) -> Option<Word> {
    match form {
        Form::Lt => Some(boolean(a < b)),
        Form::Gt => Some(boolean(a > b)),
        Form::Lte => Some(boolean(a <= b)),
        Form::Gte => Some(boolean(a >= b)),
        Form::Eq => Some(boolean(a == b)),
        Form::Mod if b > 0 => Some(word(a.rem_euclid(b))),
        Form::Div if b > 0 => Some(word(a.div_euclid(b))),
        _ => None,
    }
}

/// Whether a product surely has no more than 62 bits. What `checked_mul` does takes a call here.
#[inline(always)]
pub(super) fn is_short_product(a: i64, b: i64) -> bool {
    let unused = |n: i64| (n ^ (n >> 63)).leading_zeros();
    unused(a) + unused(b) >= 67
}

/// Two texts joined, if there is room and neither is anything else.
#[inline(always)]
pub(super) fn join(heap: &mut Heap, x: Word, y: Word) -> Option<Word> {
    let (size, more) = (heap.text_word(x)?, heap.text_word(y)?);
    // INVARIANT: no side of a rope is empty. Then it has no more nodes than bytes, however often
    // it was joined with itself, and what walks it is paid for by its length.
    if size == 0 || more == 0 {
        return Some(if size == 0 { y } else { x });
    }
    let (both, at) = (size + more, within(heap.top));
    let rope = heap.words.get_mut(at..at + 3)?;
    if both >> 32 > TEXT_BYTES.min(8 * heap.limit as u64) {
        return None;
    }
    rope.copy_from_slice(&[both, x, y]);
    heap.top = at + 3;
    Some(pointer(at, ROPE))
}

/// Bytes of the longest text that the memory limit has room for.
pub(super) fn longest_text(heap: &Heap) -> u64 {
    TEXT_BYTES.min(8 * heap.limit as u64)
}

/// A strict form of two operands.
pub(super) fn binary(
    c: &mut Context<'_>,
    form: Form,
    operands: [Word; 2],
    live: usize,
) -> Result<Word, Exit> {
    let [x, y] = operands;
    match form {
        Form::Add | Form::Sub | Form::Mul | Form::Div | Form::Mod => {
            let (work, words) = arithmetic::cost(&c.s.heap, form, x, y);
            c.bulk(work)?;
            let mut operands = operands;
            c.s.make_room_keeping(words, live, &mut operands)?;
            let [x, y] = operands;
            Ok(arithmetic::arithmetic(&mut c.s.heap, form, x, y)?)
        }
        Form::Concat => concat(c.s, operands, live),
        Form::Eq => {
            let terms = Rc::clone(&c.s.terms);
            let Compared { work, result } = equal(&c.s.heap, &terms, x, y, c.budget());
            c.bulk(work)?;
            Ok(result?)
        }
        _ => {
            let Compared { work, result } = order(&c.s.heap, form, x, y);
            c.bulk(work)?;
            Ok(result?)
        }
    }
}

fn concat(s: &mut State, operands: [Word; 2], live: usize) -> Result<Word, Exit> {
    let mut all = 0;
    for (i, text) in operands.into_iter().enumerate() {
        let size = s.heap.text_size(text);
        all += size.ok_or_else(|| s.wrong_type(i, text, "a string"))?.0;
    }
    let mut operands = operands;
    let room = s.make_room_keeping(3, live, &mut operands);
    if all > longest_text(&s.heap) {
        return Err(Trouble::Full("the text would not fit into the memory limit").into());
    }
    room?;
    let [x, y] = operands;
    join(&mut s.heap, x, y).ok_or_else(|| Trouble::from(Full).into())
}

/// A strict form of one operand that is no `Builtin`.
pub(super) fn unary(c: &mut Context<'_>, form: Form, x: Word, live: usize) -> Result<Word, Exit> {
    match form {
        Form::Length => length(c, x),
        Form::IsEmpty if is_list(x) => Ok(boolean(x == NIL)),
        Form::IsEmpty => Err(c.s.wrong_type(0, x, "a list")),
        _ => analyze(c, x, live),
    }
}

fn length(c: &mut Context<'_>, x: Word) -> Result<Word, Exit> {
    if let Some((_, chars)) = c.s.heap.text_size(x) {
        return Ok(count(chars));
    }
    if !is_list(x) {
        return Err(c.s.wrong_type(0, x, "a list or a string"));
    }
    let n = c.s.heap.length(x);
    c.s.heap.counted = (x, n);
    c.bulk(n as u64)?;
    Ok(count(n as u64))
}

fn count(n: u64) -> Word {
    i64::try_from(n).ok().and_then(fit).unwrap_or_default()
}

fn analyze(c: &mut Context<'_>, x: Word, live: usize) -> Result<Word, Exit> {
    if x & 15 != crate::value::IMMEDIATE || kind(x) != KIND_QUOTED {
        return Err(c.s.wrong_type(0, x, "a quoted term"));
    }
    let terms = Rc::clone(&c.s.terms);
    let (forms, nodes) = meta::count_forms(&terms, aux(x));
    c.bulk(nodes)?;
    c.s.make_room(1 + forms.len() * 6, live)?;
    let name = |at: usize| forms.get(at).map_or("", |(form, _)| form.name());
    let mut members = Vec::with_capacity(2 * forms.len());
    for at in lexical::order_of(forms.len(), &name) {
        members.push(c.s.heap.text(name(at))?);
        members.extend(forms.get(at).map(|(_, n)| word(i64::from(*n))));
    }
    Ok(c.s.heap.record(&members)?)
}
