//! Searching in two passes (after Frisch and Cardelli, "Greedy regular expression matching",
//! ICALP 2004). The first goes through the text from its end and finds for each place the steps
//! from which there is a match. The second goes forward and takes, of these, the one that is
//! preferred; it never has to go back. So all matches together take time in proportion to text
//! times pattern. Engines that look for one match after the other may read the rest of the text
//! for each of them.
//!
//! Sets of steps are kept for one block of the text at a time, and found again for the next.

use super::class::Alphabet;
use super::{Pattern, Step, to_u32};
use regex_syntax::hir::Look;
use regex_syntax::try_is_word_character;
use std::collections::BTreeMap;

/// Characters of a block.
const BLOCK: usize = 1024;
/// Bytes of a text from which on sets are remembered.
const LONG: usize = 128;
/// Sets that are remembered; then all are forgotten.
const REMEMBERED: usize = 512;
/// So often; then remembering is given up.
const FORGOTTEN: u32 = 8;
/// A place of no group.
pub(crate) const NOWHERE: usize = usize::MAX;

/// Steps, a bit each.
type Set = Vec<u64>;

fn has(set: &[u64], step: u32) -> bool {
    set.get(step as usize / 64).is_some_and(|word| word >> (step % 64) & 1 == 1)
}

/// Puts a step into a set; false if it was there.
fn put(set: &mut [u64], step: u32) -> bool {
    let Some(word) = set.get_mut(step as usize / 64) else { return false };
    let bit = 1 << (step % 64);
    let is_new = *word & bit == 0;
    *word |= bit;
    is_new
}

/// A piece of the text.
struct Block {
    /// The first byte after it.
    end: usize,
    chars: usize,
    /// The steps at its end.
    after: Set,
    /// Whether a match begins in it.
    begins: bool,
}

/// The matches of a pattern in a text, one after another.
pub(crate) struct Matches<'p> {
    back: Back<'p>,
    text: &'p str,
    blocks: Vec<Block>,
    /// The steps at the end of the text.
    last: Set,
    /// The block and the character in it where the search stands, and the byte.
    block: usize,
    char: usize,
    at: usize,
    /// The sets of the places of this block.
    sets: Vec<u64>,
    filled: Option<usize>,
    /// Where the match before ended.
    ended: Option<usize>,
    /// Beginnings and ends of the groups of the match.
    slots: Vec<usize>,
    /// When a step was last visited, and how many places have been.
    visited: Vec<u32>,
    visit: u32,
    open: Vec<Open>,
}

/// What is left to try at a place.
enum Open {
    Step(u32),
    /// Back before this: the slot was so.
    Restore(u32, usize),
}

impl<'p> Matches<'p> {
    /// Makes the first pass.
    pub(crate) fn new(pattern: &'p Pattern, text: &'p str) -> Self {
        let mut back = Back::new(pattern, text);
        let last = back.at_end();
        let (mut blocks, mut set, mut end) = (Vec::new(), last.clone(), text.len());
        while end > 0 {
            let (after, mut start, mut chars, mut begins) = (set.clone(), end, 0, false);
            while start > 0 && chars < BLOCK {
                start = back.step(start, &mut set);
                begins |= has(&set, pattern.start);
                chars += 1;
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
            slots: vec![NOWHERE; 2 * (pattern.groups as usize + 1)],
            visited: vec![0; pattern.steps.len()],
            visit: 0,
            open: Vec::new(),
        }
    }

    /// Whether there is a match.
    pub(crate) fn any(&self) -> bool {
        let start = self.back.pattern.start;
        has(&self.last, start) || self.blocks.iter().any(|block| block.begins)
    }

    /// Finds the next match: where each group begins and ends, the whole being group 0.
    pub(crate) fn next(&mut self) -> Option<&[usize]> {
        loop {
            if !self.find_start() {
                return None;
            }
            let start = self.at;
            self.slots.fill(NOWHERE);
            self.follow();
            // An empty match right after another one does not count.
            if self.at == start && self.ended == Some(start) {
                if !self.advance() {
                    return None;
                }
                continue;
            }
            self.ended = Some(self.at);
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
                if has(self.set(), start) {
                    return true;
                }
                self.advance();
            } else {
                (self.at, self.char) = (block.end, 0);
                self.block += 1;
            }
        }
    }

