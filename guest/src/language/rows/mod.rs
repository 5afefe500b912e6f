//! The rows of the forms, a file for each group.

pub(crate) mod control;
pub(crate) mod dates;
pub(crate) mod lists;
pub(crate) mod meta;
pub(crate) mod numbers;
pub(crate) mod original;
pub(crate) mod records;
pub(crate) mod text;
