//! Members of records in the order in which JavaScript lists them.

use super::value::Value;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Members as they came, each key once.
#[derive(Default)]
pub(super) struct Members {
    came: Vec<(String, Value)>,
    places: BTreeMap<String, usize>,
}

impl Members {
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.places.get(key).map(|at| &self.came[*at].1)
    }

    /// Sets the value of a key, which keeps its place if it is there.
    pub(super) fn insert(&mut self, key: String, value: Value) {
        if let Some(at) = self.places.get(&key) {
            self.came[*at].1 = value;
            return;
        }
        self.places.insert(key.clone(), self.came.len());
        self.came.push((key, value));
    }

    pub(super) fn len(&self) -> usize {
        self.came.len()
    }

    /// Whole numbers from the smallest on, then the other keys as they came.
    pub(super) fn listed(self) -> Vec<(String, Value)> {
        let mut listed = self.came;
        // The sort is stable.
        listed.sort_by_key(|(key, _)| index(key).unwrap_or(u64::MAX));
        listed
    }

    pub(super) fn record(self) -> Value {
        Value::Record(Rc::new(self.listed()))
    }
}

impl FromIterator<(String, Value)> for Members {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(members: I) -> Self {
        let mut made = Self::default();
        members.into_iter().for_each(|(key, value)| made.insert(key, value));
        made
    }
}

/// The record of members as they came.
pub(super) fn record(members: impl IntoIterator<Item = (String, Value)>) -> Value {
    members.into_iter().collect::<Members>().record()
}

/// The index of an element that a key is written as.
pub(super) fn index(key: &str) -> Option<u64> {
    let number = key.parse::<u64>().ok()?;
    (number.to_string() == key && number <= 4_294_967_294).then_some(number)
}
