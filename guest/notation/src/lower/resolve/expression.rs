//! Expressions: what they name, change and call.

use crate::ast::{Binary, Body, ExprId, Member, Span, Target, Unary, What};
use crate::lower::names::{changes_in_place, is_callback_member};
use crate::lower::resolve::walk::{Walk, Work};

impl Walk<'_, '_> {
    /// Walks an expression. `tested` tells whether its value may be absent.
    pub(super) fn expr(&mut self, id: ExprId, tested: bool) {
        let expr = self.ast.expr(id);
        let work = match &expr.what {
            What::Name(name) => return self.uses(id, name, tested),
            What::Function(function) => vec![Work::Function(*function, None)],
            What::Template(parts) | What::Sequence(parts) | What::Pipe(parts) => {
                parts.iter().map(|id| Work::Expr(*id, false)).collect()
            }
            What::List(items) => {
                items.iter().map(|item| Work::Expr(item.value, item.is_spread)).collect()
            }
            What::Record(members) => {
                let mut work = Vec::new();
                for member in members {
                    match member {
                        Member::Named { value, .. } => work.push(Work::Expr(*value, false)),
                        Member::Computed { key, value } => {
                            work.extend([Work::Expr(*key, false), Work::Expr(*value, false)]);
                        }
                        Member::Spread(value) => work.push(Work::Expr(*value, true)),
                    }
                }
                work
            }
            What::Unary { operator, operand } => {
                vec![Work::Expr(*operand, matches!(operator, Unary::Not | Unary::Typeof))]
                    .into_iter()
                    .chain(self.deleted(*operator, *operand, expr.span))
                    .collect()
            }
            What::Binary { operator, left, right } => {
                let is_test = matches!(
                    operator,
                    Binary::And | Binary::Or | Binary::Nullish | Binary::Eq | Binary::NotEq
                );
                let right_too =
                    matches!(operator, Binary::Eq | Binary::NotEq) || (is_test && tested);
                vec![Work::Expr(*left, is_test), Work::Expr(*right, right_too)]
            }
            What::Conditional { test, then, otherwise } => {
                vec![
                    Work::Expr(*test, true),
                    Work::Expr(*then, tested),
                    Work::Expr(*otherwise, tested),
                ]
            }
            What::Assign { target, operator, value } => {
                let is_test = matches!(operator, Some(Binary::And | Binary::Or | Binary::Nullish));
                let mut work: Vec<Work> = self.inside(*target).collect();
                if is_test
                    && let Target::Name(name) = self.ast.pattern(*target).what
                    && let Some(var) = self.find(name)
                    && let Some(info) = self.out.vars.get_mut(var as usize)
                {
                    info.is_tested = true;
                }
                if operator.is_some()
                    && let Target::Name(name) = self.ast.pattern(*target).what
                    && let Some(var) = self.find(name)
                    && let Some(info) = self.out.vars.get_mut(var as usize)
                {
                    info.uses.push(expr.span.0);
                    info.users.push(self.owner);
                }
                work.extend([Work::Expr(*value, false), Work::Assign(*target)]);
                work
            }
            What::Update { target, .. } => {
                self.inside(*target).chain([Work::Assign(*target)]).collect()
            }
            What::Member { object, is_optional, .. } => vec![Work::Expr(*object, *is_optional)],
            What::Index { object, index, is_optional } => {
                vec![Work::Expr(*object, *is_optional), Work::Expr(*index, false)]
            }
            What::Call { .. } => self.call(id),
            What::New { arguments, .. } => {
                arguments.iter().map(|item| Work::Expr(item.value, item.is_spread)).collect()
            }
            What::Await(id) => vec![Work::Expr(*id, tested)],
            What::StrictIf(parts) => parts.iter().map(|id| Work::Expr(*id, false)).collect(),
            _ => return,
        };
        self.schedule(work);
    }

    /// Schedules the change that a `delete` makes.
    fn deleted(&self, operator: Unary, operand: ExprId, span: Span) -> Option<Work> {
        let (var, depth) = self.root(operand).filter(|_| operator == Unary::Delete)?;
        Some(Work::Change(var, span.0, depth.max(1)))
    }

    /// Schedules the parts of a call, and the change that it makes.
    pub(super) fn call(&mut self, id: ExprId) -> Vec<Work> {
        let ast = self.ast;
        let What::Call { callee, arguments, is_optional } = &ast.expr(id).what else {
            return Vec::new();
        };
        let callee_expr = self.ast.expr(*callee);
        let member = match &callee_expr.what {
            What::Member { object, name, .. } => Some((*object, *name)),
            _ => None,
        };
        let mut work = Vec::new();
        match &callee_expr.what {
            What::Function(function) => {
                let is_named = self.ast.function(*function).name.is_some();
                work.push(Work::Function(*function, (!is_named).then_some((2, None))));
            }
            _ => work.push(Work::Expr(*callee, *is_optional)),
        }
        let has_function = arguments
            .iter()
            .any(|item| matches!(self.ast.expr(item.value).what, What::Function(_)));
        let elements = member.filter(|_| has_function).map_or((2, None), |(object, name)| {
            let place = usize::from(matches!(name, "reduce" | "reduceRight"));
            (place, self.source_of(object).map(|(var, gap)| (var, gap + 1)))
        });
        let calls_at_once = member.is_some_and(|(_, name)| is_callback_member(name))
            || matches!(&callee_expr.what, What::Name("try"));
        for item in arguments {
            if let Some((_, "forEach")) = member
                && let What::Function(function) = &self.ast.expr(item.value).what
                && let Body::Expression(body) = self.ast.function(*function).body
            {
                self.append(body);
            }
            match &self.ast.expr(item.value).what {
                What::Function(function) if calls_at_once => {
                    // A function with a name may call itself.
                    let is_named = self.ast.function(*function).name.is_some();
                    work.push(Work::Function(*function, (!is_named).then_some(elements)));
                }
                _ => work.push(Work::Expr(item.value, item.is_spread)),
            }
        }
        if let Some((object, name)) = member
            && changes_in_place(name)
        {
            let objects = match ast.expr(object).what {
                What::Conditional { then, otherwise, .. } => vec![then, otherwise],
                _ => vec![object],
            };
            let roots = objects.into_iter().filter_map(|object| self.root(object));
            work.extend(roots.map(|(var, depth)| Work::Change(var, callee_expr.span.0, depth + 1)));
        }
        if let Some((object, "assign")) = member
            && matches!(self.ast.expr(object).what, What::Name("Object"))
            && let Some((var, depth)) = arguments.first().and_then(|item| self.root(item.value))
        {
            work.push(Work::Change(var, callee_expr.span.0, depth + 1));
        }
        work
    }
}
