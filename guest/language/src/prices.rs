//! Prices. A unit of fuel takes about as much time in every form. A form's row has three prices:
//! for a visit of its node, for an application that it makes, and for a unit of work on its
//! operands. The form's function counts the units of work.

/// A visit of a form that the dispatch loop does.
pub const LOOP: u16 = 1;
/// A visit of a form that makes a function, or reads a text in the loop.
pub const LIGHT: u16 = 5;
/// A visit of a form that leaves the dispatch loop.
pub const OUTSIDE: u16 = 12;
/// A visit of a form that goes to another term, or returns from a fault.
pub const JUMPER: u16 = 16;
/// A visit of a form that reads or makes texts, numbers or records.
pub const MAKER: u16 = 48;
/// A visit of a form that takes a value apart by rules, or takes many steps.
pub const READER: u16 = 96;
/// A visit of a form that searches for a pattern.
pub const SEARCHER: u16 = 192;

/// An application by a form that the compiler unfolds.
pub const UNFOLDED: u16 = 1;
/// An application by a form that goes from element to element.
pub const ELEMENT: u16 = 5;

/// Work that only passes an element.
pub const STEP: u16 = 1;
/// Work that copies an element.
pub const COPY: u16 = 3;
/// Work that compares two elements.
pub const COMPARE: u16 = 4;
/// Work that makes an element, a number or a member.
pub const MAKE: u16 = 6;
/// Work of any other kind.
pub const OTHER: u16 = 12;
/// Work that reads or writes eight bytes of a text.
pub const TEXT: u16 = 18;
/// Work that looks up a key.
pub const LOOK_UP: u16 = 24;

/// The fuel prices of a form.
#[derive(Clone, Copy, Debug)]
pub struct Fuel {
    /// A visit of a node of the form.
    pub visit: u16,
    /// An application of a function that the form makes.
    pub application: u16,
    /// A unit of the form's work on its operands.
    pub work: u16,
}

/// The prices of literals, which have no row.
pub const LITERAL: Fuel = Fuel { visit: LOOP, application: 0, work: OTHER };

/// Units of work that are not one for each part that is touched. Where one stands for parts of a
/// kind, it says how many are one unit. FUEL.md has these numbers too.
pub mod units {
    /// An operation on two numbers, one of them a float and none of them big.
    pub const FLOAT_ARITHMETIC: u64 = 6;
    /// An operation on two numbers, one of them big, besides its limbs.
    pub const BIG_ARITHMETIC: u64 = 16;
    /// A comparison of two texts, or of numbers one of which is a float.
    pub const COMPARISON: u64 = 6;
    /// Rounding a float to digits that its own decimals do not have.
    pub const FAR_DIGITS: u64 = 64;
    /// Writing a float or a date.
    pub const WRITTEN_FLOAT: u64 = 8;
    /// Reading a float of more characters than a word holds.
    pub const LONG_FLOAT: u64 = 16;
    /// Members of the largest record that is copied where one of them changes.
    pub const COPIED_MEMBERS: u64 = 64;
    /// Changing a member of a larger record.
    pub const MEMBER_CHANGE: u64 = 16;
    /// The same, for each bit of the number of members.
    pub const MEMBER_CHANGE_BIT: u64 = 2;
    /// Changing the letters of a text that is not all ASCII, for each unit of the text.
    pub const WIDE_CASE: u64 = 3;
    /// A key that is grouped by.
    pub const GROUPED_KEY: u64 = 4;
    /// A key that `pick` and `omit` look for.
    pub const CHOSEN_KEY: u64 = 4;
    /// A key of a map or set that is made or listed.
    pub const MAP_KEY: u64 = 4;
    /// Putting a key into a map or set, or taking it out.
    pub const MAP_CHANGE: u64 = 8;
    /// Bytes of a pattern by which a date is read.
    pub const DATE_PATTERN_BYTES: u64 = 2;
    /// A byte of a regular expression.
    pub const PATTERN_BYTE: u64 = 16;
    /// A class with a name, such as `\w`, in a regular expression.
    pub const NAMED_CLASS: u64 = 256;
    /// A class with a name where case is ignored: the parser looks at every character of it.
    pub const FOLDED_CLASS: u64 = 8192;
    /// Characters of a range where case is ignored.
    pub const FOLDED_CHARACTERS: u64 = 4;
    /// A line of the trace.
    pub const TRACE_LINE: u64 = 256;
}

/// The fuel of catching a fault.
pub const CAUGHT: u64 = 768;
