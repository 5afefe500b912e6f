//! Loops: functions that call themselves with what a round changes. A loop over elements that
//! nothing leaves early and that changes one variable is a `reduce`.

use crate::ast::{Body, ExprId, FunctionId, Item, Kind, PatternId, Span, Statement, StmtId, What};
use crate::lexer::Wrong;
use crate::lower::gather::{Elements, Gathered};
use crate::lower::owned::{ALL, Flow};
use crate::lower::resolve::VarId;
use crate::lower::statement::{After, List};
use crate::lower::{Cx, Lowered};
use crate::tree::{Id, Words};
use pif_language::form::Form;
use std::cell::RefCell;
use std::rc::Rc;

/// A loop that `break` and `continue` lead out of, or on.
#[derive(Clone, Debug)]
pub(super) struct Jump<'s> {
    pub(super) label: Option<&'s str>,
    /// Behind the loop.
    pub(super) end: After<'s>,
    /// The next round; nothing of a `switch`.
    pub(super) next: Option<After<'s>>,
}

/// The next round of a loop.
#[derive(Debug)]
pub(super) struct Round<'s> {
    name: Words<'s>,
    /// The elements that are left.
    rest: Option<Words<'s>>,
    /// The number of the element.
    index: Option<Words<'s>>,
    /// What the elements have given so far.
    given: Option<Words<'s>>,
    vars: Rc<[VarId]>,
    update: Option<ExprId>,
    /// The test behind a round, and what comes if it fails.
    test: Option<(ExprId, After<'s>)>,
    /// What is known at the end of a round.
    flow: RefCell<Option<Flow>>,
    /// Whether the way to the next round may be written twice.
    pub(super) is_small: bool,
}

/// The end of a function that a member of a list calls for each element.
#[derive(Debug)]
pub(super) struct End<'s> {
    what: &'static str,
    round: Rc<Round<'s>>,
    item: Words<'s>,
    vars: Rc<[VarId]>,
    elements: Option<Elements>,
}

/// Members whose function may change what is around it.
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

/// A loop statement in its parts.
struct Parts {
    begin: Option<StmtId>,
    test: Option<ExprId>,
    update: Option<ExprId>,
    over: Option<(ExprId, Option<Kind>, PatternId, bool)>,
    body: StmtId,
    tests_last: bool,
    /// The list whose elements the loop changes.
    elements: Option<Elements>,
}

impl<'a, 's> Cx<'a, 's> {
    fn parts(&self, id: StmtId) -> Option<Parts> {
        let none = |body| Parts {
            begin: None,
            test: None,
            update: None,
            over: None,
            body,
            tests_last: false,
            elements: None,
        };
        Some(match self.ast.stmt(id).what {
            Statement::For { begin, test, update, body } => {
                Parts { begin, test, update, ..none(body) }
            }
            Statement::ForOf { kind, pattern, list, body } => {
                Parts { over: Some((list, kind, pattern, false)), ..none(body) }
            }
            Statement::ForIn { kind, pattern, record, body } => {
                Parts { over: Some((record, kind, pattern, true)), ..none(body) }
            }
            Statement::While { test, body } => Parts { test: Some(test), ..none(body) },
            Statement::DoWhile { body, test } => {
                Parts { test: Some(test), tests_last: true, ..none(body) }
            }
            _ => return None,
        })
    }

