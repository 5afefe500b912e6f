//! Tasks left to compile, in order. They replace recursion over terms.

use crate::code::{Op, Place, Slot};
use pif_language::term::{NameId, TermId};

/// A call of the running function.
#[derive(Clone, Copy, Debug)]
pub(super) struct SelfCall {
    /// The slot of the argument.
    pub(super) base: Slot,
    /// Pending evaluations around the call; `None` in tail position.
    pub(super) depth: Option<u8>,
}

/// The target of a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Goal {
    /// The value of the running function.
    Return,
    /// A slot.
    Slot { to: Slot, depth: u32 },
}

impl Goal {
    /// Returns the pending evaluations around the value.
    pub(super) fn depth(self) -> u32 {
        match self {
            Self::Return => 0,
            Self::Slot { depth, .. } => depth,
        }
    }

    /// Returns the task that evaluates a term for this goal, with `d` as the first free slot.
    pub(super) fn task(self, t: TermId, d: Slot) -> Task {
        match self {
            Self::Return => Task::Tail { t, d },
            Self::Slot { to, depth } => Task::Into { t, d, depth, to },
        }
    }
}

/// A task.
#[derive(Clone, Copy, Debug)]
pub(super) enum Task {
    /// Evaluate a term into a slot.
    Term {
        t: TermId,
        d: Slot,
        depth: u32,
    },
    /// Evaluate a term as the value of the running function.
    Tail {
        t: TermId,
        d: Slot,
    },
    /// Branch to a label unless a term, which is an operand of `of`, is true.
    Test {
        t: TermId,
        d: Slot,
        depth: u32,
        label: u32,
        of: (TermId, u16),
    },
    /// Note that a term has been visited.
    Visit {
        t: TermId,
        depth: u32,
    },
    /// Note that a half of a pair that is not made has been visited.
    Half {
        t: TermId,
        depth: u32,
    },
    /// Note where a term's value is, for debugging.
    Told {
        t: TermId,
        depth: u32,
        place: Place,
    },
    /// Note that a term applies a function.
    Applied {
        t: TermId,
        depth: u32,
    },
    /// Evaluate a term with `d` as the first free slot. Its value goes to `to`.
    Into {
        t: TermId,
        d: Slot,
        depth: u32,
        to: Slot,
    },
    /// Compile the bindings of a `let` from `index` on, and its body.
    Let {
        t: TermId,
        index: u32,
        d: Slot,
        goal: Goal,
    },
    /// Make the closure of a function that sees itself.
    Function {
        t: TermId,
        d: Slot,
    },
    /// Copy the value of a variable to a slot.
    Fetch {
        place: Place,
        d: Slot,
        t: TermId,
    },
    /// Emit an operation.
    Emit {
        op: Op,
        t: TermId,
    },
    /// Emit an operation that ends a block.
    End {
        op: Op,
        t: TermId,
    },
    /// Call the running function.
    CallSelf {
        call: SelfCall,
        t: TermId,
    },
    /// Evaluate the items of a list or record from `index` on and push them.
    Items {
        t: TermId,
        index: u32,
        d: Slot,
        depth: u32,
    },
    /// Put this label at the next operation.
    Label(u32),
    /// Remember the block at a branch, return to it, forget it.
    Save,
    Restore,
    Bind {
        name: NameId,
        place: Place,
    },
    Unbind {
        count: u32,
    },
    /// End the function. Its closure goes to `d`.
    Close {
        t: TermId,
        d: Slot,
    },
}

impl Task {
    /// Returns the task for an operation. An operation that pays ends a block.
    pub(super) fn of(mut op: Op, t: TermId) -> Self {
        if op.set_cost(0) { Self::End { op, t } } else { Self::Emit { op, t } }
    }
}
