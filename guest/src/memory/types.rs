//! The types of values.

use super::heap::Heap;
use super::word::{
    CLOSURE, CONS, FALSE, KIND_BIG, KIND_CONTINUATION, KIND_FLOAT, KIND_RECORD, KIND_TEXT, NIL,
    OBJECT, PAIR, PARTIAL, ROPE, TRUE, UNIT, Word, is_integer, tag,
};

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
