//! Room on the heap: bump allocation, and when to collect.
//!
//! A half's size, which counts against the memory limit, and the words that exist differ. Words
//! come in steps: unused words need not be cleared, and the system need not find pages for them.

use crate::memory::collector::{STEP, Space};
use crate::memory::heap::{FOUND, Frame, Full, Heap, Index, NO_CLOSURE};
use crate::memory::word::{CLOSURE, NIL, Word, index, pointer};
use pif_core::limits::to_u32;
use std::cell::Cell;

/// Words before the first collection, if the limit is many times as large.
const NURSERY: usize = 1 << 15;
/// Words at first.
const FIRST: usize = 1 << 11;
/// Words reserved ahead for a heap that has outgrown its nursery.
const AHEAD: usize = 1 << 17;
/// Words of stack and frames for each word that the heap may have at least. Each collection looks
/// at all of those, so it must not come too often.
const BESIDE: usize = 8;
/// The fraction of the limit that may be reserved beyond a half's size. The heap of the first
/// values may fill it before a collection.
const PART: (usize, usize) = (3, 8);

impl Heap {
    /// Makes an empty heap of at most `bytes`.
    pub(crate) fn new(bytes: u64) -> Self {
        let limit = usize::try_from(bytes / 8).unwrap_or(usize::MAX);
        let nursery = NURSERY.min(limit / 64);
        let size = FIRST.min(nursery);
        let (words, spare) = (vec![0; size], Vec::new());
        Self {
            words,
            size,
            spare,
            spare_size: 0,
            nursery,
            is_crowded: false,
            fresh: 0,
            spared: 0,
            top: 0,
            limit,
            outside: 0,
            peak: size,
            index: Index::default(),
            counted: (NIL, 0),
            sought: Cell::default(),
            found: [0; FOUND],
        }
    }

    /// Tells whether `n` more words exist.
    #[inline(always)]
    pub(crate) fn has_room(&self, n: usize) -> bool {
        self.top + n <= self.words.len()
    }

    /// Tells whether `n` more words fit even if a collection frees nothing.
    pub(crate) fn could_have(&self, n: usize) -> bool {
        self.top + n <= self.half()
    }

    /// Tells whether `n` more words exist or can be made without moving a value. It may take more
    /// of the limit.
    pub(crate) fn has_room_in_place(&mut self, n: usize) -> bool {
        self.has_room(n) || self.step(n) || self.grows_instead(n)
    }

    /// Tells whether `n` more words exist or can be made without collecting or taking more of the
    /// limit.
    #[inline]
    pub(crate) fn has_room_within(&mut self, n: usize) -> bool {
        self.has_room(n) || self.step(n)
    }

    /// Notes that the values present have just been read and most will stay. Until the heap has
    /// four times their words, a collection is in vain, unless the limit is near. Runs count as
    /// cells, since new values are cells.
    pub(crate) fn keep_fresh(&mut self) {
        self.fresh = ((self.top + self.spared) * 4).min(part(self.limit));
        // Reading may have taken more than it needed.
        self.cut(self.top.max(self.half()));
    }

    /// Notes the words taken outside the heap. Fails if everything together is over the limit. If
    /// the words in use become more than a half, the heap is crowded: it is collected next, since
    /// garbage may stand in the way of the stack.
    pub(crate) fn account(&mut self, outside: usize) -> Result<(), Full> {
        let had_half = self.top <= self.half();
        self.outside = outside;
        self.is_crowded |= had_half && self.top > self.half();
        let is_over = self.size + self.spare_size + outside > self.limit;
        if is_over || self.fresh > 0 && outside > self.limit / 2 {
            self.fresh = 0;
            self.drop_spare();
        }
        self.cut(self.top.max(self.half()));
        self.note()
    }

    /// Returns the words that each half may have now. A collection within the limit works while no
    /// more are in use.
    // INVARIANT: `size` is not above it, unless more words were in use at some time.
    fn half(&self) -> usize {
        self.limit.saturating_sub(self.outside) / 2
    }

    /// Limits this half to `most` words.
    fn cut(&mut self, most: usize) {
        self.size = self.size.min(most);
        self.words.truncate(self.size);
    }

    fn drop_spare(&mut self) {
        (self.spare, self.spare_size) = (Vec::new(), 0);
    }

    fn note(&mut self) -> Result<(), Full> {
        let used = self.size + self.spare_size + self.outside;
        self.peak = self.peak.max(used);
        if used > self.limit { Err(Full) } else { Ok(()) }
    }

    /// Makes room for `n` words by growing, without collecting.
    pub(crate) fn grow(&mut self, n: usize) -> Result<(), Full> {
        if self.has_room(n) {
            return Ok(());
        }
        self.expect(n)?;
        self.step(n);
        Ok(())
    }

