//! Sets of steps that searches have found: the automaton of a pattern, as far as texts have asked for it.

use pif_core::limits::to_u32;
use std::collections::BTreeMap;

/// A set of steps, a bit each.
pub(crate) type Set = Vec<u64>;

/// Known sets, each with the sets before it. Where there is a memory, the pattern has an alphabet.
#[derive(Debug)]
pub(crate) struct Memory {
    /// The first step of the pattern, where matches begin.
    pub(super) start: u32,
    /// Words of a set.
    pub(super) words: usize,
    /// The length of a row as a power of two. A row has an entry for each letter and each answer
    /// about a place, and unused ones.
    pub(super) shift: u32,
    /// The row of each set.
    pub(super) rows: BTreeMap<Set, u32>,
    /// The sets in the order of their rows. The first row has no set.
    pub(super) sets: Vec<u64>,
    /// The entry for a letter and the answers about a place is the row of the set before, doubled,
    /// plus 1 if a match begins there. 0 means unknown.
    pub(super) table: Vec<u32>,
    /// The row of the set at the current place.
    pub(super) current: u32,
    pub(super) forgotten: u32,
}

impl Memory {
    /// Makes an empty memory of rows of so many entries, and of sets of so many words.
    pub(super) fn new(start: u32, width: usize, words: usize) -> Self {
        let mut memory = Self {
            start,
            words,
            shift: width.next_power_of_two().trailing_zeros(),
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
    pub(super) fn forget(&mut self) {
        self.rows.clear();
        self.sets.clear();
        self.sets.resize(self.words, 0);
        self.table.clear();
        self.table.resize(1 << self.shift, 0);
    }

    pub(super) fn set(&self) -> &[u64] {
        let at = (self.current >> self.shift) as usize * self.words;
        self.sets.get(at..at + self.words).unwrap_or_default()
    }

    /// Returns the row of a set.
    pub(super) fn row(&mut self, set: &[u64]) -> u32 {
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
