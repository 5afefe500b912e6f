//! The targets of values: a slot, a variable, the next turn of a loop, the caller.

use crate::code::slots::fold;
use crate::code::{Op, Place, Slot};
use crate::compile::compiler::{Compiler, Failed};
use crate::compile::place::{Location, slot};
use crate::compile::task::{Goal, Task, Turn};
use pif_core::limits::to_u32;
use pif_language::form::Form;
use pif_language::term::TermId;

/// The distance from an accumulator's second half to its next first half. The loop's slots begin
/// one after the second half.
const NEXT: Slot = 1 + fold::NEXT;

impl Compiler<'_> {
    pub(super) fn into(&mut self, t: TermId, d: Slot, depth: u32, to: Slot) -> Result<(), Failed> {
        let (a, task) = self.operand(t, d, depth)?;
        if a != to {
            self.tasks.push(Task::Emit { op: Op::Move { d: to, a }, t });
        }
        self.tasks.push(task);
        Ok(())
    }

    /// Compiles the bindings of a `let`. A variable that is another one, or half of it, shares its
    /// place.
    pub(super) fn let_in(
        &mut self,
        t: TermId,
        index: u32,
        d: Slot,
        goal: Goal,
    ) -> Result<(), Failed> {
        let operands = self.terms.operands(t);
        let at = index as usize;
        let (Some(term), name) = (operands.get(at).copied(), self.terms.names(t).get(at)) else {
            return Ok(());
        };
        let Some(name) = name.copied() else {
            self.tasks.push(goal.task(term, d));
            return Ok(());
        };
        let depth = goal.depth() + 1;
        let (location, value) = if let Some(location) = self.half_pair(term)? {
            (location, Task::Half { t: term, depth })
        } else {
            let (a, value) = self.operand(term, d, depth)?;
            (Location::At(Place::Slot(a)), value)
        };
        let free = if location == Location::At(Place::Slot(d)) { d + 1 } else { d };
        let rest = Task::Let { t, index: index + 1, d: free, goal };
        self.schedule(&[value, Task::Bind { name, location }, rest, Task::Unbind { count: 1 }]);
        Ok(())
    }

    /// Functions that see each other: each captures the slots of all, which are filled when the last
    /// of them is made.
    pub(super) fn letrec(&mut self, t: TermId, d: Slot, goal: Goal) {
        let names = self.terms.names(t);
        let (n, depth) = (slot(to_u32(names.len())), goal.depth() + 1);
        let mut tasks = Vec::with_capacity(4 * names.len() + 3);
        let places = || (d..).zip(names);
        for (d, name) in places() {
            tasks.push(Task::Emit { op: Op::Constant { d, k: 0 }, t });
            let location = Location::At(Place::Slot(d));
            tasks.push(Task::Bind { name: *name, location });
        }
        for ((d, _), t) in places().zip(self.terms.operands(t)) {
            tasks.extend([Task::Visit { t: *t, depth }, Task::Function { t: *t, d }]);
        }
        tasks.push(Task::Emit { op: Op::Tie { d, n }, t });
        tasks.push(goal.task(self.terms.operand(t, names.len()), d + n));
        tasks.push(Task::Unbind { count: u32::from(n) });
        self.schedule(&tasks);
    }

    /// Compiles the next accumulator of a loop that keeps both halves. The term always gives a pair.
    pub(super) fn next(&mut self, t: TermId, d: Slot, turn: Turn) -> Result<(), Failed> {
        let Turn { second, to, .. } = turn;
        let depth = u32::from(turn.depth);
        if d > super::CROWDED_SLOT {
            self.schedule(&[Task::Term { t, d, depth }, Task::Apart { t, d, turn }]);
            return Ok(());
        }
        if self.lead(t, d, Goal::Next(turn))? {
            return Ok(());
        }
        if self.terms.form(t) != Form::Pair {
            self.schedule(&[Task::Term { t, d, depth }, Task::Apart { t, d, turn }]);
            return Ok(());
        }
        // Nothing is overwritten before both halves are there.
        self.visit(t, depth);
        let (operand, inner) = (|i| self.terms.operand(t, i), depth + 1);
        let first = Task::Into { t: operand(0), d, depth: inner, to: d };
        let (b, other) = self.operand(operand(1), d + 1, inner)?;
        let moves = [(second, b), (second + NEXT, d)].into_iter().filter(|(d, a)| d != a);
        let mut tasks = vec![first, other];
        tasks.extend(moves.map(|(d, a)| Task::Emit { op: Op::Move { d, a }, t }));
        tasks.push(Task::End { op: Op::Jump { to, cost: 0 }, t });
        self.schedule(&tasks);
        Ok(())
    }

    /// Splits a pair into the halves of a loop's next accumulator.
    pub(super) fn apart(&mut self, t: TermId, d: Slot, turn: Turn) {
        let Turn { second, to, .. } = turn;
        self.emit(Op::Second { d: second, a: d }, t);
        self.emit(Op::First { d: second + NEXT, a: d }, t);
        self.end(Op::Jump { to, cost: 0 }, t);
    }

    pub(super) fn tail(&mut self, t: TermId, d: Slot) -> Result<(), Failed> {
        if self.lead(t, d, Goal::Return)? {
            return Ok(());
        }
        let form = self.terms.form(t);
        if self.debug {
            self.schedule(&[
                Task::Term { t, d, depth: 0 },
                Task::End { op: Op::Return { a: d, cost: 0 }, t },
            ]);
        } else if self.terms.added_literal(t).is_some() {
            self.visit(t, 0);
            let sum = |a, n| Task::End { op: Op::AddLiteralReturn { a, cost: 0, n }, t };
            self.sum_with_literal(t, (d, 1), sum)?;
        } else if matches!(form, Form::Add | Form::Plus) && self.terms.operands(t).len() == 2 {
            self.visit(t, 0);
            let ((a, first), (b, second)) = self.two(t, d, 1)?;
            let op = Op::AddReturn { a, b, cost: 0 };
            self.schedule(&[first, second, Task::End { op, t }]);
        } else {
            let (a, task) = self.operand(t, d, 0)?;
            self.schedule(&[task, Task::End { op: Op::Return { a, cost: 0 }, t }]);
        }
        Ok(())
    }
}
