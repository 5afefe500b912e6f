//! Operations that the fast loop leaves: done in full, with everything that can go wrong.

use super::state::{Exit, State, WINDOW, to_u32};
use super::{builtin, each, operate, rare};
use crate::code::{Image, Op, Slot};
use crate::form::Form;
use crate::heap::Frame;
use crate::primitive::{Trouble, type_name};
use crate::value::{CONS, FALSE, HOLE, NIL, PAIR, Word, as_small, is_function, is_list, small};

/// Does the operation at `pc`, or finds why it cannot be done. On an exit the registers are as
/// before and nothing has been paid.
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
    match perform(image, s, at, op).and_then(|()| s.make_window()) {
        Ok(()) => {
            if s.meter.is_near(s.depth) {
                s.meter.be_careful(s.depth);
            }
            Ok(())
        }
        Err(exit) => {
            (s.pc, s.depth) = (at, depth);
            // A stop has accounted for everything; an effect is paid for when it is asked for.
            if !matches!(exit, Exit::Stop(_) | Exit::Perform(..)) {
                s.meter.fuel += i64::from(cost);
            }
            Err(exit)
        }
    }
}

impl State {
    pub(super) fn slot(&self, slot: Slot) -> Word {
        self.at(self.base + usize::from(slot))
    }

    pub(super) fn set_slot(&mut self, slot: Slot, word: Word) {
        self.set(self.base + usize::from(slot), word);
    }

    /// Puts the result of a strict form into a slot.
    fn take(&mut self, d: Slot) {
        let value = self.values.first().copied().unwrap_or_default();
        self.set_slot(d, value);
    }

    /// The form of the operation at `at`.
    pub(super) fn form(&self, image: &Image, at: usize) -> Form {
        self.terms.form(image.term(at))
    }

    /// Slots that are in use when those named are.
    fn live(&self, slots: &[Slot]) -> usize {
        let highest = slots.iter().copied().max().unwrap_or_default();
        self.base + usize::from(highest) + 1
    }

    fn type_mismatch(&self, operand: usize, v: Word, wanted: &'static str) -> Exit {
        Trouble::Type { operand, wanted, found: type_name(&self.heap, v) }.into()
    }

    fn must_be_function(&self, f: Word) -> Result<(), Exit> {
        if is_function(f) {
            return Ok(());
        }
        let found = type_name(&self.heap, f);
        Err(Trouble::NotAFunction { found }.into())
    }

    /// Pushes the frame of a call; `pc` is already the next operation.
    fn begin_call(&mut self, deeper: u8) -> Result<(), Exit> {
        let Self { pc, base, closure, depth, .. } = *self;
        let (pc, base) = (to_u32(pc), to_u32(base));
        self.push_frame(Frame { pc, base, closure, depth }).map_err(|_| Trouble::NoRoomForCall)?;
        self.depth += u32::from(deeper);
        Ok(())
    }

    /// Makes sure that there is a window at `base`, which a call may have moved.
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

    /// The same in place of the running function.
    fn tail_call(&mut self, image: &Image, f: Word, n: u8, base: Slot) -> Result<(), Exit> {
        self.must_be_function(f)?;
        let from = self.base + usize::from(base);
        self.stack.copy_within(from..from + usize::from(n), self.base);
        self.enter(image, f, usize::from(n), self.base)
    }

    /// Fuel for the nodes visited when `f` was given the `n` arguments at `base`, if they are
    /// there still: its body pays for them too.
    fn refund(&self, image: &Image, f: Slot, base: Slot, n: u8) -> i64 {
        let waited = self.slot(base) != HOLE;
        if waited { i64::from(self.fed_visits(image, self.slot(f), n)) } else { 0 }
    }

    /// Does something with so much more fuel, which stays as it was if that goes wrong.
    fn refunded(
        &mut self,
        refund: i64,
        action: impl FnOnce(&mut Self) -> Result<(), Exit>,
    ) -> Result<(), Exit> {
        self.meter.fuel += refund;
        let done = action(self);
        // A stop has accounted for everything.
        if !matches!(done, Ok(()) | Err(Exit::Stop(_))) {
            self.meter.fuel -= refund;
        }
        done
    }

