//! The steps of the program, which have names, where the host wants to know of them: it hears when one
//! begins and ends, and may give what one came to before, in place of its evaluation.

use crate::request::{Left, Passage};
use pif_language::term::TermId;
use std::collections::{BTreeSet, VecDeque};

/// What is known of the steps of a run.
#[derive(Debug)]
pub(crate) struct Named {
    /// How many more the host is told of.
    pub(super) left: u32,
    /// How many it was told of.
    pub(super) told: u32,
    /// Steps that have begun and have not ended, the innermost last.
    pub(super) open: Vec<Open>,
    /// What the host says of the step that begins.
    pub(crate) said: Option<Option<Passage>>,
    /// Whether the host knows that the innermost step has a value.
    pub(super) is_told: bool,
    /// Steps that faults have ended, which the host does not know of yet.
    pub(super) failed: VecDeque<Left>,
    /// Terms from this one on may have other numbers in a run that was given what a step came to.
    pub(super) first_unstable: Option<TermId>,
    /// Tools whose functions are there, or were made in a step that was not evaluated.
    pub(super) made: BTreeSet<String>,
    /// These in the order in which they were made, and `try`s that had values.
    pub(super) tools: Vec<String>,
    pub(super) trials: Vec<TermId>,
    /// Tools whose functions were made and paid in steps that were not evaluated.
    pub(super) paid: BTreeSet<String>,
    /// How often something happened that no passage can tell.
    pub(super) untold: u32,
}

/// A step that has begun, with the state of the run then.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) is_told: bool,
    /// Open `try`s and `retry`s.
    pub(super) depth: usize,
    pub(super) fuel: u64,
    pub(super) calls: u32,
    pub(super) told: u32,
    pub(super) lines: usize,
    pub(super) warnings: usize,
    pub(super) built: usize,
    pub(super) tools: usize,
    pub(super) trials: usize,
    pub(super) untold: u32,
}

impl Named {
    pub(crate) fn new(most: u32) -> Self {
        Self {
            left: most,
            told: 0,
            open: Vec::new(),
            said: None,
            is_told: false,
            failed: VecDeque::new(),
            first_unstable: None,
            made: BTreeSet::new(),
            tools: Vec::new(),
            trials: Vec::new(),
            paid: BTreeSet::new(),
            untold: 0,
        }
    }

    /// Takes a step that a fault has ended.
    pub(crate) fn take_failed(&mut self) -> Option<Left> {
        self.failed.pop_front()
    }
}
