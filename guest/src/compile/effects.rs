//! Forms that name what they call: a function of a tool, which they apply, or else a tool of another
//! server, for which the machine asks its host.

use crate::code::slots::calls;
use crate::code::{HOLE_CONSTANT, Op, Slot};
use crate::compile::compiler::Compiler;
use crate::compile::place::slot;
use crate::compile::task::Task;
use pif_core::limits::to_u32;
use pif_language::term::TermId;

impl Compiler<'_> {
    /// Compiles `call` or `perform`. The application of a tool's function is in tail position; with
    /// options nobody but another server can be meant.
    pub(super) fn call_named(&mut self, t: TermId, d: Slot, depth: Option<u32>) {
        let here = depth.unwrap_or(0);
        let form = self.terms.form(t);
        let operands = self.terms.operands(t);
        let n = slot(to_u32(operands.len()));
        let f = d + n;
        let base = d + n + 1;
        let mut tasks = Vec::with_capacity(16);
        for (operand, d) in operands.iter().zip(d..) {
            tasks.push(Task::Term { t: *operand, d, depth: here + 1 });
        }
        let (other, end) = (self.label(), self.label());
        if n == 2 {
            let member = Op::Member { d: f, a: d, depth: slot(here + 1), to: other };
            tasks.extend([
                Task::End { op: Op::Pay { cost: 0 }, t },
                Task::Emit { op: member, t },
                Task::Applied { t, depth: here },
                Task::Emit { op: Op::Move { d: base, a: d + 1 }, t },
            ]);
            match depth {
                None => tasks.push(Task::End { op: Op::TailCall { f, base, n: 1, cost: 0 }, t }),
                Some(depth) => {
                    let op = Op::Call { f, base, n: 1, depth: slot(depth), cost: 0 };
                    tasks.extend([
                        Task::End { op, t },
                        Task::Emit { op: Op::Move { d, a: base }, t },
                        Task::End { op: Op::Jump { to: end, cost: 0 }, t },
                    ]);
                }
            }
            tasks.push(Task::Label(other));
        }
        tasks.push(Task::End { op: Op::Builtin { form, d, n, cost: 0 }, t });
        if depth.is_none() {
            tasks.push(Task::End { op: Op::Return { a: d, cost: 0 }, t });
        }
        tasks.push(Task::Label(end));
        self.schedule(&tasks);
    }

    /// Compiles `calls`: a loop that applies the functions of tools, then the calls of other servers
    /// together.
    pub(super) fn calls_named(&mut self, t: TermId, d: Slot, depth: u32) {
        let form = self.terms.form(t);
        let operands = self.terms.operands(t);
        let inner = depth + 1;
        let n = slot(to_u32(operands.len()));
        let left = d + n;
        let part = |part: Slot| left + part;
        let (result, element) = (part(calls::RESULT), part(calls::ELEMENT));
        let (name, arguments) = (part(calls::NAME), part(calls::ARGUMENTS));
        let (f, base) = (part(calls::FUNCTION), part(calls::GIVEN));
        let (next, other, exit) = (self.label(), self.label(), self.label());
        let mut tasks = Vec::with_capacity(24);
        for (operand, d) in operands.iter().zip(d..) {
            tasks.push(Task::Term { t: *operand, d, depth: inner });
        }
        let emit = |op| Task::Emit { op, t };
        let end = |op| Task::End { op, t };
        tasks.extend([
            end(Op::Pay { cost: 0 }),
            emit(Op::Move { d: left, a: d }),
            emit(Op::Constant { d: result, k: 0 }),
            Task::Label(next),
            emit(Op::NextCall { d: left, to: exit }),
            emit(Op::Member { d: f, a: name, depth: slot(inner), to: other }),
            Task::Applied { t, depth },
            emit(Op::Move { d: base, a: arguments }),
            end(Op::Call { f, base, n: 1, depth: slot(inner), cost: 0 }),
            emit(Op::Constant { d: f, k: HOLE_CONSTANT }),
            emit(Op::Pair { d: element, a: f, b: base }),
            Task::Label(other),
            emit(Op::Push { d: result, a: element }),
            end(Op::Jump { to: next, cost: 0 }),
            Task::Label(exit),
            emit(Op::Reverse { d: result }),
            emit(Op::Move { d, a: result }),
            end(Op::Builtin { form, d, n, cost: 0 }),
        ]);
        self.schedule(&tasks);
    }
}
