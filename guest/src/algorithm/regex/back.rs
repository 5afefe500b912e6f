//! The pass from the end of a text to its beginning. It finds, place by place, the steps that lead
//! to a match.

use crate::algorithm::regex::class::Alphabet;
use crate::algorithm::regex::{Look, Pattern, Step, to_u32};
use regex_syntax::hir;
use regex_syntax::try_is_word_character;
use std::collections::BTreeMap;

/// Bytes of the shortest text for which sets are remembered.
const LONG: usize = 128;
/// The most sets to remember. Then all are forgotten.
const REMEMBERED: usize = 512;
/// After forgetting so often, remembering stops.
const FORGOTTEN: u32 = 8;
/// A set of steps, a bit each.
pub(crate) type Set = Vec<u64>;

/// Tells whether a step is in a set.
pub(crate) fn has(set: &[u64], step: u32) -> bool {
    set.get(step as usize / 64).is_some_and(|word| word >> (step % 64) & 1 == 1)
}

/// Puts a step into a set. Returns false if the set had it.
fn put(set: &mut [u64], step: u32) -> bool {
    let Some(word) = set.get_mut(step as usize / 64) else { return false };
    let bit = 1 << (step % 64);
    let is_new = *word & bit == 0;
    *word |= bit;
    is_new
}

/// The pass from the end of a text.
pub(crate) struct Back<'p> {
    pub(crate) pattern: &'p Pattern,
    text: &'p str,
    memory: Option<Memory<'p>>,
    /// The set at the current place, unless memory holds it.
    set: Set,
    /// Steps whose predecessors are not in the set yet.
    open: Vec<u32>,
    spare: Set,
}

/// Known sets, each with the sets before it.
struct Memory<'p> {
    alphabet: &'p Alphabet,
    /// The first step of the pattern, where matches begin.
    start: u32,
    /// Words of a set.
    words: usize,
    /// The length of a row as a power of two. A row has an entry for each letter and each answer
    /// about a place, and unused ones.
    shift: u32,
    /// The row of each set.
    rows: BTreeMap<Set, u32>,
    /// The sets in the order of their rows. The first row has no set.
    sets: Vec<u64>,
    /// The entry for a letter and the answers about a place is the row of the set before, doubled,
    /// plus 1 if a match begins there. 0 means unknown.
    table: Vec<u32>,
    /// The row of the set at the current place.
    current: u32,
    forgotten: u32,
}

impl<'p> Back<'p> {
    /// Begins at the end of the text, with the steps that have an empty match there.
    pub(crate) fn new(pattern: &'p Pattern, text: &'p str) -> Self {
        let alphabet = || {
            let made = || Alphabet::new(&pattern.classes, pattern.looks.len());
            pattern.alphabet.get_or_init(made).as_ref()
        };
        let alphabet = if text.len() < LONG { None } else { alphabet() };
        let words = pattern.steps.len().div_ceil(64);
        let memory = alphabet.map(|alphabet| Memory::new(alphabet, pattern, words));
        let (set, open, spare) = (vec![0; words], Vec::new(), Vec::new());
        let mut back = Self { pattern, text, memory, set, open, spare };
        let truths = back.truths(text.len(), None);
        back.close(truths);
        if let Some(memory) = &mut back.memory {
            memory.current = memory.row(&back.set);
        }
        back
    }

    /// Continues from a set.
    pub(crate) fn resume(&mut self, set: &[u64]) {
        match &mut self.memory {
            Some(memory) => memory.current = memory.row(set),
            None => self.set.copy_from_slice(set),
        }
    }

    /// Returns the set at the current place.
    pub(crate) fn set(&self) -> &[u64] {
        self.memory.as_ref().map_or(&self.set, Memory::set)
    }

    /// Returns the answers about a place, a bit for each of the pattern's looks.
    fn truths(&self, at: usize, next: Option<char>) -> u32 {
        if self.pattern.looks.is_empty() {
            return 0;
        }
        let before = self.text.get(..at).unwrap_or_default().chars().next_back();
        let looks = self.pattern.looks.iter().enumerate();
        looks.fold(0, |truths, (i, look)| truths | u32::from(holds(*look, before, next)) << i)
    }

