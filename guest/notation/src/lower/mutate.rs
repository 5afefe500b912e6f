//! Members that change the value before the point, such as `push`.

use crate::ast::{ExprId, Item, Span, What};
use crate::lexer::Wrong;
use crate::lower::builder::{Argument, Call};
use crate::lower::context::Cx;
use crate::lower::flow::{ALL, Key};
use crate::lower::library;
use crate::lower::place::Place;
use crate::lower::resolve::{Origin, VarId};
use crate::lower::store::Change;
use crate::tree::Id;
use pif_language::form::Form;

impl<'s> Cx<'_, 's> {
    /// Lowers a call of a member that changes the value before the point, such as `xs.push(x)`. The
    /// result is none if the call changes no variable.
    pub(super) async fn in_place(
        &self,
        id: ExprId,
        object: ExprId,
        name: &'s str,
        arguments: &[Item],
        is_wanted: bool,
    ) -> Result<Option<Id>, Wrong> {
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
            self.refuse_change(place.root, Change::Method(name), span);
            return Ok(Some(self.b().null(span)));
        }
        if name == "push"
            && !is_wanted
            && place.steps.is_empty()
            && self.gathers.borrow().contains_key(&place.root)
        {
            let parts = self.items(arguments).await?;
            self.put_in_front(place.root, &parts, span);
            let own = self.own_of_items(arguments);
            self.flow.borrow_mut().limit_place(place.root, own.saturating_add(1));
            return Ok(Some(self.b().null(span)));
        }
        let keys = self.place_keys(&place).await?;
        let before_kept =
            arguments.get(1).filter(|_| name == "set").map_or(0, |item| self.own_of(item.value));
        let is_back = name == "set" && self.is_set_back(arguments, &place, &keys);
        let pushed = self.pushed(name, arguments, &place);
        let parts = match arguments {
            [only] if pushed.is_some() => vec![(self.expr(only.value).await?, false)],
            [key, value] if is_back => {
                vec![(self.expr(key.value).await?, false), (self.expr(value.value).await?, false)]
            }
            _ => self.items(arguments).await?,
        };
        let whole = self.variable(place.root, span);
        let before = self.read(whole, &keys, false, span);
        let before = if keys.is_empty() { before } else { self.fixed(before, span) };
        let (after, value, is_moved) = self
            .changed_by(name, before, (arguments, &parts), Some(place.root), span, is_wanted)
            .await?;
        let new = self.written(whole, &keys, after, span);
        if let Some((var, own)) = pushed {
            let index = self.fixed_length(before, span);
            self.grown(place.root, new, span);
            self.step_companion(var, Some(index), span);
            let mut flow = self.flow.borrow_mut();
            let above = u8::try_from(keys.len()).unwrap_or(ALL).saturating_add(1);
            flow.limit_place(place.root, own.saturating_add(above));
            flow.limit(var, 0);
            return Ok(value);
        }
        if name == "push" && keys.is_empty() {
            // The other elements stay where they are.
            self.grown(place.root, new, span);
        } else {
            let change = if is_moved { None } else { Some(&[][..]) };
            self.changed_in_place(place.root, new, change, span);
        }
        // A key of a map does not change, so only the value counts.
        let kept = if name == "set" { arguments.get(1..).unwrap_or_default() } else { arguments };
        let own = self.own_of_items(kept);
        let becomes_alias = name == "set"
            && arguments.get(1).is_some_and(|item| self.is_kept_name(item.value, place.root));
        let own = if becomes_alias { before_kept } else { own };
        // The elements of a member of which no part changes may be seen by anybody.
        let own = match keys.last().and_then(Key::name) {
            Some(name) if self.known.reach.of(name) <= 1 => ALL,
            _ if is_back => ALL,
            _ => own,
        };
        let levels = u8::try_from(keys.len() + 1).unwrap_or(ALL).saturating_add(own);
        if matches!(name, "push" | "unshift" | "splice" | "fill" | "set" | "add") {
            self.flow.borrow_mut().limit_place(place.root, levels);
        }
        if name == "set"
            && let [key, value] = arguments
        {
            let mut stored = keys.clone();
            if let Some(id) = parts.first() {
                stored.push(self.lookup_key(id.0, key.value));
                self.alias_stored(place.root, &stored, (value.value, before_kept));
            }
        }
        Ok(Some(if let Some(value) = value {
            value
        } else {
            let whole = self.variable(place.root, span);
            self.read(whole, &keys, false, span)
        }))
    }

    /// The variable that a call pushes onto the list of its companion, if it is in no list yet, and
    /// the levels of its value that nobody else sees.
    fn pushed(&self, name: &str, arguments: &[Item], place: &Place<'s>) -> Option<(VarId, u8)> {
        let ("push", [only]) = (name, arguments) else { return None };
        let var = self.var_of(only.value).filter(|_| !only.is_spread)?;
        if !self.is_own_list(var, place.root, &place.steps) || !self.is_unlisted(var) {
            return None;
        }
        Some((var, self.flow.borrow().own(var)))
    }

    fn fixed_length(&self, list: Id, span: Span) -> Id {
        let length = {
            let mut b = self.b();
            let length = b.text("length", span);
            b.form(Form::Get, &[list, length], span)
        };
        self.fixed(length, span)
    }

    /// Tells whether `m.set(k, e)` puts the alias of a place back where it is.
    fn is_set_back(&self, arguments: &[Item], place: &Place<'s>, keys: &[Key]) -> bool {
        let [key, value] = arguments else { return false };
        let Some(key) = self.steady_key(key.value) else { return false };
        let keys: Vec<Key> = keys.iter().cloned().chain([key]).collect();
        self.is_put_back(value.value, place.root, &keys)
    }

    /// Tells whether no caller sees the value of a variable: it is no argument, or the function
    /// alone sees it.
    fn is_found(&self, var: VarId) -> bool {
        self.known.var(var).origin != Origin::Parameter
            || self.is_main(var)
            || self.flow.borrow().own(var) > 0
    }

    /// Lowers `s.split("/").pop()`: takes an element of a fresh list. None for any other list.
    async fn taken_of_fresh(
        &self,
        object: ExprId,
        name: &'s str,
        arguments: &[Item],
        span: Span,
    ) -> Result<Option<Id>, Wrong> {
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

    /// Makes the value after a change. Gives also the value of the call if it is another one, and
    /// whether elements have moved.
    async fn changed_by(
        &self,
        name: &'s str,
        before: Id,
        (arguments, parts): (&[Item], &[(Id, bool)]),
        root: Option<VarId>,
        span: Span,
        is_wanted: bool,
    ) -> Result<(Id, Option<Id>, bool), Wrong> {
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
                let end = if let Some((count, _)) = parts.get(1) {
                    let count = b.form(Form::Max, &[*count, zero], span);
                    b.form(Form::Add, &[start, count], span)
                } else {
                    let length = b.text("length", span);
                    b.form(Form::Get, &[before, length], span)
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

    /// Makes a start index within the list. A negative start counts from the end.
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
