//! Changes: assignments, `++`, `delete`, and members such as `push`.

use crate::ast::{Binary, ExprId, Item, Key as PatternKey, PatternId, Span, Target, What};
use crate::lower::builder::{Argument, Call};
use crate::lower::library;
use crate::lower::owned::{ALL, Alias};
use crate::lower::place::{Key, Place};
use crate::lower::resolve::{Origin, VarId};
use crate::lower::{Cx, Lowered};
use crate::tree::Id;
use pif_language::form::Form;

impl<'s> Cx<'_, 's> {
    /// An assignment as an expression.
    pub(super) async fn assign(
        &self,
        id: ExprId,
        target: PatternId,
        operator: Option<Binary>,
        value: ExprId,
    ) -> Lowered {
        self.assign_any(id, target, operator, value, true).await
    }

    /// An assignment; whether somebody takes its value.
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
            Target::Name(name) => match self.target(target) {
                Some(var) => {
                    self.assign_place(id, target, (var, Vec::new()), operator, value, is_wanted)
                        .await
                }
                None => {
                    let hint = format!("declare it first: let {name} = 0");
                    Ok(self.refuse(span.0, &format!("`{name}` is no variable"), &hint))
                }
            },
            Target::Path(path) => match self.place_of(*path) {
                Some(place) => {
                    let keys = self.place_keys(&place).await?;
                    let (operator, value) = self.default_of(&place, operator, value);
                    self.assign_place(id, target, (place.root, keys), operator, value, is_wanted)
                        .await
                }
                None => {
                    let hint =
                        "bind the value to a name and change that, or make a new one: {...r, k: v}";
                    Ok(self.refuse(
                        span.0,
                        "this value has no name under which it could change",
                        hint,
                    ))
                }
            },
            Target::List { .. } | Target::Record { .. } => {
                self.assign_parts(target, value, span).await
            }
        }
    }

    /// `m[k] = m[k] || x` is `m[k] ||= x`.
    fn default_of(
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

    /// An assignment within the place of another one.
    pub(super) async fn assign_nested(
        self,
        id: ExprId,
        target: PatternId,
        place: (VarId, Vec<Key>),
        operator: Option<Binary>,
        value: ExprId,
    ) -> Lowered {
        self.assign_place(id, target, place, operator, value, false).await
    }

    /// Assigns to a place whose keys are terms.
    pub(super) async fn assign_place(
        &self,
        id: ExprId,
        target: PatternId,
        (var, keys): (VarId, Vec<Key>),
        operator: Option<Binary>,
        value: ExprId,
        is_wanted: bool,
    ) -> Lowered {
        let span = self.span(id);
        let whole = self.variable(var, span);
        let lenient = matches!(operator, Some(Binary::And | Binary::Or | Binary::Nullish));
        let before = operator.map(|_| self.read(whole, &keys, lenient, span));
        let is_alias = operator.is_none() && keys.is_empty();
        let alias = if is_alias { self.alias_of(var, value) } else { None };
        let own = |cx: &Self| match operator {
            None => cx.own_of(value),
            Some(Binary::Or | Binary::Nullish | Binary::And) => {
                cx.own_of(value).min(if keys.is_empty() { cx.flow.borrow().own(var) } else { ALL })
            }
            Some(_) => ALL,
        };
        let before_kept = self.own_of(value);
        let new = match (operator, before) {
            (Some(operator), Some(before)) if lenient => {
                let start = if self.has_effects(value) { self.fixed(before, span) } else { before };
                self.open();
                let right = self.kept(value).await?;
                let right = self.close(right, span);
                let form = match operator {
                    Binary::And => Form::Both,
                    Binary::Or => Form::Either,
                    _ => Form::Coalesce,
                };
                self.b().form(form, &[start, right], span)
            }
            (Some(operator), Some(before)) => {
                let before =
                    if self.has_effects(value) { self.fixed(before, span) } else { before };
                let right = self.expr(value).await?;
                self.operation(operator, [before, right], span, false)
            }
            _ => match &alias {
                Some(place) => {
                    let place_keys = self.place_keys(place).await?;
                    let whole = self.variable(place.root, span);
                    let read = self.read(whole, &place_keys, true, span);
                    self.rebind(var, read, span);
                    let mut flow = self.flow.borrow_mut();
                    flow.set_own(var, 0);
                    flow.aliases.insert(var, Alias { root: place.root, keys: place_keys });
                    drop(flow);
                    return Ok(self.variable(var, span));
                }
                None => {
                    let tested = keys.is_empty() && self.known.var(var).is_tested;
                    let new =
                        if tested { self.lenient(value).await? } else { self.expr(value).await? };
                    self.share(value);
                    new
                }
            },
        };
        let own = if !keys.is_empty() && operator.is_none() && self.is_kept_name(value, var) {
            before_kept
        } else {
            own(self)
        };
        if keys.is_empty() {
            if self.known.var(var).is_constant() {
                let name = self.known.var(var).name;
                let hint = format!("declare it by let: let {name} = 0");
                return Ok(self.refuse(
                    self.ast.pattern(target).span.0,
                    &format!("`{name}` is a const"),
                    &hint,
                ));
            }
            self.rebind(var, new, span);
            self.set_own(var, own);
            return Ok(self.variable(var, span));
        }
        let new = if is_wanted && !self.is_constant(new) { self.fixed(new, span) } else { new };
        self.store(var, &keys, new, own, span, "an assignment");
        self.alias_stored(var, &keys, value);
        Ok(new)
    }

    /// Puts a value at a path.
    fn store(&self, var: VarId, keys: &[Key], value: Id, own: u8, span: Span, what: &str) {
        if !self.may_change(var, keys.len(), span.0) {
            self.refuse_change(var, what, span);
            return;
        }
        let whole = self.variable(var, span);
        let value = self.written(whole, keys, value, span);
        self.changed_in_place(var, value, Some(keys), span);
        let levels = u8::try_from(keys.len()).unwrap_or(ALL).saturating_add(own);
        self.flow.borrow_mut().limit(var, levels);
    }

    /// Whether a value is a variable that changes in place, so that it and its place go together.
    fn is_kept_name(&self, value: ExprId, root: VarId) -> bool {
        let var = match self.ast.expr(value).what {
            What::Name(_) => self.var_of(value),
            _ => None,
        };
        var.is_some_and(|var| {
            self.known.var(var).is_mutated && var != root && self.flow.borrow().own(var) == 0
        })
    }

    /// A variable that has just been put at a path, and changes later, is an alias of the place.
    fn alias_stored(&self, root: VarId, keys: &[Key], value: ExprId) {
        if let What::Name(_) = self.ast.expr(value).what
            && let Some(var) = self.var_of(value)
            && self.known.var(var).is_mutated
            && var != root
        {
            let mut flow = self.flow.borrow_mut();
            if flow.own(var) > 0 || flow.aliases.contains_key(&var) {
                return;
            }
            flow.aliases.insert(var, Alias { root, keys: keys.to_vec() });
        }
    }

    fn refuse_change(&self, var: VarId, what: &str, span: Span) {
        let name = self.known.var(var).name;
        let message = format!("{what} would change `{name}`, which is seen by another name, too");
        let hint = match what.trim_matches('`') {
            "sort" => format!("write {name}.toSorted((a, b) => a - b)"),
            "reverse" => format!("write {name}.toReversed()"),
            "push" => format!("make a list of its own: [...{name}, x]"),
            "delete" => format!("make a record without the member: const {{k, ...rest}} = {name}"),
            _ => format!("make a copy first: structuredClone({name})"),
        };
        self.refuse(span.0, &message, &hint);
    }

    /// `[a, b] = [b, a]`
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

    async fn assign_part(
        &self,
        pattern: PatternId,
        value: Id,
        work: &mut Vec<(PatternId, Id)>,
    ) -> Result<(), crate::lexer::Wrong> {
        let span = self.ast.pattern(pattern).span;
        match &self.ast.pattern(pattern).what {
            Target::Name(name) => match self.target(pattern) {
                Some(var) => {
                    self.rebind(var, value, span);
                    self.set_own(var, 0);
                }
                None => {
                    let hint = format!("declare it first: let {name} = 0");
                    self.refuse(span.0, &format!("`{name}` is no variable"), &hint);
                }
            },
            Target::Path(path) => match self.place_of(*path) {
                Some(place) => {
                    let keys = self.place_keys(&place).await?;
                    self.store(place.root, &keys, value, 0, span, "an assignment");
                }
                None => {
                    let hint = "bind the value to a name and change that";
                    self.refuse(span.0, "this value has no name under which it could change", hint);
                }
            },
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
                        PatternKey::Named(name) => self.b().text(name.clone(), span),
                        PatternKey::Computed(id) => self.expr(*id).await?,
                    };
                    let part = self.part_of(value, Err(key), element.default, span).await?;
                    work.push((element.pattern, part));
                }
                work.get_mut(start..).unwrap_or_default().reverse();
            }
        }
        Ok(())
    }

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

    /// `x++`, `--x`
    pub(super) async fn update(
        &self,
        id: ExprId,
        target: PatternId,
        increases: bool,
        is_prefix: bool,
    ) -> Lowered {
        self.update_any(id, target, increases, is_prefix, true).await
    }

    pub(super) async fn update_any(
        &self,
        id: ExprId,
        target: PatternId,
        increases: bool,
        is_prefix: bool,
        is_wanted: bool,
    ) -> Lowered {
        let span = self.span(id);
        let place = match &self.ast.pattern(target).what {
            Target::Name(_) => self.target(target).map(|root| Place { root, steps: Vec::new() }),
            Target::Path(path) => self.place_of(*path),
            _ => None,
        };
        let Some(place) = place else {
            let hint = "declare it first: let n = 0";
            return Ok(self.refuse(span.0, "this is no variable that could change", hint));
        };
        let keys = self.place_keys(&place).await?;
        let whole = self.variable(place.root, span);
        let before = self.read(whole, &keys, false, span);
        let keeps_old = is_wanted && !is_prefix;
        let before = if keeps_old { self.fixed(before, span) } else { before };
        let new = {
            let mut b = self.b();
            let one = b.number("1", span);
            let form = if increases { Form::Add } else { Form::Sub };
            b.form(form, &[before, one], span)
        };
        if keys.is_empty() {
            if self.known.var(place.root).is_constant() {
                let name = self.known.var(place.root).name;
                let hint = format!("declare it by let: let {name} = 0");
                return Ok(self.refuse(span.0, &format!("`{name}` is a const"), &hint));
            }
            self.rebind(place.root, new, span);
            return Ok(if keeps_old { before } else { self.variable(place.root, span) });
        }
        let new = if is_wanted && !keeps_old { self.fixed(new, span) } else { new };
        self.store(place.root, &keys, new, ALL, span, "a change");
        Ok(if keeps_old { before } else { new })
    }

    /// `delete r.k`
    pub(super) async fn delete(&self, id: ExprId, operand: ExprId) -> Lowered {
        let span = self.span(id);
        let place = self.place_of(operand).filter(|place| !place.steps.is_empty());
        let Some(place) = place else {
            let hint = "make a record without the member: const {k, ...rest} = r";
            return Ok(self.refuse(span.0, "`delete` takes a member of a variable", hint));
        };
        let mut keys = self.place_keys(&place).await?;
        let Some(last) = keys.pop() else { return Ok(self.b().null(span)) };
        if !self.may_change(place.root, keys.len() + 1, span.0) {
            self.refuse_change(place.root, "`delete`", span);
            return Ok(self.b().null(span));
        }
        let whole = self.variable(place.root, span);
        let inner = self.read(whole, &keys, false, span);
        let inner = self.b().form(Form::Remove, &[inner, last.id], span);
        let value = self.written(whole, &keys, inner, span);
        self.changed_in_place(place.root, value, None, span);
        Ok(self.b().boolean(true, span))
    }

    /// A member that changes the value before the point: `xs.push(x)`. Nothing if it changes no
    /// variable, so that its value is all there is.
    pub(super) async fn in_place(
        &self,
        id: ExprId,
        object: ExprId,
        name: &'s str,
        arguments: &[Item],
        is_wanted: bool,
    ) -> Result<Option<Id>, crate::lexer::Wrong> {
        let span = self.span(id);
        let Some(place) = self.place_of(object) else {
            return self.taken_of_fresh(object, name, arguments, span).await;
        };
        let gives_itself = matches!(name, "sort" | "reverse" | "fill" | "copyWithin");
        let is_free = !self.is_seen_after(place.root, span.1.saturating_sub(1));
        let is_alone = !self.is_seen_by_others(place.root, place.depth(), span.1.saturating_sub(1));
        if gives_itself && is_wanted && is_free && is_alone && self.is_found(place.root) {
            return Ok(None);
        }
        if !self.may_change(place.root, place.depth() + 1, span.0) {
            self.refuse_change(place.root, &format!("`{name}`"), span);
            return Ok(Some(self.b().null(span)));
        }
        if name == "push"
            && !is_wanted
            && place.steps.is_empty()
            && self.gathers.borrow().contains_key(&place.root)
        {
            let parts = self.items(arguments).await?;
            self.put_in_front(place.root, &parts, span);
            let own = arguments.iter().map(|item| self.own_of(item.value)).min().unwrap_or(ALL);
            self.flow.borrow_mut().limit(place.root, own.saturating_add(1));
            return Ok(Some(self.b().null(span)));
        }
        let keys = self.place_keys(&place).await?;
        let before_kept =
            arguments.get(1).filter(|_| name == "set").map_or(0, |item| self.own_of(item.value));
        let parts = self.items(arguments).await?;
        let whole = self.variable(place.root, span);
        let before = self.read(whole, &keys, false, span);
        let before = if keys.is_empty() { before } else { self.fixed(before, span) };
        let (after, value, is_moved) =
            self.changed_by(name, before, (arguments, &parts), Some(place.root), span, is_wanted).await?;
        let new = self.written(whole, &keys, after, span);
        self.changed_in_place(place.root, new, if is_moved { None } else { Some(&[]) }, span);
        // Of a map's key nobody changes a part.
        let kept = if name == "set" { arguments.get(1..).unwrap_or_default() } else { arguments };
        let own = kept.iter().map(|item| self.own_of(item.value)).min().unwrap_or(ALL);
        let becomes_alias = name == "set"
            && arguments.get(1).is_some_and(|item| self.is_kept_name(item.value, place.root));
        let own = if becomes_alias { before_kept } else { own };
        let levels = u8::try_from(keys.len() + 1).unwrap_or(ALL).saturating_add(own);
        if matches!(name, "push" | "unshift" | "splice" | "fill" | "set" | "add") {
            self.flow.borrow_mut().limit(place.root, levels);
        }
        if name == "set"
            && let [key, value] = arguments
        {
            let mut stored = keys.clone();
            if let Some(id) = parts.first() {
                stored.push(self.lookup_key(id.0, key.value));
                self.alias_stored(place.root, &stored, value.value);
            }
        }
        Ok(Some(match value {
            Some(value) => value,
            None => {
                let whole = self.variable(place.root, span);
                self.read(whole, &keys, false, span)
            }
        }))
    }

    /// `s.split("/").pop()`: what is taken from a list that nobody else sees. Nothing for any other.
    async fn taken_of_fresh(
        &self,
        object: ExprId,
        name: &'s str,
        arguments: &[Item],
        span: Span,
    ) -> Result<Option<Id>, crate::lexer::Wrong> {
        if !matches!(name, "pop" | "shift" | "splice") || self.own_of(object) == 0 {
            return Ok(None);
        }
        let before = self.expr(object).await?;
        let before = self.fixed(before, span);
        let parts = self.items(arguments).await?;
        let (_, value, _) =
            self.changed_by(name, before, (arguments, &parts), None, span, true).await?;
        Ok(value)
    }

    /// Whether a variable's value comes from outside, or is this function's own: not an argument
    /// that a caller sees.
    fn is_found(&self, var: VarId) -> bool {
        self.known.var(var).origin != Origin::Parameter
            || self.is_main(var)
            || self.flow.borrow().own(var) > 0
    }

    /// The value after a change, the value of the call if it is another one, and whether elements
    /// have moved.
    async fn changed_by(
        &self,
        name: &'s str,
        before: Id,
        (arguments, parts): (&[Item], &[(Id, bool)]),
        root: Option<VarId>,
        span: Span,
        is_wanted: bool,
    ) -> Result<(Id, Option<Id>, bool), crate::lexer::Wrong> {
        let first = parts.first().map(|part| part.0);
        let null = self.b().null(span);
        Ok(match name {
            "push" | "unshift" => {
                let items = self.join_lists(parts, span);
                let operands = if name == "push" { [before, items] } else { [items, before] };
                let after = self.b().form(Form::Append, &operands, span);
                if !is_wanted {
                    return Ok((after, Some(null), name == "unshift"));
                }
                let after = self.fixed(after, span);
                let mut b = self.b();
                let length = b.text("length", span);
                let length = b.form(Form::Get, &[after, length], span);
                (after, Some(length), name == "unshift")
            }
            "pop" | "shift" => {
                let (value, after) = {
                    let mut b = self.b();
                    let zero = b.number("0", span);
                    if name == "pop" {
                        let length = b.text("length", span);
                        let length = b.form(Form::Get, &[before, length], span);
                        let one = b.number("1", span);
                        let last = b.form(Form::Sub, &[length, one], span);
                        let value = b.form(Form::Get, &[before, last, null], span);
                        let end = b.number("-1", span);
                        (value, b.form(Form::Slice, &[before, zero, end], span))
                    } else {
                        let value = b.form(Form::Get, &[before, zero, null], span);
                        let one = b.number("1", span);
                        (value, b.form(Form::Drop, &[before, one], span))
                    }
                };
                let value = if is_wanted { self.fixed(value, span) } else { null };
                (after, Some(value), true)
            }
            "splice" => {
                let rest = parts.get(2..).unwrap_or_default();
                let items = self.join_lists(rest, span);
                let start = first.unwrap_or(null);
                let start = self.index_from(before, start, span);
                let mut b = self.b();
                let zero = b.number("0", span);
                let end = match parts.get(1) {
                    Some((count, _)) => {
                        let count = b.form(Form::Max, &[*count, zero], span);
                        b.form(Form::Add, &[start, count], span)
                    }
                    None => {
                        let length = b.text("length", span);
                        b.form(Form::Get, &[before, length], span)
                    }
                };
                drop(b);
                let end = self.fixed(end, span);
                let removed = {
                    let mut b = self.b();
                    b.form(Form::Slice, &[before, start, end], span)
                };
                let removed = if is_wanted { self.fixed(removed, span) } else { null };
                let mut b = self.b();
                let head = b.form(Form::Slice, &[before, zero, start], span);
                let tail = b.form(Form::Slice, &[before, end], span);
                let tail = b.form(Form::Append, &[items, tail], span);
                (b.form(Form::Append, &[head, tail], span), Some(removed), true)
            }
            "set" => {
                let operands = [Some(before), first, parts.get(1).map(|part| part.0)];
                let operands: Vec<Id> = operands.into_iter().flatten().collect();
                (self.b().form(Form::Insert, &operands, span), None, false)
            }
            "add" => {
                let operands: Vec<Id> = [Some(before), first].into_iter().flatten().collect();
                (self.b().form(Form::Insert, &operands, span), None, false)
            }
            "delete" => {
                let key = self.fixed(first.unwrap_or(null), span);
                let value = self.b().form(Form::Has, &[before, key], span);
                let value = if is_wanted { self.fixed(value, span) } else { null };
                (self.b().form(Form::Remove, &[before, key], span), Some(value), true)
            }
            "clear" => {
                let value = root.and_then(|root| self.known.var(root).value);
                let is_map = value.is_some_and(|id| {
                    matches!(self.ast.expr(id).what, What::New { name: "Map", .. })
                });
                let mut b = self.b();
                let empty = b.list(&[], span);
                let form = if is_map { Form::ToMap } else { Form::ToSet };
                (b.form(form, &[empty], span), Some(null), true)
            }
            _ => {
                let call = Call {
                    name: name.into(),
                    at: span.0,
                    subject: Some(before),
                    arguments: arguments
                        .iter()
                        .zip(parts)
                        .map(|(item, (id, is_spread))| Argument {
                            id: *id,
                            is_spread: *is_spread,
                            takes: self.takes(item.value),
                        })
                        .collect(),
                    span,
                };
                let after = library::member(&mut self.b(), &call);
                let after = match after {
                    Ok(found) => found.unwrap_or(null),
                    Err(wrong) => self.noted(Err(wrong), span),
                };
                (after, None, true)
            }
        })
    }

    /// A start that may count from the end, within the list.
    fn index_from(&self, list: Id, start: Id, span: Span) -> Id {
        let is_plain = self.b().tree.digits(start).is_some_and(|digits| !digits.starts_with('-'));
        let start = {
            let mut b = self.b();
            let length = b.text("length", span);
            let length = b.form(Form::Get, &[list, length], span);
            if is_plain {
                b.form(Form::Min, &[start, length], span)
            } else {
                let zero = b.number("0", span);
                let test = b.form(Form::Lt, &[start, zero], span);
                let sum = b.form(Form::Add, &[length, start], span);
                let from_end = b.form(Form::Max, &[sum, zero], span);
                let within = b.form(Form::Min, &[start, length], span);
                b.form(Form::If, &[test, from_end, within], span)
            }
        };
        self.fixed(start, span)
    }
}
