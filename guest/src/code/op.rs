//! The operations: one row each, from which everything is derived that holds for all of them.

use crate::form::Form;
use crate::term::NameId;

/// A word in the window of the running function.
pub(crate) type Slot = u8;

/// Declares the operations. Those of the first group have an arm in the dispatch loop, which does
/// them as far as they are simple; the loop leaves those of the second group to `complete`.
///
/// The name of a field tells its part in every operation that has it:
///
/// - `d`: the slot that gets the result.
/// - `a`, `b`: the slots of operands.
/// - `cost`: the fuel of the block that the operation ends. It is paid before anything else is done.
/// - `to`, `exit`, `body`: where to go on. A label, until the function is put into its place.
/// - `back`: how many operations earlier the body of the running function begins that is called.
macro_rules! ops {
    (
        dispatch {
            $($(#[$first_doc:meta])* $first:ident $({ $($first_field:ident: $first_type:ty),* })?,)*
        }
        complete {
            $($(#[$then_doc:meta])* $then:ident $({ $($then_field:ident: $then_type:ty),* })?,)*
        }
    ) => {
        /// One operation.
        #[derive(Clone, Copy, Debug)]
        pub(crate) enum Op {
            $($(#[$first_doc])* $first $({ $($first_field: $first_type),* })?,)*
            $($(#[$then_doc])* $then $({ $($then_field: $then_type),* })?,)*
        }

        /// A pattern of all operations that the dispatch loop has no arm for.
        macro_rules! left_to_complete {
            () => {
                $(Op::$then { .. })|*
            };
        }

        accessors! {
            $($first { $($($first_field),*)? })*
            $($then { $($($then_field),*)? })*
        }
    };
}

/// The functions that look for a field in every operation.
macro_rules! accessors {
    ($($op:ident { $($field:ident),* })*) => {
        impl Op {
            /// The fuel that the operation pays before it does anything else.
            pub(crate) fn cost(self) -> u32 {
                let cost = match self {
                    $(Self::$op { $($field),* } => first([$(part!(cost, $field, $field)),*]),)*
                };
                cost.unwrap_or_default()
            }

            /// Lets the operation pay so much, if it ends a block and its field holds the number.
            pub(crate) fn set_cost(&mut self, total: u32) -> bool {
                let fits = match self {
                    $(Self::$op { $($field),* } => {
                        first([$(part!(set_cost, $field, $field, total)),*])
                    })*
                };
                fits.unwrap_or_default()
            }

            /// The slots of the operands `a` and `b`, as far as the operation has them.
            pub(crate) fn operands(self) -> Vec<Slot> {
                match self {
                    $(Self::$op { $($field),* } => {
                        all(&[$(part!(operands, $field, $field)),*])
                    })*
                }
            }

            /// Where the operation may go on, if that is not the next one.
            pub(crate) fn target(&mut self) -> Option<&mut u32> {
                match self {
                    $(Self::$op { $($field),* } => first([$(part!(target, $field, $field)),*]),)*
                }
            }
        }
    };
}

/// The value that a field contributes to one of the functions above, if it has that part.
macro_rules! part {
    (cost, cost, $field:ident) => {
        Some(u32::from($field))
    };
    (set_cost, cost, $field:ident, $total:ident) => {
        Some($total.try_into().map(|cost| *$field = cost).is_ok())
    };
    (operands, a, $field:ident) => {
        Some($field)
    };
    (operands, b, $field:ident) => {
        Some($field)
    };
    (target, to, $field:ident) => {
        Some($field)
    };
    (target, exit, $field:ident) => {
        Some($field)
    };
    (target, body, $field:ident) => {
        Some($field)
    };
    ($part:ident, $other:ident, $field:ident $(, $total:ident)?) => {{
        let _ = $field;
        None
    }};
}

fn first<T, const N: usize>(parts: [Option<T>; N]) -> Option<T> {
    parts.into_iter().flatten().next()
}

fn all(slots: &[Option<Slot>]) -> Vec<Slot> {
    slots.iter().copied().flatten().collect()
}

ops! {
    dispatch {
        /// Ends a block.
        Pay { cost: u32 },
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
        /// Puts the value that the function gave before the result, and goes on with the next
        /// element at `body`.
        EachPush { d: Slot, cost: u16, body: u32 },
        /// Puts the element before the result if the function gave true, and goes on with the next
        /// element at `body`. The function must give a boolean.
        EachSelect { d: Slot, cost: u16, body: u32 },
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
        /// Goes on elsewhere; ends a block.
        Jump { to: u32, cost: u16 },
        /// Goes on at `to` if `a` is false. It must be a boolean, and is that operand of its form.
        JumpFalse { a: Slot, operand: u16, to: u32 },
        /// Goes on at `to` if `a` is true. It must be a boolean, and is that operand of its form.
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
        /// Goes on at `to` unless `a` is null.
        JumpNotNull { a: Slot, to: u32 },
        /// Faults unless `a` is a boolean. It is that operand of its form.
        Boolean { a: Slot, operand: u16 },
        /// A closure of a code that captures `a` alone.
        CloseOver { d: Slot, a: Slot, code: u32 },
        /// Applies `f` to the `n` arguments from `base` on; the value goes to `base`.
        Call { f: Slot, base: Slot, n: u8, depth: u8, cost: u16 },
        /// Applies a captured value of the running closure to the `n` arguments from `base` on.
        CallCaptured { i: u8, base: Slot, n: u8, depth: u8, cost: u16 },
        /// `Call` in place of the running function.
        TailCall { f: Slot, base: Slot, n: u8, cost: u16 },
        /// More arguments of `f` follow the `n` at `base`, of which `new` are new: applies it now
        /// unless it can wait for them.
        Feed { f: Slot, base: Slot, n: u8, new: u8, depth: u8, cost: u16 },
        /// Applies `f` after a `Feed` of the first `given` of the `n` arguments. If these are there
        /// still, it takes back the nodes visited by taking them, because the body of `f` pays for
        /// them too. If they are holes, `f` is the value of their application, and gets the others.
        CallFed { f: Slot, base: Slot, n: u8, given: u8, depth: u8, cost: u16 },
        /// `CallFed` in place of the running function.
        TailCallFed { f: Slot, base: Slot, n: u8, given: u8, cost: u16 },
        /// After a `Feed` that applied `f`: its value takes the place of `f`.
        Fed { f: Slot, base: Slot, n: u8 },
        /// Applies the running function, which begins `back` operations earlier, to `base`.
        CallSelf { base: Slot, depth: u8, cost: u16, back: u16 },
        /// `CallSelf` with a pair, whose halves are in `base` and the slot after it.
        CallSelfPair { base: Slot, depth: u8, cost: u16, back: u16 },
        /// `CallSelf` in place of the running function.
        TailSelf { base: Slot, cost: u16, back: u16 },
        /// `CallSelfPair` in place of the running function.
        TailSelfPair { base: Slot, cost: u16, back: u16 },
        /// If slot 0 is a pair, spreads it over slots 0 and 1 and goes on at `to`.
        Spread { to: u32 },
        /// The value of the running function is `a`.
        Return { a: Slot, cost: u16 },
        /// The value of the running function is `a` plus a literal (of `sub`: the negated literal).
        AddLiteralReturn { a: Slot, cost: u16, n: i32 },
        /// The value of the running function is `a` + `b`.
        AddReturn { a: Slot, b: Slot, cost: u16 },
        /// Faults unless `f` is a function, and the fold of `d` has a list.
        FoldFunction { f: Slot, d: Slot },
        /// Begins a fold with the accumulator in `d`: the first item goes to its slot. An empty
        /// list goes to `exit`.
        FoldBegin { d: Slot, cost: u16, exit: u32 },
        /// Takes the next accumulator, and goes on with the next item at `body`.
        FoldNext { d: Slot, cost: u16, body: u32 },
    }
    complete {
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
        /// Any other strict form of the `n` operands from `d` on. If `n` is 0, the operands are in
        /// the list in `d`.
        Builtin { form: Form, d: Slot, n: u8, cost: u16 },
        /// Begins to apply the function in `d`, which is a hole if it is a literal, to each element
        /// of a list: the first one goes to its slot. Without any, the value goes to `d`, and on to
        /// `exit`.
        EachBegin { form: Form, d: Slot, exit: u32 },
        /// Takes the value that the function gave into the result, and goes on with the next
        /// element at `body`. After the last, or when no more are needed, the value goes to `d`.
        EachNext { form: Form, d: Slot, body: u32 },
        /// After the last `EachPush` or `EachSelect`: the value goes to `d`.
        EachEnd { form: Form, d: Slot },
        /// From here to the `TryEnd`, a fault goes to `to`, as a record in `d`.
        TryBegin { d: Slot, to: u32 },
        /// Ends the innermost `TryBegin`, for nothing went wrong.
        TryEnd,
        /// Faults: no test of a `cond` was true.
        NoMatch,
        /// Reverses the list in `d`, which nothing else refers to.
        Reverse { d: Slot },
        /// The record with the keys of a key list and the values in the (reversed) list `d`.
        Record { d: Slot, keys: u32 },
        /// A closure of a code, which lists the captured places.
        Close { d: Slot, code: u32 },
        /// Lets the `n` closures from `d` on capture each other, where they captured these slots.
        Tie { d: Slot, n: u8 },
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
}

#[expect(clippy::single_component_path_imports, reason = "other modules name it by this path")]
pub(crate) use left_to_complete;

const _: () = assert!(size_of::<Op>() == 8, "an operation is eight bytes");
