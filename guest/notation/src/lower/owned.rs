//! Who sees a value. A value may be changed in place as long as one variable alone leads to it:
//! then a new value under that name is all that anybody could see.
//!
//! Of each variable this counts the levels that nobody else sees: 0 for a value that others see
//! too, 1 for a list of its own whose elements others see, `ALL` for a value that is its own whole.

use crate::ast::{Binary, Body, ExprId, FunctionId, Member, Statement, Target, Unary, What};
use crate::lower::Cx;
use crate::lower::place::Key;
use crate::lower::resolve::{Origin, VarId};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Levels of a value that is a variable's own whole.
pub(crate) const ALL: u8 = u8::MAX;

/// Variables that are looked at one by one.
const MOST_TRACKED: usize = 4096;

/// Levels of an expression that are looked at.
const DEEPEST: u8 = 12;

/// What is known of variables at a place of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flow {
    /// Levels that are a variable's own; none is 0.
    own: Rc<BTreeMap<VarId, u8>>,
    /// Variables that are a member of another one.
    pub(crate) aliases: BTreeMap<VarId, Alias>,
    /// Variables whose value, or a part of it, is kept elsewhere, too.
    escaped: BTreeSet<VarId>,
    /// Variables whose value has been changed under another name.
    pub(crate) stale: BTreeSet<VarId>,
}

/// A variable that is what a path of keys leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Alias {
    pub(crate) root: VarId,
    pub(crate) keys: Vec<Key>,
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