    /// Goes on at `to` unless the comparison of `x` and `y` holds.
    fn compare(
        &mut self,
        image: &Image,
        at: usize,
        form: Form,
        operands: [Word; 2],
        to: u32,
    ) -> Result<(), Exit> {
        operate::binary(image, self, at, form, operands, 0)?;
        if self.values.first() == Some(&FALSE) {
            self.pc = to as usize;
        }
        Ok(())
    }
}

#[expect(clippy::too_many_lines, reason = "a dispatch table")]
fn perform(image: &Image, s: &mut State, at: usize, op: Op) -> Result<(), Exit> {
    match op {
        Op::Rest { n } => {
            // In slot 0 is the place of the call, then the arguments, then the function.
            let call = usize::try_from(as_small(s.slot(0))).unwrap_or_default();
            let f = s.slot(n + 1);
            if !is_function(f) {
                let found = type_name(&s.heap, f);
                return Err(Trouble::NotAFunctionAfter { call, found }.into());
            }
            s.call = call;
            let from = s.base + 1;
            s.stack.copy_within(from..from + usize::from(n), s.base);
            s.enter(image, f, usize::from(n), s.base)?;
        }
        Op::EvalEnd => {
            s.active_evals -= 1;
            s.leave();
        }
        Op::ToolEnd => {
            let (tool, value) = (as_small(s.slot(0)), s.slot(1));
            let known = usize::try_from(tool).ok().and_then(|tool| s.values.get_mut(1 + tool));
            if let Some(known) = known {
                *known = value;
            }
            s.set_slot(0, value);
            s.leave();
        }
        Op::Debug { visit } => rare::debug(image, s, visit),
        Op::Add { d, a, b } => arithmetic(image, s, at, Form::Add, [d, a, b])?,
        Op::Sub { d, a, b } => arithmetic(image, s, at, Form::Sub, [d, a, b])?,
        Op::Mul { d, a, b } => arithmetic(image, s, at, Form::Mul, [d, a, b])?,
        Op::Binary { form, d, a, b, .. } => arithmetic(image, s, at, form, [d, a, b])?,
        Op::Concat { d, a, b, .. } => arithmetic(image, s, at, Form::Concat, [d, a, b])?,
        Op::AddLiteral { d, a, n } => {
            let (operands, live) = (with_literal(image, s, at, a, n), s.live(&[d, a]));
            operate::binary(image, s, at, Form::Add, operands, live)?;
            s.take(d);
        }
        Op::Unary { form, d, a, .. } => {
            let live = s.live(&[d, a]);
            operate::unary(image, s, at, form, s.slot(a), live)?;
            s.take(d);
        }
        Op::Cons { d, a, b } => {
            let tail = s.slot(b);
            if !is_list(tail) {
                return Err(s.type_mismatch(1, tail, "a list"));
            }
            two(s, d, [a, b], CONS)?;
        }
        Op::Pair { d, a, b } => two(s, d, [a, b], PAIR)?,
        Op::Push { d, a } => two(s, d, [a, d], CONS)?,
        Op::First { a, .. } | Op::Second { a, .. } => {
            return Err(s.type_mismatch(0, s.slot(a), "a pair"));
        }
        Op::Head { a, .. } | Op::Tail { a, .. } => {
            let x = s.slot(a);
            let empty = Err(Trouble::EmptyList.into());
            return if x == NIL { empty } else { Err(s.type_mismatch(0, x, "a list")) };
        }
        Op::Not { a, .. } => return Err(s.type_mismatch(0, s.slot(a), "a boolean")),
        Op::JumpFalse { a, operand, .. }
        | Op::JumpTrue { a, operand, .. }
        | Op::Boolean { a, operand } => {
            return Err(s.type_mismatch(usize::from(operand), s.slot(a), "a boolean"));
        }
        Op::Builtin { form, d, n, .. } => builtin::call(image, s, at, form, [d, n])?,
        Op::EachBegin { form, d, exit } => each::begin(image, s, at, form, d, exit)?,
        Op::EachNext { form, d, body } => each::next(image, s, at, form, d, body)?,
        Op::EachPush { d, body, .. } => each::push_next(s, d, body)?,
        Op::EachSelect { d, body, .. } => each::select_next(s, d, body)?,
        Op::EachEnd { form, d } => each::finish(image, s, at, form, d)?,
        Op::TryBegin { d, to } => s.begin_try(image.term(at), d, to)?,
        Op::TryEnd => s.end_try(),
        Op::NoMatch => return Err(Trouble::NoMatch.into()),
        Op::JumpNotEmpty { a, .. } => return Err(s.type_mismatch(0, s.slot(a), "a list")),
        Op::JumpNotLess { a, b, swap, to } | Op::JumpLess { a, b, swap, to } => {
            let [x, y] = if swap == 0 { [a, b] } else { [b, a] };
            s.compare(image, at, s.form(image, at), [s.slot(x), s.slot(y)], to)?;
        }
        Op::JumpNotEqual { a, b, to } => {
            s.compare(image, at, Form::Eq, [s.slot(a), s.slot(b)], to)?;
        }
        Op::JumpNotLessLiteral { a, n, to } | Op::JumpLessLiteral { a, n, to } => {
            let form = s.form(image, at);
            let more = i64::from(matches!(form, Form::Lte | Form::Gt));
            s.compare(image, at, form, [s.slot(a), small(i64::from(n) - more)], to)?;
        }
        Op::JumpNotEqualLiteral { a, n, to } => {
            s.compare(image, at, Form::Eq, [s.slot(a), small(i64::from(n))], to)?;
        }
        Op::Close { d, code } | Op::CloseOver { d, code, .. } => {
            let Some(made) = image.codes.get(code as usize) else { return Ok(()) };
            let closed = s.close(made, code, s.base, s.base + usize::from(d))?;
            s.set_slot(d, closed);
        }
        Op::FoldFunction { f, d } => {
            let list = s.slot(d + 1);
            if !is_list(list) {
                return Err(s.type_mismatch(2, list, "a list"));
            }
            s.must_be_function(s.slot(f))?;
        }
        Op::FoldBegin { d, .. } => return Err(s.type_mismatch(2, s.slot(d + 1), "a list")),
        Op::Record { d, keys } => {
            let live = s.live(&[d]);
            rare::record(image, s, keys, s.slot(d), live)?;
            s.take(d);
        }
        Op::Continue { d, a, tool } => {
            let live = s.live(&[d, a]);
            s.make_room(3, live)?;
            rare::continuation(s, s.slot(a), tool)?;
            s.take(d);
        }
        Op::Trace { d, a, b } => {
            let value = s.slot(b);
            rare::trace(image, s, at, [s.slot(a), value])?;
            s.set_slot(d, value);
        }
        Op::Eval { d, a, depth, scope, .. } => {
            rare::eval(image, s, at, [d, a, depth], scope)?;
        }
        Op::CodeOf { d, a, tool, .. } => {
            rare::code_of(s, s.slot(a), tool)?;
            s.take(d);
        }
        Op::Tool { d, a, depth, .. } => rare::tool(s, s.slot(a), d, depth)?,
        Op::SelfTool { d, depth, tool, .. } => rare::self_tool(s, tool, d, depth)?,
        Op::Perform { d, a, name, .. } => return Err(rare::perform(s, d, s.slot(a), name)),
        Op::Unbound { name } => return Err(Trouble::Unbound(name).into()),
        op => call(image, s, at, op)?,
    }
    Ok(())
}

