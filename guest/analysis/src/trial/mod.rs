//! Programs tried on inputs: which inputs, what is asked of their outcomes, and how one that fails
//! is made small.
//!
//! Nothing here runs a program. A [`Trial`] tells the next run, and its host answers with the outcome. A host
//! that keeps no trial takes runs in batches, and the [`State`] between them.

pub mod inputs;
pub mod property;
pub(crate) mod random;
mod scalars;
pub mod shrink;
mod small;
#[cfg(test)]
pub(crate) mod tests;
mod types;
pub mod value;
pub mod whole;

pub use inputs::Inputs;
pub use property::{Property, Verdict};
pub use value::Value;
pub use whole::{Judge, Outcome, Run, Trial, Tried, drive};
