//! The server: its settings, its use cases, what it measures, and MCP over standard input and
//! output and over HTTP. The evaluator is an embedded WebAssembly component; nothing here parses a
//! term.

pub mod config;
pub mod mcp;
pub mod oauth;
pub mod observe;
pub mod render;
pub mod transport;
pub mod workshop;
