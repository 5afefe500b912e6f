//! `try`s whose terms are being evaluated, and how others ended.

use crate::code::Slot;
use crate::fault::{Code, Fault};
use crate::language::term::{TermId, Terms};
use std::collections::BTreeMap;

/// A `try` whose term is being evaluated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trial {
    /// Its frame among the pending calls: where the handler begins, and in which function.
    pub(super) top: usize,
    pub(super) term: TermId,
    /// The slot for the record.
    pub(super) d: Slot,
    pub(super) active_evals: u32,
}

impl Trial {
    /// Whether it catches faults of a code: of those that it names, or of any.
    pub(super) fn takes(&self, terms: &Terms, code: Code) -> bool {
        let codes = terms.names(self.term);
        codes.is_empty() || codes.iter().any(|name| terms.name(*name) == code.name())
    }
}

/// `try`s that are told of at the end.
const MOST_TOLD: usize = 100;

/// How the evaluations of `try`s ended that name no codes, by their terms: of the first that did.
#[derive(Debug, Default)]
pub(crate) struct Endings(pub(super) BTreeMap<TermId, Ending>);

#[derive(Debug)]
pub(super) enum Ending {
    /// Once at least in a value.
    Value,
    /// Always in a fault: how often, and the first.
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
