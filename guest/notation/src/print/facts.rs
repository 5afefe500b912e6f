//! Facts about each term, found before any is written.

use pif_language::term::{NameId, TermId};

/// Facts about terms, by their ids.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// Whether a term is written as JSON.
    pub(super) json: Vec<bool>,
    /// Of a variable that is always the same function, how many arguments that takes, from 1 on.
    pub(super) takes: Vec<u16>,
    /// How often functions of a binding, or a function of one, use what makes them recursive.
    pub(super) captures: Vec<u32>,
    /// How often a value of a `let` uses a function that is bound by it or later.
    pub(super) early: Vec<u32>,
    /// Names of variables of which a test asks whether they are there.
    pub(super) tested: Vec<bool>,
    /// Names of members of records that have a name.
    pub(super) members: Vec<bool>,
}

impl Facts {
    pub(super) fn is_json(&self, id: TermId) -> bool {
        self.json.get(id as usize).copied().unwrap_or_default()
    }

    /// How many arguments a variable takes that is always the same function.
    pub(super) fn takes(&self, id: TermId) -> Option<usize> {
        self.takes.get(id as usize).filter(|count| **count > 0).map(|count| usize::from(*count))
    }

    pub(super) fn is_recursive(&self, id: TermId) -> bool {
        self.captures.get(id as usize).is_some_and(|count| *count > 0)
    }

    /// Tells whether the reader would take the variables of a value for functions that are bound later.
    pub(super) fn is_early(&self, id: TermId) -> bool {
        self.early.get(id as usize).is_some_and(|count| *count > 0)
    }

    /// The counts of what values of a `let` use, or of what functions of a `letrec` do.
    pub(super) fn counted(&mut self, is_value: bool) -> &mut Vec<u32> {
        if is_value { &mut self.early } else { &mut self.captures }
    }

    pub(super) fn is_tested(&self, name: NameId) -> bool {
        self.tested.get(name as usize).copied().unwrap_or_default()
    }

    /// Tells whether a record that has a name may have this member.
    pub(super) fn may_have(&self, name: Option<NameId>) -> bool {
        name.and_then(|name| self.members.get(name as usize)).copied().unwrap_or_default()
    }

    pub(super) fn set_json(&mut self, id: TermId) {
        if let Some(slot) = self.json.get_mut(id as usize) {
            *slot = true;
        }
    }
}
