//! Forms that choose which term to evaluate: `if`, `cond`, `and`, `or`.

use crate::code::{Op, Slot};
use crate::compile::compiler::{Compiler, Failed};
use crate::compile::task::{Goal, Task};
use pif_language::form::Form;
use pif_language::term::TermId;

/// The branches that a comparison is part of, which are taken unless it holds.
struct Comparison {
    with_literal: fn(Slot, i16, u32) -> Op,
    of_two: fn(Slot, Slot, u32) -> Op,
}

/// The branches of a form that compares; any other form is evaluated before its branch.
fn comparison(form: Form) -> Option<Comparison> {
    Some(match form {
        Form::Lt => Comparison {
            with_literal: |a, n, to| Op::JumpNotLessLiteral { a, n, to },
            of_two: |a, b, to| Op::JumpNotLess { a, b, swap: 0, to },
        },
        Form::Lte => Comparison {
            with_literal: |a, n, to| Op::JumpNotLessLiteral { a, n: n + 1, to },
            of_two: |a, b, to| Op::JumpLess { a: b, b: a, swap: 1, to },
        },
        Form::Gt => Comparison {
            with_literal: |a, n, to| Op::JumpLessLiteral { a, n: n + 1, to },
            of_two: |a, b, to| Op::JumpNotLess { a: b, b: a, swap: 1, to },
        },
        Form::Gte => Comparison {
            with_literal: |a, n, to| Op::JumpLessLiteral { a, n, to },
            of_two: |a, b, to| Op::JumpLess { a, b, swap: 0, to },
        },
        Form::Eq => Comparison {
            with_literal: |a, n, to| Op::JumpNotEqualLiteral { a, n, to },
            of_two: |a, b, to| Op::JumpNotEqual { a, b, to },
        },
        _ => return None,
    })
}

impl Compiler<'_> {
    pub(super) fn if_else(&mut self, t: TermId, d: Slot, goal: Goal) {
        let otherwise = self.label();
        let end = matches!(goal, Goal::Slot { .. }).then(|| self.label());
        let operand = |i| self.terms.operand(t, i);
        let inner = goal.depth() + 1;
        let of = (t, 0);
        let mut tasks = vec![
            Task::Test { t: operand(0), d, depth: inner, label: otherwise, of },
            Task::Save,
            goal.task(operand(1), d),
        ];
        tasks.extend(end.map(|to| Task::End { op: Op::Jump { to, cost: 0 }, t }));
        tasks.extend([Task::Label(otherwise), Task::Restore, goal.task(operand(2), d)]);
        if let Some(end) = end {
            tasks.extend([Task::End { op: Op::Pay { cost: 0 }, t }, Task::Label(end)]);
        }
        self.schedule(&tasks);
    }

    /// Branches to `label` unless `t` is true. A comparison becomes part of the branch.
    pub(super) fn test(
        &mut self,
        t: TermId,
        d: Slot,
        depth: u32,
        label: u32,
        of: (TermId, u16),
    ) -> Result<(), Failed> {
        let inner = depth + 1;
        let to = label;
        let (of, operand) = of;
        let form = self.terms.form(t);
        let is_crowded = d > crate::compile::CROWDED_SLOT || depth > crate::compile::CROWDED_DEPTH;
        if self.debug || is_crowded {
            let tasks = [
                Task::Term { t, d, depth },
                Task::Emit { op: Op::JumpFalse { a: d, operand, to }, t: of },
            ];
            self.schedule(&tasks);
            return Ok(());
        }
        let (first, second, op) = match comparison(form) {
            Some(comparison) => {
                let right = self.terms.operand(t, 1);
                // The literal plus one must fit too.
                let literal = self.terms.literal::<i16>(right).filter(|n| *n < i16::MAX);
                if let Some(n) = literal {
                    let (a, task) = self.operand(self.terms.operand(t, 0), d, inner)?;
                    let literal = Task::Visit { t: right, depth: inner };
                    (task, Some(literal), (comparison.with_literal)(a, n, to))
                } else {
                    let ((a, first), (b, second)) = self.two(t, d, inner)?;
                    (first, Some(second), (comparison.of_two)(a, b, to))
                }
            }
            None if form == Form::IsEmpty => {
                let (a, task) = self.operand(self.terms.operand(t, 0), d, inner)?;
                (task, None, Op::JumpNotEmpty { a, to })
            }
            None if form == Form::Truth => {
                let (a, task) = self.operand(self.terms.operand(t, 0), d, inner)?;
                (task, None, Op::JumpUntrue { a, to })
            }
            None => {
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

    /// Compiles `and` or `or`: tests the operands in order until one decides.
    pub(super) fn and_or(&mut self, t: TermId, d: Slot, inner: u32) {
        let end = self.label();
        let is_and = self.terms.form(t) == Form::And;
        let pay = Task::End { op: Op::Pay { cost: 0 }, t };
        let operands = self.terms.operands(t).to_vec();
        let mut tasks = Vec::with_capacity(3 * operands.len());
        for (index, operand) in operands.iter().enumerate() {
            let a = d;
            let operand_index = u16::try_from(index).unwrap_or(u16::MAX);
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

    /// Compiles `coalesce`, `either` and `both`: the first operand that is not null, that counts as
    /// true, or that does not.
    pub(super) fn coalesce(&mut self, t: TermId, d: Slot, inner: u32) {
        let end = self.label();
        let a = d;
        let op = match self.terms.form(t) {
            Form::Either => Op::JumpTruth { a, to: end },
            Form::Both => Op::JumpUntrue { a, to: end },
            _ => Op::JumpNotNull { a, to: end },
        };
        let pay = Task::End { op: Op::Pay { cost: 0 }, t };
        let operands = self.terms.operands(t).to_vec();
        let mut tasks = Vec::with_capacity(3 * operands.len());
        for (index, operand) in operands.iter().enumerate() {
            tasks.extend([Task::Term { t: *operand, d, depth: inner }, pay]);
            if index + 1 < operands.len() {
                tasks.push(Task::Emit { op, t });
            }
        }
        tasks.push(Task::Label(end));
        self.schedule(&tasks);
    }

    /// Compiles `cond`: the first branch whose test is true.
    pub(super) fn cond(&mut self, t: TermId, d: Slot, goal: Goal) {
        let end = self.label();
        let inner = goal.depth() + 1;
        let mut tasks = Vec::new();
        for (index, branch) in self.terms.operands(t).chunks_exact(2).enumerate() {
            let [test, value] = *branch else { continue };
            let next = self.function().label();
            let of = (t, u16::try_from(2 * index).unwrap_or(u16::MAX));
            tasks.push(Task::Test { t: test, d, depth: inner, label: next, of });
            tasks.push(Task::Save);
            tasks.push(goal.task(value, d));
            if let Goal::Slot { .. } = goal {
                tasks.push(Task::End { op: Op::Jump { to: end, cost: 0 }, t });
            }
            tasks.extend([Task::Label(next), Task::Restore]);
        }
        tasks.push(Task::Emit { op: Op::NoMatch, t });
        tasks.extend([Task::End { op: Op::Pay { cost: 0 }, t }, Task::Label(end)]);
        self.schedule(&tasks);
    }
}