    /// A loop. Nothing, if what follows stands behind it as behind any statement.
    pub(super) async fn loop_statement(
        &self,
        id: StmtId,
        label: Option<&'s str>,
        (list, at): (&List, usize),
        after: &After<'s>,
    ) -> Result<Option<Id>, Wrong> {
        let Some(mut parts) = self.parts(id) else {
            return self.labeled_block(id, label, (list, at), after).await.map(Some);
        };
        let span = self.stmt_span(id);
        let exits = self.exits_of(id);
        let vars: Rc<[VarId]> = self.changed(span).into();
        self.check_over(&parts);
        self.check_exec(&parts);
        let plain =
            label.is_none() && !self.exits_of(parts.body).breaks && !exits.returns && !exits.leaves;
        if let Some((over, Some(_), pattern, false)) = parts.over.filter(|_| plain) {
            let body = self.stmt_span(parts.body);
            parts.elements = self.changed_elements(over, self.target(pattern), body, &vars);
        }
        let begun = self.begin(&parts, span).await?;
        let lists = self.gathered_in(span, &vars);
        self.gather(&lists, span);
        let is_tail = exits.returns || exits.leaves;
        if !is_tail {
            let end = After::State(Rc::clone(&vars));
            let value = if plain && vars.len() == 1 && parts.over.is_some() {
                self.reduced(
                    &parts,
                    &begun,
                    vars.first().copied().unwrap_or_default(),
                    &lists,
                    span,
                )
                .await?
            } else {
                self.rounds(&parts, &begun, (&vars, &lists), (label, end), span).await?
            };
            if vars.is_empty() {
                self.dropped(value, span);
            } else {
                self.spread(value, false, &vars, span);
                self.gathered(&lists, span);
            }
            if let Some(elements) = parts.elements {
                self.elements_kept(elements, span);
            }
            return Ok(None);
        }
        let join = self.join(2, (list.clone(), at + 1), after, span);
        let end = self.behind(&lists, join.after.clone());
        let value = self.rounds(&parts, &begun, (&vars, &lists), (label, end), span).await?;
        for var in lists.iter() {
            self.gathers.borrow_mut().remove(var);
        }
        self.joined(join, value, span).await.map(Some)
    }

    /// A list must not change while a loop goes over it: JavaScript's loop would see the change.
    fn check_over(&self, parts: &Parts) {
        let Some((over, _, _, false)) = parts.over else { return };
        let Some((root, depth)) = self.root_of(over) else { return };
        let is_change = |event: &&crate::lower::resolve::Event| {
            event.var == root && event.depth == usize::from(depth) + 1
        };
        let body = self.stmt_span(parts.body);
        if let Some(event) = self.known.effects_within(body).iter().find(is_change) {
            let name = self.known.var(root).name;
            let message = format!("`{name}` changes while a loop goes over it");
            let hint = format!("go over a copy: for (const x of [...{name}])");
            self.refuse(event.at, &message, &hint);
        }
    }

    /// A regular expression keeps no place, so a loop over `exec` would find the first match for ever.
    fn check_exec(&self, parts: &Parts) {
        let Some(test) = parts.test else { return };
        let assigned = match self.ast.expr(test).what {
            What::Binary { left, .. } => left,
            _ => test,
        };
        if let What::Assign { value, .. } = self.ast.expr(assigned).what
            && let What::Call { callee, .. } = self.ast.expr(value).what
            && let What::Member { name: "exec", name_at, .. } = self.ast.expr(callee).what
        {
            let hint = "write for (const m of s.matchAll(/…/g)) { … }";
            self.refuse(name_at, "`exec` in a loop keeps no place in the text", hint);
        }
    }

    /// A block with a label, which `break` leaves.
    async fn labeled_block(
        &self,
        id: StmtId,
        label: Option<&'s str>,
        (list, at): (&List, usize),
        after: &After<'s>,
    ) -> Lowered {
        let span = self.stmt_span(id);
        let join = self.join(2, (list.clone(), at + 1), after, span);
        let inner = self.with(|around| {
            around.jumps.push(Rc::new(Jump { label, end: join.after.clone(), next: None }));
        });
        let value = inner.statements(List::one(id), 0, join.after.clone()).await?;
        self.joined(join, value, span).await
    }

