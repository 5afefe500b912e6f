//! The targets of values: a slot, a variable, the caller.

use crate::code::{Op, Place, Slot};
use crate::compile::compiler::{Compiler, Failed};
use crate::compile::place::slot;
use crate::compile::task::{Goal, Task};
use pif_core::limits::to_u32;
use pif_language::form::Form;
use pif_language::term::TermId;

impl Compiler<'_> {
    pub(super) fn into(&mut self, t: TermId, d: Slot, depth: u32, to: Slot) -> Result<(), Failed> {
        let (a, task) = self.operand(t, d, depth)?;
        if a != to {
            self.tasks.push(Task::Emit { op: Op::Move { d: to, a }, t });
        }
        self.tasks.push(task);
        Ok(())
    }

    /// Compiles the bindings of a `let`. A variable that is another one shares its place.
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
        let (a, value) = self.operand(term, d, depth)?;
        let place = Place::Slot(a);
        let free = if a == d { d + 1 } else { d };
        let rest = Task::Let { t, index: index + 1, d: free, goal };
        self.schedule(&[value, Task::Bind { name, place }, rest, Task::Unbind { count: 1 }]);
        Ok(())
    }

    /// Functions that see each other: each captures the slots of all, which are filled when the last
    /// of them is made.
    pub(super) fn letrec(&mut self, t: TermId, d: Slot, goal: Goal) {
        let names = self.terms.names(t);
        let n = slot(to_u32(names.len()));
        let depth = goal.depth() + 1;
        let mut tasks = Vec::with_capacity(4 * names.len() + 3);
        let places = || (d..).zip(names);
        for (d, name) in places() {
            tasks.push(Task::Emit { op: Op::Constant { d, k: 0 }, t });
            tasks.push(Task::Bind { name: *name, place: Place::Slot(d) });
        }
        for ((d, _), t) in places().zip(self.terms.operands(t)) {
            tasks.extend([Task::Visit { t: *t, depth }, Task::Function { t: *t, d }]);
        }
        tasks.push(Task::Emit { op: Op::Tie { d, n }, t });
        tasks.push(goal.task(self.terms.operand(t, names.len()), d + n));
        tasks.push(Task::Unbind { count: u32::from(n) });
        self.schedule(&tasks);
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
