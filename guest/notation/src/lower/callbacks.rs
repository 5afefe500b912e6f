//! Members that call a function for each element, such as `forEach` and `map`. If the function
//! changes variables around it, the call becomes a loop.

use crate::ast::{ExprId, FunctionId, Item, Member, PatternId, Span, What};
use crate::lexer::Wrong;
use crate::lower::context::{Cx, Lowered};
use crate::lower::control::{End, Members, MembersKind, Round};
use crate::lower::each::Callbacks;
use crate::lower::nested::Nested;
use crate::lower::resolve::VarId;
use crate::tree::{Id, Words};
use pif_language::form::Form;
use std::cell::RefCell;
use std::rc::Rc;

/// Members whose function may change variables around it.
const ROUNDS: [&str; 12] = [
    "forEach",
    "map",
    "filter",
    "flatMap",
    "some",
    "every",
    "find",
    "findIndex",
    "reduce",
    "reduceRight",
    "from",
    "findLast",
];

impl<'s> Cx<'_, 's> {
    /// Lowers a call of such a member to a loop. The result is none if the loop cannot be made.
    pub(super) async fn callback_loop(
        &self,
        id: ExprId,
        object: ExprId,
        name: &str,
        arguments: &[Item],
    ) -> Result<Option<Id>, Wrong> {
        let span = self.span(id);
        let Some(what) = ROUNDS.iter().find(|known| **known == name).copied() else {
            return Ok(None);
        };
        let callback = arguments.get(usize::from(what == "from"));
        let Some(function) = callback.and_then(|item| self.function_of(item.value)) else {
            return self.each_of_unknown(id, object, name, arguments).await;
        };
        let is_literal = self.is_inline(function);
        let shape = self.ast.function(function).span;
        let vars: Rc<[VarId]> = if is_literal {
            self.changed(shape).into()
        } else {
            self.plan(function).gives.clone().into()
        };
        let parameter =
            self.ast.function(function).parameters.first().map(|element| element.pattern);
        let parameter = parameter.filter(|_| is_literal && what == "forEach");
        let members = self.members_of_callback(object, function, parameter.is_some()).await?;
        let elements = parameter
            .filter(|_| members.is_none())
            .and_then(|pattern| self.changed_elements(object, self.target(pattern), shape, &vars));
        let (list, is_map) = if let Some(members) = &members {
            (self.keys_of_members(members, span), false)
        } else {
            self.rounds_over(what, object, arguments, elements.is_some(), span).await?
        };
        let start = match self.first_given(what, arguments, span).await? {
            Ok(start) => start,
            Err(refused) => return Ok(Some(refused)),
        };
        let count = self.ast.function(function).parameters.len();
        let first = usize::from(matches!(what, "reduce" | "reduceRight"));
        let needs_index = (count > first + 1 || what == "findIndex") && !is_map;
        let name = self.b().make_name();
        let rest = self.b().make_name();
        let item = self.b().make_name();
        let index = needs_index.then(|| self.b().make_name());
        let given = start.map(|_| self.b().make_name());
        let all = (count > first + 2).then(|| self.fixed(list, span));
        let lists = if is_literal { self.gathered_in(shape, &vars) } else { Rc::default() };
        self.gather(&lists, span);
        let it = Callbacks {
            what,
            function,
            callback: callback.map_or(id, |item| item.value),
            is_literal,
            list: all.unwrap_or(list),
            is_map,
            all,
            start,
            name,
            rest,
            item,
            index,
            given,
            vars,
            lists,
            elements,
            members,
            span,
        };
        let body = self.callback_rounds(&it).await?;
        let last = self.behind_last(&it);
        let whole = self.call_of_rounds(&it, last, body);
        Ok(Some(self.behind_callbacks(&it, whole)))
    }

    /// Finds the members of a record or a map that `forEach` goes over and changes.
    async fn members_of_callback(
        &self,
        object: ExprId,
        function: FunctionId,
        is_plain: bool,
    ) -> Result<Option<Members>, Wrong> {
        let shape = self.ast.function(function);
        let parameters = shape.parameters.as_slice();
        let has_default = parameters.iter().any(|it| it.default.is_some());
        if !is_plain || has_default || shape.rest.is_some() {
            return Ok(None);
        }
        let of_map = |value: PatternId, key: Option<PatternId>| {
            let root = self.var_of(object).filter(|_| self.is_map_name(object))?;
            let key = match key {
                Some(key) => Some(self.target(key)?),
                None => None,
            };
            let value = self.target(value)?;
            let members = Members { root, path: Vec::new(), kind: MembersKind::Map, key, value };
            self.may_be_members(members, shape.span)
        };
        match parameters {
            [only] => match of_map(only.pattern, None) {
                Some(members) => Ok(Some(members)),
                None => self.changed_members(object, only.pattern, shape.span).await,
            },
            [value, key] => Ok(of_map(value.pattern, Some(key.pattern))),
            _ => Ok(None),
        }
    }

    /// Lowers the result before the first element, if there is one, with the levels of it that
    /// nobody else sees. A `reduce` without a first value is refused.
    async fn first_given(
        &self,
        what: &str,
        arguments: &[Item],
        span: Span,
    ) -> Result<Result<Option<(Id, u8)>, Id>, Wrong> {
        Ok(Ok(match what {
            "reduce" | "reduceRight" => {
                let Some(start) = arguments.get(1) else {
                    let hint = "give it a first value: xs.reduce((sum, x) => sum + x, 0)";
                    return Ok(Err(self.refuse(span.0, "`reduce` lacks a first value", hint)));
                };
                let own = self.own_of(start.value);
                Some((self.kept(start.value).await?, own))
            }
            "map" | "filter" | "flatMap" | "from" => Some((self.b().list(&[], span), 0)),
            _ => None,
        }))
    }

    /// Lowers the body of a round until the flow at its beginning is a fixed point.
    async fn callback_rounds(&self, it: &Callbacks<'s>) -> Lowered {
        let mut head = self.flow.borrow().clone();
        let before = self.save();
        loop {
            self.flow.replace(head.clone());
            let round = Rc::new(Round {
                name: it.name.clone(),
                rest: Some(it.rest.clone()),
                index: it.index.clone(),
                given: it.given.clone(),
                vars: Rc::clone(&it.vars),
                update: None,
                test: None,
                flow: RefCell::new(None),
                is_small: true,
            });
            let end = Rc::new(End {
                what: it.what,
                round: Rc::clone(&round),
                item: it.item.clone(),
                vars: Rc::clone(&it.vars),
                elements: it.elements,
            });
            let inner = self.with(|around| {
                around.repeats.push(self.ast.function(it.function).span);
                around.jumps = Nested::default();
                around.ends = Some(end);
                around.returned = Vec::new();
                around.tests = false;
            });
            self.open();
            let values = self.callback_values(it);
            let value = inner.callback_body(it, &values).await?;
            let value = self.close(value, it.span);
            if self.settle(&mut head, &round.flow, 1) {
                self.flow.replace(head);
                return Ok(value);
            }
            self.restore(&before);
        }
    }

    /// Makes the value of the loop behind the last element.
    fn behind_last(&self, it: &Callbacks<'s>) -> Id {
        let span = it.span;
        let value = match (it.what, &it.given) {
            ("map" | "filter" | "flatMap" | "from", Some(name)) => {
                let mut b = self.b();
                let list = b.variable(name, span);
                Some(b.form(Form::Reverse, &[list], span))
            }
            ("reduce" | "reduceRight", Some(name)) => Some(self.b().variable(name, span)),
            ("some", _) => Some(self.b().boolean(false, span)),
            ("every", _) => Some(self.b().boolean(true, span)),
            ("find" | "findLast", _) => Some(self.b().null(span)),
            ("findIndex", _) => Some(self.b().number("-1", span)),
            _ => None,
        };
        self.tuple(value, &it.vars, span)
    }

    /// Makes the function of a round and its first call.
    fn call_of_rounds(&self, it: &Callbacks<'s>, last: Id, body: Id) -> Id {
        let span = it.span;
        let first_of = |var: &VarId| self.first_of(*var, &it.lists, it.elements, span);
        let variables: Vec<Id> = it.vars.iter().map(first_of).collect();
        let names_of_vars: Vec<Words<'s>> = it.vars.iter().map(|var| self.name_of(*var)).collect();
        let mut b = self.b();
        let left = b.variable(&it.rest, span);
        let test = b.form(Form::IsEmpty, &[left], span);
        let body = b.form(Form::If, &[test, last, body], span);
        let mut names = vec![it.rest.clone()];
        let mut values = vec![it.list];
        if let Some(index) = &it.index {
            names.push(index.clone());
            values.push(b.number("0", span));
        }
        names.extend(it.given.clone());
        values.extend(it.start.map(|(id, _)| id));
        names.extend(names_of_vars);
        values.extend(variables);
        let function = b.function(names, body, span);
        let callee = b.variable(&it.name, span);
        let call = b.apply(callee, &values, span);
        b.bind_functions(vec![(it.name.clone(), function)], call, span)
    }

    /// Binds what the loop has changed. The result is the value of the call.
    fn behind_callbacks(&self, it: &Callbacks<'s>, whole: Id) -> Id {
        let span = it.span;
        if it.what == "forEach" {
            if it.vars.is_empty() {
                self.dropped(whole, span);
            } else {
                self.spread(whole, false, &it.vars, span);
                self.gathered(&it.lists, span);
            }
            if let Some(elements) = it.elements {
                self.elements_kept(elements, span);
            }
            return self.b().null(span);
        }
        if it.vars.is_empty() {
            return whole;
        }
        let whole = self.fixed(whole, span);
        let value = self.spread(whole, true, &it.vars, span);
        self.gathered(&it.lists, span);
        value
    }

    /// Lowers `xs.forEach(f)` where `f` is not known before the program runs.
    async fn each_of_unknown(
        &self,
        id: ExprId,
        object: ExprId,
        name: &str,
        arguments: &[Item],
    ) -> Result<Option<Id>, Wrong> {
        let span = self.span(id);
        let (Some(item), "forEach") = (arguments.first(), name) else { return Ok(None) };
        let list = self.expr(object).await?;
        let list = self.elements(list, span);
        let function = self.expr(item.value).await?;
        let whole = self.b().form(Form::Map, &[function, list], span);
        self.dropped(whole, span);
        Ok(Some(self.b().null(span)))
    }

    /// Lowers the list that a callback loop goes over. Tells also whether it is a map: its function
    /// gets the value before the key.
    async fn rounds_over(
        &self,
        what: &str,
        object: ExprId,
        arguments: &[Item],
        is_own: bool,
        span: Span,
    ) -> Result<(Id, bool), Wrong> {
        if what == "from" {
            let Some(first) = arguments.first() else { return Ok((self.b().null(span), false)) };
            if let What::Record(members) = &self.ast.expr(first.value).what
                && let [Member::Named { value, .. }] = members.as_slice()
            {
                let length = self.expr(*value).await?;
                let mut b = self.b();
                let zero = b.number("0", span);
                let range = b.form(Form::Range, &[zero, length], span);
                let null = b.null(span);
                let name = b.make_name();
                let function = b.function(vec![name], null, span);
                return Ok((b.form(Form::Map, &[function, range], span), false));
            }
            let value = self.expr(first.value).await?;
            return Ok((self.elements(value, span), false));
        }
        let value = self.expr(object).await?;
        if !is_own {
            self.share_elements(object);
        }
        let is_map = what == "forEach"
            && self.var_of(object).and_then(|var| self.known.var(var).value).is_some_and(|value| {
                matches!(self.ast.expr(value).what, What::New { name: "Map", .. })
            });
        let list = self.elements(value, span);
        let mut b = self.b();
        Ok((
            if matches!(what, "reduceRight" | "findLast") {
                b.form(Form::Reverse, &[list], span)
            } else {
                list
            },
            is_map,
        ))
    }
}
