//! What can be said of a term without running it, and of a value of the wrong type when it runs.

pub(crate) mod advice;
pub mod analysis;
pub(crate) mod doubt;
pub(crate) mod mismatch;