    /// What a loop begins with: its elements, or its counters with their first values.
    async fn begin(&self, parts: &Parts, span: Span) -> Result<Begun, Wrong> {
        let mut begun = Begun::default();
        if let Some((over, _, _, is_keys)) = parts.over {
            let value = self.lenient(over).await?;
            if parts.elements.is_none() {
                self.share_elements(over);
            }
            begun.list = Some(if is_keys {
                self.b().form(Form::Keys, &[value], span)
            } else {
                self.elements(value, span)
            });
        }
        let Some(begin) = parts.begin else { return Ok(begun) };
        match &self.ast.stmt(begin).what {
            Statement::Declare { names, .. } => {
                for (pattern, value) in names {
                    match (self.target(*pattern), value) {
                        (Some(var), Some(value)) => {
                            let id = self.kept(*value).await?;
                            begun.counters.push((var, id, self.own_of(*value)));
                        }
                        (Some(var), None) => {
                            let null = self.b().null(span);
                            begun.counters.push((var, null, ALL));
                        }
                        (None, Some(value)) => {
                            let whole = self.kept(*value).await?;
                            let mut bindings = Vec::new();
                            self.bind_pattern(*pattern, whole, 0, &mut bindings).await?;
                            self.step(bindings, false, span);
                            for var in self.known.names_of(&self.ast, *pattern) {
                                let id = self.variable(var, span);
                                begun.counters.push((var, id, 0));
                            }
                        }
                        (None, None) => {}
                    }
                }
            }
            Statement::Expression(id) => self.effect(*id).await?,
            _ => {}
        }
        Ok(begun)
    }

    /// A value as a list of its elements.
    fn elements(&self, value: Id, span: Span) -> Id {
        let mut b = self.b();
        if b.tree.form_of(value).given() == pif_language::kinds::LIST {
            return value;
        }
        b.form(Form::Elements, &[value], span)
    }

    /// Lowers something in a loop until what is known at its beginning holds at the end of a round.
    fn settle(&self, head: &mut Flow, round: &RefCell<Option<Flow>>, size: u32) -> bool {
        let Some(end) = round.take() else { return true };
        let mut next = head.clone();
        next.join(&end);
        next.keep_of(head);
        if next == *head {
            return true;
        }
        let left = self.again.get();
        if left < size {
            next.forget();
        }
        self.again.set(left.saturating_sub(size));
        let is_last = next == *head;
        *head = next;
        is_last
    }

    /// A loop as a `reduce` of one variable.
    async fn reduced(
        &self,
        parts: &Parts,
        begun: &Begun,
        var: VarId,
        lists: &Gathered,
        span: Span,
    ) -> Lowered {
        let Some((_, kind, pattern, _)) = parts.over else { return Ok(self.b().null(span)) };
        let vars: Rc<[VarId]> = [var].into();
        let mut head = self.flow.borrow().clone();
        let before = self.save();
        loop {
            self.flow.replace(head.clone());
            let end = RefCell::new(None);
            let next = self.behind_round(parts.elements, After::State(Rc::clone(&vars)));
            let jump = Jump { label: None, end: next.clone(), next: Some(next.clone()) };
            let inner = self.within_loop(span, jump);
            self.open();
            let item = inner.item(pattern, kind, parts, span).await?;
            let body = inner.statements(List::one(parts.body), 0, next).await?;
            let body = self.close(body, span);
            {
                let mut end = end.borrow_mut();
                self.join_flow(&mut end);
            }
            if self.settle(&mut head, &end, 1) {
                self.flow.replace(head);
                let start = self.first_of(var, lists, parts.elements, span);
                let name = self.name_of(var);
                let mut b = self.b();
                let function = b.function(vec![name, item], body, span);
                return Ok(b.form(
                    Form::Reduce,
                    &[function, start, begun.list.unwrap_or_default()],
                    span,
                ));
            }
            self.restore(&before);
        }
    }

