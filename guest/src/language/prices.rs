//! Prices. A unit of fuel takes about as much time in every form. A form's row has three prices:
//! for a visit of its node, for an application that it makes, and for a unit of work on its
//! operands. The form's function counts the units of work.

/// A visit of a form that the dispatch loop does.
pub(crate) const LOOP: u16 = 1;
/// A visit of a form that makes a function, or reads a text in the loop.
pub(crate) const LIGHT: u16 = 5;
/// A visit of a form that leaves the dispatch loop.
pub(crate) const OUTSIDE: u16 = 12;
/// A visit of a form that goes to another term, or returns from a fault.
pub(crate) const JUMPER: u16 = 16;
/// A visit of a form that reads or makes texts, numbers or records.
pub(crate) const MAKER: u16 = 48;
/// A visit of a form that takes a value apart by rules, or takes many steps.
pub(crate) const READER: u16 = 96;
/// A visit of a form that searches for a pattern.
pub(crate) const SEARCHER: u16 = 192;

/// An application by a form that the compiler unfolds.
pub(crate) const UNFOLDED: u16 = 1;
/// An application by a form that goes from element to element.
pub(crate) const ELEMENT: u16 = 5;

/// Work that only passes an element.
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

/// The fuel prices of a form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fuel {
    /// A visit of a node of the form.
    pub(crate) visit: u16,
    /// An application of a function that the form makes.
    pub(crate) application: u16,
    /// A unit of the form's work on its operands.
    pub(crate) work: u16,
}

/// The prices of literals, which have no row.
pub(crate) const LITERAL: Fuel = Fuel { visit: LOOP, application: 0, work: OTHER };
