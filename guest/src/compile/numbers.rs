//! A map of numbers, such as the ids of names and terms. All of the compiler's maps are this one, and
//! their other values stand in lists: each kind of map would have much code of its own.

use std::collections::BTreeMap;

/// Numbers by numbers.
#[derive(Debug, Default)]
pub(crate) struct Numbers(BTreeMap<u32, u32>);

impl Numbers {
    #[inline(never)]
    pub(crate) fn get(&self, key: u32) -> Option<u32> {
        self.0.get(&key).copied()
    }

    #[inline(never)]
    pub(crate) fn insert(&mut self, key: u32, value: u32) {
        self.0.insert(key, value);
    }

    /// Tells whether a number is there, where only the keys matter.
    pub(crate) fn has(&self, key: u32) -> bool {
        self.get(key).is_some()
    }

    pub(crate) fn add(&mut self, key: u32) {
        self.insert(key, 0);
    }
}
