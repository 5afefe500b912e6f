//! Which operands of a form see the names that it binds.

use super::form::{Form, Shape};

/// Which of its operands see the names that a form binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// It binds none.
    None,
    /// All of them.
    All,
    /// The body, and those that are bound to later names.
    Later,
}

impl Form {
    /// Which operands see the names that the form binds.
    #[must_use]
    pub fn scope(self) -> Scope {
        match self.row().map(|row| row.shape) {
            Some(Shape::Lambda | Shape::Functions) => Scope::All,
            Some(Shape::Bindings) => Scope::Later,
            Some(
                Shape::Name
                | Shape::Application
                | Shape::List { .. }
                | Shape::Literal
                | Shape::Branches
                | Shape::Try
                | Shape::Members(_)
                | Shape::MembersOr(_)
                | Shape::Ignored
                | Shape::Named(_)
                | Shape::Fields,
            )
            | None => Scope::None,
        }
    }
}