    /// Takes room for `n` words that are not needed at once.
    pub(crate) fn expect(&mut self, n: usize) -> Result<(), Full> {
        let want = self.top.saturating_add(n);
        if want <= self.size {
            return Ok(());
        }
        let available = self.limit.saturating_sub(self.outside);
        if want > available || want > u32::MAX as usize {
            return Err(Full);
        }
        // A large input may take more than a half. The heap cannot collect it then.
        let most = if want <= self.half() { self.half() } else { available };
        self.size = (self.size * 2).max(want).min(most);
        if self.size + self.spare_size > available {
            self.drop_spare();
        }
        self.note()
    }

    /// Makes `n` of the words that this half may have. Returns false if it may not have them.
    #[cold]
    #[inline(never)]
    pub(crate) fn step(&mut self, n: usize) -> bool {
        let want = self.top.saturating_add(n);
        if want > self.size {
            return false;
        }
        if want > self.words.len() {
            let len = want.saturating_add(STEP).min(self.size);
            reserve(&mut self.words, len, self.size, self.limit);
            self.words.resize(len, 0);
        }
        true
    }

    /// Collects words that are not reachable from `stack`, `frames` and `roots`, to make room for
    /// `n`.
    #[cold]
    #[inline(never)]
    pub(crate) fn collect(
        &mut self,
        n: usize,
        stack: &mut [Word],
        frames: &mut [Frame],
        roots: &mut [&mut [Word]],
    ) -> Result<(), Full> {
        let (available, half) = (self.limit.saturating_sub(self.outside), self.half());
        // The heap must grow for this anyway. Then everything moves to its final place at once.
        let grows = n > self.size / 2;
        let wanted = if grows { self.size.max((2 * (self.top + n)).min(half)) } else { self.size };
        if self.spare_size < wanted {
            let free = available.saturating_sub(self.size);
            // For this collection only, the words taken outside may count twice.
            let len = wanted.min(if self.is_crowded { self.top.max(free) } else { free });
            if len < self.top {
                return Err(Full);
            }
            self.spare_size = len;
        }
        self.is_crowded = false;
        // New memory costs nothing until it is used.
        if self.spare.capacity() < self.spare_size {
            self.spare = Vec::new();
            reserve(&mut self.spare, self.spare_size, self.spare_size, self.limit);
        }
        let before = self.top;
        let mut spared = self.copy_reachable(stack, frames, roots);
        if self.top + n > half {
            // Only the first pass finds out which parts of runs are needed.
            spared += self.copy_reachable(stack, frames, roots);
        }
        let need = self.top + n;
        if need > half && n > 0 {
            return Err(Full);
        }
        // If most values stayed, most new ones will: the next collection can wait. Runs count as
        // the cells they were, since new values are cells.
        let stayed = self.top + spared;
        let times = if stayed > before / 2 { 4 } else { 2 };
        let least = self.nursery.max(self.outside / BESIDE);
        let want = ((stayed + n) * times).max(least).min(half).max(need);
        if want > self.size || grows {
            self.drop_spare();
            self.size = want;
        } else if self.size + self.spare_size > available {
            self.drop_spare();
        }
        self.cut(self.top.max(half));
        self.step(n);
        self.note()
    }

    /// Makes room by growing, if the heap is still in its nursery or fresh.
    fn grows_instead(&mut self, n: usize) -> bool {
        if self.size + n <= self.nursery {
            return self.grow(n.max(self.size)).is_ok();
        }
        let want = self.top.saturating_add(n);
        let most = self.fresh.min(self.half());
        if want > most || most + self.spare_size + self.outside > self.limit {
            return false;
        }
        self.size = (want + want / 4).min(most);
        self.note().is_ok() && self.step(n)
    }

    /// Copies reachable words to the other half and makes it the one in use. Returns the words
    /// saved.
    fn copy_reachable(
        &mut self,
        stack: &mut [Word],
        frames: &mut [Frame],
        roots: &mut [&mut [Word]],
    ) -> usize {
        let most = self.spare_size;
        self.index = Index::default();
        self.counted = (NIL, 0);
        self.sought = Cell::default();
        let mut space = Space::new(&mut self.words, &mut self.spare, most);
        for word in stack.iter_mut().chain(roots.iter_mut().flat_map(|r| r.iter_mut())) {
            *word = space.copy(*word);
        }
        for frame in frames {
            if frame.closure != NO_CLOSURE {
                let moved = space.copy(pointer(frame.closure as usize, CLOSURE));
                frame.closure = to_u32(index(moved));
            }
        }
        space.scan();
        let Space { top, spared, .. } = space;
        self.top = top;
        std::mem::swap(&mut self.words, &mut self.spare);
        std::mem::swap(&mut self.size, &mut self.spare_size);
        spared
    }
}

/// Reserves room for growth without moving, but not for all the growth that is possible. A
/// component's memory grows by the reserved words, and each page that an earlier instance has used
/// costs time.
fn reserve(words: &mut Vec<Word>, len: usize, size: usize, limit: usize) {
    if len > words.capacity() {
        let ahead = if size > NURSERY { AHEAD } else { 0 };
        let more = ahead.max(2 * words.capacity()).min(part(limit));
        words.reserve_exact(more.max(size) - words.len());
    }
}

/// Returns the part of a limit that may be taken before a collection.
fn part(limit: usize) -> usize {
    limit / PART.1 * PART.0
}
