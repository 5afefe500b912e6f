//! The size of all that is reachable, found without moving anything.

use crate::memory::heap::{Frame, Heap, NO_CLOSURE};
use crate::memory::word::{
    CLOSURE, CONS, IMMEDIATE, KIND_RAW, OBJECT, PAIR, PARTIAL, ROPE, Word, index, is_integer, kind,
    left_in_run, pointer, size, tag,
};

impl Heap {
    /// Counts the words reachable from these values and frames. A collection never leaves more.
    pub(crate) fn reachable(&self, roots: impl Iterator<Item = Word>, frames: &[Frame]) -> usize {
        let closures = frames.iter().filter(|frame| frame.closure != NO_CLOSURE);
        let closures = closures.map(|frame| pointer(frame.closure as usize, CLOSURE));
        let mut open: Vec<Word> = roots.chain(closures).collect();
        let (mut seen, mut found) = (vec![false; self.top], 0);
        while let Some(v) = open.pop() {
            let (from, words, first) = self.extent(v);
            let slots = seen.get_mut(from..from + words).unwrap_or_default();
            let new = slots.iter_mut().map(|seen| usize::from(!std::mem::replace(seen, true)));
            let new = new.sum::<usize>();
            found += new;
            if new > 0 {
                let inner = self.words.get(from + first..from + words).unwrap_or_default();
                open.extend(inner.iter().filter(|word| !is_integer(**word)));
            }
        }
        found
    }

    /// Returns an object's first word, its length, and the offset of its first value.
    fn extent(&self, v: Word) -> (usize, usize, usize) {
        if is_integer(v) || tag(v) == IMMEDIATE {
            return (0, 0, 0);
        }
        let at = index(v);
        match tag(v) {
            CONS if left_in_run(v) > 0 => (at, left_in_run(v) + 2, left_in_run(v)),
            CONS | PAIR => (at, 2, 0),
            ROPE => (at, 3, 1),
            CLOSURE | PARTIAL | OBJECT => {
                let (head, words) = (self.header(v), size(self.header(v)));
                (at, words, if kind(head) >= KIND_RAW { words } else { 1 })
            }
            _ => (0, 0, 0),
        }
    }
}