    /// Goes one character on; false at the end.
    fn advance(&mut self) -> bool {
        let Some(block) = self.blocks.get(self.block) else { return false };
        let rest = self.text.get(self.at..).unwrap_or_default();
        self.at += rest.chars().next().map_or(0, char::len_utf8);
        self.char += 1;
        if self.char >= block.chars {
            (self.block, self.char) = (self.block + 1, 0);
        }
        true
    }

    /// The steps from which there is a match here.
    fn set(&mut self) -> &[u64] {
        let Some(block) = self.blocks.get(self.block) else { return &self.last };
        let words = self.last.len();
        if self.filled != Some(self.block) {
            self.filled = Some(self.block);
            self.sets.resize(words * BLOCK, 0);
            let (mut set, mut at) = (block.after.clone(), block.end);
            let slots = self.sets.chunks_exact_mut(words).take(block.chars);
            for slot in slots.rev() {
                at = self.back.step(at, &mut set);
                slot.copy_from_slice(&set);
            }
        }
        self.sets.get(self.char * words..(self.char + 1) * words).unwrap_or_default()
    }

    /// Follows the match that begins here to its end.
    fn follow(&mut self) {
        let mut step = self.back.pattern.start;
        while let Some(next) = self.take(step) {
            step = next;
            self.advance();
        }
    }

    /// The step after the next character of the match, from a step at this place on; nothing at
    /// the end of the match.
    fn take(&mut self, step: u32) -> Option<u32> {
        let pattern = self.back.pattern;
        self.set();
        let words = self.last.len();
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
                Step::Look { to, .. } => self.open.push(Open::Step(to)),
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

/// The pass from the end of the text.
struct Back<'p> {
    pattern: &'p Pattern,
    text: &'p str,
    memory: Option<Memory<'p>>,
    /// Steps whose predecessors have not been put into the set.
    open: Vec<u32>,
    spare: Set,
}

/// Sets seen before, and what precedes them.
struct Memory<'p> {
    alphabet: &'p Alphabet,
    width: usize,
    ids: BTreeMap<Set, u32>,
    sets: Vec<Set>,
    /// Of each set, for each letter and what is true of a place, the set before, counted from 1.
    table: Vec<u32>,
    /// The set that was found last.
    current: Option<u32>,
    forgotten: u32,
}

impl<'p> Back<'p> {
    fn new(pattern: &'p Pattern, text: &'p str) -> Self {
        let alphabet = || {
            let made = || Alphabet::new(&pattern.classes, pattern.looks.len());
            pattern.alphabet.get_or_init(made).as_ref()
        };
        let alphabet = if text.len() < LONG { None } else { alphabet() };
        let memory = alphabet.map(|alphabet| Memory {
            alphabet,
            width: alphabet.letters << pattern.looks.len(),
            ids: BTreeMap::new(),
            sets: Vec::new(),
            table: Vec::new(),
            current: None,
            forgotten: 0,
        });
        Self { pattern, text, memory, open: Vec::new(), spare: Vec::new() }
    }

    /// What is true of a place, a bit for each of the pattern's looks.
    fn truths(&self, at: usize, next: Option<char>) -> u32 {
        if self.pattern.looks.is_empty() {
            return 0;
        }
        let before = self.text.get(..at).unwrap_or_default().chars().next_back();
        let looks = self.pattern.looks.iter().enumerate();
        looks.fold(0, |truths, (i, look)| truths | u32::from(holds(*look, before, next)) << i)
    }

    /// The steps from which there is an empty match at the end.
    fn at_end(&mut self) -> Set {
        let mut set = vec![0; self.pattern.steps.len().div_ceil(64)];
        let truths = self.truths(self.text.len(), None);
        self.close(&mut set, truths);
        set
    }

