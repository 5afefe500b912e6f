//! Types of values, as far as a term shows them without evaluation. Hints of faults and notes of
//! checks use them.

use crate::kinds::{ANY, Kinds, VALUE};
use crate::term::{TermId, Terms};

/// Returns the type of a term's value, or `UNKNOWN`.
#[must_use]
pub fn given(terms: &Terms, term: TermId) -> Kinds {
    terms.form(term).given()
}

/// Tells whether two operands seem to be swapped: `found`, the type at `operand`, fits another place,
/// and the operand there fits here.
#[must_use]
pub fn is_swapped(terms: &Terms, term: TermId, operand: usize, found: Kinds) -> bool {
    let form = terms.form(term);
    // Rows name no type that a term does not show.
    let (here, found) = (form.accepted(operand), found & VALUE);
    let fits = |(at, other): (usize, &TermId)| {
        let there = form.accepted(at);
        let other = given(terms, *other);
        there != here && found & there != 0 && (other & here != 0 || other == 0 && there != ANY)
    };
    let mut operands = terms.operands(term).iter().enumerate();
    found & here == 0 && operands.any(fits)
}
