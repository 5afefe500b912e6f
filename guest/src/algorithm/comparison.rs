//! Equality and order.

use crate::algorithm::canonical::Failed;
use crate::algorithm::entries;
use crate::algorithm::mapping::{self, Key};
use crate::algorithm::number::value::Number;
use crate::algorithm::trouble::{TOGETHER, Trouble};
use crate::algorithm::weight::TEXT_UNIT;
use pif_language::kinds::{self, Wanted};
use pif_language::prices::units;

use crate::algorithm::{record, weight};
use crate::memory::heap::Heap;
use crate::memory::tagged::{MAP, REGEX};
use crate::memory::word::{
    CONS, HOLE, IMMEDIATE, KIND_CONTINUATION, KIND_QUOTED, KIND_RECORD, PAIR, Word, as_small, aux,
    boolean, is_function, is_integer, kind, small, tag,
};
use num_bigint::BigInt;
use num_traits::FromPrimitive;
use pif_language::form::Form;
use pif_language::term::Terms;
use std::cmp::Ordering;

const KEYS: &str = "the keys would not fit into the memory limit";

/// Orders two numbers exactly. It never rounds an integer to a float or back.
pub(crate) fn order_numbers(a: &Number, b: &Number) -> Ordering {
    match (a, b) {
        (Number::Small(a), Number::Small(b)) => a.cmp(b),
        (Number::Float(a), Number::Float(b)) => a.partial_cmp(b).unwrap_or(Ordering::Equal),
        (Number::Float(a), b) => order_float(*a, &b.big()),
        (a, Number::Float(b)) => order_float(*b, &a.big()).reverse(),
        (a, b) => a.big().cmp(&b.big()),
    }
}

fn order_float(a: f64, b: &BigInt) -> Ordering {
    if a.is_infinite() {
        return if a > 0.0 { Ordering::Greater } else { Ordering::Less };
    }
    let floor = BigInt::from_f64(a.floor()).unwrap_or_default();
    floor.cmp(b).then(if a > a.floor() { Ordering::Greater } else { Ordering::Equal })
}

/// Orders a float and an integer beyond all floats. Nothing pays for reading that integer.
fn order_far(heap: &Heap, x: Word, y: Word) -> Option<Ordering> {
    let far = |float: Word, integer: Word| {
        let float = heap.as_float(float)?;
        let (limbs, is_negative) = heap.limbs(integer)?;
        if float.is_infinite() {
            return Some(if float > 0.0 { Ordering::Greater } else { Ordering::Less });
        }
        (limbs.len() > 16).then_some(if is_negative { Ordering::Greater } else { Ordering::Less })
    };
    far(x, y).or_else(|| far(y, x).map(Ordering::reverse))
}

/// Orders two integers, unless both are small, by their limbs on the heap.
fn order_integers(heap: &Heap, x: Word, y: Word) -> Option<(u64, Ordering)> {
    // A small integer is closer to zero than any big one.
    let parts = |v| match heap.limbs(v) {
        None if is_integer(v) => Some((false, as_small(v) < 0, [].as_slice())),
        limbs => limbs.map(|(limbs, is_negative)| (true, is_negative, limbs)),
    };
    let ((is_big, a_negative, a), (other_big, b_negative, b)) = (parts(x)?, parts(y)?);
    if !is_big && !other_big {
        return None;
    }
    let longest = a.len().max(b.len());
    let work = if longest > 1 { longest as u64 } else { 0 };
    let by_size = a.len().cmp(&b.len()).then_with(|| a.iter().rev().cmp(b.iter().rev()));
    let ordering = match (a_negative, b_negative) {
        (false, false) => by_size,
        (true, true) => by_size.reverse(),
        (negative, _) if negative => Ordering::Less,
        _ => Ordering::Greater,
    };
    Some((work, ordering))
}

/// The work of a comparison, with its result or fault.
pub(crate) struct Compared {
    pub(crate) work: u64,
    pub(crate) result: Result<Word, Trouble>,
}

