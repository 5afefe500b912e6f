//! The fast loop. An operation is done here completely or not begun: whatever needs more than a
//! few instructions (no room, no fuel, a limit near, big numbers, a wrong type) leaves the loop
//! with the registers as they were, and `slow` does it. So the loop stays small enough for its
//! registers to stay in registers.
//!
//! Slots are read through a window of 256 words, which a `u8` cannot miss.

use super::operate;
use super::slow;
use super::state::{Exit, State, WINDOW, closure_index, closure_word, to_u32};
use crate::code::{Image, Op};
use crate::form::Form;
use crate::heap::Frame;
use crate::value::{
    CLOSURE, CONS, FALSE, HOLE, NIL, PAIR, TRUE, Word, as_small, aux, index, is_function, is_list,
    pointer, small, tag,
};

/// Runs from the registers in `s` until something needs the machine.
pub(super) fn run(image: &Image, s: &mut State) -> Exit {
    loop {
        if fast(image, s) {
            return Exit::Value(s.at(s.base));
        }
        if let Err(exit) = slow::operation(image, s) {
            return exit;
        }
    }
}

#[inline(always)]
#[expect(clippy::expect_used, reason = "the slice is 256 long")]
#[expect(clippy::indexing_slicing, reason = "the stack keeps room for a window")]
fn window(stack: &mut [Word], base: usize) -> &mut [Word; WINDOW] {
    (&mut stack[base..base + WINDOW]).try_into().expect("a window")
}

