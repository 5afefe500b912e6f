//! What the compiler produces and the machine runs: operations on slots, eight bytes each, with
//! tables beside them that only faults, depth checks and debugging read.
//!
//! A *slot* is a word in the window of the running function; `d` is always where a result goes.
//! A *block* is a straight line of operations. The last one of a block has its `cost`: the fuel
//! of every term node visited since the block began and of every application.

use crate::form::Form;
use crate::term::{NameId, TermId};

/// A slot.
pub(crate) type Slot = u8;

/// One operation. The first one is among those that the fast loop does, so that its dispatch needs
/// not count from another one on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    /// Ends a block.
    Pay { cost: u32 },
    /// The outermost evaluation is finished; its value is in slot 0.
    Halt,
    /// The value of a function that was given too many arguments is applied to the other `n`.
    Rest { n: u8 },
    /// An `eval` has its value.
    EvalEnd,
    /// The source of a tool has its value, in slot 1; the tool is the integer in slot 0.
    ToolEnd,
    /// Writes a debug line about a visit.
    Debug { visit: u32 },
    /// `d` becomes `a`.
    Move { d: Slot, a: Slot },
    /// `d` becomes an integer.
    Integer { d: Slot, n: i32 },
    /// `d` becomes a constant.
    Constant { d: Slot, k: u32 },
    /// `d` becomes a captured value of the running closure.
    Capture { d: Slot, i: u16 },
    /// Sum of `a` and `b`.
    Add { d: Slot, a: Slot, b: Slot },
    /// Difference.
    Sub { d: Slot, a: Slot, b: Slot },
    /// Product.
    Mul { d: Slot, a: Slot, b: Slot },
    /// Sum of `a` and a literal (of `sub`: the negated literal).
    AddLiteral { d: Slot, a: Slot, n: i32 },
    /// A strict form of two operands.
    Binary { form: Form, d: Slot, a: Slot, b: Slot, cost: u16 },
    /// The texts `a` and `b` joined.
    Concat { d: Slot, a: Slot, b: Slot, cost: u16 },
    /// A strict form of one operand.
    Unary { form: Form, d: Slot, a: Slot, cost: u16 },
    /// Any other strict form of the `n` operands from `d` on; of none: of those in the list in `d`.
    Builtin { form: Form, d: Slot, n: u8, cost: u16 },
    /// Begins to apply the function in `d`, which is a hole if it is a literal, to the elements of the list in `d + 1`, which come to
    /// `d + 4` one after another; without any, the value goes to `d` and on to `exit`.
    EachBegin { form: Form, d: Slot, exit: u32 },
    /// Takes what the function gave, in `d + 5`, into the result in `d + 3`, and goes on with the
    /// next element at `body`; after the last, or when no more are needed, the value goes to `d`.
    EachNext { form: Form, d: Slot, body: u32 },
    /// Puts what the function gave before the result, and goes on with the next element at `body`.
    EachPush { d: Slot, cost: u16, body: u32 },
    /// The same with the element, if what the function gave is true; it must be a boolean.
    EachSelect { d: Slot, cost: u16, body: u32 },
    /// After the last `EachPush` or `EachSelect`: the value goes to `d`.
    EachEnd { form: Form, d: Slot },
    /// From here to the `TryEnd`, a fault goes to `to`, as a record in `d`.
    TryBegin { d: Slot, to: u32 },
    /// What was tried has a value.
    TryEnd,
    /// Faults: no test of a `cond` was true.
    NoMatch,
    /// The list that begins with `a` and goes on with `b`.
    Cons { d: Slot, a: Slot, b: Slot },
    /// The pair of `a` and `b`.
    Pair { d: Slot, a: Slot, b: Slot },
    /// First half of a pair.
    First { d: Slot, a: Slot },
    /// Second half of a pair.
    Second { d: Slot, a: Slot },
    /// First element of a list.
    Head { d: Slot, a: Slot },
    /// The list without its first element.
    Tail { d: Slot, a: Slot },
    /// The opposite boolean.
    Not { d: Slot, a: Slot },
    /// Puts `a` before the list in `d`.
    Push { d: Slot, a: Slot },
    /// Reverses the list in `d`, which nothing else refers to.
    Reverse { d: Slot },
    /// The record with the keys of a key list and the values in the (reversed) list `d`.
    Record { d: Slot, keys: u32 },
    /// Goes on elsewhere; ends a block.
    Jump { to: u32, cost: u16 },
    /// Goes on at `to` if `a`, which is that operand of its form, is false; it must be a boolean.
    JumpFalse { a: Slot, operand: u16, to: u32 },
    /// Goes on at `to` if `a`, which is that operand of its form, is true; it must be a boolean.
    JumpTrue { a: Slot, operand: u16, to: u32 },
    /// Goes on at `to` unless `a` < `b`; `swap` 1: the operands of the form are `b` and `a`.
    JumpNotLess { a: Slot, b: Slot, swap: u8, to: u32 },
    /// Goes on at `to` if `a` < `b`; `swap` as above.
    JumpLess { a: Slot, b: Slot, swap: u8, to: u32 },
    /// Goes on at `to` unless `a` = `b`.
    JumpNotEqual { a: Slot, b: Slot, to: u32 },
    /// Goes on at `to` unless `a` < `n`, for integers: of `lte`, `n` is the literal plus one.
    JumpNotLessLiteral { a: Slot, n: i16, to: u32 },
    /// Goes on at `to` if `a` < `n`, for integers: of `gt`, `n` is the literal plus one.
    JumpLessLiteral { a: Slot, n: i16, to: u32 },
    /// Goes on at `to` unless `a` = `n`.
    JumpNotEqualLiteral { a: Slot, n: i16, to: u32 },
    /// Goes on at `to` unless the list `a` is empty.
    JumpNotEmpty { a: Slot, to: u32 },
    /// Faults unless `a`, which is that operand of its form, is a boolean.
    Boolean { a: Slot, operand: u16 },
    /// A closure of a code; what it captures is listed there.
    Close { d: Slot, code: u32 },
    /// The same where that is `a` alone.
    CloseOver { d: Slot, a: Slot, code: u32 },
    /// Applies `f` to the `n` arguments from `base` on; the value goes to `base`.
    Call { f: Slot, base: Slot, n: u8, depth: u8, cost: u16 },
    /// The same where the function is a captured value of the running closure.
    CallCaptured { i: u8, base: Slot, n: u8, depth: u8, cost: u16 },
    /// `Call` in place of the running function.
    TailCall { f: Slot, base: Slot, n: u8, cost: u16 },
    /// More arguments of `f` follow the `n` at `base`, of which `new` are new: applies it now
    /// unless it can wait for them.
    Feed { f: Slot, base: Slot, n: u8, new: u8, depth: u8, cost: u16 },
    /// `Call` after a `Feed` of the first `given` of the `n` arguments. If they are there still,
    /// it takes back the nodes visited by taking them, because the body of `f` pays for them too;
    /// if they are holes, `f` is what their application gave, and gets the others.
    CallFed { f: Slot, base: Slot, n: u8, given: u8, depth: u8, cost: u16 },
    /// The same in place of the running function.
    TailCallFed { f: Slot, base: Slot, n: u8, given: u8, cost: u16 },
    /// After a `Feed` that applied `f`: its value takes the place of `f`.
    Fed { f: Slot, base: Slot, n: u8 },
    /// Applies the running function, which begins `back` operations earlier, to `base`.
    CallSelf { base: Slot, depth: u8, cost: u16, back: u16 },
    /// The same with the argument `a` + `n`. `a` is not `base`: where the call is left after the
    /// addition, it is begun again.
    CallSelfAdd { base: Slot, a: Slot, n: i8, depth: u8, cost: u8, back: u16 },
    /// The same where the function takes the halves of a pair at `base` and the slot after it.
    CallSelfPair { base: Slot, depth: u8, cost: u16, back: u16 },
    /// `CallSelf` in place of the running function.
    TailSelf { base: Slot, cost: u16, back: u16 },
    /// `CallSelfPair` in place of the running function.
    TailSelfPair { base: Slot, cost: u16, back: u16 },
    /// `TailSelfPair` where the second half is `a` + `b`.
    TailSelfPairAdd { base: Slot, a: Slot, b: Slot, cost: u16, back: u16 },
    /// If slot 0 is a pair, spreads it over slots 0 and 1 and goes on at `to`.
    Spread { to: u32 },
    /// The value of the running function is `a`.
    Return { a: Slot, cost: u16 },
    /// The value of the running function is `a` plus a literal (of `sub`: the negated literal).
    AddLiteralReturn { a: Slot, cost: u16, n: i32 },
    /// The value of the running function is `a` + `b`.
    AddReturn { a: Slot, b: Slot, cost: u16 },
    /// Faults unless `f` is a function, `d + 1` being a list.
    FoldFunction { f: Slot, d: Slot },
    /// A fold over the list in `d + 1`: its first item goes to `d + 2`; an empty one goes to `exit`.
    FoldBegin { d: Slot, cost: u16, exit: u32 },
    /// The accumulator in `d` becomes `d + 3`; the next item goes to `d + 2` and on to `body`.
    FoldNext { d: Slot, cost: u16, body: u32 },
    /// `Add` into `d + 3`, and the `FoldNext` of `d` after it; its body is `back` operations back.
    AddNext { d: Slot, a: Slot, b: Slot, cost: u16, back: u16 },
    /// `AddNext` of the accumulator and the item, whose body is nothing else.
    SumNext { d: Slot, a: Slot, b: Slot, cost: u16 },
    /// `Binary`, and the `FoldNext` after it.
    BinaryNext { form: Form, d: Slot, a: Slot, b: Slot, cost: u16 },
    /// `Cons` into `d + 3`, and the `FoldNext` of `d` after it, as `AddNext`.
    ConsNext { d: Slot, a: Slot, b: Slot, cost: u16, back: u16 },
    /// `Pay`, and the `FoldNext` after it.
    PayNext { cost: u32 },
    /// `Jump`, and the `FoldNext` that it leads to.
    JumpNext { to: u32, cost: u16 },
    /// `AddLiteral`, and the `TailSelfPairAdd` after it.
    AddLiteralTail { d: Slot, a: Slot, n: i32 },
    /// `JumpNotEqualLiteral`, and the `AddLiteralTail` that it leads to.
    UnequalLiteralTail { a: Slot, n: i16, to: u32 },
    /// `UnequalLiteralTail` of slot 0, where the `AddLiteralTail` adds to it, and the `TailSelfPairAdd`,
    /// which leads back here, adds it to slot 1.
    CountTail { n: i16, to: u32 },
    /// `Integer`, and the `Mul` after it.
    IntegerMul { d: Slot, n: i32 },
    /// `Integer`, and the `Return` after it.
    IntegerReturn { d: Slot, n: i32 },
    /// `Add`, and the `ConsNext` after it.
    AddCons { d: Slot, a: Slot, b: Slot },
    /// `JumpNotLessLiteral`, and the `Return` or `IntegerReturn` after it.
    LessLiteralReturn { a: Slot, n: i16, to: u32 },
    /// `JumpNotEqualLiteral`, and the `CallSelfAdd` that it leads to.
    UnequalLiteralCall { a: Slot, n: i16, to: u32 },
    /// `LessLiteralReturn`, or the `CallSelfAdd` that it leads to.
    LessLiteralReturnCall { a: Slot, n: i16, to: u32 },
    /// Evaluates the quoted term in `a` among the names of a scope.
    Eval { d: Slot, a: Slot, depth: u8, cost: u16, scope: u16 },
    /// The source of the tool that `a` names, quoted; `tool` is the one this code belongs to.
    CodeOf { d: Slot, a: Slot, cost: u16, tool: u16 },
    /// The value of the tool that `a` names.
    Tool { d: Slot, a: Slot, depth: u8, cost: u16 },
    /// The value of the tool this code belongs to.
    SelfTool { d: Slot, depth: u8, cost: u16, tool: u16 },
    /// A continuation of the tool this code belongs to.
    Continue { d: Slot, a: Slot, tool: u16 },
    /// Writes `a` and `b` to the trace; the value is `b`.
    Trace { d: Slot, a: Slot, b: Slot },
    /// Asks the host for an effect.
    Perform { d: Slot, a: Slot, cost: u16, name: u16 },
    /// Faults: a variable that nothing binds.
    Unbound { name: NameId },
}

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
    /// Fuel of the functions that are made when so many arguments have been taken, one after another.
    pub(crate) merged: Vec<u8>,
    /// What its closures capture, in the function that makes them.
    pub(crate) captures: Vec<Place>,
    /// The tool in whose source it stands, counted from 1, or 0.
    pub(crate) tool: u32,
    /// The `eval` that faults inside it are reported at, if it came from a plain quote.
    pub(crate) site: Option<TermId>,
}

