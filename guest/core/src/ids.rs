//! Maps and sets of ids, such as those of names and terms. A map to other values is an `IdMap` and a
//! list of the values: each kind of map would have much code of its own.

use std::collections::BTreeMap;

/// Numbers by ids.
#[derive(Clone, Debug, Default)]
pub struct IdMap(BTreeMap<u32, u32>);

impl IdMap {
    /// Returns the number of an id.
    #[must_use]
    #[inline(never)]
    pub fn get(&self, id: u32) -> Option<u32> {
        self.0.get(&id).copied()
    }

    /// Sets the number of an id. Returns the one before.
    #[inline(never)]
    pub fn insert(&mut self, id: u32, number: u32) -> Option<u32> {
        self.0.insert(id, number)
    }

    /// Tells whether an id is there.
    #[must_use]
    pub fn has(&self, id: u32) -> bool {
        self.get(id).is_some()
    }

    /// Iterates over the ids and their numbers, in the order of the ids.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.0.iter().map(|(id, number)| (*id, *number))
    }

    /// Tells whether no id is there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A set of ids.
#[derive(Clone, Debug, Default)]
pub struct IdSet(IdMap);

impl IdSet {
    /// Adds an id. Tells whether it is new.
    pub fn add(&mut self, id: u32) -> bool {
        self.0.insert(id, 0).is_none()
    }

    /// Tells whether an id is there.
    #[must_use]
    pub fn has(&self, id: u32) -> bool {
        self.0.has(id)
    }

    /// Iterates over the ids in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().map(|(id, _)| id)
    }
}
