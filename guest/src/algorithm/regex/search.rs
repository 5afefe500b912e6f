//! Searches in two passes (after Frisch and Cardelli, "Greedy regular expression matching", ICALP
//! 2004). The first pass goes from the end of the text to its beginning. At each place it finds the
//! steps that lead to a match. The second pass goes forward and takes the preferred one of these
//! steps, so it never goes back. Therefore all matches together take time in proportion to text
//! times pattern. Other engines find one match after another and may read the rest of the text for
//! each.
//!
//! The search keeps the sets of one block of the text at a time, and finds them again for the next.

use crate::algorithm::regex::back::{Back, has};
use crate::algorithm::regex::memory::Set;
use crate::algorithm::regex::{Pattern, Step};

/// Characters of a block.
const BLOCK: usize = 1024;
/// Marks a group without a place.
pub(crate) const NOWHERE: usize = usize::MAX;

/// A piece of the text.
struct Block {
    /// The first byte after it.
    end: usize,
    chars: usize,
    /// The set at its end.
    after: Set,
    /// Whether a match begins in it.
    begins: bool,
}

/// The matches of a pattern in a text, one after another.
pub(crate) struct Matches<'p> {
    back: Back<'p>,
    text: &'p str,
    blocks: Vec<Block>,
    /// The set at the end of the text.
    last: Set,
    /// The block, the character in it and the byte of the current place.
    block: usize,
    char: usize,
    at: usize,
    /// The sets of this block's places.
    sets: Vec<u64>,
    filled: Option<usize>,
    /// The end of the last match after which an empty match does not count.
    ended: Option<usize>,
    /// Whether an empty match counts right after a match that is not empty.
    counts_empty: bool,
    /// Beginnings and ends of the match's groups.
    slots: Vec<usize>,
    /// The visit in which each step was last seen, and the number of visits.
    visited: Vec<u32>,
    visit: u32,
    open: Vec<Open>,
}

/// A step left to try at a place.
enum Open {
    Step(u32),
    /// Restores a slot before the search goes back.
    Restore(u32, usize),
}

impl<'p> Matches<'p> {
    /// Does the first pass.
    pub(crate) fn new(pattern: &'p Pattern, text: &'p str) -> Self {
        let mut back = Back::new(pattern, text);
        let last = back.set().to_vec();
        let (mut blocks, mut end) = (Vec::new(), text.len());
        while end > 0 {
            let after = back.set().to_vec();
            let (mut start, mut chars, mut begins) = (end, 0, false);
            while start > 0 && chars < BLOCK {
                let see = |begins_here, _: &[u64]| begins |= begins_here;
                let mut passed = back.pass(start, BLOCK - chars, see);
                if passed > 0 {
                    start -= passed;
                } else {
                    start = back.step(start);
                    begins |= has(back.set(), pattern.start);
                    passed = 1;
                }
                chars += passed;
            }
            blocks.push(Block { end, chars, after, begins });
            end = start;
        }
        blocks.reverse();
        Self {
            back,
            text,
            blocks,
            last,
            block: 0,
            char: 0,
            at: 0,
            sets: Vec::new(),
            filled: None,
            ended: None,
            counts_empty: pattern.flags().is_some(),
            slots: vec![NOWHERE; 2 * (pattern.groups as usize + 1)],
            visited: vec![0; pattern.steps.len()],
            visit: 0,
            open: Vec::new(),
        }
    }

    /// Tells whether there is a match.
    pub(crate) fn any(&self) -> bool {
        let start = self.back.pattern.start;
        has(&self.last, start) || self.blocks.iter().any(|block| block.begins)
    }

    /// Finds the next match. Returns the beginning and end of each group; group 0 is the whole
    /// match.
    pub(crate) fn next(&mut self) -> Option<&[usize]> {
        loop {
            if !self.find_start() {
                return None;
            }
            let start = self.at;
            self.slots.fill(NOWHERE);
            self.follow();
            // An empty match right after another match does not count. In JavaScript it counts after
            // one that is not empty.
            let is_empty = self.at == start;
            if is_empty && self.ended == Some(start) {
                if !self.advance() {
                    return None;
                }
                continue;
            }
            self.ended = (is_empty || !self.counts_empty).then_some(self.at);
            if let Some([first, end, ..]) = self.slots.get_mut(..) {
                (*first, *end) = (start, self.at);
            }
            return Some(&self.slots);
        }
    }

    /// Goes to the next place where a match begins.
    fn find_start(&mut self) -> bool {
        let start = self.back.pattern.start;
        loop {
            let Some(block) = self.blocks.get(self.block) else { return has(&self.last, start) };
            if block.begins {
                let (chars, words) = (block.chars, self.last.len());
                self.fill();
                let sets = self.sets.get(self.char * words..chars * words).unwrap_or_default();
                if let Some(n) = sets.chunks_exact(words).position(|set| has(set, start)) {
                    self.skip(n);
                    return true;
                }
            }
            if let Some(block) = self.blocks.get(self.block) {
                self.at = block.end;
            }
            (self.block, self.char) = (self.block + 1, 0);
        }
    }

    /// Skips `n` characters, fewer than the block has left.
    fn skip(&mut self, n: usize) {
        let Some(block) = self.blocks.get(self.block) else { return };
        if block.end - self.at == block.chars - self.char {
            self.at += n;
        } else {
            (0..n).for_each(|_| self.at += width(self.text.as_bytes(), self.at));
        }
        self.char += n;
    }

    /// Goes one character forward. Returns false at the end.
    fn advance(&mut self) -> bool {
        let Some(block) = self.blocks.get(self.block) else { return false };
        self.at += width(self.text.as_bytes(), self.at);
        self.char += 1;
        if self.char >= block.chars {
            (self.block, self.char) = (self.block + 1, 0);
        }
        true
    }

