//! Aliasing: other names under which a value is kept, and whether they are used later.

use crate::ast::{Binary, ExprId, Member, What};
use crate::lower::context::Cx;
use crate::lower::resolve::VarId;
use crate::lower::root::Root;
use std::collections::BTreeMap;

/// Variables of the largest program in which all are tracked.
const MOST_TRACKED: usize = 4096;

impl<'s> Cx<'_, 's> {
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

    /// Notes that the value of an expression is kept under another name.
    pub(super) fn share(&self, id: ExprId) {
        let mut work = vec![(id, 0_u8)];
        while let Some((id, above)) = work.pop() {
            match &self.ast.expr(id).what {
                What::Name(_)
                | What::Member { .. }
                | What::Index { .. }
                | What::Assign { operator: None, .. } => {
                    // A member that no change goes through may be seen by anybody.
                    if self.reached(id) > 0
                        && let Some((var, depth)) = self.root_of(id)
                    {
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

    /// Notes that the levels of a variable's value below `depth` are kept under another name.
    fn share_var(&self, var: VarId, depth: u8, id: ExprId) {
        if !self.is_tracked(var) {
            return;
        }
        // The variable is not used any more, so the other name alone leads to the value.
        if depth == 0 && !self.is_seen_after(var, self.span(id).1.saturating_sub(1)) {
            return;
        }
        let mut flow = self.flow.borrow_mut();
        flow.escape(var);
        flow.limit_place(var, depth);
    }

    /// Notes that the elements of a value are kept under another name.
    pub(super) fn share_elements(&self, id: ExprId) {
        if let Some((var, depth)) = self.root_of(id) {
            self.flow.borrow_mut().limit_place(var, depth.saturating_add(1));
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
