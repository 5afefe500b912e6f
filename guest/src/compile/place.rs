//! The places of variables' values.

use crate::code::{Place, Slot};
use pif_core::limits::to_u32;
use pif_core::numbers::Numbers;
use pif_language::term::NameId;

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

impl Location {
    /// Returns the places of the value, or of its parts in order.
    pub(super) fn places(self) -> Vec<Place> {
        match self {
            Self::At(place) => vec![place],
            Self::Halves(first, second) => [first, second].map(Place::from).to_vec(),
            Self::Thirds(parts) => parts.map(Place::from).to_vec(),
        }
    }
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

/// A binding of a name.
#[derive(Debug)]
struct Binding {
    name: NameId,
    /// The function, by level.
    level: usize,
    location: Location,
    /// The place of the name's binding around this one, or 0.
    before: u32,
}

/// Bindings visible at the current place.
#[derive(Debug, Default)]
pub(super) struct Bindings {
    /// The place of each name's innermost binding in `order`, from 1 on.
    names: Numbers,
    /// All bindings in order.
    order: Vec<Binding>,
    /// Captures and scope entries made so far.
    pub(super) work: usize,
}

impl Bindings {
    pub(super) fn push(&mut self, name: NameId, level: usize, location: Location) {
        let before = self.names.insert(name, to_u32(self.order.len() + 1)).unwrap_or_default();
        self.order.push(Binding { name, level, location, before });
    }

    /// Takes the innermost binding away.
    pub(super) fn pop(&mut self) {
        if let Some(Binding { name, before, .. }) = self.order.pop() {
            self.names.insert(name, before);
        }
    }

    /// Finds the function and the location of a name.
    pub(super) fn find(&self, name: NameId) -> Option<(usize, Location)> {
        let at = self.names.get(name)?.checked_sub(1)?;
        self.order.get(at as usize).map(|binding| (binding.level, binding.location))
    }

    /// Iterates over the bound names in order.
    pub(super) fn names(&self) -> impl Iterator<Item = NameId> {
        self.order.iter().map(|binding| binding.name)
    }
}

/// Converts a small number to a slot or depth field. Larger numbers are in functions of their own.
pub(super) fn slot(n: u32) -> Slot {
    Slot::try_from(n).unwrap_or(Slot::MAX)
}
