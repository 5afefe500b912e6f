//! The base of the language: JSON, texts, faults, limits.
//!
//! Hosts use it by way of `pif-guest`.

pub mod fault;
pub mod json;
pub mod limits;
pub mod numbers;
pub mod text;
