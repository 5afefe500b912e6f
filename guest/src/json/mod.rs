//! JSON text as a flat tape of tokens: exact, without duplicate keys, and without recursion at any
//! depth. Knows nothing of terms or values.

pub(crate) mod build;
pub(crate) mod decimal;
pub(crate) mod escape;
pub mod number;
pub(crate) mod read;
pub(crate) mod tape;
pub(crate) mod write;

pub use tape::{Span, Tape, Token, TokenId};
