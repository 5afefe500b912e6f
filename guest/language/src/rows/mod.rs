//! The rows of the forms, a file for each group.

pub mod control;
pub mod dates;
pub mod javascript;
pub mod lists;
pub mod meta;
pub mod numbers;
pub mod original;
pub mod records;
pub mod text;
