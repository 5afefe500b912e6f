//! Expressions.

use crate::ast::{Binary, ExprId, FunctionId, Item, Member, Span, Unary, What};
use crate::lexer::Wrong;
use crate::lower::context::{Cx, Lowered};
use crate::lower::library;
use crate::lower::resolve::VarId;
use crate::tree::{self, Id, Words};
use pif_language::form::Form;
use pif_language::kinds;
use std::collections::BTreeMap;

impl<'s> Cx<'_, 's> {
    /// Lowers an expression. The changes that it makes are bound before the open term.
    pub(super) async fn expr(&self, id: ExprId) -> Lowered {
        let span = self.span(id);
        match &self.ast.expr(id).what {
            What::Null => Ok(self.b().null(span)),
            What::Boolean(value) => Ok(self.b().boolean(*value, span)),
            What::Number(digits) => Ok(self.b().number(digits.clone(), span)),
            What::Text(text) => Ok(self.b().text(text.clone(), span)),
            What::Name(name) => Ok(self.name(id, name)),
            _ => self.stack.call(self.clone().compound(id)).await,
        }
    }

    /// Lowers an expression whose value is kept under another name.
    pub(super) async fn kept(&self, id: ExprId) -> Lowered {
        let value = self.expr(id).await?;
        self.share(id);
        Ok(value)
    }

    async fn compound(self, id: ExprId) -> Lowered {
        let span = self.span(id);
        match &self.ast.expr(id).what {
            What::Regex { pattern, flags } => {
                let mut b = self.b();
                let parts = [b.text(*pattern, span), b.text(*flags, span)];
                Ok(b.form(Form::Regex, &parts, span))
            }
            What::Template(parts) => Box::pin(self.template(parts, span)).await,
            What::Tool(name) => {
                let mut b = self.b();
                let name = b.text(name.clone(), span);
                Ok(b.form(Form::Tool, &[name], span))
            }
            What::List(items) => Box::pin(self.list(items, span)).await,
            What::Record(members) => Box::pin(self.record(members, span)).await,
            What::Function(function) => Box::pin(self.function_value(*function)).await,
            What::Unary { operator, operand } => {
                Box::pin(self.unary(id, *operator, *operand)).await
            }
            What::Binary { .. } => Box::pin(self.binary(id)).await,
            What::Conditional { test, then, otherwise } => {
                Box::pin(self.conditional(id, *test, *then, *otherwise, false)).await
            }
            What::Assign { target, operator, value } => {
                Box::pin(self.assign(id, *target, *operator, *value)).await
            }
            What::Update { target, increases, is_prefix } => {
                Box::pin(self.update(id, *target, *increases, *is_prefix)).await
            }
            What::Member { .. } | What::Index { .. } => Box::pin(self.access(id, false)).await,
            What::Call { .. } => Box::pin(self.call(id, false)).await,
            What::New { name, arguments } => Box::pin(self.construct(id, name, arguments)).await,
            What::Sequence(list) => {
                let (last, others) =
                    list.split_last().map_or((id, &[][..]), |(last, others)| (*last, others));
                for id in others {
                    let value = self.expr(*id).await?;
                    self.dropped(value, self.span(*id));
                }
                if last == id { Ok(self.b().null(span)) } else { self.expr(last).await }
            }
            What::Await(id) => self.expr(*id).await,
            What::Pipe(parts) => {
                let operands = self.operands(parts).await?;
                Ok(self.b().form(Form::Pipe, &operands, span))
            }
            What::Json(start, end) => Ok(self.b().tree.add(tree::What::Json(*start, *end), span)),
            What::StrictIf(parts) => {
                let operands = self.operands(parts).await?;
                Ok(self.b().form(Form::If, &operands, span))
            }
            _ => self.expr(id).await,
        }
    }

    /// Lowers a name of a variable, of a constant or a function of JavaScript, or a name that
    /// nothing binds.
    fn name(&self, id: ExprId, name: &'s str) -> Id {
        let span = self.span(id);
        if let Some(var) = self.var_of(id) {
            return self.named(var, span);
        }
        let mut b = self.b();
        if name == "self" {
            return b.form(Form::SelfRef, &[], span);
        }
        if let Some(found) = library::constant(&mut b, name, span) {
            return found;
        }
        if let Some(found) = library::as_function(&mut b, name, span) {
            return found;
        }
        b.variable(&name.into(), span)
    }

    /// Reads a variable.
    fn named(&self, var: VarId, span: Span) -> Id {
        let info = self.known.var(var);
        if self.flow.borrow().stale.contains(&var) {
            let hint = "read it again from where it is kept, or make a copy first: {...x}";
            let message = format!("`{}` has been changed under another name", info.name);
            return self.refuse(span.0, &message, hint);
        }
        if let Some(function) = info.function
            && self.plan(function).is_lifted()
        {
            return self.lifted_as_value(function, span);
        }
        self.variable(var, span)
    }

    /// Lowers expressions in order. The values before the last one with effects are bound to names,
    /// so that its effects cannot change them.
    pub(super) async fn operands(&self, list: &[ExprId]) -> Result<Vec<Id>, Wrong> {
        let last = list.iter().rposition(|id| self.has_effects(*id)).unwrap_or(0);
        let mut operands = Vec::with_capacity(list.len());
        for (at, id) in list.iter().enumerate() {
            let value = self.expr(*id).await?;
            operands.push(if at < last { self.fixed(value, self.span(*id)) } else { value });
        }
        Ok(operands)
    }

    /// Lowers elements or arguments as `operands` does, and notes that their values are kept.
    pub(super) async fn items(&self, list: &[Item]) -> Result<Vec<(Id, bool)>, Wrong> {
        self.items_for(list, None).await
    }

    /// Lowers the arguments of a function. One whose parameter is tested may be absent.
    pub(super) async fn items_for(
        &self,
        list: &[Item],
        function: Option<FunctionId>,
    ) -> Result<Vec<(Id, bool)>, Wrong> {
        let last = list.iter().rposition(|item| self.has_effects(item.value)).unwrap_or(0);
        let mut items = Vec::with_capacity(list.len());
        for (at, item) in list.iter().enumerate() {
            let may_be_absent =
                item.is_spread || function.is_some_and(|it| self.takes_absent(it, at));
            let value = if may_be_absent {
                self.lenient(item.value).await?
            } else {
                self.expr(item.value).await?
            };
            if item.is_spread {
                self.share_elements(item.value);
            } else {
                self.share(item.value);
            }
            let value = if at < last { self.fixed(value, self.span(item.value)) } else { value };
            items.push((value, item.is_spread));
        }
        Ok(items)
    }

    /// Tells whether a function tests this parameter, or has a default for it.
    fn takes_absent(&self, function: FunctionId, at: usize) -> bool {
        self.ast.function(function).parameters.get(at).is_some_and(|parameter| {
            let var = self.target(parameter.pattern);
            parameter.default.is_some() || var.is_some_and(|var| self.known.var(var).is_tested)
        })
    }

    /// Tells whether an expression changes a variable where it stands.
    pub(super) fn has_effects(&self, id: ExprId) -> bool {
        !self.changed(self.span(id)).is_empty()
    }

    /// Finds the variables that change within a span and are declared outside it.
    pub(super) fn changed(&self, span: Span) -> Vec<VarId> {
        let mut vars = Vec::new();
        for event in self.known.effects_within(span) {
            if event.owner != self.around.function {
                continue;
            }
            if event.is_call {
                if let Some(function) = self.known.var(event.var).function {
                    vars.extend(&self.plan(function).gives);
                }
            } else {
                vars.push(event.var);
            }
        }
        vars.retain(|var| {
            let at = self.known.var(*var).at;
            at < span.0 || at >= span.1 || at == 0
        });
        vars.sort_unstable();
        vars.dedup();
        vars
    }

    /// Evaluates a term whose value is not used.
    pub(super) fn dropped(&self, value: Id, span: Span) {
        let is_idle = {
            let b = self.b();
            matches!(b.tree.form_of(value), Form::Var | Form::Unit | Form::Lam)
        };
        if !is_idle {
            self.temporary(value, span);
        }
    }

    /// Lowers a template.
    async fn template(&self, parts: &[ExprId], span: Span) -> Lowered {
        let operands = self.operands(parts).await?;
        let texts: Vec<Id> = operands.into_iter().map(|id| self.as_text(id)).collect();
        let mut b = self.b();
        Ok(match *texts {
            [] => b.text("", span),
            [only] => only,
            _ => b.form(Form::Concat, &texts, span),
        })
    }

    /// Converts a term to a text as JavaScript does.
    pub(super) fn as_text(&self, id: Id) -> Id {
        let mut b = self.b();
        if b.tree.is_textual(id) {
            return id;
        }
        let span = b.tree.span(id);
        b.form(Form::AsText, &[id], span)
    }

    /// Lowers a list.
    async fn list(&self, items: &[Item], span: Span) -> Lowered {
        let parts = self.items(items).await?;
        Ok(self.join_lists(&parts, span))
    }

    /// Makes a list, or an `append` of lists if there are spread elements.
    pub(super) fn join_lists(&self, parts: &[(Id, bool)], span: Span) -> Id {
        let mut b = self.b();
        if parts.iter().all(|(_, is_spread)| !is_spread) {
            let plain: Vec<Id> = parts.iter().map(|(id, _)| *id).collect();
            return b.list(&plain, span);
        }
        let mut whole = None;
        for run in parts.chunk_by(|a, b| !a.1 && !b.1) {
            let next = if let [(spread, true)] = run {
                *spread
            } else {
                let items: Vec<Id> = run.iter().map(|(id, _)| *id).collect();
                b.list(&items, span)
            };
            whole = Some(match whole {
                None if parts.len() > 1 => next,
                None => {
                    let empty = b.list(&[], span);
                    b.form(Form::Append, &[next, empty], span)
                }
                Some(before) => b.form(Form::Append, &[before, next], span),
            });
        }
        whole.unwrap_or_default()
    }

    /// Lowers a record. Spread records become a `merge`, and computed names a `put`.
    async fn record(&self, members: &[Member<'s>], span: Span) -> Lowered {
        let expressions: Vec<ExprId> = members.iter().flat_map(parts_of).collect();
        let last = expressions.iter().rposition(|id| self.has_effects(*id)).unwrap_or(0);
        let mut whole: Option<Id> = None;
        let mut named: Vec<(Words<'s>, Id)> = Vec::new();
        let mut places: BTreeMap<Words<'s>, usize> = BTreeMap::new();
        let mut at = 0;
        for member in members {
            match member {
                Member::Named { name, value, .. } => {
                    let id = self.kept(*value).await?;
                    let id = if at < last { self.fixed(id, self.span(*value)) } else { id };
                    // The last of equal names counts, in the place of the first.
                    let place = places.get(name).copied().and_then(|place| named.get_mut(place));
                    if let Some(place) = place {
                        place.1 = id;
                    } else {
                        places.insert(name.clone(), named.len());
                        named.push((name.clone(), id));
                    }
                    at += 1;
                }
                Member::Spread(value) => {
                    places.clear();
                    let before = self.merged(whole, &mut named, span);
                    let id = self.lenient(*value).await?;
                    self.share_elements(*value);
                    let id = if at < last { self.fixed(id, self.span(*value)) } else { id };
                    let mut b = self.b();
                    whole = Some(match before {
                        Some(before) => b.form(Form::Merge, &[before, id], span),
                        None if members.len() > 1 => id,
                        None => {
                            let empty = b.record(&[], span);
                            b.form(Form::Merge, &[id, empty], span)
                        }
                    });
                    at += 1;
                }
                Member::Computed { key, value } => {
                    places.clear();
                    let before = self.merged(whole, &mut named, span);
                    let key_id = self.expr(*key).await?;
                    let key_id =
                        if at < last { self.fixed(key_id, self.span(*key)) } else { key_id };
                    let id = self.kept(*value).await?;
                    let id = if at + 1 < last { self.fixed(id, self.span(*value)) } else { id };
                    let mut b = self.b();
                    let before = before.unwrap_or_else(|| b.record(&[], span));
                    whole = Some(b.form(Form::Put, &[before, key_id, id], span));
                    at += 2;
                }
            }
        }
        if whole.is_none() {
            return Ok(self.b().record(&named, span));
        }
        Ok(self.merged(whole, &mut named, span).unwrap_or_default())
    }

    /// Adds the members that are collected to the record so far.
    fn merged(
        &self,
        whole: Option<Id>,
        named: &mut Vec<(Words<'s>, Id)>,
        span: Span,
    ) -> Option<Id> {
        if named.is_empty() {
            return whole;
        }
        let mut b = self.b();
        let record = b.record(&std::mem::take(named), span);
        Some(match whole {
            None => record,
            Some(before) => b.form(Form::Merge, &[before, record], span),
        })
    }

    /// Lowers a unary operator.
    async fn unary(&self, id: ExprId, operator: Unary, operand: ExprId) -> Lowered {
        let span = self.span(id);
        match operator {
            Unary::Not => {
                let test = self.test(operand).await?;
                Ok(self.b().form(Form::Not, &[test], span))
            }
            Unary::Minus => {
                let value = self.expr(operand).await?;
                let mut b = self.b();
                if let Some(digits) = b.tree.digits(value)
                    && !digits.starts_with('-')
                    && !self.ast.expr(operand).in_parentheses
                {
                    let digits = format!("-{digits}");
                    return Ok(b.number(digits, span));
                }
                if b.tree.form_of(value) == Form::Float
                    && let [text] = *b.tree.operands(value)
                    && b.tree.literal(text) == Some("Infinity")
                {
                    let text = b.text("-Infinity", span);
                    return Ok(b.form(Form::Float, &[text], span));
                }
                Ok(b.form(Form::Neg, &[value], span))
            }
            Unary::Plus => {
                let value = self.lenient(operand).await?;
                Ok(self.b().form(Form::ToNumber, &[value], span))
            }
            Unary::BitNot => {
                let value = self.expr(operand).await?;
                let mut b = self.b();
                let operator = b.text("~", span);
                Ok(b.form(Form::Bits, &[operator, value], span))
            }
            Unary::Typeof => self.type_of(operand, span).await,
            Unary::Void => {
                let value = self.expr(operand).await?;
                self.dropped(value, span);
                Ok(self.b().null(span))
            }
            Unary::Delete => self.delete(id, operand).await,
        }
    }

    /// Lowers `typeof x`. A member that may be absent is given as a path.
    async fn type_of(&self, operand: ExprId, span: Span) -> Lowered {
        if let What::Name(name) = self.ast.expr(operand).what
            && self.var_of(operand).is_none()
            && library::constant(&mut self.b(), name, span).is_none()
            && library::as_function(&mut self.b(), name, span).is_none()
        {
            return Ok(self.b().text("undefined", span));
        }
        let parts = match self.path(operand) {
            Some((root, keys)) if !keys.is_empty() => {
                let root = self.expr(root).await?;
                let keys = self.keys(&keys).await?;
                let keys = self.b().list(&keys, span);
                vec![root, keys]
            }
            _ => vec![self.lenient(operand).await?],
        };
        Ok(self.b().form(Form::Typeof, &parts, span))
    }

    /// Tells whether the value of a term always is a number.
    pub(super) fn is_number(&self, id: Id) -> bool {
        let b = self.b();
        b.tree.digits(id).is_some()
            || b.tree.form_of(id).given() == kinds::NUMBER && b.tree.form_of(id) != Form::Unit
    }

    /// Tells whether the value of a term always is a boolean.
    pub(super) fn is_boolean(&self, id: Id) -> bool {
        let b = self.b();
        matches!(b.tree.node(id).what, tree::What::Boolean(_))
            || b.tree.form_of(id).given() == kinds::BOOLEAN
    }

    /// The operator and operands of a binary expression.
    pub(super) fn binary_parts(&self, id: ExprId) -> Option<(Binary, ExprId, ExprId)> {
        match self.ast.expr(id).what {
            What::Binary { operator, left, right } => Some((operator, left, right)),
            _ => None,
        }
    }
}

fn parts_of(member: &Member<'_>) -> Vec<ExprId> {
    match member {
        Member::Named { value, .. } | Member::Spread(value) => vec![*value],
        Member::Computed { key, value } => vec![*key, *value],
    }
}
