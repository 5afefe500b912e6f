//! The lines of a debug run: the values of terms, and of the names in scope.
//!
//! Where lines are wanted, each term gives a value of its own: no comparison becomes part of a
//! branch. Fuel and depth stay as they are.

use crate::code::{Op, Place, Told};
use crate::compile::compiler::{Compiler, Failed};
use pif_core::limits::to_u32;
use pif_language::form::Form;
use pif_language::term::{NameId, TermId};
use std::collections::BTreeSet;

/// Most names in a debug line.
const NAMES: usize = 32;

impl Compiler<'_> {
    /// Returns the names in reach, the innermost first, each with the place of its value.
    pub(super) fn names_and_places(&mut self) -> Vec<(NameId, Place)> {
        let mut seen = BTreeSet::new();
        let names: Vec<NameId> =
            self.bound_names().into_iter().rev().filter(|name| seen.insert(*name)).collect();
        names
            .into_iter()
            .take(NAMES)
            .filter_map(|name| Some((name, self.place_of(name)?)))
            .collect()
    }

    fn place_of(&mut self, name: NameId) -> Option<Place> {
        self.look_up(name).ok().flatten()
    }

    /// Notes the visit of a term that is used where it is: a variable, or a literal.
    pub(super) fn visit_in_place(&mut self, t: TermId, depth: u32) -> Result<(), Failed> {
        self.visit(t, depth);
        if !self.debug {
            return Ok(());
        }
        let place = match self.terms.form(t) {
            Form::Var => self.place_of(self.terms.only_name(t)),
            Form::Integer => Some(Place::Constant(self.literal_constant(t)?)),
            _ => None,
        };
        if let Some(place) = place {
            self.told(t, depth, place);
        }
        Ok(())
    }

    /// Notes where the value of a term is.
    pub(super) fn told(&mut self, term: TermId, depth: u32, place: Place) {
        let depth = u16::try_from(depth).unwrap_or(u16::MAX);
        let value = to_u32(self.image.told.len());
        self.image.told.push(Told { term, depth, place });
        self.emit(Op::Told { value }, term);
    }
}
