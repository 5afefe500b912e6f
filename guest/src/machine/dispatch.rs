//! The dispatch loop: one `match` over the operations, with the program counter, the fuel and the
//! window in locals. It does an operation completely, or it does not begin it.
//!
//! **How to leave.** `break` leaves the loop with the registers as they were before the operation,
//! and `drive` passes the operation to `complete`. An arm breaks where an operation takes more than
//! a few instructions: no room on the heap, no fuel, a limit near, a big integer, a wrong type. So
//! each arm tests first, and changes registers, slots and the heap only when nothing can fail any
//! more.
//!
//! **Macros that may break**: `after` (not enough fuel), `object` (no room), `half` and `of_two` (another type),
//! `integer`, `integers` and `sum` (no small integers), `copy` (more than four arguments),
//! `enter` and `call` (not a closure with exactly these arguments, no room for a frame,
//! the depth limit near), `give_back` (not enough fuel). The others never break: `get`, `set`,
//! `leave`, `go`, `jump_unless`, `take`.
//!
//! **Why macros, and why no calls.** The component's compiler keeps few registers across a call,
//! and checks the fuel at every turn of a loop. So the arms call only inlined functions and contain
//! no loop. For the same reason only `pc`, the fuel and the window are locals. Registers that only
//! calls change stay in the state, so that the locals fit in the processor's registers.
//!
//! Slots are read through a window that holds every `u8` and a few slots after it.

use crate::code::slots::{each, fold};
use crate::code::{Image, Op, Slot, left_to_complete};
use crate::machine::operate;
use crate::memory::heap::Frame;
use crate::memory::rope;
use crate::memory::types::is_true;
use crate::memory::word::{
    CLOSURE, CONS, FALSE, KIND_CLOSURE, KIND_PARTIAL, NIL, PAIR, PARTIAL, TRUE, UNIT, Word, aux,
    header, index, is_function, is_list, left_in_run, plus, pointer, size, small, tag,
};
use crate::run::state::{State, WINDOW};
use pif_core::limits::to_u32;
use pif_language::form::Form;
use std::hint::cold_path;

/// Folds and forms that apply a function to each element keep the rest of the list in the slot with
/// this number.
const LIST: Slot = {
    assert!(each::LIST == fold::LIST, "both take their elements alike");
    fold::LIST
};

#[inline(always)]
#[expect(clippy::expect_used, reason = "the slice is a window long")]
#[expect(clippy::indexing_slicing, reason = "the stack keeps room for a window")]
fn window(stack: &mut [Word], base: usize) -> &mut [Word; WINDOW] {
    (&mut stack[base..base + WINDOW]).try_into().expect("a window")
}

