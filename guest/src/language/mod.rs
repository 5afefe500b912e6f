//! The language: its forms in one table, its terms, and the ways from JSON text to terms and back.

pub(crate) mod form;
pub(crate) mod forms;
pub(crate) mod hint;
pub(crate) mod infer;
pub(crate) mod key;
pub(crate) mod kinds;
pub mod parse;
pub(crate) mod prices;
pub mod print;
pub(crate) mod quasiquote;
pub(crate) mod rows;
pub(crate) mod scope;
pub(crate) mod survey;
pub(crate) mod table;
pub mod term;
