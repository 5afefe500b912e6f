//! Values that a term would hold more than once: functions, what several functions refer to, and
//! where a text would be too long, all parts of data that occur again. They are bound around the
//! whole, each after those that it refers to.

use super::function::{Functions, Held, parts};
use super::knot::Knots;
use super::mark::Marks;
use super::obstacle::Obstacle;
use crate::memory::heap::Heap;
use crate::memory::word::{IMMEDIATE, Word, index, is_integer, tag};
use pif_core::ids::IdMap;
use pif_core::limits::to_u32;

/// Shared values with their numbers from 1, in the order in which they must be bound.
#[derive(Debug, Default)]
pub(super) struct Shared {
    pub(super) order: Vec<Word>,
    numbers: IdMap,
}

impl Shared {
    /// Returns the number of a shared value.
    pub(super) fn number(&self, v: Word) -> Option<u32> {
        self.numbers.get(to_u32(index(v)))
    }
}

/// Bytes of the shortest text that is bound instead of being repeated.
const LONG: u64 = 40;

/// The object has been met.
const MET: u8 = 1;
/// A function refers to it.
const HELD: u8 = 2;
/// It is bound.
const BOUND: u8 = 4;
/// What it holds is being looked at.
const OPEN: u8 = 8;
/// It is data that has been met again.
const AGAIN: u8 = 16;

enum Step {
    Value(Word, bool),
    Leave(Word),
}

/// Finds the shared values; with `parts_too` also those within data.
pub(super) fn find(
    heap: &Heap,
    functions: &Functions,
    knots: &Knots,
    (value, parts_too): (Word, bool),
) -> Result<Shared, Obstacle> {
    if functions.all.is_empty() && !parts_too {
        return Ok(Shared::default());
    }
    let mut marks = Marks::of(heap);
    let mut left = Vec::new();
    let mut open = vec![Step::Value(value, false)];
    while let Some(step) = open.pop() {
        let (v, is_held) = match step {
            Step::Value(v, is_held) => (v, is_held),
            Step::Leave(v) => {
                marks.clear(index(v), OPEN);
                left.push(v);
                continue;
            }
        };
        if is_integer(v) || tag(v) == IMMEDIATE {
            continue;
        }
        let at = index(v);
        if marks.has(at, OPEN) {
            let message = "a function that refers to itself through data cannot be kept";
            return Err(Obstacle::Part(v, message.to_owned()));
        }
        if let Some((_, function)) = functions.get(v) {
            if function.has_eval && is_held {
                marks.set(at, BOUND);
            }
            if marks.set(at, MET) {
                marks.set(at, BOUND);
                continue;
            }
            marks.set(at, OPEN);
            open.push(Step::Leave(v));
            around(functions, knots, v, |held| open.push(Step::Value(held, true)));
            continue;
        }
        let is_long = match heap.text_size(v) {
            Some((bytes, _)) => bytes >= LONG,
            None => heap.as_float(v).is_none() && heap.as_no_number(v).is_none(),
        };
        if is_held && is_long && marks.set(at, HELD) {
            marks.set(at, BOUND);
        }
        if marks.set(at, MET) {
            if is_long {
                marks.set(at, AGAIN);
            }
            continue;
        }
        marks.set(at, OPEN);
        open.push(Step::Leave(v));
        parts(heap, v, &mut marks, MET, |part| open.push(Step::Value(part, false)));
    }
    let bits = if parts_too { BOUND | AGAIN } else { BOUND };
    left.retain(|v| marks.has(index(*v), bits));
    let mut numbers = IdMap::default();
    for (v, at) in left.iter().zip(1..) {
        numbers.insert(to_u32(index(*v)), at);
    }
    Ok(Shared { order: left, numbers })
}

/// Calls `f` with the values that the term of a function holds.
fn around(functions: &Functions, knots: &Knots, v: Word, mut f: impl FnMut(Word)) {
    let Some((number, function)) = functions.get(v) else { return };
    let variables = knots.of(number).map_or(&function.variables, |knot| &knot.variables);
    let held = variables.iter().map(|(_, held)| held).chain(&function.taken);
    // The caller looks at the last one first.
    for held in held.rev() {
        if let Held::Word(word) = held {
            f(*word);
        }
    }
}