/// Does `lt`, `gt`, `lte` and `gte` of two numbers, or of two texts by code point.
/// A date counts as its milliseconds.
pub(crate) fn order(heap: &Heap, form: Form, x: Word, y: Word) -> Compared {
    if heap.date(x).is_some() || heap.date(y).is_some() {
        let [a, b] = [x, y].map(|v| heap.date(v).map_or(v, small));
        if Number::of(heap, a).is_some() && Number::of(heap, b).is_some() {
            return order(heap, form, a, b);
        }
    }
    if let Some(ordering) = order_far(heap, x, y) {
        return Compared { work: units::COMPARISON, result: Ok(holds(form, ordering)) };
    }
    if let Some((work, ordering)) = order_integers(heap, x, y) {
        return Compared { work, result: Ok(holds(form, ordering)) };
    }
    if let (Some(a), Some(b)) = (Number::of(heap, x), Number::of(heap, y)) {
        let work = if a.is_float() || b.is_float() { units::COMPARISON } else { 0 };
        return Compared { work, result: Ok(holds(form, order_numbers(&a, &b))) };
    }
    if let (Some((a, _)), Some((b, _))) = (heap.text_size(x), heap.text_size(y)) {
        let ordering = heap.string(x).cmp(&heap.string(y));
        let work = units::COMPARISON + a.min(b) / TEXT_UNIT;
        return Compared { work, result: Ok(holds(form, ordering)) };
    }
    let fits =
        |v| Number::of(heap, v).is_some() || heap.is_text(v) || heap.as_no_number(v).is_some();
    if fits(x) && fits(y) && [x, y].iter().any(|v| heap.as_no_number(*v).is_some()) {
        return Compared { work: 0, result: Ok(boolean(false)) };
    }
    let (operand, wanted) = match (fits(x), fits(y)) {
        (false, _) => (0, Wanted::One(kinds::NUMBER_OR_STRING)),
        (true, false) => (1, Wanted::One(kinds::NUMBER_OR_STRING)),
        (true, true) => (TOGETHER, Wanted::TwoAlike),
    };
    let odd = if operand == 0 { x } else { y };
    Compared { work: 0, result: Err(Trouble::of_type(heap, operand, odd, wanted)) }
}

fn holds(form: Form, ordering: Ordering) -> Word {
    boolean(match form {
        Form::Lt => ordering.is_lt(),
        Form::Gt => ordering.is_gt(),
        Form::Lte => ordering.is_le(),
        _ => ordering.is_ge(),
    })
}

/// Does `eq`, with a stack on the heap. Stops when the work exceeds `budget`.
pub(crate) fn equal(heap: &Heap, terms: &Terms, x: Word, y: Word, budget: u64) -> Compared {
    let mut comparison = Comparison { heap, terms, open: vec![(x, y, 0)], work: 0, budget };
    while let Some((x, y, work)) = comparison.open.pop() {
        comparison.work += work;
        match comparison.same(x, y) {
            Ok(true) if comparison.work <= budget => {}
            Ok(true) => break,
            Ok(false) => return Compared { work: comparison.work, result: Ok(boolean(false)) },
            Err(trouble) => return Compared { work: comparison.work, result: Err(trouble) },
        }
    }
    Compared { work: comparison.work, result: Ok(boolean(true)) }
}

struct Comparison<'h> {
    heap: &'h Heap,
    terms: &'h Terms,
    /// Pairs left to compare, each with its work.
    open: Vec<(Word, Word, u64)>,
    work: u64,
    budget: u64,
}

