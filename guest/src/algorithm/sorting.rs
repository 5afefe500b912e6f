//! The order of keys. Keys are numbers, texts, booleans, or lists of these at any depth, compared
//! element by element. Null comes first.

use crate::algorithm::comparison::order_numbers;
use crate::algorithm::lexical;
use crate::algorithm::number::arithmetic::{length_work, limbs};
use crate::algorithm::number::value::Number;
use crate::algorithm::radix;
use crate::algorithm::radix::order_bits;
use crate::algorithm::trouble::Trouble;
use crate::algorithm::weight::TEXT_UNIT;
use crate::memory::heap::Heap;
use crate::memory::word::{
    CONS, FALSE, NIL, ROPE, TRUE, UNIT, Word, as_small, index, is_integer, tag,
};
use pif_core::ids::IdMap;
use pif_core::limits::to_u32;
use pif_core::text::order;
use std::cmp::Ordering;
use std::ops::Range;

/// Returns the work of comparing a number or a text, beyond one comparison.
pub(crate) fn weight(heap: &Heap, v: Word) -> u64 {
    match heap.text_size(v) {
        Some((bytes, _)) => bytes / TEXT_UNIT,
        None => length_work(limbs(heap, v)),
    }
}

/// Returns the work of sorting `n` keys of this weight. In each round, a comparison costs no more
/// than its lesser key, which finds its place.
pub(crate) fn sorting_work(n: usize, weight: u64) -> u64 {
    let rounds = n.saturating_sub(1).checked_ilog2().map_or(0, |log| u64::from(log) + 1);
    (n as u64).saturating_add(weight).saturating_mul(rounds)
}

/// Returns the order of weighed keys, as indices. Equal keys keep their order.
pub(crate) fn sorted(heap: &Heap, keys: &[Word], descending: bool) -> Result<Vec<u32>, Trouble> {
    let indices = 0..u32::try_from(keys.len()).unwrap_or(u32::MAX);
    if keys.iter().all(|key| is_integer(*key)) {
        let flip = if descending { u64::MAX } else { 0 };
        let keys = keys.iter().map(|key| order_bits(key.cast_signed()) ^ flip);
        let mut keys: Vec<(u64, u32)> = keys.zip(indices).collect();
        radix::sort(&mut keys, radix::first);
        return Ok(keys.into_iter().map(|(_, index)| index).collect());
    }
    if let Some(bits) = keys.iter().map(|key| float_bits(heap, *key)).collect::<Option<Vec<_>>>() {
        let flip = if descending { u64::MAX } else { 0 };
        let mut keys: Vec<(u64, u32)> = bits.iter().map(|bits| bits ^ flip).zip(indices).collect();
        radix::sort(&mut keys, radix::first);
        return Ok(keys.into_iter().map(|(_, index)| index).collect());
    }
    if keys.iter().all(|key| heap.is_flat(*key)) {
        return Ok(lexical::order(heap, keys, descending));
    }
    let order = Order::new(heap, keys)?;
    let mut keys: Vec<(Word, u32)> = keys.iter().copied().zip(indices).collect();
    order::sort(&mut keys, &|(a, _), (b, _)| order.compare_keys(*a, *b, descending));
    Ok(keys.into_iter().map(|(_, index)| index).collect())
}

/// Returns a word that orders like a float.
fn float_bits(heap: &Heap, v: Word) -> Option<u64> {
    // Negative zero equals zero.
    let bits = (heap.as_float(v)? + 0.0).to_bits();
    Some(if bits >> 63 == 0 { bits ^ 1 << 63 } else { !bits })
}

/// Sorts small integers.
pub(crate) fn sort_integers(keys: &mut Vec<Word>) {
    radix::sort(keys, |key| order_bits(key.cast_signed()));
}

/// Returns the first of the greatest or the least keys. It skips nulls. The keys have been weighed.
pub(crate) fn extreme(
    heap: &Heap,
    keys: &[Word],
    sought: Ordering,
) -> Result<Option<usize>, Trouble> {
    let order = Order::new(heap, keys)?;
    let best = keys
        .iter()
        .copied()
        .enumerate()
        .filter(|(_, key)| *key != UNIT)
        .reduce(|best, next| if order.compare(next.1, best.1) == sought { next } else { best });
    Ok(best.map(|(index, _)| index))
}

/// The order of keys. Ropes are written out once, because each comparison would walk all their
/// parts.
struct Order<'h> {
    heap: &'h Heap,
    /// The place in `ranges` of each rope, by its heap index.
    written: IdMap,
    /// The range of each rope in `bytes`.
    ranges: Vec<Range<usize>>,
    bytes: Vec<u8>,
}

impl<'h> Order<'h> {
    fn new(heap: &'h Heap, keys: &[Word]) -> Result<Self, Trouble> {
        let mut order =
            Self { heap, written: IdMap::default(), ranges: Vec::new(), bytes: Vec::new() };
        let mut rests = Vec::new();
        for key in keys {
            let mut next = Some(*key);
            while let Some(v) = next {
                if tag(v) == CONS {
                    let [first, rest] = heap.next(v);
                    rests.push(rest);
                    next = Some(first);
                } else {
                    order.write(v)?;
                    next = rests.pop();
                }
            }
        }
        Ok(order)
    }