/// Runs as far as it is simple; true at the end of the outermost evaluation.
#[expect(clippy::too_many_lines, clippy::cognitive_complexity, reason = "a dispatch table")]
#[expect(clippy::indexing_slicing, reason = "a miss is a defect of the compiler")]
fn fast(image: &Image, s: &mut State) -> bool {
    let State { heap, stack, frames, constants, meter, .. } = s;
    let (ops, entries) = (&image.ops[..], &image.entries[..]);
    let (mut pc, mut base, mut closure, mut depth) = (s.pc, s.base, s.closure, s.depth);
    let (mut top, mut fuel, soft) = (s.top, meter.fuel, meter.soft_depth());
    let mut fr = window(stack, base);

    macro_rules! get {
        ($slot:expr) => {
            fr[$slot as usize]
        };
    }
    macro_rules! set {
        ($slot:expr, $word:expr) => {
            fr[$slot as usize] = $word
        };
    }
    let (at, halted) = loop {
        let at = pc;
        let op = ops[pc];
        pc += 1;
        /// Leaves the operation to `slow`.
        macro_rules! slow {
            () => {
                break (at, false)
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
        macro_rules! two {
            ($d:expr, $a:expr, $b:expr, $tag:expr) => {{
                let next = heap.top;
                let Some(cell) = heap.words.get_mut(next..next + 2) else { slow!() };
                cell.copy_from_slice(&[get!($a), get!($b)]);
                heap.top = next + 2;
                set!($d, pointer(next, $tag));
            }};
        }
        /// Enters the code at `$pc` with a window at `$b`; `$left` is the fuel left.
        macro_rules! call {
            ($left:expr, $deeper:expr, $b:expr, $pc:expr, $closure:expr) => {{
                let (to, below) = (base + usize::from($b), depth + u32::from($deeper));
                let Some(frame) = frames.get_mut(top) else { slow!() };
                if below >= soft || to + WINDOW > stack.len() {
                    slow!();
                }
                *frame = Frame {
                    pc: to_u32(pc),
                    base: to_u32(base),
                    closure: closure_index(closure),
                    depth,
                };
                (top, fuel, depth) = (top + 1, $left, below);
                (base, pc, closure) = (to, $pc, $closure);
                fr = window(stack, base);
            }};
        }
        macro_rules! leave {
            () => {{
                top -= 1;
                let frame = frames[top];
                pc = frame.pc as usize;
                base = frame.base as usize;
                closure = closure_word(frame.closure);
                depth = frame.depth;
                fr = window(stack, base);
            }};
        }
        macro_rules! jump_unless {
            ($condition:expr, $to:expr) => {
                if !$condition {
                    pc = $to as usize;
                }
            };
        }
        match op {
            Op::Halt => break (at, true),
            Op::Pay { cost } => fuel = after!(cost),
            Op::Move { d, a } => set!(d, get!(a)),
            Op::Integer { d, n } => set!(d, small(i64::from(n))),
            Op::Constant { d, k } => set!(d, constants[k as usize]),
            Op::Capture { d, i } => set!(d, heap.words[index(closure) + 1 + usize::from(i)]),
            Op::Add { d, a, b } => {
                let (x, y) = (get!(a), get!(b));
                match x.cast_signed().checked_add(y.cast_signed()) {
                    Some(z) if (x | y) & 1 == 0 => set!(d, z.cast_unsigned()),
                    _ => slow!(),
                }
            }
            Op::Sub { d, a, b } => {
                let (x, y) = (get!(a), get!(b));
                match x.cast_signed().checked_sub(y.cast_signed()) {
                    Some(z) if (x | y) & 1 == 0 => set!(d, z.cast_unsigned()),
                    _ => slow!(),
                }
            }
            Op::Mul { d, a, b } => {
                let (x, y) = (get!(a), get!(b));
                match as_small(x).checked_mul(y.cast_signed()) {
                    Some(z) if (x | y) & 1 == 0 => set!(d, z.cast_unsigned()),
                    _ => slow!(),
                }
            }
            Op::AddLiteral { d, a, n } => {
                let x = get!(a);
                match x.cast_signed().checked_add(i64::from(n) << 1) {
                    Some(z) if x & 1 == 0 => set!(d, z.cast_unsigned()),
                    _ => slow!(),
                }
            }
            Op::Binary { form, d, a, b, cost } => {
                let left = after!(cost);
                let (x, y) = (get!(a), get!(b));
                let value = if (x | y) & 1 == 0 {
                    operate::small(form, as_small(x), as_small(y))
                } else if form == Form::Concat {
                    operate::join(heap, x, y)
                } else {
                    None
                };
                let Some(value) = value else { slow!() };
                set!(d, value);
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
            Op::Cons { d, a, b } => {
                if !is_list(get!(b)) {
                    slow!();
                }
                two!(d, a, b, CONS);
            }
            Op::Pair { d, a, b } => two!(d, a, b, PAIR),
            Op::Push { d, a } => two!(d, a, d, CONS),
            Op::First { d, a } => {
                let x = get!(a);
                if tag(x) != PAIR {
                    slow!();
                }
                set!(d, heap.words[index(x)]);
            }
            Op::Second { d, a } => {
                let x = get!(a);
                if tag(x) != PAIR {
                    slow!();
                }
                set!(d, heap.words[index(x) + 1]);
            }
            Op::Head { d, a } => {
                let x = get!(a);
                if tag(x) != CONS {
                    slow!();
                }
                set!(d, heap.words[index(x)]);
            }
            Op::Tail { d, a } => {
                let x = get!(a);
                if tag(x) != CONS {
                    slow!();
                }
                set!(d, heap.words[index(x) + 1]);
            }
            Op::Not { d, a } => match get!(a) {
                TRUE => set!(d, FALSE),
                FALSE => set!(d, TRUE),
                _ => slow!(),
            },
            Op::Reverse { d } => set!(d, heap.reverse(get!(d))),
            Op::Jump { to, cost } => {
                fuel = after!(cost);
                pc = to as usize;
            }
            Op::JumpFalse { a, to } => match get!(a) {
                TRUE => {}
                FALSE => pc = to as usize,
                _ => slow!(),
            },
            Op::JumpTrue { a, to } => match get!(a) {
                TRUE => pc = to as usize,
                FALSE => {}
                _ => slow!(),
            },
            Op::Boolean { a } => {
                if !matches!(get!(a), TRUE | FALSE) {
                    slow!();
                }
            }
            Op::JumpNotLess { a, b, to, .. } => {
                let (x, y) = (get!(a), get!(b));
                if (x | y) & 1 != 0 {
                    slow!();
                }
                jump_unless!(x.cast_signed() < y.cast_signed(), to);
            }
            Op::JumpNotEqual { a, b, to } => {
                let (x, y) = (get!(a), get!(b));
                if (x | y) & 1 != 0 {
                    slow!();
                }
                jump_unless!(x == y, to);
            }
            Op::JumpNotLessLiteral { a, n, to } => {
                let x = get!(a);
                if x & 1 != 0 {
                    slow!();
                }
                jump_unless!(x.cast_signed() < i64::from(n) << 1, to);
            }
            Op::JumpNotEqualLiteral { a, n, to } => {
                let x = get!(a);
                if x & 1 != 0 {
                    slow!();
                }
                jump_unless!(x.cast_signed() == i64::from(n) << 1, to);
            }
            Op::JumpNotEmpty { a, to } => {
                let x = get!(a);
                if !is_list(x) {
                    slow!();
                }
                jump_unless!(x == NIL, to);
            }
            Op::Close { d, code } => {
                let made = operate::close(heap, constants, image, code, fr, closure);
                let Some(made) = made else { slow!() };
                set!(d, made);
            }
            Op::Call { f, base: b, n, depth: deeper, cost } => {
                let left = after!(cost);
                let f = get!(f);
                if tag(f) != CLOSURE || get!(b) == HOLE {
                    slow!();
                }
                let entry = entries[aux(heap.words[index(f)]) as usize];
                if entry.arity != u32::from(n) {
                    slow!();
                }
                call!(left, deeper, b, entry.pc as usize, f);
            }
            Op::CallCaptured { i, base: b, n, depth: deeper, cost } => {
                let left = after!(cost);
                let f = heap.words[index(closure) + 1 + usize::from(i)];
                if tag(f) != CLOSURE {
                    slow!();
                }
                let entry = entries[aux(heap.words[index(f)]) as usize];
                if entry.arity != u32::from(n) {
                    slow!();
                }
                call!(left, deeper, b, entry.pc as usize, f);
            }
            Op::TailCall { f, base: b, n, cost } => {
                let left = after!(cost);
                let f = get!(f);
                if tag(f) != CLOSURE || get!(b) == HOLE {
                    slow!();
                }
                let entry = entries[aux(heap.words[index(f)]) as usize];
                if entry.arity != u32::from(n) {
                    slow!();
                }
                for i in 0..n {
                    set!(i, get!(b + i));
                }
                (fuel, closure, pc) = (left, f, entry.pc as usize);
            }
            Op::CallSelf { base: b, depth: deeper, cost, back }
            | Op::CallSelfPair { base: b, depth: deeper, cost, back } => {
                let left = after!(cost);
                call!(left, deeper, b, at - usize::from(back), closure);
            }
            Op::CallSelfAdd { base: b, a, n, depth: deeper, cost, back } => {
                let left = after!(cost);
                let x = get!(a);
                match x.cast_signed().checked_add(i64::from(n) << 1) {
                    Some(z) if x & 1 == 0 => set!(b, z.cast_unsigned()),
                    _ => slow!(),
                }
                call!(left, deeper, b, at - usize::from(back), closure);
            }
            Op::TailSelf { base: b, cost, back } => {
                fuel = after!(cost);
                set!(0, get!(b));
                pc = at - usize::from(back);
            }
            Op::TailSelfPair { base: b, cost, back } => {
                fuel = after!(cost);
                let (x, y) = (get!(b), get!(b + 1));
                set!(0, x);
                set!(1, y);
                pc = at - usize::from(back);
            }
            Op::TailSelfPairAdd { base: b, a, b: c, cost, back } => {
                let left = after!(cost);
                let (x, y) = (get!(a), get!(c));
                match x.cast_signed().checked_add(y.cast_signed()) {
                    Some(z) if (x | y) & 1 == 0 => {
                        set!(0, get!(b));
                        set!(1, z.cast_unsigned());
                    }
                    _ => slow!(),
                }
                fuel = left;
                pc = at - usize::from(back);
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
            Op::Return { a, cost } => {
                fuel = after!(cost);
                set!(0, get!(a));
                leave!();
            }
            Op::AddReturn { a, b, cost } => {
                let left = after!(cost);
                let (x, y) = (get!(a), get!(b));
                match x.cast_signed().checked_add(y.cast_signed()) {
                    Some(z) if (x | y) & 1 == 0 => set!(0, z.cast_unsigned()),
                    _ => slow!(),
                }
                fuel = left;
                leave!();
            }
            Op::AddLiteralReturn { a, cost, n } => {
                let left = after!(cost);
                let x = get!(a);
                match x.cast_signed().checked_add(i64::from(n) << 1) {
                    Some(z) if x & 1 == 0 => set!(0, z.cast_unsigned()),
                    _ => slow!(),
                }
                fuel = left;
                leave!();
            }
            Op::FoldFunction { f, d } => {
                if !is_list(get!(d + 1)) || !is_function(get!(f)) {
                    slow!();
                }
            }
            Op::FoldBegin { d, cost, exit } => {
                let left = after!(cost);
                let list = get!(d + 1);
                if tag(list) == CONS {
                    let [item, rest] = heap.cell(index(list));
                    set!(d + 2, item);
                    set!(d + 1, rest);
                } else if list == NIL {
                    pc = exit as usize;
                } else {
                    slow!();
                }
                fuel = left;
            }
            Op::FoldNext { d, cost, body } => {
                fuel = after!(cost);
                set!(d, get!(d + 3));
                let list = get!(d + 1);
                if list != NIL {
                    let [item, rest] = heap.cell(index(list));
                    set!(d + 2, item);
                    set!(d + 1, rest);
                    pc = body as usize;
                }
            }
            _ => slow!(),
        }
    };
    meter.fuel = fuel;
    (s.pc, s.base, s.closure, s.depth, s.top) = (at, base, closure, depth, top);
    halted
}
