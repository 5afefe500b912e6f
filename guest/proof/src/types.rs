//! Types of derivations: which kinds a value may have, and what is known of its parts.

use crate::facts::{COMPOUND, PLAIN};
use pif_language::kinds::{ANY, INTEGER, Kinds, LIST};

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type {
    /// The kinds that a value may have.
    pub kinds: Kinds,
    /// Whether the value is plain data, with all its parts.
    pub is_deep: bool,
    /// The type of the elements, where it is a list.
    pub element: Option<Box<Type>>,
}

impl Type {
    /// Values of some kinds.
    #[must_use]
    pub fn of(kinds: Kinds) -> Self {
        Self { kinds, is_deep: kinds & COMPOUND == 0, element: None }
    }

    /// Any value.
    #[must_use]
    pub fn any() -> Self {
        Self { kinds: ANY, is_deep: false, element: None }
    }

    /// Plain data.
    #[must_use]
    pub fn data() -> Self {
        Self { kinds: PLAIN, is_deep: true, element: None }
    }

    /// Lists with elements of a type.
    #[must_use]
    pub fn list(element: Self) -> Self {
        Self { kinds: LIST, is_deep: element.is_deep, element: Some(Box::new(element)) }
    }

    /// Lists of integers.
    #[must_use]
    pub fn integers() -> Self {
        Self::list(Self::of(INTEGER))
    }

    /// The type of the elements of a list.
    #[must_use]
    pub fn elements(&self) -> Self {
        match &self.element {
            Some(element) => (**element).clone(),
            None if self.is_deep => Self::data(),
            None => Self::any(),
        }
    }

    /// Tells whether each value of this type is of the other.
    #[must_use]
    pub fn is_within(&self, other: &Self) -> bool {
        let has_lists = self.kinds & LIST != 0;
        self.kinds & !other.kinds == 0
            && (!other.is_deep || self.is_deep)
            && other.element.as_ref().is_none_or(|it| !has_lists || self.elements().is_within(it))
    }

    /// The values that are of both types.
    #[must_use]
    pub fn meet(self, other: Self) -> Self {
        let is_deep = self.is_deep || other.is_deep;
        let element = match (self.element, other.element) {
            (Some(a), Some(b)) => Some(Box::new(a.meet(*b))),
            (a, b) => a.or(b),
        };
        let element =
            if is_deep { element.map(|it| Box::new(it.meet(Self::data()))) } else { element };
        let kinds = self.kinds & other.kinds & if is_deep { PLAIN } else { ANY };
        Self { kinds, is_deep: is_deep || kinds & COMPOUND == 0, element }
    }

    /// The values that are of either type.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        let has_elements = self.element.is_some() || other.element.is_some();
        let element = match (self.kinds & LIST != 0, other.kinds & LIST != 0) {
            (true, true) if has_elements => Some(Box::new(self.elements().join(other.elements()))),
            (true, true) => None,
            (true, false) => self.element,
            (false, _) => other.element,
        };
        Self { kinds: self.kinds | other.kinds, is_deep: self.is_deep && other.is_deep, element }
    }
}
