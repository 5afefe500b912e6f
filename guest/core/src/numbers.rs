//! A map of numbers, such as the ids of names and terms. Maps to other values are this one and a list
//! of the values: each kind of map would have much code of its own.

use std::collections::BTreeMap;

/// Numbers by numbers.
#[derive(Clone, Debug, Default)]
pub struct Numbers(BTreeMap<u32, u32>);

impl Numbers {
    /// Returns the number of a key.
    #[must_use]
    #[inline(never)]
    pub fn get(&self, key: u32) -> Option<u32> {
        self.0.get(&key).copied()
    }

    /// Sets the number of a key. Returns the one before.
    #[inline(never)]
    pub fn insert(&mut self, key: u32, value: u32) -> Option<u32> {
        self.0.insert(key, value)
    }

    /// Tells whether a key is there.
    #[must_use]
    pub fn has(&self, key: u32) -> bool {
        self.get(key).is_some()
    }

    /// Iterates over the keys and their numbers, in the order of the keys.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.0.iter().map(|(key, value)| (*key, *value))
    }

    /// Tells whether no key is there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a key, where only keys matter. Tells whether it is new.
    pub fn add(&mut self, key: u32) -> bool {
        self.insert(key, 0).is_none()
    }
}
