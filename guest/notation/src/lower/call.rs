//! Calls of local functions, of the library, of members, and of tools of other servers.

use crate::ast::{ExprId, FunctionId, Item, Member, Span, What};
use crate::lexer::Wrong;
use crate::lower::builder::{Argument, Call};
use crate::lower::context::{Cx, Lowered};
use crate::lower::control::Arm;
use crate::lower::flow::ALL;
use crate::lower::function::Use;
use crate::lower::library;
use crate::lower::names::{changes_in_place, is_callback_member};
use crate::tree::{Id, Syntax, Words};
use pif_language::form::Form;

impl<'s> Cx<'_, 's> {
    /// Lowers a call whose value is used.
    pub(super) async fn call(&self, id: ExprId, lenient: bool) -> Lowered {
        self.call_any(id, lenient, true).await
    }

    /// Lowers a call whose value is not used.
    pub(super) async fn call_for_effect(&self, id: ExprId) -> Lowered {
        self.call_any(id, true, false).await
    }

    /// Lowers a call. `is_wanted` tells whether its value is used.
    async fn call_any(&self, id: ExprId, lenient: bool, is_wanted: bool) -> Lowered {
        let What::Call { callee, arguments, .. } = &self.ast.expr(id).what else {
            return self.expr(id).await;
        };
        if self.has_optional(id) {
            if let What::Member { object, is_optional: true, .. } = self.ast.expr(*callee).what
                && self.has_effects(id)
            {
                return self.optional_effect(id, object, is_wanted).await;
            }
            return self.optional(id, lenient).await;
        }
        let callee = *callee;
        match &self.ast.expr(callee).what {
            What::Member { object, name, .. } => {
                if let Some(path) = self.global_path(callee) {
                    return self.call_library(id, path, arguments).await;
                }
                if let Some(tool) = self.tool_path(callee, arguments) {
                    return self.call_tool(id, tool, arguments).await;
                }
                self.call_of_member(id, *object, name, arguments, is_wanted).await
            }
            What::Name(name) => match self.var_of(callee) {
                Some(var) => {
                    if let Some(function) =
                        self.known.var(var).function.filter(|_| !self.known.var(var).is_changed)
                    {
                        self.call_local(id, var, function, arguments).await
                    } else {
                        let value = self.expr(callee).await?;
                        self.call_value(id, value, arguments).await
                    }
                }
                None => self.call_library(id, (*name).into(), arguments).await,
            },
            What::Function(function) => self.call_at_once(id, *function, arguments).await,
            _ => {
                if let Some(tool) = self.tool_path(callee, arguments) {
                    return self.call_tool(id, tool, arguments).await;
                }
                let value = self.expr(callee).await?;
                self.call_value(id, value, arguments).await
            }
        }
    }

    /// Lowers `xs?.push(x)`. Nothing is pushed if `xs` is null.
    async fn optional_effect(&self, id: ExprId, object: ExprId, is_wanted: bool) -> Lowered {
        let span = self.span(id);
        let value = self.lenient(object).await?;
        let (test, null) = {
            let mut b = self.b();
            let null = b.null(span);
            (b.form(Form::Eq, &[value, null], span), null)
        };
        let arms = [Arm::Value(null), Arm::Member { id, object, is_wanted }];
        self.arms(test, arms, span).await
    }

    /// Lowers a call with another object before the point than the written one.
    pub(super) async fn member_of(self, id: ExprId, object: ExprId, is_wanted: bool) -> Lowered {
        let What::Call { callee, arguments, .. } = &self.ast.expr(id).what else {
            return self.expr(id).await;
        };
        let What::Member { name, .. } = self.ast.expr(*callee).what else {
            return self.expr(id).await;
        };
        self.call_of_member(id, object, name, arguments, is_wanted).await
    }

    /// Lowers `(() => { … })()`.
    async fn call_at_once(&self, id: ExprId, function: FunctionId, arguments: &[Item]) -> Lowered {
        let span = self.span(id);
        let parts = self.items_for(arguments, Some(function)).await?;
        if !self.is_inline(function) {
            let callee = self.lambda(function, Use::default()).await?;
            return Ok(self.call_function(callee, function, &parts, span));
        }
        let gives = self.changed(self.ast.function(function).span);
        let callee = self.lambda(function, Use::default()).await?;
        let shape = self.ast.function(function);
        let count = shape.parameters.len();
        if count == 0 && shape.name.is_none() && parts.is_empty() && gives.is_empty() {
            // Without arguments the call is the body of the function.
            let body = self.b().tree.operands(callee).first().copied();
            return Ok(body.unwrap_or(callee));
        }
        let mut operands: Vec<Id> = parts.iter().take(count).map(|(id, _)| *id).collect();
        // Too few arguments give a function that waits for the rest, unless defaults stand for them.
        let missing = shape.parameters.get(operands.len()..).unwrap_or_default();
        if shape.rest.is_some()
            || missing.iter().any(|it| it.default.is_some())
            || operands.is_empty()
        {
            while operands.len() < count {
                operands.push(self.b().null(span));
            }
        }
        if shape.rest.is_some() {
            let rest: Vec<(Id, bool)> = parts.get(count..).unwrap_or_default().to_vec();
            operands.push(self.join_lists(&rest, span));
        }
        let call = self.b().apply(callee, &operands, span);
        if gives.is_empty() {
            return Ok(call);
        }
        let whole = self.fixed(call, span);
        Ok(self.spread(whole, true, &gives, span))
    }

    /// Makes a call of a value.
    pub(super) async fn call_value(&self, id: ExprId, function: Id, arguments: &[Item]) -> Lowered {
        let span = self.span(id);
        let parts = self.items(arguments).await?;
        if parts.iter().any(|(_, is_spread)| *is_spread) {
            let list = self.join_lists(&parts, span);
            return Ok(self.b().form(Form::Apply, &[function, list], span));
        }
        let operands: Vec<Id> = parts.iter().map(|(id, _)| *id).collect();
        Ok(self.b().apply(function, &operands, span))
    }

    /// Lowers a call of a function of the library, or of a form by its name.
    pub(super) async fn call_library(
        &self,
        id: ExprId,
        name: Words<'s>,
        arguments: &[Item],
    ) -> Lowered {
        let span = self.span(id);
        if name == "Object.assign"
            && let Some(first) = arguments.first()
            && let Some(place) = self.place_of(first.value)
            && self.known.var(place.root).is_mutated
        {
            return self.assign_members(id, arguments).await;
        }
        let member = name.rsplit('.').next().unwrap_or_default().to_owned();
        let parts = self.callback_arguments(&member, arguments, None).await?;
        let call = Call { name: name.clone(), at: span.0, subject: None, arguments: parts, span };
        let found = library::function(&mut self.b(), &call);
        match found {
            Ok(Some(found)) => Ok(found),
            Ok(None) => {
                let function = self.b().variable(&name, span);
                let operands: Vec<Id> = call.arguments.iter().map(|part| part.id).collect();
                Ok(self.b().apply(function, &operands, span))
            }
            Err(wrong) => Ok(self.noted(Err(wrong), span)),
        }
    }

    /// Lowers `Object.assign(r, …)` where `r` is a local that changes.
    async fn assign_members(&self, id: ExprId, arguments: &[Item]) -> Lowered {
        let span = self.span(id);
        let Some(first) = arguments.first() else { return Ok(self.b().null(span)) };
        let Some(place) = self.place_of(first.value) else { return Ok(self.b().null(span)) };
        if !self.may_change(place.root, place.depth() + 1, span.0) {
            let name = self.known.var(place.root).name;
            let hint = format!("write {{...{name}, …}}");
            let message = format!(
                "`Object.assign` would change `{name}`, which is seen by another name, too"
            );
            return Ok(self.refuse(span.0, &message, &hint));
        }
        let keys = self.place_keys(&place).await?;
        let parts = self.items(arguments.get(1..).unwrap_or_default()).await?;
        let whole = self.variable(place.root, span);
        let before = self.read(whole, &keys, false, span);
        let after = parts
            .iter()
            .fold(before, |before, (id, _)| self.b().form(Form::Merge, &[before, *id], span));
        let value = self.written(whole, &keys, after, span);
        self.changed_in_place(place.root, value, None, span);
        self.flow.borrow_mut().limit_place(place.root, u8::try_from(keys.len() + 1).unwrap_or(ALL));
        let whole = self.variable(place.root, span);
        Ok(self.read(whole, &keys, false, span))
    }

    /// Lowers `new Name(…)`.
    pub(super) async fn construct(&self, id: ExprId, name: &'s str, arguments: &[Item]) -> Lowered {
        let span = self.span(id);
        let parts = self.callback_arguments(name, arguments, None).await?;
        let call = Call { name: name.into(), at: span.0, subject: None, arguments: parts, span };
        let found = library::construct(&mut self.b(), &call);
        Ok(self.noted(found, span))
    }

    /// Lowers `x.name(…)`.
    async fn call_of_member(
        &self,
        id: ExprId,
        object: ExprId,
        name: &'s str,
        arguments: &[Item],
        is_wanted: bool,
    ) -> Lowered {
        let span = self.span(id);
        if matches!(name, "exec" | "test") && self.keeps_place(object) {
            let hint = "write for (const m of s.matchAll(/…/g)) { … }, or leave out the flag g";
            let message = format!("`{name}` with the flag g goes on where it ended before");
            return Ok(self.refuse(span.0, &message, hint));
        }
        if matches!(name, "call" | "apply")
            && let Some(value) = self.call_with_this(id, object, name, arguments).await?
        {
            return Ok(value);
        }
        if self.is_known_member(object, name) {
            let subject = self.expr(object).await?;
            return self.call_field(id, subject, name, arguments).await;
        }
        if changes_in_place(name)
            && let What::Conditional { test, then, otherwise } = self.ast.expr(object).what
            && [then, otherwise].into_iter().all(|id| self.place_of(id).is_some())
        {
            let test = self.test(test).await?;
            let arms = [then, otherwise].map(|object| Arm::Member { id, object, is_wanted });
            return self.arms(test, arms, span).await;
        }
        if changes_in_place(name)
            && let Some(value) = self.in_place(id, object, name, arguments, is_wanted).await?
        {
            return Ok(value);
        }
        if name == "forEach" || self.changes_by_callback(name, arguments) {
            if let Some(value) = self.callback_loop(id, object, name, arguments).await? {
                return Ok(value);
            }
            let hint = "write a loop: for (const x of xs) { … }";
            return Ok(self.refuse(
                span.0,
                &format!("the function of `{name}` changes a variable"),
                hint,
            ));
        }
        let subject = if arguments.iter().any(|item| self.has_effects(item.value)) {
            let subject = self.expr(object).await?;
            self.fixed(subject, self.span(object))
        } else {
            self.expr(object).await?
        };
        self.call_member(id, subject, Some(object), name, arguments).await
    }

    /// Tells whether the object is a local that always is one record literal, and the literal has
    /// this member. The member hides a name of the library.
    fn is_known_member(&self, object: ExprId, name: &str) -> bool {
        let Some(var) = self.var_of(object) else { return false };
        let Some(value) = self.known.var(var).value else { return false };
        match &self.ast.expr(value).what {
            What::Record(members) => members
                .iter()
                .any(|member| matches!(member, Member::Named { name: own, .. } if own == name)),
            _ => false,
        }
    }

    /// Makes a call of a member of a record.
    async fn call_field(
        &self,
        id: ExprId,
        subject: Id,
        name: &'s str,
        arguments: &[Item],
    ) -> Lowered {
        let span = self.span(id);
        let function = {
            let mut b = self.b();
            let key = b.text(name, span);
            let member = b.form(Form::Get, &[subject, key], span);
            b.tree.set_syntax(member, Syntax::Member);
            member
        };
        self.call_value(id, function, arguments).await
    }

    /// Lowers a call of a member of the library, or of a function that is a member of a record.
    pub(super) async fn call_member(
        &self,
        id: ExprId,
        subject: Id,
        object: Option<ExprId>,
        name: &'s str,
        arguments: &[Item],
    ) -> Lowered {
        let span = self.span(id);
        if !library::is_member(name) {
            return self.call_field(id, subject, name, arguments).await;
        }
        let parts = self.callback_arguments(name, arguments, object).await?;
        let at = match self.ast.expr(id).what {
            What::Call { callee, .. } => match self.ast.expr(callee).what {
                What::Member { name_at, .. } => name_at,
                _ => span.0,
            },
            _ => span.0,
        };
        let call = Call { name: name.into(), at, subject: Some(subject), arguments: parts, span };
        let found = library::member(&mut self.b(), &call);
        match found {
            Ok(Some(found)) => Ok(found),
            Ok(None) => self.call_field(id, subject, name, arguments).await,
            Err(wrong) => Ok(self.noted(Err(wrong), span)),
        }
    }

    /// Lowers arguments. A function literal becomes a function as the member calls it.
    async fn callback_arguments(
        &self,
        name: &str,
        arguments: &[Item],
        object: Option<ExprId>,
    ) -> Result<Vec<Argument>, Wrong> {
        let last = arguments.iter().rposition(|item| self.has_effects(item.value)).unwrap_or(0);
        let mut parts = Vec::with_capacity(arguments.len());
        let is_test = library::is_test_callback(name);
        let keeps = !is_callback_member(name) && !library::is_member(name);
        for (at, item) in arguments.iter().enumerate() {
            let span = self.span(item.value);
            let function = self.function_of(item.value);
            let id = match (&self.ast.expr(item.value).what, function) {
                (What::Function(function), _) if self.is_inline(*function) => {
                    let own = match name {
                        "reduce" | "reduceRight" => {
                            arguments.get(1).map_or(0, |start| self.own_of(start.value))
                        }
                        "map" | "forEach" | "filter" | "flatMap" => {
                            object.map_or(0, |object| self.own_of(object).saturating_sub(1))
                        }
                        _ => 0,
                    };
                    self.lambda(*function, Use { is_test, own }).await?
                }
                (What::Name(_) | What::Function(_), Some(function))
                    if self.plan(function).is_lifted() && is_callback_member(name) =>
                {
                    self.wrapped(item.value, function, span).await?
                }
                _ if item.is_spread => self.lenient(item.value).await?,
                _ => self.expr(item.value).await?,
            };
            if keeps {
                self.share(item.value);
            }
            let id = if at < last { self.fixed(id, span) } else { id };
            parts.push(Argument { id, is_spread: item.is_spread, takes: self.takes(item.value) });
        }
        Ok(parts)
    }

    /// Wraps a lifted local function in a function of its own parameters.
    async fn wrapped(&self, id: ExprId, function: FunctionId, span: Span) -> Lowered {
        let count = self.ast.function(function).parameters.len().max(1);
        let names: Vec<Words<'s>> = (0..count).map(|_| self.b().make_name()).collect();
        let parts: Vec<(Id, bool)> =
            names.iter().map(|name| (self.b().variable(name, span), false)).collect();
        let callee = match self.var_of(id) {
            Some(var) => self.variable(var, span),
            None => self.lambda(function, Use::default()).await?,
        };
        self.open();
        let call = self.call_function(callee, function, &parts, span);
        let call = self.close(call, span);
        Ok(self.b().function(names, call, span))
    }

    /// Tells whether a function that a member calls changes a variable outside itself.
    fn changes_by_callback(&self, name: &str, arguments: &[Item]) -> bool {
        is_callback_member(name)
            && arguments.iter().any(|item| {
                match (&self.ast.expr(item.value).what, self.function_of(item.value)) {
                    (What::Function(function), _) if self.is_inline(*function) => {
                        !self.changed(self.ast.function(*function).span).is_empty()
                    }
                    (What::Name(_) | What::Function(_), Some(function)) => {
                        !self.plan(function).gives.is_empty()
                    }
                    _ => false,
                }
            })
    }
}
