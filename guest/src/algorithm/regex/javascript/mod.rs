//! Regular expressions as JavaScript writes them: the parser, with the meaning of each part as sets
//! of characters. The syntax is that of ECMAScript 2023 with its Annex B, but for lookbehind and
//! backreferences. `script` compiles the result.

mod brackets;
mod class;
mod escape;
mod node;
mod parser;

pub use node::{Flags, Look, Node, Parsed, Refused, flags};
pub use parser::parse;
