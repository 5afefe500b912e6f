//! The registry with the changes of a staging area.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::evolution::Evolution;
use super::revision::{Definition, STAGED};
use crate::error::Error as StoreError;
use crate::staging::{Area, ToolState};
use crate::store::Store;

/// The tools that a view shows instead of the registry's current ones: those of a staging area, and
/// those that others have changed since it was begun, as they were.
#[derive(Debug, Clone, Default)]
pub struct Overlay {
    /// The state of each name; None: there is no such tool.
    tools: BTreeMap<String, Option<Arc<Definition>>>,
    /// All staged revisions, the first ones first.
    revisions: Vec<Arc<Definition>>,
    /// The tools that terms name which the store does not have yet, by the hash of the term.
    uses: BTreeMap<String, Arc<[String]>>,
}

impl Overlay {
    /// The registry as it was after the change `base`.
    pub fn of_base(store: &dyn Store, base: i64) -> Result<Self, StoreError> {
        let mut overlay = Self::default();
        for name in store.changed_since(base)? {
            let then = store.find(&name, base)?.map(Arc::new);
            overlay.tools.insert(name, then);
        }
        Ok(overlay)
    }

    /// The registry with the changes of an area.
    pub fn of(store: &dyn Store, area: &Area) -> Result<Self, StoreError> {
        let mut overlay = Self::of_base(store, area.base)?;
        for state in area.operations.iter().flat_map(|operation| &operation.tools) {
            let source = match &state.hash {
                None => None,
                Some(hash) => Some(store.source(hash)?.ok_or(StoreError::Confused)?),
            };
            overlay.set(state, source);
        }
        Ok(overlay)
    }

    /// Adds a state of a tool, with the source of its term.
    pub fn set(&mut self, state: &ToolState, source: Option<String>) {
        let tool = state.hash.clone().zip(source).map(|(hash, source)| {
            Arc::new(Definition {
                name: state.name.clone(),
                hash,
                source,
                description: state.description.clone(),
                examples: state.examples.clone(),
                output_schema: state.output_schema.clone(),
                members: state.members.clone(),
                properties: state.properties.clone(),
                change: STAGED,
            })
        });
        self.revisions.extend(tool.clone());
        self.tools.insert(state.name.clone(), tool);
    }

    /// Adds a term that the store does not have yet.
    pub fn know(&mut self, term: &Evolution) {
        self.uses.insert(term.hash.clone(), term.tools.as_slice().into());
    }

    /// The source of a staged term.
    pub(super) fn source(&self, hash: &str) -> Option<&str> {
        let found = self.revisions.iter().rev().find(|it| it.hash == hash)?;
        Some(&found.source)
    }

    /// The tools that a term names which the store does not have yet.
    pub(super) fn uses(&self, hash: &str) -> Option<&[String]> {
        self.uses.get(hash).map(AsRef::as_ref)
    }

    /// The state of a name, if the overlay has it.
    pub(super) fn find(&self, name: &str) -> Option<Option<&Definition>> {
        self.tools.get(name).map(Option::as_deref)
    }

    /// The last staged revision of a name whose hash has this prefix.
    pub(super) fn pinned(&self, name: &str, prefix: &str) -> Option<&Definition> {
        let mut staged = self.revisions.iter().rev();
        let found = staged.find(|it| it.name == name && it.hash.starts_with(prefix))?;
        Some(found)
    }

    /// Whether a name is staged.
    pub(super) fn is_staged(&self, name: &str) -> bool {
        self.revisions.iter().any(|it| it.name == name)
    }

    /// The tools that it shows, in the order of names.
    pub(super) fn tools(&self) -> impl Iterator<Item = &Definition> {
        self.tools.values().flatten().map(AsRef::as_ref)
    }

    /// The names that it has.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.keys().map(String::as_str)
    }

    /// How many names it has.
    pub(super) fn len(&self) -> usize {
        self.tools.len()
    }

    /// Puts the tools of the overlay into a list of current ones, in the order of names.
    pub(super) fn merge(
        &self,
        mut found: Vec<Definition>,
        is_meant: impl Fn(&Definition) -> bool,
        most: usize,
    ) -> Vec<Definition> {
        found.retain(|tool| !self.tools.contains_key(&tool.name));
        found.extend(self.tools().filter(|tool| is_meant(tool)).cloned());
        found.sort_by(|a, b| a.name.cmp(&b.name));
        found.truncate(most);
        found
    }
}
