//! Facts about a term before its run, and advice on a value of the wrong type during it.

pub(crate) mod advice;
pub mod analysis;
pub(crate) mod doubt;
pub mod foresight;
pub(crate) mod hunks;
pub(crate) mod mismatch;
mod names;
pub mod rename;
pub(crate) mod repair;
mod terms;
