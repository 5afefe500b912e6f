//! Forms that apply functions themselves: folds, other list forms, `try`, `pipe`.

use crate::compile::compiler::{Compiler, Failed};
use crate::compile::place::slot;
use crate::compile::task::Task;
use pif_core::limits::{MOST_PARAMETERS, to_u32};

use crate::code::slots::{each, fold, update};
use crate::code::{HOLE_CONSTANT, Op, Place, Slot};
use pif_language::form::{Form, Shape, Taken};
use pif_language::term::TermId;

impl Compiler<'_> {
    /// A `fold` over a literal function of one parameter, or a `reduce` over one of two, is a loop in
    /// the same function.
    pub(super) fn fold(&mut self, t: TermId, d: Slot, depth: u32) {
        let [function, start, list] = *self.terms.operands(t) else { return };
        let names = self.terms.names(function);
        let inner = depth + 1;
        if !self.is_loop(t) {
            return self.fold_unknown(t, d, depth);
        }
        self.visit(function, inner);
        let (begin, exit) = (self.label(), self.label());
        let next = d + fold::NEXT;
        let mut tasks = vec![
            Task::Term { t: start, d, depth: inner },
            Task::Term { t: list, d: d + fold::LIST, depth: inner },
            Task::End { op: Op::FoldBegin { d, cost: 0, exit }, t },
            Task::Label(begin),
            Task::Applied { t, depth },
        ];
        let bind = |name, slot| Task::Bind { name, place: Place::Slot(slot) };
        let mut free = next;
        let mut bound = names.len();
        if let [accumulator, item] = *names {
            tasks.extend([bind(accumulator, d), bind(item, d + fold::ITEM)]);
        } else if let [pair] = *names
            && self.takes_apart(function)
        {
            tasks.extend(self.bind_halves(pair, [d, d + fold::ITEM]));
            bound = 2;
        } else {
            let pair = Op::Pair { d: next, a: d, b: d + fold::ITEM };
            tasks.push(Task::Emit { op: pair, t });
            tasks.extend(names.iter().map(|name| bind(*name, next)));
            free = d + fold::FREE;
        }
        tasks.extend([
            Task::Into { t: self.terms.operand(function, 0), d: free, depth: inner, to: next },
            Task::Unbind { count: to_u32(bound) },
            Task::End { op: Op::FoldNext { d, cost: 0, body: begin }, t },
            Task::Label(exit),
        ]);
        self.schedule(&tasks);
    }

    /// Compiles a `fold` or `reduce` with any other function, which waits below the loop and is
    /// called in each turn.
    fn fold_unknown(&mut self, t: TermId, f: Slot, depth: u32) {
        let (begin, exit) = (self.label(), self.label());
        let inner = depth + 1;
        let d = f + 1;
        let [list, item, next] = [fold::LIST, fold::ITEM, fold::NEXT].map(|slot| d + slot);
        let term = |i, d| Task::Term { t: self.terms.operand(t, i), d, depth: inner };
        // A `fold` gives one pair, a `reduce` two arguments.
        let (n, arguments) = if self.terms.form(t) == Form::Reduce {
            (2, [Op::Move { d: next, a: d }, Op::Move { d: next + 1, a: item }])
        } else {
            (1, [Op::Pair { d: next, a: d, b: item }, Op::Move { d: next, a: next }])
        };
        let call = Op::Call { f, base: next, n, depth: slot(inner), cost: 0 };
        let tasks = [
            term(0, f),
            term(1, d),
            term(2, list),
            Task::Emit { op: Op::FoldFunction { f, d }, t },
            Task::End { op: Op::FoldBegin { d, cost: 0, exit }, t },
            Task::Label(begin),
            Task::Applied { t, depth },
            Task::Emit { op: arguments[0], t },
            Task::Emit { op: arguments[1], t },
            Task::End { op: call, t },
            Task::End { op: Op::FoldNext { d, cost: 0, body: begin }, t },
            Task::Label(exit),
            Task::Emit { op: Op::Move { d: f, a: d }, t },
        ];
        self.schedule(&tasks);
    }

    /// Compiles a form that applies a function to each element of a list. Between `EachBegin` and
    /// the operation that takes the value is a call, or the body of a literal function. `update`
    /// applies its function to the value of a key.
    pub(super) fn each(&mut self, t: TermId, d: Slot, depth: u32) {
        let (begin, exit) = (self.label(), self.label());
        let form = self.terms.form(t);
        let inner = depth + 1;
        let literal = self.literal_function(t, form);
        let mut tasks = Vec::with_capacity(16);
        for (index, operand) in self.terms.operands(t).iter().enumerate() {
            let d = d + to_slot(index);
            if index == 0 && literal.is_some() {
                tasks.push(Task::Visit { t: *operand, depth: inner });
                tasks.push(Task::Emit { op: Op::Constant { d, k: HOLE_CONSTANT }, t });
            } else {
                tasks.push(Task::Term { t: *operand, d, depth: inner });
            }
        }
        let pay = Task::End { op: Op::Pay { cost: 0 }, t };
        tasks.extend([
            pay,
            Task::Emit { op: Op::EachBegin { form, d, exit }, t },
            Task::Label(begin),
            Task::Applied { t, depth },
        ]);
        let given = d + each::GIVEN;
        let elements = arguments(form).iter().map(|element| d + element);
        if let Some(function) = literal {
            let names = self.terms.names(function);
            for (name, element) in names.iter().zip(elements) {
                tasks.push(Task::Bind { name: *name, place: Place::Slot(element) });
            }
            let body = self.terms.operand(function, 0);
            tasks.push(Task::Into { t: body, d: given, depth: inner, to: given });
            tasks.push(Task::Unbind { count: to_u32(names.len()) });
        } else {
            let f = if is_update(form) { d + update::FUNCTION } else { d };
            let n = to_slot(arguments(form).len());
            let call = Op::Call { f, base: given, n, depth: slot(inner), cost: 0 };
            for (element, argument) in elements.zip(given..) {
                tasks.push(Task::Emit { op: Op::Move { d: argument, a: element }, t });
            }
            tasks.push(Task::End { op: call, t });
        }
        let end = Task::Emit { op: Op::EachEnd { form, d }, t };
        match form.row().and_then(|row| row.taken) {
            Some(Taken::Push) => {
                tasks.push(Task::End { op: Op::EachPush { d, cost: 0, body: begin }, t });
                tasks.push(end);
            }
            Some(Taken::Select) => {
                tasks.push(Task::End { op: Op::EachSelect { d, cost: 0, body: begin }, t });
                tasks.push(end);
            }
            Some(Taken::Next | Taken::Update) | None => {
                tasks.extend(literal.map(|_| pay));
                tasks.push(Task::Emit { op: Op::EachNext { form, d, body: begin }, t });
            }
        }
        tasks.push(Task::Label(exit));
        self.schedule(&tasks);
    }

    /// Returns such a form's function, if it is a literal of as many parameters as it gets.
    fn literal_function(&self, t: TermId, form: Form) -> Option<TermId> {
        let function = self.terms.operand(t, 0);
        let fits = self.terms.names(function).len() == arguments(form).len();
        let is_literal = self.terms.form(function) == Form::Lam && !is_update(form);
        (fits && is_literal).then_some(function)
    }

    /// Compiles `try`. The tried term is never in tail position; the application of the handler is.
    pub(super) fn try_catch(&mut self, t: TermId, d: Slot, depth: Option<u32>) {
        let (handler, end) = (self.label(), self.label());
        let (tried, function) = (self.terms.operand(t, 0), self.terms.operand(t, 1));
        let inner = depth.unwrap_or(0) + 1;
        let pay = Task::End { op: Op::Pay { cost: 0 }, t };
        let (done, apply) = match depth {
            Some(depth) => (
                Op::Jump { to: end, cost: 0 },
                Op::Call { f: d + 1, base: d, n: 1, depth: slot(depth), cost: 0 },
            ),
            None => {
                (Op::Return { a: d, cost: 0 }, Op::TailCall { f: d + 1, base: d, n: 1, cost: 0 })
            }
        };
        self.schedule(&[
            pay,
            Task::Emit { op: Op::TryBegin { d, to: handler }, t },
            Task::Term { t: tried, d, depth: inner },
            pay,
            Task::Emit { op: Op::TryEnd, t },
            Task::End { op: done, t },
            Task::Label(handler),
            Task::Term { t: function, d: d + 1, depth: inner },
            Task::Applied { t, depth: depth.unwrap_or(0) },
            Task::End { op: apply, t },
            Task::Label(end),
        ]);
    }

    /// Compiles `retry`: an attempt begins behind the first operation, again and again.
    pub(super) fn retry(&mut self, t: TermId, d: Slot, depth: u32) {
        let inner = depth + 1;
        let term = |at, d| Task::Term { t: self.terms.operand(t, at), d, depth: inner };
        let f = d + 1;
        let base = d + 2;
        let pay = Task::End { op: Op::Pay { cost: 0 }, t };
        self.schedule(&[
            term(0, d),
            term(1, f),
            pay,
            Task::Emit { op: Op::RetryBegin { d }, t },
            Task::Applied { t, depth },
            Task::End { op: Op::Call { f, base, n: 1, depth: slot(inner), cost: 0 }, t },
            Task::Emit { op: Op::TryEnd, t },
            Task::Emit { op: Op::Move { d, a: base }, t },
        ]);
    }

    /// Compiles `step`, whose operands have this depth.
    pub(super) fn step(&mut self, t: TermId, d: Slot, depth: u32) {
        let (name, value) = (self.terms.operand(t, 0), self.terms.operand(t, 1));
        let end = self.label();
        self.schedule(&[
            Task::Term { t: name, d, depth },
            Task::End { op: Op::StepBegin { d, cost: 0, to: end }, t },
            Task::Term { t: value, d, depth },
            Task::End { op: Op::StepEnd { d, cost: 0 }, t },
            Task::Label(end),
        ]);
    }

    /// Compiles `pipe`: passes a value through functions. The last call is in tail position.
    pub(super) fn pipe(&mut self, t: TermId, d: Slot, depth: Option<u32>) -> Result<(), Failed> {
        let operands = self.terms.operands(t).to_vec();
        if operands.len() > MOST_PARAMETERS {
            return Err(Failed::Parameters(t));
        }
        let here = depth.unwrap_or(0);
        let base = d + to_slot(operands.len());
        let mut tasks = Vec::with_capacity(5 * operands.len());
        for (index, operand) in operands.iter().enumerate() {
            tasks.push(Task::Term { t: *operand, d: d + to_slot(index), depth: here + 1 });
        }
        for index in 1..operands.len() {
            let f = d + to_slot(index);
            let is_last = index + 1 == operands.len();
            tasks.push(Task::Applied { t, depth: here });
            tasks.push(Task::Emit { op: Op::Move { d: base, a: d }, t });
            if is_last && depth.is_none() {
                tasks.push(Task::End { op: Op::TailCall { f, base, n: 1, cost: 0 }, t });
                break;
            }
            let deeper = slot(if is_last { here } else { here + 1 });
            tasks.push(Task::End { op: Op::Call { f, base, n: 1, depth: deeper, cost: 0 }, t });
            tasks.push(Task::Emit { op: Op::Move { d, a: base }, t });
        }
        self.schedule(&tasks);
        Ok(())
    }

    /// Compiles `apply`: a call whose arguments are in a list.
    pub(super) fn apply(&mut self, t: TermId, d: Slot, depth: Option<u32>) {
        let here = depth.unwrap_or(0);
        let base = d + 2;
        let term = |i, d| Task::Term { t: self.terms.operand(t, i), d, depth: here + 1 };
        let mut tasks = vec![term(0, d), term(1, d + 1)];
        if depth.is_none() {
            tasks.push(Task::End { op: Op::TailApply { f: d, base, cost: 0 }, t });
        } else {
            let op = Op::Apply { f: d, base, depth: slot(here), cost: 0 };
            tasks.push(Task::End { op, t });
            tasks.push(Task::Emit { op: Op::Move { d, a: base }, t });
        }
        self.schedule(&tasks);
    }

    /// Compiles a strict form of any number of operands. Many operands go into a list.
    pub(super) fn builtin(&mut self, t: TermId, form: Form, d: Slot, inner: u32) {
        let operands = self.terms.evaluated(t);
        if operands.len() > MOST_PARAMETERS || is_many(form, operands.len()) {
            let items = Task::Items { t, index: 0, d, depth: inner };
            let op = Op::Builtin { form, d, n: 0, cost: 0 };
            self.emit(Op::Constant { d, k: 0 }, t);
            let reverse = Task::Emit { op: Op::Reverse { d }, t };
            return self.schedule(&[items, reverse, Task::End { op, t }]);
        }
        let mut tasks = Vec::with_capacity(operands.len() + 1);
        for (index, operand) in operands.iter().enumerate() {
            tasks.push(Task::Term { t: *operand, d: d + to_slot(index), depth: inner });
        }
        let n = to_slot(operands.len());
        tasks.push(Task::End { op: Op::Builtin { form, d, n, cost: 0 }, t });
        self.schedule(&tasks);
    }
}

/// Returns the slots of the arguments that a form gives its function.
fn arguments(form: Form) -> &'static [Slot] {
    let of_two = form.row().and_then(|row| row.callback).is_some_and(|it| it.arguments == 2);
    if of_two { &[each::ELEMENT, each::SECOND] } else { &[each::ELEMENT] }
}

/// Tells whether a form applies a function to one value in a record.
fn is_update(form: Form) -> bool {
    form.row().is_some_and(|row| row.taken == Some(Taken::Update))
}

/// Tells whether a form takes its operands in a list, because there can be any number of them.
fn is_many(form: Form, operands: usize) -> bool {
    operands > 1
        && form.row().is_some_and(|row| matches!(row.shape, Shape::List { most: u32::MAX, .. }))
}

fn to_slot(n: usize) -> Slot {
    Slot::try_from(n).unwrap_or(Slot::MAX)
}
