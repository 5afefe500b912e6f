//! From terms to operations, in one pass. A list of tasks replaces recursion: nesting costs heap,
//! not native stack.
//!
//! Names become slots, captures and constants. A fold over a literal function becomes a loop.
//! Comparisons become branches. None of this changes fuel and depth: the visits of a block list every
//! term node visited, in order.

mod branches;
mod calls;
mod closed;
mod compiler;
mod control;
mod debug;
mod effects;
mod emit;
mod forms;
mod halves;
mod loops;
mod place;
mod rules;
mod scope;
mod task;

pub(crate) use closed::Tools;
pub(crate) use compiler::{Compiler, Failed, Store, Unit};

use crate::code::{Place, Slot};
use compiler::Function;
use pif_language::term::NameId;
use task::{Goal, Task};

/// From this slot or depth on, a sub-term becomes a function of its own.
const CROWDED_SLOT: Slot = 160;
const CROWDED_DEPTH: u32 = 200;

impl Compiler<'_> {
    /// Compiles a unit. Returns the index of a code without parameters. `context` are variables
    /// with constant values.
    pub(crate) fn unit(mut self, unit: Unit, context: &[(NameId, u32)]) -> Result<u32, Failed> {
        self.unit = unit;
        for (name, constant) in context {
            self.bind(*name, Place::Constant(*constant));
        }
        self.functions.push(Function::new(0));
        self.tasks.push(Task::Tail { t: unit.root, d: 0 });
        while let Some(task) = self.tasks.pop() {
            self.run(task)?;
        }
        let function = self.functions.pop().ok_or(Failed::Defect)?;
        self.place(function, unit.root)
    }

    fn run(&mut self, task: Task) -> Result<(), Failed> {
        if let Task::Term { t, d, depth } = task
            && self.debug
        {
            self.tasks.push(Task::Told { t, depth, place: Place::Slot(d) });
        }
        match task {
            Task::Term { t, d, depth } if d > CROWDED_SLOT || depth > CROWDED_DEPTH => {
                self.outline(Task::Tail { t, d: 0 }, t, d, Some(depth), d);
            }
            Task::Tail { t, d } if d > CROWDED_SLOT => {
                self.outline(Task::Tail { t, d: 0 }, t, d, None, d);
            }
            Task::Let { t, index, d, goal } if d > CROWDED_SLOT => {
                let rest = Task::Let { t, index, d: 0, goal: Goal::Return };
                match goal {
                    Goal::Return => self.outline(rest, t, d, None, d),
                    Goal::Slot { to, depth } => self.outline(rest, t, d, Some(depth), to),
                }
            }
            Task::Term { t, d, depth } => self.term(t, d, depth)?,
            Task::Tail { t, d } => self.tail(t, d)?,
            Task::Test { t, d, depth, label, of } => self.test(t, d, depth, label, of)?,
            Task::Visit { t, depth } => self.visit_in_place(t, depth)?,
            Task::Half { t, depth } => {
                self.visit(t, depth);
                self.visit(self.terms.operand(t, 0), depth + 1);
            }
            Task::Told { t, depth, place } => self.told(t, depth, place),
            Task::Applied { t, depth } => self.applied(t, depth),
            Task::Into { t, d, depth, to } => self.into(t, d, depth, to)?,
            Task::Let { t, index, d, goal } => self.let_in(t, index, d, goal)?,
            Task::Function { t, d } => self.lambda(t, d)?,
            Task::Fetch { place, d, t } => self.fetch(place, d, t),
            Task::Emit { op, t } => self.emit(op, t),
            Task::End { op, t } => self.end(op, t),
            Task::CallSelf { call, t } => self.call_self(call, t)?,
            Task::Items { t, index, d, depth } => self.items(t, index, d, depth)?,
            Task::Label(label) => self.mark(label),
            Task::Save => {
                let function = self.function();
                function.saved.push((function.cost, function.visit));
            }
            Task::Restore => {
                let function = self.function();
                (function.cost, function.visit) = function.saved.pop().ok_or(Failed::Defect)?;
            }
            Task::Bind { name, place } => self.bind(name, place),
            Task::Unbind { count } => (0..count).for_each(|_| self.unbind()),
            Task::Close { t, d } => self.close(t, d)?,
        }
        Ok(())
    }
}
