//! Members and elements, and chains of them with `?.`.

use crate::ast::{Ast, ExprId, Item, Span, What};
use crate::lexer::Wrong;
use crate::lower::context::{Cx, Lowered};
use crate::lower::library;
use crate::lower::names::is_global;
use crate::tree::{Id, Syntax, Words};
use pif_language::form::Form;

/// A step of a path of members.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step<'s> {
    Name(&'s str, Span),
    Index(ExprId),
}

/// A link of a chain that has a `?.` in it.
#[derive(Debug)]
struct Link<'a, 's> {
    id: ExprId,
    is_optional: bool,
    what: LinkKind<'a, 's>,
}

#[derive(Debug)]
enum LinkKind<'a, 's> {
    Step(Step<'s>),
    /// A call of the value before it. A call of a member has the member's name.
    Call(Option<&'s str>, &'a [Item]),
}

/// Tells of each expression whether it is a chain with a `?.` in it.
pub(super) fn optionals(ast: &Ast<'_>) -> Vec<bool> {
    let mut all: Vec<bool> = Vec::with_capacity(ast.exprs.len());
    for expr in &ast.exprs {
        let before = |id: ExprId| {
            !ast.expr(id).in_parentheses && all.get(id as usize).copied().unwrap_or_default()
        };
        all.push(match expr.what {
            What::Member { object, is_optional, .. } | What::Index { object, is_optional, .. } => {
                is_optional || before(object)
            }
            What::Call { callee, is_optional, .. } => is_optional || before(callee),
            _ => false,
        });
    }
    all
}

impl<'a, 's> Cx<'a, 's> {
    /// Splits a path of members into the expression where it begins and its steps.
    pub(super) fn path(&self, id: ExprId) -> Option<(ExprId, Vec<Step<'s>>)> {
        let mut first = id;
        let mut steps = Vec::new();
        loop {
            let expr = self.ast.expr(first);
            if expr.in_parentheses && first != id {
                break;
            }
            match &expr.what {
                What::Member { object, name, name_at, is_optional: false } => {
                    if self.is_global_name(*object) {
                        return None;
                    }
                    steps.push(Step::Name(name, (*name_at, expr.span.1)));
                    first = *object;
                }
                What::Index { object, index, is_optional: false } => {
                    steps.push(Step::Index(*index));
                    first = *object;
                }
                What::Member { .. } | What::Index { .. } => return None,
                _ => break,
            }
        }
        steps.reverse();
        Some((first, steps))
    }

    /// Tells whether an expression is an object of JavaScript such as `Math`.
    pub(super) fn is_global_name(&self, id: ExprId) -> bool {
        matches!(self.ast.expr(id).what, What::Name(name) if is_global(name))
            && self.var_of(id).is_none()
    }

