//! Members that call a function for each element, such as `forEach` and `map`. If the function
//! changes variables around it, the call becomes a loop.

use crate::ast::{Body, ExprId, FunctionId, Item, Member, Span, What};
use crate::lexer::Wrong;
use crate::lower::context::{Cx, Lowered};
use crate::lower::control::{After, End, Round};
use crate::lower::flow::ALL;
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
        let is_literal = callback
            .is_some_and(|item| matches!(self.ast.expr(item.value).what, What::Function(_)));
        let shape = self.ast.function(function).span;
        let vars: Rc<[VarId]> = if is_literal {
            self.changed(shape).into()
        } else {
            self.plan(function).gives.clone().into()
        };
        let parameter =
            self.ast.function(function).parameters.first().map(|element| element.pattern);
        let parameter = parameter.filter(|_| is_literal && what == "forEach");
        let elements = parameter
            .and_then(|pattern| self.changed_elements(object, self.target(pattern), shape, &vars));
        let (list, is_map) =
            self.rounds_over(what, object, arguments, elements.is_some(), span).await?;
        let start = match what {
            "reduce" | "reduceRight" => match arguments.get(1) {
                Some(start) => {
                    let own = self.own_of(start.value);
                    let value = self.kept(start.value).await?;
                    Some((value, own))
                }
                None => {
                    let hint = "give it a first value: xs.reduce((sum, x) => sum + x, 0)";
                    return Ok(Some(self.refuse(span.0, "`reduce` lacks a first value", hint)));
                }
            },
            "map" | "filter" | "flatMap" | "from" => {
                let empty = self.b().list(&[], span);
                Some((empty, 0))
            }
            _ => None,
        };
        let (loop_name, rest, item) = {
            let mut b = self.b();
            (b.make_name(), b.make_name(), b.make_name())
        };
        let count = self.ast.function(function).parameters.len();
        let first = usize::from(what == "reduce" || what == "reduceRight");
        let needs_index = (count > first + 1 || what == "findIndex") && !is_map;
        let index = needs_index.then(|| self.b().make_name());
        let given = start.map(|_| self.b().make_name());
        let all = (count > first + 2).then(|| self.fixed(list, span));
        let list = all.unwrap_or(list);
        let lists = if is_literal { self.gathered_in(shape, &vars) } else { Rc::default() };
        self.gather(&lists, span);
        let mut head = self.flow.borrow().clone();
        let before = self.save();
        let body =
            loop {
                self.flow.replace(head.clone());
                let round = Rc::new(Round {
                    name: loop_name.clone(),
                    rest: Some(rest.clone()),
                    index: index.clone(),
                    given: given.clone(),
                    vars: Rc::clone(&vars),
                    update: None,
                    test: None,
                    flow: RefCell::new(None),
                    is_small: true,
                });
                let end = Rc::new(End {
                    what,
                    round: Rc::clone(&round),
                    item: item.clone(),
                    vars: Rc::clone(&vars),
                    elements,
                });
                let inner = self.with(|around| {
                    around.repeats.push(shape);
                    around.jumps = Vec::new();
                    around.ends = Some(Rc::clone(&end));
                    around.returned = Vec::new();
                    around.tests = false;
                });
                self.open();
                let head_of = {
                    let mut b = self.b();
                    let list = b.variable(&rest, span);
                    b.form(Form::Head, &[list], span)
                };
                self.step(vec![(item.clone(), head_of)], false, span);
                let mut values = Vec::new();
                if first == 1 {
                    values.extend(given.iter().map(|name| {
                        (self.b().variable(name, span), start.map_or(0, |(_, own)| own))
                    }));
                }
                let element = self.b().variable(&item, span);
                if is_map {
                    let mut b = self.b();
                    for at in ["1", "0"] {
                        let at = b.number(at, span);
                        values.push((b.form(Form::Nth, &[element, at], span), 0));
                    }
                } else {
                    values.push((element, elements.map_or(0, |elements| elements.own)));
                    values.extend(index.iter().map(|name| (self.b().variable(name, span), ALL)));
                    values.extend(all.map(|all| (all, 0)));
                }
                let value = inner
                    .callback_body(
                        function,
                        is_literal,
                        callback.map_or(id, |item| item.value),
                        &values,
                        span,
                    )
                    .await?;
                let value = self.close(value, span);
                if self.settle(&mut head, &round.flow, 1) {
                    break value;
                }
                self.restore(&before);
            };
        self.flow.replace(head);
        let last = {
            let value = match (what, &given) {
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
            self.tuple(value, &vars, span)
        };
        let whole = {
            let variables: Vec<Id> =
                vars.iter().map(|var| self.first_of(*var, &lists, elements, span)).collect();
            let names_of_vars: Vec<Words<'s>> = vars.iter().map(|var| self.name_of(*var)).collect();
            let mut b = self.b();
            let left = b.variable(&rest, span);
            let test = b.form(Form::IsEmpty, &[left], span);
            let body = b.form(Form::If, &[test, last, body], span);
            let mut names = vec![rest];
            let mut values = vec![list];
            if let Some(index) = index {
                names.push(index);
                values.push(b.number("0", span));
            }
            names.extend(given);
            values.extend(start.map(|(id, _)| id));
            names.extend(names_of_vars);
            values.extend(variables);
            let function = b.function(names, body, span);
            let callee = b.variable(&loop_name, span);
            let call = b.apply(callee, &values, span);
            b.bind_functions(vec![(loop_name, function)], call, span)
        };
        if what == "forEach" {
            if vars.is_empty() {
                self.dropped(whole, span);
            } else {
                self.spread(whole, false, &vars, span);
                self.gathered(&lists, span);
            }
            if let Some(elements) = elements {
                self.elements_kept(elements, span);
            }
            return Ok(Some(self.b().null(span)));
        }
        if vars.is_empty() {
            return Ok(Some(whole));
        }
        let whole = self.fixed(whole, span);
        let value = self.spread(whole, true, &vars, span);
        self.gathered(&lists, span);
        Ok(Some(value))
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

    /// Lowers the body of the function as the body of the loop.
    async fn callback_body(
        &self,
        function: FunctionId,
        is_literal: bool,
        callback: ExprId,
        values: &[(Id, u8)],
        span: Span,
    ) -> Lowered {
        if !is_literal {
            let Some(var) = self.var_of(callback) else { return Ok(self.b().null(span)) };
            let callee = self.variable(var, span);
            let parts: Vec<(Id, bool)> = values.iter().map(|(id, _)| (*id, false)).collect();
            let value = self.call_function(callee, function, &parts, span)?;
            return self.give(value, span).await;
        }
        let shape = self.ast.function(function);
        let mut bindings = Vec::new();
        for (at, element) in shape.parameters.iter().enumerate() {
            let (value, own) =
                values.get(at).copied().unwrap_or_else(|| (self.b().null(span), ALL));
            let value = match element.default {
                Some(default) => {
                    let default = self.expr(default).await?;
                    self.b().form(Form::Coalesce, &[value, default], span)
                }
                None => value,
            };
            match self.target(element.pattern) {
                Some(var) => {
                    let name = self.hidden_name(var);
                    self.names.borrow_mut().insert(var, name.clone());
                    self.set_own(var, own);
                    bindings.push((name, value));
                }
                None => self.bind_pattern(element.pattern, value, own, &mut bindings).await?,
            }
        }
        self.step(bindings, false, span);
        match &shape.body {
            Body::Expression(body) => {
                let value = self.callback_value(*body).await?;
                self.give(value, self.span(*body)).await
            }
            Body::Block(list) => self.statements(list.clone().into(), 0, After::Null).await,
        }
    }

    /// Lowers the body of a function that is an expression.
    async fn callback_value(&self, body: ExprId) -> Lowered {
        if self.around.ends.as_ref().is_some_and(|end| end.what == "forEach") {
            self.stack.call(self.clone().effect_level(body)).await?;
            return Ok(self.b().null(self.span(body)));
        }
        self.kept(body).await
    }

    /// Names a parameter of a callback. The body becomes a part of the function around it, so a
    /// name that would hide another variable there is replaced by a made one.
    fn hidden_name(&self, var: VarId) -> Words<'s> {
        let info = self.known.var(var);
        let hides = self
            .known
            .same_name(var)
            .iter()
            .any(|other| *other != var && self.known.var(*other).at < info.at);
        if hides { self.b().make_name() } else { info.name.into() }
    }

    /// Ends a round of a callback loop: uses the value of the function, and goes on with the next
    /// round or leaves the loop.
    pub(super) async fn end_round(&self, end: &Rc<End<'s>>, value: Id, span: Span) -> Lowered {
        let value = if self.is_constant(value) { value } else { self.fixed(value, span) };
        let round = &end.round;
        let given = round.given.as_ref().map(|name| self.b().variable(name, span));
        let item = self.b().variable(&end.item, span);
        let leaves = match end.what {
            "some" => Some((self.truth(value), self.b().boolean(true, span))),
            "every" => {
                let truth = self.truth(value);
                let mut b = self.b();
                Some((b.form(Form::Not, &[truth], span), b.boolean(false, span)))
            }
            "find" | "findLast" => Some((self.truth(value), item)),
            "findIndex" => {
                let index = round.index.clone().unwrap_or_default();
                Some((self.truth(value), self.b().variable(&index, span)))
            }
            _ => None,
        };
        if let Some((test, found)) = leaves {
            let found = self.tuple(Some(found), &end.vars, span);
            self.open();
            let next = self.next_with(round, None).await?;
            let next = self.close(next, span);
            return Ok(self.b().form(Form::If, &[test, found, next], span));
        }
        if let Some(elements) = end.elements {
            self.keep_element(elements, span);
        }
        let given = match (end.what, given) {
            ("map" | "from", Some(given)) => Some(self.b().form(Form::Cons, &[value, given], span)),
            ("filter", Some(given)) => {
                let truth = self.truth(value);
                let mut b = self.b();
                let more = b.form(Form::Cons, &[item, given], span);
                Some(b.form(Form::If, &[truth, more, given], span))
            }
            ("flatMap", Some(given)) => {
                let mut b = self.b();
                let one = b.list(&[value], span);
                let flat = b.form(Form::Flatten, &[one], span);
                let reversed = b.form(Form::Reverse, &[flat], span);
                Some(b.form(Form::Append, &[reversed, given], span))
            }
            ("reduce" | "reduceRight", _) => Some(value),
            (_, given) => given,
        };
        self.next_with(round, given).await
    }
}
