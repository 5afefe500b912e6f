//! The base of the language: JSON, texts, faults, limits.
//!
//! Hosts use it by way of `pif`.

pub mod fault;
pub mod figures;
pub mod functions;
pub mod hint;
pub mod ids;
pub mod json;
pub mod limits;
pub mod stack;
pub mod text;
