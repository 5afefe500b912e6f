//! The types of values.

use super::heap::Heap;
use super::tagged::{DATE, MAP, MATCH, NOT_A_NUMBER, REGEX, SET};
use super::word::{
    CLOSURE, CONS, FALSE, KIND_BIG, KIND_CONTINUATION, KIND_FLOAT, KIND_RECORD, KIND_TAGGED,
    KIND_TEXT, NIL, OBJECT, PAIR, PARTIAL, ROPE, TRUE, UNIT, Word, aux, index, is_integer, kind,
    tag,
};
use pif_language::kinds::{self, Kinds};

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

/// Returns the type of a value.
#[inline(never)]
pub(crate) fn kind_of(heap: &Heap, v: Word) -> Kinds {
    if is_integer(v) {
        return kinds::INTEGER;
    }
    match tag(v) {
        CONS => kinds::LIST,
        PAIR => kinds::PAIR,
        CLOSURE | PARTIAL => kinds::FUNCTION,
        ROPE => kinds::STRING,
        OBJECT => match heap.object_kind(v) {
            KIND_TEXT => kinds::STRING,
            KIND_BIG => kinds::INTEGER,
            KIND_FLOAT => kinds::FLOAT,
            KIND_RECORD => kinds::RECORD,
            KIND_CONTINUATION => kinds::CONTINUATION,
            _ => match heap.tagged(v) {
                MAP => kinds::MAP,
                SET => kinds::SET,
                REGEX => kinds::REGEX,
                MATCH => kinds::LIST,
                DATE => kinds::DATE,
                NOT_A_NUMBER => kinds::FLOAT,
                // No other object is a value of a program.
                _ => kinds::UNKNOWN,
            },
        },
        _ => match v {
            NIL => kinds::LIST,
            UNIT => kinds::NULL,
            TRUE | FALSE => kinds::BOOLEAN,
            _ => kinds::QUOTED,
        },
    }
}
