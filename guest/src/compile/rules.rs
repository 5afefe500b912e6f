//! Compiles a term by its form's rule, or into its form's operation. Each form whose evaluation is
//! `Control` or `Operation` has an entry here.

use crate::code::{Op, Slot};
use crate::compile::compiler::{Compiler, Failed};
use crate::compile::place::slot;
use crate::compile::task::{Goal, Task};
use Operation::{Binary, Unary};
use pif_language::form::{Evaluation, Form};
use pif_language::table::Table;
use pif_language::term::TermId;

/// How a form of control is compiled, whose node has been visited.
#[derive(Clone, Copy)]
enum Rule {
    /// Into a slot; the node is at this depth. No operand is in tail position.
    Value(fn(&mut Compiler<'_>, TermId, Slot, u32) -> Result<(), Failed>),
    /// For a goal, since its value is that of one of its operands.
    Leads(fn(&mut Compiler<'_>, TermId, Slot, Goal)),
    /// Into a slot, with the node at a depth, or as the value of the running function: its value is
    /// that of the last function which it applies.
    Applies(fn(&mut Compiler<'_>, TermId, Slot, Option<u32>) -> Result<(), Failed>),
}
use Rule::{Applies, Leads, Value};

/// The rules of the forms that decide which terms are evaluated, and where.
#[expect(
    clippy::redundant_closure_for_method_calls,
    reason = "an entry takes a compiler of any lifetime, a method of one"
)]
static CONTROL: Table<Rule> = Table::of(
    Evaluation::Control,
    &[&[
        (Form::Var, Value(|c, t, d, _| c.variable(t, d))),
        (Form::Lam, Value(|c, t, d, _| c.lambda(t, d))),
        (Form::App, Applies(|c, t, d, depth| c.application(t, d, depth))),
        (
            Form::And,
            Value(|c, t, d, depth| {
                c.and_or(t, d, depth + 1);
                Ok(())
            }),
        ),
        (
            Form::Or,
            Value(|c, t, d, depth| {
                c.and_or(t, d, depth + 1);
                Ok(())
            }),
        ),
        (Form::If, Leads(|c, t, d, goal| c.if_else(t, d, goal))),
        (Form::Nil, Value(|c, t, d, _| c.constant_term(t, d))),
        (Form::Fst, Value(|c, t, d, depth| c.projection(t, d, depth + 1))),
        (Form::Snd, Value(|c, t, d, depth| c.projection(t, d, depth + 1))),
        (Form::SelfRef, Value(|c, t, d, depth| c.self_reference(t, d, depth + 1))),
        (
            Form::Fold,
            Value(|c, t, d, depth| {
                c.fold(t, d, depth);
                Ok(())
            }),
        ),
        (
            Form::Quote,
            Value(|c, t, d, depth| {
                c.quote(t, d, depth + 1);
                Ok(())
            }),
        ),
        (Form::Let, Leads(|c, t, d, goal| c.tasks.push(Task::Let { t, index: 0, d, goal }))),
        (Form::Letrec, Leads(|c, t, d, goal| c.letrec(t, d, goal))),
        (Form::Cond, Leads(|c, t, d, goal| c.cond(t, d, goal))),
        (
            Form::Coalesce,
            Value(|c, t, d, depth| {
                c.coalesce(t, d, depth + 1);
                Ok(())
            }),
        ),
        (
            Form::Either,
            Value(|c, t, d, depth| {
                c.coalesce(t, d, depth + 1);
                Ok(())
            }),
        ),
        (
            Form::Both,
            Value(|c, t, d, depth| {
                c.coalesce(t, d, depth + 1);
                Ok(())
            }),
        ),
        (
            Form::Reduce,
            Value(|c, t, d, depth| {
                c.fold(t, d, depth);
                Ok(())
            }),
        ),
        (
            Form::Try,
            Applies(|c, t, d, depth| {
                c.try_catch(t, d, depth);
                Ok(())
            }),
        ),
        (Form::Pipe, Applies(|c, t, d, depth| c.pipe(t, d, depth))),
        (
            Form::Apply,
            Applies(|c, t, d, depth| {
                c.apply(t, d, depth);
                Ok(())
            }),
        ),
        (Form::Record, Value(|c, t, d, depth| c.record(t, d, depth + 1))),
        (
            Form::Call,
            Applies(|c, t, d, depth| {
                c.call_named(t, d, depth);
                Ok(())
            }),
        ),
        (
            Form::Perform,
            Applies(|c, t, d, depth| {
                c.call_named(t, d, depth);
                Ok(())
            }),
        ),
        (
            Form::Calls,
            Value(|c, t, d, depth| {
                c.calls_named(t, d, depth);
                Ok(())
            }),
        ),
    ]],
);

/// Makes the operation of a form with evaluated operands.
#[derive(Clone, Copy)]
enum Operation {
    /// Takes the slots of result and operand, and the depth of the operand.
    Unary(fn(&mut Compiler<'_>, TermId, [Slot; 2], Slot) -> Result<Op, Failed>),
    /// Takes the slots of result and operands.
    Binary(fn(Form, [Slot; 3]) -> Op),
}

/// The operations of forms.
static OPERATIONS: Table<Operation> = Table::of(
    Evaluation::Operation,
    &[&[
        (Form::Add, Binary(|_, [d, a, b]| Op::Add { d, a, b })),
        (Form::Sub, Binary(|_, [d, a, b]| Op::Sub { d, a, b })),
        (Form::Mul, Binary(|_, [d, a, b]| Op::Mul { d, a, b })),
        (Form::Div, Binary(any_binary)),
        (Form::Mod, Binary(any_binary)),
        (Form::Rem, Binary(any_binary)),
        (Form::Plus, Binary(|_, [d, a, b]| Op::Add { d, a, b })),
        (Form::Eq, Binary(any_binary)),
        (Form::Lt, Binary(any_binary)),
        (Form::Gt, Binary(any_binary)),
        (Form::Lte, Binary(any_binary)),
        (Form::Gte, Binary(any_binary)),
        (Form::Cons, Binary(|_, [d, a, b]| Op::Cons { d, a, b })),
        (Form::Pair, Binary(|_, [d, a, b]| Op::Pair { d, a, b })),
        (Form::Concat, Binary(|_, [d, a, b]| Op::Concat { d, a, b, cost: 0 })),
        (Form::Trace, Binary(|_, [d, a, b]| Op::Trace { d, a, b })),
        (Form::Not, Unary(|_, _, [d, a], _| Ok(Op::Not { d, a }))),
        (Form::Truth, Unary(|_, _, [d, a], _| Ok(Op::Truth { d, a }))),
        (Form::Head, Unary(|_, _, [d, a], _| Ok(Op::Head { d, a }))),
        (Form::Tail, Unary(|_, _, [d, a], _| Ok(Op::Tail { d, a }))),
        (Form::IsEmpty, Unary(any_unary)),
        (Form::Length, Unary(any_unary)),
        (Form::Analyze, Unary(any_unary)),
        (Form::Continue, Unary(|c, _, [d, a], _| Ok(Op::Continue { d, a, tool: c.tool()? }))),
        (Form::CodeOf, Unary(|c, _, [d, a], _| Ok(Op::CodeOf { d, a, cost: 0, tool: c.tool()? }))),
        (Form::Tool, Unary(|_, _, [d, a], depth| Ok(Op::Tool { d, a, depth, cost: 0 }))),
        (
            Form::Eval,
            Unary(|c, t, [d, a], depth| {
                let scope = c.scope(t)?;
                Ok(Op::Eval { d, a, depth, cost: 0, scope })
            }),
        ),
    ]],
);

fn any_binary(form: Form, [d, a, b]: [Slot; 3]) -> Op {
    Op::Binary { form, d, a, b, cost: 0 }
}

#[expect(clippy::unnecessary_wraps, reason = "an entry of the table")]
fn any_unary(c: &mut Compiler<'_>, t: TermId, [d, a]: [Slot; 2], _: Slot) -> Result<Op, Failed> {
    Ok(Op::Unary { form: c.terms.form(t), d, a, cost: 0 })
}

impl Compiler<'_> {
    pub(super) fn term(&mut self, t: TermId, d: Slot, depth: u32) -> Result<(), Failed> {
        let form = self.terms.form(t);
        self.visit(t, depth);
        match form.evaluation() {
            Evaluation::Literal if form == Form::List => self.list(t, d, depth + 1),
            Evaluation::Literal => self.constant_term(t, d),
            Evaluation::Control => match CONTROL.get(form) {
                Some(Value(rule)) => rule(self, t, d, depth),
                Some(Applies(rule)) => rule(self, t, d, Some(depth)),
                Some(Leads(rule)) => {
                    rule(self, t, d, Goal::Slot { to: d, depth });
                    Ok(())
                }
                None => Err(Failed::Defect),
            },
            Evaluation::Operation => self.operation(t, form, d, depth),
            Evaluation::Elementwise => {
                self.each(t, d, depth);
                Ok(())
            }
            Evaluation::Builtin | Evaluation::Hole => {
                self.builtin(t, form, d, depth + 1);
                Ok(())
            }
        }
    }

    /// Compiles a term for a goal if one of its operands, or a function that it applies, has the value
    /// for that; says whether it is so.
    pub(super) fn lead(&mut self, t: TermId, d: Slot, goal: Goal) -> Result<bool, Failed> {
        match (CONTROL.get(self.terms.form(t)), goal) {
            (Some(Leads(rule)), _) => {
                self.visit(t, goal.depth());
                rule(self, t, d, goal);
            }
            (Some(Applies(rule)), Goal::Return) => {
                self.visit(t, 0);
                rule(self, t, d, None)?;
            }
            (Some(Value(_) | Applies(_)) | None, _) => return Ok(false),
        }
        Ok(true)
    }

    /// A form whose operands are evaluated first; an operation takes one or two.
    fn operation(&mut self, t: TermId, form: Form, d: Slot, depth: u32) -> Result<(), Failed> {
        let inner = depth + 1;
        let entry = OPERATIONS.get(form);
        match (entry, self.terms.operands(t).len()) {
            (Some(Operation::Unary(make)), 1) => {
                let (a, task) = self.operand(self.terms.operand(t, 0), d, inner)?;
                let op = make(self, t, [d, a], slot(inner))?;
                self.schedule(&[task, Task::of(op, t)]);
            }
            (Some(Operation::Binary(make)), 2) => {
                let sum = |a, n| Task::Emit { op: Op::AddLiteral { d, a, n }, t };
                if self.sum_with_literal(t, (d, inner), sum)? {
                    return Ok(());
                }
                let ((a, first), (b, second)) = self.two(t, d, inner)?;
                self.schedule(&[first, second, Task::of(make(form, [d, a, b]), t)]);
            }
            // More operands go to a builtin, in a list.
            (Some(Operation::Unary(_) | Operation::Binary(_)) | None, _) => {
                self.builtin(t, form, d, inner);
            }
        }
        Ok(())
    }
}
