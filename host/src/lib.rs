//! The server of mcp-pif: it lets a language model evolve tools, as terms of a lambda calculus,
//! and runs them in a sandbox. The evaluator itself is a WebAssembly component embedded here;
//! this crate never parses a term.

pub mod cli;
pub mod config;
pub mod domain;
pub mod harden;
pub mod journal;
mod json;
pub mod mcp;
pub mod memory;
mod quantity;
mod recall;
pub mod registry;
mod render;
pub mod sandbox;
pub mod schema;
mod similar;
mod stdio;
pub mod store;
pub mod text;
pub mod time;
pub mod workshop;
