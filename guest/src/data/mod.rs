//! JSON to values, and values to JSON.

pub(crate) mod keys;
pub(crate) mod literal;
pub(crate) mod show;
mod show_number;
mod show_text;
pub(crate) mod string;
pub(crate) mod values;
