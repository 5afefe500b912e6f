//! The weight of terms and values that are converted into each other: 8 for each node, 1 for each
//! full 8 bytes of its text or of its names (with one byte after each name), and the work of
//! finding the digits of a big integer. A walk stops when it exceeds its budget.

use crate::algorithm::entries;
use crate::memory::heap::Heap;
use crate::memory::tagged::{DATE, MAP, REGEX};
use crate::memory::word::{
    CONS, IMMEDIATE, KIND_CONTINUATION, KIND_QUOTED, KIND_RECORD, PAIR, Word, aux, index,
    is_function, kind, tag,
};
use pif_language::form::Form;
use pif_language::term::{TermId, Terms};

/// Bytes of text for one unit of work.
pub(crate) const TEXT_UNIT: u64 = 8;

/// Returns the units of work of a text.
pub(crate) fn text_work(heap: &Heap, v: Word) -> u64 {
    heap.text_size(v).map_or(0, |(bytes, _)| bytes / TEXT_UNIT)
}

/// Returns the work of converting an integer of so many limbs to digits or back, which is that of
/// its multiplications.
pub(crate) fn digits_work(limbs: u64) -> u64 {
    if limbs < 2 { 0 } else { limbs.saturating_mul(8 + 2 * limbs.isqrt()) }
}

/// Decimal digits that count as a limb where an integer is read.
pub(crate) const LIMB_DIGITS: usize = 19;

/// Returns the work of reading an integer of so many digits.
pub(crate) fn reading_work(digits: usize) -> u64 {
    let limbs = (digits / LIMB_DIGITS) as u64;
    // A number with so many digits is usually not small.
    digits_work(if limbs == 1 { 2 } else { limbs })
}

/// The weight of a node alone.
pub(crate) const NODE: u64 = 8;

/// Returns the weight of a node without the nodes below it.
pub(crate) fn of_node(terms: &Terms, term: TermId) -> u64 {
    NODE + match terms.form(term) {
        Form::Text => terms.text(term).len() as u64 / TEXT_UNIT,
        Form::BigInteger => {
            terms.big_integer(term).map_or(0, |n| digits_work(n.bits().div_ceil(64)))
        }
        _ => {
            let names = terms.names(term).iter();
            names.map(|name| terms.name(*name).len() as u64 + 1).sum::<u64>() / TEXT_UNIT
        }
    }
}

/// Returns the weight of a term.
pub(crate) fn of_term(terms: &Terms, root: TermId, budget: u64) -> u64 {
    let (mut work, mut open) = (0, vec![root]);
    while work <= budget
        && let Some(term) = open.pop()
    {
        work += of_node(terms, term);
        open.extend_from_slice(terms.operands(term));
    }
    work
}

/// Returns the weight of a value as a term, and a part that no term can hold.
pub(crate) struct Weighed {
    pub(crate) work: u64,
    pub(crate) odd: Option<Word>,
}

/// Returns the weight of a value.
pub(crate) fn of_value(heap: &Heap, terms: &Terms, value: Word, budget: u64) -> Weighed {
    let (mut work, mut open) = (0, vec![value]);
    while work <= budget
        && let Some(v) = open.pop()
    {
        if is_function(v) || heap.object_kind(v) == KIND_CONTINUATION {
            return Weighed { work, odd: Some(v) };
        }
        if tag(v) == IMMEDIATE && kind(v) == KIND_QUOTED {
            work += of_term(terms, aux(v), budget - work);
            continue;
        }
        let v = heap.without_match(v);
        // Dates and regular expressions are forms with operands.
        if heap.tagged(v) == DATE {
            work += 2 * NODE;
            continue;
        }
        if heap.tagged(v) == REGEX {
            let texts: [Word; 2] = heap.tagged_words(v);
            work += 3 * NODE + texts.into_iter().map(|text| text_work(heap, text)).sum::<u64>();
            continue;
        }
        work += NODE + text_work(heap, v);
        work += heap.limbs(v).map_or(0, |(limbs, _)| digits_work(limbs.len() as u64));
        let from = open.len();
        match tag(v) {
            CONS => {
                let mut rest = v;
                while tag(rest) == CONS {
                    let [first, more] = heap.next(rest);
                    open.push(first);
                    rest = more;
                }
            }
            PAIR => open.extend(heap.cell(index(v))),
            _ if entries::is_one(heap, v) => {
                // It is a form, and a list: of a map, one of lists.
                let is_map = heap.tagged(v) == MAP;
                let entries = entries::of(heap, v);
                work += NODE * if is_map { 1 + entries.len() as u64 } else { 1 };
                open.extend(entries.iter().flat_map(|entry| &entry[..=usize::from(is_map)]));
            }
            _ if heap.object_kind(v) == KIND_RECORD => {
                let mut names = 0;
                for member in heap.members(v).chunks_exact(2) {
                    let [key, value] = *member else { continue };
                    names += heap.flat(key).len() as u64 + 1;
                    open.push(value);
                }
                work += names / TEXT_UNIT;
            }
            _ => {}
        }
        open.get_mut(from..).unwrap_or_default().reverse();
    }
    Weighed { work, odd: None }
}

/// Tells whether two terms have equal canonical texts. Also returns the weight of the nodes that it
/// visited in the first.
pub(crate) fn same(terms: &Terms, a: TermId, b: TermId, budget: u64) -> (bool, u64) {
    let (mut work, mut open) = (0, vec![(a, b)]);
    while work <= budget
        && let Some((a, b)) = open.pop()
    {
        work += of_node(terms, a);
        let (left, right) = (terms.operands(a), terms.operands(b));
        if left.len() != right.len() || !same_node(terms, a, b) {
            return (false, work);
        }
        open.extend(left.iter().copied().zip(right.iter().copied()).rev());
    }
    (true, work)
}

fn same_node(terms: &Terms, a: TermId, b: TermId) -> bool {
    let form = terms.form(a);
    form == terms.form(b)
        && match form {
            Form::Boolean => terms.boolean(a) == terms.boolean(b),
            Form::Integer => terms.integer(a) == terms.integer(b),
            Form::BigInteger => terms.big_integer(a) == terms.big_integer(b),
            Form::FloatNumber => terms.float(a).to_bits() == terms.float(b).to_bits(),
            Form::Text => terms.text(a) == terms.text(b),
            _ => terms.names(a) == terms.names(b),
        }
}