    /// The name for an element; a pattern is taken apart within the term that is open.
    async fn item(
        &self,
        pattern: PatternId,
        kind: Option<Kind>,
        parts: &Parts,
        span: Span,
    ) -> Result<Words<'s>, Wrong> {
        if kind.is_some()
            && let Some(var) = self.target(pattern)
        {
            let name = self.term_name(var);
            self.set_own(var, parts.elements.map_or(0, |elements| elements.own));
            return Ok(name);
        }
        let name = self.b().make_name();
        let value = self.b().variable(&name, span);
        if kind.is_some() {
            let mut bindings = Vec::new();
            self.bind_pattern(pattern, value, 0, &mut bindings).await?;
            self.step(bindings, false, span);
        } else if let Some(var) = self.target(pattern) {
            self.rebind(var, value, span);
        }
        Ok(name)
    }

    fn within_loop(&self, span: Span, jump: Jump<'s>) -> Self {
        self.with(|around| {
            around.repeats.push(span);
            around.jumps.push(Rc::new(jump));
        })
    }

    /// A loop as a function that calls itself.
    async fn rounds(
        &self,
        parts: &Parts,
        begun: &Begun,
        (vars, lists): (&Rc<[VarId]>, &Gathered),
        (label, end): (Option<&'s str>, After<'s>),
        span: Span,
    ) -> Lowered {
        let name = self.b().make_name();
        let rest = begun.list.map(|_| self.b().make_name());
        let mut all: Vec<VarId> = Vec::new();
        let mut arguments: Vec<Id> = begun.list.into_iter().collect();
        for (var, value, own) in &begun.counters {
            let term_name = self.term_name(*var);
            self.names.borrow_mut().insert(*var, term_name);
            self.set_own(*var, *own);
            all.push(*var);
            arguments.push(*value);
        }
        for var in vars.iter() {
            all.push(*var);
            arguments.push(self.first_of(*var, lists, parts.elements, span));
        }
        let all: Rc<[VarId]> = all.into();
        let mut head = self.flow.borrow().clone();
        let before = self.save();
        let body = loop {
            self.flow.replace(head.clone());
            let round = Rc::new(Round {
                name: name.clone(),
                rest: rest.clone(),
                index: None,
                given: None,
                vars: Rc::clone(&all),
                update: parts.update,
                test: parts.test.filter(|_| parts.tests_last).map(|test| (test, end.clone())),
                flow: RefCell::new(None),
                is_small: parts.update.is_none() && !parts.tests_last,
            });
            let next = self.behind_round(parts.elements, After::Next(Rc::clone(&round)));
            let inner =
                self.within_loop(span, Jump { label, end: end.clone(), next: Some(next.clone()) });
            let body = inner.round(parts, rest.as_ref(), next, end.clone(), span).await?;
            if self.settle(&mut head, &round.flow, 1) {
                break body;
            }
            self.restore(&before);
        };
        self.flow.replace(head);
        let mut names: Vec<Words<'s>> = rest.into_iter().collect();
        names.extend(all.iter().map(|var| self.name_of(*var)));
        let mut b = self.b();
        let function = b.function(names, body, span);
        let callee = b.variable(&name, span);
        let call = b.apply(callee, &arguments, span);
        Ok(b.bind_functions(vec![(name, function)], call, span))
    }

    /// One round: its test, its body, and what comes behind the last.
    async fn round(
        &self,
        parts: &Parts,
        rest: Option<&Words<'s>>,
        next: After<'s>,
        end: After<'s>,
        span: Span,
    ) -> Lowered {
        self.open();
        if let (Some(rest), Some((_, kind, pattern, _))) = (rest, parts.over) {
            let head = {
                let mut b = self.b();
                let list = b.variable(rest, span);
                b.form(Form::Head, &[list], span)
            };
            self.open();
            let own = parts.elements.map_or(0, |elements| elements.own);
            self.element(pattern, kind, (head, own), span).await?;
            let body = self.statements(List::one(parts.body), 0, next).await?;
            let body = self.close(body, span);
            let test = {
                let mut b = self.b();
                let list = b.variable(rest, span);
                b.form(Form::IsEmpty, &[list], span)
            };
            self.open();
            let last = self.stack.call(self.clone().finish_level(end)).await?;
            let last = self.close(last, span);
            let whole = self.b().form(Form::If, &[test, last, body], span);
            return Ok(self.close(whole, span));
        }
        let test = match parts.test.filter(|_| !parts.tests_last) {
            Some(test) if !self.is_always(test) => Some(self.test(test).await?),
            _ => None,
        };
        let at_test = self.flow.borrow().clone();
        self.open();
        let body = self.statements(List::one(parts.body), 0, next).await?;
        let body = self.close(body, span);
        let Some(test) = test else { return Ok(self.close(body, span)) };
        let behind = self.flow.replace(at_test);
        self.open();
        let last = self.stack.call(self.clone().finish_level(end)).await?;
        let last = self.close(last, span);
        self.flow.replace(behind);
        let whole = self.b().form(Form::If, &[test, body, last], span);
        Ok(self.close(whole, span))
    }

    fn is_always(&self, test: ExprId) -> bool {
        match &self.ast.expr(test).what {
            What::Boolean(true) => true,
            What::Number(digits) => &**digits == "1",
            _ => false,
        }
    }

    async fn element(
        &self,
        pattern: PatternId,
        kind: Option<Kind>,
        (value, own): (Id, u8),
        span: Span,
    ) -> Result<(), Wrong> {
        let mut bindings = Vec::new();
        if kind.is_some() {
            self.bind_pattern(pattern, value, own, &mut bindings).await?;
            self.step(bindings, false, span);
        } else if let Some(var) = self.target(pattern) {
            self.rebind(var, value, span);
        }
        Ok(())
    }

    pub(super) async fn finish_level(self, after: After<'s>) -> Lowered {
        self.finish(after).await
    }

    /// Goes on with the next round.
    pub(super) async fn next_round(&self, round: &Rc<Round<'s>>) -> Lowered {
        let given = round.given.clone();
        let given = given.map(|name| self.b().variable(&name, (0, 0)));
        self.next_with(round, given).await
    }

    async fn next_with(&self, round: &Rc<Round<'s>>, given: Option<Id>) -> Lowered {
        let span = (0, 0);
        if let Some(update) = round.update {
            self.stack.call(self.clone().effect_level(update)).await?;
        }
        let test = match &round.test {
            Some((test, _)) => Some(self.test(*test).await?),
            None => None,
        };
        {
            let mut all = round.flow.borrow_mut();
            self.join_flow(&mut all);
        }
        let call = {
            let variables: Vec<Id> =
                round.vars.iter().map(|var| self.variable(*var, span)).collect();
            let mut b = self.b();
            let mut arguments = Vec::new();
            if let Some(rest) = &round.rest {
                let list = b.variable(rest, span);
                arguments.push(b.form(Form::Tail, &[list], span));
            }
            if let Some(index) = &round.index {
                let index = b.variable(index, span);
                let one = b.number("1", span);
                arguments.push(b.form(Form::Add, &[index, one], span));
            }
            arguments.extend(given);
            arguments.extend(variables);
            let callee = b.variable(&round.name, span);
            b.apply(callee, &arguments, span)
        };
        match (&round.test, test) {
            (Some((_, end)), Some(test)) => {
                self.open();
                let last = self.stack.call(self.clone().finish_level(end.clone())).await?;
                let last = self.close(last, span);
                Ok(self.b().form(Form::If, &[test, call, last], span))
            }
            _ => Ok(call),
        }
    }

    /// A member that calls its function for each element, where the function changes something.
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

    /// `xs.forEach(f)` of a function that is only known when it runs.
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

    /// The list that a callback goes over, and whether it is a map, whose values come before keys.
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
                && let [crate::ast::Member::Named { value, .. }] = members.as_slice()
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

    /// The body of a function that a loop runs for each element.
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

    async fn callback_value(&self, body: ExprId) -> Lowered {
        if self.around.ends.as_ref().is_some_and(|end| end.what == "forEach") {
            self.stack.call(self.clone().effect_level(body)).await?;
            return Ok(self.b().null(self.span(body)));
        }
        self.kept(body).await
    }

    /// The name of a parameter of a callback whose body becomes a part of the function around it.
    fn hidden_name(&self, var: VarId) -> Words<'s> {
        let info = self.known.var(var);
        let hides = self
            .known
            .same_name(var)
            .iter()
            .any(|other| *other != var && self.known.var(*other).at < info.at);
        if hides { self.b().make_name() } else { info.name.into() }
    }

    /// What a round of a callback does with the function's value.
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

    /// What is put back before something is lowered again.
    fn save(&self) -> Saved {
        Saved { faults: self.faults.borrow().len(), bound: self.bound.borrow().clone() }
    }

    fn restore(&self, saved: &Saved) {
        self.faults.borrow_mut().truncate(saved.faults);
        self.bound.borrow_mut().clone_from(&saved.bound);
    }
}

/// What a loop begins with.
#[derive(Debug, Default)]
struct Begun {
    list: Option<Id>,
    counters: Vec<(VarId, Id, u8)>,
}

struct Saved {
    faults: usize,
    bound: std::collections::BTreeSet<FunctionId>,
}
