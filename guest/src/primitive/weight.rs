//! What terms and values weigh that are made into one another: 1 for each node, and 1 for each
//! full 64 bytes of a text or a name and for each 64-bit limb of an integer that has more than one.
//! Both walks stop when they have found more than a budget.

use super::comparison::TEXT_UNIT;
use super::{text_work, type_name};
use crate::form::Form;
use crate::heap::Heap;
use crate::term::{TermId, Terms};
use crate::value::{
    CONS, IMMEDIATE, KIND_CONTINUATION, KIND_QUOTED, KIND_RECORD, PAIR, Word, aux, index,
    is_function, kind, tag,
};

/// The weight of one node without what is below it.
pub(crate) fn of_node(terms: &Terms, term: TermId) -> u64 {
    let bytes = |text: &str| text.len() as u64 / TEXT_UNIT;
    1 + match terms.form(term) {
        Form::Text => bytes(terms.text(term)),
        Form::BigInteger => terms.big_integer(term).map_or(0, |n| of_limbs(n.bits().div_ceil(64))),
        _ => terms.names(term).iter().map(|name| bytes(terms.name(*name))).sum(),
    }
}

fn of_limbs(limbs: u64) -> u64 {
    if limbs > 1 { limbs } else { 0 }
}

/// The weight of a term.
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

/// What a value weighs as a term, and the type of what is in it that is no part of any term.
pub(crate) struct Weighed {
    pub(crate) work: u64,
    pub(crate) odd: Option<&'static str>,
}

/// The weight of a value.
pub(crate) fn of_value(heap: &Heap, terms: &Terms, value: Word, budget: u64) -> Weighed {
    let (mut work, mut open) = (0, vec![value]);
    while work <= budget
        && let Some(v) = open.pop()
    {
        if is_function(v) || heap.object_kind(v) == KIND_CONTINUATION {
            return Weighed { work, odd: Some(type_name(heap, v)) };
        }
        if tag(v) == IMMEDIATE && kind(v) == KIND_QUOTED {
            work += of_term(terms, aux(v), budget - work);
            continue;
        }
        work += 1 + text_work(heap, v);
        work += heap.limbs(v).map_or(0, |(limbs, _)| of_limbs(limbs.len() as u64));
        let from = open.len();
        match tag(v) {
            CONS => {
                let mut rest = v;
                while tag(rest) == CONS {
                    let [first, more] = heap.cell(index(rest));
                    open.push(first);
                    rest = more;
                }
            }
            PAIR => open.extend(heap.cell(index(v))),
            _ if heap.object_kind(v) == KIND_RECORD => {
                for member in heap.members(v).chunks_exact(2) {
                    let [key, value] = *member else { continue };
                    work += text_work(heap, key);
                    open.push(value);
                }
            }
            _ => {}
        }
        open.get_mut(from..).unwrap_or_default().reverse();
    }
    Weighed { work, odd: None }
}
