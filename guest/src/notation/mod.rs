//! The notation: programs as people write them, which mean terms, and terms written so.
//!
//! The expression part of JavaScript. A text becomes tokens, these become a tree of terms, and that
//! goes to the tape as if its JSON had been read: nothing behind the tape knows of the notation.

pub(crate) mod code;
pub(crate) mod emit;
pub(crate) mod hint;
pub(crate) mod lexer;
pub(crate) mod mistakes;
pub(crate) mod parse;
pub(crate) mod print;
pub(crate) mod read;
pub(crate) mod table;
pub(crate) mod tree;

pub use code::parse as submitted;
pub use print::term as print;
pub use read::parse;

#[cfg(test)]
mod tests;
