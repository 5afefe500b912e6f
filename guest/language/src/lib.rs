//! The language: its forms in one table, its terms, and the ways from JSON text to terms and back.

// It has the macro that `form` needs.
#[macro_use]
mod rows;

pub mod example;
pub mod form;
pub mod forms;
pub mod hint;
pub mod infer;
pub mod key;
pub mod kinds;
pub mod mistakes;
pub mod names;
pub mod origin;
pub mod parse;
pub mod place;
pub mod prices;
pub mod print;
pub mod quasiquote;
pub mod scope;
pub mod survey;
pub mod table;
pub mod term;
pub mod typing;
pub mod uses;
pub mod walk;