impl<'s> Cx<'_, 's> {
    /// Whether it matters who sees the value of a variable: it changes in place, or may become a part
    /// of a value that does. In a program of very many variables only the first is looked at.
    fn is_tracked(&self, var: VarId) -> bool {
        self.known.mutates
            && (self.known.vars.len() <= MOST_TRACKED || self.known.var(var).is_mutated)
    }

    /// Notes how many levels of a variable's new value are its own. Only of values that change in
    /// place anybody asks.
    pub(super) fn set_own(&self, var: VarId, levels: u8) {
        if self.is_tracked(var) {
            self.flow.borrow_mut().set_own(var, levels);
        }
    }

    /// How many levels of an expression's value nobody else sees.
    pub(super) fn own_of(&self, id: ExprId) -> u8 {
        self.own_within(id, DEEPEST)
    }

    fn own_within(&self, id: ExprId, left: u8) -> u8 {
        let Some(left) = left.checked_sub(1) else { return 0 };
        let within = |id: ExprId| self.own_within(id, left);
        match &self.ast.expr(id).what {
            What::List(items) => {
                let own = items.iter().map(|item| {
                    if item.is_spread {
                        within(item.value).saturating_sub(1)
                    } else {
                        within(item.value)
                    }
                });
                own.min().unwrap_or(ALL).saturating_add(1)
            }
            What::Record(members) => {
                let own = members.iter().map(|member| match member {
                    Member::Named { value, .. } | Member::Computed { value, .. } => within(*value),
                    Member::Spread(value) => within(*value).saturating_sub(1),
                });
                own.min().unwrap_or(ALL).saturating_add(1)
            }
            What::Conditional { then, otherwise, .. } => within(*then).min(within(*otherwise)),
            What::Binary { operator: Binary::Or | Binary::Nullish | Binary::And, left, right } => {
                within(*left).min(within(*right))
            }
            What::Name(_) => self.var_of(id).map_or(0, |var| self.own_of_var(var)),
            What::Member { .. } | What::Index { .. } => self
                .root_of(id)
                .map_or(0, |(var, depth)| self.own_of_var(var).saturating_sub(depth)),
            What::Await(id) => within(*id),
            What::Assign { value, operator: None, .. } => within(*value),
            What::Function(_) | What::Tool(_) | What::Pipe(_) | What::Json(..) => 0,
            What::Call { .. } => self.own_of_call(id, left),
            What::New { name, arguments } => match (*name, arguments.as_slice()) {
                ("Array", [_]) | (_, []) => ALL,
                ("Array", items) => items
                    .iter()
                    .map(|item| within(item.value))
                    .min()
                    .unwrap_or(ALL)
                    .saturating_add(1),
                ("Set" | "Map", [item]) => within(item.value).max(1),
                _ => ALL,
            },
            What::Sequence(list) => list.last().map_or(ALL, |id| within(*id)),
            _ => ALL,
        }
    }

    fn own_of_var(&self, var: VarId) -> u8 {
        let flow = self.flow.borrow();
        if flow.aliases.contains_key(&var) { 0 } else { flow.own(var) }
    }

    fn own_of_call(&self, id: ExprId, left: u8) -> u8 {
        let What::Call { callee, arguments, .. } = &self.ast.expr(id).what else { return 0 };
        let first = arguments.first().map(|item| item.value);
        let result = |id: Option<ExprId>| match id.map(|id| &self.ast.expr(id).what) {
            Some(What::Function(function)) => self.own_of_result(*function, left),
            _ => 0,
        };
        match &self.ast.expr(*callee).what {
            What::Member { object, name, .. } => match *name {
                "map" => result(first).saturating_add(1),
                "from" => match arguments.get(1) {
                    Some(item) => result(Some(item.value)).saturating_add(1),
                    None => first.map_or(0, |id| self.own_within(id, left)).max(1),
                },
                "fill" => first
                    .map_or(0, |id| self.own_within(id, left))
                    .min(if first.is_some_and(|id| self.is_scalar(id)) { ALL } else { 0 })
                    .saturating_add(1),
                "filter" | "slice" | "sort" | "toSorted" | "reverse" | "toReversed" | "concat"
                | "flat" | "values" | "fromEntries" | "toSpliced" | "with" | "groupBy"
                | "assign" => {
                    let inner = self.own_within(*object, left);
                    inner.max(1)
                }
                "entries" | "splice" => 2,
                "keys" | "split" | "match" | "join" | "trim" | "toUpperCase" | "toLowerCase"
                | "replace" | "replaceAll" | "padStart" | "padEnd" | "repeat" | "toFixed"
                | "toString" | "indexOf" | "charAt" | "charCodeAt" | "substring" | "stringify"
                | "has" | "includes" | "parse" | "findIndex" | "some" | "every" | "test"
                | "push" | "max" | "min" | "floor" | "round" | "ceil" | "abs" | "size"
                | "toISOString" | "getTime" | "startsWith" | "endsWith" => ALL,
                "flatMap" => 1,
                "reduce" | "reduceRight" => match (first, arguments.get(1)) {
                    (Some(_), Some(start)) => {
                        self.own_within(start.value, left).min(self.own_of_reducer(first))
                    }
                    _ => 0,
                },
                "get" | "at" | "find" | "pop" | "shift" | "findLast" => {
                    self.own_within(*object, left).saturating_sub(1)
                }
                "set" | "add" => self.own_within(*object, left),
                _ => 0,
            },
            What::Name(name) => match (*name, self.var_of(*callee)) {
                (_, Some(var)) => match self.known.var(var).function {
                    Some(function) => self.own_of_result(function, left),
                    None => 0,
                },
                (
                    "Number" | "String" | "Boolean" | "parseInt" | "parseFloat" | "structuredClone"
                    | "isNaN",
                    _,
                ) => ALL,
                ("Array", _) => ALL,
                _ => 0,
            },
            What::Function(function) => self.own_of_result(*function, left),
            _ => 0,
        }
    }

    /// The accumulator of a reducer is its own as long as it gives the accumulator or fresh values.
    fn own_of_reducer(&self, function: Option<ExprId>) -> u8 {
        match function.map(|id| &self.ast.expr(id).what) {
            Some(What::Function(function)) => {
                let stored = self.own_of_result(*function, DEEPEST / 2);
                stored.max(1)
            }
            _ => 0,
        }
    }

    /// Levels of a function's value that only its caller sees.
    fn own_of_result(&self, function: FunctionId, left: u8) -> u8 {
        let Some(left) = left.checked_sub(1) else { return 0 };
        let function = self.ast.function(function);
        match &function.body {
            Body::Expression(id) => self.own_local(*id, left),
            Body::Block(list) => {
                let returned = list.iter().filter_map(|id| match &self.ast.stmt(*id).what {
                    Statement::Return(value) => Some(*value),
                    _ => None,
                });
                // A value that a nested statement returns is not looked at.
                let is_simple = list.iter().all(|id| {
                    let exits = self.known.exits.get(*id as usize).copied().unwrap_or_default();
                    !exits.returns || matches!(self.ast.stmt(*id).what, Statement::Return(_))
                });
                let own =
                    returned.map(|value| value.map_or(ALL, |id| self.own_local(id, left))).min();
                if is_simple { own.unwrap_or(ALL) } else { 0 }
            }
        }
    }

    /// As `own_within`, of an expression in another function: its locals are what they were
    /// declared as.
    fn own_local(&self, id: ExprId, left: u8) -> u8 {
        if let What::Name(_) = self.ast.expr(id).what
            && let Some(var) = self.var_of(id)
        {
            let info = self.known.var(var);
            return match (info.origin, info.value, left.checked_sub(1)) {
                (Origin::Declared(_), Some(value), Some(left)) => {
                    let own = self.own_within(value, left);
                    if own == 0 {
                        0
                    } else if info.is_mutated {
                        1
                    } else {
                        own
                    }
                }
                _ => 0,
            };
        }
        self.own_within(id, left)
    }

    /// Whether an expression is surely a number, a text or a boolean.
    pub(super) fn is_scalar(&self, id: ExprId) -> bool {
        match &self.ast.expr(id).what {
            What::Null | What::Boolean(_) | What::Number(_) | What::Text(_) | What::Template(_) => {
                true
            }
            What::Unary { operator, .. } => !matches!(operator, Unary::Void | Unary::Delete),
            What::Update { .. } => true,
            What::Binary { operator, .. } => {
                !matches!(operator, Binary::And | Binary::Or | Binary::Nullish)
            }
            _ => false,
        }
    }

    /// The variable of a name.
    pub(super) fn var_of(&self, id: ExprId) -> Option<VarId> {
        self.known.names.get(id as usize).copied().flatten()
    }

    /// The variable at the beginning of a path, and the number of its members.
    pub(super) fn root_of(&self, mut id: ExprId) -> Option<(VarId, u8)> {
        let mut depth: u8 = 0;
        loop {
            match &self.ast.expr(id).what {
                What::Name(_) => return self.var_of(id).map(|var| (var, depth)),
                What::Member { object, .. } | What::Index { object, .. } => id = *object,
                What::Call { callee, .. } => match &self.ast.expr(*callee).what {
                    What::Member { object, name: "get" | "at", .. } => id = *object,
                    _ => return None,
                },
                What::Assign { target, .. } => match self.ast.pattern(*target).what {
                    Target::Path(path) => {
                        id = path;
                        continue;
                    }
                    _ => {
                        let var = self.known.targets.get(*target as usize).copied().flatten();
                        return var.map(|var| (var, depth));
                    }
                },
                _ => return None,
            }
            depth = depth.saturating_add(1);
        }
    }

    /// Notes that an expression's value is kept under another name: from here on others see it.
    pub(super) fn share(&self, id: ExprId) {
        let mut work = vec![(id, 0_u8)];
        while let Some((id, above)) = work.pop() {
            match &self.ast.expr(id).what {
                What::Name(_)
                | What::Member { .. }
                | What::Index { .. }
                | What::Assign { operator: None, .. } => {
                    if let Some((var, depth)) = self.root_of(id) {
                        self.share_var(var, depth.saturating_add(above), id);
                    }
                }
                What::Conditional { then, otherwise, .. } => {
                    work.extend([(*then, above), (*otherwise, above)]);
                }
                What::Binary {
                    operator: Binary::Or | Binary::Nullish | Binary::And,
                    left,
                    right,
                } => {
                    work.extend([(*left, above), (*right, above)]);
                }
                What::Await(id) => work.push((*id, above)),
                What::Call { callee, arguments, .. } => {
                    if let What::Member { object, name, .. } = &self.ast.expr(*callee).what {
                        match *name {
                            "filter" | "slice" | "sort" | "toSorted" | "reverse" | "toReversed"
                            | "flatMap" | "find" | "pop" | "shift" | "get" | "at" | "values"
                            | "map" | "flat" | "entries" => {
                                let places = if *name == "values" || *name == "entries" {
                                    arguments.first().map_or(*object, |item| item.value)
                                } else {
                                    *object
                                };
                                work.push((places, above.saturating_add(1)));
                            }
                            "concat" => {
                                work.push((*object, above.saturating_add(1)));
                                work.extend(
                                    arguments
                                        .iter()
                                        .map(|item| (item.value, above.saturating_add(1))),
                                );
                            }
                            "set" | "add" => work.push((*object, above)),
                            _ => {}
                        }
                    }
                }
                What::List(items) => {
                    let spread = items.iter().filter(|item| item.is_spread);
                    work.extend(spread.map(|item| (item.value, above.saturating_add(1))));
                }
                What::Record(members) => {
                    for member in members {
                        if let Member::Spread(value) = member {
                            work.push((*value, above.saturating_add(1)));
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn share_var(&self, var: VarId, depth: u8, id: ExprId) {
        if !self.is_tracked(var) {
            return;
        }
        // Nobody names it any more: the value goes over to who keeps it.
        if depth == 0 && !self.is_seen_after(var, self.span(id).1.saturating_sub(1)) {
            return;
        }
        let mut flow = self.flow.borrow_mut();
        flow.escaped.insert(var);
        flow.limit(var, depth);
        if let Some(alias) = flow.aliases.get(&var).cloned() {
            let levels = u8::try_from(alias.keys.len()).unwrap_or(ALL).saturating_add(depth);
            flow.limit(alias.root, levels);
        }
    }

    /// Whether a variable is named behind a byte of the text, or in a loop around it again.
    pub(super) fn is_seen_after(&self, var: VarId, at: u32) -> bool {
        let info = self.known.var(var);
        let later = info.uses.iter().any(|place| *place > at);
        later
            || self.around.repeats.iter().any(|(from, to)| {
                let is_outside = !(*from <= info.at && info.at < *to);
                is_outside && info.uses.iter().any(|place| *from <= *place && *place < *to)
            })
    }

    /// Whether another variable leads to a value so many levels below this one, and is named later.
    pub(super) fn is_seen_by_others(&self, var: VarId, level: usize, at: u32) -> bool {
        // Each variable above, and how far below it the value lies.
        let mut above = BTreeMap::from([(var, level)]);
        let (mut next, mut level) = (var, level);
        loop {
            let info = self.known.var(next);
            level += info.gap;
            match info.source {
                Some(source) if !above.contains_key(&source) => {
                    above.insert(source, level);
                    next = source;
                }
                _ => break,
            }
        }
        above.iter().any(|(source, level)| {
            let parts = self.known.var(*source).parts.iter();
            let mut beside = parts.filter(|part| self.known.var(**part).gap <= *level);
            (*source != var && self.is_seen_after(*source, at))
                || beside.any(|part| {
                    *part != var && !above.contains_key(part) && self.is_seen_after(*part, at)
                })
        })
    }
}
