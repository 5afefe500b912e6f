//! The server of mcp-pif: it lets a language model evolve tools, as terms of a lambda calculus,
//! and runs them in a sandbox. The evaluator itself is a WebAssembly component embedded here;
//! this crate never parses a term.
#![expect(clippy::result_large_err, reason = "a fault ends a run: what it weighs does not matter")]

pub mod cli;
pub mod config;
pub mod mcp;
mod quantity;
pub mod registry;
pub mod sandbox;
mod similar;
