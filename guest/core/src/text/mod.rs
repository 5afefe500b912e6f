//! Bytes and characters. This stage knows nothing of JSON, terms or values.

pub mod digits;
pub mod lanes;
pub mod order;
pub mod quote;
pub mod scan;
pub mod words;