    /// Lowers the keys of a path.
    pub(super) async fn keys(&self, steps: &[Step<'s>]) -> Result<Vec<Id>, Wrong> {
        let mut keys = Vec::with_capacity(steps.len());
        for step in steps {
            keys.push(self.key(*step).await?);
        }
        Ok(keys)
    }

    pub(super) async fn key(&self, step: Step<'s>) -> Lowered {
        match step {
            Step::Name(name, span) => Ok(self.b().text(name, span)),
            Step::Index(index) => self.expr(index).await,
        }
    }

    /// Lowers a member or an element. A lenient access gives null for an absent member.
    pub(super) async fn access(&self, id: ExprId, lenient: bool) -> Lowered {
        let span = self.span(id);
        if self.has_optional(id) {
            return self.optional(id, lenient).await;
        }
        if let Some(found) = self.global(id) {
            return Ok(found);
        }
        if lenient && let Some((root, steps)) = self.path(id) {
            let whole = self.expr(root).await?;
            let whole = self.before_effects(whole, &steps, root);
            let keys = self.keys(&steps).await?;
            return Ok(self.get_in(whole, &keys, span));
        }
        // A chain of members is a loop, however long it is.
        let mut links = Vec::new();
        let mut first = id;
        loop {
            let expr = self.ast.expr(first);
            let (step, object) = match &expr.what {
                What::Member { object, name, name_at, .. } => {
                    (Step::Name(name, (*name_at, expr.span.1)), *object)
                }
                What::Index { object, index, .. } => (Step::Index(*index), *object),
                _ => break,
            };
            if first != id && self.global(first).is_some() {
                break;
            }
            links.push((step, expr.span));
            first = object;
        }
        let mut value = match self.ast.expr(first).what {
            What::Member { .. } => self.global(first).unwrap_or_default(),
            _ => self.expr(first).await?,
        };
        for (step, span) in links.into_iter().rev() {
            value = self.before_effects(value, &[step], first);
            let key = self.key(step).await?;
            let mut b = self.b();
            value = b.form(Form::Get, &[value, key], span);
            b.tree.set_syntax(value, Syntax::Member);
        }
        Ok(value)
    }

    fn before_effects(&self, value: Id, steps: &[Step<'s>], root: ExprId) -> Id {
        let changes = steps.iter().any(|step| match step {
            Step::Index(index) => self.has_effects(*index),
            Step::Name(..) => false,
        });
        if changes { self.fixed(value, self.span(root)) } else { value }
    }

    /// Makes a `get_in` that gives null for an absent member.
    fn get_in(&self, whole: Id, keys: &[Id], span: Span) -> Id {
        let mut b = self.b();
        let keys = b.list(keys, span);
        let null = b.null(span);
        b.form(Form::GetIn, &[whole, keys, null], span)
    }

    /// A constant or a function of JavaScript: `Math.PI`, `Object.keys`.
    fn global(&self, id: ExprId) -> Option<Id> {
        let path = self.global_path(id)?;
        let span = self.span(id);
        let mut b = self.b();
        library::constant(&mut b, &path, span).or_else(|| library::as_function(&mut b, &path, span))
    }

    /// The name of a member of an object of JavaScript.
    pub(super) fn global_path(&self, id: ExprId) -> Option<Words<'s>> {
        let What::Member { object, name, .. } = &self.ast.expr(id).what else { return None };
        match self.ast.expr(*object).what {
            What::Name("globalThis") if self.var_of(*object).is_none() => Some((*name).into()),
            What::Name(first) if self.is_global_name(*object) => {
                Some(format!("{first}.{name}").into())
            }
            _ => self.long_path(id).map(Words::from),
        }
    }

    /// The path of a function of the library that has more than two names, such as
    /// `Object.prototype.hasOwnProperty.call`.
    fn long_path(&self, id: ExprId) -> Option<String> {
        let (mut names, mut first) = (Vec::new(), id);
        while let What::Member { object, name, is_optional: false, .. } = &self.ast.expr(first).what
            && names.len() < library::LONGEST_PATH
        {
            names.push(*name);
            first = *object;
        }
        let What::Name(global) = self.ast.expr(first).what else { return None };
        names.push(global);
        names.reverse();
        let path = names.join(".");
        (self.is_global_name(first) && library::is_function(&path)).then_some(path)
    }

    /// Tells whether a `?.` stands in a chain, before the parentheses that end it.
    pub(super) fn has_optional(&self, id: ExprId) -> bool {
        self.optionals.get(id as usize).copied().unwrap_or_default()
    }

    /// Lowers a chain with `?.`. It is null if the value before a `?.` is null.
    pub(super) async fn optional(&self, id: ExprId, lenient: bool) -> Lowered {
        let mut links = Vec::new();
        let mut first = id;
        let ast = &self.lower.ast;
        loop {
            let expr = ast.expr(first);
            if expr.in_parentheses && first != id {
                break;
            }
            match &expr.what {
                What::Member { object, name, name_at, is_optional } => {
                    let what = LinkKind::Step(Step::Name(name, (*name_at, expr.span.1)));
                    links.push(Link { id: first, is_optional: *is_optional, what });
                    first = *object;
                }
                What::Index { object, index, is_optional } => {
                    let what = LinkKind::Step(Step::Index(*index));
                    links.push(Link { id: first, is_optional: *is_optional, what });
                    first = *object;
                }
                What::Call { callee, arguments, is_optional } => {
                    let member = match &self.ast.expr(*callee).what {
                        What::Member { object, name, is_optional: in_member, .. } => {
                            Some((*object, *name, *in_member))
                        }
                        _ => None,
                    };
                    let (name, next, opens) = match member {
                        Some((object, name, opens)) if !*is_optional => (Some(name), object, opens),
                        _ => (None, *callee, *is_optional),
                    };
                    links.push(Link {
                        id: first,
                        is_optional: opens,
                        what: LinkKind::Call(name, arguments),
                    });
                    first = next;
                }
                _ => break,
            }
        }
        links.reverse();
        let start = self.lenient(first).await?;
        self.stack.call(self.clone().links(start, links, lenient)).await
    }

    /// Lowers the rest of a chain behind a value.
    async fn links(self, start: Id, links: Vec<Link<'a, 's>>, lenient: bool) -> Lowered {
        let span = links.last().map_or((0, 0), |link| self.span(link.id));
        // A path without calls is null if a member on it is absent.
        if links.iter().all(|link| matches!(link.what, LinkKind::Step(_))) {
            let has_optional = links.iter().any(|link| link.is_optional);
            let steps: Vec<Step<'s>> = links.iter().filter_map(Link::step).collect();
            if !has_optional && !lenient {
                return self.strict(start, &steps, span).await;
            }
            if steps.is_empty() {
                return Ok(start);
            }
            let keys = self.keys(&steps).await?;
            let found = self.get_in(start, &keys, span);
            self.b().tree.set_syntax(found, Syntax::Optional);
            return Ok(found);
        }
        let Some(at) = links.iter().position(|link| link.is_optional) else {
            return self.apply_links(start, links, lenient).await;
        };
        let mut links = links;
        let mut rest = links.split_off(at);
        let is_path = links.iter().all(|link| matches!(link.what, LinkKind::Step(_)));
        let head = if is_path {
            let steps: Vec<Step<'s>> = links.iter().filter_map(Link::step).collect();
            match steps.as_slice() {
                [] => start,
                steps => {
                    let keys = self.keys(steps).await?;
                    self.get_in(start, &keys, span)
                }
            }
        } else {
            self.stack.call(self.clone().links(start, links, true)).await?
        };
        if let Some(first) = rest.first_mut() {
            first.is_optional = false;
        }
        let is_variable = self.b().tree.form_of(head) == Form::Var;
        let value = if is_variable { head } else { self.fixed(head, span) };
        let test = {
            let mut b = self.b();
            let null = b.null(span);
            b.form(Form::Eq, &[value, null], span)
        };
        self.open();
        let called = self.stack.call(self.clone().links(value, rest, lenient)).await?;
        let called = self.close(called, span);
        let mut b = self.b();
        let null = b.null(span);
        Ok(b.form(Form::If, &[test, null, called], span))
    }

    async fn strict(&self, start: Id, steps: &[Step<'s>], span: Span) -> Lowered {
        let mut value = start;
        for step in steps {
            let key = self.key(*step).await?;
            value = self.b().form(Form::Get, &[value, key], span);
        }
        Ok(value)
    }

    /// Lowers a chain that has calls and no `?.`.
    async fn apply_links(&self, start: Id, links: Vec<Link<'a, 's>>, lenient: bool) -> Lowered {
        let last_call =
            links.iter().rposition(|link| matches!(link.what, LinkKind::Call(..))).unwrap_or(0);
        let mut value = start;
        let mut tail = Vec::new();
        for (at, link) in links.into_iter().enumerate() {
            let span = self.span(link.id);
            value = match link.what {
                LinkKind::Step(step) if at < last_call => self.strict(value, &[step], span).await?,
                LinkKind::Step(step) => {
                    tail.push(step);
                    continue;
                }
                LinkKind::Call(Some(name), arguments) => {
                    self.call_member(link.id, value, None, name, arguments).await?
                }
                LinkKind::Call(None, arguments) => {
                    self.call_value(link.id, value, arguments).await?
                }
            };
        }
        let span = self.b().tree.span(value);
        if lenient && !tail.is_empty() {
            let keys = self.keys(&tail).await?;
            return Ok(self.get_in(value, &keys, span));
        }
        self.strict(value, &tail, span).await
    }
}

impl<'s> Link<'_, 's> {
    fn step(&self) -> Option<Step<'s>> {
        match self.what {
            LinkKind::Step(step) => Some(step),
            LinkKind::Call(..) => None,
        }
    }
}
