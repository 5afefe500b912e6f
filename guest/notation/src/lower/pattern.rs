//! Patterns take values apart. An absent part is null, or its default.

use crate::ast::{Binary, Element, ExprId, Key, PatternId, Span, Target, What};
use crate::lexer::Wrong;
use crate::lower::context::Cx;
use crate::lower::flow::ALL;
use crate::lower::place::Place;
use crate::lower::resolve::{Origin, VarId};
use crate::tree::{Id, Words};
use pif_language::form::Form;

/// Names with their values.
type Bindings<'s> = Vec<(Words<'s>, Id)>;

impl<'s> Cx<'_, 's> {
    /// Binds a variable to a value.
    fn bind_name(&self, var: VarId, value: Id, own: u8, out: &mut Bindings<'s>) {
        let name = self.term_name(var);
        self.set_own(var, own);
        out.push((name, value));
    }

    /// Names a variable that is bound now. A variable of a block that would hide another one gets a
    /// made name.
    pub(super) fn term_name(&self, var: VarId) -> Words<'s> {
        let info = self.known.var(var);
        let hides = matches!(
            info.origin,
            Origin::Declared(_) | Origin::Loop | Origin::Caught | Origin::Function
        ) && info.hides;
        if hides {
            let name = self.b().make_name();
            self.names.borrow_mut().insert(var, name.clone());
            return name;
        }
        info.name.into()
    }

    /// Binds the names of a pattern to parts of a value.
    pub(super) async fn bind_pattern(
        &self,
        pattern: PatternId,
        value: Id,
        own: u8,
        out: &mut Bindings<'s>,
    ) -> Result<(), Wrong> {
        let mut open = vec![(pattern, value, own)];
        while let Some((pattern, value, own)) = open.pop() {
            let span = self.ast.pattern(pattern).span;
            match &self.ast.pattern(pattern).what {
                Target::Name(_) => {
                    if let Some(var) = self.target(pattern) {
                        self.bind_name(var, value, own, out);
                    }
                }
                Target::List { elements, rest } => {
                    let whole = self.fixed_in(value, span, out);
                    let mut inner = Vec::new();
                    for (at, element) in elements.iter().enumerate() {
                        let Some(element) = element else { continue };
                        let part = self.list_part(whole, at, element).await?;
                        inner.push((element.pattern, part, own.saturating_sub(1)));
                    }
                    if let Some(rest) = rest {
                        let mut b = self.b();
                        let from = b.number(elements.len().to_string(), span);
                        let list = b.form(Form::Elements, &[whole], span);
                        let part = b.form(Form::Drop, &[list, from], span);
                        inner.push((*rest, part, own.min(1)));
                    }
                    open.extend(inner.into_iter().rev());
                }
                Target::Record { members, rest } => {
                    let whole = self.fixed_in(value, span, out);
                    let mut inner = Vec::new();
                    let mut keys = Vec::new();
                    for (key, element) in members {
                        let key = match key {
                            Key::Named(name) => self.b().text(name.clone(), span),
                            Key::Computed(id) => {
                                let key = self.expr(*id).await?;
                                self.fixed_in(key, span, out)
                            }
                        };
                        keys.push(key);
                        let part = self.record_part(whole, key, element).await?;
                        inner.push((element.pattern, part, own.saturating_sub(1)));
                    }
                    if let Some(rest) = rest {
                        let mut b = self.b();
                        let keys = b.list(&keys, span);
                        let part = b.form(Form::Omit, &[whole, keys], span);
                        inner.push((*rest, part, own.min(1)));
                    }
                    open.extend(inner.into_iter().rev());
                }
                Target::Path(_) => {}
            }
        }
        Ok(())
    }

    /// Binds a value to a name, so that several parts can be taken from it.
    fn fixed_in(&self, value: Id, span: Span, out: &mut Bindings<'s>) -> Id {
        let is_name = self.b().tree.form_of(value) == Form::Var;
        if is_name || self.is_constant(value) {
            return value;
        }
        let mut b = self.b();
        let name = b.make_name();
        out.push((name.clone(), value));
        b.variable(&name, span)
    }

    async fn list_part(&self, whole: Id, at: usize, element: &Element) -> Result<Id, Wrong> {
        let span = self.ast.pattern(element.pattern).span;
        let default = self.default(element.default).await?;
        let mut b = self.b();
        let at = b.number(at.to_string(), span);
        let default = default.unwrap_or_else(|| b.null(span));
        Ok(b.form(Form::Get, &[whole, at, default], span))
    }

    async fn record_part(&self, whole: Id, key: Id, element: &Element) -> Result<Id, Wrong> {
        let span = self.ast.pattern(element.pattern).span;
        let default = self.default(element.default).await?;
        let mut b = self.b();
        let default = default.unwrap_or_else(|| b.null(span));
        Ok(b.form(Form::Get, &[whole, key, default], span))
    }

    /// Lowers a default. It sees the names that are bound before it.
    async fn default(&self, default: Option<ExprId>) -> Result<Option<Id>, Wrong> {
        let Some(default) = default else { return Ok(None) };
        self.open();
        let value = self.expr(default).await?;
        Ok(Some(self.close(value, self.span(default))))
    }

    /// Names a parameter, and adds the bindings of its pattern.
    pub(super) async fn parameter(
        &self,
        element: &Element,
        own: u8,
        out: &mut Bindings<'s>,
    ) -> Result<Words<'s>, Wrong> {
        let span = self.ast.pattern(element.pattern).span;
        if let (Some(var), None) = (self.target(element.pattern), element.default) {
            self.set_own(var, own);
            return Ok(self.known.var(var).name.into());
        }
        let name = match self.target(element.pattern) {
            Some(var) => self.known.var(var).name.into(),
            None => self.b().make_name(),
        };
        let mut value = self.b().variable(&name, span);
        if let Some(default) = element.default {
            self.open();
            let default_value = self.expr(default).await?;
            let default_value = self.close(default_value, span);
            let mut b = self.b();
            value = b.form(Form::Coalesce, &[value, default_value], span);
        }
        self.bind_pattern(element.pattern, value, own, out).await?;
        Ok(name)
    }

    /// Binds a declared pattern to the value of an expression.
    pub(super) async fn declare(
        &self,
        pattern: PatternId,
        value: Option<ExprId>,
        out: &mut Bindings<'s>,
    ) -> Result<(), Wrong> {
        let span = self.ast.pattern(pattern).span;
        let Some(value) = value else {
            let null = self.b().null(span);
            if let Some(var) = self.target(pattern) {
                self.bind_name(var, null, ALL, out);
                out.extend(self.companion_binding(var, None, span));
                self.follow(var, span);
            }
            return Ok(());
        };
        let var = self.target(pattern);
        let is_tested = var.is_none_or(|var| self.known.var(var).is_tested);
        let alias = var.and_then(|var| self.alias_of(var, value));
        if let (Some(var), None) = (var, &alias)
            && let Some((place, operator, other)) = self.choice_of(var, value)
        {
            return self.declare_choice(var, &place, operator, other, out).await;
        }
        let id = if is_tested { self.lenient(value).await? } else { self.expr(value).await? };
        match (var, alias) {
            (Some(var), Some(steps)) => {
                let keys = self.place_keys(&steps).await?;
                let whole = self.variable(steps.root, span);
                let id = self.read(whole, &keys, is_tested, span);
                self.bind_name(var, id, 0, out);
                if self.is_found_in_list(var, &steps) {
                    out.extend(self.companion_binding(var, keys.last().map(|it| it.id), span));
                    self.follow(var, span);
                    return Ok(());
                }
                out.extend(self.companion_binding(var, None, span));
                let alias = self.alias(steps.root, keys, None);
                self.flow.borrow_mut().add_alias(var, alias);
            }
            (Some(var), None) => {
                self.share(value);
                let own = self.own_of(value);
                self.bind_name(var, id, own, out);
                out.extend(self.companion_binding(var, None, span));
                if own > 0 {
                    self.follow(var, span);
                }
            }
            (None, _) => {
                self.share_elements(value);
                self.bind_pattern(pattern, id, self.own_of(value), out).await?;
            }
        }
        Ok(())
    }

    /// Binds a variable to the value at a place, or to a new value where there is none:
    /// `const e = m.get(k) ?? []`.
    async fn declare_choice(
        &self,
        var: VarId,
        place: &Place<'s>,
        operator: Binary,
        other: ExprId,
        out: &mut Bindings<'s>,
    ) -> Result<(), Wrong> {
        let span = self.span(other);
        let keys = self.place_keys(place).await?;
        let whole = self.variable(place.root, span);
        let read = self.read(whole, &keys, true, span);
        let read = self.fixed_in(read, span, out);
        let test = {
            let mut b = self.b();
            if operator == Binary::Or {
                b.form(Form::Truth, &[read], span)
            } else {
                let null = b.null(span);
                let is_null = b.form(Form::Eq, &[read, null], span);
                b.form(Form::Not, &[is_null], span)
            }
        };
        let condition = self.fixed_in(test, span, out);
        self.open();
        let other = self.expr(other).await?;
        let other = self.close(other, span);
        let value = self.b().form(Form::If, &[condition, read, other], span);
        self.bind_name(var, value, 0, out);
        out.extend(self.companion_binding(var, None, span));
        let alias = self.alias(place.root, keys, Some(condition));
        self.flow.borrow_mut().add_alias(var, alias);
        Ok(())
    }

    /// Gives the elements of a list literal that has no spread elements.
    pub(super) fn list_of(&self, id: ExprId) -> Option<Vec<ExprId>> {
        match &self.ast.expr(id).what {
            What::List(items) if items.iter().all(|item| !item.is_spread) => {
                Some(items.iter().map(|item| item.value).collect())
            }
            _ => None,
        }
    }
}
