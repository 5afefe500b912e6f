//! The evaluator of mcp-pif: a lambda calculus whose programs are JSON, as a pure library and, on
//! wasm32, as a component without imports.
//!
//! ```
//! assert_eq!(pif::eval("x => x * 2", "21")?, "42");
//! # Ok::<(), Box<pif::Fault>>(())
//! ```
//!
//! With tools, and limits of your own:
//!
//! ```
//! use pif::{Limits, Program, run};
//!
//! let program = Program::term("data.map(@double).sum()")
//!     .with_tool("double", "x => x * 2")
//!     .with_data("[1, 2, 3]");
//! let done = run(program, Limits { fuel: 1000, ..Limits::default() })?;
//! assert_eq!((done.json.as_str(), done.kind), ("12", "integer"));
//! # Ok::<(), Box<pif::Fault>>(())
//! ```
//!
//! A host that looks up tools, answers calls of other servers, or runs in slices, starts a
//! [`Machine`] and resumes it with an answer to each [`request::Step`]. [`envelope`] is a run as JSON in
//! and JSON out. What is wrong is a [`Fault`]: code, message, place, hint.
//!
//! [`analysis`] checks a program without running it, [`foresight`] tells what it takes and calls,
//! [`rename`](mod@rename) gives a tool that it calls another name.
//!
//! # The map
//!
//! A folder is a stage. A stage uses only those below it, and `cargo test --test tidy` checks that.
//! Read them in the order in which a program passes them:
//!
//! | stage | task |
//! |---|---|
//! | `edge` | the component of wit/, and [`envelope`]: a run as JSON in and JSON out |
//! | [`machine`] | one run: its steps, the dispatch loop, rarer operations, places of faults |
//! | `builtin` | the forms that take all their operands as values, a folder for each group |
//! | `run` | the state of one run: registers, stack, fuel, room, open `try`s |
//! | `compile` | terms to operations |
//! | `check` | [`analysis`] and [`foresight`], without a run; hints for wrong types |
//! | `data` | JSON to values, and values to JSON |
//! | `algorithm` | numbers, regular expressions, sorting, grouping, CSV, dates |
//! | `code` | the operations, in one table, and the code made of them |
//! | `memory` | words, the heap, the collector |
//!
//! These stages stand on three crates, which are compiled for size where a run does not wait for
//! them:
//!
//! | crate | task |
//! |---|---|
//! | `pif-notation` | [`notation`]: programs as people write them, to terms and back |
//! | `pif-language` | the forms, in one table; terms, their parser and their printer |
//! | `pif-core` | JSON to tokens or values, and back; numbers; texts; [`fault`]; [`limits`] |
//!
//! All stages and hosts share [`request`].
//!
//! To learn the language from its definition, begin with `tests/src/definitional.rs`, an evaluator
//! in big steps. This crate must agree with it. To follow a program, begin with
//! [`machine::Machine::start`]. To find a form, look for its row in `language/src/rows`.

mod algorithm;
mod builtin;
mod check;
mod code;
mod compile;
mod data;
mod edge;
pub mod machine;
mod memory;
pub mod request;
mod run;

#[doc(hidden)]
pub use pif_core::json;
use pif_core::text;
pub use pif_core::{fault, hint, limits};
use pif_language as language;
pub use pif_notation as notation;

pub use check::{analysis, foresight, rename};
pub use edge::envelope;
pub use edge::eval::{eval, run};
pub use fault::Fault;
#[doc(hidden)]
pub use json::number;
#[doc(hidden)]
pub use language::kinds;
#[doc(hidden)]
pub use language::{parse, print, term};
pub use limits::Limits;
pub use machine::Machine;
#[doc(hidden)]
pub use pif_core::{figures, functions};
pub use request::Program;
#[doc(hidden)]
pub use text::quote;

/// Regular expressions and dates of JavaScript, as they are read. Only tests use it.
#[doc(hidden)]
pub mod javascript {
    /// Dates.
    pub mod date {
        pub use crate::algorithm::date::script::{Fields, MOST, fields, of_parts, spoken, text};
        pub use crate::algorithm::date::written::read;
    }

    pub use crate::algorithm::regex::javascript as regex;
    pub use crate::algorithm::regex::script::steps;
}

/// The forms of the language, in one table.
#[doc(hidden)]
pub mod form {
    pub use pif_language::form::{Bare, Callback, Form, Notes, Row, Shape, Taken};
    pub use pif_language::forms::FORMS;
}