    /// Goes back over at most `most` ASCII characters while memory holds the sets. Shows each set
    /// to `see`, with whether a match begins there. Returns the number of characters.
    #[inline(always)]
    pub(crate) fn pass(
        &mut self,
        end: usize,
        most: usize,
        mut see: impl FnMut(bool, &[u64]),
    ) -> usize {
        let Some(memory) = &mut self.memory else { return 0 };
        if !self.pattern.looks.is_empty() {
            return 0;
        }
        let (sets, words, shift) = (&*memory.sets, memory.words, memory.shift);
        let (letters, table, mut row) = (&*memory.alphabet.ascii, &*memory.table, memory.current);
        let bytes = self.text.as_bytes().get(end.saturating_sub(most)..end).unwrap_or_default();
        let mut passed = 0;
        for byte in bytes.iter().rev() {
            let Some(letter) = letters.get(usize::from(*byte)) else { break };
            let slot = row as usize + usize::from(*letter);
            let known = table.get(slot).copied().unwrap_or_default();
            if known == 0 {
                break;
            }
            row = known >> 1;
            let at = (row >> shift) as usize * words;
            see(known & 1 == 1, sets.get(at..at + words).unwrap_or_default());
            passed += 1;
        }
        memory.current = row;
        passed
    }

    /// Goes one character back. Returns the new place.
    pub(crate) fn step(&mut self, end: usize) -> usize {
        let next = self.text.get(..end).unwrap_or_default().chars().next_back();
        let at = end - next.map_or(1, char::len_utf8);
        let truths = self.truths(at, next);
        let c = next.map_or(0, u32::from);
        let Some(memory) = &mut self.memory else {
            let classes = &self.pattern.classes;
            self.before(truths, |class| {
                classes.get(class as usize).is_some_and(|class| class.has(c))
            });
            return at;
        };
        let letter = memory.alphabet.letter(c);
        let key = letter << self.pattern.looks.len() | truths as usize;
        let slot = memory.current as usize + key;
        let known = memory.table.get(slot).copied().unwrap_or_default();
        if known != 0 {
            memory.current = known >> 1;
            return at;
        }
        self.set.copy_from_slice(memory.set());
        let alphabet = memory.alphabet;
        self.before(truths, |class| alphabet.is_in(letter, class));
        self.remember(slot);
        at
    }

    /// Remembers the set just found, and its entry in the table.
    fn remember(&mut self, slot: usize) {
        let Some(memory) = &mut self.memory else { return };
        if memory.rows.len() < REMEMBERED {
            memory.current = memory.row(&self.set);
            let known = memory.current << 1 | u32::from(has(&self.set, memory.start));
            memory.table.get_mut(slot).into_iter().for_each(|slot| *slot = known);
            return;
        }
        memory.forget();
        memory.forgotten += 1;
        memory.current = memory.row(&self.set);
        if memory.forgotten >= FORGOTTEN {
            self.memory = None;
        }
    }

    /// Turns the set after a character into the set before it.
    fn before(&mut self, truths: u32, is_in: impl Fn(u32) -> bool) {
        let mut found = std::mem::take(&mut self.spare);
        found.clear();
        found.resize(self.set.len(), 0);
        for taker in &self.pattern.takers {
            if has(&self.set, taker.to) && is_in(taker.class) {
                put(&mut found, taker.step);
                self.open.push(taker.step);
            }
        }
        self.spare = std::mem::replace(&mut self.set, found);
        self.close(truths);
    }

    /// Adds the end of the pattern, and all steps that lead to the set's steps without a character.
    /// Lookaheads come first, inner ones before outer ones, since others ask whether they match.
    fn close(&mut self, truths: u32) {
        if !self.pattern.kind.aheads.is_empty() {
            let seeds = std::mem::take(&mut self.open);
            for ahead in &self.pattern.kind.aheads {
                let steps = ahead.first..ahead.last;
                self.open.extend(seeds.iter().copied().filter(|step| steps.contains(step)));
                self.close_from(ahead.first, truths);
            }
            self.open = seeds;
        }
        self.close_from(0, truths);
    }