/// Runs from the registers in `s` up to an operation that is not simple or has no arm.
#[expect(clippy::too_many_lines, clippy::cognitive_complexity, reason = "a dispatch table")]
#[expect(clippy::indexing_slicing, reason = "a miss is a defect of the compiler")]
#[inline(never)]
pub(super) fn run(image: &Image, s: &mut State) {
    let State { heap, stack, frames, constants, meter, base, closure, depth, top, .. } = s;
    let (ops, entries) = (&image.ops[..], &image.entries[..]);
    let (mut pc, mut fuel) = (s.pc, meter.fuel);
    let mut fr = window(stack, *base);

    /// Reads a slot, or the one `$next` after it.
    macro_rules! get {
        ($slot:expr) => {
            fr[$slot as usize]
        };
        ($slot:expr, $next:expr) => {
            fr[$slot as usize + $next as usize]
        };
    }
    /// Writes a slot, or the one `$next` after it.
    macro_rules! set {
        ($slot:expr, $word:expr) => {
            fr[$slot as usize] = $word
        };
        ($slot:expr, $next:expr, $word:expr) => {
            fr[$slot as usize + $next as usize] = $word
        };
    }
    // The operation that the loop does or leaves.
    let mut at: usize;
    /// Returns the fuel left after `cost`. Commit it with the operation.
    macro_rules! after {
        ($cost:expr) => {{
            let left = fuel - i64::from($cost);
            if left < 0 {
                break;
            }
            left
        }};
    }
    /// Makes an object of these words in slot `$d`.
    macro_rules! object {
        ($d:expr, $words:expr, $tag:expr) => {
            object!($d, 0, $words, $tag)
        };
        ($d:expr, $next:expr, $words:expr, $tag:expr) => {{
            let (next, words) = (heap.top, $words);
            let Some(place) = heap.words.get_mut(next..next + words.len()) else { break };
            place.copy_from_slice(&words);
            heap.top = next + words.len();
            set!($d, $next, pointer(next, $tag));
        }};
    }
    /// Returns the first or second word of a cell.
    macro_rules! half {
        ($a:expr, $tag:expr, $i:expr) => {{
            let x = get!($a);
            if tag(x) != $tag {
                break;
            }
            heap.words[index(x) + $i]
        }};
    }
    /// Returns a half of a pair, or an element of a list of two cells.
    macro_rules! of_two {
        ($a:expr, $i:expr) => {{
            let x = get!($a);
            if tag(x) == PAIR {
                heap.words[index(x) + $i]
            } else {
                if tag(x) != CONS || left_in_run(x) > 0 {
                    break;
                }
                let second = heap.words[index(x) + 1];
                if tag(second) != CONS || left_in_run(second) > 0 {
                    break;
                }
                if heap.words[index(second) + 1] != NIL {
                    break;
                }
                heap.words[index(if $i == 0 { x } else { second })]
            }
        }};
    }
    /// Returns the integers in two slots, doubled.
    macro_rules! integers {
        ($a:expr, $b:expr) => {{
            let (x, y) = (get!($a), get!($b));
            if (x | y) & 1 != 0 {
                break;
            }
            (x.cast_signed(), y.cast_signed())
        }};
    }
    /// Returns the integer in a slot, doubled.
    macro_rules! integer {
        ($a:expr) => {
            integers!($a, $a).0
        };
    }
    /// Copies `$n` words from `$from` on to the beginning of the window. The sandbox checks its
    /// fuel at each turn of a loop, so this always copies four words. Excess words are unused.
    macro_rules! copy {
        ($n:expr, 0) => {};
        ($n:expr, $from:expr) => {{
            if $n > 4 {
                break;
            }
            let (first, second) = (get!($from), get!($from, 1));
            let (third, fourth) = (get!($from, 2), get!($from, 3));
            set!(0, first);
            set!(1, second);
            set!(2, third);
            set!(3, fourth);
        }};
    }
    /// Prepares to enter the function `$f` with the `$n` arguments from `$from` on, which go to the
    /// beginning of the window. Returns its closure and its code.
    macro_rules! enter {
        ($f:expr, $n:expr, $from:tt) => {
            if tag($f) == CLOSURE {
                let entry = entries[aux(heap.words[index($f)]) as usize];
                if entry.arity != $n {
                    break;
                }
                copy!($n, $from);
                (to_u32(index($f)), entry.pc as usize)
            } else {
                // The function is a partial application that waits for the last of two arguments.
                let at = index($f);
                if tag($f) != PARTIAL || $n != 1 || size(heap.words[at]) != 3 {
                    break;
                }
                let closure = heap.words[at + 1];
                let entry = entries[aux(heap.words[index(closure)]) as usize];
                if entry.arity != 2 {
                    break;
                }
                set!(1, get!($from));
                set!(0, heap.words[at + 2]);
                (to_u32(index(closure)), entry.pc as usize)
            }
        };
    }
    /// Enters a function with a window at `$b`, if there is room. `$enter` returns its closure and its
    /// code. Then `$left` fuel is left.
    macro_rules! call {
        ($deeper:expr, $b:expr, $left:expr, $enter:expr) => {{
            let (from, to) = (*base, *base + usize::from($b));
            let below = *depth + u32::from($deeper);
            let Some(frame) = frames.get_mut(*top) else { break };
            let Some(window) = stack.get_mut(to..).and_then(|rest| rest.first_chunk_mut()) else {
                break;
            };
            if meter.is_near(below) {
                break;
            }
            fr = window;
            let (entered, code) = $enter;
            *frame = Frame { pc: to_u32(pc), base: to_u32(from), closure: *closure, depth: *depth };
            (*top, *base, *depth, *closure) = (*top + 1, to, below, entered);
            (fuel, pc) = ($left, code);
        }};
    }
    /// Continues in the frame below.
    macro_rules! leave {
        () => {{
            *top -= 1;
            let frame = frames[*top];
            pc = frame.pc as usize;
            (*base, *depth) = (frame.base as usize, frame.depth);
            *closure = frame.closure;
            fr = window(stack, *base);
        }};
    }
    /// Continues at another place. This is a branch, which is predicted. Without one, `pc` would
    /// wait for the compared values.
    macro_rules! go {
        ($to:expr) => {{
            cold_path();
            pc = $to as usize;
        }};
    }
    /// Continues at another place unless a condition holds.
    macro_rules! jump_unless {
        ($condition:expr, $to:expr) => {
            if !$condition {
                go!($to);
            }
        };
    }
    /// Returns the sum of two words.
    macro_rules! sum {
        ($x:expr, $y:expr) => {{
            let Some(sum) = plus($x, $y) else { break };
            sum
        }};
    }
    /// Takes the next element of the list after `$d`, if there is one, and continues at `$body`.
    macro_rules! take {
        ($d:expr, $to:expr, $body:expr) => {{
            let list = get!($d, LIST);
            if list != NIL {
                let [element, rest] = heap.next(list);
                set!($d, $to, element);
                set!($d, LIST, rest);
                pc = $body as usize;
            }
        }};
    }
    /// Returns a value from the function.
    macro_rules! give_back {
        ($value:expr, $cost:expr) => {{
            let left = after!($cost);
            set!(0, $value);
            fuel = left;
            leave!();
        }};
    }
    /// Does one operation.
    macro_rules! step {
        () => {
            at = pc;
            // A reference, since a copy would load all its fields.
            let op = &ops[pc];
            pc += 1;
            match *op {
                Op::Pay { cost } => fuel = after!(cost),
                Op::Move { d, a } => set!(d, get!(a)),
                Op::Integer { d, n } => set!(d, small(i64::from(n))),
                Op::Constant { d, k } => set!(d, constants[k as usize]),
                Op::Capture { d, i } => set!(d, heap.words[*closure as usize + 1 + usize::from(i)]),
                Op::Add { d, a, b } => set!(d, sum!(get!(a), get!(b))),
                Op::Sub { d, a, b } => {
                    let (x, y) = (get!(a), get!(b));
                    let z = x.wrapping_sub(y);
                    // As in `plus`.
                    if (((x ^ y) & (x ^ z)).rotate_left(1) | x | y) & 1 != 0 {
                        break;
                    }
                    set!(d, z);
                }
                Op::Mul { d, a, b } => {
                    let (x, y) = integers!(a, b);
                    if !operate::is_short_product(x >> 1, y >> 1) {
                        break;
                    }
                    set!(d, (x >> 1).wrapping_mul(y).cast_unsigned());
                }
                Op::AddLiteral { d, a, n } => set!(d, sum!(get!(a), small(i64::from(n)))),
                Op::Binary { form, d, a, b, cost } => {
                    let left = after!(cost);
                    let (x, y) = integers!(a, b);
                    let Some(value) = operate::small(form, x >> 1, y >> 1) else { break };
                    set!(d, value);
                    fuel = left;
                }
                Op::Concat { d, a, b, cost } => {
                    let left = after!(cost);
                    let Some(joined) = rope::join(heap, get!(a), get!(b)) else { break };
                    set!(d, joined);
                    fuel = left;
                }
                Op::Unary { form, d, a, cost } => {
                    let left = after!(cost);
                    let x = get!(a);
                    if form != Form::IsEmpty || !is_list(x) {
                        break;
                    }
                    set!(d, if x == NIL { TRUE } else { FALSE });
                    fuel = left;
                }
                Op::Cons { d, a, b } => {
                    if !is_list(get!(b)) {
                        break;
                    }
                    object!(d, [get!(a), get!(b)], CONS);
                }
                Op::Pair { d, a, b } => object!(d, [get!(a), get!(b)], PAIR),
                Op::CloseOver { d, a, code } => {
                    object!(d, [header(KIND_CLOSURE, 2, code), get!(a)], CLOSURE);
                }
                Op::Push { d, a } => object!(d, [get!(a), get!(d)], CONS),
                Op::First { d, a } => set!(d, of_two!(a, 0)),
                Op::Second { d, a } => set!(d, of_two!(a, 1)),
                Op::Head { d, a } => set!(d, half!(a, CONS, 0)),
                Op::Tail { d, a } => {
                    let list = get!(a);
                    if tag(list) != CONS {
                        break;
                    }
                    set!(d, heap.next(list)[1]);
                }
                Op::Not { d, a } => match get!(a) {
                    TRUE => set!(d, FALSE),
                    FALSE => set!(d, TRUE),
                    _ => break,
                },
                Op::Truth { d, a } => set!(d, if is_true(heap, get!(a)) { TRUE } else { FALSE }),
                Op::JumpUntrue { a, to } => jump_unless!(is_true(heap, get!(a)), to),
                Op::JumpTruth { a, to } => jump_unless!(!is_true(heap, get!(a)), to),
                Op::Jump { to, cost } => {
                    fuel = after!(cost);
                    pc = to as usize;
                }
                Op::JumpFalse { a, to, .. } => match get!(a) {
                    TRUE => {}
                    FALSE => go!(to),
                    _ => break,
                },
                Op::JumpTrue { a, to, .. } => match get!(a) {
                    TRUE => go!(to),
                    FALSE => {}
                    _ => break,
                },
                Op::Boolean { a, .. } => {
                    if !matches!(get!(a), TRUE | FALSE) {
                        break;
                    }
                }
                Op::JumpNotLess { a, b, to, .. } => {
                    let (x, y) = integers!(a, b);
                    jump_unless!(x < y, to);
                }
                Op::JumpLess { a, b, to, .. } => {
                    let (x, y) = integers!(a, b);
                    jump_unless!(x >= y, to);
                }
                Op::JumpNotEqual { a, b, to } => {
                    let (x, y) = integers!(a, b);
                    jump_unless!(x == y, to);
                }
                Op::JumpNotLessLiteral { a, n, to } => {
                    jump_unless!(integer!(a) < i64::from(n) << 1, to);
                }
                Op::JumpLessLiteral { a, n, to } => {
                    jump_unless!(integer!(a) >= i64::from(n) << 1, to);
                }
                Op::JumpNotEqualLiteral { a, n, to } => {
                    jump_unless!(integer!(a) == i64::from(n) << 1, to);
                }
                Op::JumpNotEmpty { a, to } => {
                    let x = get!(a);
                    if !is_list(x) {
                        break;
                    }
                    jump_unless!(x == NIL, to);
                }
                Op::JumpNotNull { a, to } => jump_unless!(get!(a) == UNIT, to),
                Op::Call { f, base: b, n, depth: deeper, cost } => {
                    let (left, f) = (after!(cost), get!(f));
                    call!(deeper, b, left, enter!(f, n, 0));
                }
                Op::CallCaptured { i, base: b, n, depth: deeper, cost } => {
                    let f = heap.words[*closure as usize + 1 + usize::from(i)];
                    let left = after!(cost);
                    call!(deeper, b, left, enter!(f, n, 0));
                }
                Op::TailCall { f, base: b, n, cost } => {
                    let left = after!(cost);
                    let f = get!(f);
                    let waits = tag(f) == CLOSURE
                        && entries[aux(heap.words[index(f)]) as usize].arity > n
                        && n == 1;
                    if waits {
                        object!(0, [header(KIND_PARTIAL, 3, 0), f, get!(b)], PARTIAL);
                        fuel = left;
                        leave!();
                    } else {
                        (*closure, pc) = enter!(f, n, b);
                        fuel = left;
                    }
                }
                Op::CallSelf { base: b, depth: deeper, cost, back } => {
                    let left = after!(cost);
                    call!(deeper, b, left, (*closure, at - usize::from(back)));
                }
                Op::TailSelf { base: b, cost, back } => {
                    fuel = after!(cost);
                    set!(0, get!(b));
                    pc = at - usize::from(back);
                }
                Op::Return { a, cost } => give_back!(get!(a), cost),
                Op::AddReturn { a, b, cost } => give_back!(sum!(get!(a), get!(b)), cost),
                Op::AddLiteralReturn { a, cost, n } => {
                    give_back!(sum!(get!(a), small(i64::from(n))), cost);
                }
                Op::FoldFunction { f, d } => {
                    if !is_list(get!(d, LIST)) || !is_function(get!(f)) {
                        break;
                    }
                }
                Op::FoldBegin { d, cost, exit } => {
                    let left = after!(cost);
                    let list = get!(d, LIST);
                    if tag(list) == CONS {
                        let [item, rest] = heap.next(list);
                        set!(d, fold::ITEM, item);
                        set!(d, LIST, rest);
                    } else if list == NIL {
                        pc = exit as usize;
                    } else {
                        break;
                    }
                    fuel = left;
                }
                Op::FoldNext { d, cost, body } => {
                    fuel = after!(cost);
                    set!(d, get!(d, fold::NEXT));
                    take!(d, fold::ITEM, body);
                }
                Op::EachPush { d, cost, body } => {
                    let left = after!(cost);
                    object!(d, each::RESULT, [get!(d, each::GIVEN), get!(d, each::RESULT)], CONS);
                    fuel = left;
                    take!(d, each::ELEMENT, body);
                }
                Op::EachSelect { d, cost, body } => {
                    let left = after!(cost);
                    match get!(d, each::GIVEN) {
                        TRUE => object!(
                            d,
                            each::RESULT,
                            [get!(d, each::ELEMENT), get!(d, each::RESULT)],
                            CONS
                        ),
                        FALSE => {}
                        _ => break,
                    }
                    fuel = left;
                    take!(d, each::ELEMENT, body);
                }
                left_to_complete!() => break,
            }
        };
    }
    // Several steps a turn, since a sandbox checks its clock and its fuel at every turn of a loop.
    loop {
        step!();
        step!();
    }
    meter.fuel = fuel;
    s.pc = at;
}
