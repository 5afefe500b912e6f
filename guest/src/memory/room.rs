//! Room on the heap: bump allocation, and when to collect.
//!
//! What a half may have (its size, which counts against the memory limit) and the words that are
//! there differ: words come in steps, because those that are never used need not be cleared, and
//! the pages that they would lie in need not be found by the system.

use crate::limits::to_u32;
use crate::memory::collector::{STEP, Space};
use crate::memory::heap::{Frame, Full, Heap, Index, NO_CLOSURE};
use crate::memory::word::{CLOSURE, NIL, Word, index, pointer};

/// Words before the first collection, if the limit has room for many times as much.
const NURSERY: usize = 1 << 15;
/// Words at first.
const FIRST: usize = 1 << 11;
/// Words that are reserved at least for a heap that has outgrown its nursery.
const AHEAD: usize = 1 << 17;
/// The heap may have at least one word for so many of stack and frames: each collection looks at all
/// of those, so it must not come again too soon.
const BESIDE: usize = 8;
/// The part of the limit that may be reserved beyond what a half may have, and that the heap may
/// fill before it is looked at what of the first values is still needed.
const PART: (usize, usize) = (3, 8);

impl Heap {
    /// An empty heap of at most `bytes`.
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
            last_found: 0,
        }
    }

    /// Whether `n` more words are there.
    #[inline(always)]
    pub(crate) fn has_room(&self, n: usize) -> bool {
        self.top + n <= self.words.len()
    }

    /// Whether `n` more words fit even if nothing that is there can be collected.
    pub(crate) fn could_have(&self, n: usize) -> bool {
        self.top + n <= self.half()
    }

    /// Whether `n` more words are there, or can be without moving a value, be it by taking more of the
    /// limit.
    pub(crate) fn has_room_in_place(&mut self, n: usize) -> bool {
        self.has_room(n) || self.step(n) || self.grows_instead(n)
    }

    /// Whether `n` more words are there, or can be without collecting or taking more of the limit.
    #[inline]
    pub(crate) fn has_room_within(&mut self, n: usize) -> bool {
        self.has_room(n) || self.step(n)
    }

    /// The values that are there have just been read, and most of them will stay: until as many
    /// words have come, looking for others would be in vain. Not so where the limit is near. Runs count
    /// as cells, since what comes are cells.
    pub(crate) fn keep_fresh(&mut self) {
        self.fresh = ((self.top + self.spared) * 4).min(part(self.limit));
        // More was taken for it than it has needed.
        self.cut(self.top.max(self.half()));
    }

    /// Notes the space taken outside the heap; fails if all of it together is too much. Where what is in
    /// use would be more than a half from now on, the heap is crowded: it is to be collected before
    /// anything else is done, since it may be garbage that stands in the way of the stack.
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

    /// Words that each half may have now. Whatever is in use is copied within the limit as long as it is
    /// no more.
    // INVARIANT: `size` is not above it, unless what is in use was more at some time.
    fn half(&self) -> usize {
        self.limit.saturating_sub(self.outside) / 2
    }

    /// Makes this half no larger than that.
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

    /// The same for words that are not needed at once.
    pub(crate) fn expect(&mut self, n: usize) -> Result<(), Full> {
        let want = self.top.saturating_add(n);
        if want <= self.size {
            return Ok(());
        }
        let available = self.limit.saturating_sub(self.outside);
        if want > available || want > u32::MAX as usize {
            return Err(Full);
        }
        // Data that takes more than a half can be read. There is no collecting it.
        let most = if want <= self.half() { self.half() } else { available };
        self.size = (self.size * 2).max(want).min(most);
        if self.size + self.spare_size > available {
            self.drop_spare();
        }
        self.note()
    }

    /// Makes so many of the words that this half may have; false if it may not have as many.
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

    /// Collects what is not reachable from `stack`, `frames` and `roots`, so that there is room for `n`
    /// words.
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
        // So much room means growing in any case: then everything goes to where it stays at once.
        let grows = n > self.size / 2;
        let wanted = if grows { self.size.max((2 * (self.top + n)).min(half)) } else { self.size };
        if self.spare_size < wanted {
            let free = available.saturating_sub(self.size);
            // For this once, the words that have come outside may be had a second time.
            let len = wanted.min(if self.is_crowded { self.top.max(free) } else { free });
            if len < self.top {
                return Err(Full);
            }
            self.spare_size = len;
        }
        self.is_crowded = false;
        // New memory costs nothing before it is used.
        if self.spare.capacity() < self.spare_size {
            self.spare = Vec::new();
            reserve(&mut self.spare, self.spare_size, self.spare_size, self.limit);
        }
        let before = self.top;
        let mut spared = self.copy_reachable(stack, frames, roots);
        if self.top + n > half {
            // Only now is it known what is needed of runs.
            spared += self.copy_reachable(stack, frames, roots);
        }
        let need = self.top + n;
        if need > half && n > 0 {
            return Err(Full);
        }
        // Where most has stayed, most of what comes will: the next search had better be late. What
        // has become smaller counts as it was, since what comes is not small yet.
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

    /// Makes room by growing, if the heap is as small as that, or as fresh.
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

    /// Copies what is reachable to the other half, which is the one in use from then on. Gives how many
    /// words fewer it takes there.
    fn copy_reachable(
        &mut self,
        stack: &mut [Word],
        frames: &mut [Frame],
        roots: &mut [&mut [Word]],
    ) -> usize {
        let most = self.spare_size;
        self.index = Index::default();
        self.counted = (NIL, 0);
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

/// Has room for so many words that more can come without being moved, but not for as many as could
/// ever come: a component grows by what is reserved, and that costs time for each page that an
/// instance before it has used.
fn reserve(words: &mut Vec<Word>, len: usize, size: usize, limit: usize) {
    if len > words.capacity() {
        let ahead = if size > NURSERY { AHEAD } else { 0 };
        let more = ahead.max(2 * words.capacity()).min(part(limit));
        words.reserve_exact(more.max(size) - words.len());
    }
}

/// The part of a limit that is taken without looking for what can be forgotten.
fn part(limit: usize) -> usize {
    limit / PART.1 * PART.0
}
