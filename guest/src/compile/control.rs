//! Forms that decide what is evaluated next: applications, bindings, branches, folds.

use super::forms::{slot, to_u32};
use super::{
    Body, Compiler, Failed, Goal, Location, MERGED, MOST_PARAMETERS, SelfCall, Spine, Task, Turn,
};
use crate::code::slots::fold;
use crate::code::{Op, Place, Slot};
use crate::form::Form;
use crate::term::TermId;

/// How far above the second half of an accumulator the next first half is: the loop has its slots
/// from the one after the second half on.
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

    /// A variable that is another one, or half of it, is where that one is.
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

    /// The next accumulator of a loop, of which both halves are kept. What does not lead to a pair
    /// has been ruled out.
    pub(super) fn next(&mut self, t: TermId, d: Slot, turn: Turn) -> Result<(), Failed> {
        let Turn { second, to, .. } = turn;
        let depth = u32::from(turn.depth);
        let form = self.terms.form(t);
        if d > super::CROWDED_SLOT
            || !matches!(form, Form::Pair | Form::Let | Form::If | Form::Cond)
        {
            self.schedule(&[Task::Term { t, d, depth }, Task::Apart { t, d, turn }]);
            return Ok(());
        }
        self.visit(t, depth);
        let operand = |i| self.terms.operand(t, i);
        match form {
            Form::Let => {
                self.tasks.push(Task::Let { t, index: 0, d, goal: Goal::Next(turn) });
            }
            Form::Cond => self.cond(t, d, Goal::Next(turn)),
            Form::If => {
                let (test, then, other) = (operand(0), operand(1), operand(2));
                let otherwise = self.label();
                self.schedule(&[
                    Task::Test { t: test, d, depth: depth + 1, label: otherwise, of: (t, 0) },
                    Task::Save,
                    Task::Next { t: then, d, turn },
                    Task::Label(otherwise),
                    Task::Restore,
                    Task::Next { t: other, d, turn },
                ]);
            }
            _ => {
                // Nothing is overwritten before both halves are there.
                let inner = depth + 1;
                let (b, other) = self.operand(operand(1), d + 1, inner)?;
                let first = Task::Into { t: operand(0), d, depth: inner, to: d };
                let moves = [(second, b), (second + NEXT, d)].into_iter().filter(|(d, a)| d != a);
                let mut tasks = vec![first, other];
                tasks.extend(moves.map(|(d, a)| Task::Emit { op: Op::Move { d, a }, t }));
                tasks.push(Task::End { op: Op::Jump { to, cost: 0 }, t });
                self.schedule(&tasks);
            }
        }
        Ok(())
    }

    /// The same with a pair that was built.
    pub(super) fn apart(&mut self, t: TermId, d: Slot, turn: Turn) {
        let Turn { second, to, .. } = turn;
        self.emit(Op::Second { d: second, a: d }, t);
        self.emit(Op::First { d: second + NEXT, a: d }, t);
        self.end(Op::Jump { to, cost: 0 }, t);
    }

    /// A literal function applied to as many arguments as it takes binds them like `let`.
    fn inline(&mut self, t: TermId, d: Slot, depth: Option<u32>) -> bool {
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

    pub(super) fn application(&mut self, t: TermId, d: Slot, depth: u32) -> Result<(), Failed> {
        if self.inline(t, d, Some(depth)) || self.apply_self(t, d, Some(depth))? {
            return Ok(());
        }
        self.call(t, d, Some(depth))
    }

    /// `self` applied to one argument, where the running function is the one that it means.
    fn apply_self(&mut self, t: TermId, d: Slot, depth: Option<u32>) -> Result<bool, Failed> {
        let [function, argument] = *self.terms.operands(t) else { return Ok(false) };
        let known = self.is_self() && self.function().arity == 1;
        if self.terms.form(function) != Form::SelfRef || !known {
            return Ok(false);
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
            return Ok(true);
        }
        let call = SelfCall { body: Body::Whole, base: d, depth: deeper };
        self.schedule(&[Task::Term { t: argument, d, depth: inner }, Task::CallSelf { call, t }]);
        Ok(true)
    }

    /// A call of anything else. Applications nested in function position become one call.
    fn call(&mut self, t: TermId, d: Slot, depth: Option<u32>) -> Result<(), Failed> {
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
            let nested = self.terms.form(function) == Form::App && levels < 8;
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

    /// A call of a captured variable fetches it after the arguments: its slot is then above
    /// theirs, and the value of the call is in place.
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
        self.visit(function, here + 1);
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

    /// Whether an application is compiled without a call of an unknown function.
    fn is_direct(&mut self, t: TermId) -> bool {
        let function = self.terms.operand(t, 0);
        match self.terms.form(function) {
            Form::Lam => self.terms.names(function).len() == self.terms.operands(t).len() - 1,
            Form::SelfRef => self.is_self(),
            _ => false,
        }
    }

    /// The arguments of the application `levels` inside `t`, then of the ones around it.
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

    pub(super) fn if_else(&mut self, t: TermId, d: Slot, depth: u32) {
        let (otherwise, end) = (self.label(), self.label());
        let operand = |i| self.terms.operand(t, i);
        let tasks = [
            Task::Test { t: operand(0), d, depth: depth + 1, label: otherwise, of: (t, 0) },
            Task::Save,
            Task::Term { t: operand(1), d, depth },
            Task::End { op: Op::Jump { to: end, cost: 0 }, t },
            Task::Label(otherwise),
            Task::Restore,
            Task::Term { t: operand(2), d, depth },
            Task::End { op: Op::Pay { cost: 0 }, t },
            Task::Label(end),
        ];
        self.schedule(&tasks);
    }

    /// Branches to `label` unless `t` is true; comparisons are part of the branch.
    pub(super) fn test(
        &mut self,
        t: TermId,
        d: Slot,
        depth: u32,
        label: u32,
        of: (TermId, u16),
    ) -> Result<(), Failed> {
        let (inner, to) = (depth + 1, label);
        let (of, operand) = of;
        let form = self.terms.form(t);
        let right = self.terms.operand(t, 1);
        if d > super::CROWDED_SLOT || depth > super::CROWDED_DEPTH {
            let tasks = [
                Task::Term { t, d, depth },
                Task::Emit { op: Op::JumpFalse { a: d, operand, to }, t: of },
            ];
            self.schedule(&tasks);
            return Ok(());
        }
        // The successor of a literal must fit too.
        let literal = self.terms.literal::<i16>(right).filter(|n| *n < i16::MAX);
        let (first, second, op) = match (form, literal) {
            (Form::Lt | Form::Lte | Form::Gt | Form::Gte | Form::Eq, Some(n)) => {
                let (a, task) = self.operand(self.terms.operand(t, 0), d, inner)?;
                let literal = Task::Visit { t: right, depth: inner };
                let op = match form {
                    Form::Lt => Op::JumpNotLessLiteral { a, n, to },
                    Form::Lte => Op::JumpNotLessLiteral { a, n: n + 1, to },
                    Form::Gt => Op::JumpLessLiteral { a, n: n + 1, to },
                    Form::Gte => Op::JumpLessLiteral { a, n, to },
                    _ => Op::JumpNotEqualLiteral { a, n, to },
                };
                (task, Some(literal), op)
            }
            (Form::Lt | Form::Lte | Form::Gt | Form::Gte | Form::Eq, None) => {
                let ((a, first), (b, second)) = self.two(t, d, inner)?;
                let op = match form {
                    Form::Lt => Op::JumpNotLess { a, b, swap: 0, to },
                    Form::Lte => Op::JumpLess { a: b, b: a, swap: 1, to },
                    Form::Gt => Op::JumpNotLess { a: b, b: a, swap: 1, to },
                    Form::Gte => Op::JumpLess { a, b, swap: 0, to },
                    _ => Op::JumpNotEqual { a, b, to },
                };
                (first, Some(second), op)
            }
            (Form::IsEmpty, _) => {
                let (a, task) = self.operand(self.terms.operand(t, 0), d, inner)?;
                (task, None, Op::JumpNotEmpty { a, to })
            }
            _ => {
                let (a, task) = self.operand(t, d, depth)?;
                self.schedule(&[task, Task::Emit { op: Op::JumpFalse { a, operand, to }, t: of }]);
                return Ok(());
            }
        };
        self.visit(t, depth);
        let mut tasks = vec![first];
        tasks.extend(second);
        tasks.push(Task::Emit { op, t });
        self.schedule(&tasks);
        Ok(())
    }

    /// Tests of all operands, one after another, as far as they decide anything.
    pub(super) fn and_or(&mut self, t: TermId, d: Slot, inner: u32) {
        let end = self.label();
        let is_and = self.terms.form(t) == Form::And;
        let pay = Task::End { op: Op::Pay { cost: 0 }, t };
        let operands = self.terms.operands(t).to_vec();
        let mut tasks = Vec::with_capacity(3 * operands.len());
        for (index, operand) in operands.iter().enumerate() {
            let (a, operand_index) = (d, u16::try_from(index).unwrap_or(u16::MAX));
            tasks.push(Task::Term { t: *operand, d, depth: inner });
            if index + 1 == operands.len() {
                let op = Op::Boolean { a, operand: operand_index };
                tasks.extend([Task::Emit { op, t }, pay]);
                break;
            }
            let op = if is_and {
                Op::JumpFalse { a, operand: operand_index, to: end }
            } else {
                Op::JumpTrue { a, operand: operand_index, to: end }
            };
            tasks.extend([pay, Task::Emit { op, t }]);
        }
        tasks.push(Task::Label(end));
        self.schedule(&tasks);
    }

    pub(super) fn tail(&mut self, t: TermId, d: Slot) -> Result<(), Failed> {
        match self.terms.form(t) {
            Form::If => {
                self.visit(t, 0);
                let otherwise = self.label();
                let operand = |i| self.terms.operand(t, i);
                let tasks = [
                    Task::Test { t: operand(0), d, depth: 1, label: otherwise, of: (t, 0) },
                    Task::Save,
                    Task::Tail { t: operand(1), d },
                    Task::Label(otherwise),
                    Task::Restore,
                    Task::Tail { t: operand(2), d },
                ];
                self.schedule(&tasks);
            }
            Form::Let => {
                self.visit(t, 0);
                self.tasks.push(Task::Let { t, index: 0, d, goal: Goal::Return });
            }
            Form::App => {
                self.visit(t, 0);
                if !self.inline(t, d, None) && !self.apply_self(t, d, None)? {
                    self.call(t, d, None)?;
                }
            }
            Form::Cond => {
                self.visit(t, 0);
                self.cond(t, d, Goal::Return);
            }
            Form::Try => {
                self.visit(t, 0);
                self.try_catch(t, d, None);
            }
            Form::Pipe => {
                self.visit(t, 0);
                self.pipe(t, d, None)?;
            }
            _ => {
                let (a, task) = self.operand(t, d, 0)?;
                self.schedule(&[task, Task::End { op: Op::Return { a, cost: 0 }, t }]);
            }
        }
        Ok(())
    }
}
