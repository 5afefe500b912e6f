//! Functions as values, and calls of local functions.

use crate::ast::{Body, ExprId, Function, FunctionId, Item, Span, What};
use crate::lexer::Wrong;
use crate::lower::context::{Cx, Lowered};
use crate::lower::control::After;
use crate::lower::flow::ALL;
use crate::lower::nested::Nested;
use crate::lower::resolve::VarId;
use crate::tree::{Id, Words};
use pif_language::form::Form;

/// How a function is used.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Use {
    /// Whether its caller uses its value as a condition.
    pub(super) is_test: bool,
    /// Levels of the first argument that only this function sees.
    pub(super) own: u8,
}

impl<'s> Cx<'_, 's> {
    /// Lowers a function to a value that may be kept.
    pub(super) async fn function_value(&self, function: FunctionId) -> Lowered {
        if !self.is_inline(function) && self.plan(function).is_lifted() {
            let span = self.ast.function(function).span;
            return Ok(self.lifted_as_value(function, span));
        }
        self.lambda(function, Use::default()).await
    }

    /// Refuses a lifted function as a value. It would keep the old values of locals that change.
    pub(super) fn lifted_as_value(&self, function: FunctionId, span: Span) -> Id {
        let plan = self.plan(function);
        let var = plan.gives.first().or(plan.takes.first()).copied().unwrap_or_default();
        let name = self.known.var(var).name;
        let message = if plan.gives.is_empty() {
            format!("this function is kept, and `{name}`, which it uses, changes")
        } else {
            format!("this function is kept, and changes `{name}`")
        };
        let hint = format!("give it `{name}` as an argument, or call it where it stands");
        self.refuse(span.0, &message, &hint)
    }

    /// Lowers a function to a term. A function that is called at once gives the variables that it
    /// changes beside its value.
    pub(super) async fn lambda(&self, function: FunctionId, used: Use) -> Lowered {
        self.stack.call(self.clone().lambda_level(function, used)).await
    }

    async fn lambda_level(self, id: FunctionId, used: Use) -> Lowered {
        let function = self.ast.function(id);
        let span = function.span;
        let is_inline = self.is_inline(id);
        let plan = self.plan(id).clone();
        let (takes, gives) =
            if is_inline { (Vec::new(), self.changed(span)) } else { (plan.takes, plan.gives) };
        let inner = self.with(|around| {
            if is_inline {
                around.repeats.push(span);
            } else {
                around.function = Some(id);
                around.repeats = Nested::default();
            }
            around.returned.clone_from(&gives);
            around.ends = None;
            around.jumps = Nested::default();
            around.tests = used.is_test;
        });
        let flow = self.flow.borrow().clone();
        let renamed = self.names.borrow().clone();
        for var in takes.iter().chain(&gives) {
            self.set_own(*var, ALL);
        }
        let is_new = self.set_bound(id);
        self.open();
        let mut bindings = Vec::new();
        let names = inner.parameters(function, &takes, used.own, &mut bindings).await?;
        self.step(bindings, false, (0, 0));
        let value = match &function.body {
            Body::Expression(body) => {
                let value =
                    if used.is_test { inner.test(*body).await? } else { inner.kept(*body).await? };
                inner.give(value, self.span(*body)).await?
            }
            Body::Block(list) => inner.statements(list.clone().into(), 0, After::Null).await?,
        };
        let value = self.close(value, span);
        let inside = self.flow.replace(flow);
        self.flow.borrow_mut().limit_by(&inside);
        self.names.replace(renamed);
        let mut b = self.b();
        let term = b.function(names, value, span);
        // A function expression with a name sees itself.
        let own_name = function.name.filter(|_| is_new && self.known.is_self_named(id));
        match own_name {
            Some(name)
                if self.known.within(span).iter().any(|event| {
                    event.at > span.0 && self.known.var(event.var).function == Some(id)
                }) =>
            {
                let variable = b.variable(&name.into(), span);
                Ok(b.bind_functions(vec![(name.into(), term)], variable, span))
            }
            _ => Ok(term),
        }
    }

    /// Lowers the parameters of a function: its own, of whose first argument nobody else sees so many
    /// levels, and one for each variable that it takes. Returns their names.
    async fn parameters(
        &self,
        function: &Function<'s>,
        takes: &[VarId],
        own: u8,
        bindings: &mut Vec<(Words<'s>, Id)>,
    ) -> Result<Vec<Words<'s>>, Wrong> {
        let span = function.span;
        let mut names: Vec<Words<'s>> = Vec::new();
        for (at, element) in function.parameters.iter().enumerate() {
            let own = if at == 0 { own } else { 0 };
            names.push(self.parameter(element, own, bindings).await?);
        }
        if let Some(rest) = function.rest {
            let name = match self.target(rest) {
                Some(var) => self.known.var(var).name.into(),
                None => self.b().make_name(),
            };
            names.push(name.clone());
            let value = self.b().variable(&name, span);
            if self.target(rest).is_none() {
                self.bind_pattern(rest, value, 1, bindings).await?;
            } else if let Some(var) = self.target(rest) {
                self.set_own(var, 1);
            }
        }
        for var in takes {
            let name = self.name_of(*var);
            let name = if names.contains(&name) { self.b().make_name() } else { name };
            self.names.borrow_mut().insert(*var, name.clone());
            names.push(name);
        }
        Ok(names)
    }

    /// Tells how many arguments an expression takes if it is known to be a function.
    pub(super) fn takes(&self, id: ExprId) -> Option<usize> {
        let function = self.function_of(id)?;
        let function = self.ast.function(function);
        if function.rest.is_some() { None } else { Some(function.parameters.len().max(1)) }
    }

    /// Finds the function that an expression always is: a literal, or a local function by its name.
    pub(super) fn function_of(&self, id: ExprId) -> Option<FunctionId> {
        match self.ast.expr(id).what {
            What::Function(function) => Some(function),
            What::Name(_) => self.var_of(id).and_then(|var| self.known.var(var).function),
            _ => None,
        }
    }

    /// Lowers a call of a local function.
    pub(super) async fn call_local(
        &self,
        id: ExprId,
        var: VarId,
        function: FunctionId,
        arguments: &[Item],
    ) -> Lowered {
        let span = self.span(id);
        let parts = self.items_for(arguments, Some(function)).await?;
        let callee = self.variable(var, span);
        Ok(self.call_function(callee, function, &parts, span))
    }

    /// Makes a call of a function whose parameters are known.
    pub(super) fn call_function(
        &self,
        callee: Id,
        function: FunctionId,
        parts: &[(Id, bool)],
        span: Span,
    ) -> Id {
        let plan = self.plan(function).clone();
        let shape = self.ast.function(function);
        let count = shape.parameters.len();
        if parts.iter().any(|(_, is_spread)| *is_spread) {
            let list = self.join_lists(parts, span);
            if count == 0 && shape.rest.is_some() && !plan.is_lifted() {
                return self.b().apply(callee, &[list], span);
            }
            if plan.is_lifted() || shape.rest.is_some() {
                let hint = "write the arguments one by one";
                let message = "this function cannot take a list of arguments";
                return self.refuse(span.0, message, hint);
            }
            return self.b().form(Form::Apply, &[callee, list], span);
        }
        let mut operands: Vec<Id> = parts.iter().take(count).map(|(id, _)| *id).collect();
        let fills = plan.is_lifted()
            || shape.rest.is_some()
            || shape.parameters.iter().skip(operands.len()).all(|element| {
                element.default.is_some()
                    || self.target(element.pattern).is_none_or(|var| self.known.var(var).is_tested)
            });
        while fills && operands.len() < count {
            operands.push(self.b().null(span));
        }
        if shape.rest.is_some() {
            let rest: Vec<Id> = parts.iter().skip(count).map(|(id, _)| *id).collect();
            let rest = self.b().list(&rest, span);
            operands.push(rest);
        }
        if !plan.is_lifted() {
            return self.b().apply(callee, &operands, span);
        }
        for var in &plan.takes {
            let depth = self.depths.borrow().get(*var as usize).copied().unwrap_or_default();
            if plan.gives.contains(var) && depth > 0 && !self.may_change(*var, depth, span.0) {
                let name = self.known.var(*var).name;
                let hint = format!("make a copy first: structuredClone({name})");
                let message =
                    format!("this call would change `{name}`, which is seen by another name, too");
                return self.refuse(span.0, &message, &hint);
            }
            operands.push(self.variable(*var, span));
        }
        let call = self.b().apply(callee, &operands, span);
        if plan.gives.is_empty() {
            return call;
        }
        let whole = self.fixed(call, span);
        self.spread(whole, true, &plan.gives, span)
    }
}
