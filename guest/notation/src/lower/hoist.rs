//! Functions with a name are bound before the first statement that needs them. Functions that use
//! one another are bound together, all others one by one.

use crate::ast::{Ast, ExprId, FunctionId, PatternId, Span, Statement, StmtId, What};
use crate::lexer::Wrong;
use crate::lower::context::Cx;
use crate::lower::function::Use;
use crate::lower::resolve::Resolved;
use std::collections::BTreeMap;

/// Functions that are declared in one statement.
type Unit = Vec<FunctionId>;

/// Finds the unit of each function that is declared in a statement of functions only. The unit of
/// any other function is empty.
pub(super) fn units(ast: &Ast<'_>, known: &Resolved<'_>) -> Vec<Unit> {
    let mut units = vec![Unit::new(); ast.functions.len()];
    for stmt in &ast.stmts {
        let Statement::Declare { names, .. } = &stmt.what else { continue };
        let functions = names.iter().map(|(pattern, value)| {
            let What::Function(function) = ast.expr((*value)?).what else { return None };
            let var = known.targets.get(*pattern as usize).copied().flatten()?;
            (!known.var(var).is_changed).then_some(function)
        });
        let Some(functions) = functions.collect::<Option<Unit>>() else { continue };
        for function in &functions {
            if let Some(unit) = units.get_mut(*function as usize) {
                unit.clone_from(&functions);
            }
        }
    }
    units
}

impl Cx<'_, '_> {
    /// Tells whether a declaration declares functions only.
    pub(super) fn is_function_group(&self, names: &[(PatternId, Option<ExprId>)]) -> bool {
        !names.is_empty()
            && names
                .iter()
                .all(|(pattern, value)| self.declared_function(*pattern, *value).is_some())
    }

    fn declared_function(&self, pattern: PatternId, value: Option<ExprId>) -> Option<FunctionId> {
        let What::Function(function) = self.ast.expr(value?).what else { return None };
        let var = self.target(pattern)?;
        let is_steady = !self.known.var(var).is_changed;
        is_steady.then_some(function)
    }

    /// Binds the functions of a declaration, unless they are bound already.
    pub(super) async fn hoist_group(&self, id: StmtId) -> Result<(), Wrong> {
        if let Statement::Declare { names, .. } = &self.ast.stmt(id).what {
            for (pattern, value) in names {
                if let Some(function) = self.declared_function(*pattern, *value) {
                    self.hoist_function(function).await?;
                }
            }
        }
        Ok(())
    }

    /// Binds the functions that a statement names and that are declared in a block around it.
    pub(super) async fn hoist(&self, id: StmtId) -> Result<(), Wrong> {
        for function in self.named_in(self.stmt_span(id)) {
            self.hoist_function(function).await?;
        }
        Ok(())
    }

    /// Finds the functions that are named within a span, declared outside it, and not bound yet.
    fn named_in(&self, (start, end): Span) -> Vec<FunctionId> {
        let mut found = Vec::new();
        for event in self.known.within((start, end)) {
            let var = self.known.var(event.var);
            let is_outside = var.at < start || var.at >= end;
            if let Some(function) = var.function
                && event.is_call
                && is_outside
                && !var.is_changed
                && !self.is_bound(function)
                && !found.contains(&function)
            {
                found.push(function);
            }
        }
        found
    }

    /// Finds the functions that are declared in one statement with this one.
    fn unit_of(&self, function: FunctionId) -> Unit {
        match self.units.get(function as usize) {
            Some(unit) if !unit.is_empty() => unit.clone(),
            _ => vec![function],
        }
    }

    /// Binds a function after the functions that it needs. Functions that need one another are
    /// strongly connected components (R. Tarjan, 1972).
    pub(super) async fn hoist_function(&self, function: FunctionId) -> Result<(), Wrong> {
        if self.is_bound(function) {
            return Ok(());
        }
        let first = self.unit_of(function);
        let mut units: Vec<Unit> = vec![first];
        let mut number_of: BTreeMap<FunctionId, usize> = BTreeMap::new();
        let needed_by = |unit: &Unit| -> Vec<FunctionId> {
            unit.iter()
                .flat_map(|f| self.named_in(self.ast.function(*f).span))
                .filter(|f| !unit.contains(f))
                .collect()
        };
        for f in units.first().into_iter().flatten() {
            number_of.insert(*f, 0);
        }
        let mut needs = vec![needed_by(units.first().unwrap_or(&Vec::new()))];
        let mut low = vec![0_usize];
        let mut index = 1_usize;
        let mut place = vec![Some(0_usize)];
        let (mut path, mut open): (Vec<(usize, usize)>, Vec<usize>) = (vec![(0, 0)], vec![0]);
        while let Some((unit, next)) = path.pop() {
            let need = needs.get(unit).and_then(|needs| needs.get(next)).copied();
            if let Some(need) = need {
                path.push((unit, next + 1));
                let known = number_of.get(&need).copied();
                match known {
                    None => {
                        let number = units.len();
                        let other = self.unit_of(need);
                        for f in &other {
                            number_of.insert(*f, number);
                        }
                        needs.push(needed_by(&other));
                        units.push(other);
                        low.push(index);
                        place.push(Some(index));
                        index += 1;
                        open.push(number);
                        path.push((number, 0));
                    }
                    Some(number) => {
                        let reached = place.get(number).copied().flatten();
                        if let (Some(reached), Some(mine)) = (reached, low.get_mut(unit)) {
                            *mine = reached.min(*mine);
                        }
                    }
                }
                continue;
            }
            let mine = low.get(unit).copied().unwrap_or_default();
            if let Some((caller, _)) = path.last()
                && let Some(theirs) = low.get_mut(*caller)
            {
                *theirs = (*theirs).min(mine);
            }
            if place.get(unit).copied().flatten() == Some(mine) {
                let from = open.iter().rposition(|other| *other == unit).unwrap_or(0);
                let mut together: Vec<usize> = open.split_off(from);
                together.sort_unstable();
                for number in &together {
                    if let Some(slot) = place.get_mut(*number) {
                        *slot = None;
                    }
                }
                let functions: Unit = together
                    .iter()
                    .filter_map(|number| units.get(*number))
                    .flatten()
                    .copied()
                    .collect();
                self.bind_functions(functions, together.len() > 1).await?;
            }
        }
        Ok(())
    }

    /// Binds functions that are declared together or use one another.
    async fn bind_functions(&self, functions: Unit, is_circle: bool) -> Result<(), Wrong> {
        let mut functions = functions;
        functions.sort_by_key(|f| self.ast.function(*f).span.0);
        for function in &functions {
            self.set_bound(*function);
        }
        let mut is_recursive = is_circle;
        let mut bindings = Vec::new();
        for (at, function) in functions.iter().enumerate() {
            let Some(var) = self.known.function_vars.get(*function as usize).copied().flatten()
            else {
                continue;
            };
            let span = self.ast.function(*function).span;
            // If a function uses itself or a later one, all functions of the group are bound by
            // `letrec`.
            is_recursive |= self.known.within(span).iter().any(|event| {
                let used = self.known.var(event.var).function;
                event.is_call
                    && used
                        .is_some_and(|used| functions.get(at..).unwrap_or_default().contains(&used))
            });
            let name = self.term_name(var);
            let term = self.lambda(*function, Use::default()).await?;
            bindings.push((name, term));
        }
        let span = functions.first().map_or((0, 0), |f| self.ast.function(*f).span);
        self.step(bindings, is_recursive, span);
        Ok(())
    }
}
