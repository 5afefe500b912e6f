//! The loop. Registers are local variables; slots are read through a window of 256 words, which
//! a `u8` cannot miss, so that no access to them is checked.

use super::state::{Exit, State, WINDOW, closure_index, closure_word, to_u32};
use super::{operate, rare};
use crate::code::{Image, Op};
use crate::form::Form;
use crate::heap::Frame;
use crate::primitive::{Trouble, type_name};
use crate::value::{
    CLOSURE, CONS, FALSE, NIL, PAIR, TRUE, Word, as_small, aux, index, is_function, is_list, small,
    tag,
};

#[inline(always)]
#[expect(clippy::expect_used, reason = "the slice is 256 long")]
#[expect(clippy::indexing_slicing, reason = "grow_stack keeps room for a window")]
fn window(stack: &mut [Word], base: usize) -> &mut [Word; WINDOW] {
    (&mut stack[base..base + WINDOW]).try_into().expect("a window")
}

/// Runs from the registers in `s` until something needs the machine.
#[expect(clippy::too_many_lines, reason = "a dispatch table")]
#[expect(unused_assignments, reason = "an operation that ends with a jump sets `pc` twice")]
#[expect(clippy::semicolon_if_nothing_returned, reason = "some arms are macros")]
#[expect(
    clippy::indexing_slicing,
    reason = "a miss is a defect of the compiler, found by the tests"
)]
#[expect(clippy::cognitive_complexity, reason = "a dispatch table")]
pub(super) fn run(image: &Image, s: &mut State) -> Exit {
    let ops = &image.ops[..];
    let codes = &image.codes[..];
    let (mut pc, mut base, mut closure, mut depth) = (s.pc, s.base, s.closure, s.depth);
    let mut fuel = s.meter.fuel;
    let mut at;
    if base + WINDOW > s.stack.len()
        && let Err(full) = s.grow_stack(base)
    {
        return full.into();
    }
    let mut fr = window(&mut s.stack, base);

    /// Leaves the loop; the registers say which operation did it.
    macro_rules! exit {
        ($exit:expr) => {{
            let exit = $exit;
            s.meter.fuel = fuel;
            (s.pc, s.base, s.closure, s.depth) = (at, base, closure, depth);
            return Exit::from(exit);
        }};
    }
    macro_rules! attempt {
        ($result:expr) => {
            match $result {
                Ok(value) => value,
                Err(error) => exit!(error),
            }
        };
    }
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
    macro_rules! wrong {
        ($operand:expr, $word:expr, $wanted:expr) => {{
            let found = type_name(&s.heap, $word);
            unpay!();
            exit!(Trouble::Type { operand: $operand, wanted: $wanted, found })
        }};
    }
    /// Takes back what the operation has paid, for an exit that repeats or reports it.
    macro_rules! unpay {
        () => {
            fuel += i64::from(ops[at].cost())
        };
    }
    macro_rules! pay {
        ($cost:expr) => {
            fuel -= i64::from($cost);
            if fuel < 0 {
                s.meter.fuel = fuel;
                let settled = s.meter.settle(image, at, u32::from($cost), depth);
                fuel = s.meter.fuel;
                attempt!(settled);
            }
        };
    }
    /// Makes room on the heap; slots up to the highest one named are kept.
    macro_rules! room {
        ($words:expr, $($slot:expr),+) => {
            if !s.heap.has_room($words) {
                let live = (base + 1)$(.max(base + 1 + $slot as usize))+;
                let collected = s.collect($words, live, &mut closure);
                fr = window(&mut s.stack, base);
                if let Err(full) = collected {
                    unpay!();
                    exit!(full);
                }
            }
        };
    }
    macro_rules! two {
        ($d:expr, $a:expr, $b:expr, $tag:expr) => {{
            room!(2, $d, $a, $b);
            let word = s.heap.two(get!($a), get!($b), $tag);
            set!($d, word);
        }};
    }
    /// Everything that takes the registers along, and may change them.
    macro_rules! rarely {
        ($call:expr) => {{
            s.meter.fuel = fuel;
            (s.pc, s.base, s.closure, s.depth) = (pc, base, closure, depth);
            let result = $call;
            fuel = s.meter.fuel;
            match result {
                Ok(()) => (pc, base, closure, depth) = (s.pc, s.base, s.closure, s.depth),
                Err(error) => {
                    if !matches!(error, Exit::Stop(_)) {
                        unpay!();
                    }
                    closure = s.closure;
                    exit!(error)
                }
            }
            if base + WINDOW > s.stack.len() {
                attempt!(s.grow_stack(base));
            }
            fr = window(&mut s.stack, base);
            if s.meter.is_near(depth) {
                s.meter.fuel = fuel;
                s.meter.be_careful(depth);
                fuel = s.meter.fuel;
            }
        }};
    }
    /// Arithmetic and comparison beyond two small integers.
    macro_rules! operate {
        ($form:expr, $d:expr, $a:expr, $b:expr) => {{
            let (x, y) = (get!($a), get!($b));
            operate!($form, $d, $d, x, y)
        }};
        ($form:expr, $d:expr, $live:expr, $x:expr, $y:expr) => {{
            let live = base + 2 + $live as usize;
            let operands = [$x, $y];
            rarely!(operate::binary(image, s, at, $form, operands, live));
            set!($d, s.values[0]);
        }};
    }
    macro_rules! push_frame {
        () => {
            let frame = Frame {
                pc: to_u32(pc),
                base: to_u32(base),
                closure: closure_index(closure),
                depth,
            };
            if let Err(full) = s.push_frame(frame) {
                unpay!();
                exit!(full);
            }
        };
    }
    /// Adds the depth of a call, and looks more closely from now on if it is near the limit.
    macro_rules! deepen {
        ($by:expr) => {
            depth += u32::from($by);
            if s.meter.is_near(depth) {
                s.meter.fuel = fuel;
                s.meter.be_careful(depth);
                fuel = s.meter.fuel;
            }
        };
    }
    macro_rules! rebase {
        ($base:expr) => {
            base = $base;
            if base + WINDOW > s.stack.len() {
                attempt!(s.grow_stack(base));
            }
            fr = window(&mut s.stack, base);
        };
    }
    /// Applies `f` to `n` arguments at an absolute base.
    macro_rules! enter {
        ($f:expr, $n:expr, $base:expr) => {{
            let f: Word = $f;
            let to: usize = $base;
            let plain = tag(f) == CLOSURE && {
                let code = &codes[aux(s.heap.words[index(f)]) as usize];
                let plain = code.arity == $n && ($n < 2 || s.stack[to] != crate::value::HOLE);
                if plain {
                    closure = f;
                    pc = code.entry as usize;
                }
                plain
            };
            if plain {
                rebase!(to);
            } else {
                base = to;
                rarely!(s.enter(image, f, usize::from($n), to));
            }
        }};
    }
    macro_rules! leave {
        () => {
            match s.frames.pop() {
                Some(frame) => {
                    pc = frame.pc as usize;
                    base = frame.base as usize;
                    closure = closure_word(frame.closure);
                    depth = frame.depth;
                    fr = window(&mut s.stack, base);
                }
                None => exit!(Exit::Value(s.stack[base])),
            }
        };
    }

    loop {
        at = pc;
        let op = ops[pc];
        pc += 1;
        match op {
            Op::Halt => exit!(Exit::Value(get!(0))),
            Op::Rest { n } => {
                let f = get!(n);
                enter!(f, n, base);
            }
            Op::EvalEnd => {
                s.active_evals -= 1;
                leave!();
            }
            Op::ToolEnd => {
                let (tool, value) = (get!(0), get!(1));
                s.values[1 + usize::try_from(as_small(tool)).unwrap_or_default()] = value;
                set!(0, value);
                leave!();
            }
            Op::Pay { cost } => {
                pay!(cost);
            }
            Op::Debug { visit } => {
                s.depth = depth;
                rare::debug(image, s, visit);
                fr = window(&mut s.stack, base);
            }
            Op::Move { d, a } => set!(d, get!(a)),
            Op::Integer { d, n } => set!(d, small(i64::from(n))),
            Op::Constant { d, k } => set!(d, s.constants[k as usize]),
            Op::Capture { d, i } => set!(d, s.heap.words[index(closure) + 1 + usize::from(i)]),
            Op::Add { d, a, b } => {
                let (x, y) = (get!(a), get!(b));
                match x.cast_signed().checked_add(y.cast_signed()) {
                    Some(z) if (x | y) & 1 == 0 => set!(d, z.cast_unsigned()),
                    _ => operate!(Form::Add, d, a, b),
                }
            }
            Op::Sub { d, a, b } => {
                let (x, y) = (get!(a), get!(b));
                match x.cast_signed().checked_sub(y.cast_signed()) {
                    Some(z) if (x | y) & 1 == 0 => set!(d, z.cast_unsigned()),
                    _ => operate!(Form::Sub, d, a, b),
                }
            }
            Op::Mul { d, a, b } => {
                let (x, y) = (get!(a), get!(b));
                match as_small(x).checked_mul(y.cast_signed()) {
                    Some(z) if (x | y) & 1 == 0 => set!(d, z.cast_unsigned()),
                    _ => operate!(Form::Mul, d, a, b),
                }
            }
            Op::AddLiteral { d, a, n } => {
                let x = get!(a);
                match x.cast_signed().checked_add(i64::from(n) << 1) {
                    Some(z) if x & 1 == 0 => set!(d, z.cast_unsigned()),
                    _ => operate!(Form::Add, d, d.max(a), x, small(i64::from(n))),
                }
            }
            Op::Binary { form, d, a, b, cost } => {
                pay!(cost);
                let (x, y) = (get!(a), get!(b));
                if (x | y) & 1 == 0 {
                    if let Some(z) = operate::small(form, as_small(x), as_small(y)) {
                        set!(d, z)
                    } else {
                        operate!(form, d, a, b)
                    }
                } else {
                    operate!(form, d, a, b)
                }
            }
            Op::Unary { form, d, a, cost } => {
                pay!(cost);
                let x = get!(a);
                if form == Form::IsEmpty && is_list(x) {
                    set!(d, if x == NIL { TRUE } else { FALSE });
                } else {
                    let live = base + 1 + d.max(a) as usize;
                    rarely!(operate::unary(image, s, at, form, x, live));
                    set!(d, s.values[0]);
                }
            }
            Op::Cons { d, a, b } => {
                let tail = get!(b);
                if !is_list(tail) {
                    wrong!(1, tail, "a list");
                }
                two!(d, a, b, CONS);
            }
            Op::Pair { d, a, b } => two!(d, a, b, PAIR),
            Op::Push { d, a } => {
                two!(d, a, d, CONS);
            }
            Op::First { d, a } => {
                let x = get!(a);
                if tag(x) != PAIR {
                    wrong!(0, x, "a pair");
                }
                set!(d, s.heap.words[index(x)]);
            }
            Op::Second { d, a } => {
                let x = get!(a);
                if tag(x) != PAIR {
                    wrong!(0, x, "a pair");
                }
                set!(d, s.heap.words[index(x) + 1]);
            }
            Op::Head { d, a } => {
                let x = get!(a);
                if tag(x) != CONS {
                    if x == NIL {
                        exit!(Trouble::EmptyList);
                    }
                    wrong!(0, x, "a list");
                }
                set!(d, s.heap.words[index(x)]);
            }
            Op::Tail { d, a } => {
                let x = get!(a);
                if tag(x) != CONS {
                    if x == NIL {
                        exit!(Trouble::EmptyList);
                    }
                    wrong!(0, x, "a list");
                }
                set!(d, s.heap.words[index(x) + 1]);
            }
            Op::Not { d, a } => {
                let x = get!(a);
                if x != TRUE && x != FALSE {
                    wrong!(0, x, "a boolean");
                }
                set!(d, if x == TRUE { FALSE } else { TRUE });
            }
            Op::Reverse { d } => {
                let list = get!(d);
                let reversed = s.reverse(list);
                fr = window(&mut s.stack, base);
                set!(d, reversed);
            }
            Op::Record { d, keys } => {
                let live = base + 1 + usize::from(d);
                let list = get!(d);
                rarely!(rare::record(image, s, keys, list, live));
                set!(d, s.values[0]);
            }
            Op::Jump { to, cost } => {
                pay!(cost);
                pc = to as usize;
            }
            Op::JumpFalse { a, to } => {
                let x = get!(a);
                if x == FALSE {
                    pc = to as usize;
                } else if x != TRUE {
                    wrong!(0, x, "a boolean");
                }
            }
            Op::JumpTrue { a, to } => {
                let x = get!(a);
                if x == TRUE {
                    pc = to as usize;
                } else if x != FALSE {
                    wrong!(0, x, "a boolean");
                }
            }
            Op::Boolean { a } => {
                let x = get!(a);
                if x != TRUE && x != FALSE {
                    wrong!(1, x, "a boolean");
                }
            }
            Op::JumpNotLess { a, b, swap, to } => {
                let (x, y) = (get!(a), get!(b));
                if (x | y) & 1 == 0 {
                    if x.cast_signed() >= y.cast_signed() {
                        pc = to as usize;
                    }
                } else {
                    let (form, x, y) = if swap == 0 { (Form::Lt, x, y) } else { (Form::Gt, y, x) };
                    rarely!(operate::binary(image, s, at, form, [x, y], 0));
                    if s.values[0] == FALSE {
                        pc = to as usize;
                    }
                }
            }
            Op::JumpNotEqual { a, b, to } => {
                let (x, y) = (get!(a), get!(b));
                if (x | y) & 1 == 0 {
                    if x != y {
                        pc = to as usize;
                    }
                } else {
                    rarely!(operate::binary(image, s, at, Form::Eq, [x, y], 0));
                    if s.values[0] == FALSE {
                        pc = to as usize;
                    }
                }
            }
            Op::JumpNotLessLiteral { a, n, to } => {
                let x = get!(a);
                if x & 1 == 0 {
                    if x.cast_signed() >= i64::from(n) << 1 {
                        pc = to as usize;
                    }
                } else {
                    let y = small(i64::from(n));
                    rarely!(operate::binary(image, s, at, Form::Lt, [x, y], 0));
                    if s.values[0] == FALSE {
                        pc = to as usize;
                    }
                }
            }
            Op::JumpNotEqualLiteral { a, n, to } => {
                let x = get!(a);
                if x & 1 == 0 {
                    if x.cast_signed() != i64::from(n) << 1 {
                        pc = to as usize;
                    }
                } else {
                    let y = small(i64::from(n));
                    rarely!(operate::binary(image, s, at, Form::Eq, [x, y], 0));
                    if s.values[0] == FALSE {
                        pc = to as usize;
                    }
                }
            }
            Op::JumpNotEmpty { a, to } => {
                let x = get!(a);
                if tag(x) == CONS {
                    pc = to as usize;
                } else if x != NIL {
                    wrong!(0, x, "a list");
                }
            }
            Op::Close { d, code } => {
                let live = base + usize::from(d);
                let made = s.close(&codes[code as usize], code, base, live, &mut closure);
                fr = window(&mut s.stack, base);
                set!(d, attempt!(made));
            }
            Op::Call { f, base: b, n, depth: deeper, cost } => {
                pay!(cost);
                let f = get!(f);
                if !is_function(f) {
                    let found = type_name(&s.heap, f);
                    unpay!();
                    exit!(Trouble::NotAFunction { operand: 0, found });
                }
                push_frame!();
                deepen!(deeper);
                enter!(f, n, base + usize::from(b));
            }
            Op::TailCall { f, base: b, n, cost } => {
                pay!(cost);
                let f = get!(f);
                if !is_function(f) {
                    let found = type_name(&s.heap, f);
                    unpay!();
                    exit!(Trouble::NotAFunction { operand: 0, found });
                }
                let first = usize::from(b);
                fr.copy_within(first..first + usize::from(n), 0);
                enter!(f, n, base);
            }
            Op::Feed { f, base: b, n, new, depth: deeper, cost } => {
                pay!(cost);
                let (f, first) = (get!(f), get!(b));
                let missing = s.missing_arguments(image, f);
                fr = window(&mut s.stack, base);
                match missing {
                    Some(missing) if missing > usize::from(n) && first != crate::value::HOLE => {
                        let visits = s.fed_visits(image, f, n) - s.fed_visits(image, f, n - new);
                        fr = window(&mut s.stack, base);
                        fuel -= i64::from(visits);
                        pc += 1;
                    }

                    Some(_) => {
                        push_frame!();
                        deepen!(deeper);
                        base += usize::from(b);
                        rarely!(s.enter(image, f, usize::from(n), base));
                    }
                    None => {
                        let found = type_name(&s.heap, f);
                        unpay!();
                        exit!(Trouble::NotAFunction { operand: 0, found });
                    }
                }
            }
            Op::Refund { f, base: b, n, cost } => {
                pay!(cost);
                if get!(b) != crate::value::HOLE {
                    let f = get!(f);
                    fuel += i64::from(s.fed_visits(image, f, n));
                    fr = window(&mut s.stack, base);
                }
            }
            Op::Fed { f, base: b, n } => {
                set!(f, get!(b));
                for i in 0..n {
                    set!(b + i, crate::value::HOLE);
                }
            }
            Op::CallSelfAdd { base: b, a, n, depth: deeper, cost, back } => {
                pay!(cost);
                let x = get!(a);
                match x.cast_signed().checked_add(i64::from(n) << 1) {
                    Some(z) if x & 1 == 0 => set!(b, z.cast_unsigned()),
                    _ => operate!(Form::Add, b, b.max(a), x, small(i64::from(n))),
                }
                push_frame!();
                deepen!(deeper);
                pc = at - usize::from(back);
                rebase!(base + usize::from(b));
            }
            Op::CallSelf { base: b, depth: deeper, cost, back }
            | Op::CallSelfPair { base: b, depth: deeper, cost, back } => {
                pay!(cost);
                push_frame!();
                deepen!(deeper);
                pc = at - usize::from(back);
                rebase!(base + usize::from(b));
            }
            Op::TailSelf { base: b, cost, back } => {
                pay!(cost);
                set!(0, get!(b));
                pc = at - usize::from(back);
            }
            Op::TailSelfPair { base: b, cost, back } => {
                pay!(cost);
                let (x, y) = (get!(b), get!(b + 1));
                set!(0, x);
                set!(1, y);
                pc = at - usize::from(back);
            }
            Op::Spread { to } => {
                let x = get!(0);
                if tag(x) == PAIR {
                    let [first, second] = s.heap.cell(index(x));
                    set!(0, first);
                    set!(1, second);
                    pc = to as usize;
                }
            }
            Op::Return { a, cost } => {
                pay!(cost);
                set!(0, get!(a));
                leave!();
            }
            Op::AddReturn { a, b, cost } => {
                pay!(cost);
                let (x, y) = (get!(a), get!(b));
                match x.cast_signed().checked_add(y.cast_signed()) {
                    Some(z) if (x | y) & 1 == 0 => set!(0, z.cast_unsigned()),
                    _ => operate!(Form::Add, 0, a.max(b), x, y),
                }
                leave!();
            }
            Op::FoldFunction { f, d } => {
                let (list, f) = (get!(d + 1), get!(f));
                if !is_list(list) {
                    wrong!(2, list, "a list");
                }
                if !is_function(f) {
                    let found = type_name(&s.heap, f);
                    exit!(Trouble::NotAFunction { operand: 0, found });
                }
            }
            Op::FoldBegin { d, cost, exit } => {
                pay!(cost);
                let list = get!(d + 1);
                if tag(list) == CONS {
                    let [item, rest] = s.heap.cell(index(list));
                    set!(d + 2, item);
                    set!(d + 1, rest);
                } else if list == NIL {
                    pc = exit as usize;
                } else {
                    wrong!(2, list, "a list");
                }
            }
            Op::FoldNext { d, cost, body } => {
                pay!(cost);
                set!(d, get!(d + 3));
                let list = get!(d + 1);
                if list != NIL {
                    let [item, rest] = s.heap.cell(index(list));
                    set!(d + 2, item);
                    set!(d + 1, rest);
                    pc = body as usize;
                }
            }
            Op::Eval { d, a, depth: deeper, cost, scope } => {
                pay!(cost);
                let x = get!(a);
                rarely!(rare::eval(image, s, x, [d, a, deeper], scope));
            }
            Op::CodeOf { d, a, cost, tool } => {
                pay!(cost);
                let x = get!(a);
                rarely!(rare::code_of(s, x, tool));
                set!(d, s.values[0]);
            }
            Op::Tool { d, a, depth: deeper, cost } => {
                pay!(cost);
                let x = get!(a);
                rarely!(rare::tool(s, x, d, deeper));
            }
            Op::SelfTool { d, depth: deeper, cost, tool } => {
                pay!(cost);
                rarely!(rare::self_tool(s, tool, d, deeper));
            }
            Op::Continue { d, a, tool } => {
                room!(3, d, a);
                let x = get!(a);
                rarely!(rare::continuation(s, x, tool));
                set!(d, s.values[0]);
            }
            Op::Trace { d, a, b } => {
                let (label, x) = (get!(a), get!(b));
                rare::trace(s, label, x);
                fr = window(&mut s.stack, base);
                set!(d, x);
            }
            Op::Perform { d, a, cost, name } => {
                pay!(cost);
                let x = get!(a);
                exit!(rare::perform(s, d, x, name));
            }
            Op::Unbound { name } => exit!(Trouble::Unbound(name)),
        }
    }
}