/// Calls that are more than entering a closure that takes just so many arguments.
fn call(image: &Image, s: &mut State, at: usize, op: Op) -> Result<(), Exit> {
    match op {
        Op::Call { f, base, n, depth, .. } => s.call(image, s.slot(f), n, base, depth)?,
        Op::CallCaptured { i, base, n, depth, .. } => {
            s.call(image, s.captured(usize::from(i)), n, base, depth)?;
        }
        Op::TailCall { f, base, n, .. } => s.tail_call(image, s.slot(f), n, base)?,
        Op::Feed { f, base, n, new, depth, .. } => {
            let refund = s.refund(image, f, base, n - new);
            s.refunded(refund, |s| s.call(image, s.slot(f), n, base, depth))?;
        }
        Op::CallFed { f, base, n, given, depth, .. } => {
            let refund = s.refund(image, f, base, given);
            s.refunded(refund, |s| s.call(image, s.slot(f), n, base, depth))?;
        }
        Op::TailCallFed { f, base, n, given, .. } => {
            let refund = s.refund(image, f, base, given);
            s.refunded(refund, |s| s.tail_call(image, s.slot(f), n, base))?;
        }
        Op::Fed { f, base, n } => {
            let value = s.slot(base);
            s.set_slot(f, value);
            (0..n).for_each(|i| s.set_slot(base + i, HOLE));
        }
        Op::CallSelf { base, depth, back, .. } | Op::CallSelfPair { base, depth, back, .. } => {
            s.begin_call(depth)?;
            s.base += usize::from(base);
            s.pc = at - usize::from(back);
        }
        Op::CallSelfAdd { base, a, n, depth, back, .. } => {
            let (operands, live) = ([s.slot(a), small(i64::from(n))], s.live(&[base, a]));
            operate::binary(image, s, at, Form::Add, operands, live)?;
            s.take(base);
            s.begin_call(depth)?;
            s.base += usize::from(base);
            s.pc = at - usize::from(back);
        }
        Op::AddLiteralReturn { a, n, .. } => {
            let (operands, live) = (with_literal(image, s, at, a, n), s.live(&[a]));
            operate::binary(image, s, at, Form::Add, operands, live)?;
            s.take(0);
            s.leave();
        }
        Op::TailSelfPairAdd { base, a, b, back, .. } => {
            arithmetic(image, s, at, Form::Add, [base + 1, a, b])?;
            let (first, second) = (s.slot(base), s.slot(base + 1));
            s.set_slot(0, first);
            s.set_slot(1, second);
            s.pc = at - usize::from(back);
        }
        Op::AddReturn { a, b, .. } => {
            arithmetic(image, s, at, Form::Add, [0, a, b])?;
            s.leave();
        }
        // The others only lacked fuel; they are begun again.
        _ => s.pc = at,
    }
    Ok(())
}

/// A strict form of the operands in two slots.
fn arithmetic(
    image: &Image,
    s: &mut State,
    at: usize,
    form: Form,
    [d, a, b]: [Slot; 3],
) -> Result<(), Exit> {
    let (operands, live) = ([s.slot(a), s.slot(b)], s.live(&[d, a, b]));
    operate::binary(image, s, at, form, operands, live)?;
    s.take(d);
    Ok(())
}

/// The operands of a sum with a literal, in the order in which they are written.
fn with_literal(image: &Image, s: &State, at: usize, a: Slot, n: i32) -> [Word; 2] {
    let (other, literal) = (s.slot(a), small(i64::from(n)));
    match s.terms.added_literal(image.term(at)) {
        Some((0, _)) => [literal, other],
        _ => [other, literal],
    }
}

/// A new object of the words in two slots. It is not left to the fast loop once there is room: that may
/// do it only together with what follows, for which there may be no fuel.
fn two(s: &mut State, d: Slot, [a, b]: [Slot; 2], tag: u64) -> Result<(), Exit> {
    s.make_room(2, s.live(&[d, a, b]))?;
    let made = s.heap.two(s.slot(a), s.slot(b), tag);
    s.set_slot(d, made);
    Ok(())
}
