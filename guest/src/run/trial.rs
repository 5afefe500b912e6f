//! Open `try`s, and the endings of others.

use crate::code::Slot;
use pif_core::fault::{Code, Fault};
use pif_language::term::{TermId, Terms};
use std::collections::BTreeMap;

/// A `try` whose term is being evaluated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trial {
    /// Its frame among the pending calls, which holds the handler's place and function.
    pub(super) top: usize,
    pub(super) term: TermId,
    /// The slot for the record.
    pub(super) d: Slot,
    pub(super) active_evals: u32,
}

impl Trial {
    /// Tells whether it catches faults of a code: one that it names, or any if it names none.
    pub(super) fn takes(&self, terms: &Terms, code: Code) -> bool {
        let codes = terms.names(self.term);
        codes.is_empty() || codes.iter().any(|name| terms.name(*name) == code.name())
    }
}

/// The most `try`s to warn of at the end.
const MOST_TOLD: usize = 100;

/// The endings of `try`s that name no codes, by term. Only for the first `MOST_TOLD`.
#[derive(Debug, Default)]
pub(crate) struct Endings(pub(super) BTreeMap<TermId, Ending>);

#[derive(Debug)]
pub(super) enum Ending {
    /// A value at least once.
    Value,
    /// A fault each time: their number, and the first.
    Faults(u32, Box<Fault>),
}

impl Endings {
    pub(super) fn note(&mut self, terms: &Terms, term: TermId, fault: Option<&Fault>) {
        if !terms.names(term).is_empty() || self.0.len() >= MOST_TOLD && !self.0.contains_key(&term)
        {
            return;
        }
        match (self.0.get_mut(&term), fault) {
            (Some(Ending::Value), _) => {}
            (Some(Ending::Faults(count, _)), Some(_)) => *count += 1,
            (Some(ending), None) => *ending = Ending::Value,
            (None, None) => drop(self.0.insert(term, Ending::Value)),
            (None, Some(fault)) => {
                self.0.insert(term, Ending::Faults(1, Box::new(fault.clone())));
            }
        }
    }
}
