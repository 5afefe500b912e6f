//! Tasks left to compile, in order. They replace recursion over terms.

use super::place::Location;
use crate::code::{Op, Place, Slot};
use pif_language::term::{NameId, TermId};

/// Applications nested in function position: the places of the function and its arguments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spine {
    pub(super) function: Slot,
    pub(super) base: Slot,
    pub(super) arguments: u8,
    pub(super) to: Slot,
}

/// A beginning of the running function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Body {
    /// The body that takes the argument as one value.
    Whole,
    /// The body that takes the halves of the argument, which is a pair.
    Halves,
}

/// A call of the running function.
#[derive(Clone, Copy, Debug)]
pub(super) struct SelfCall {
    pub(super) body: Body,
    /// First slot of the argument, or of its halves, one after the other.
    pub(super) base: Slot,
    /// Pending evaluations around the call; `None` in tail position.
    pub(super) depth: Option<u8>,
}

/// A loop that keeps its accumulator in halves: the second one in `second`, the first one after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    pub(super) second: Slot,
    pub(super) depth: u8,
    /// The beginning of the next turn.
    pub(super) to: u32,
}

/// The target of a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Goal {
    /// The value of the running function.
    Return,
    /// A slot.
    Slot { to: Slot, depth: u32 },
    /// The next accumulator of a loop. It is a pair.
    Next(Turn),
}

impl Goal {
    /// Returns the pending evaluations around the value.
    pub(super) fn depth(self) -> u32 {
        match self {
            Self::Return => 0,
            Self::Slot { depth, .. } => depth,
            Self::Next(turn) => u32::from(turn.depth),
        }
    }

    /// Returns the task that evaluates a term for this goal, with `d` as the first free slot.
    pub(super) fn task(self, t: TermId, d: Slot) -> Task {
        match self {
            Self::Return => Task::Tail { t, d },
            Self::Slot { to, depth } => Task::Into { t, d, depth, to },
            Self::Next(turn) => Task::Next { t, d, turn },
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
    /// Note the visits of `fst` or `snd` of an unbuilt pair.
    Half {
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
    /// Evaluate a term that gives a pair: the next accumulator of a loop.
    Next {
        t: TermId,
        d: Slot,
        turn: Turn,
    },
    /// Split the pair in `d` into the next accumulator of a loop.
    Apart {
        t: TermId,
        d: Slot,
        turn: Turn,
    },
    /// Compile the arguments of nested applications from `index` on, then the call.
    Feed {
        t: TermId,
        index: u32,
        spine: Spine,
        depth: Option<u32>,
    },
    /// Copy the value of a variable to a slot.
    Fetch {
        location: Location,
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
        location: Location,
    },
    Unbind {
        count: u32,
    },
    /// End the function. Its closure goes to `d`.
    Close {
        t: TermId,
        d: Slot,
    },
    /// Begin the second body of a function that takes a pair apart.
    Spread {
        t: TermId,
        label: u32,
    },
}

impl Task {
    /// Returns the task for an operation. An operation that pays ends a block.
    pub(super) fn of(mut op: Op, t: TermId) -> Self {
        if op.set_cost(0) { Self::End { op, t } } else { Self::Emit { op, t } }
    }
}
