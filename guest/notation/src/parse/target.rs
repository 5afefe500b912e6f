//! What patterns bind.

use crate::tree::{Id, Words};

/// A binding: a name and its value.
pub(crate) type Binding<'s> = (Words<'s>, Id);

/// The way from a value to a part of it.
#[derive(Clone, Debug)]
pub(crate) enum Way<'s> {
    First,
    Second,
    Element(u32),
    Member(Words<'s>),
    /// All elements from one on.
    Rest(u32),
    /// All members but these.
    Others(Vec<Words<'s>>),
}

/// A name that a pattern binds.
#[derive(Debug)]
pub(crate) struct Target<'s> {
    pub(crate) name: Words<'s>,
    /// The name of the value that it is a part of.
    pub(crate) whole: Words<'s>,
    pub(crate) way: Way<'s>,
    /// The tokens of its default.
    pub(crate) default: Option<(usize, usize)>,
    pub(crate) value: Option<Id>,
    pub(crate) span: (u32, u32),
}

/// The bindings of a pattern, in order.
pub(crate) type Pattern<'s> = Vec<Target<'s>>;

/// A `const` of functions, which see themselves and each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    /// The binding of the function that is read, as the scope counts.
    pub(crate) binding: usize,
    /// Whether one has been met that uses itself or a later one.
    pub(crate) is_recursive: bool,
}

/// What goes on when all defaults of a pattern have been read.
#[derive(Debug)]
pub(crate) enum Then<'s> {
    /// The body of a function of these parameters.
    Body { names: Vec<Words<'s>>, start: u32, at: usize },
    /// The value of a `const`, which stands at a token, after other bindings.
    Value { start: u32, name: Words<'s>, before: Vec<Binding<'s>>, at: usize, group: Option<Group> },
}