    /// Finds the sets of the current block.
    #[inline]
    fn fill(&mut self) {
        if self.filled != Some(self.block) {
            self.fill_anew();
        }
    }

    fn fill_anew(&mut self) {
        let Some(block) = self.blocks.get(self.block) else { return };
        let words = self.last.len();
        self.filled = Some(self.block);
        self.sets.resize(words * block.chars, 0);
        self.back.resume(&block.after);
        let (mut at, mut left) = (block.end, block.chars);
        let sets = self.sets.get_mut(..words * block.chars).unwrap_or_default();
        let mut slots = sets.chunks_exact_mut(words).rev();
        let mut note = |_, set: &[u64]| match (slots.next(), set) {
            // This is the usual case. A copy of unknown length would be a call.
            (Some([slot]), [set]) => *slot = *set,
            (Some(slot), set) => slot.copy_from_slice(set),
            _ => {}
        };
        while left > 0 {
            let mut passed = self.back.pass(at, left, &mut note);
            if passed > 0 {
                at -= passed;
            } else {
                at = self.back.step(at);
                note(false, self.back.set());
                passed = 1;
            }
            left -= passed;
        }
    }

    /// Follows the match that begins here to its end.
    fn follow(&mut self) {
        let mut step = self.back.pattern.start;
        loop {
            let next = match self.go_straight(&mut step) {
                Way::To(next) => Some(next),
                Way::End => None,
                Way::Unclear => self.try_all(step),
            };
            let Some(next) = next else { return };
            step = next;
            self.advance();
        }
    }

    /// Follows the match from a step while its way is straight, within the block. Updates the step
    /// and returns the way from there.
    fn go_straight(&mut self, step: &mut u32) -> Way {
        self.fill();
        let (pattern, words) = (self.back.pattern, self.last.len());
        let Some(block) = self.blocks.get(self.block) else {
            return straight(pattern, &self.last, *step);
        };
        let (text, chars) = (self.text.as_bytes(), block.chars);
        let (mut char, mut at) = (self.char, self.at);
        let way = loop {
            let set = self.sets.get(char * words..(char + 1) * words).unwrap_or_default();
            match straight(pattern, set, *step) {
                Way::To(next) if char + 1 < chars => {
                    (*step, char, at) = (next, char + 1, at + width(text, at));
                }
                way => break way,
            }
        };
        (self.char, self.at) = (char, at);
        way
    }

    /// Returns the step after the match's next character, from a step at this place. Returns
    /// nothing at the end of the match.
    fn try_all(&mut self, step: u32) -> Option<u32> {
        let (pattern, words) = (self.back.pattern, self.last.len());
        let set = match self.blocks.get(self.block) {
            Some(_) => self.sets.get(self.char * words..).unwrap_or_default(),
            None => &self.last,
        };
        self.visit += 1;
        self.open.clear();
        self.open.push(Open::Step(step));
        while let Some(open) = self.open.pop() {
            let step = match open {
                Open::Step(step) => step,
                Open::Restore(slot, old) => {
                    self.slots.get_mut(slot as usize).into_iter().for_each(|it| *it = old);
                    continue;
                }
            };
            let Some(visited) = self.visited.get_mut(step as usize) else { continue };
            if !has(set, step) || *visited == self.visit {
                continue;
            }
            *visited = self.visit;
            match pattern.steps.get(step as usize).copied()? {
                Step::One { to, .. } => return Some(to),
                Step::Match => return None,
                Step::Either(first, second) => {
                    self.open.extend([Open::Step(second), Open::Step(first)]);
                }
                Step::Look { to, .. } | Step::Ahead { to, .. } => {
                    self.open.push(Open::Step(to));
                }
                Step::Clear { slot, to } => {
                    for slot in [slot, slot + 1] {
                        if let Some(noted) = self.slots.get_mut(slot as usize) {
                            let old = std::mem::replace(noted, NOWHERE);
                            self.open.push(Open::Restore(slot, old));
                        }
                    }
                    self.open.push(Open::Step(to));
                }
                Step::Note { slot, to } => {
                    if let Some(noted) = self.slots.get_mut(slot as usize) {
                        let old = std::mem::replace(noted, self.at);
                        self.open.extend([Open::Restore(slot, old), Open::Step(to)]);
                    }
                }
            }
        }
        None
    }
}

/// Most steps to follow without noting them.
const STRAIGHT: usize = 16;

/// The way from a step.
enum Way {
    /// To a character and this step after it.
    To(u32),
    /// To the end of the match.
    End,
    Unclear,
}

/// Returns the result of `try_all`, if the way there has no group and repeats no step. The
/// preferred step with a match leads there.
fn straight(pattern: &Pattern, set: &[u64], step: u32) -> Way {
    let mut step = step;
    for _ in 0..STRAIGHT {
        if !has(set, step) {
            return Way::Unclear;
        }
        step = match pattern.steps.get(step as usize) {
            Some(Step::One { to, .. }) => return Way::To(*to),
            Some(Step::Match) => return Way::End,
            Some(Step::Either(first, _)) if has(set, *first) => *first,
            Some(Step::Either(_, second)) => *second,
            Some(Step::Look { to, .. } | Step::Ahead { to, .. }) => *to,
            Some(Step::Note { .. } | Step::Clear { .. }) | None => return Way::Unclear,
        };
    }
    Way::Unclear
}

/// Counts the bytes of the character at a place.
#[inline(always)]
fn width(text: &[u8], at: usize) -> usize {
    match text.get(at) {
        None => 0,
        Some(0..0xc0) => 1,
        Some(0xc0..0xe0) => 2,
        Some(0xe0..0xf0) => 3,
        Some(_) => 4,
    }
}
