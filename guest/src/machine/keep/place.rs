//! Where in a value a part of it stands, as a JSON Pointer.

use super::mark::Marks;
use crate::algorithm::entries;
use crate::memory::heap::Heap;
use crate::memory::tagged::MAP;
use crate::memory::word::{
    CONS, IMMEDIATE, KIND_RECORD, PAIR, Word, index, is_function, is_integer, tag,
};
use pif_core::json::tape::escape_pointer;
use pif_core::text::quote;

/// The way from an object to a part of it.
enum Step {
    /// To what a function refers to, which has no place of its own.
    Inside,
    Element(usize),
    Half(usize),
    Entry(usize, usize),
    Member(Word),
}

/// The object has been met.
const MET: u8 = 1;

/// Returns the place of a part of a value, or of the function that refers to it.
pub(super) fn of(heap: &Heap, value: Word, part: Word) -> String {
    let mut marks = Marks::of(heap);
    let mut path: Vec<String> = Vec::new();
    let mut open = vec![(0, Step::Inside, value)];
    while let Some((depth, step, v)) = open.pop() {
        path.truncate(depth);
        match step {
            Step::Inside => {}
            Step::Element(at) => path.push(at.to_string()),
            Step::Half(at) => path.push(format!("pair/{at}")),
            Step::Entry(at, half) => path.push(format!("{at}/{half}")),
            Step::Member(key) => path.push(escape_pointer(&heap.string(key))),
        }
        if v == part {
            break;
        }
        if is_integer(v) || tag(v) == IMMEDIATE || marks.set(index(v), MET) {
            continue;
        }
        let v = heap.without_match(v);
        let from = open.len();
        let depth = path.len();
        match tag(v) {
            CONS => {
                let elements = heap.elements(v).into_iter().enumerate();
                open.extend(elements.map(|(at, part)| (depth, Step::Element(at), part)));
            }
            PAIR => {
                let halves = heap.cell(index(v)).into_iter().enumerate();
                open.extend(halves.map(|(at, part)| (depth, Step::Half(at), part)));
            }
            _ if is_function(v) => {
                open.extend(heap.parts(v).iter().map(|part| (depth, Step::Inside, *part)));
            }
            _ if entries::is_one(heap, v) => {
                let is_map = heap.tagged(v) == MAP;
                for ([key, value], at) in entries::of(heap, v).into_iter().zip(0..) {
                    if is_map {
                        open.push((depth, Step::Entry(at, 0), key));
                        open.push((depth, Step::Entry(at, 1), value));
                    } else {
                        open.push((depth, Step::Element(at), key));
                    }
                }
            }
            _ if heap.object_kind(v) == KIND_RECORD => {
                let members = heap.members(v);
                open.extend(members.chunks_exact(2).filter_map(|member| match member {
                    [key, part] => Some((depth, Step::Member(*key), *part)),
                    _ => None,
                }));
            }
            _ => {}
        }
        open.get_mut(from..).unwrap_or_default().reverse();
    }
    let pointer = path.iter().fold("/value".to_owned(), |at, step| at + "/" + step);
    quote::pointer(pointer)
}
