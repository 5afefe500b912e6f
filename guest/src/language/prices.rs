//! Prices. A unit of fuel takes about as long in every form: so a visit of a node, an application
//! that a form makes, and a unit of the work that it does with its operands each have their price,
//! which stands in the form's row. How many units of work a form does is said where it is done.

/// Visits of a form that is done in the dispatch loop.
pub(crate) const LOOP: u16 = 1;
/// Visits of a form that makes a function, or takes a text in the loop.
pub(crate) const LIGHT: u16 = 5;
/// Visits of a form that leaves the dispatch loop.
pub(crate) const OUTSIDE: u16 = 12;
/// Visits of a form that goes to another term, or comes back from a fault.
pub(crate) const JUMPER: u16 = 16;
/// Visits of a form that reads or makes texts, numbers or records of some kind.
pub(crate) const MAKER: u16 = 48;
/// Visits of a form that takes something apart by rules, or takes many steps.
pub(crate) const READER: u16 = 96;
/// Visits of a form that searches for a pattern.
pub(crate) const SEARCHER: u16 = 192;

/// An application by a form that the compiler unfolds.
pub(crate) const UNFOLDED: u16 = 1;
/// An application by a form that goes from element to element.
pub(crate) const ELEMENT: u16 = 5;

/// Work that touches an element and goes on.
pub(crate) const STEP: u16 = 1;
/// Work that copies an element.
pub(crate) const COPY: u16 = 3;
/// Work that compares two elements.
pub(crate) const COMPARE: u16 = 4;
/// Work that makes an element, a number or a member.
pub(crate) const MAKE: u16 = 6;
/// Work of any other kind.
pub(crate) const OTHER: u16 = 12;
/// Work that reads or writes eight bytes of a text.
pub(crate) const TEXT: u16 = 18;
/// Work that looks up a key.
pub(crate) const LOOK_UP: u16 = 24;

/// What a form costs, in fuel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fuel {
    /// Each visit of a node of the form.
    pub(crate) visit: u16,
    /// Each application of a function that the form makes.
    pub(crate) application: u16,
    /// Each unit of the work that the form does with its operands.
    pub(crate) work: u16,
}

/// The price of literals, which have no row.
pub(crate) const LITERAL: Fuel = Fuel { visit: LOOP, application: 0, work: OTHER };
