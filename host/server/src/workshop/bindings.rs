//! The bindings of a session, as a run of it reads them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pif_domain::Fault;
use pif_store::Store;
use pif_store::journal::Digest;

use super::refusal::stored;

/// The term of a binding.
pub(super) struct Term {
    pub(super) term: String,
    pub(super) hash: String,
    /// Whether the store has it.
    pub(super) is_kept: bool,
}

/// The bindings of a session.
#[derive(Debug, Default)]
pub(super) struct Bindings {
    /// Where the terms are.
    pub(super) store: Option<Arc<dyn Store>>,
    /// Names with the hashes of their terms.
    pub(super) kept: BTreeMap<String, String>,
    /// Names that the turn has bound, with their terms.
    pub(super) new: BTreeMap<String, String>,
}

impl Bindings {
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        let names: BTreeSet<&String> = self.kept.keys().chain(self.new.keys()).collect();
        names.into_iter().cloned().collect::<Vec<_>>().into_iter()
    }

    pub(super) fn find(&self, name: &str) -> Result<Option<Term>, Fault> {
        if let Some(term) = self.new.get(name) {
            let hash = Digest::of(term).sha256;
            return Ok(Some(Term { term: term.clone(), hash, is_kept: false }));
        }
        let (Some(hash), Some(store)) = (self.kept.get(name), &self.store) else { return Ok(None) };
        let term = store.text(hash).map_err(stored)?;
        Ok(term.map(|term| Term { term, hash: hash.clone(), is_kept: true }))
    }
}
