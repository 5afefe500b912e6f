//! The pass from the end of a text to its beginning. It finds, place by place, the steps that lead
//! to a match.

use crate::algorithm::regex::class::Alphabet;
use crate::algorithm::regex::memory::{Memory, Set};
use crate::algorithm::regex::{Look, Pattern, Step};
use regex_syntax::hir;
use regex_syntax::try_is_word_character;

/// Bytes that a pattern has searched before sets are remembered.
const LONG: usize = 128;
/// The longest table that is left to the next search.
const LEFT: usize = 1 << 16;
/// The most sets to remember. Then all are forgotten.
const REMEMBERED: usize = 512;
/// After forgetting so often, remembering stops.
const FORGOTTEN: u32 = 8;

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
    memory: Option<Memory>,
    /// The set at the current place, unless memory holds it.
    set: Set,
    /// Steps whose predecessors are not in the set yet.
    open: Vec<u32>,
    spare: Set,
}

impl<'p> Back<'p> {
    /// Begins at the end of the text, with the steps that have an empty match there.
    pub(crate) fn new(pattern: &'p Pattern, text: &'p str) -> Self {
        let words = pattern.steps.len().div_ceil(64);
        let memory = memory_of(pattern, text.len(), words);
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
        let letters = alphabet(self.pattern).map_or(&[][..], |alphabet| &alphabet.ascii);
        let (table, mut row) = (&*memory.table, memory.current);
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
        let pattern = self.pattern;
        let (Some(memory), Some(alphabet)) = (&mut self.memory, alphabet(pattern)) else {
            let classes = &pattern.classes;
            self.before(truths, |class| {
                classes.get(class as usize).is_some_and(|class| class.has(c))
            });
            return at;
        };
        let letter = alphabet.letter(c);
        let key = letter << self.pattern.looks.len() | truths as usize;
        let slot = memory.current as usize + key;
        let known = memory.table.get(slot).copied().unwrap_or_default();
        if known != 0 {
            memory.current = known >> 1;
            return at;
        }
        self.set.copy_from_slice(memory.set());
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

/// The next search goes on with what this one has found.
impl Drop for Back<'_> {
    fn drop(&mut self) {
        let memory = self.memory.take().filter(|memory| memory.table.len() <= LEFT);
        self.pattern.memory.replace(memory);
    }
}

/// Returns the letters that a pattern distinguishes, unless there are too many.
fn alphabet(pattern: &Pattern) -> Option<&Alphabet> {
    let made = || Alphabet::new(&pattern.classes, pattern.looks.len());
    pattern.alphabet.get_or_init(made).as_ref()
}

/// Returns the memory of the last search, or a new one; none before a pattern has searched enough, or
/// where characters cannot be told apart by few letters.
fn memory_of(pattern: &Pattern, bytes: usize, words: usize) -> Option<Memory> {
    let searched = pattern.searched.get().saturating_add(bytes);
    pattern.searched.set(searched);
    if searched < LONG {
        return None;
    }
    let made = || {
        let width = alphabet(pattern)?.letters << pattern.looks.len();
        Some(Memory::new(pattern.start, width, words))
    };
    pattern.memory.take().or_else(made)
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
