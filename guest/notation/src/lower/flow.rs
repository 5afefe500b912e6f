//! Data flow: facts about the values of variables at a place of the program. They tell how many
//! levels of a value nobody else sees, and which variable is an alias of a place.

use crate::lower::resolve::VarId;
use crate::tree::Id;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The levels of a value of which nobody else sees any part.
pub(crate) const ALL: u8 = u8::MAX;

/// A step whose key is a term.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    pub(crate) id: Id,
    pub(crate) is_lookup: bool,
    /// The spelling of the key. Keys of one spelling are one key.
    pub(super) spelling: String,
    /// The variable at the beginning of a key that has one value everywhere.
    pub(super) steady: Option<VarId>,
}

impl Key {
    /// Tells whether the key is a literal.
    pub(super) fn is_literal(&self) -> bool {
        self.spelling.starts_with(|c: char| c == '"' || c == '-' || c.is_ascii_digit())
    }

    /// A key that is the name of a member.
    pub(super) fn named(id: Id, name: &str) -> Self {
        Self { id, is_lookup: false, spelling: format!("\"{name}"), steady: None }
    }

    /// A key that is a made name.
    pub(super) fn made(id: Id, is_lookup: bool) -> Self {
        Self { id, is_lookup, spelling: format!("#{id}"), steady: None }
    }

    /// The name of the member that it leads to, if that is written.
    pub(super) fn name(&self) -> Option<&str> {
        self.spelling.strip_prefix('"').filter(|_| !self.is_lookup)
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.spelling == other.spelling && self.is_lookup == other.is_lookup
    }
}

impl Eq for Key {}

/// A place of which a variable is an alias.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Alias {
    pub(crate) root: VarId,
    pub(crate) keys: Vec<Key>,
    /// The condition, as a term, under which the variable is an alias. If it does not hold, nobody
    /// else sees the value.
    pub(crate) condition: Option<Id>,
    /// The number of terms that were open where the names in its keys were bound. They are bound no
    /// longer where fewer are open.
    pub(crate) level: usize,
    /// The number of terms that were open where the variable became an alias.
    pub(crate) made: usize,
}

impl Alias {
    /// Tells whether two aliases are one, also by the names in their keys.
    fn is(&self, other: &Self) -> bool {
        let is_one = |(a, b): (&Key, &Key)| a.id == b.id || a.steady.is_some() || a.is_literal();
        self == &Self { level: self.level, made: self.made, ..other.clone() }
            && self.keys.iter().zip(&other.keys).all(is_one)
    }
}

/// The facts that hold at a place of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flow {
    /// Levels of a variable's value that nobody else sees. A variable that is not in it has 0.
    own: Rc<BTreeMap<VarId, u8>>,
    /// Variables that are aliases of places.
    pub(crate) aliases: BTreeMap<VarId, Alias>,
    /// Variables whose value, or a part of it, is kept elsewhere, too.
    escaped: BTreeSet<VarId>,
    /// Variables whose value has been changed under another name.
    pub(crate) stale: BTreeSet<VarId>,
}

impl Flow {
    /// Counts the levels of a variable's value that nobody else sees.
    pub(crate) fn own(&self, var: VarId) -> u8 {
        self.own.get(&var).copied().unwrap_or_default()
    }

    /// Notes a new value of a variable, of which nobody else sees so many levels.
    pub(crate) fn set_own(&mut self, var: VarId, levels: u8) {
        if self.own(var) != levels || !self.own.contains_key(&var) {
            Rc::make_mut(&mut self.own).insert(var, levels);
        }
        self.aliases.remove(&var);
        self.stale.remove(&var);
        self.escaped.remove(&var);
    }

    /// Notes that others see all levels of a value but the first `levels`, also by the names of which
    /// the variable is an alias.
    pub(crate) fn limit_place(&mut self, var: VarId, levels: u8) {
        let mut levels = levels;
        let mut next = Some(var);
        while let Some(var) = next {
            self.limit(var, levels);
            let alias = self.aliases.get(&var);
            let above = alias.map_or(0, |it| u8::try_from(it.keys.len()).unwrap_or(ALL));
            levels = levels.saturating_add(above);
            next = alias.map(|it| it.root);
        }
    }

