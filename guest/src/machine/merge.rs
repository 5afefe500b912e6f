//! `sort_with`: a merge sort whose comparisons are applications of a function. It is stable.
//!
//! Runs begin as single elements. A pass merges each run with the one after it, from the first pair
//! of runs to the last; a run without a partner stays. Passes follow until there is one run. To
//! merge two runs, the function gets the first element left of each. If it gives a number above 0,
//! the second run's element is next, else the first's. Where one run is used up, the rest of the
//! other follows. So the function is applied in an order that the list's length and its values
//! determine.
//!
//! Between the applications all elements are in an object on the heap, before and after the pass.

use crate::algorithm::number::value::Number;
use crate::algorithm::sorting::sorting_work;
use crate::code::Slot;
use crate::code::slots::each::{ELEMENT, GIVEN, KEPT, LIST, SECOND};
use crate::memory::heap::{Full, Heap};
use crate::memory::tagged::MERGE;
use crate::memory::word::{
    FALSE, HOLE, KIND_TAGGED, MAX_OBJECT, NIL, OBJECT, TRUE, Word, as_small, header, index,
    is_function, is_integer, is_list, pointer, size, small,
};
use crate::run::context::Context;
use crate::run::state::Exit;
use pif_language::kinds::{self, Wanted};

/// Words of the object before the elements: its header, and the state.
const FIRST: usize = 1 + STATE;
const STATE: usize = 4;

/// Where the sort is.
struct Merge {
    /// The object, and the number of elements.
    at: usize,
    n: usize,
    /// Elements of a run of this pass.
    width: usize,
    /// The first elements left of the two runs.
    left: usize,
    right: usize,
    /// Whether the elements before the pass are in the second half.
    is_back: bool,
}

impl Merge {
    fn of(heap: &Heap, v: Word) -> Self {
        let at = index(v);
        let n = (size(heap.header(v)) - FIRST) / 2;
        let word = |i: usize| usize::try_from(as_small(heap.word(at + i))).unwrap_or_default();
        let (width, left, right) = (word(1), word(2), word(3));
        Self { at, n, width, left, right, is_back: word(4) > 0 }
    }

    fn keep(&self, heap: &mut Heap) {
        let word = |n: usize| small(i64::try_from(n).unwrap_or_default());
        let words = [self.width, self.left, self.right, usize::from(self.is_back)].map(word);
        heap.put(self.at + 1, &words);
    }

    /// Returns the place of an element before the pass, or after it.
    fn place(&self, i: usize, is_after: bool) -> usize {
        let half = if is_after == self.is_back { 0 } else { self.n };
        self.at + FIRST + half + i
    }

    /// Returns the first element of the two runs, the first of the second, and the one after both.
    fn runs(&self) -> [usize; 3] {
        let from = self.left - self.left % (2 * self.width);
        let end = |runs: usize| from.saturating_add(runs * self.width).min(self.n);
        [from, end(1), end(2)]
    }

    /// Takes so many elements of a run, from this one on, after those taken before.
    fn take(&self, heap: &mut Heap, from: usize, count: usize) {
        let [_, middle, _] = self.runs();
        let (from, to) = (self.place(from, false), self.left + self.right - middle);
        let to = self.place(to, true);
        heap.words.copy_within(from..from + count, to);
    }

    /// Takes the next element of a run, and the rest of the other if that was the last.
    fn take_next(&mut self, heap: &mut Heap, is_second: bool) {
        let [_, middle, end] = self.runs();
        if is_second {
            self.take(heap, self.right, 1);
            self.right += 1;
            if self.right == end {
                self.take(heap, self.left, middle - self.left);
                self.begin(heap, end);
            }
        } else {
            self.take(heap, self.left, 1);
            // The runs are known by the element on the left.
            if self.left + 1 == middle {
                let (from, count) = (self.right, end - self.right);
                let to = self.place(self.left + 1 + self.right - middle, true);
                let from = self.place(from, false);
                heap.words.copy_within(from..from + count, to);
                self.begin(heap, end);
            } else {
                self.left += 1;
            }
        }
    }

