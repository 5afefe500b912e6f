//! Memory: words, the heap they point into, and the collector.

pub(crate) mod collector;
pub(crate) mod flat;
pub(crate) mod heap;
pub(crate) mod index;
pub(crate) mod inline;
pub(crate) mod reach;
pub(crate) mod record;
pub(crate) mod room;
pub(crate) mod rope;
pub(crate) mod tagged;
pub(crate) mod tree;
pub(crate) mod types;
pub(crate) mod word;