    /// Goes one character back: from the set at `end` to the one before the character.
    fn step(&mut self, end: usize, set: &mut Set) -> usize {
        let next = self.text.get(..end).unwrap_or_default().chars().next_back();
        let at = end - next.map_or(1, char::len_utf8);
        let truths = self.truths(at, next);
        let c = next.map_or(0, u32::from);
        let Some(mut memory) = self.memory.take() else {
            let classes = &self.pattern.classes;
            self.before(set, truths, |class| {
                classes.get(class as usize).is_some_and(|class| class.has(c))
            });
            return at;
        };
        let letter = memory.alphabet.letter(c);
        let key = letter << self.pattern.looks.len() | truths as usize;
        let from = memory.id(set);
        let slot = from as usize * memory.width + key;
        if let Some(id) = memory.table.get(slot).copied().unwrap_or_default().checked_sub(1) {
            memory.current = Some(id);
            set.copy_from_slice(memory.sets.get(id as usize).map_or(&[], Vec::as_slice));
        } else {
            let alphabet = memory.alphabet;
            self.before(set, truths, |class| alphabet.is_in(letter, class));
            if memory.sets.len() >= REMEMBERED {
                memory.forget();
            }
            memory.current = None;
            let forgotten = memory.sets.is_empty();
            let id = memory.id(set);
            if !forgotten && let Some(place) = memory.table.get_mut(slot) {
                *place = id + 1;
            }
        }
        self.memory = Some(memory).filter(|memory| memory.forgotten < FORGOTTEN);
        at
    }

    /// Turns the set after a character into the one before it.
    fn before(&mut self, set: &mut Set, truths: u32, is_in: impl Fn(u32) -> bool) {
        let mut found = std::mem::take(&mut self.spare);
        found.clear();
        found.resize(set.len(), 0);
        for taker in &self.pattern.takers {
            if has(set, taker.to) && is_in(taker.class) {
                put(&mut found, taker.step);
                self.open.push(taker.step);
            }
        }
        self.spare = std::mem::replace(set, found);
        self.close(set, truths);
    }

    /// Adds the end of the pattern, and what leads to the steps of a set without a character.
    fn close(&mut self, set: &mut Set, truths: u32) {
        put(set, 0);
        self.open.push(0);
        let Self { pattern, open, .. } = self;
        while let Some(step) = open.pop() {
            let step = step as usize;
            let start = pattern.begins.get(step).copied().unwrap_or_default() as usize;
            let end =
                pattern.begins.get(step + 1).map_or(pattern.before.len(), |end| *end as usize);
            for before in pattern.before.get(start..end).unwrap_or_default() {
                let holds = match pattern.steps.get(*before as usize) {
                    Some(Step::Look { look, .. }) => truths >> look & 1 == 1,
                    _ => true,
                };
                if holds && put(set, *before) {
                    open.push(*before);
                }
            }
        }
    }
}

impl Memory<'_> {
    /// The number of a set.
    fn id(&mut self, set: &Set) -> u32 {
        if let Some(current) = self.current
            && self.sets.get(current as usize) == Some(set)
        {
            return current;
        }
        let known = self.ids.get(set).copied();
        let id = known.unwrap_or_else(|| {
            let id = to_u32(self.sets.len());
            self.sets.push(set.clone());
            self.ids.insert(set.clone(), id);
            self.table.resize(self.table.len() + self.width, 0);
            id
        });
        self.current = Some(id);
        id
    }

    fn forget(&mut self) {
        self.ids.clear();
        self.sets.clear();
        self.table.clear();
        self.forgotten += 1;
    }
}

/// Whether something is true of the place between two characters.
fn holds(look: Look, before: Option<char>, after: Option<char>) -> bool {
    let ascii = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    let word = |c: Option<char>| c.is_some_and(|c| try_is_word_character(c).unwrap_or_default());
    match look {
        Look::Start => before.is_none(),
        Look::End => after.is_none(),
        Look::StartLF => matches!(before, None | Some('\n')),
        Look::EndLF => matches!(after, None | Some('\n')),
        Look::StartCRLF => {
            matches!(before, None | Some('\n')) || before == Some('\r') && after != Some('\n')
        }
        Look::EndCRLF => {
            matches!(after, None | Some('\r')) || after == Some('\n') && before != Some('\r')
        }
        Look::WordAscii => ascii(before) != ascii(after),
        Look::WordAsciiNegate => ascii(before) == ascii(after),
        Look::WordUnicode => word(before) != word(after),
        Look::WordUnicodeNegate => word(before) == word(after),
        Look::WordStartAscii => !ascii(before) && ascii(after),
        Look::WordEndAscii => ascii(before) && !ascii(after),
        Look::WordStartUnicode => !word(before) && word(after),
        Look::WordEndUnicode => word(before) && !word(after),
        Look::WordStartHalfAscii => !ascii(before),
        Look::WordEndHalfAscii => !ascii(after),
        Look::WordStartHalfUnicode => !word(before),
        Look::WordEndHalfUnicode => !word(after),
    }
}
