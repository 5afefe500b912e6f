//! Which keys go together, and what looking at them costs.

use super::Trouble;
use super::sorting::{is_number, weight};
use crate::heap::Heap;
use crate::limits;
use crate::value::{CONS, FALSE, TRUE, UNIT, Word, is_integer, is_list, tag};

/// What a key, or an element of one, may be. Null goes with each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Number,
    Text,
    Boolean,
    List,
}

impl Kind {
    fn of(heap: &Heap, v: Word) -> Option<Self> {
        if is_number(heap, v) {
            Some(Self::Number)
        } else if heap.is_text(v) {
            Some(Self::Text)
        } else if matches!(v, TRUE | FALSE) {
            Some(Self::Boolean)
        } else {
            is_list(v).then_some(Self::List)
        }
    }
}

/// What the keys weigh, as far as they were looked at: the work of looking at all of them, and of
/// one round of comparing them; and the key, or the element of a key, that is none or of another
/// kind than what stands at its place in those before it.
pub(crate) struct Weighed {
    pub(crate) work: u64,
    pub(crate) wrong: Option<Word>,
}

/// Weighs the keys until that is more work than the budget. The n-th elements of keys that are
/// lists must be of one kind as well, and so on: then no order of comparisons meets two values that
/// do not compare.
pub(crate) fn weigh(heap: &Heap, keys: &[Word], budget: u64) -> Result<Weighed, Trouble> {
    let mut scale = Scale { heap, budget, work: 0, places: vec![Place::default()] };
    let mut wrong = None;
    // Integers of a word weigh nothing.
    let integers = keys.iter().take_while(|key| is_integer(**key)).count();
    if let (Some(place), true) = (scale.places.first_mut(), integers > 0) {
        place.kind = Some(Kind::Number);
    }
    for key in keys.iter().skip(integers) {
        wrong = scale.key(*key)?;
        if wrong.is_some() {
            break;
        }
    }
    Ok(Weighed { work: scale.work, wrong })
}

/// A place in keys: the key itself, or the n-th element of what is at another place.
#[derive(Clone, Copy, Default)]
struct Place {
    /// Of what stands there, unless that was null each time.
    kind: Option<Kind>,
    /// The place of the first element of what stands there, and the place after this one; 0 where
    /// there was none yet.
    first: u32,
    next: u32,
}

/// How a place is found from another one.
#[derive(Clone, Copy)]
enum Step {
    First(u32),
    Next(u32),
}

/// Bytes that a place takes, and a list whose other elements wait, in vectors that grow.
const PLACE_BYTES: usize = 24;
const WAITING_BYTES: usize = 48;

struct Scale<'h> {
    heap: &'h Heap,
    budget: u64,
    work: u64,
    places: Vec<Place>,
}

impl Scale<'_> {
    /// Adds a key; gives what is wrong with it.
    fn key(&mut self, key: Word) -> Result<Option<Word>, Trouble> {
        let (mut value, mut place) = (key, 0);
        // The rest of each list that the value is in, and how the place of what comes next is found.
        let mut waiting: Vec<(Word, Step)> = Vec::new();
        while self.work <= self.budget {
            if !self.fits(value, place) {
                return Ok(Some(value));
            }
            if tag(value) == CONS {
                waiting.push((value, Step::First(place)));
            } else {
                self.work += weight(self.heap, value);
            }
            while waiting.last().is_some_and(|(rest, _)| tag(*rest) != CONS) {
                waiting.pop();
            }
            let Some((rest, step)) = waiting.last_mut() else { break };
            let [element, more] = self.heap.next(*rest);
            place = self.place(*step);
            (value, *rest, *step) = (element, more, Step::Next(place));
            self.work += 1;
            let bytes = PLACE_BYTES * self.places.len() + WAITING_BYTES * waiting.len();
            if bytes as u64 > limits::aside(self.heap.limit) {
                return Err(Trouble::Full("the keys would not fit into the memory limit"));
            }
        }
        Ok(None)
    }

    /// Whether a value may stand at a place.
    fn fits(&mut self, value: Word, place: u32) -> bool {
        if value == UNIT {
            return true;
        }
        let (Some(kind), Some(place)) =
            (Kind::of(self.heap, value), self.places.get_mut(place as usize))
        else {
            return false;
        };
        *place.kind.get_or_insert(kind) == kind
    }

    /// The place that a step leads to.
    fn place(&mut self, step: Step) -> u32 {
        let new = u32::try_from(self.places.len()).unwrap_or(u32::MAX);
        let (Step::First(from) | Step::Next(from)) = step;
        let Some(from) = self.places.get_mut(from as usize) else { return 0 };
        let link = match step {
            Step::First(_) => &mut from.first,
            Step::Next(_) => &mut from.next,
        };
        if *link == 0 {
            *link = new;
            self.places.push(Place::default());
            return new;
        }
        *link
    }
}

/// Why none of these values was found, when nulls are passed over.
pub(crate) fn empty(values: &[Word]) -> Trouble {
    if values.is_empty() { Trouble::EmptyList } else { Trouble::OnlyNulls }
}
