//! Where the values of variables are.

use crate::code::{Place, Slot};
use crate::language::term::NameId;
use std::collections::BTreeMap;

/// Where a variable's value is, seen from the function being compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Location {
    /// In one place.
    At(Place),
    /// A pair that was never built: its two halves.
    Halves(Part, Part),
    /// A pair that was never built, and whose first half was not either: the halves of the first
    /// half, and the second half.
    Thirds([Part; 3]),
}

/// Where a part of a pair is that was never built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// In a slot.
    Slot(Slot),
    /// Captured by the running closure.
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

/// Bindings that reach the current place.
#[derive(Debug, Default)]
pub(super) struct Bindings {
    /// For each name the functions (by level) and locations, the innermost last.
    pub(super) by_name: BTreeMap<NameId, Vec<(usize, Location)>>,
    /// All bound names in order.
    pub(super) order: Vec<NameId>,
    /// Captures and scope entries made so far.
    pub(super) work: usize,
}

/// A small number as a slot or depth field; what does not fit has been outlined before.
pub(super) fn slot(n: u32) -> Slot {
    Slot::try_from(n).unwrap_or(Slot::MAX)
}
