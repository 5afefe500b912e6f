//! The code of all functions compiled so far: operations, and tables beside them for faults, depth
//! checks and debugging.

use crate::code::op::{Op, Slot};
use crate::memory::record::Shape;
use pif_language::term::{NameId, TermId};

/// The place of a value that a closure captures or a scope names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A slot.
    Slot(Slot),
    /// A captured value of the running closure.
    Captured(u16),
    /// A constant.
    Constant(u32),
}

/// The code of a function, of a whole program, or of an evaluated term.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    /// Its first operation.
    pub(crate) entry: u32,
    /// The operation after its last.
    pub(crate) end: u32,
    /// Arguments it takes at once.
    pub(crate) arity: u8,
    /// The values that its closures capture, as places in the function that makes them.
    pub(crate) captures: Vec<Place>,
    /// The tool whose source holds it, counted from 1, or 0.
    pub(crate) tool: u32,
    /// The `eval` that its faults are reported at, if it came from a plain quote.
    pub(crate) site: Option<TermId>,
}

/// The lambda that a code was compiled from, and the places of the variables that it names.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) lambda: TermId,
    /// Each name with the place of its value in a closure.
    pub(crate) names: Vec<(NameId, Place)>,
}

/// The facts of a code that a call needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// Its first operation.
    pub(crate) pc: u32,
    /// Arguments it takes at once.
    pub(crate) arity: u8,
}

/// The names visible at an `eval`, with the places of their values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    /// Names, each once.
    pub(crate) names: Vec<(NameId, Place)>,
    /// The place for faults of plain quotes: the `eval`, or the one around it.
    pub(crate) site: TermId,
}

/// One visit of a term node, chained to the visit before it in its block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visit {
    /// The visit before it, or `NO_VISIT`.
    pub(crate) previous: u32,
    /// The term.
    pub(crate) term: TermId,
    /// The number of nodes: `term` and others right below it.
    pub(crate) nodes: u32,
    /// Pending evaluations within the function.
    pub(crate) depth: u16,
    /// The fuel of each node.
    pub(crate) price: u16,
}

impl Visit {
    /// Returns the fuel of all its nodes.
    pub(crate) fn cost(&self) -> i64 {
        i64::from(self.nodes) * i64::from(self.price)
    }
}

/// The value of a term, for debugging.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told {
    /// The term.
    pub(crate) term: TermId,
    /// Pending evaluations within the function.
    pub(crate) depth: u16,
    /// Where the value is.
    pub(crate) place: Place,
}

/// Marks a block without a visit.
pub(crate) const NO_VISIT: u32 = u32::MAX;

/// The keys of a `Record`.
#[derive(Debug)]
pub(crate) struct Keys {
    /// The constants of the keys, in the order of the term.
    pub(crate) constants: Vec<u32>,
    pub(crate) shape: Shape,
}

impl Keys {
    fn words(&self) -> usize {
        self.constants.len() + self.shape.listed.len() + self.shape.order.len()
    }
}

/// All code compiled so far.
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
    /// The entry and arity of each code, close together for calls.
    pub(crate) entries: Vec<Entry>,
    /// Functions, in ascending order of `entry`.
    pub(crate) codes: Vec<Code>,
    /// The source of each of them, if the run's value is wanted as a term.
    pub(crate) sources: Option<Vec<Source>>,
    /// Scopes of `eval`s.
    pub(crate) scopes: Vec<Scope>,
    /// Keys of `Record`s.
    pub(crate) keys: Vec<Keys>,
    /// For debugging: names in scope and their places, per visit, the innermost first.
    pub(crate) debug_names: Vec<Vec<(NameId, Place)>>,
    /// For debugging: values that lines are about.
    pub(crate) told: Vec<Told>,
}

/// Operations that no term compiles to.
pub(crate) const HALT: u32 = 0;
/// Place of `Rest { n: 0 }`; `Rest { n }` is `n` later.
pub(crate) const REST: u32 = 0;
pub(crate) const EVAL_END: u32 = MOST_ARGUMENTS + 1;
pub(crate) const TOOL_END: u32 = MOST_ARGUMENTS + 2;
/// Applies slot 0 to slot 1.
pub(crate) const APPLY: u32 = MOST_ARGUMENTS + 3;
/// The constant that is a hole. The one before it is the empty list.
pub(crate) const HOLE_CONSTANT: u32 = 1;
/// The most pending arguments.
pub(crate) const MOST_ARGUMENTS: u32 = 128;

/// The most operations of a small tool's run.
const USUAL: usize = 256;

impl Image {
    /// Returns an image without code.
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

    /// Returns the lengths of the growing tables, for `bytes_since`.
    pub(crate) fn mark(&self) -> [usize; 5] {
        let Self { ops, visits, codes, scopes, keys, .. } = self;
        [ops.len(), visits.len(), codes.len(), scopes.len(), keys.len()]
    }

    /// Estimates by how many bytes the tables have grown since a mark. The estimate is equal on
    /// every platform.
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
            + keys.map(|keys| TABLE + 4 * keys.words()).sum::<usize>()
    }

    /// Returns the operation at `pc`.
    pub(crate) fn op(&self, pc: usize) -> Op {
        self.ops.get(pc).copied().unwrap_or(Op::Halt)
    }

    /// Returns the term of the operation at `pc`.
    pub(crate) fn term(&self, pc: usize) -> TermId {
        self.terms.get(pc).copied().unwrap_or_default()
    }

    /// Returns the code that holds the operation at `pc`.
    pub(crate) fn code_at(&self, pc: usize) -> Option<&Code> {
        let index = self.codes.partition_point(|code| code.entry as usize <= pc).checked_sub(1)?;
        self.codes.get(index).filter(|code| pc < code.end as usize)
    }

    /// Returns the visits in the block of the operation at `pc`, up to it, in order.
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
