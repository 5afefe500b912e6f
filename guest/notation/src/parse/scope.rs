//! The names that are variables at a place.

use crate::tree::Words;
use std::collections::BTreeMap;

/// Names that are bound at a place.
#[derive(Debug)]
pub(crate) struct Scope<'s> {
    /// The bindings of each name, the innermost last. A name that is free in the program has one
    /// that is not in `bound`.
    places: BTreeMap<Words<'s>, Vec<usize>>,
    /// The bindings, the innermost last, and whether each is used.
    bound: Vec<(Words<'s>, bool)>,
}

impl<'s> Scope<'s> {
    pub(crate) fn of(free: &[&'s str]) -> Self {
        let places = free.iter().map(|name| ((*name).into(), vec![usize::MAX])).collect();
        Self { places, bound: Vec::new() }
    }

    /// Tells whether a name is bound, and notes that it is used.
    pub(crate) fn uses(&mut self, name: &str) -> bool {
        let place = self.places.get(name).and_then(|places| places.last());
        if let Some((_, is_used)) = place.and_then(|place| self.bound.get_mut(*place)) {
            *is_used = true;
        }
        place.is_some()
    }

    /// Tells whether a binding from this one on is used.
    pub(crate) fn is_used_from(&self, mark: usize) -> bool {
        self.bound.iter().skip(mark).any(|(_, is_used)| *is_used)
    }

    /// All names that are bound, for suggestions.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.places.iter().filter(|(_, places)| !places.is_empty()).map(|(name, _)| name.as_ref())
    }

    pub(crate) fn bind(&mut self, name: Words<'s>) {
        self.places.entry(name.clone()).or_default().push(self.bound.len());
        self.bound.push((name, false));
    }

    /// The number of bindings, to be given back to `cut`.
    pub(crate) fn mark(&self) -> usize {
        self.bound.len()
    }

    pub(crate) fn cut(&mut self, mark: usize) {
        for (name, _) in self.bound.drain(mark.min(self.bound.len())..) {
            if let Some(places) = self.places.get_mut(&name) {
                places.pop();
            }
        }
    }
}
