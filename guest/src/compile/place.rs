//! The places of variables' values.

use crate::code::{Place, Slot};
use pif_core::ids::IdMap;
use pif_core::limits::to_u32;
use pif_language::term::NameId;

/// A binding of a name.
#[derive(Debug)]
struct Binding {
    name: NameId,
    /// The function, by level.
    level: usize,
    place: Place,
    /// The place of the name's binding around this one, or 0.
    before: u32,
}

/// Bindings visible at the current place.
#[derive(Debug, Default)]
pub(super) struct Bindings {
    /// The place of each name's innermost binding in `order`, from 1 on.
    names: IdMap,
    /// All bindings in order.
    order: Vec<Binding>,
    /// Captures and scope entries made so far.
    pub(super) work: usize,
}

impl Bindings {
    pub(super) fn push(&mut self, name: NameId, level: usize, place: Place) {
        let before = self.names.insert(name, to_u32(self.order.len() + 1)).unwrap_or_default();
        self.order.push(Binding { name, level, place, before });
    }

    /// Takes the innermost binding away.
    pub(super) fn pop(&mut self) {
        if let Some(Binding { name, before, .. }) = self.order.pop() {
            self.names.insert(name, before);
        }
    }

    /// Finds the function and the place of a name.
    pub(super) fn find(&self, name: NameId) -> Option<(usize, Place)> {
        let at = self.names.get(name)?.checked_sub(1)?;
        self.order.get(at as usize).map(|binding| (binding.level, binding.place))
    }

    /// Tells whether a name is bound, and another one not within that.
    pub(super) fn is_within(&self, other: NameId, name: NameId) -> bool {
        let at = |name| self.names.get(name).unwrap_or_default();
        at(name) > at(other)
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
