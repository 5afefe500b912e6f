//! Proofs that two programs are equal: rules as data, and a checker.
//!
//! Equal means: for each input both give values with one canonical text, or both have a fault. An input on
//! which either meets a limit says nothing. The README shows a proof.

pub mod check;
pub mod context;
pub mod facts;
pub mod proof;
pub mod rules;
pub mod schemes;
pub mod term;
pub mod types;

pub use check::check;
pub use proof::{Derivation, Proof, Step};

/// The examples of the page.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct Page;