    /// Begins to merge the next two runs, the first of which begins here; a pass, if there are none.
    fn begin(&mut self, heap: &mut Heap, from: usize) {
        self.left = from;
        self.right = from.saturating_add(self.width);
        if self.right < self.n {
            return;
        }
        if from < self.n {
            let places = [self.place(from, false), self.place(from, true)];
            heap.words.copy_within(places[0]..places[0] + self.n - from, places[1]);
        }
        (self.width, self.is_back) = (2 * self.width, !self.is_back);
        (self.left, self.right) = (0, self.width);
    }

    /// Tells whether there is only one run.
    fn is_done(&self) -> bool {
        self.width >= self.n
    }
}

/// Checks the operands, and takes the first two elements.
pub(super) fn begin(c: &mut Context<'_>, d: Slot, exit: u32) -> Result<(), Exit> {
    let (f, list) = (c.s.part(d, 0), c.s.part(d, LIST));
    if !is_list(list) {
        return Err(c.refuse(1, list));
    }
    if !is_function(f) && f != HOLE {
        return Err(c.s.not_a_function(f));
    }
    let n = c.s.heap.length(list);
    c.bulk(n as u64 + sorting_work(n, 0))?;
    if n < 2 {
        c.s.set_part(d, 0, list);
        c.s.pc = exit as usize;
        return Ok(());
    }
    let words = FIRST + 2 * n;
    if words > MAX_OBJECT {
        return Err(Full.into());
    }
    c.s.part_room(d, LIST, words)?;
    let elements = c.s.heap.elements(c.s.part(d, LIST));
    let at = c.s.heap.claim(words);
    let empty = vec![NIL; words - n];
    c.s.heap.put(at, &[header(KIND_TAGGED, words, MERGE)]);
    c.s.heap.put(at + 1, &empty);
    c.s.heap.put(at + FIRST, &elements);
    let merge = Merge { at, n, width: 1, left: 0, right: 1, is_back: false };
    c.s.set_part(d, KEPT, pointer(at, OBJECT));
    // The list has done its work.
    c.s.set_part(d, LIST, NIL);
    compare(c, d, &merge);
    Ok(())
}

/// Puts the elements to compare into their slots.
fn compare(c: &mut Context<'_>, d: Slot, merge: &Merge) {
    let heap = &mut c.s.heap;
    merge.keep(heap);
    let [first, second] = [merge.left, merge.right].map(|i| heap.word(merge.place(i, false)));
    c.s.set_part(d, ELEMENT, first);
    c.s.set_part(d, SECOND, second);
}

/// Takes what the function gave of two elements, and the next two.
pub(super) fn next(c: &mut Context<'_>, d: Slot, body: u32) -> Result<(), Exit> {
    let is_second = is_positive(c, c.s.part(d, GIVEN))?;
    let mut merge = Merge::of(&c.s.heap, c.s.part(d, KEPT));
    merge.take_next(&mut c.s.heap, is_second);
    if merge.is_done() {
        merge.keep(&mut c.s.heap);
        let value = finish(c, d)?;
        c.s.set_part(d, 0, value);
    } else {
        compare(c, d, &merge);
        c.s.pc = body as usize;
    }
    Ok(())
}

/// Tells whether a number is above 0.
fn is_positive(c: &Context<'_>, given: Word) -> Result<bool, Exit> {
    match given {
        TRUE => Ok(true),
        FALSE => Ok(false),
        _ if is_integer(given) => Ok(as_small(given) > 0),
        _ => match Number::of(&c.s.heap, given) {
            Some(Number::Small(n)) => Ok(n > 0),
            Some(Number::Big(n)) => Ok(n.sign() == num_bigint::Sign::Plus),
            Some(Number::Float(n)) => Ok(n > 0.0),
            None => Err(c.s.wrong_type(0, given, Wanted::FunctionTo(kinds::NUMBER))),
        },
    }
}

/// Makes the list of the sorted elements.
pub(super) fn finish(c: &mut Context<'_>, d: Slot) -> Result<Word, Exit> {
    let n = Merge::of(&c.s.heap, c.s.part(d, KEPT)).n;
    c.s.part_room(d, KEPT, 2 * n)?;
    let from = Merge::of(&c.s.heap, c.s.part(d, KEPT)).place(0, false);
    let elements = c.s.heap.words.get(from..from + n);
    let elements = elements.ok_or_else(|| Exit::defect("sorted elements are lost"))?.to_vec();
    Ok(c.s.heap.list(elements.iter().copied()))
}
