//! The fast loop. An operation is done here completely or not begun: whatever needs more than a
//! few instructions (no room, no fuel, a limit near, big numbers, a wrong type) leaves the loop
//! with the registers as they were, and `brief` or `slow` does it. So the loop stays small enough for
//! its registers to stay in registers. For the same reason it calls nothing and has no loop inside:
//! what compiles the component keeps few registers over a call, and looks at the fuel in a loop.
//!
//! Slots are read through a window that neither a `u8` nor a few slots after it can miss. Only `pc`,
//! the fuel and the window are local: what calls alone change stays in the state, so that all that
//! is local fits into the registers of the processor.

use super::operate;
use super::state::{State, WINDOW, to_u32};
use crate::code::{Image, Op};
use crate::form::Form;
use crate::heap::Frame;
use crate::value::{
    CLOSURE, CONS, FALSE, HOLE, KIND_CLOSURE, KIND_PARTIAL, NIL, PAIR, PARTIAL, TRUE, Word, aux,
    header, index, is_function, is_list, plus, pointer, size, small, tag,
};
use std::hint::cold_path;

#[inline(always)]
#[expect(clippy::expect_used, reason = "the slice is a window long")]
#[expect(clippy::indexing_slicing, reason = "the stack keeps room for a window")]
fn window(stack: &mut [Word], base: usize) -> &mut [Word; WINDOW] {
    (&mut stack[base..base + WINDOW]).try_into().expect("a window")
}

