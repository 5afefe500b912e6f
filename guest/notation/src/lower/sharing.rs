//! Who else sees a value: under which other names it is kept, and whether these are used later.

use crate::ast::{Binary, ExprId, Member, What};
use crate::lower::context::Cx;
use crate::lower::flow::ALL;
use crate::lower::resolve::VarId;
use crate::lower::root::Root;
use std::collections::BTreeMap;

/// Variables that are looked at one by one.
const MOST_TRACKED: usize = 4096;

impl<'s> Cx<'_, 's> {
    /// Whether it matters who sees the value of a variable: it changes in place, or may become a part
    /// of a value that does. In a program of very many variables only the first is looked at.
    pub(super) fn is_tracked(&self, var: VarId) -> bool {
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

    /// The variable at the beginning of a path, and the number of its members.
    pub(super) fn root_of(&self, id: ExprId) -> Option<(VarId, u8)> {
        let (root, depth) = self.ast.root(id)?;
        let var = match root {
            Root::Name(name, _) => self.var_of(name)?,
            Root::Target(target, _) => self.target(target)?,
        };
        Some((var, u8::try_from(depth).unwrap_or(u8::MAX)))
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

    /// Notes that the elements of a value are kept under another name.
    pub(super) fn share_elements(&self, id: ExprId) {
        if let Some((var, depth)) = self.root_of(id) {
            self.flow.borrow_mut().limit(var, depth.saturating_add(1));
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
