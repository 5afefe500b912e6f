//! The places of variables' values.

use crate::code::{Place, Slot};
use crate::language::term::NameId;
use crate::limits::to_u32;
use pif_core::numbers::Numbers;

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
    /// The place of each name in `places`.
    names: Numbers,
    /// For each name, the functions (by level) and locations, the innermost last.
    places: Vec<Vec<(usize, Location)>>,
    /// All bound names in order.
    pub(super) order: Vec<NameId>,
    /// Captures and scope entries made so far.
    pub(super) work: usize,
}

impl Bindings {
    pub(super) fn push(&mut self, name: NameId, level: usize, location: Location) {
        self.order.push(name);
        if let Some(places) = self.of(name) {
            return places.push((level, location));
        }
        self.names.insert(name, to_u32(self.places.len()));
        self.places.push(vec![(level, location)]);
    }

    /// Takes the innermost binding away.
    pub(super) fn pop(&mut self) {
        if let Some(name) = self.order.pop()
            && let Some(places) = self.of(name)
        {
            places.pop();
        }
    }

    fn of(&mut self, name: NameId) -> Option<&mut Vec<(usize, Location)>> {
        self.places.get_mut(self.names.get(name)? as usize)
    }

    /// Finds the function and the location of a name.
    pub(super) fn find(&self, name: NameId) -> Option<(usize, Location)> {
        self.places.get(self.names.get(name)? as usize)?.last().copied()
    }
}

/// Converts a small number to a slot or depth field. Larger numbers are in functions of their own.
pub(super) fn slot(n: u32) -> Slot {
    Slot::try_from(n).unwrap_or(Slot::MAX)
}
