//! What is left to compile: tasks in order, which stand for the recursion over terms.

use super::place::Location;
use crate::code::{Op, Slot};
use crate::language::term::{NameId, TermId};

/// Applications nested in function position: where the function and its arguments are.
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
    /// It takes its argument as one value.
    Whole,
    /// It takes the halves of its argument, which is a pair.
    Halves,
}

/// A call of the running function.
#[derive(Clone, Copy, Debug)]
pub(super) struct SelfCall {
    pub(super) body: Body,
    /// Where the argument is, or its halves, one after the other.
    pub(super) base: Slot,
    /// Pending evaluations around the call; none in tail position.
    pub(super) depth: Option<u8>,
}

/// A loop whose accumulator is kept in halves: the second one in `second`, the first one after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    pub(super) second: Slot,
    pub(super) depth: u8,
    /// Where the next turn begins.
    pub(super) to: u32,
}

/// What a value is for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Goal {
    /// It is that of the running function.
    Return,
    /// It goes to a slot.
    Slot { to: Slot, depth: u32 },
    /// It is a pair, and the next accumulator of a loop.
    Next(Turn),
}

impl Goal {
    /// Pending evaluations around the value.
    pub(super) fn depth(self) -> u32 {
        match self {
            Self::Return => 0,
            Self::Slot { depth, .. } => depth,
            Self::Next(turn) => u32::from(turn.depth),
        }
    }

    /// Evaluates a term for this, with `d` as the first free slot.
    pub(super) fn task(self, t: TermId, d: Slot) -> Task {
        match self {
            Self::Return => Task::Tail { t, d },
            Self::Slot { to, depth } => Task::Into { t, d, depth, to },
            Self::Next(turn) => Task::Next { t, d, turn },
        }
    }
}

/// Something to do, in order.
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
    /// Branch to a label if a term, which is an operand of `of`, is not true.
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
    /// Note that a term applies a function.
    Applied {
        t: TermId,
        depth: u32,
    },
    /// Note the visits of `fst` or `snd` of a pair that was never built.
    Half {
        t: TermId,
        depth: u32,
    },
    /// Evaluate a term with `d` as the first free slot; its value goes to `to`.
    Into {
        t: TermId,
        d: Slot,
        depth: u32,
        to: Slot,
    },
    /// The bindings of a `let` from `index` on, and its body.
    Let {
        t: TermId,
        index: u32,
        d: Slot,
        goal: Goal,
    },
    /// Evaluate a term that gives a pair as the next accumulator of a loop.
    Next {
        t: TermId,
        d: Slot,
        turn: Turn,
    },
    /// The pair in `d` is the next accumulator of a loop.
    Apart {
        t: TermId,
        d: Slot,
        turn: Turn,
    },
    /// The arguments of nested applications from `index` on, then the call.
    Feed {
        t: TermId,
        index: u32,
        spine: Spine,
        depth: Option<u32>,
    },
    /// Bring the value of a variable into a slot.
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
    /// The next operation has this label.
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
    /// The body of the function is complete; its closure goes to `d`.
    Close {
        t: TermId,
        d: Slot,
    },
    /// The second body of a function that takes a pair apart begins.
    Spread {
        t: TermId,
        label: u32,
    },
}

impl Task {
    /// Does an operation; one that pays ends a block.
    pub(super) fn of(mut op: Op, t: TermId) -> Self {
        if op.set_cost(0) { Self::End { op, t } } else { Self::Emit { op, t } }
    }
}
