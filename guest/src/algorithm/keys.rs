//! Checks that keys can be compared with one another, and finds the cost.

use crate::algorithm::number::arithmetic::is_number;
use crate::algorithm::sorting::weight;
use crate::algorithm::trouble::Trouble;
use crate::memory::heap::Heap;
use crate::memory::word::{CONS, FALSE, TRUE, UNIT, Word, is_integer, is_list, tag};
use pif_core::limits;

/// The kind of a key, or of an element of one. Null matches every kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Number,
    Text,
    Boolean,
    Date,
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
        } else if heap.date(v).is_some() {
            Some(Self::Date)
        } else {
            is_list(v).then_some(Self::List)
        }
    }
}

/// The weight of keys: the work of reading them all, and of one round of comparisons. `wrong` is
/// the first key or element that cannot be compared, or whose kind differs from earlier ones at its
/// place.
pub(crate) struct Weighed {
    pub(crate) work: u64,
    pub(crate) wrong: Option<Word>,
}

/// Weighs the keys until the work exceeds the budget. If keys are lists, their n-th elements must
/// be of one kind too, at every depth. So no order of comparisons meets two values that do not
/// compare.
pub(crate) fn weigh(heap: &Heap, keys: &[Word], budget: u64) -> Result<Weighed, Trouble> {
    let mut scale = Scale { heap, budget, work: 0, places: vec![Place::default()] };
    let mut wrong = None;
    // Small integers weigh nothing.
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

/// A place in keys: the key itself, or the n-th element at another place.
#[derive(Clone, Copy, Default)]
struct Place {
    /// The kind of the values here, unless all were null.
    kind: Option<Kind>,
    /// The place of the first element of the values here, and the place after this one. 0 if there
    /// is none yet.
    first: u32,
    next: u32,
}

/// The way from one place to another.
#[derive(Clone, Copy)]
enum Step {
    First(u32),
    Next(u32),
}

/// Bytes of a place, and of a list with elements left, in growing vectors.
const PLACE_BYTES: usize = 24;
const WAITING_BYTES: usize = 48;

struct Scale<'h> {
    heap: &'h Heap,
    budget: u64,
    work: u64,
    places: Vec<Place>,
}

impl Scale<'_> {
    /// Adds a key. Returns the part that does not fit.
    fn key(&mut self, key: Word) -> Result<Option<Word>, Trouble> {
        let (mut value, mut place) = (key, 0);
        // The rest of each list around the value, and the step to its next element's place.
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

    /// Tells whether a value may stand at a place.
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

    /// Returns the place that a step leads to.
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

/// The fault of a search that skips nulls and finds no value.
pub(crate) fn empty(values: &[Word]) -> Trouble {
    if values.is_empty() { Trouble::EmptyList } else { Trouble::OnlyNulls }
}
