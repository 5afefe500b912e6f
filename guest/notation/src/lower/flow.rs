//! What is known of the values of variables at a place of the program: how many of their levels nobody
//! else sees, and which variable is a member of another one.

use crate::lower::resolve::VarId;
use crate::tree::Id;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Levels of a value that is a variable's own whole.
pub(crate) const ALL: u8 = u8::MAX;

/// A step whose key is a term.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    pub(crate) id: Id,
    pub(crate) is_lookup: bool,
    /// How the key is written, to tell whether two are one.
    pub(super) spelling: String,
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.spelling == other.spelling && self.is_lookup == other.is_lookup
    }
}

impl Eq for Key {}

/// A variable that is what a path of keys leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Alias {
    pub(crate) root: VarId,
    pub(crate) keys: Vec<Key>,
}

/// What is known of variables at a place of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flow {
    /// Levels that are a variable's own; none is 0.
    own: Rc<BTreeMap<VarId, u8>>,
    /// Variables that are a member of another one.
    pub(crate) aliases: BTreeMap<VarId, Alias>,
    /// Variables whose value, or a part of it, is kept elsewhere, too.
    pub(super) escaped: BTreeSet<VarId>,
    /// Variables whose value has been changed under another name.
    pub(crate) stale: BTreeSet<VarId>,
}

impl Flow {
    pub(crate) fn own(&self, var: VarId) -> u8 {
        self.own.get(&var).copied().unwrap_or_default()
    }

    pub(crate) fn set_own(&mut self, var: VarId, levels: u8) {
        if self.own(var) != levels || !self.own.contains_key(&var) {
            Rc::make_mut(&mut self.own).insert(var, levels);
        }
        self.aliases.remove(&var);
        self.stale.remove(&var);
        self.escaped.remove(&var);
    }

    /// Whether a value is kept elsewhere, too.
    pub(crate) fn is_escaped(&self, var: VarId) -> bool {
        self.escaped.contains(&var)
    }

    /// Others see the levels behind these, too.
    pub(crate) fn limit(&mut self, var: VarId, levels: u8) {
        if self.own(var) > levels {
            Rc::make_mut(&mut self.own).insert(var, levels);
        }
    }

    /// Leaves only the variables that another place knows.
    pub(crate) fn keep_of(&mut self, other: &Self) {
        if !Rc::ptr_eq(&self.own, &other.own) {
            Rc::make_mut(&mut self.own).retain(|var, _| other.own.contains_key(var));
        }
        self.aliases.retain(|var, _| other.aliases.contains_key(var));
        self.stale.retain(|var| other.own.contains_key(var));
        self.escaped.retain(|var| other.own.contains_key(var));
    }

    /// Takes every value for one that others see.
    pub(crate) fn forget(&mut self) {
        Rc::make_mut(&mut self.own).values_mut().for_each(|levels| *levels = 0);
        self.aliases.clear();
    }

    /// What holds on both of two ways.
    pub(crate) fn join(&mut self, other: &Self) {
        if !Rc::ptr_eq(&self.own, &other.own) {
            let vars: Vec<VarId> = self.own.keys().copied().collect();
            for var in vars {
                self.limit(var, other.own(var));
            }
        }
        self.aliases.retain(|var, alias| other.aliases.get(var) == Some(alias));
        self.stale.extend(&other.stale);
        self.escaped.extend(&other.escaped);
    }
}

/// Whether two paths lead to different places for certain.
pub(super) fn differ(one: &[Key], other: &[Key]) -> bool {
    one.iter().zip(other).any(|(a, b)| {
        let is_literal = |key: &Key| {
            key.spelling.starts_with(|c: char| c == '"' || c == '-' || c.is_ascii_digit())
        };
        a != b && is_literal(a) && is_literal(b)
    })
}
