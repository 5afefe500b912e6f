//! Rounds of loops. A loop is a function that calls itself with the variables that a round changes.
//! A loop over elements that changes one variable and is not left early is a `reduce`.

use crate::ast::{ExprId, Kind, PatternId, Span, What};
use crate::lexer::Wrong;
use crate::lower::context::{Cx, Lowered};
use crate::lower::control::{After, Begun, Gathered, Jump, List, Parts, Round};
use crate::lower::flow::Flow;
use crate::lower::resolve::VarId;
use crate::tree::{Id, Words};
use pif_language::form::Form;
use std::cell::RefCell;
use std::rc::Rc;

/// The state that is restored before a loop is lowered again.
pub(super) struct Saved {
    faults: usize,
    bound: Vec<bool>,
}

impl<'s> Cx<'_, 's> {
    /// Lowers a loop to a `reduce` of one variable.
    pub(super) async fn reduced(
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
            let next = Self::behind_round(parts.elements, After::State(Rc::clone(&vars)));
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

    /// Lowers a loop to a function that calls itself.
    pub(super) async fn rounds(
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
            let next = Self::behind_round(parts.elements, After::Next(Rc::clone(&round)));
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

    /// Lowers one round: its test, its body, and the continuation behind the last round.
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
            match &parts.members {
                Some(members) => {
                    let key = self.fixed(head, span);
                    self.bind_member(members, key, span);
                }
                None => self.element(pattern, kind, (head, own), span).await?,
            }
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

    /// Tells whether a test always holds.
    fn is_always(&self, test: ExprId) -> bool {
        match &self.ast.expr(test).what {
            What::Boolean(true) => true,
            What::Number(digits) => &**digits == "1",
            _ => false,
        }
    }

    /// Binds the element of a round.
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

    /// Names the element of a round. A pattern is taken apart in the open term.
    async fn item(
        &self,
        pattern: PatternId,
        kind: Option<Kind>,
        parts: &Parts,
        span: Span,
    ) -> Result<Words<'s>, Wrong> {
        if let Some(members) = &parts.members {
            let name = self.b().make_name();
            let key = self.b().variable(&name, span);
            self.bind_member(members, key, span);
            return Ok(name);
        }
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

    /// Enters a loop.
    fn within_loop(&self, span: Span, jump: Jump<'s>) -> Self {
        self.with(|around| {
            around.repeats.push(span);
            around.jumps.push(Rc::new(jump));
        })
    }

    /// Calls the next round.
    pub(super) async fn next_round(&self, round: &Rc<Round<'s>>) -> Lowered {
        let given = round.given.clone();
        let given = given.map(|name| self.b().variable(&name, (0, 0)));
        self.next_with(round, given).await
    }

    /// Calls the next round with the result so far.
    pub(super) async fn next_with(&self, round: &Rc<Round<'s>>, given: Option<Id>) -> Lowered {
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

    /// Makes a list of the elements of a value.
    pub(super) fn elements(&self, value: Id, span: Span) -> Id {
        let mut b = self.b();
        if b.tree.form_of(value).given() == pif_language::kinds::LIST {
            return value;
        }
        b.form(Form::Elements, &[value], span)
    }

    /// Tells whether the flow at the beginning of a loop is a fixed point: it also holds at the end
    /// of a round. If not, the loop is lowered again with the flow that holds at both.
    pub(super) fn settle(&self, head: &mut Flow, round: &RefCell<Option<Flow>>, size: u32) -> bool {
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

    /// Saves the state that is restored before a loop is lowered again.
    pub(super) fn save(&self) -> Saved {
        Saved { faults: self.faults.borrow().len(), bound: self.bound.borrow().clone() }
    }

    /// Restores the state before a loop.
    pub(super) fn restore(&self, saved: &Saved) {
        self.faults.borrow_mut().truncate(saved.faults);
        self.bound.borrow_mut().clone_from(&saved.bound);
    }

    pub(super) async fn finish_level(self, after: After<'s>) -> Lowered {
        self.finish(after).await
    }
}
