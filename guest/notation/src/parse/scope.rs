//! The names that are variables at a place.

use std::collections::BTreeMap;

/// Names that are bound, and how often.
#[derive(Debug)]
pub(crate) struct Scope<'s> {
    counts: BTreeMap<String, u32>,
    bound: Vec<std::borrow::Cow<'s, str>>,
}

impl<'s> Scope<'s> {
    pub(crate) fn of(free: &[&str]) -> Self {
        let counts = free.iter().map(|name| ((*name).to_owned(), 1)).collect();
        Self { counts, bound: Vec::new() }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.counts.get(name).is_some_and(|count| *count > 0)
    }

    /// All names that were ever bound, for suggestions.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.counts.iter().filter(|(_, count)| **count > 0).map(|(name, _)| name.as_str())
    }

    pub(crate) fn bind(&mut self, name: std::borrow::Cow<'s, str>) {
        match self.counts.get_mut(name.as_ref()) {
            Some(count) => *count += 1,
            None => {
                self.counts.insert(name.clone().into_owned(), 1);
            }
        }
        self.bound.push(name);
    }

    /// How many bindings there are, to be given back to `cut`.
    pub(crate) fn mark(&self) -> usize {
        self.bound.len()
    }

    pub(crate) fn cut(&mut self, mark: usize) {
        for name in self.bound.drain(mark.min(self.bound.len())..) {
            if let Some(count) = self.counts.get_mut(name.as_ref()) {
                *count -= 1;
            }
        }
    }
}
