//! Members that change the value before the point, such as `push`.

use crate::ast::{ExprId, Item, Span, What};
use crate::lexer::Wrong;
use crate::lower::builder::{Argument, Call};
use crate::lower::context::{Cx, Lowered};
use crate::lower::flow::{ALL, Key};
use crate::lower::library;
use crate::lower::place::Place;
use crate::lower::resolve::{Origin, VarId};
use crate::lower::store::Change;
use crate::tree::Id;
use pif_language::form::Form;

/// A call of a member that changes the value before the point.
#[derive(Clone, Copy)]
struct Mutation<'c, 's> {
    name: &'s str,
    /// The value before the change.
    before: Id,
    arguments: &'c [Item],
    /// The arguments as terms, and whether they are spread.
    parts: &'c [(Id, bool)],
    /// The variable that holds the value, if one does.
    root: Option<VarId>,
    span: Span,
    /// Whether the program uses the value of the call.
    is_wanted: bool,
}

/// The outcome of a mutation.
struct Changed {
    /// The value after the change.
    after: Id,
    /// The value of the call, if it is another one.
    value: Option<Id>,
    /// Whether elements have moved.
    is_moved: bool,
}

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
        let is_gathered = place.steps.is_empty() && self.gathers.borrow().contains_key(&place.root);
        if name == "push" && !is_wanted && is_gathered {
            return self.gathered_push(place.root, arguments, span).await.map(Some);
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
        let root = Some(place.root);
        let it = Mutation { name, before, arguments, parts: &parts, root, span, is_wanted };
        let Changed { after, value, is_moved } = self.changed_by(&it);
        let new = self.written(whole, &keys, after, span);
        if let Some((var, own)) = pushed {
            let index = self.fixed(self.length(before, span), span);
            self.grown(place.root, new, span);
            self.step_companion(var, Some(index), span);
            let above = u8::try_from(keys.len()).unwrap_or(ALL).saturating_add(1);
            self.flow.borrow_mut().limit_place(place.root, own.saturating_add(above));
            self.flow.borrow_mut().limit(var, 0);
            return Ok(value);
        }
        if name == "push" && keys.is_empty() {
            // The other elements stay where they are.
            self.grown(place.root, new, span);
        } else {
            let change = if is_moved { None } else { Some(&[][..]) };
            self.changed_in_place(place.root, new, change, span);
        }
        self.note_kept(&it, (&place, &keys), (before_kept, is_back));
        Ok(Some(value.unwrap_or_else(|| {
            let whole = self.variable(place.root, span);
            self.read(whole, &keys, false, span)
        })))
    }

    /// Pushes elements onto a list that a loop gathers.
    async fn gathered_push(&self, list: VarId, arguments: &[Item], span: Span) -> Lowered {
        let parts = self.items(arguments).await?;
        self.put_in_front(list, &parts, span);
        let own = self.own_of_items(arguments);
        self.flow.borrow_mut().limit_place(list, own.saturating_add(1));
        Ok(self.b().null(span))
    }

    /// Limits the levels that a variable owns by those of the arguments that a call keeps in it. What
    /// `set` keeps may become an alias.
    fn note_kept(
        &self,
        it: &Mutation<'_, 's>,
        (place, keys): (&Place<'s>, &[Key]),
        (before_kept, is_back): (u8, bool),
    ) {
        let Mutation { name, arguments, .. } = *it;
        if !matches!(name, "push" | "unshift" | "splice" | "fill" | "set" | "add") {
            return;
        }
        // A key of a map does not change, so only the value counts.
        let kept = if name == "set" { arguments.get(1..).unwrap_or_default() } else { arguments };
        let becomes_alias = name == "set"
            && arguments.get(1).is_some_and(|item| self.is_kept_name(item.value, place.root));
        let own = if becomes_alias { before_kept } else { self.own_of_items(kept) };
        // The elements of a member of which no part changes may be seen by anybody.
        let own = match keys.last().and_then(Key::name) {
            Some(name) if self.known.reach.of(name) <= 1 => ALL,
            _ if is_back => ALL,
            _ => own,
        };
        let levels = u8::try_from(keys.len() + 1).unwrap_or(ALL).saturating_add(own);
        self.flow.borrow_mut().limit_place(place.root, levels);
        if let ("set", [key, value], Some(id)) = (name, arguments, it.parts.first()) {
            let mut stored = keys.to_vec();
            stored.push(self.lookup_key(id.0, key.value));
            self.alias_stored(place.root, &stored, (value.value, before_kept));
        }
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
        let parts = &*parts;
        let it = Mutation { name, before, arguments, parts, root: None, span, is_wanted: true };
        Ok(self.changed_by(&it).value)
    }

    /// Makes the value after a change.
    fn changed_by(&self, it: &Mutation<'_, 's>) -> Changed {
        let Mutation { before, span, is_wanted, .. } = *it;
        match it.name {
            "push" | "unshift" => self.appended(it),
            "pop" | "shift" => self.taken(it),
            "splice" => self.spliced(it),
            "set" | "add" => {
                let count = if it.name == "set" { 2 } else { 1 };
                let parts = it.parts.iter().take(count).map(|part| part.0);
                let operands: Vec<Id> = [before].into_iter().chain(parts).collect();
                let after = self.b().form(Form::Insert, &operands, span);
                Changed { after, value: None, is_moved: false }
            }
            "delete" => {
                let key = self.fixed(self.first_part(it), span);
                let value = self.b().form(Form::Has, &[before, key], span);
                let value = if is_wanted { self.fixed(value, span) } else { self.b().null(span) };
                let after = self.b().form(Form::Remove, &[before, key], span);
                Changed { after, value: Some(value), is_moved: true }
            }
            "clear" => self.cleared(it),
            _ => self.called_member(it),
        }
    }

    /// The first argument, or null.
    fn first_part(&self, it: &Mutation<'_, 's>) -> Id {
        it.parts.first().map_or_else(|| self.b().null(it.span), |part| part.0)
    }

    /// The length of a list.
    fn length(&self, list: Id, span: Span) -> Id {
        let mut b = self.b();
        let length = b.text("length", span);
        b.form(Form::Get, &[list, length], span)
    }

    /// `push` and `unshift`
    fn appended(&self, it: &Mutation<'_, 's>) -> Changed {
        let Mutation { name, before, span, .. } = *it;
        let items = self.join_lists(it.parts, span);
        let operands = if name == "push" { [before, items] } else { [items, before] };
        let after = self.b().form(Form::Append, &operands, span);
        let is_moved = name == "unshift";
        if !it.is_wanted {
            return Changed { after, value: Some(self.b().null(span)), is_moved };
        }
        let after = self.fixed(after, span);
        Changed { after, value: Some(self.length(after, span)), is_moved }
    }

    /// `pop` and `shift`
    fn taken(&self, it: &Mutation<'_, 's>) -> Changed {
        let Mutation { before, span, is_wanted, .. } = *it;
        let null = self.b().null(span);
        let zero = self.b().number("0", span);
        let one = self.b().number("1", span);
        let (value, after) = if it.name == "pop" {
            let length = self.length(before, span);
            let mut b = self.b();
            let last = b.form(Form::Sub, &[length, one], span);
            let value = b.form(Form::Get, &[before, last, null], span);
            let end = b.number("-1", span);
            (value, b.form(Form::Slice, &[before, zero, end], span))
        } else {
            let mut b = self.b();
            let value = b.form(Form::Get, &[before, zero, null], span);
            (value, b.form(Form::Drop, &[before, one], span))
        };
        let value = if is_wanted { self.fixed(value, span) } else { null };
        Changed { after, value: Some(value), is_moved: true }
    }

    fn spliced(&self, it: &Mutation<'_, 's>) -> Changed {
        let Mutation { before, span, is_wanted, .. } = *it;
        let items = self.join_lists(it.parts.get(2..).unwrap_or_default(), span);
        let start = self.index_from(before, self.first_part(it), span);
        let zero = self.b().number("0", span);
        let end = if let Some((count, _)) = it.parts.get(1) {
            let mut b = self.b();
            let count = b.form(Form::Max, &[*count, zero], span);
            b.form(Form::Add, &[start, count], span)
        } else {
            self.length(before, span)
        };
        let end = self.fixed(end, span);
        let removed = self.b().form(Form::Slice, &[before, start, end], span);
        let removed = if is_wanted { self.fixed(removed, span) } else { self.b().null(span) };
        let mut b = self.b();
        let head = b.form(Form::Slice, &[before, zero, start], span);
        let tail = b.form(Form::Slice, &[before, end], span);
        let tail = b.form(Form::Append, &[items, tail], span);
        let after = b.form(Form::Append, &[head, tail], span);
        Changed { after, value: Some(removed), is_moved: true }
    }

    fn cleared(&self, it: &Mutation<'_, 's>) -> Changed {
        let value = it.root.and_then(|root| self.known.var(root).value);
        let is_map =
            value.is_some_and(|id| matches!(self.ast.expr(id).what, What::New { name: "Map", .. }));
        let form = if is_map { Form::ToMap } else { Form::ToSet };
        let mut b = self.b();
        let empty = b.list(&[], it.span);
        let after = b.form(form, &[empty], it.span);
        Changed { after, value: Some(b.null(it.span)), is_moved: true }
    }

    /// Any other member gives the changed value itself.
    fn called_member(&self, it: &Mutation<'_, 's>) -> Changed {
        let Mutation { span, .. } = *it;
        let argument = |(item, (id, is_spread)): (&Item, &(Id, bool))| Argument {
            id: *id,
            is_spread: *is_spread,
            takes: self.takes(item.value),
        };
        let call = Call {
            name: it.name.into(),
            at: span.0,
            subject: Some(it.before),
            arguments: it.arguments.iter().zip(it.parts).map(argument).collect(),
            span,
        };
        let after = library::member(&mut self.b(), &call);
        let after = match after {
            Ok(Some(found)) => found,
            Ok(None) => self.b().null(span),
            Err(wrong) => self.noted(Err(wrong), span),
        };
        Changed { after, value: None, is_moved: true }
    }

    /// Makes a start index within the list. A negative start counts from the end.
    fn index_from(&self, list: Id, start: Id, span: Span) -> Id {
        let is_plain = self.b().tree.digits(start).is_some_and(|digits| !digits.starts_with('-'));
        let length = self.length(list, span);
        let start = {
            let mut b = self.b();
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
