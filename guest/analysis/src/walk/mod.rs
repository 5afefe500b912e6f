//! The walk through a program: it evaluates the program with types in place of values.

mod apply;
mod assume;
mod control;
mod eval;
mod lists;
mod look;
mod loops;
mod maps;
mod members;
mod plain;
mod records;
mod signature;
mod tools;
pub(crate) mod whole;

use crate::places::{Places, State};
use crate::shape::Shape;
use crate::values::{EnvId, FunctionId, Id, Values};
use pif_core::fault::Code;
use pif_core::stack::Stack;
use pif_language::kinds::Kinds;
use pif_language::term::{TermId, Terms};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// A place in a program: a term, and which of its operands.
pub(crate) type At = (TermId, usize);

/// What the walk has found at a place: a fault in all evaluations so far, or a value in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Fails { code: Code, always: bool },
    Passes,
}

/// A function that is being walked through.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) term: TermId,
    pub(crate) env: EnvId,
    pub(crate) arguments: Vec<Id>,
    /// What its calls of itself are taken to give.
    pub(crate) assumed: Id,
    /// Whether it calls itself.
    pub(crate) is_recursive: bool,
}

/// All that the walk knows.
#[derive(Debug)]
pub(crate) struct Core {
    pub(crate) values: Values,
    pub(crate) places: Places,
    pub(crate) state: State,
    pub(crate) frames: Vec<Frame>,
    pub(crate) verdicts: BTreeMap<At, Verdict>,
    /// What a place that fails wants, and what it surely finds.
    pub(crate) misfits: BTreeMap<At, (Kinds, Kinds)>,
    /// Steps that are left.
    pub(crate) fuel: u64,
    /// Whether the walk ended early.
    pub(crate) gave_up: bool,
    /// Whether code runs that the walk does not see.
    pub(crate) is_opaque: bool,
    /// How many branches and loops are around the place, which a run may leave out.
    pub(crate) branches: u32,
    /// How many `try`s are around it, or operands that are perhaps no numbers: no fault is sure.
    pub(crate) doubts: u32,
    /// Whether the program is a tool.
    pub(crate) is_tool: bool,
    /// The value of the whole program, when it is known.
    pub(crate) root: Option<Id>,
    /// The name in place of the word at the cursor, if the program is being written.
    pub(crate) hole: Option<Hole>,
}

/// The name in place of the word at the cursor, and the findings of the walk there.
#[derive(Debug)]
pub(crate) struct Hole {
    pub(crate) name: Rc<str>,
    /// Where it stands as a member, the value before the point.
    pub(crate) subject: Option<Id>,
    /// Where it stands as a variable, the variables around it.
    pub(crate) env: Option<EnvId>,
    /// The functions of the program that the walk has come to, each once.
    pub(crate) functions: BTreeSet<FunctionId>,
}

/// What is given with a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct World<'a> {
    pub(crate) terms: &'a Terms,
    /// The numbers of the tools that are known.
    pub(crate) tools: &'a HashMap<String, u32>,
    /// Their types.
    pub(crate) shapes: &'a [Shape],
    /// Whether the program is a tool.
    pub(crate) is_tool: bool,
}

/// The walk through one program.
#[derive(Clone, Debug)]
pub(crate) struct Walk<'a> {
    pub(crate) terms: &'a Terms,
    pub(crate) world: World<'a>,
    pub(crate) core: Rc<RefCell<Core>>,
    pub(crate) stack: Stack<'a>,
}

impl<'a> Walk<'a> {
    /// Does something with what is known. It must not wait in it.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut Core) -> T) -> T {
        work(&mut self.core.borrow_mut())
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.core.borrow().state.is_dead
    }

    /// Walks through a term on the stack in the heap.
    pub(crate) async fn value(&self, term: TermId, env: EnvId) -> Id {
        match self.simple(term, env) {
            Some(id) => id,
            None => self.stack.call(self.clone().evaluate(term, env)).await,
        }
    }

    /// The values of all operands, in order. None if a run does not get there.
    pub(crate) async fn operands(&self, term: TermId, env: EnvId) -> Option<Vec<Id>> {
        let terms: &'a Terms = self.terms;
        self.all(terms.operands(term), env).await
    }

    pub(crate) async fn all(&self, terms: &[TermId], env: EnvId) -> Option<Vec<Id>> {
        let mut values = Vec::with_capacity(terms.len());
        for operand in terms {
            let value = self.value(*operand, env).await;
            if self.is_dead() {
                return None;
            }
            values.push(value);
        }
        Some(values)
    }

    /// Walks on as if a run perhaps does not come here, and back where the ways meet.
    pub(crate) fn enter_branch(&self) -> State {
        self.with(|core| {
            core.branches += 1;
            core.state.clone()
        })
    }

    /// Joins what has been asked before a branch with what has been asked in it.
    pub(crate) fn leave_branch(&self, before: State) {
        self.with(|core| {
            core.branches -= 1;
            let after = std::mem::replace(&mut core.state, before);
            core.state.join(after, &core.places);
        });
    }
}
