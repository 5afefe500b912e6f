//! Numbers: exact, or floats rounded once.

pub(crate) mod arithmetic;
pub(crate) mod elementary;
pub(crate) mod format;
pub(crate) mod power;
pub(crate) mod rational;
pub(crate) mod remainder;
pub(crate) mod statistics;
pub(crate) mod value;
