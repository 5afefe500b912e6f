//! The copying collector, after Cheney (CACM 13(11), 1970): what has been copied is its own queue, so
//! it needs no stack however deep a structure is.
//!
//! Lists get more compact on the way. Cells that hold integers become runs, and of a run only what the
//! longest list that begins in it had left at the last collection is copied: an earlier element
//! cannot be reached any more, because a list only ever gets shorter.

use crate::memory::word::{
    CLOSURE, CONS, FORWARD, IMMEDIATE, KIND_RAW, OBJECT, PAIR, PARTIAL, ROPE, Word, end_of_run,
    index, is_integer, kind, left_in_run, needed_of_run, pointer, run, size, tag,
};
use std::hint::cold_path;

/// Words that come at a time.
pub(crate) const STEP: usize = 1 << 15;

/// Cells that become one run at most: they are looked at twice, and are to be still near then.
const PACKED: usize = 64;

/// What is copied from, and where to.
pub(crate) struct Space<'h> {
    from: &'h mut [Word],
    to: &'h mut Vec<Word>,
    /// The next free word.
    pub(crate) top: usize,
    /// Words that cells took which have become runs, beyond what these take.
    pub(crate) spared: usize,
    /// Words that there may be, which have been reserved.
    most: usize,
}

impl<'h> Space<'h> {
    pub(crate) fn new(from: &'h mut [Word], to: &'h mut Vec<Word>, most: usize) -> Self {
        Self { from, to, top: 0, spared: 0, most }
    }

    /// Where a value is from now on.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "pointers are in range by construction")]
    pub(crate) fn copy(&mut self, v: Word) -> Word {
        let tag = tag(v);
        if v & 1 == 0 || tag == IMMEDIATE {
            return v;
        }
        if left_in_run(v) > 0 {
            cold_path();
            return self.copy_run(v);
        }
        let at = index(v);
        let first = self.from[at];
        if first & 15 == FORWARD {
            return first ^ FORWARD | tag;
        }
        if tag == CONS
            && is_integer(first)
            && let Some(list) = self.pack(v)
        {
            return list;
        }
        let words = match tag {
            CONS | PAIR => 2,
            ROPE => 3,
            CLOSURE | PARTIAL | OBJECT => size(first),
            _ => return v,
        };
        let to = self.top;
        if to + words > self.to.len() {
            self.step(words);
        }
        match words {
            // A copy of unknown length is a call; these two lengths are nearly all.
            2 => self.copy_words::<2>(at, to),
            3 => self.copy_words::<3>(at, to),
            _ => self.to[to..to + words].copy_from_slice(&self.from[at..at + words]),
        }
        self.top += words;
        self.from[at] = pointer(to, FORWARD);
        pointer(to, tag)
    }

    /// Copies what the values refer to that have been copied.
    #[expect(clippy::indexing_slicing, reason = "scanned words have been copied")]
    pub(crate) fn scan(&mut self) {
        let mut at = 0;
        while at < self.top {
            let word = self.to[at];
            if word & 15 == IMMEDIATE && kind(word) >= KIND_RAW {
                at += size(word);
                continue;
            }
            self.to[at] = self.copy(word);
            at += 1;
        }
    }

    /// Copies as much as is needed of the run that a list begins in. Lists that begin in it go on
    /// sharing it: where it went stands in its last word. What none of them has left is not copied
    /// the next time.
    #[inline(never)]
    #[expect(clippy::indexing_slicing, reason = "as in `copy`")]
    fn copy_run(&mut self, list: Word) -> Word {
        let left = left_in_run(list);
        let end = index(list) + left + 1;
        let last = self.from[end];
        if tag(last) == FORWARD {
            let to = index(last);
            self.to[to] = end_of_run(left.max(needed_of_run(self.to[to])));
            return run(to - 1 - left, left);
        }
        let needed = needed_of_run(last);
        let (to, words) = (self.top + needed + 1, needed + 2);
        if to >= self.to.len() {
            self.step(words);
        }
        self.to[self.top..to].copy_from_slice(&self.from[end - needed - 1..end]);
        self.to[to] = end_of_run(left);
        self.from[end] = pointer(to, FORWARD);
        self.top += words;
        run(to - 1 - left, left)
    }

    /// Makes a run of the cells that a list begins with, if they hold integers and are more than two.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "as in `copy`")]
    fn pack(&mut self, list: Word) -> Option<Word> {
        let (mut n, mut rest) = (0, list);
        while n < PACKED && tag(rest) == CONS && left_in_run(rest) == 0 {
            let at = index(rest);
            if !is_integer(self.from[at]) {
                break;
            }
            (n, rest) = (n + 1, self.from[at + 1]);
        }
        if n <= 2 {
            return None;
        }
        let (first, words) = (self.top, n + 2);
        if first + words > self.to.len() {
            self.step(words);
        }
        let mut cell = list;
        for i in 0..n {
            let at = index(cell);
            self.to[first + i] = self.from[at];
            self.from[at] = run(first + i, n - i) | FORWARD;
            cell = self.from[at + 1];
        }
        self.to[first + n] = rest;
        self.to[first + n + 1] = end_of_run(n);
        self.top += words;
        self.spared += n - 2;
        Some(run(first, n))
    }

    /// Makes more words.
    #[cold]
    #[inline(never)]
    fn step(&mut self, words: usize) {
        self.to.resize((self.top + words + STEP).min(self.most), 0);
    }

    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "as in `copy`")]
    fn copy_words<const N: usize>(&mut self, from: usize, to: usize) {
        let mut words = [0; N];
        words.copy_from_slice(&self.from[from..from + N]);
        self.to[to..to + N].copy_from_slice(&words);
    }
}