    /// Makes a variable an alias, unless the place is a part of its own value.
    pub(crate) fn add_alias(&mut self, var: VarId, alias: Alias) {
        let mut next = Some(alias.root);
        while let Some(root) = next {
            if root == var {
                return;
            }
            next = self.aliases.get(&root).map(|it| it.root);
        }
        self.aliases.insert(var, alias);
    }

    /// Keeps only aliases whose keys are still bound where so many terms are open.
    pub(crate) fn leave(&mut self, level: usize) {
        self.retain(|_, alias| alias.level <= level);
    }

    /// Drops aliases, and aliases of places of variables that were aliases themselves.
    fn retain(&mut self, keep: impl Fn(VarId, &Alias) -> bool) {
        let mut lost: Vec<VarId> =
            self.aliases.iter().filter(|(var, it)| !keep(**var, it)).map(|it| *it.0).collect();
        while let Some(var) = lost.pop() {
            self.aliases.remove(&var);
            lost.extend(self.aliases.iter().filter(|(_, it)| it.root == var).map(|it| *it.0));
        }
    }

    /// Notes that a variable gets another value: aliases of its places lead nowhere any more.
    pub(crate) fn detach(&mut self, root: VarId) {
        let lost: Vec<VarId> =
            self.aliases.iter().filter(|(_, alias)| alias.root == root).map(|it| *it.0).collect();
        for var in lost {
            self.aliases.remove(&var);
            self.limit(var, 0);
        }
    }

    /// Notes that a value, or a part of it, is kept elsewhere, too.
    pub(crate) fn escape(&mut self, var: VarId) {
        self.escaped.insert(var);
    }

    /// Tells whether a value, or a part of it, is kept elsewhere, too.
    pub(crate) fn is_escaped(&self, var: VarId) -> bool {
        self.escaped.contains(&var)
    }

    /// Notes that others see all levels of a value but the first `levels`.
    pub(crate) fn limit(&mut self, var: VarId, levels: u8) {
        if self.own(var) > levels {
            Rc::make_mut(&mut self.own).insert(var, levels);
        }
    }

    /// Notes what others see of the variables around a function, whose body ends in another flow.
    pub(crate) fn limit_by(&mut self, inside: &Self) {
        if Rc::ptr_eq(&self.own, &inside.own) {
            return;
        }
        let vars: Vec<VarId> = self.own.keys().copied().collect();
        for var in vars.into_iter().filter(|var| inside.own.contains_key(var)) {
            self.limit(var, inside.own(var));
            if inside.escaped.contains(&var) {
                self.escaped.insert(var);
            }
        }
    }

    /// Keeps only the variables that another flow has.
    pub(crate) fn keep_of(&mut self, other: &Self) {
        if !Rc::ptr_eq(&self.own, &other.own) {
            Rc::make_mut(&mut self.own).retain(|var, _| other.own.contains_key(var));
        }
        self.retain(|var, _| other.aliases.contains_key(&var));
        self.stale.retain(|var| other.own.contains_key(var));
        self.escaped.retain(|var| other.own.contains_key(var));
    }

    /// Assumes that others see every value.
    pub(crate) fn forget(&mut self) {
        for levels in Rc::make_mut(&mut self.own).values_mut() {
            *levels = 0;
        }
        self.aliases.clear();
    }

    /// Keeps the facts that hold in both of two flows.
    pub(crate) fn join(&mut self, other: &Self) {
        if !Rc::ptr_eq(&self.own, &other.own) {
            let vars: Vec<VarId> = self.own.keys().copied().collect();
            for var in vars {
                self.limit(var, other.own(var));
            }
        }
        self.retain(|var, alias| other.aliases.get(&var).is_some_and(|it| it.is(alias)));
        self.stale.extend(&other.stale);
        self.escaped.extend(&other.escaped);
    }
}

/// Tells whether two paths certainly lead to different places.
pub(super) fn differ(one: &[Key], other: &[Key]) -> bool {
    one.iter().zip(other).any(|(a, b)| a != b && a.is_literal() && b.is_literal())
}
