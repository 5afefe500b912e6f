//! Bytes and characters. This stage knows nothing of JSON, terms or values.

pub(crate) mod digits;
pub(crate) mod lanes;
pub(crate) mod order;
pub mod quote;
pub(crate) mod scan;
