//! Open `try`s, and the endings of others.

use super::retry::Retry;
use crate::code::Slot;
use pif_core::fault::{Code, Fault};
use pif_language::term::{TermId, Terms};

/// A `try` whose term is being evaluated, or a `retry`.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    /// Its frame among the pending calls, which holds the handler's place and function.
    pub(super) top: usize,
    /// The term of a `try`.
    pub(super) term: TermId,
    /// The slot for the record, or for the options.
    pub(super) d: Slot,
    pub(super) active_evals: u32,
    /// What a `retry` has tried. It has no handler.
    pub(super) retry: Option<Box<Retry>>,
}

impl Trial {
    /// Tells whether it catches faults of a code: one that it names, or any if it names none.
    pub(super) fn takes(&self, terms: &Terms, code: Code) -> bool {
        if self.retry.is_some() {
            return false;
        }
        let codes = terms.names(self.term);
        codes.is_empty() || codes.iter().any(|name| terms.name(*name) == code.name())
    }
}

/// The most `try`s to warn of at the end.
const MOST_TOLD: usize = 100;

/// The endings of `try`s that name no codes, in the order of the terms. Only for the first
/// `MOST_TOLD`.
#[derive(Debug, Default)]
pub(crate) struct Endings(pub(super) Vec<(TermId, Ending)>);

#[derive(Debug)]
pub(super) enum Ending {
    /// A value at least once.
    Value,
    /// A fault each time: their number, and the first.
    Faults(u32, Box<Fault>),
}

impl Endings {
    pub(super) fn note(&mut self, terms: &Terms, term: TermId, fault: Option<&Fault>) {
        if !terms.names(term).is_empty() {
            return;
        }
        let place = match self.0.binary_search_by_key(&term, |(term, _)| *term) {
            Ok(known) => {
                match (self.0.get_mut(known), fault) {
                    (Some((_, Ending::Faults(count, _))), Some(_)) => *count += 1,
                    (Some((_, ending)), None) => *ending = Ending::Value,
                    _ => {}
                }
                return;
            }
            Err(place) => place,
        };
        if self.0.len() < MOST_TOLD {
            let ending = match fault {
                None => Ending::Value,
                Some(fault) => Ending::Faults(1, Box::new(fault.clone())),
            };
            self.0.insert(place, (term, ending));
        }
    }
}
