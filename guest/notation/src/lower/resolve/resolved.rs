//! The result of name resolution: the variables of a program, the events that change them, and the
//! ways in which statements are left.

use crate::ast::{Ast, ExprId, FunctionId, Kind, PatternId, Span};
use std::collections::{BTreeMap, BTreeSet};

/// A variable of the program.
pub(crate) type VarId = u32;

/// A variable.
#[derive(Clone, Debug)]
pub(crate) struct Var<'s> {
    pub(crate) name: &'s str,
    /// The byte of its declaration; 0 for a name that the program finds bound.
    pub(crate) at: u32,
    /// The byte from which on it is bound: behind the value of its declaration.
    pub(crate) from: u32,
    /// The function in whose body it is declared; functions that are called at once count as
    /// part of the function around them.
    pub(crate) owner: Option<FunctionId>,
    /// The innermost function in which it is declared.
    pub(crate) home: Option<FunctionId>,
    pub(crate) origin: Origin,
    /// The function that it always has as its value.
    pub(crate) function: Option<FunctionId>,
    /// The expression of its value, if its declaration gives it one.
    pub(crate) value: Option<ExprId>,
    /// Whether it is assigned to after its declaration, or changes in place.
    pub(crate) is_changed: bool,
    /// Whether its value changes in place, as by `push`.
    pub(crate) is_mutated: bool,
    /// Whether a condition asks whether it is null.
    pub(crate) is_tested: bool,
    /// The variable of whose value it has a part: a member, or an element.
    pub(crate) source: Option<VarId>,
    /// The least number of levels between its value and that of the source.
    pub(crate) gap: usize,
    /// The bytes at which it is named.
    pub(crate) uses: Vec<u32>,
    /// The function in which it is named, for each use.
    pub(crate) users: Vec<Option<FunctionId>>,
    /// Variables that have a part of its value.
    pub(crate) parts: Vec<VarId>,
    /// Whether its name hides another variable that is named later.
    pub(crate) hides: bool,
    /// The variable of which it is another name.
    pub(crate) means: Option<VarId>,
}

/// The kind of a variable's declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The program finds the name bound.
    Free,
    Declared(Kind),
    /// A `function`.
    Function,
    /// A parameter of a function that is a value or has a name.
    Parameter,
    /// A parameter of a function that is called at once.
    Callback,
    /// The variable of a loop over elements or keys.
    Loop,
    Caught,
}

/// A change of a variable, or a use of a local function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub(crate) at: u32,
    pub(crate) var: VarId,
    pub(crate) is_call: bool,
    /// The levels between the variable and a change in place; 0 for any other event.
    pub(crate) depth: usize,
    /// The function in whose body it happens.
    pub(crate) owner: Option<FunctionId>,
}

/// The ways in which a statement may be left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Exits {
    pub(crate) returns: bool,
    pub(crate) breaks: bool,
    pub(crate) continues: bool,
    /// Whether it breaks or continues a statement with a label.
    pub(crate) leaves: bool,
    /// Whether control may reach its end.
    pub(crate) falls: bool,
}

/// The list onto which a variable is pushed, and the variable of its index there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Companion<'s> {
    /// The variable of the list, and the members that lead to it from there.
    pub(crate) list: VarId,
    pub(crate) path: Vec<&'s str>,
    pub(crate) index: VarId,
}

/// Levels of a value of which all may change.
pub(super) const ALL_LEVELS: u8 = u8::MAX;

/// How many levels of the members of each name changes go through.
#[derive(Debug, Default)]
pub(crate) struct Reach {
    /// 1 for a member whose value changes, `ALL_LEVELS` for one of whose value parts change.
    pub(super) levels: BTreeMap<String, u8>,
    /// Whether a change may go through members of any name.
    pub(super) is_any: bool,
}

impl Reach {
    /// Tells how many levels of the members of a name changes go through.
    pub(crate) fn of(&self, name: &str) -> u8 {
        if self.is_any { ALL_LEVELS } else { self.levels.get(name).copied().unwrap_or_default() }
    }

    /// Tells whether changes go through members of these names alone.
    pub(crate) fn is_within(&self, names: &BTreeSet<&str>) -> bool {
        !self.is_any && self.levels.keys().all(|name| names.contains(name.as_str()))
    }
}

