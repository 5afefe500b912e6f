//! The copying collector, after Cheney (CACM 13(11), 1970). Copied objects are their own queue, so
//! it needs no stack at any depth.
//!
//! Lists get more compact. Cells of integers become runs. The collector copies only the part of a
//! run that was in use at the last collection: the longest list that began in it. No list can reach
//! an earlier element, because lists only get shorter.

use crate::memory::word::{
    CLOSURE, CONS, FORWARD, IMMEDIATE, KIND_RAW, OBJECT, PAIR, PARTIAL, ROPE, Word, end_of_run,
    index, is_integer, kind, left_in_run, needed_of_run, pointer, run, size, tag,
};
use std::hint::cold_path;

/// Words of one growth step.
pub(crate) const STEP: usize = 1 << 15;

/// Most cells of one new run. The collector visits them twice and wants them in the cache the
/// second time.
const PACKED: usize = 64;

/// The space to copy from and the space to copy to.
pub(crate) struct Space<'h> {
    from: &'h mut [Word],
    to: &'h mut Vec<Word>,
    /// The next free word.
    pub(crate) top: usize,
    /// Words saved by turning cells into runs.
    pub(crate) spared: usize,
    /// The most words of `to`, which are reserved.
    most: usize,
}

impl<'h> Space<'h> {
    pub(crate) fn new(from: &'h mut [Word], to: &'h mut Vec<Word>, most: usize) -> Self {
        Self { from, to, top: 0, spared: 0, most }
    }

    /// Copies a value, unless that is done, and returns its new word.
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
            // A copy of unknown length is a call. Nearly all objects have one of these two lengths.
            2 => self.copy_words::<2>(at, to),
            3 => self.copy_words::<3>(at, to),
            _ => self.to[to..to + words].copy_from_slice(&self.from[at..at + words]),
        }
        self.top += words;
        self.from[at] = pointer(to, FORWARD);
        pointer(to, tag)
    }

    /// Copies all that copied objects refer to.
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

    /// Copies the needed part of the run that a list begins in. Later lists in the run share the
    /// copy: the run's last word points to it. The next collection drops elements that no list has
    /// left.
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

    /// Turns the cells at the beginning of a list into a run, if there are more than two and all
    /// hold integers.
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

    /// Adds words to `to`.
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
