//! The slots of loops, counted from the slot `d` of their operations. The compiler, the dispatch
//! loop and `complete` agree on them here.

/// A `fold`. Its operations name the slot of the accumulator.
pub(crate) mod fold {
    use crate::code::Slot;

    /// The rest of the list.
    pub(crate) const LIST: Slot = 1;
    /// The item of this turn.
    pub(crate) const ITEM: Slot = 2;
    /// The accumulator of the next turn.
    pub(crate) const NEXT: Slot = 3;
    /// The first slot for the body.
    pub(crate) const FREE: Slot = 4;
}

/// A form that applies a function to each element of a list. Its operations name the slot of the
/// function, which gets the value of the form at the end.
pub(crate) mod each {
    use crate::code::Slot;

    /// The rest of the list.
    pub(crate) const LIST: Slot = 1;
    /// A further operand, or a value that the form keeps.
    pub(crate) const KEPT: Slot = 2;
    /// The result so far, in reverse.
    pub(crate) const RESULT: Slot = 3;
    /// In `sort_with`, the element that is compared with the one of this turn.
    pub(crate) const SECOND: Slot = RESULT;
    /// The element of this turn.
    pub(crate) const ELEMENT: Slot = 4;
    /// The function's value.
    pub(crate) const GIVEN: Slot = 5;
}

/// An `update`, which applies its function once, to the value of a key. Its operations name the
/// slot of the record, which gets the new record at the end.
pub(crate) mod update {
    use crate::code::Slot;

    /// The key.
    pub(crate) const KEY: Slot = 1;
    /// The function.
    pub(crate) const FUNCTION: Slot = 2;
    /// The index of the value in a list.
    pub(crate) const PLACE: Slot = 3;
    /// The value: the argument of the function.
    pub(crate) const VALUE: Slot = super::each::ELEMENT;
    /// The function's value.
    pub(crate) const GIVEN: Slot = super::each::GIVEN;
}

/// A `calls`, which applies functions of tools first. Its operations name the slot of the calls that
/// are left.
pub(crate) mod calls {
    use crate::code::Slot;

    /// The calls so far, in reverse. One that applied a function is a pair of a hole and the value.
    pub(crate) const RESULT: Slot = 1;
    /// The call of this turn.
    pub(crate) const ELEMENT: Slot = 2;
    /// The name in it, if it may be that of a function; and its arguments.
    pub(crate) const NAME: Slot = 3;
    pub(crate) const ARGUMENTS: Slot = 4;
    /// The function.
    pub(crate) const FUNCTION: Slot = 5;
    /// The function's value.
    pub(crate) const GIVEN: Slot = 6;
}