/// Runs from the registers in `s` as far as it is simple.
#[expect(clippy::too_many_lines, clippy::cognitive_complexity, reason = "a dispatch table")]
#[expect(unused_assignments, reason = "some operations set anew where the next one is")]
#[expect(clippy::indexing_slicing, reason = "a miss is a defect of the compiler")]
#[inline(never)]
pub(super) fn run(image: &Image, s: &mut State) {
    let State { heap, stack, frames, constants, meter, base, closure, depth, top, .. } = s;
    let (ops, entries) = (&image.ops[..], &image.entries[..]);
    let (mut pc, mut fuel) = (s.pc, meter.fuel);
    let mut fr = window(stack, *base);

    macro_rules! get {
        ($slot:expr) => {
            fr[$slot as usize]
        };
        ($slot:expr, $next:literal) => {
            fr[$slot as usize + $next]
        };
    }
    macro_rules! set {
        ($slot:expr, $word:expr) => {
            fr[$slot as usize] = $word
        };
        ($slot:expr, $next:literal, $word:expr) => {
            fr[$slot as usize + $next] = $word
        };
    }
    let mut at: usize;
    /// Leaves the operation to `slow`.
    macro_rules! slow {
        () => {
            break
        };
    }
    /// What is left of the fuel after `cost`; commit it with the operation.
    macro_rules! after {
        ($cost:expr) => {{
            let left = fuel - i64::from($cost);
            if left < 0 {
                slow!();
            }
            left
        }};
    }
    /// A new object of these words, in slot `$d`.
    macro_rules! object {
        ($d:expr, $words:expr, $tag:expr) => {
            object!($d, 0, $words, $tag)
        };
        ($d:expr, $next:literal, $words:expr, $tag:expr) => {{
            let (next, words) = (heap.top, $words);
            let Some(place) = heap.words.get_mut(next..next + words.len()) else { slow!() };
            place.copy_from_slice(&words);
            heap.top = next + words.len();
            set!($d, $next, pointer(next, $tag));
        }};
    }
    /// The first or second word of a cell.
    macro_rules! half {
        ($a:expr, $tag:expr, $i:expr) => {{
            let x = get!($a);
            if tag(x) != $tag {
                slow!();
            }
            heap.words[index(x) + $i]
        }};
    }
    /// The integers in two slots, twice as large.
    macro_rules! integers {
        ($a:expr, $b:expr) => {{
            let (x, y) = (get!($a), get!($b));
            if (x | y) & 1 != 0 {
                slow!();
            }
            (x.cast_signed(), y.cast_signed())
        }};
    }
    /// The integer in a slot, twice as large.
    macro_rules! integer {
        ($a:expr) => {
            integers!($a, $a).0
        };
    }
    /// Copies `$n` words from `$from` on to the beginning of the window. A loop would be looked
    /// into by the sandbox at each turn, so it is always four words; what is too much is not used.
    macro_rules! copy {
        ($n:expr, 0) => {};
        ($n:expr, $from:expr) => {{
            if $n > 4 {
                slow!();
            }
            let (first, second) = (get!($from), get!($from, 1));
            let (third, fourth) = (get!($from, 2), get!($from, 3));
            set!(0, first);
            set!(1, second);
            set!(2, third);
            set!(3, fourth);
        }};
    }
    /// The fuel for arguments that a function has been given already.
    macro_rules! refund {
        ($entry:expr, 0) => {
            0
        };
        ($entry:expr, $fed:expr) => {
            match $fed {
                0 => 0,
                n @ 1..=3 => i64::from($entry.merged[usize::from(n) - 1]),
                _ => slow!(),
            }
        };
    }
    /// The function `$f` ready to be entered with the `$n` arguments from `$from` on, which go to
    /// the beginning of the window: its closure, its code, and what is left of the fuel. Of the
    /// arguments the first `$fed` have been paid for.
    macro_rules! enter {
        ($f:expr, $n:expr, $from:tt, $left:expr, $fed:tt) => {
            if tag($f) == CLOSURE {
                let entry = entries[aux(heap.words[index($f)]) as usize];
                if entry.arity != $n {
                    slow!();
                }
                let left = $left + refund!(entry, $fed);
                copy!($n, $from);
                (to_u32(index($f)), entry.pc as usize, left)
            } else {
                // A partial application that waits for the last of two arguments.
                let at = index($f);
                if tag($f) != PARTIAL || $n != 1 || size(heap.words[at]) != 3 {
                    slow!();
                }
                let closure = heap.words[at + 1];
                let entry = entries[aux(heap.words[index(closure)]) as usize];
                if entry.arity != 2 {
                    slow!();
                }
                set!(1, get!($from));
                set!(0, heap.words[at + 2]);
                (to_u32(index(closure)), entry.pc as usize, $left + i64::from(entry.merged[0]))
            }
        };
    }
    /// Enters a function with a window at `$b`, if there is room: `$enter` gives its closure, its
    /// code and the fuel left.
    macro_rules! call {
        ($deeper:expr, $b:expr, $enter:expr) => {{
            let (from, to) = (*base, *base + usize::from($b));
            let below = *depth + u32::from($deeper);
            let Some(frame) = frames.get_mut(*top) else { slow!() };
            let Some(window) = stack.get_mut(to..).and_then(|rest| rest.first_chunk_mut()) else {
                slow!()
            };
            if meter.is_near(below) {
                slow!();
            }
            fr = window;
            let (entered, code, left) = $enter;
            *frame = Frame { pc: to_u32(pc), base: to_u32(from), closure: *closure, depth: *depth };
            (*top, *base, *depth, *closure) = (*top + 1, to, below, entered);
            (fuel, pc) = (left, code);
        }};
    }
    /// What a function gives that only adds a literal to its argument, and the fuel left then, which
    /// is negative if it has to be entered.
    macro_rules! added {
        ($deeper:expr, $b:expr, $f:expr, $n:expr, $left:expr) => {{
            let mut added = (HOLE, -1);
            if tag($f) == CLOSURE {
                let entry = entries[aux(heap.words[index($f)]) as usize];
                if entry.adds_to == $n
                    && !meter.is_near(*depth + u32::from($deeper))
                    && let Some(sum) = plus(get!($b), small(i64::from(entry.added)))
                {
                    added = (sum, $left - i64::from(entry.cost));
                }
            }
            added
        }};
    }
    macro_rules! call_or_add {
        ($deeper:expr, $b:expr, $f:expr, $n:expr, $cost:expr) => {{
            let (left, f) = (after!($cost), $f);
            let (sum, remaining) = added!($deeper, $b, f, $n, left);
            if remaining >= 0 {
                set!($b, sum);
                fuel = remaining;
            } else {
                call!($deeper, $b, enter!(f, $n, 0, left, 0));
            }
        }};
    }
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
    /// Goes on elsewhere. As a branch, which is foreseen: chosen without one, `pc` would wait for
    /// the values compared.
    macro_rules! go {
        ($to:expr) => {{
            cold_path();
            pc = $to as usize;
        }};
    }
    macro_rules! jump_unless {
        ($condition:expr, $to:expr) => {
            if !$condition {
                go!($to);
            }
        };
    }
    macro_rules! cons {
        ($d:expr, $a:expr, $b:expr) => {{
            if !is_list(get!($b)) {
                slow!();
            }
            object!($d, [get!($a), get!($b)], CONS);
        }};
    }
    macro_rules! cons_next {
        ($d:expr, $a:expr, $b:expr, $cost:expr, $back:expr) => {{
            let left = after!($cost);
            cons!($d, $a, $b);
            fuel = left;
            pc += 1;
            take!($d, 2, at - usize::from($back));
        }};
    }
    /// The sum of two words, if it is one.
    macro_rules! plus {
        ($x:expr, $y:expr) => {{
            let Some(sum) = plus($x, $y) else { slow!() };
            sum
        }};
    }
    macro_rules! sum {
        ($a:expr, $b:expr) => {{
            let (x, y) = (get!($a), get!($b));
            plus!(x, y)
        }};
    }
    macro_rules! binary {
        ($form:expr, $d:expr, $a:expr, $b:expr, $cost:expr) => {{
            let left = after!($cost);
            let (x, y) = integers!($a, $b);
            let Some(value) = operate::small($form, x >> 1, y >> 1) else { slow!() };
            set!($d, value);
            fuel = left;
        }};
    }
    macro_rules! fold_next {
        ($d:expr, $cost:expr, $body:expr) => {{
            fuel = after!($cost);
            set!($d, get!($d, 3));
            take!($d, 2, $body);
        }};
    }
    /// Takes the next element of the list after `$d`, if there is one, and goes on at `$body`.
    macro_rules! take {
        ($d:expr, $to:literal, $body:expr) => {{
            let list = get!($d, 1);
            if list != NIL {
                let [element, rest] = heap.next(list);
                set!($d, $to, element);
                set!($d, 1, rest);
                pc = $body as usize;
            }
        }};
    }
    /// Does the operation that follows, if it is this one.
    macro_rules! then {
        ($op:pat => $does:expr) => {
            if let $op = ops[pc] {
                at = pc;
                pc += 1;
                $does;
            }
        };
    }
    /// Does the `FoldNext` that follows.
    macro_rules! next {
        () => {
            then!(Op::FoldNext { d, cost, body } => fold_next!(d, cost, body))
        };
    }
    macro_rules! tail_pair_add {
        ($b:expr, $a:expr, $c:expr, $cost:expr, $back:expr) => {{
            let left = after!($cost);
            let sum = sum!($a, $c);
            set!(0, get!($b));
            set!(1, sum);
            fuel = left;
            pc = at - usize::from($back);
        }};
    }
    /// Does the `TailSelfPairAdd` that follows.
    macro_rules! add_tail {
        ($d:expr, $a:expr, $n:expr) => {{
            set!($d, plus!(get!($a), small(i64::from($n))));
            then!(Op::TailSelfPairAdd { base: b, a, b: c, cost, back } => {
                tail_pair_add!(b, a, c, cost, back)
            });
        }};
    }
    macro_rules! mul {
        ($d:expr, $a:expr, $b:expr) => {{
            let (x, y) = integers!($a, $b);
            if !operate::is_short_product(x >> 1, y >> 1) {
                slow!();
            }
            set!($d, (x >> 1).wrapping_mul(y).cast_unsigned());
        }};
    }
    macro_rules! call_self_add {
        ($b:expr, $a:expr, $n:expr, $deeper:expr, $cost:expr, $back:expr) => {{
            let left = after!($cost);
            set!($b, plus!(get!($a), small(i64::from($n))));
            call!($deeper, $b, (*closure, at - usize::from($back), left));
        }};
    }
    /// Goes on at the `CallSelfAdd` that an operation leads to, and does it.
    macro_rules! go_call {
        ($to:expr) => {{
            pc = $to as usize;
            then!(Op::CallSelfAdd { base: b, a, n, depth: deeper, cost, back } => {
                call_self_add!(b, a, n, deeper, cost, back)
            });
        }};
    }
    /// Leaves the function with a value.
    macro_rules! give_back {
        ($value:expr, $cost:expr) => {{
            let left = after!($cost);
            set!(0, $value);
            fuel = left;
            leave!();
        }};
    }
    /// Does the `Return` that follows.
    macro_rules! then_give_back {
        () => {
            then!(Op::Return { a, cost } => give_back!(get!(a), cost))
        };
    }
    /// Does the `Return` or `IntegerReturn` that follows, or goes where the operation leads to.
    macro_rules! less_or_give_back {
        ($a:expr, $n:expr, $go:expr) => {
            if integer!($a) >= i64::from($n) << 1 {
                $go
            } else {
                if let Op::IntegerReturn { d, n } = ops[pc] {
                    set!(d, small(i64::from(n)));
                    pc += 1;
                }
                then_give_back!();
            }
        };
    }
    macro_rules! step {
        () => {
            at = pc;
            // Not copied, or all its fields would be loaded, whatever it is.
            let op = &ops[pc];
            pc += 1;
            match *op {
                Op::Pay { cost } => fuel = after!(cost),
                Op::PayNext { cost } => {
                    fuel = after!(cost);
                    next!();
                }
                Op::Move { d, a } => set!(d, get!(a)),
                Op::Integer { d, n } => set!(d, small(i64::from(n))),
                Op::Constant { d, k } => set!(d, constants[k as usize]),
                Op::Capture { d, i } => set!(d, heap.words[*closure as usize + 1 + usize::from(i)]),
                Op::Add { d, a, b } => set!(d, sum!(a, b)),
                Op::AddNext { d, a, b, cost, back } => {
                    let left = after!(cost);
                    set!(d, sum!(a, b));
                    fuel = left;
                    pc += 1;
                    take!(d, 2, at - usize::from(back));
                }
                Op::Sub { d, a, b } => {
                    let (x, y) = (get!(a), get!(b));
                    let z = x.wrapping_sub(y);
                    // As in `plus`.
                    if (((x ^ y) & (x ^ z)).rotate_left(1) | x | y) & 1 != 0 {
                        slow!();
                    }
                    set!(d, z);
                }
                Op::Mul { d, a, b } => mul!(d, a, b),
                Op::IntegerMul { d, n } => {
                    set!(d, small(i64::from(n)));
                    then!(Op::Mul { d, a, b } => mul!(d, a, b));
                }
                Op::IntegerReturn { d, n } => {
                    set!(d, small(i64::from(n)));
                    then_give_back!();
                }
                Op::AddCons { d, a, b } => {
                    set!(d, sum!(a, b));
                    then!(Op::ConsNext { d, a, b, cost, back } => cons_next!(d, a, b, cost, back));
                }
                Op::AddLiteral { d, a, n } => set!(d, plus!(get!(a), small(i64::from(n)))),
                Op::AddLiteralTail { d, a, n } => add_tail!(d, a, n),
                Op::Binary { form, d, a, b, cost } => binary!(form, d, a, b, cost),
                Op::BinaryNext { form, d, a, b, cost } => {
                    binary!(form, d, a, b, cost);
                    next!();
                }
                Op::Concat { d, a, b, cost } => {
                    let left = after!(cost);
                    let Some(joined) = operate::join(heap, get!(a), get!(b)) else { slow!() };
                    set!(d, joined);
                    fuel = left;
                }
                Op::Unary { form, d, a, cost } => {
                    let left = after!(cost);
                    let x = get!(a);
                    if form != Form::IsEmpty || !is_list(x) {
                        slow!();
                    }
                    set!(d, if x == NIL { TRUE } else { FALSE });
                    fuel = left;
                }
                Op::Cons { d, a, b } => cons!(d, a, b),
                Op::ConsNext { d, a, b, cost, back } => cons_next!(d, a, b, cost, back),
                Op::Pair { d, a, b } => object!(d, [get!(a), get!(b)], PAIR),
                Op::CloseOver { d, a, code } => {
                    object!(d, [header(KIND_CLOSURE, 2, code), get!(a)], CLOSURE);
                }
                Op::Push { d, a } => object!(d, [get!(a), get!(d)], CONS),
                Op::First { d, a } => set!(d, half!(a, PAIR, 0)),
                Op::Second { d, a } => set!(d, half!(a, PAIR, 1)),
                Op::Head { d, a } => set!(d, half!(a, CONS, 0)),
                Op::Tail { d, a } => {
                    let list = get!(a);
                    if tag(list) != CONS {
                        slow!();
                    }
                    set!(d, heap.next(list)[1]);
                }
                Op::Not { d, a } => match get!(a) {
                    TRUE => set!(d, FALSE),
                    FALSE => set!(d, TRUE),
                    _ => slow!(),
                },
                Op::Jump { to, cost } => {
                    fuel = after!(cost);
                    pc = to as usize;
                }
                Op::JumpNext { to, cost } => {
                    fuel = after!(cost);
                    pc = to as usize;
                    next!();
                }
                Op::JumpFalse { a, to, .. } => match get!(a) {
                    TRUE => {}
                    FALSE => go!(to),
                    _ => slow!(),
                },
                Op::JumpTrue { a, to, .. } => match get!(a) {
                    TRUE => go!(to),
                    FALSE => {}
                    _ => slow!(),
                },
                Op::Boolean { a, .. } => {
                    if !matches!(get!(a), TRUE | FALSE) {
                        slow!();
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
                Op::LessLiteralReturn { a, n, to } => less_or_give_back!(a, n, pc = to as usize),
                Op::LessLiteralReturnCall { a, n, to } => less_or_give_back!(a, n, go_call!(to)),
                Op::JumpNotEqualLiteral { a, n, to } => {
                    jump_unless!(integer!(a) == i64::from(n) << 1, to);
                }
                Op::JumpNotEmpty { a, to } => {
                    let x = get!(a);
                    if !is_list(x) {
                        slow!();
                    }
                    jump_unless!(x == NIL, to);
                }
                Op::Call { f, base: b, n, depth: deeper, cost } => {
                    call_or_add!(deeper, b, get!(f), n, cost);
                }
                Op::CallCaptured { i, base: b, n, depth: deeper, cost } => {
                    let f = heap.words[*closure as usize + 1 + usize::from(i)];
                    call_or_add!(deeper, b, f, n, cost);
                }
                Op::TailCall { f, base: b, n, cost } => {
                    let left = after!(cost);
                    let f = get!(f);
                    let (sum, remaining) = added!(0_u8, b, f, n, left);
                    let waits = tag(f) == CLOSURE
                        && entries[aux(heap.words[index(f)]) as usize].arity > n
                        && n == 1;
                    if remaining >= 0 {
                        set!(0, sum);
                        fuel = remaining;
                        leave!();
                    } else if waits {
                        let entry = entries[aux(heap.words[index(f)]) as usize];
                        let left = after!(i64::from(cost) + i64::from(entry.merged[0]));
                        object!(0, [header(KIND_PARTIAL, 3, 0), f, get!(b)], PARTIAL);
                        fuel = left;
                        leave!();
                    } else {
                        (*closure, pc, fuel) = enter!(f, n, b, left, 0);
                    }
                }
                Op::Feed { f, base: b, n: 1, depth: deeper, cost, .. } => {
                    let left = after!(cost);
                    let f = get!(f);
                    let entry = if tag(f) == CLOSURE {
                        entries[aux(heap.words[index(f)]) as usize]
                    } else {
                        slow!()
                    };
                    if entry.arity > 1 {
                        // It waits; what would take its value is skipped.
                        fuel = after!(i64::from(cost) + i64::from(entry.merged[0]));
                        pc += 1;
                    } else {
                        call!(deeper, b, enter!(f, 1, 0, left, 0));
                    }
                }
                Op::Fed { f, base: b, n: 1 } => {
                    set!(f, get!(b));
                    set!(b, HOLE);
                }
                Op::CallFed { f, base: b, n, given, depth: deeper, cost } => {
                    let left = after!(cost);
                    let f = get!(f);
                    let (holes, fed) = if get!(b) == HOLE { (given, 0) } else { (0, given) };
                    call!(deeper, b, enter!(f, n - holes, holes, left, fed));
                }
                Op::TailCallFed { f, base: b, n, given, cost } => {
                    let left = after!(cost);
                    let f = get!(f);
                    let (holes, fed) = if get!(b) == HOLE { (given, 0) } else { (0, given) };
                    let from = b + holes;
                    (*closure, pc, fuel) = enter!(f, n - holes, from, left, fed);
                }
                Op::CallSelf { base: b, depth: deeper, cost, back }
                | Op::CallSelfPair { base: b, depth: deeper, cost, back } => {
                    let left = after!(cost);
                    call!(deeper, b, (*closure, at - usize::from(back), left));
                }
                Op::CallSelfAdd { base: b, a, n, depth: deeper, cost, back } => {
                    call_self_add!(b, a, n, deeper, cost, back);
                    // What a function that calls itself twice begins with.
                    then!(Op::LessLiteralReturnCall { a, n, to } => {
                        less_or_give_back!(a, n, go_call!(to))
                    });
                }
                Op::TailSelf { base: b, cost, back } => {
                    fuel = after!(cost);
                    set!(0, get!(b));
                    pc = at - usize::from(back);
                }
                Op::TailSelfPair { base: b, cost, back } => {
                    fuel = after!(cost);
                    let (x, y) = (get!(b), get!(b, 1));
                    set!(0, x);
                    set!(1, y);
                    pc = at - usize::from(back);
                }
                Op::TailSelfPairAdd { base: b, a, b: c, cost, back } => {
                    tail_pair_add!(b, a, c, cost, back);
                }
                Op::Spread { to } => {
                    let x = get!(0);
                    if tag(x) == PAIR {
                        let [first, second] = heap.cell(index(x));
                        set!(0, first);
                        set!(1, second);
                        pc = to as usize;
                    }
                }
                Op::Return { a, cost } => give_back!(get!(a), cost),
                Op::AddReturn { a, b, cost } => give_back!(sum!(a, b), cost),
                Op::AddLiteralReturn { a, cost, n } => {
                    give_back!(plus!(get!(a), small(i64::from(n))), cost);
                }
                Op::FoldFunction { f, d } => {
                    if !is_list(get!(d, 1)) || !is_function(get!(f)) {
                        slow!();
                    }
                }
                Op::FoldBegin { d, cost, exit } => {
                    let left = after!(cost);
                    let list = get!(d, 1);
                    if tag(list) == CONS {
                        let [item, rest] = heap.next(list);
                        set!(d, 2, item);
                        set!(d, 1, rest);
                    } else if list == NIL {
                        pc = exit as usize;
                    } else {
                        slow!();
                    }
                    fuel = left;
                }
                Op::FoldNext { d, cost, body } => fold_next!(d, cost, body),
                Op::EachPush { d, cost, body } => {
                    let left = after!(cost);
                    object!(d, 3, [get!(d, 5), get!(d, 3)], CONS);
                    fuel = left;
                    take!(d, 4, body);
                }
                Op::EachSelect { d, cost, body } => {
                    let left = after!(cost);
                    match get!(d, 5) {
                        TRUE => object!(d, 3, [get!(d, 4), get!(d, 3)], CONS),
                        FALSE => {}
                        _ => slow!(),
                    }
                    fuel = left;
                    take!(d, 4, body);
                }
                Op::UnequalLiteralCall { a, n, to } => {
                    if integer!(a) != i64::from(n) << 1 {
                        go_call!(to);
                    }
                }
                Op::UnequalLiteralTail { a, n, to } => {
                    if integer!(a) != i64::from(n) << 1 {
                        pc = to as usize;
                        then!(Op::AddLiteralTail { d, a, n } => add_tail!(d, a, n));
                    }
                }
                _ => slow!(),
            }
        };
    }
    // Several steps a turn: a sandbox looks at its clock and its fuel at every turn of a loop.
    loop {
        step!();
        step!();
    }
    meter.fuel = fuel;
    s.pc = at;
}
