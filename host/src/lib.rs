//! The server of mcp-pif: it lets a language model evolve tools, as terms of a lambda calculus,
//! and runs them in a sandbox. The evaluator itself is a WebAssembly component embedded here;
//! this crate never parses a term.

pub mod cli;
pub mod config;
pub mod domain;
pub mod harden;
mod json;
pub mod mcp;
mod render;
pub mod sandbox;
pub mod schema;
pub mod state;
mod stdio;
pub mod text;
pub mod transport;
pub mod workshop;

pub use self::state::{journal, memory, registry};
