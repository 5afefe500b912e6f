//! The evaluator of mcp-pif: a lambda calculus whose programs are JSON, as a pure library and, on
//! wasm32, as a component without imports.
//!
//! ```
//! use pif_guest::{limits::Limits, machine::Machine, request::{Answer, Argument, Program, Step}};
//!
//! let mut program = Program::term(r#"{"lam": "x", "body": {"mul": [{"var": "x"}, 2]}}"#);
//! program.argument = Argument::Input("21".into());
//! let limits = Limits { fuel: 1000, depth: 100, memory: 1 << 20, output: 1000 };
//! let mut machine = Machine::start(program, limits)?;
//! let Step::Done(done) = machine.resume(Answer::None, u64::MAX) else { unreachable!() };
//! assert_eq!(done.json, "42");
//! # Ok::<(), Box<pif_guest::fault::Fault>>(())
//! ```
//!
//! A program goes through [`json`] (text to a tape of tokens), [`parse`] (tokens to [`term`]s), the
//! compiler (terms to operations on slots) and the [`machine`] (operations on words of a heap), and
//! comes back through `output`. [`form`] is the one table of what can be written.

mod advice;
#[cfg(all(target_arch = "wasm32", feature = "component"))]
mod allocator;
pub mod analysis;
mod code;
mod compile;
#[cfg(all(target_arch = "wasm32", feature = "component"))]
mod component;
mod data;
mod decimal;
mod digits;
mod doubt;
pub mod envelope;
pub mod fault;
pub mod form;
mod heap;
pub mod hint;
pub mod json;
mod kind;
mod lanes;
pub mod limits;
pub mod machine;
mod mismatch;
pub mod number;
mod output;
pub mod parse;
mod plain;
mod primitive;
pub mod print;
pub mod quote;
pub mod request;
mod template;
pub mod term;
mod value;
