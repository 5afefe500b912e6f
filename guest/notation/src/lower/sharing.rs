//! Aliasing: other names under which a value is kept, and whether they are used later.

use crate::ast::{Binary, ExprId, Item, Member, What};
use crate::lower::context::Cx;
use crate::lower::flow::ALL;
use crate::lower::resolve::VarId;
use crate::lower::root::Root;
use std::collections::BTreeMap;

/// Variables of the largest program in which all are tracked.
const MOST_TRACKED: usize = 4096;

impl Cx<'_, '_> {
    /// Tells whether the flow tracks a variable: its value changes in place, or may become a part
    /// of a value that does. A program of very many variables tracks only the first kind.
    fn is_tracked(&self, var: VarId) -> bool {
        self.known.mutates
            && (self.known.vars.len() <= MOST_TRACKED || self.known.var(var).is_mutated)
    }

    /// Notes how many levels of a variable's new value nobody else sees.
    pub(super) fn set_own(&self, var: VarId, levels: u8) {
        if let Some(level) = self.levels.borrow_mut().get_mut(var as usize) {
            *level = self.chains.borrow().len();
        }
        if self.is_tracked(var) {
            self.flow.borrow_mut().set_own(var, levels);
        }
    }

    /// Finds the variable at the beginning of a path, and counts the members.
    pub(super) fn root_of(&self, id: ExprId) -> Option<(VarId, u8)> {
        let (root, depth) = self.ast.root(id)?;
        let var = match root {
            Root::Name(name, _) => self.var_of(name)?,
            Root::Target(target, _) => self.target(target)?,
        };
        Some((var, u8::try_from(depth).unwrap_or(u8::MAX)))
    }

    /// Counts the levels of the values of items that nobody else sees: of the least one.
    pub(super) fn own_of_items(&self, items: &[Item]) -> u8 {
        let own = |item: &Item| match self.own_of(item.value) {
            ALL => ALL,
            own => own.saturating_sub(u8::from(item.is_spread)),
        };
        items.iter().map(own).min().unwrap_or(ALL)
    }

    /// Notes that the value of an expression is kept under another name.
    pub(super) fn share(&self, id: ExprId) {
        // Values, and how many levels below them others see.
        let mut work = vec![(id, 0_u8)];
        while let Some((id, above)) = work.pop() {
            // A new list or record of the parts of another one.
            let parts = above.max(1);
            let member = above.saturating_add(1);
            match &self.ast.expr(id).what {
                What::Name(_)
                | What::Member { .. }
                | What::Index { .. }
                | What::Assign { operator: None, .. } => {
                    // A member that no change goes through may be seen by anybody.
                    if self.reached(id) == 0 {
                        continue;
                    }
                    match (self.root_of(id), &self.ast.expr(id).what) {
                        (Some((var, depth)), _) => {
                            self.share_var(var, depth.saturating_add(above), id);
                        }
                        (None, What::Member { object, .. } | What::Index { object, .. }) => {
                            work.push((*object, member));
                        }
                        (None, _) => {}
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
                What::New { arguments, .. } => {
                    work.extend(arguments.iter().map(|item| (item.value, parts)));
                }
                What::Call { callee, arguments, .. } => {
                    let What::Member { object, name, .. } = &self.ast.expr(*callee).what else {
                        continue;
                    };
                    match *name {
                        "filter" | "slice" | "sort" | "toSorted" | "reverse" | "toReversed"
                        | "flatMap" | "map" | "flat" | "splice" | "toSpliced" | "with" => {
                            work.push((*object, parts));
                        }
                        "find" | "findLast" | "pop" | "shift" | "get" | "at" => {
                            work.push((*object, member));
                        }
                        "reduce" | "reduceRight" => {
                            work.push((*object, member));
                            work.extend(arguments.get(1).map(|item| (item.value, above)));
                        }
                        "values" | "entries" => {
                            let of = arguments.first().map_or(*object, |item| item.value);
                            work.push((of, parts));
                        }
                        "concat" => {
                            work.push((*object, parts));
                            work.extend(arguments.iter().map(|item| (item.value, parts)));
                        }
                        "from" | "fromEntries" | "groupBy" | "assign" | "of" => {
                            work.extend(arguments.iter().map(|item| (item.value, parts)));
                        }
                        "set" | "add" => work.push((*object, above)),
                        _ => {}
                    }
                }
                What::List(items) => {
                    let spread = items.iter().filter(|item| item.is_spread);
                    work.extend(spread.map(|item| (item.value, parts)));
                }
                What::Record(members) => {
                    for member in members {
                        if let Member::Spread(value) = member {
                            work.push((*value, parts));
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Notes that the levels of a variable's value below `depth` are kept under another name.
    fn share_var(&self, var: VarId, depth: u8, id: ExprId) {
        if !self.is_tracked(var) {
            return;
        }
        // The variable is not used any more, nor one that leads to the place of which it is an
        // alias, so the other name alone leads to the value.
        let at = self.span(id).1.saturating_sub(1);
        let mut around = Some(var);
        let mut is_seen = depth > 0;
        while let Some(next) = around.filter(|_| !is_seen) {
            is_seen = self.is_seen_after(next, at);
            around = self.flow.borrow().aliases.get(&next).map(|alias| alias.root);
        }
        if !is_seen {
            return;
        }
        let mut flow = self.flow.borrow_mut();
        flow.escape(var);
        flow.limit_place(var, depth);
    }

    /// Notes that the elements of a value are kept under another name.
    pub(super) fn share_elements(&self, id: ExprId) {
        match self.root_of(id) {
            Some((var, depth)) => {
                self.flow.borrow_mut().limit_place(var, depth.saturating_add(1));
            }
            // The elements of what `by.values()` makes are parts of `by`.
            None => self.share(id),
        }
    }

    /// Tells whether a variable is used behind a byte of the text, or again in a loop around it.
    pub(super) fn is_seen_after(&self, var: VarId, at: u32) -> bool {
        let info = self.known.var(var);
        let later = info.uses.iter().any(|place| *place > at);
        later
            || self.around.repeats.iter().any(|(from, to)| {
                let is_outside = !(*from <= info.at && info.at < *to);
                is_outside && info.uses.iter().any(|place| *from <= *place && *place < *to)
            })
    }

    /// Tells whether another variable leads to the value so many levels below this one, and is used
    /// later.
    pub(super) fn is_seen_by_others(&self, var: VarId, level: usize, at: u32) -> bool {
        // Each variable of which this one is a part, and how many levels below it the value lies.
        let mut above = BTreeMap::from([(var, level)]);
        let mut next = var;
        let mut level = level;
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
