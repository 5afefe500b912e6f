//! JSON as values, and values as JSON.

pub(crate) mod keys;
pub(crate) mod literal;
pub(crate) mod parsed;
pub(crate) mod plain;
pub(crate) mod show;
mod show_number;
