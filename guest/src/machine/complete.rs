//! Operations that the dispatch loop leaves: complete, with all their faults.

use crate::algorithm::entries;
use crate::algorithm::trouble::Trouble;
use crate::builtin;
use crate::code::slots::fold;
use crate::code::{Image, Op, Slot};
use crate::machine::structure::{half, record, spread_arguments, two};
use crate::machine::{each, eval, named, operate, tools, trace};
use crate::memory::heap::Frame;
use crate::memory::types::kind_of;
use crate::run::context::Context;
use crate::run::state::{Exit, State, WINDOW};
use pif_core::limits::to_u32;
use pif_language::form::Form;
use pif_language::kinds;

use crate::memory::word::{CONS, FALSE, NIL, PAIR, Word, as_small, is_function, is_list, small};

/// Does the operation at `pc`, or returns the reason why it cannot. After an exit, the registers
/// are unchanged and nothing is paid.
#[cold]
#[inline(never)]
pub(super) fn operation(image: &Image, s: &mut State) -> Result<(), Exit> {
    if s.heap.is_crowded {
        s.relieve()?;
    }
    let (at, depth) = (s.pc, s.depth);
    let op = image.op(at);
    let cost = op.cost();
    if s.meter.fuel < i64::from(cost) {
        s.meter.settle(image, at, cost, s.depth)?;
        return Ok(());
    }
    s.meter.fuel -= i64::from(cost);
    s.pc += 1;
    s.call = at;
    let done = perform(&mut Context { image, s, at }, op);
    match done.and_then(|()| s.make_window()) {
        Ok(()) => {
            if s.meter.is_near(s.depth) {
                s.meter.be_careful(s.depth);
            }
            Ok(())
        }
        Err(exit) => {
            (s.pc, s.depth) = (at, depth);
            // A stop has accounted for all fuel.
            if !matches!(exit, Exit::Stop(_)) {
                s.meter.fuel += i64::from(cost);
            }
            Err(exit)
        }
    }
}

impl State {
    pub(super) fn set_slot(&mut self, slot: Slot, word: Word) {
        self.set(self.base + usize::from(slot), word);
    }

    /// Returns the end of the slots in use, if these are.
    pub(super) fn live(&self, slots: &[Slot]) -> usize {
        let highest = slots.iter().copied().max().unwrap_or_default();
        self.base + usize::from(highest) + 1
    }

    pub(super) fn must_be_function(&self, f: Word) -> Result<(), Exit> {
        if is_function(f) { Ok(()) } else { Err(self.not_a_function(f)) }
    }

    /// Pushes the frame of a call. `pc` is already the next operation.
    fn begin_call(&mut self, deeper: u8) -> Result<(), Exit> {
        let Self { pc, base, closure, depth, .. } = *self;
        let (pc, base) = (to_u32(pc), to_u32(base));
        self.push_frame(Frame { pc, base, closure, depth }).map_err(|_| Trouble::NoRoomForCall)?;
        self.depth += u32::from(deeper);
        Ok(())
    }

    /// Makes room for a window at `base`, which a call may have moved.
    fn make_window(&mut self) -> Result<(), Exit> {
        if self.base + WINDOW > self.stack.len() {
            self.grow_stack(self.base).map_err(|_| Trouble::NoRoomForCall)?;
        }
        Ok(())
    }

    /// Applies `f` to the `n` arguments from `base` on.
    fn call(&mut self, image: &Image, f: Word, n: u8, base: Slot, deeper: u8) -> Result<(), Exit> {
        self.must_be_function(f)?;
        let to = self.base + usize::from(base);
        self.begin_call(deeper)?;
        self.enter(image, f, usize::from(n), to)
    }

    /// Applies `f` to the `n` arguments from `base` on in place of the running function.
    fn tail_call(&mut self, image: &Image, f: Word, n: u8, base: Slot) -> Result<(), Exit> {
        self.must_be_function(f)?;
        let from = self.base + usize::from(base);
        self.stack.copy_within(from..from + usize::from(n), self.base);
        self.enter(image, f, usize::from(n), self.base)
    }
}

