//! Applications: of literal functions, of the running function, and of all others.

use crate::compile::compiler::{Compiler, Failed, MERGED};
use crate::compile::place::{Location, slot};
use crate::compile::task::{Body, SelfCall, Spine, Task};
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
            let location = Location::At(Place::Slot(next));
            binds.push(Task::Bind { name: *name, location });
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
        let deeper = depth.map(slot);
        if self.terms.form(argument) == Form::Pair && self.function().split.is_some() {
            let half =
                |i, d| Task::Term { t: self.terms.operand(argument, i), d, depth: inner + 1 };
            let call = SelfCall { body: Body::Halves, base: d, depth: deeper };
            let halves = [
                Task::Visit { t: argument, depth: inner },
                half(0, d),
                half(1, d + 1),
                Task::CallSelf { call, t },
            ];
            self.schedule(&halves);
            return true;
        }
        let call = SelfCall { body: Body::Whole, base: d, depth: deeper };
        self.schedule(&[Task::Term { t: argument, d, depth: inner }, Task::CallSelf { call, t }]);
        true
    }

    /// Compiles any other call. Applications nested in function position become one call.
    pub(super) fn call(&mut self, t: TermId, d: Slot, depth: Option<u32>) -> Result<(), Failed> {
        let first = depth.unwrap_or(0);
        let (mut at, mut levels, mut arguments) = (t, 0, 0);
        loop {
            let operands = self.terms.operands(at);
            if operands.len() > MOST_PARAMETERS {
                return Err(Failed::Parameters(at));
            }
            arguments += operands.len() - 1;
            let function = self.terms.operand(at, 0);
            let more = self.terms.operands(function).len();
            let nested = self.terms.form(function) == Form::App && levels < 8 && !self.debug;
            if !nested || arguments + more > MERGED || self.is_direct(function) {
                break;
            }
            levels += 1;
            at = function;
            self.visit(at, first + levels);
        }
        let function = self.terms.operand(at, 0);
        let inner = first + levels + 1;
        if levels == 0 && self.call_captured(t, function, d, depth)? {
            return Ok(());
        }
        let (f, task) = if levels == 0 {
            self.operand(function, d, inner)?
        } else {
            (d, Task::Term { t: function, d, depth: inner })
        };
        let base = if f == d { d + 1 } else { d };
        let spine = Spine { function: f, base, arguments: 0, to: d };
        self.schedule(&[task, Task::Feed { t, index: levels, spine, depth }]);
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
        let Some(location) = self.look_up(self.terms.only_name(function))? else {
            return Ok(false);
        };
        if !matches!(location, Location::At(Place::Captured(_) | Place::Constant(_))) {
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
        let (n, cost) = (f - d, 0);
        if let (Location::At(Place::Captured(i)), Some(_)) = (location, depth)
            && let Ok(i) = u8::try_from(i)
        {
            let op = Op::CallCaptured { i, base: d, n, depth: slot(here), cost };
            tasks.push(Task::End { op, t });
            self.schedule(&tasks);
            return Ok(true);
        }
        tasks.push(Task::Fetch { location, d: f, t: function });
        tasks.push(match depth {
            Some(_) => Task::End { op: Op::Call { f, base: d, n, depth: slot(here), cost }, t },
            None => Task::End { op: Op::TailCall { f, base: d, n, cost }, t },
        });
        self.schedule(&tasks);
        Ok(true)
    }

    /// Tells whether an application is compiled without a call of an unknown function.
    fn is_direct(&mut self, t: TermId) -> bool {
        let function = self.terms.operand(t, 0);
        let form = self.terms.form(function);
        let arguments = self.terms.operands(t).len() - 1;
        form == Form::Lam && self.terms.names(function).len() == arguments
            || form == Form::SelfRef && self.is_self()
    }

    /// Compiles the arguments of the application `levels` inside `t`, then those of the
    /// applications around it.
    pub(super) fn feed(&mut self, t: TermId, levels: u32, spine: Spine, depth: Option<u32>) {
        let mut at = t;
        for _ in 0..levels {
            at = self.terms.operand(at, 0);
        }
        let here = depth.unwrap_or(0) + levels;
        let Spine { function: f, base, arguments, to } = spine;
        let new = self.terms.operands(at).get(1..).unwrap_or_default();
        let mut tasks = Vec::with_capacity(new.len() + 3);
        let mut n = arguments;
        for argument in new {
            tasks.push(Task::Term { t: *argument, d: base + n, depth: here + 1 });
            n += 1;
        }
        let (cost, given) = (0, arguments);
        if levels > 0 {
            let op = Op::Feed { f, base, n, new: n - arguments, depth: slot(here), cost };
            tasks.push(Task::End { op, t: at });
            tasks.push(Task::Emit { op: Op::Fed { f, base, n }, t: at });
            let spine = Spine { arguments: n, ..spine };
            tasks.push(Task::Feed { t, index: levels - 1, spine, depth });
        } else if depth.is_none() {
            let fed = Op::TailCallFed { f, base, n, given, cost };
            let op = if given > 0 { fed } else { Op::TailCall { f, base, n, cost } };
            tasks.push(Task::End { op, t });
        } else {
            let depth = slot(here);
            let fed = Op::CallFed { f, base, n, given, depth, cost };
            let op = if given > 0 { fed } else { Op::Call { f, base, n, depth, cost } };
            tasks.push(Task::End { op, t });
            if base != to {
                tasks.push(Task::Emit { op: Op::Move { d: to, a: base }, t });
            }
        }
        self.schedule(&tasks);
    }
}
