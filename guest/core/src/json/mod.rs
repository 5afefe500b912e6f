//! JSON text as a flat tape of tokens: exact, without duplicate keys, and without recursion at any
//! depth. Knows nothing of terms or values.

pub mod decimal;
pub mod escape;
pub mod locate;
pub mod number;
pub mod read;
mod string;
pub mod tape;
mod taped;
pub mod write;

pub use tape::{Span, Tape, Token, TokenId};
