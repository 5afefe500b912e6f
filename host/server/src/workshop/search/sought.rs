//! The request of a search.

use pif_domain::Offer;
use pif_store::find::{Collection, Kind};

/// What a query means to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Meant {
    /// The model.
    pub model: String,
    /// Its numbers.
    pub numbers: Vec<f32>,
}

/// What a search is for.
#[derive(Debug, Clone)]
pub struct Sought {
    /// Words.
    pub query: String,
    /// The kinds that count.
    pub kinds: Vec<Kind>,
    /// The tools of other servers, and native capabilities.
    pub offers: Vec<Offer>,
    /// Whether neighbors are told.
    pub neighbors: bool,
    /// What the query means to a model, if one was asked.
    pub meaning: Option<Meant>,
    /// The most results.
    pub most: usize,
}

/// Where forms and the library stand.
pub(super) fn own(kind: Kind) -> Collection<'static> {
    Collection { kind, owner: "" }
}
