//! Names, each of them once.

use pif_core::limits::to_u32;
use std::collections::BTreeMap;

/// A name: of a variable, a record key.
pub type NameId = u32;

/// Names in the order in which they came. The id of a name is its place.
#[derive(Clone, Debug, Default)]
pub struct Names {
    texts: Vec<Box<str>>,
    ids: BTreeMap<Box<str>, NameId>,
}

impl Names {
    /// Counts the names: the id of the next.
    #[must_use]
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Tells whether there is no name.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Returns the characters of a name.
    #[must_use]
    pub fn text(&self, id: NameId) -> &str {
        self.texts.get(id as usize).map_or("", |name| name)
    }

    /// Returns the id of a name, if it is there.
    #[must_use]
    pub fn id(&self, name: &str) -> Option<NameId> {
        self.ids.get(name).copied()
    }

    /// Iterates over the names in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(AsRef::as_ref)
    }

    /// Adds a name, which is not there yet. Returns its id.
    #[inline(never)]
    pub fn add(&mut self, name: &str) -> NameId {
        let id = to_u32(self.texts.len());
        self.texts.push(name.into());
        self.ids.insert(name.into(), id);
        id
    }
}