impl Context<'_> {
    /// Continues at `to` unless the comparison of the operands holds.
    fn compare(&mut self, form: Form, operands: [Word; 2], to: u32) -> Result<(), Exit> {
        if operate::binary(self, form, operands, 0)? == FALSE {
            self.s.pc = to as usize;
        }
        Ok(())
    }

    /// Pushes the frame of a call of the running function, and continues at its body.
    fn call_self(&mut self, base: Slot, depth: u8, back: u16) -> Result<(), Exit> {
        self.s.begin_call(depth)?;
        self.s.base += usize::from(base);
        self.s.pc = self.at - usize::from(back);
        Ok(())
    }
}

#[expect(clippy::too_many_lines, reason = "a dispatch table")]
fn perform(c: &mut Context<'_>, op: Op) -> Result<(), Exit> {
    let image = c.image;
    match op {
        Op::Rest { n } => {
            // Slot 0 holds the place of the call. The arguments and the function follow.
            let call = usize::try_from(as_small(c.s.slot(0)));
            let call = call.map_err(|_| Exit::defect("the place of a call is lost"))?;
            let f = c.s.slot(n + 1);
            if !is_function(f) {
                let found = kind_of(&c.s.heap, f);
                return Err(Trouble::NotAFunctionAfter { call, found }.into());
            }
            c.s.call = call;
            let from = c.s.base + 1;
            c.s.stack.copy_within(from..from + usize::from(n), c.s.base);
            c.s.enter(image, f, usize::from(n), c.s.base)?;
        }
        Op::EvalEnd => {
            c.s.active_evals -= 1;
            c.s.leave();
        }
        Op::ToolEnd => {
            let (tool, value) = (as_small(c.s.slot(0)), c.s.slot(1));
            let tool = usize::try_from(tool).unwrap_or(usize::MAX);
            if let Some(known) = c.s.tool_values.get_mut(tool) {
                *known = value;
            }
            c.s.note_made(tool);
            c.s.set_slot(0, value);
            c.s.leave();
        }
        Op::Reverse { d } => {
            let reversed = c.s.heap.reverse(c.s.slot(d));
            c.s.set_slot(d, reversed);
        }
        Op::Debug { visit } => trace::debug(c, visit),
        Op::Told { value } => trace::told(c, value),
        Op::Add { d, a, b } => arithmetic(c, sum(c), [d, a, b])?,
        Op::Sub { d, a, b } => arithmetic(c, Form::Sub, [d, a, b])?,
        Op::Mul { d, a, b } => arithmetic(c, Form::Mul, [d, a, b])?,
        Op::Binary { form, d, a, b, .. } => arithmetic(c, form, [d, a, b])?,
        Op::Concat { d, a, b, .. } => arithmetic(c, Form::Concat, [d, a, b])?,
        Op::AddLiteral { d, a, n } => {
            let (operands, live) = (with_literal(c, a, n), c.s.live(&[d, a]));
            let sum = operate::binary(c, sum(c), operands, live)?;
            c.s.set_slot(d, sum);
        }
        Op::Unary { form, d, a, .. } => {
            let live = c.s.live(&[d, a]);
            let value = operate::unary(c, form, c.s.slot(a), live)?;
            c.s.set_slot(d, value);
        }
        Op::Cons { d, a, b } => {
            let tail = c.s.slot(b);
            if c.s.heap.list_of_match(tail).is_some() {
                c.s.make_room(2, c.s.live(&[d, a, b]))?;
                let list = c.s.heap.without_match(c.s.slot(b));
                let made = c.s.heap.two(c.s.slot(a), list, CONS);
                c.s.set_slot(d, made);
                return Ok(());
            }
            if !is_list(tail) {
                return Err(c.refuse(1, tail));
            }
            two(c.s, d, [a, b], CONS)?;
        }
        Op::Pair { d, a, b } => two(c.s, d, [a, b], PAIR)?,
        Op::Push { d, a } => two(c.s, d, [a, d], CONS)?,
        Op::First { d, a } => half(c.s, d, a, 0)?,
        Op::Second { d, a } => half(c.s, d, a, 1)?,
        Op::Head { d, a } | Op::Tail { d, a } => {
            let x = c.s.slot(a);
            if let Some(list) = c.s.heap.list_of_match(x) {
                let [head, tail] = c.s.heap.next(list);
                c.s.set_slot(d, if matches!(op, Op::Head { .. }) { head } else { tail });
                return Ok(());
            }
            let empty = Err(Trouble::EmptyList.into());
            return if x == NIL { empty } else { Err(c.refuse(0, x)) };
        }
        Op::Not { a, .. } => return Err(c.refuse(0, c.s.slot(a))),
        Op::JumpFalse { a, operand, .. }
        | Op::JumpTrue { a, operand, .. }
        | Op::Boolean { a, operand } => {
            return Err(c.s.wrong_type(usize::from(operand), c.s.slot(a), kinds::BOOLEAN));
        }
        Op::Builtin { form, d, n, .. } => builtin::call(c, form, [d, n])?,
        Op::Apply { f, base, depth, .. } => {
            let n = spread_arguments(c, f, base)?;
            c.s.call(image, c.s.slot(f), n, base, depth)?;
        }
        Op::TailApply { f, base, .. } => {
            let n = spread_arguments(c, f, base)?;
            c.s.tail_call(image, c.s.slot(f), n, base)?;
        }
        Op::EachBegin { form, d, exit } => each::begin(c, form, d, exit)?,
        Op::EachNext { form, d, body } => each::next(c, form, d, body)?,
        Op::EachPush { d, body, .. } => each::push_next(c.s, d, body)?,
        Op::EachSelect { d, body, .. } => each::select_next(c.s, d, body)?,
        Op::EachEnd { form, d } => each::finish(c, form, d)?,
        Op::TryBegin { d, to } => c.s.begin_try(c.term(), d, to)?,
        Op::TryEnd => c.s.end_try(),
        Op::RetryBegin { d } => builtin::begin_retry(c, d)?,
        Op::StepBegin { d, to, .. } => named::begin(c, d, to)?,
        Op::StepEnd { d, .. } => c.s.end_step(d)?,
        Op::NoMatch => return Err(Trouble::NoMatch.into()),
        Op::JumpNotEmpty { a, to } if c.s.heap.list_of_match(c.s.slot(a)).is_some() => {
            c.s.pc = to as usize;
        }
        Op::JumpNotEmpty { a, to } if entries::is_one(&c.s.heap, c.s.slot(a)) => {
            if entries::count(&c.s.heap, c.s.slot(a)) > 0 {
                c.s.pc = to as usize;
            }
        }
        Op::JumpNotEmpty { a, .. } => return Err(c.refuse(0, c.s.slot(a))),
        Op::JumpNotLess { a, b, swap, to } | Op::JumpLess { a, b, swap, to } => {
            let [x, y] = if swap == 0 { [a, b] } else { [b, a] };
            c.compare(c.form(), [c.s.slot(x), c.s.slot(y)], to)?;
        }
        Op::JumpNotEqual { a, b, to } => {
            c.compare(Form::Eq, [c.s.slot(a), c.s.slot(b)], to)?;
        }
        Op::JumpNotLessLiteral { a, n, to } | Op::JumpLessLiteral { a, n, to } => {
            let form = c.form();
            let more = i64::from(matches!(form, Form::Lte | Form::Gt));
            c.compare(form, [c.s.slot(a), small(i64::from(n) - more)], to)?;
        }
        Op::JumpNotEqualLiteral { a, n, to } => {
            c.compare(Form::Eq, [c.s.slot(a), small(i64::from(n))], to)?;
        }
        Op::Close { d, code } | Op::CloseOver { d, code, .. } => {
            let made = image.codes.get(code as usize);
            let made = made.ok_or_else(|| Exit::defect("a function has no code"))?;
            let closed = c.s.close(made, code, c.s.base + usize::from(d))?;
            c.s.set_slot(d, closed);
        }
        Op::Tie { d, n } => c.s.tie(image, d..d + n),
        Op::FoldFunction { f, d } => {
            let list = c.s.heap.without_match(c.s.slot(d + fold::LIST));
            c.s.set_slot(d + fold::LIST, list);
            if !is_list(list) {
                return Err(c.refuse(2, list));
            }
            c.s.must_be_function(c.s.slot(f))?;
        }
        Op::FoldBegin { d, .. } => {
            let list = c.s.slot(d + fold::LIST);
            let Some(list) = c.s.heap.list_of_match(list) else {
                return Err(c.refuse(2, list));
            };
            let [item, rest] = c.s.heap.next(list);
            c.s.set_slot(d + fold::ITEM, item);
            c.s.set_slot(d + fold::LIST, rest);
        }
        Op::Record { d, keys } => {
            let live = c.s.live(&[d]);
            let record = record(c, keys, c.s.slot(d), live)?;
            c.s.set_slot(d, record);
        }
        Op::Continue { d, a, tool } => {
            let live = c.s.live(&[d, a]);
            c.s.make_room(3, live)?;
            let continuation = tools::continuation(c.s, c.s.slot(a), tool)?;
            c.s.set_slot(d, continuation);
        }
        Op::Trace { d, a, b } => {
            let value = c.s.slot(b);
            trace::trace(c, [c.s.slot(a), value])?;
            c.s.set_slot(d, value);
        }
        Op::Eval { d, a, depth, scope, .. } => {
            eval::eval(c, [d, a, depth], scope)?;
        }
        Op::CodeOf { d, a, tool, .. } => {
            let code = tools::code_of(c.s, c.s.slot(a), tool)?;
            c.s.set_slot(d, code);
        }
        Op::Tool { d, a, depth, .. } => tools::tool(c.s, c.s.slot(a), d, depth)?,
        Op::Member { d, a, depth, to } => tools::member(c, [d, a, depth], to)?,
        Op::NextCall { d, to } => tools::next_call(c, d, to)?,
        Op::SelfTool { d, depth, tool, .. } => tools::self_tool(c.s, tool, d, depth)?,
        Op::Unbound { name } => return Err(Trouble::Unbound(name).into()),
        Op::Call { f, base, n, depth, .. } => c.s.call(image, c.s.slot(f), n, base, depth)?,
        Op::CallCaptured { i, base, n, depth, .. } => {
            c.s.call(image, c.s.captured(usize::from(i)), n, base, depth)?;
        }
        Op::TailCall { f, base, n, .. } => c.s.tail_call(image, c.s.slot(f), n, base)?,
        Op::CallSelf { base, depth, back, .. } => c.call_self(base, depth, back)?,
        Op::AddLiteralReturn { a, n, .. } => {
            let (operands, live) = (with_literal(c, a, n), c.s.live(&[a]));
            let sum = operate::binary(c, sum(c), operands, live)?;
            c.s.set_slot(0, sum);
            c.s.leave();
        }
        Op::AddReturn { a, b, .. } => {
            arithmetic(c, sum(c), [0, a, b])?;
            c.s.leave();
        }
        // The dispatch loop leaves these only for lack of fuel, and now there is enough.
        Op::Halt
        | Op::Pay { .. }
        | Op::Move { .. }
        | Op::Integer { .. }
        | Op::Constant { .. }
        | Op::Capture { .. }
        | Op::Jump { .. }
        | Op::JumpNotNull { .. }
        | Op::Truth { .. }
        | Op::JumpUntrue { .. }
        | Op::JumpTruth { .. }
        | Op::TailSelf { .. }
        | Op::Return { .. }
        | Op::FoldNext { .. } => c.s.pc = c.at,
    }
    Ok(())
}

/// Returns the form of a sum: `plus`, or `add`, which a `sub` of a literal is too.
fn sum(c: &Context<'_>) -> Form {
    if c.form() == Form::Plus { Form::Plus } else { Form::Add }
}

/// Does a strict form of the operands in two slots.
fn arithmetic(c: &mut Context<'_>, form: Form, [d, a, b]: [Slot; 3]) -> Result<(), Exit> {
    let (operands, live) = ([c.s.slot(a), c.s.slot(b)], c.s.live(&[d, a, b]));
    let value = operate::binary(c, form, operands, live)?;
    c.s.set_slot(d, value);
    Ok(())
}

/// Returns the operands of a sum with a literal, in their order in the term.
fn with_literal(c: &Context<'_>, a: Slot, n: i32) -> [Word; 2] {
    let (mut other, literal) = (c.s.slot(a), small(i64::from(n)));
    if c.form() == Form::Sub {
        // A date counts as its milliseconds.
        other = c.s.heap.date(other).map_or(other, small);
    }
    match c.s.terms.added_literal(c.term()) {
        Some((0, _)) => [literal, other],
        _ => [other, literal],
    }
}