    /// Adds an end, and all steps that lead to it and to the open steps without a character.
    fn close_from(&mut self, end: u32, truths: u32) {
        let Self { pattern, open, set, .. } = self;
        put(set, end);
        open.push(end);
        while let Some(step) = open.pop() {
            let step = step as usize;
            let start = pattern.begins.get(step).copied().unwrap_or_default() as usize;
            let end =
                pattern.begins.get(step + 1).map_or(pattern.before.len(), |end| *end as usize);
            for before in pattern.before.get(start..end).unwrap_or_default() {
                let holds = match pattern.steps.get(*before as usize) {
                    Some(Step::Look { look, .. }) => truths >> look & 1 == 1,
                    Some(Step::Ahead { ahead, .. }) => {
                        let ahead = pattern.kind.aheads.get(*ahead as usize);
                        ahead.is_some_and(|ahead| has(set, ahead.start) != ahead.negate)
                    }
                    _ => true,
                };
                if holds && put(set, *before) {
                    open.push(*before);
                }
            }
        }
    }
}

impl<'p> Memory<'p> {
    fn new(alphabet: &'p Alphabet, pattern: &Pattern, words: usize) -> Self {
        let width = (alphabet.letters << pattern.looks.len()).next_power_of_two();
        let mut memory = Self {
            alphabet,
            start: pattern.start,
            words,
            shift: width.trailing_zeros(),
            rows: BTreeMap::new(),
            sets: Vec::new(),
            table: Vec::new(),
            current: 0,
            forgotten: 0,
        };
        memory.forget();
        memory
    }

    /// Forgets all sets.
    fn forget(&mut self) {
        self.rows.clear();
        self.sets.clear();
        self.sets.resize(self.words, 0);
        self.table.clear();
        self.table.resize(1 << self.shift, 0);
    }

    fn set(&self) -> &[u64] {
        let at = (self.current >> self.shift) as usize * self.words;
        self.sets.get(at..at + self.words).unwrap_or_default()
    }

    /// Returns the row of a set.
    fn row(&mut self, set: &[u64]) -> u32 {
        if let Some(row) = self.rows.get(set) {
            return *row;
        }
        let row = to_u32(self.table.len());
        self.sets.extend_from_slice(set);
        self.rows.insert(set.to_vec(), row);
        self.table.resize(self.table.len() + (1 << self.shift), 0);
        row
    }
}

/// Tells whether a look holds between two characters.
fn holds(look: Look, before: Option<char>, after: Option<char>) -> bool {
    let ascii = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    let word = |c: Option<char>| c.is_some_and(|c| try_is_word_character(c).unwrap_or_default());
    let look = match look {
        Look::Known(look) => look,
        Look::LineStart => return before.is_none_or(ends_line),
        Look::LineEnd => return after.is_none_or(ends_line),
        Look::Word { negate } => {
            let folded = |c: Option<char>| ascii(c) || matches!(c, Some('\u{17f}' | '\u{212a}'));
            return (folded(before) != folded(after)) != negate;
        }
    };
    match look {
        hir::Look::Start => before.is_none(),
        hir::Look::End => after.is_none(),
        hir::Look::StartLF => matches!(before, None | Some('\n')),
        hir::Look::EndLF => matches!(after, None | Some('\n')),
        hir::Look::StartCRLF => {
            matches!(before, None | Some('\n')) || before == Some('\r') && after != Some('\n')
        }
        hir::Look::EndCRLF => {
            matches!(after, None | Some('\r')) || after == Some('\n') && before != Some('\r')
        }
        hir::Look::WordAscii => ascii(before) != ascii(after),
        hir::Look::WordAsciiNegate => ascii(before) == ascii(after),
        hir::Look::WordUnicode => word(before) != word(after),
        hir::Look::WordUnicodeNegate => word(before) == word(after),
        hir::Look::WordStartAscii => !ascii(before) && ascii(after),
        hir::Look::WordEndAscii => ascii(before) && !ascii(after),
        hir::Look::WordStartUnicode => !word(before) && word(after),
        hir::Look::WordEndUnicode => word(before) && !word(after),
        hir::Look::WordStartHalfAscii => !ascii(before),
        hir::Look::WordEndHalfAscii => !ascii(after),
        hir::Look::WordStartHalfUnicode => !word(before),
        hir::Look::WordEndHalfUnicode => !word(after),
    }
}

/// Tells whether a character ends a line of JavaScript.
fn ends_line(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}