impl Comparison<'_> {
    /// Tells whether two values are equal apart from their parts, which it adds to `open`.
    fn same(&mut self, x: Word, y: Word) -> Result<bool, Trouble> {
        let heap = self.heap;
        let [x, y] = [x, y].map(|v| heap.without_match(v));
        for (operand, v) in [x, y].into_iter().enumerate() {
            if is_function(v) || heap.object_kind(v) == KIND_CONTINUATION || v == HOLE {
                return Err(Trouble::of_type(heap, operand, v, Wanted::Comparable));
            }
        }
        if is_integer(x) && is_integer(y) {
            return Ok(x == y);
        }
        match (tag(x), tag(y)) {
            // A pair has the layout of a cell.
            (CONS, CONS) | (PAIR, PAIR) => {
                let [a, b] = heap.next(x);
                let [c, d] = heap.next(y);
                self.work += 1;
                self.open.extend([(b, d, 0), (a, c, 0)]);
                return Ok(true);
            }
            (IMMEDIATE, IMMEDIATE) if kind(x) == KIND_QUOTED && kind(y) == KIND_QUOTED => {
                return Ok(self.same_term(x, y));
            }
            (IMMEDIATE | CONS | PAIR, _) | (_, IMMEDIATE | CONS | PAIR) => {
                return Ok(x == y);
            }
            _ => {}
        }
        if let (Some(a), Some(b)) = (heap.text_size(x), heap.text_size(y)) {
            return Ok(a.0 == b.0 && self.same_text(x, y, a.0));
        }
        if order_far(heap, x, y).is_some() {
            return Ok(false);
        }
        if let Some((work, ordering)) = order_integers(heap, x, y) {
            self.work += work;
            return Ok(ordering.is_eq());
        }
        if let (Some(a), Some(b)) = (Number::of(heap, x), Number::of(heap, y)) {
            return Ok(order_numbers(&a, &b).is_eq());
        }
        if let (Some(a), Some(b)) = (heap.date(x), heap.date(y)) {
            return Ok(a == b);
        }
        if heap.tagged(x) == REGEX && heap.tagged(y) == REGEX {
            let [a, b]: [[Word; 2]; 2] = [x, y].map(|v| heap.tagged_words(v));
            self.open.extend(a.into_iter().zip(b).map(|(a, b)| (a, b, 0)));
            return Ok(true);
        }
        if heap.object_kind(x) == KIND_RECORD && heap.object_kind(y) == KIND_RECORD {
            return Ok(self.same_keys(x, y));
        }
        if entries::is_one(heap, x) && heap.tagged(x) == heap.tagged(y) {
            return self.same_entries(x, y);
        }
        Ok(false)
    }

    /// Compares the keys of two maps or sets. If they are equal, it adds the values to `open`.
    fn same_entries(&mut self, x: Word, y: Word) -> Result<bool, Trouble> {
        let (heap, terms) = (self.heap, self.terms);
        if entries::count(heap, x) != entries::count(heap, y) {
            return Ok(false);
        }
        let entries = entries::of(heap, x);
        let mut values = Vec::with_capacity(entries.len());
        for [key, value] in entries {
            let left = self.budget.saturating_sub(self.work);
            let (work, key) = Key::of(heap, terms, key, left);
            self.work += 1 + work;
            match key {
                Ok(key) => match mapping::find(heap, terms, y, &key).value(heap) {
                    Some(other) => values.push((value, other, 1)),
                    None => return Ok(false),
                },
                Err(Failed::Budget) => return Ok(true),
                Err(_) => return Err(Trouble::Full(KEYS)),
            }
        }
        if heap.tagged(x) == MAP {
            self.open.extend(values.into_iter().rev());
        }
        Ok(true)
    }

    fn same_term(&mut self, x: Word, y: Word) -> bool {
        let left = self.budget.saturating_sub(self.work);
        let (same, work) = weight::same(self.terms, aux(x), aux(y), left);
        self.work += work;
        same
    }

    fn same_text(&mut self, x: Word, y: Word, bytes: u64) -> bool {
        self.work += bytes / TEXT_UNIT;
        self.heap.string(x) == self.heap.string(y)
    }

    /// Compares the keys of two records, wherever they stand. If they are equal, it adds the members
    /// to `open`, in the order of the first record. A long key is work.
    fn same_keys(&mut self, x: Word, y: Word) -> bool {
        let heap = self.heap;
        let (a, b) = (heap.members(x), heap.members(y));
        if a.len() != b.len() {
            return false;
        }
        let from = self.open.len();
        for (place, member) in (0..).step_by(2).zip(a.chunks_exact(2)) {
            let [key, value] = *member else { continue };
            self.work += u64::from(aux(heap.header(key))) / TEXT_UNIT;
            // As a rule, equal records list their keys alike.
            let other = match b.get(place..) {
                Some([here, other, ..]) if heap.same_flat(*here, key) => Some(*other),
                _ => record::value_of(heap, y, key),
            };
            let Some(other) = other else {
                self.open.truncate(from);
                return false;
            };
            self.open.push((value, other, 1));
        }
        self.open.get_mut(from..).unwrap_or_default().reverse();
        true
    }
}
