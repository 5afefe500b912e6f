//! The notation: programs as people write them, which mean terms, and terms written so.
//!
//! The expression part of JavaScript. A text becomes tokens, these become a tree of terms, and that
//! goes to the tape as if its JSON had been read: nothing after the tape knows of the notation.

mod ast;
mod code;
mod emit;
mod hint;
mod lexer;
mod lower;
mod print;
mod read;
mod syntax;
mod table;
mod tree;
mod words;

pub use code::{code as submission, parse as submitted};
pub use hint::{called, fault_in_notation, note_in_notation, spelling, subject};
pub use print::term as print;
pub use read::parse;
pub use words::words;

#[cfg(test)]
mod tests;
