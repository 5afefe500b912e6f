//! The places of variables' values.

use crate::code::{Place, Slot};
use pif_language::term::NameId;
use std::collections::BTreeMap;

/// The location of a variable's value, in the function being compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Location {
    /// A single place.
    At(Place),
    /// The two halves of a pair that is not built.
    Halves(Part, Part),
    /// A pair that is not built, and whose first half is not built either: the halves of the first
    /// half, and the second half.
    Thirds([Part; 3]),
}

/// The place of a part of an unbuilt pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A slot.
    Slot(Slot),
    /// A captured value of the running closure.
    Captured(u16),
}

impl From<Part> for Place {
    fn from(part: Part) -> Self {
        match part {
            Part::Slot(slot) => Self::Slot(slot),
            Part::Captured(index) => Self::Captured(index),
        }
    }
}

/// Bindings visible at the current place.
#[derive(Debug, Default)]
pub(super) struct Bindings {
    /// For each name, the functions (by level) and locations, the innermost last.
    pub(super) by_name: BTreeMap<NameId, Vec<(usize, Location)>>,
    /// All bound names in order.
    pub(super) order: Vec<NameId>,
    /// Captures and scope entries made so far.
    pub(super) work: usize,
}

/// Converts a small number to a slot or depth field. Larger numbers are in functions of their own.
pub(super) fn slot(n: u32) -> Slot {
    Slot::try_from(n).unwrap_or(Slot::MAX)
}