    fn write(&mut self, v: Word) -> Result<(), Trouble> {
        if tag(v) != ROPE || self.written.has(to_u32(index(v))) {
            return Ok(());
        }
        let (more, _) = self.heap.text_size(v).unwrap_or_default();
        let start = self.bytes.len();
        let end = start.saturating_add(usize::try_from(more).unwrap_or(usize::MAX));
        if end / 8 > self.heap.limit {
            return Err(Trouble::Full("the keys would not fit into the memory limit"));
        }
        self.heap.write_text(v, usize::MAX, &mut self.bytes);
        self.written.insert(to_u32(index(v)), to_u32(self.ranges.len()));
        self.ranges.push(start..end);
        Ok(())
    }

    fn text(&self, v: Word) -> &[u8] {
        if tag(v) != ROPE {
            return self.heap.flat_text(v).unwrap_or_default();
        }
        let written = self.written.get(to_u32(index(v)));
        let range = written.and_then(|at| self.ranges.get(at as usize)).cloned();
        self.bytes.get(range.unwrap_or_default()).unwrap_or_default()
    }

    fn compare_keys(&self, a: Word, b: Word, descending: bool) -> Ordering {
        if descending { self.compare(b, a) } else { self.compare(a, b) }
    }

    fn compare(&self, a: Word, b: Word) -> Ordering {
        if is_integer(a) && is_integer(b) {
            return as_small(a).cmp(&as_small(b));
        }
        let (mut a, mut b, mut rests) = (a, b, Vec::new());
        loop {
            // The rests of outer lists wait until the inner lists are compared.
            while tag(a) == CONS && tag(b) == CONS {
                let [x, rest_a] = self.heap.next(a);
                let [y, rest_b] = self.heap.next(b);
                if tag(x) == CONS && tag(y) == CONS {
                    rests.push((rest_a, rest_b));
                    (a, b) = (x, y);
                    continue;
                }
                let ordering = self.compare_one(x, y);
                if ordering.is_ne() {
                    return ordering;
                }
                (a, b) = (rest_a, rest_b);
            }
            let ordering = self.compare_one(a, b);
            if ordering.is_ne() {
                return ordering;
            }
            let Some(next) = rests.pop() else { return ordering };
            (a, b) = next;
        }
    }

    /// Compares two values of one kind. At most one is a list with elements, or null.
    fn compare_one(&self, a: Word, b: Word) -> Ordering {
        match (a, b) {
            _ if a == b => Ordering::Equal,
            (UNIT, _) => Ordering::Less,
            (_, UNIT) => Ordering::Greater,
            (NIL, _) | (FALSE, TRUE) => Ordering::Less,
            (_, NIL) | (TRUE, FALSE) => Ordering::Greater,
            _ if self.heap.is_text(a) => self.text(a).cmp(self.text(b)),
            _ if let (Some(a), Some(b)) = (self.heap.date(a), self.heap.date(b)) => a.cmp(&b),
            _ => compare_numbers(self.heap, a, b),
        }
    }
}

/// Orders two numbers exactly, for sorting: the cost of a comparison does not grow with the larger
/// number.
pub(crate) fn compare_numbers(heap: &Heap, a: Word, b: Word) -> Ordering {
    if is_integer(a) && is_integer(b) {
        return as_small(a).cmp(&as_small(b));
    }
    match (heap.limbs(a), heap.limbs(b)) {
        (Some(a), Some(b)) => return compare_limbs(a, b),
        // If an integer has more limbs than any float, its sign decides, unless that is infinite.
        (Some((limbs, negative)), None) if is_integer(b) || limbs.len() > 16 => {
            let is_less = heap.as_infinity(b).map_or(negative, |n| n > 0.0);
            return if is_less { Ordering::Less } else { Ordering::Greater };
        }
        (None, Some((limbs, negative))) if is_integer(a) || limbs.len() > 16 => {
            let is_less = heap.as_infinity(a).map_or(!negative, |n| n < 0.0);
            return if is_less { Ordering::Less } else { Ordering::Greater };
        }
        _ => {}
    }
    match (Number::of(heap, a), Number::of(heap, b)) {
        (Some(Number::Small(a)), Some(Number::Float(b))) => compare_with_float(a, b),
        (Some(Number::Float(a)), Some(Number::Small(b))) => compare_with_float(b, a).reverse(),
        (Some(a), Some(b)) => order_numbers(&a, &b),
        _ => Ordering::Equal,
    }
}

fn compare_limbs((a, a_negative): (&[u64], bool), (b, b_negative): (&[u64], bool)) -> Ordering {
    let magnitudes = || a.len().cmp(&b.len()).then_with(|| a.iter().rev().cmp(b.iter().rev()));
    match (a_negative, b_negative) {
        (false, false) => magnitudes(),
        (true, true) => magnitudes().reverse(),
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
    }
}

/// Orders a 64-bit integer and a float exactly.
fn compare_with_float(a: i64, b: f64) -> Ordering {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    if b >= BEYOND {
        return Ordering::Less;
    }
    if b < -BEYOND {
        return Ordering::Greater;
    }
    let floor = b.floor();
    #[expect(clippy::cast_possible_truncation, reason = "a whole number within 64 bits")]
    let whole = floor as i64;
    a.cmp(&whole).then(if b > floor { Ordering::Less } else { Ordering::Equal })
}
