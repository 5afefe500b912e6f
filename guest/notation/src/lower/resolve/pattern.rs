//! Patterns declare, bind and change variables.

use crate::ast::{ExprId, PatternId, Target, What};
use crate::lower::resolve::resolved::{Origin, VarId};
use crate::lower::resolve::walk::{LATER, Walk, Work};

impl Walk<'_, '_> {
    /// Makes the variables of a pattern, which are bound where its declaration is walked.
    pub(super) fn declare(&mut self, pattern: PatternId, origin: Origin, value: Option<ExprId>) {
        let ast = self.ast;
        for id in ast.leaves(pattern) {
            let Target::Name(name) = ast.pattern(id).what else { continue };
            let var = self.add(name, ast.pattern(id).span.0, origin);
            if let Some(slot) = self.out.targets.get_mut(id as usize) {
                *slot = Some(var);
            }
            self.enter(var, LATER);
            // Only a pattern that is a name has the whole value.
            if id == pattern
                && let Some(value) = value
            {
                if let What::Function(function) = ast.expr(value).what {
                    self.name_function(var, function);
                }
                if let Some(info) = self.out.vars.get_mut(var as usize) {
                    info.value = Some(value);
                }
            }
        }
    }

    /// Lists the variables of a pattern.
    pub(super) fn names_of(&self, pattern: PatternId) -> Vec<VarId> {
        self.out.names_of(self.ast, pattern)
    }

    /// Binds the variables of a pattern.
    pub(super) fn bind_pattern(&mut self, pattern: PatternId) {
        for var in self.names_of(pattern) {
            self.bind(var);
        }
    }

    /// The expressions within a pattern: defaults, and computed keys.
    pub(super) fn inside(&self, pattern: PatternId) -> impl Iterator<Item = Work> {
        self.ast.expressions_in(pattern).into_iter().map(|id| Work::Expr(id, false))
    }

    /// Notes what an assignment changes.
    pub(super) fn assign(&mut self, pattern: PatternId) {
        let ast = self.ast;
        let at = ast.pattern(pattern).span.0;
        for id in ast.leaves(pattern) {
            match ast.pattern(id).what {
                Target::Name(name) => {
                    let var = self.find(name);
                    if let Some(slot) = self.out.targets.get_mut(id as usize) {
                        *slot = var;
                    }
                    if let Some(var) = var {
                        self.change(var, at, 0);
                    }
                }
                Target::Path(path) => {
                    if let Some((var, depth)) = self.root(path) {
                        self.change(var, at, depth.max(1));
                    }
                }
                Target::List { .. } | Target::Record { .. } => {}
            }
        }
    }
}
