//! Assignments to a name, to a path, and to the parts of a pattern.

use crate::ast::{self, Binary, ExprId, PatternId, Span, Target, What};
use crate::lexer::Wrong;
use crate::lower::context::{Cx, Lowered};
use crate::lower::flow::{ALL, Key};
use crate::lower::place::Place;
use crate::lower::resolve::VarId;
use crate::lower::store::Change;
use crate::tree::Id;
use pif_language::form::Form;

impl<'s> Cx<'_, 's> {
    /// Lowers an assignment whose value is used.
    pub(super) async fn assign(
        &self,
        id: ExprId,
        target: PatternId,
        operator: Option<Binary>,
        value: ExprId,
    ) -> Lowered {
        self.assign_any(id, target, operator, value, true).await
    }

    /// Lowers an assignment. `is_wanted` tells whether its value is used.
    pub(super) async fn assign_any(
        &self,
        id: ExprId,
        target: PatternId,
        operator: Option<Binary>,
        value: ExprId,
        is_wanted: bool,
    ) -> Lowered {
        let span = self.span(id);
        match &self.ast.pattern(target).what {
            Target::Name(name) => {
                if let Some(var) = self.target(target) {
                    self.assign_place(id, target, (var, Vec::new()), (operator, value), is_wanted)
                        .await
                } else {
                    let hint = format!("declare it first: let {name} = 0");
                    Ok(self.refuse(span.0, &format!("`{name}` is no variable"), &hint))
                }
            }
            Target::Path(path) => {
                if let Some(place) = self.place_of(*path) {
                    let keys = self.place_keys(&place).await?;
                    let (operator, value) = self.default_of(&place, operator, value);
                    self.assign_place(id, target, (place.root, keys), (operator, value), is_wanted)
                        .await
                } else {
                    let hint =
                        "bind the value to a name and change that, or make a new one: {...r, k: v}";
                    Ok(self.refuse(
                        span.0,
                        "this value has no name under which it could change",
                        hint,
                    ))
                }
            }
            Target::List { .. } | Target::Record { .. } => {
                self.assign_parts(target, value, span).await
            }
        }
    }

    /// Reads `m[k] = m[k] || x` as `m[k] ||= x`.
    pub(super) fn default_of(
        &self,
        place: &Place<'s>,
        operator: Option<Binary>,
        value: ExprId,
    ) -> (Option<Binary>, ExprId) {
        if operator.is_none()
            && let What::Binary { operator: choice, left, right } = self.ast.expr(value).what
            && matches!(choice, Binary::Or | Binary::Nullish)
            && self.place_of(left).is_some_and(|other| self.is_one_place(place, &other))
        {
            return (Some(choice), right);
        }
        (operator, value)
    }

    /// Lowers an assignment that stands within the path of another one.
    pub(super) async fn assign_nested(
        self,
        id: ExprId,
        target: PatternId,
        place: (VarId, Vec<Key>),
        operator: Option<Binary>,
        value: ExprId,
    ) -> Lowered {
        self.assign_place(id, target, place, (operator, value), false).await
    }

    /// Assigns to a place whose keys are terms.
    async fn assign_place(
        &self,
        id: ExprId,
        target: PatternId,
        place: (VarId, Vec<Key>),
        (operator, value): (Option<Binary>, ExprId),
        is_wanted: bool,
    ) -> Lowered {
        let span = self.span(id);
        let (var, keys) = place;
        let is_whole = keys.is_empty();
        if operator.is_none()
            && is_whole
            && let Some(place) = self.alias_of(var, value)
        {
            return self.assign_alias(var, &place, span).await;
        }
        let before_kept = self.own_of(value);
        let new = match operator {
            Some(operator) => {
                let whole = self.variable(var, span);
                let before = self.read(whole, &keys, is_lenient(operator), span);
                self.combined(operator, before, value, span).await?
            }
            None => self.replaced(var, &keys, value).await?,
        };
        let own = match operator {
            None if self.is_put_back(value, var, &keys) => ALL,
            None if !is_whole && self.is_kept_name(value, var) => before_kept,
            None => self.own_of(value),
            Some(operator) if is_lenient(operator) => {
                let own = if is_whole { self.flow.borrow().own(var) } else { ALL };
                self.own_of(value).min(own)
            }
            Some(_) => ALL,
        };
        if !is_whole {
            let new = if is_wanted && !self.is_constant(new) { self.fixed(new, span) } else { new };
            self.store(var, &keys, (new, own), span, Change::Assignment);
            self.alias_stored(var, &keys, (value, before_kept));
            return Ok(new);
        }
        if self.known.var(var).is_constant() {
            let name = self.known.var(var).name;
            let at = self.ast.pattern(target).span.0;
            let message = format!("`{name}` is a const");
            return Ok(self.refuse(at, &message, &format!("declare it by let: let {name} = 0")));
        }
        self.rebind(var, new, span);
        self.flow.borrow_mut().detach(var);
        self.set_own(var, own);
        self.step_companion(var, None, span);
        if own > 0 {
            self.follow(var, span);
        }
        Ok(self.variable(var, span))
    }

    /// Makes a variable an alias of a place.
    async fn assign_alias(&self, var: VarId, place: &Place<'s>, span: Span) -> Lowered {
        let keys = self.place_keys(place).await?;
        let whole = self.variable(place.root, span);
        let read = self.read(whole, &keys, true, span);
        self.rebind(var, read, span);
        if self.is_found_in_list(var, place) {
            let index = keys.last().map(|it| it.id);
            self.step_companion(var, index, span);
            self.set_own(var, 0);
            self.follow(var, span);
            return Ok(self.variable(var, span));
        }
        self.step_companion(var, None, span);
        // Keys that are bound already stay bound longer.
        let known = self.flow.borrow().aliases.get(&var).cloned();
        let known =
            known.filter(|it| it.root == place.root && it.keys == keys && it.condition.is_none());
        let alias = known.unwrap_or_else(|| self.alias(place.root, keys, None));
        let mut flow = self.flow.borrow_mut();
        flow.set_own(var, 0);
        flow.add_alias(var, alias);
        drop(flow);
        Ok(self.variable(var, span))
    }

    /// Lowers the value of `x += value` and its like.
    async fn combined(&self, operator: Binary, before: Id, value: ExprId, span: Span) -> Lowered {
        let before = if self.has_effects(value) { self.fixed(before, span) } else { before };
        if !is_lenient(operator) {
            let right = self.expr(value).await?;
            return Ok(self.operation(operator, [before, right], span, false));
        }
        self.open();
        let right = self.kept(value).await?;
        let right = self.close(right, span);
        let form = match operator {
            Binary::And => Form::Both,
            Binary::Or => Form::Either,
            _ => Form::Coalesce,
        };
        Ok(self.b().form(form, &[before, right], span))
    }

    /// Lowers the value of `x = value`.
    async fn replaced(&self, var: VarId, keys: &[Key], value: ExprId) -> Lowered {
        let is_tested = keys.is_empty() && self.known.var(var).is_tested;
        let new = if is_tested { self.lenient(value).await? } else { self.expr(value).await? };
        if !self.is_put_back(value, var, keys) {
            self.share(value);
        }
        Ok(new)
    }

    /// Lowers `[a, b] = [b, a]`.
    async fn assign_parts(&self, target: PatternId, value: ExprId, span: Span) -> Lowered {
        let mut work: Vec<(PatternId, Id)> = Vec::new();
        let elements = match &self.ast.pattern(target).what {
            Target::List { elements, rest: None } => Some(elements.clone()),
            _ => None,
        };
        let written = self
            .list_of(value)
            .filter(|list| elements.as_ref().is_some_and(|all| all.len() == list.len()));
        if let (Some(elements), Some(list)) = (elements, written) {
            for (element, id) in elements.iter().zip(list) {
                let part = self.kept(id).await?;
                let part = self.fixed(part, self.span(id));
                if let Some(element) = element {
                    work.push((element.pattern, part));
                }
            }
        } else {
            let whole = self.kept(value).await?;
            let whole = self.fixed(whole, span);
            work.push((target, whole));
        }
        work.reverse();
        while let Some((pattern, value)) = work.pop() {
            self.assign_part(pattern, value, &mut work).await?;
        }
        Ok(self.b().null(span))
    }

    /// Assigns a value to a pattern. The parts of the pattern are added to the work.
    async fn assign_part(
        &self,
        pattern: PatternId,
        value: Id,
        work: &mut Vec<(PatternId, Id)>,
    ) -> Result<(), Wrong> {
        let span = self.ast.pattern(pattern).span;
        match &self.ast.pattern(pattern).what {
            Target::Name(name) => {
                if let Some(var) = self.target(pattern) {
                    self.rebind(var, value, span);
                    self.flow.borrow_mut().detach(var);
                    self.set_own(var, 0);
                    self.step_companion(var, None, span);
                } else {
                    let hint = format!("declare it first: let {name} = 0");
                    self.refuse(span.0, &format!("`{name}` is no variable"), &hint);
                }
            }
            Target::Path(path) => {
                if let Some(place) = self.place_of(*path) {
                    let keys = self.place_keys(&place).await?;
                    self.store(place.root, &keys, (value, 0), span, Change::Assignment);
                } else {
                    let hint = "bind the value to a name and change that";
                    self.refuse(span.0, "this value has no name under which it could change", hint);
                }
            }
            Target::List { elements, rest } => {
                let start = work.len();
                for (at, element) in elements.iter().enumerate() {
                    if let Some(element) = element {
                        let part = self.part_of(value, Ok(at), element.default, span).await?;
                        work.push((element.pattern, part));
                    }
                }
                if let Some(rest) = rest {
                    let mut b = self.b();
                    let from = b.number(elements.len().to_string(), span);
                    let part = b.form(Form::Drop, &[value, from], span);
                    work.push((*rest, part));
                }
                work.get_mut(start..).unwrap_or_default().reverse();
            }
            Target::Record { members, .. } => {
                let start = work.len();
                for (key, element) in members {
                    let key = match key {
                        ast::Key::Named(name) => self.b().text(name.clone(), span),
                        ast::Key::Computed(id) => self.expr(*id).await?,
                    };
                    let part = self.part_of(value, Err(key), element.default, span).await?;
                    work.push((element.pattern, part));
                }
                work.get_mut(start..).unwrap_or_default().reverse();
            }
        }
        Ok(())
    }

    /// Reads a part of a value, or its default.
    async fn part_of(
        &self,
        whole: Id,
        key: Result<usize, Id>,
        default: Option<ExprId>,
        span: Span,
    ) -> Lowered {
        let default = match default {
            Some(id) => self.expr(id).await?,
            None => self.b().null(span),
        };
        let mut b = self.b();
        let key = match key {
            Ok(at) => b.number(at.to_string(), span),
            Err(key) => key,
        };
        Ok(b.form(Form::Get, &[whole, key, default], span))
    }
}

/// Tells whether an assignment with an operator reads a place that may be missing.
fn is_lenient(operator: Binary) -> bool {
    matches!(operator, Binary::And | Binary::Or | Binary::Nullish)
}