/// What a call must know of a code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// Its first operation.
    pub(crate) pc: u32,
    /// Arguments it takes at once.
    pub(crate) arity: u8,
    /// The same of one, two or three arguments.
    pub(crate) merged: [u8; 3],
    /// One if all that it does is to add a literal to its one argument, else `ADDS_TO_NONE`.
    pub(crate) adds_to: u8,
    /// What that costs.
    pub(crate) cost: u16,
    /// The literal.
    pub(crate) added: i32,
}

/// In place of a number of arguments: no call has so many, while one of an outlined term has none.
pub(crate) const ADDS_TO_NONE: u8 = u8::MAX;

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
    /// Operations of all codes.
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

    /// How far tables reach that only grow, to see later what they have grown by.
    pub(crate) fn mark(&self) -> [usize; 5] {
        let Self { ops, visits, codes, scopes, keys, .. } = self;
        [ops.len(), visits.len(), codes.len(), scopes.len(), keys.len()]
    }

    /// Bytes of what has come since a mark, more or less, and equal on every platform.
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

    /// The operation at `pc` by itself.
    pub(crate) fn op(&self, pc: usize) -> Op {
        self.ops.get(pc).copied().unwrap_or(Op::Halt).alone()
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

impl Op {
    /// The operation that does `self`, which may itself do several, and then, without another
    /// dispatch, the first of `next`, if there is one: `next` follows, or is what a branch leads to.
    /// It takes the place of `self`; `next` stays where it is, so that jumps to it and whatever cannot
    /// be done fast find the two as they were.
    pub(crate) fn fused(self, at: usize, next: &[Self]) -> Self {
        match (self, next) {
            (Self::Add { d: sum, a, b }, &[Self::FoldNext { d, cost, body }, ..])
                if sum == d + 3
                    && body as usize == at
                    && [[d, d + 2], [d + 2, d]].contains(&[a, b]) =>
            {
                Self::SumNext { d, a, b, cost }
            }
            (
                Self::JumpNotEqualLiteral { a: 0, n, to },
                &[
                    Self::AddLiteralTail { d, a: 0, .. },
                    Self::TailSelfPairAdd { base, a, b, back, .. },
                    ..,
                ],
            ) if base == d
                && d > 1
                && [[0, 1], [1, 0]].contains(&[a, b])
                && to as usize + 1 == at + usize::from(back) =>
            {
                Self::CountTail { n, to }
            }
            (Self::Add { d: sum, a, b }, &[Self::FoldNext { d, cost, body }, ..])
                if sum == d + 3
                    && let Some(back) = distance(body, at) =>
            {
                Self::AddNext { d, a, b, cost, back }
            }
            (Self::Binary { form, d, a, b, cost }, [Self::FoldNext { .. }, ..]) => {
                Self::BinaryNext { form, d, a, b, cost }
            }
            (Self::Cons { d: list, a, b }, &[Self::FoldNext { d, cost, body }, ..])
                if list == d + 3
                    && let Some(back) = distance(body, at) =>
            {
                Self::ConsNext { d, a, b, cost, back }
            }
            (Self::Pay { cost }, [Self::FoldNext { .. }, ..]) => Self::PayNext { cost },
            (Self::Jump { to, cost }, [Self::FoldNext { .. }, ..]) => Self::JumpNext { to, cost },
            (Self::AddLiteral { d, a, n }, [Self::TailSelfPairAdd { .. }, ..]) => {
                Self::AddLiteralTail { d, a, n }
            }
            (Self::JumpNotEqualLiteral { a, n, to }, [Self::AddLiteralTail { .. }, ..]) => {
                Self::UnequalLiteralTail { a, n, to }
            }
            (Self::JumpNotEqualLiteral { a, n, to }, [Self::CallSelfAdd { .. }, ..]) => {
                Self::UnequalLiteralCall { a, n, to }
            }
            (Self::Integer { d, n }, [Self::Mul { .. }, ..]) => Self::IntegerMul { d, n },
            (Self::Integer { d, n }, [Self::Return { .. }, ..]) => Self::IntegerReturn { d, n },
            (Self::Add { d, a, b }, [Self::ConsNext { .. }, ..]) => Self::AddCons { d, a, b },
            (
                Self::JumpNotLessLiteral { a, n, to },
                [Self::Return { .. } | Self::IntegerReturn { .. }, ..],
            ) => Self::LessLiteralReturn { a, n, to },
            (Self::LessLiteralReturn { a, n, to }, [Self::CallSelfAdd { .. }, ..]) => {
                Self::LessLiteralReturnCall { a, n, to }
            }
            _ => self,
        }
    }

    /// The first of the operations that `self` may stand for.
    fn alone(self) -> Self {
        match self {
            Self::AddNext { d, a, b, .. } | Self::SumNext { d, a, b, .. } => {
                Self::Add { d: d + 3, a, b }
            }
            Self::AddCons { d, a, b } => Self::Add { d, a, b },
            Self::IntegerMul { d, n } | Self::IntegerReturn { d, n } => Self::Integer { d, n },
            Self::BinaryNext { form, d, a, b, cost } => Self::Binary { form, d, a, b, cost },
            Self::ConsNext { d, a, b, .. } => Self::Cons { d: d + 3, a, b },
            Self::PayNext { cost } => Self::Pay { cost },
            Self::JumpNext { to, cost } => Self::Jump { to, cost },
            Self::AddLiteralTail { d, a, n } => Self::AddLiteral { d, a, n },
            Self::CountTail { n, to } => Self::JumpNotEqualLiteral { a: 0, n, to },
            Self::UnequalLiteralTail { a, n, to } | Self::UnequalLiteralCall { a, n, to } => {
                Self::JumpNotEqualLiteral { a, n, to }
            }
            Self::LessLiteralReturn { a, n, to } | Self::LessLiteralReturnCall { a, n, to } => {
                Self::JumpNotLessLiteral { a, n, to }
            }
            op => op,
        }
    }

    /// The fuel that the operation pays before anything else it does.
    pub(crate) fn cost(self) -> u32 {
        match self {
            Self::Pay { cost } => cost,
            Self::CallSelfAdd { cost, .. } => u32::from(cost),
            Self::Binary { cost, .. }
            | Self::Concat { cost, .. }
            | Self::Unary { cost, .. }
            | Self::Builtin { cost, .. }
            | Self::Jump { cost, .. }
            | Self::Call { cost, .. }
            | Self::CallCaptured { cost, .. }
            | Self::TailCall { cost, .. }
            | Self::Feed { cost, .. }
            | Self::CallFed { cost, .. }
            | Self::TailCallFed { cost, .. }
            | Self::CallSelf { cost, .. }
            | Self::CallSelfPair { cost, .. }
            | Self::TailSelf { cost, .. }
            | Self::TailSelfPair { cost, .. }
            | Self::TailSelfPairAdd { cost, .. }
            | Self::Return { cost, .. }
            | Self::AddReturn { cost, .. }
            | Self::AddLiteralReturn { cost, .. }
            | Self::FoldBegin { cost, .. }
            | Self::FoldNext { cost, .. }
            | Self::EachPush { cost, .. }
            | Self::EachSelect { cost, .. }
            | Self::Eval { cost, .. }
            | Self::CodeOf { cost, .. }
            | Self::Tool { cost, .. }
            | Self::SelfTool { cost, .. }
            | Self::Perform { cost, .. } => u32::from(cost),
            _ => 0,
        }
    }
}

/// How many operations there are from one to a later one, if they can be told in so few bits.
fn distance(from: u32, to: usize) -> Option<u16> {
    to.checked_sub(from as usize)?.try_into().ok()
}

const _: () = assert!(size_of::<Op>() == 8, "an operation is eight bytes");
