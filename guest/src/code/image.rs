//! The code of all functions compiled so far: the operations, and tables beside them that only
//! faults, depth checks and debugging read.

use crate::code::op::{Op, Slot};
use crate::language::term::{NameId, TermId};

/// Where a value is that a closure captures or a scope names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In a slot.
    Slot(Slot),
    /// Captured by the running closure.
    Captured(u16),
    /// A constant.
    Constant(u32),
}

/// The code of one function, of a whole program, or of an evaluated term.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    /// Its first operation.
    pub(crate) entry: u32,
    /// The operation after its last.
    pub(crate) end: u32,
    /// Arguments it takes at once.
    pub(crate) arity: u8,
    /// Fuel of the functions that are made when so many arguments have been taken, one after
    /// another.
    pub(crate) merged: Vec<u8>,
    /// What its closures capture, in the function that makes them.
    pub(crate) captures: Vec<Place>,
    /// The tool in whose source it stands, counted from 1, or 0.
    pub(crate) tool: u32,
    /// The `eval` that faults inside it are reported at, if it came from a plain quote.
    pub(crate) site: Option<TermId>,
}

/// The facts about a code that a call needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// Its first operation.
    pub(crate) pc: u32,
    /// Arguments it takes at once.
    pub(crate) arity: u8,
    /// Fuel of the functions that are made when it has taken one, two or three arguments.
    pub(crate) merged: [u8; 3],
}

/// Visible names at an `eval`, and where their values are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    /// Each name once.
    pub(crate) names: Vec<(NameId, Place)>,
    /// Where faults of plain quotes are reported: the `eval` or the one it is itself inside.
    pub(crate) site: TermId,
}

/// One visit of a term node, chained to the one before it in its block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visit {
    /// The visit before it, or `NO_VISIT`.
    pub(crate) previous: u32,
    /// The term.
    pub(crate) term: TermId,
    /// How many nodes, one of them `term` and the others right below it.
    pub(crate) nodes: u32,
    /// Pending evaluations within the function.
    pub(crate) depth: u16,
    /// The fuel of each node.
    pub(crate) price: u16,
}

impl Visit {
    /// The fuel of all its nodes.
    pub(crate) fn cost(&self) -> i64 {
        i64::from(self.nodes) * i64::from(self.price)
    }
}

/// A block has no visit yet.
pub(crate) const NO_VISIT: u32 = u32::MAX;

/// Everything compiled so far.
#[derive(Debug, Default)]
pub(crate) struct Image {
    /// The operations of all codes.
    pub(crate) ops: Vec<Op>,
    /// For each operation, the term it belongs to.
    pub(crate) terms: Vec<TermId>,
    /// For each operation, the last visit of its block before it.
    pub(crate) visits_at: Vec<u32>,
    /// All visits.
    pub(crate) visits: Vec<Visit>,
    /// Of each code its entry and its arity, close together for calls.
    pub(crate) entries: Vec<Entry>,
    /// Functions, in ascending order of `entry`.
    pub(crate) codes: Vec<Code>,
    /// Scopes of `eval`s.
    pub(crate) scopes: Vec<Scope>,
    /// Keys of `Record`s, as constants.
    pub(crate) keys: Vec<Vec<u32>>,
    /// For debugging: names in scope, per visit.
    pub(crate) debug_names: Vec<Vec<NameId>>,
}

/// Where the operations stand that no term is compiled to.
pub(crate) const HALT: u32 = 0;
/// `Rest { n }` stands at this plus `n`.
pub(crate) const REST: u32 = 0;
pub(crate) const EVAL_END: u32 = MOST_ARGUMENTS + 1;
pub(crate) const TOOL_END: u32 = MOST_ARGUMENTS + 2;
/// Applies slot 0 to slot 1.
pub(crate) const APPLY: u32 = MOST_ARGUMENTS + 3;
/// The constant that is a hole; the one before it is the empty list.
pub(crate) const HOLE_CONSTANT: u32 = 1;
/// Arguments that may be pending.
pub(crate) const MOST_ARGUMENTS: u32 = 128;

/// Operations of a run of a small tool, at most.
const USUAL: usize = 256;

impl Image {
    /// An image without code.
    pub(crate) fn new() -> Self {
        let rest = (1..=MOST_ARGUMENTS).map(|n| Op::Rest { n: Slot::try_from(n).unwrap_or(0) });
        let apply = Op::TailCall { f: 0, base: 1, n: 1, cost: 0 };
        let fixed = [Op::Halt].into_iter().chain(rest).chain([Op::EvalEnd, Op::ToolEnd, apply]);
        let mut ops = Vec::with_capacity(USUAL);
        ops.extend(fixed);
        let (mut terms, mut visits_at) = (Vec::with_capacity(USUAL), Vec::with_capacity(USUAL));
        terms.resize(ops.len(), 0);
        visits_at.resize(ops.len(), NO_VISIT);
        Self { ops, terms, visits_at, ..Self::default() }
    }

    /// How far tables reach that only grow, for `bytes_since`.
    pub(crate) fn mark(&self) -> [usize; 5] {
        let Self { ops, visits, codes, scopes, keys, .. } = self;
        [ops.len(), visits.len(), codes.len(), scopes.len(), keys.len()]
    }

    /// Bytes by which the tables have grown since a mark, more or less, and equal on every
    /// platform.
    pub(crate) fn bytes_since(&self, mark: [usize; 5]) -> usize {
        const OP: usize = size_of::<Op>() + 8;
        const CODE: usize = 128;
        const TABLE: usize = 32;
        let [ops, visits, codes, scopes, keys] = mark;
        let codes = self.codes.iter().skip(codes);
        let scopes = self.scopes.iter().skip(scopes);
        let keys = self.keys.iter().skip(keys);
        OP * (self.ops.len() - ops)
            + size_of::<Visit>() * (self.visits.len() - visits)
            + codes.map(|code| CODE + 4 * code.captures.len()).sum::<usize>()
            + scopes.map(|scope| TABLE + 12 * scope.names.len()).sum::<usize>()
            + keys.map(|keys| TABLE + 4 * keys.len()).sum::<usize>()
    }

    /// The operation at `pc`.
    pub(crate) fn op(&self, pc: usize) -> Op {
        self.ops.get(pc).copied().unwrap_or(Op::Halt)
    }

    /// The term the operation at `pc` belongs to.
    pub(crate) fn term(&self, pc: usize) -> TermId {
        self.terms.get(pc).copied().unwrap_or_default()
    }

    /// The code that the operation at `pc` belongs to.
    pub(crate) fn code_at(&self, pc: usize) -> Option<&Code> {
        let index = self.codes.partition_point(|code| code.entry as usize <= pc).checked_sub(1)?;
        self.codes.get(index).filter(|code| pc < code.end as usize)
    }

    /// Visits of the block of the operation at `pc`, up to it, in order.
    pub(crate) fn visited(&self, pc: usize) -> Vec<Visit> {
        let mut at = self.visits_at.get(pc).copied().unwrap_or(NO_VISIT);
        let mut visits = Vec::new();
        while let Some(visit) = self.visits.get(at as usize) {
            visits.push(*visit);
            at = visit.previous;
        }
        visits.reverse();
        visits
    }
}
