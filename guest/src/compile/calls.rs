//! Applications: of literal functions, of the running function, and of all others.

use crate::compile::compiler::{Compiler, Failed};
use crate::compile::place::slot;
use crate::compile::task::{SelfCall, Task};
use pif_core::limits::{MOST_PARAMETERS, to_u32};

use crate::code::{Op, Place, Slot};
use pif_language::form::Form;
use pif_language::term::TermId;

impl Compiler<'_> {
    /// Compiles a literal function applied to exactly its parameters: it binds them like `let`.
    /// Returns false for another application.
    pub(super) fn inline(&mut self, t: TermId, d: Slot, depth: Option<u32>) -> bool {
        let Some((function, arguments)) = self.terms.operands(t).split_first() else {
            return false;
        };
        let names = self.terms.names(*function);
        let literal = self.terms.form(*function) == Form::Lam;
        if !literal || names.len() != arguments.len() || names.len() > MOST_PARAMETERS {
            return false;
        }
        let inner = depth.unwrap_or(0) + 1;
        self.visit(*function, inner);
        let (mut tasks, mut binds) = (Vec::new(), Vec::new());
        let mut next = d;
        for (name, argument) in names.iter().zip(arguments) {
            tasks.push(Task::Term { t: *argument, d: next, depth: inner });
            binds.push(Task::Bind { name: *name, place: Place::Slot(next) });
            next += 1;
        }
        tasks.extend(binds);
        let body = self.terms.operand(*function, 0);
        tasks.push(match depth {
            Some(depth) => Task::Into { t: body, d: next, depth, to: d },
            None => Task::Tail { t: body, d: next },
        });
        tasks.push(Task::Unbind { count: to_u32(names.len()) });
        self.schedule(&tasks);
        true
    }

    /// An application at a depth, or in tail position.
    pub(super) fn application(
        &mut self,
        t: TermId,
        d: Slot,
        depth: Option<u32>,
    ) -> Result<(), Failed> {
        if self.inline(t, d, depth) || self.apply_self(t, d, depth) {
            return Ok(());
        }
        self.call(t, d, depth)
    }

    /// Compiles `self` applied to one argument in its own function. Returns false for another
    /// application.
    pub(super) fn apply_self(&mut self, t: TermId, d: Slot, depth: Option<u32>) -> bool {
        let [function, argument] = *self.terms.operands(t) else { return false };
        let known = self.is_self() && self.function().arity == 1;
        if self.terms.form(function) != Form::SelfRef || !known {
            return false;
        }
        let inner = depth.unwrap_or(0) + 1;
        self.visit(function, inner);
        let call = SelfCall { base: d, depth: depth.map(slot) };
        self.schedule(&[Task::Term { t: argument, d, depth: inner }, Task::CallSelf { call, t }]);
        true
    }

    /// Compiles any other call: the function, the arguments from the left, then the application.
    pub(super) fn call(&mut self, t: TermId, d: Slot, depth: Option<u32>) -> Result<(), Failed> {
        let operands = self.terms.operands(t);
        if operands.len() > MOST_PARAMETERS {
            return Err(Failed::Parameters(t));
        }
        let (function, arguments) = operands.split_first().ok_or(Failed::Defect)?;
        if self.call_captured(t, *function, d, depth)? {
            return Ok(());
        }
        let here = depth.unwrap_or(0);
        let (f, task) = self.operand(*function, d, here + 1)?;
        let base = if f == d { d + 1 } else { d };
        let mut tasks = vec![task];
        for (argument, d) in arguments.iter().zip(base..) {
            tasks.push(Task::Term { t: *argument, d, depth: here + 1 });
        }
        let n = slot(to_u32(arguments.len()));
        let cost = 0;
        match depth {
            None => tasks.push(Task::End { op: Op::TailCall { f, base, n, cost }, t }),
            Some(depth) => {
                let op = Op::Call { f, base, n, depth: slot(depth), cost };
                tasks.push(Task::End { op, t });
                if base != d {
                    tasks.push(Task::Emit { op: Op::Move { d, a: base }, t });
                }
            }
        }
        self.schedule(&tasks);
        Ok(())
    }

    /// Compiles a call of a captured variable. It fetches the function after the arguments, so the
    /// function's slot is above theirs and the call's value is in place.
    fn call_captured(
        &mut self,
        t: TermId,
        function: TermId,
        d: Slot,
        depth: Option<u32>,
    ) -> Result<bool, Failed> {
        if self.terms.form(function) != Form::Var {
            return Ok(false);
        }
        let Some(place) = self.look_up(self.terms.only_name(function))? else {
            return Ok(false);
        };
        if !matches!(place, Place::Captured(_) | Place::Constant(_)) {
            return Ok(false);
        }
        let here = depth.unwrap_or(0);
        self.visit_in_place(function, here + 1)?;
        let mut tasks = Vec::new();
        let mut f = d;
        for argument in self.terms.operands(t).get(1..).unwrap_or_default() {
            tasks.push(Task::Term { t: *argument, d: f, depth: here + 1 });
            f += 1;
        }
        let n = f - d;
        let cost = 0;
        if let (Place::Captured(i), Some(_)) = (place, depth)
            && let Ok(i) = u8::try_from(i)
        {
            let op = Op::CallCaptured { i, base: d, n, depth: slot(here), cost };
            tasks.push(Task::End { op, t });
            self.schedule(&tasks);
            return Ok(true);
        }
        tasks.push(Task::Fetch { place, d: f, t: function });
        tasks.push(match depth {
            Some(_) => Task::End { op: Op::Call { f, base: d, n, depth: slot(here), cost }, t },
            None => Task::End { op: Op::TailCall { f, base: d, n, cost }, t },
        });
        self.schedule(&tasks);
        Ok(true)
    }
}
