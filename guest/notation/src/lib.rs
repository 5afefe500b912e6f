//! The notation: programs as people write them, which mean terms, and terms written so.
//!
//! A text in JavaScript becomes a syntax tree, that becomes a tree of forms, and these become terms,
//! each with its place in the text. Nothing behind them depends on the notation.

mod ast;
mod build;
mod code;
pub mod draft;
mod hint;
mod lexer;
mod lower;
mod print;
mod read;
pub mod repair;
mod syntax;
mod table;
mod tree;
mod words;

pub use code::{check_code, read_code};
pub use hint::{called, fault_in_notation, note_in_notation, spelling, subject};
pub use print::term as print;
pub use read::parse;
pub use words::{calls, constants, functions, members, usages, words};

#[cfg(test)]
mod tests;
