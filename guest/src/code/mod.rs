//! The code that the compiler produces and the machine runs: operations on slots, eight bytes each.
//!
//! A *slot* is a word in the window of the running function. A *block* is a straight line of
//! operations. The last operation of a block pays its `cost`: the fuel of all terms visited since
//! the block began, and of all applications.

pub(crate) mod image;
pub(crate) mod op;
pub(crate) mod slots;

pub(crate) use crate::code::image::{
    APPLY, Code, EVAL_END, Entry, HALT, HOLE_CONSTANT, Image, MOST_ARGUMENTS, NO_VISIT, Place,
    REST, Scope, Source, TOOL_END, Told, Visit,
};
pub(crate) use crate::code::op::{Op, Slot, left_to_complete};
