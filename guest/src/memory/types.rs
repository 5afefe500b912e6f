//! The types of values.

use super::heap::Heap;
use super::tagged::{DATE, MAP, MATCH, NOT_A_NUMBER, REGEX, SET};
use super::word::{
    CLOSURE, CONS, FALSE, KIND_BIG, KIND_CONTINUATION, KIND_FLOAT, KIND_RECORD, KIND_TAGGED,
    KIND_TEXT, NIL, OBJECT, PAIR, PARTIAL, ROPE, TRUE, UNIT, Word, aux, index, is_integer, kind,
    tag,
};

/// Tells whether a value counts as true where JavaScript tests it: not false, null, 0, the empty text
/// and what is not a number.
#[inline(always)]
pub(crate) fn is_true(heap: &Heap, v: Word) -> bool {
    if is_integer(v) {
        return v != 0;
    }
    match tag(v) {
        OBJECT => {
            let header = heap.header(v);
            match kind(header) {
                KIND_TEXT => aux(header) != 0,
                // Both zeros.
                KIND_FLOAT => heap.word(index(v) + 1) << 1 != 0,
                KIND_TAGGED => aux(header) != NOT_A_NUMBER,
                _ => true,
            }
        }
        _ => v != FALSE && v != UNIT,
    }
}

/// Returns the type of a value, as `type_of` names it.
#[inline(never)]
pub(crate) fn type_name(heap: &Heap, v: Word) -> &'static str {
    if is_integer(v) {
        return "integer";
    }
    match tag(v) {
        CONS => "list",
        PAIR => "pair",
        CLOSURE | PARTIAL => "function",
        ROPE => "string",
        OBJECT => match heap.object_kind(v) {
            KIND_TEXT => "string",
            KIND_BIG => "integer",
            KIND_FLOAT => "float",
            KIND_RECORD => "record",
            KIND_CONTINUATION => "continuation",
            KIND_TAGGED => match heap.tagged(v) {
                MAP => "map",
                SET => "set",
                REGEX => "regex",
                MATCH => "list",
                DATE => "date",
                NOT_A_NUMBER => "float",
                _ => "object",
            },
            _ => "object",
        },
        _ => match v {
            NIL => "list",
            UNIT => "null",
            TRUE | FALSE => "boolean",
            _ => "quoted",
        },
    }
}
