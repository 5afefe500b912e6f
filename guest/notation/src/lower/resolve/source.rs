//! The variables of which values are parts, and which change with these.

use crate::ast::{Binary, ExprId, PatternId, What};
use crate::lower::resolve::resolved::{Event, VarId};
use crate::lower::resolve::walk::{Source, Walk};

/// How many members of a chain are followed.
const MOST_STEPS: usize = 500;

impl Walk<'_, '_> {
    /// Finds the variable at the beginning of a path of members, and counts the members.
    pub(super) fn root(&self, id: ExprId) -> Option<Source> {
        let (root, depth) = self.ast.root(id)?;
        self.find(root.name()).map(|var| (var, depth))
    }

    /// Finds the variable whose parts a value has. This is the root of the expression, also through
    /// members such as `filter`, which make a new list of the elements of another.
    pub(super) fn source_of(&self, mut id: ExprId) -> Option<Source> {
        let mut is_new = false;
        for _ in 0..MOST_STEPS {
            match &self.ast.expr(id).what {
                What::Call { callee, arguments, .. } => match &self.ast.expr(*callee).what {
                    What::Member { object, name, .. } => match *name {
                        "filter" | "slice" | "toSorted" | "toReversed" | "concat" | "flat"
                        | "find" | "findLast" | "pop" | "shift" => {
                            is_new = true;
                            id = *object;
                        }
                        "sort" | "reverse" => id = *object,
                        "values" | "entries" => {
                            is_new = true;
                            id = arguments.first().map_or(*object, |item| item.value);
                        }
                        "get" | "at" => break,
                        _ => return None,
                    },
                    _ => return None,
                },
                What::List(items) => match items.as_slice() {
                    [item] if item.is_spread => {
                        is_new = true;
                        id = item.value;
                    }
                    _ => return None,
                },
                What::Binary { operator: Binary::Or | Binary::Nullish, left, .. } => id = *left,
                _ => break,
            }
        }
        self.root(id).map(|(var, depth)| (var, depth + usize::from(is_new)))
    }

    /// Notes the variable of which the variables of a pattern have parts.
    pub(super) fn set_source(&mut self, pattern: PatternId, source: Option<Source>) {
        let is_part = self.out.targets.get(pattern as usize).copied().flatten().is_none();
        for var in self.out.names_of(self.ast, pattern) {
            if let Some(info) = self.out.vars.get_mut(var as usize) {
                info.source = source.map(|(source, _)| source).filter(|source| *source != var);
                info.gap = source.map_or(0, |(_, gap)| gap + usize::from(is_part));
            }
        }
    }

    /// Notes a change. A change in place lies `depth` levels below the variable; `depth` is 0 for
    /// any other.
    pub(super) fn change(&mut self, var: VarId, at: u32, depth: usize) {
        let in_place = depth > 0;
        let owner = self.owner;
        let mut next = Some(var);
        let mut depth = depth;
        // A change of a member's value is a change of what it is a member of.
        while let Some(var) = next {
            self.out.events.push(Event { at, var, is_call: false, depth, owner });
            let Some(info) = self.out.vars.get_mut(var as usize) else { return };
            info.is_changed = true;
            info.is_mutated |= in_place;
            self.out.mutates |= in_place;
            depth += info.gap;
            next = info.source.filter(|_| in_place);
        }
    }

    /// Notes `xs.push(x)` of a variable.
    pub(super) fn append(&mut self, id: ExprId) {
        if let What::Call { callee, is_optional: false, .. } = &self.ast.expr(id).what
            && let What::Member { object, name: "push", is_optional: false, .. } =
                &self.ast.expr(*callee).what
            && let What::Name(_) = self.ast.expr(*object).what
        {
            self.out.appends.insert(self.ast.expr(*object).span.0);
        }
    }
}
