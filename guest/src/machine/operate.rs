//! Strict forms whose operands are not two small integers; results go to `values[0]`.

use super::state::{Exit, State};
use crate::code::Image;
use crate::form::Form;
use crate::heap::{Full, Heap};
use crate::limits::TEXT_BYTES;
use crate::primitive::comparison::{Compared, equal, order};
use crate::primitive::{Trouble, arithmetic, lexical, meta, type_name};
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

impl State {
    /// Spends fuel on bulk work of the operation at `at`.
    pub(super) fn bulk(&mut self, image: &Image, at: usize, work: u64) -> Result<(), Exit> {
        if work > 0 {
            let price = self.form(image, at).work_price();
            self.meter.bulk(image, at, self.depth, work.saturating_mul(price))?;
        }
        Ok(())
    }

    /// The most work of the operation at `at` that can be paid.
    pub(super) fn budget(&self, image: &Image, at: usize) -> u64 {
        self.meter.left().max(0).unsigned_abs() / self.form(image, at).work_price()
    }

    /// Makes room for `n` words; slots below `live` are kept.
    pub(super) fn make_room(&mut self, n: usize, live: usize) -> Result<(), Exit> {
        if !self.heap.has_room(n) {
            self.collect(n, live)?;
        }
        Ok(())
    }

    pub(super) fn give(&mut self, value: Word) {
        if let Some(slot) = self.values.first_mut() {
            *slot = value;
        }
    }

    fn wrong(&self, operand: usize, v: Word, wanted: &'static str) -> Exit {
        Trouble::Type { operand, wanted, found: type_name(&self.heap, v) }.into()
    }
}

pub(super) fn binary(
    image: &Image,
    s: &mut State,
    at: usize,
    form: Form,
    operands: [Word; 2],
    live: usize,
) -> Result<(), Exit> {
    let [x, y] = operands;
    let value = match form {
        Form::Add | Form::Sub | Form::Mul | Form::Div | Form::Mod => {
            let (work, words) = arithmetic::cost(&s.heap, form, x, y);
            s.bulk(image, at, work)?;
            // The operands are kept as roots while room is made.
            let kept = s.values.len();
            s.values.extend(operands);
            let room = s.make_room(words, live);
            let moved = s.values.split_off(kept);
            room?;
            let [x, y] = moved.try_into().unwrap_or(operands);
            arithmetic::arithmetic(&mut s.heap, form, x, y)?
        }
        Form::Concat => concat(s, x, y, live)?,
        Form::Eq => {
            let budget = s.budget(image, at);
            let terms = Rc::clone(&s.terms);
            let Compared { work, result } = equal(&s.heap, &terms, x, y, budget);
            s.bulk(image, at, work)?;
            result?
        }
        _ => {
            let Compared { work, result } = order(&s.heap, form, x, y);
            s.bulk(image, at, work)?;
            result?
        }
    };
    s.give(value);
    Ok(())
}

fn concat(s: &mut State, x: Word, y: Word, live: usize) -> Result<Word, Exit> {
    let Some((bytes, _)) = s.heap.text_size(x) else {
        return Err(s.wrong(0, x, "a string"));
    };
    let Some((more_bytes, _)) = s.heap.text_size(y) else {
        return Err(s.wrong(1, y, "a string"));
    };
    let kept = s.values.len();
    s.values.extend([x, y]);
    let room = s.make_room(3, live);
    let moved = s.values.split_off(kept);
    if bytes + more_bytes > longest_text(&s.heap) {
        return Err(Trouble::TooLarge("the text would not fit into the memory limit").into());
    }
    room?;
    let [x, y] = moved.try_into().unwrap_or([x, y]);
    join(&mut s.heap, x, y).ok_or_else(|| Trouble::from(Full).into())
}

pub(super) fn unary(
    image: &Image,
    s: &mut State,
    at: usize,
    form: Form,
    x: Word,
    live: usize,
) -> Result<(), Exit> {
    let value = match form {
        Form::Length => length(image, s, at, x)?,
        Form::IsEmpty if is_list(x) => boolean(x == NIL),
        Form::IsEmpty => return Err(s.wrong(0, x, "a list")),
        _ => analyze(image, s, at, x, live)?,
    };
    s.give(value);
    Ok(())
}

fn length(image: &Image, s: &mut State, at: usize, x: Word) -> Result<Word, Exit> {
    if let Some((_, chars)) = s.heap.text_size(x) {
        return Ok(count(chars));
    }
    if !is_list(x) {
        return Err(s.wrong(0, x, "a list or a string"));
    }
    let n = s.heap.length(x);
    s.heap.counted = (x, n);
    s.bulk(image, at, n as u64)?;
    Ok(count(n as u64))
}

fn count(n: u64) -> Word {
    i64::try_from(n).ok().and_then(fit).unwrap_or_default()
}

fn analyze(image: &Image, s: &mut State, at: usize, x: Word, live: usize) -> Result<Word, Exit> {
    if x & 15 != crate::value::IMMEDIATE || kind(x) != KIND_QUOTED {
        return Err(s.wrong(0, x, "a quoted term"));
    }
    let terms = Rc::clone(&s.terms);
    let (forms, nodes) = meta::count_forms(&terms, aux(x));
    s.bulk(image, at, nodes)?;
    s.make_room(1 + forms.len() * 6, live)?;
    let name = |at: usize| forms.get(at).map_or("", |(form, _)| form.name());
    let mut members = Vec::with_capacity(2 * forms.len());
    for at in lexical::order_of(forms.len(), &name) {
        members.push(s.heap.text(name(at))?);
        members.extend(forms.get(at).map(|(_, n)| word(i64::from(*n))));
    }
    Ok(s.heap.record(&members)?)
}
