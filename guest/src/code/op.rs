//! The operations: one row each. The accessors for all operations come from these rows.

use pif_language::form::Form;
use pif_language::term::NameId;

/// A word in the window of the running function.
pub(crate) type Slot = u8;

/// Declares the operations. The dispatch loop has an arm for each operation of the first group and
/// does its simple cases. It leaves the second group to `complete`.
///
/// A field's name tells its part in every operation:
///
/// - `d`: the slot for the result.
/// - `a`, `b`: the slots of operands.
/// - `cost`: the fuel of the block that the operation ends. It is paid first.
/// - `to`, `exit`, `body`: the operation to continue at. A label, until the function is placed.
/// - `back`: the distance back to the body of the running function, which is called.
macro_rules! ops {
    (
        dispatch {
            $($(#[$first_doc:meta])* $first:ident $({ $($first_field:ident: $first_type:ty),* })?,)*
        }
        complete {
            $($(#[$then_doc:meta])* $then:ident $({ $($then_field:ident: $then_type:ty),* })?,)*
        }
    ) => {
        /// An operation.
        #[derive(Clone, Copy, Debug)]
        pub(crate) enum Op {
            $($(#[$first_doc])* $first $({ $($first_field: $first_type),* })?,)*
            $($(#[$then_doc])* $then $({ $($then_field: $then_type),* })?,)*
        }

        /// A pattern of all operations without an arm in the dispatch loop.
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

/// Defines functions that look for a field in every operation.
macro_rules! accessors {
    ($($op:ident { $($field:ident),* })*) => {
        impl Op {
            /// Returns the fuel that the operation pays first.
            pub(crate) fn cost(self) -> u32 {
                let cost = match self {
                    $(Self::$op { $($field),* } => first([$(part!(cost, $field, $field)),*]),)*
                };
                cost.unwrap_or_default()
            }

            /// Makes the operation pay `total`. Returns false if it ends no block or its field is
            /// too small.
            pub(crate) fn set_cost(&mut self, total: u32) -> bool {
                let fits = match self {
                    $(Self::$op { $($field),* } => {
                        first([$(part!(set_cost, $field, $field, total)),*])
                    })*
                };
                fits.unwrap_or_default()
            }

            /// Returns the slots of the operands `a` and `b` that the operation has.
            pub(crate) fn operands(self) -> Vec<Slot> {
                match self {
                    $(Self::$op { $($field),* } => {
                        all(&[$(part!(operands, $field, $field)),*])
                    })*
                }
            }

            /// Returns the operation's jump target, if it has one.
            pub(crate) fn target(&mut self) -> Option<&mut u32> {
                match self {
                    $(Self::$op { $($field),* } => first([$(part!(target, $field, $field)),*]),)*
                }
            }
        }
    };
}

/// Returns a field's part in one of the functions above, if it has one.
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
        /// Copies `a` to `d`.
        Move { d: Slot, a: Slot },
        /// Sets `d` to an integer.
        Integer { d: Slot, n: i32 },
        /// Sets `d` to a constant.
        Constant { d: Slot, k: u32 },
        /// Sets `d` to a captured value of the running closure.
        Capture { d: Slot, i: u16 },
        /// Adds `a` and `b`.
        Add { d: Slot, a: Slot, b: Slot },
        /// Subtracts `b` from `a`.
        Sub { d: Slot, a: Slot, b: Slot },
        /// Multiplies `a` and `b`.
        Mul { d: Slot, a: Slot, b: Slot },
        /// Adds a literal to `a`; for `sub`, the negated literal.
        AddLiteral { d: Slot, a: Slot, n: i32 },
        /// A strict form of two operands.
        Binary { form: Form, d: Slot, a: Slot, b: Slot, cost: u16 },
        /// Joins the texts `a` and `b`.
        Concat { d: Slot, a: Slot, b: Slot, cost: u16 },
        /// A strict form of one operand.
        Unary { form: Form, d: Slot, a: Slot, cost: u16 },
        /// Puts the function's value before the result, and continues with the next element at
        /// `body`.
        EachPush { d: Slot, cost: u16, body: u32 },
        /// Puts the element before the result if the function's value is true, and continues with
        /// the next element at `body`. The value must be a boolean.
        EachSelect { d: Slot, cost: u16, body: u32 },
        /// Makes a list of the first element `a` and the rest `b`.
        Cons { d: Slot, a: Slot, b: Slot },
        /// Makes a pair of `a` and `b`.
        Pair { d: Slot, a: Slot, b: Slot },
        /// Takes the first half of a pair.
        First { d: Slot, a: Slot },
        /// Takes the second half of a pair.
        Second { d: Slot, a: Slot },
        /// Takes the first element of a list.
        Head { d: Slot, a: Slot },
        /// Takes a list without its first element.
        Tail { d: Slot, a: Slot },
        /// Negates a boolean.
        Not { d: Slot, a: Slot },
        /// Tells whether a value counts as true.
        Truth { d: Slot, a: Slot },
        /// Puts `a` before the list in `d`.
        Push { d: Slot, a: Slot },
        /// Continues at `to`. Ends a block.
        Jump { to: u32, cost: u16 },
        /// Continues at `to` if `a` is false. It must be a boolean; `operand` is its number in the
        /// form.
        JumpFalse { a: Slot, operand: u16, to: u32 },
        /// Continues at `to` if `a` is true. It must be a boolean; `operand` is its number in the
        /// form.
        JumpTrue { a: Slot, operand: u16, to: u32 },
        /// Continues at `to` unless `a` counts as true.
        JumpUntrue { a: Slot, to: u32 },
        /// Continues at `to` if `a` counts as true.
        JumpTruth { a: Slot, to: u32 },
        /// Continues at `to` unless `a` < `b`. With `swap` 1, the form's operands are `b` and `a`.
        JumpNotLess { a: Slot, b: Slot, swap: u8, to: u32 },
        /// Continues at `to` if `a` < `b`; `swap` as above.
        JumpLess { a: Slot, b: Slot, swap: u8, to: u32 },
        /// Continues at `to` unless `a` = `b`.
        JumpNotEqual { a: Slot, b: Slot, to: u32 },
        /// Continues at `to` unless the integer `a` < `n`. For `lte`, `n` is the literal plus one.
        JumpNotLessLiteral { a: Slot, n: i16, to: u32 },
        /// Continues at `to` if the integer `a` < `n`. For `gt`, `n` is the literal plus one.
        JumpLessLiteral { a: Slot, n: i16, to: u32 },
        /// Continues at `to` unless `a` = `n`.
        JumpNotEqualLiteral { a: Slot, n: i16, to: u32 },
        /// Continues at `to` unless the list `a` is empty.
        JumpNotEmpty { a: Slot, to: u32 },
        /// Continues at `to` unless `a` is null.
        JumpNotNull { a: Slot, to: u32 },
        /// Faults unless `a` is a boolean; `operand` is its number in the form.
        Boolean { a: Slot, operand: u16 },
        /// Makes a closure of a code that captures `a` alone.
        CloseOver { d: Slot, a: Slot, code: u32 },
        /// Applies `f` to the `n` arguments from `base` on. The value goes to `base`.
        Call { f: Slot, base: Slot, n: u8, depth: u8, cost: u16 },
        /// Applies a captured value of the running closure to the `n` arguments from `base` on.
        CallCaptured { i: u8, base: Slot, n: u8, depth: u8, cost: u16 },
        /// Does a `Call` in place of the running function.
        TailCall { f: Slot, base: Slot, n: u8, cost: u16 },
        /// Applies the running function, which begins `back` operations earlier, to `base`.
        CallSelf { base: Slot, depth: u8, cost: u16, back: u16 },
        /// Does a `CallSelf` in place of the running function.
        TailSelf { base: Slot, cost: u16, back: u16 },
        /// Returns `a` from the running function.
        Return { a: Slot, cost: u16 },
        /// Returns `a` plus a literal; for `sub`, the negated literal.
        AddLiteralReturn { a: Slot, cost: u16, n: i32 },
        /// Returns `a` + `b`.
        AddReturn { a: Slot, b: Slot, cost: u16 },
        /// Faults unless `f` is a function and the fold at `d` has a list.
        FoldFunction { f: Slot, d: Slot },
        /// Begins a fold with the accumulator in `d`: the first item goes to its slot. With an
        /// empty list, it continues at `exit`.
        FoldBegin { d: Slot, cost: u16, exit: u32 },
        /// Takes the next accumulator, and continues with the next item at `body`.
        FoldNext { d: Slot, cost: u16, body: u32 },
    }
    complete {
        /// Ends the outermost evaluation. Its value is in slot 0.
        Halt,
        /// Applies the value of a function that got too many arguments to the other `n`.
        Rest { n: u8 },
        /// Ends an `eval`.
        EvalEnd,
        /// Ends the evaluation of a tool's source. Slot 1 holds its value, slot 0 the tool's
        /// number.
        ToolEnd,
        /// Writes a debug line about a visit.
        Debug { visit: u32 },
        /// Writes a debug line about the value of a visited term.
        Told { value: u32 },
        /// Does any other strict form of the `n` operands from `d` on. If `n` is 0, the operands
        /// are in the list in `d`.
        Builtin { form: Form, d: Slot, n: u8, cost: u16 },
        /// Applies `f` to as many elements of the list in the slot after it as it has parameters.
        /// The value goes to `base`.
        Apply { f: Slot, base: Slot, depth: u8, cost: u16 },
        /// Does an `Apply` in place of the running function.
        TailApply { f: Slot, base: Slot, cost: u16 },
        /// Begins to apply the function in `d` (a hole if it is a literal) to each element of a
        /// list: the first one goes to its slot. With an empty list, the value goes to `d`, and it
        /// continues at `exit`.
        EachBegin { form: Form, d: Slot, exit: u32 },
        /// Takes the function's value into the result, and continues with the next element at
        /// `body`. After the last element, or if no more are needed, the value goes to `d`.
        EachNext { form: Form, d: Slot, body: u32 },
        /// Follows the last `EachPush` or `EachSelect`: the value goes to `d`.
        EachEnd { form: Form, d: Slot },
        /// Begins a `try`. Up to the `TryEnd`, a fault continues at `to`, with its record in `d`.
        TryBegin { d: Slot, to: u32 },
        /// Ends the innermost `TryBegin` without a fault.
        TryEnd,
        /// Begins a `retry` of the function behind the options in `d`. Its attempts begin at the next
        /// operation, with null in the slot behind the function.
        RetryBegin { d: Slot },
        /// Begins a step, whose name is in `d`, where its value goes. Continues at `to` with the value
        /// that the host has given.
        StepBegin { d: Slot, cost: u16, to: u32 },
        /// Ends the step whose value is in `d`.
        StepEnd { d: Slot, cost: u16 },
        /// Faults: no test of a `cond` is true.
        NoMatch,
        /// Reverses the list in `d`. Nothing else refers to it.
        Reverse { d: Slot },
        /// Makes a record of a key list and the values in the (reversed) list `d`.
        Record { d: Slot, keys: u32 },
        /// Makes a closure of a code, with the places it captures.
        Close { d: Slot, code: u32 },
        /// Lets the `n` closures from `d` on capture each other, where they captured these slots.
        Tie { d: Slot, n: u8 },
        /// Evaluates the quoted term in `a` with the names of a scope.
        Eval { d: Slot, a: Slot, depth: u8, cost: u16, scope: u16 },
        /// Gets the source of the tool named `a`, quoted. The code belongs to `tool`.
        CodeOf { d: Slot, a: Slot, cost: u16, tool: u16 },
        /// Gets the value of the tool named `a`.
        Tool { d: Slot, a: Slot, depth: u8, cost: u16 },
        /// Gets the value of the tool that the code belongs to.
        SelfTool { d: Slot, depth: u8, cost: u16, tool: u16 },
        /// Gets the function of a tool that the name in `a` means, if the slot after it holds arguments;
        /// null becomes the empty record. Continues at `to` where no tool has the name.
        Member { d: Slot, a: Slot, depth: u8, to: u32 },
        /// Takes the next of the calls in the list in `d` apart. Continues at `to` after the last.
        NextCall { d: Slot, to: u32 },
        /// Makes a continuation of the tool that the code belongs to.
        Continue { d: Slot, a: Slot, tool: u16 },
        /// Writes `a` and `b` to the trace. The value is `b`.
        Trace { d: Slot, a: Slot, b: Slot },
        /// Faults: nothing binds a variable.
        Unbound { name: NameId },
    }
}

#[expect(clippy::single_component_path_imports, reason = "other modules name it by this path")]
pub(crate) use left_to_complete;

const _: () = assert!(size_of::<Op>() == 8, "an operation is eight bytes");
