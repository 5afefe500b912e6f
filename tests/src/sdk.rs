//! The official Python SDK, in an environment of its own.

pub mod environment;
pub mod python;
