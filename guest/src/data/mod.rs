//! JSON to values, and values to JSON.

pub(crate) mod keys;
pub(crate) mod literal;
pub(crate) mod parsed;
pub(crate) mod plain;
mod plain_number;
pub(crate) mod show;
mod show_number;
mod show_text;
pub(crate) mod string;
