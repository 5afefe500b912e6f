//! JSON text as a flat tape of tokens: exact, duplicate-free, and without recursion however deep
//! the text is nested. Knows nothing of terms or values.

pub(crate) mod build;
pub(crate) mod decimal;
pub(crate) mod escape;
pub mod number;
pub(crate) mod read;
pub(crate) mod tape;
pub(crate) mod write;

pub use tape::{Span, Tape, Token, TokenId};