/// The resolved names of a program.
#[derive(Debug, Default)]
pub(crate) struct Resolved<'s> {
    pub(crate) vars: Vec<Var<'s>>,
    /// The variable of each expression that is a name.
    pub(crate) names: Vec<Option<VarId>>,
    /// The variable of each pattern that is a name.
    pub(crate) targets: Vec<Option<VarId>>,
    /// All events in the order of the text.
    pub(crate) events: Vec<Event>,
    /// The events that may change a variable where they happen.
    pub(crate) effects: Vec<Event>,
    pub(crate) exits: Vec<Exits>,
    /// Functions that are called at once where they stand.
    pub(crate) is_inline: Vec<bool>,
    /// The function around each function. An inline function counts as a part of it.
    pub(crate) owners: Vec<Option<FunctionId>>,
    /// The bytes of calls of `push` on a local whose values are not used.
    pub(crate) appends: BTreeSet<u32>,
    /// The variables of each name.
    pub(super) by_name: BTreeMap<&'s str, Vec<VarId>>,
    /// Whether any value changes in place.
    pub(crate) mutates: bool,
    /// The companions of variables that are pushed and changed afterwards.
    pub(crate) companions: BTreeMap<VarId, Companion<'s>>,
    /// The members that changes go through.
    pub(crate) reach: Reach,
    /// Loops, and functions that are called at once.
    pub(crate) loops: Vec<Span>,
    /// The variable of each function with a name.
    pub(crate) function_vars: Vec<Option<VarId>>,
}

impl Exits {
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            returns: self.returns || other.returns,
            breaks: self.breaks || other.breaks,
            continues: self.continues || other.continues,
            leaves: self.leaves || other.leaves,
            falls: self.falls || other.falls,
        }
    }

    /// Tells whether the statement may be left before its end.
    pub(crate) fn jumps(self) -> bool {
        self.returns || self.breaks || self.continues || self.leaves
    }
}

impl Var<'_> {
    /// Tells whether it is declared by `const`.
    pub(crate) fn is_constant(&self) -> bool {
        self.origin == Origin::Declared(Kind::Const)
    }
}

impl<'s> Resolved<'s> {
    pub(crate) fn var(&self, id: VarId) -> &Var<'s> {
        self.vars.get(id as usize).unwrap_or(&NO_VAR)
    }

    /// Lists the variables of a pattern, from the last to the first.
    pub(crate) fn names_of(&self, ast: &Ast<'_>, pattern: PatternId) -> Vec<VarId> {
        let leaves = ast.leaves(pattern);
        leaves.filter_map(|id| self.targets.get(id as usize).copied().flatten()).collect()
    }

    /// Computes the facts that depend on all variables.
    pub(super) fn finish(&mut self) {
        for var in (0..).take(self.vars.len()) {
            if let Some(source) = self.var(var).source
                && let Some(info) = self.vars.get_mut(source as usize)
            {
                info.parts.push(var);
            }
        }
        // A variable hides an earlier one of its name that is used later, if both are declared in
        // one function or the earlier one changes.
        for vars in std::mem::take(&mut self.by_name).into_values() {
            let mut last: BTreeMap<Option<FunctionId>, u32> = BTreeMap::new();
            let mut changing = 0;
            for var in &vars {
                let info = self.var(*var);
                let from = info.from;
                let home = info.home;
                let end = info.uses.iter().copied().max().unwrap_or_default();
                let hidden = last.get(&home).copied().unwrap_or_default().max(changing);
                let place = last.entry(home).or_default();
                *place = end.max(*place);
                if info.is_changed {
                    changing = end.max(changing);
                }
                if let Some(info) = self.vars.get_mut(*var as usize) {
                    info.hides = hidden > from;
                }
            }
            if let Some(first) = vars.first() {
                self.by_name.insert(self.var(*first).name, vars);
            }
        }
    }

    /// Tells whether a function is an expression with a name, which only the function sees.
    pub(crate) fn is_self_named(&self, function: FunctionId) -> bool {
        let var = self.function_vars.get(function as usize).copied().flatten();
        var.is_some_and(|var| self.var(var).owner == Some(function))
    }

    /// Lists all variables that have the name of this one.
    pub(crate) fn same_name(&self, var: VarId) -> &[VarId] {
        self.by_name.get(self.var(var).name).map_or(&[], Vec::as_slice)
    }

    /// Lists the events within a span.
    pub(crate) fn within(&self, span: Span) -> &[Event] {
        between(&self.events, span)
    }

    /// Lists the events within a span that may change a variable.
    pub(crate) fn effects_within(&self, span: Span) -> &[Event] {
        between(&self.effects, span)
    }
}

fn between(events: &[Event], (start, end): Span) -> &[Event] {
    let from = events.partition_point(|event| event.at < start);
    let to = events.partition_point(|event| event.at < end);
    events.get(from..to).unwrap_or_default()
}

/// A variable of which nothing is known.
pub(super) static NO_VAR: Var<'static> = Var {
    name: "",
    at: 0,
    from: 0,
    owner: None,
    home: None,
    origin: Origin::Free,
    function: None,
    value: None,
    is_changed: false,
    is_mutated: false,
    is_tested: false,
    source: None,
    gap: 0,
    uses: Vec::new(),
    users: Vec::new(),
    parts: Vec::new(),
    hides: false,
    means: None,
};
