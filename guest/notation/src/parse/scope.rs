//! The names that are variables at a place.

use pif_core::limits::to_u32;
use pif_language::names::Names;
use pif_language::term::NameId;

/// Names that are bound at a place.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    names: Names,
    /// Of each name its innermost binding.
    innermost: Vec<Option<u32>>,
    /// The bindings, the innermost last. Those of the names that are free in the program come first.
    bound: Vec<Bound>,
}

#[derive(Debug)]
struct Bound {
    name: NameId,
    /// The binding of this name that is innermost again after this one.
    before: Option<u32>,
    is_used: bool,
}

impl Scope {
    pub(crate) fn of(free: &[&str]) -> Self {
        let mut scope = Self::default();
        for name in free {
            scope.bind(name);
        }
        scope
    }

    /// Tells whether a name is bound, and notes that it is used.
    pub(crate) fn uses(&mut self, name: &str) -> bool {
        let Some(place) = self.names.id(name).and_then(|id| self.place(id)) else { return false };
        if let Some(bound) = self.bound.get_mut(place as usize) {
            bound.is_used = true;
        }
        true
    }

    fn place(&self, name: NameId) -> Option<u32> {
        self.innermost.get(name as usize).copied().flatten()
    }

    /// Tells whether a binding from this one on is used.
    pub(crate) fn is_used_from(&self, mark: usize) -> bool {
        self.bound.iter().skip(mark).any(|bound| bound.is_used)
    }

    /// All names that are bound, for suggestions.
    pub(crate) fn bound_names(&self) -> Vec<&str> {
        self.bound.iter().map(|bound| self.names.text(bound.name)).collect()
    }

    #[inline(never)]
    pub(crate) fn bind(&mut self, text: &str) {
        let name = self.names.id(text).unwrap_or_else(|| self.names.add(text));
        self.innermost.resize(self.names.len(), None);
        let before = self.place(name);
        self.set(name, Some(to_u32(self.bound.len())));
        self.bound.push(Bound { name, before, is_used: false });
    }

    fn set(&mut self, name: NameId, place: Option<u32>) {
        if let Some(innermost) = self.innermost.get_mut(name as usize) {
            *innermost = place;
        }
    }

    /// The number of bindings, to be given back to `cut`.
    pub(crate) fn mark(&self) -> usize {
        self.bound.len()
    }

    pub(crate) fn cut(&mut self, mark: usize) {
        while self.bound.len() > mark {
            let Some(Bound { name, before, .. }) = self.bound.pop() else { break };
            self.set(name, before);
        }
    }
}
