//! The server of mcp-pif. A language model evolves tools, as terms of a lambda calculus, and runs
//! them in a sandbox. The evaluator is an embedded WebAssembly component; this crate never parses a
//! term.

pub mod broker;
pub mod cli;
pub mod config;
pub mod domain;
pub mod harden;
mod json;
pub mod mcp;
pub mod oauth;
pub mod observe;
mod render;
pub mod sandbox;
pub mod schema;
pub mod state;
mod stdio;
pub mod text;
pub mod transport;
pub mod workshop;

pub use self::state::{journal, memory, registry};
