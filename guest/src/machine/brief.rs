//! Operations that are short but need a call, which in the fast loop would take registers from all
//! the others. They too are done completely or not begun; of those that `pluck` and `cycle` do, several.

use super::state::State;
use super::{cycle, pluck};
use crate::code::{Image, Op, Slot};
use crate::form::Form;
use crate::value::{
    CLOSURE, HOLE, KIND_PARTIAL, PARTIAL, Word, aux, header, is_function, pointer, tag,
};

/// Does the operation at `pc`, if it is one of these and nothing stands in its way.
#[inline(never)]
pub(super) fn operation(image: &Image, s: &mut State, op: Op) -> bool {
    done(image, s, op).is_some()
}

fn done(image: &Image, s: &mut State, op: Op) -> Option<()> {
    match op {
        Op::Close { d, code } => close(image, s, d, code)?,
        Op::Reverse { d } => {
            let reversed = s.heap.reverse(s.slot(d));
            s.set_slot(d, reversed);
        }
        Op::Call { f, base, n, cost, .. } => {
            let made = take(image, s, s.slot(f), [base, n], cost)?;
            s.set_slot(base, made);
        }
        Op::TailCall { f, base, n, cost } => return give(image, s, s.slot(f), [base, n], cost),
        Op::TailCallFed { f, base, n, given, cost } if s.slot(base) == HOLE => {
            return give(image, s, s.slot(f), [base + given, n - given], cost);
        }
        Op::Feed { f, base, n, new, cost, .. } => {
            wait(image, s, s.slot(f), [base, n, new], cost)?;
            s.pc += 1;
        }
        Op::Add { .. } | Op::JumpNotEqualLiteral { .. } => return cycle::turns(image, s),
        Op::Builtin { form: Form::Get, d, n: 2, cost } => return pluck::get(image, s, d, cost),
        _ => return None,
    }
    s.pc += 1;
    Some(())
}

/// A closure, if there is room for it.
fn close(image: &Image, s: &mut State, d: Slot, id: u32) -> Option<()> {
    let code = image.codes.get(id as usize)?;
    if !s.heap.has_room(code.captures.len() + 1) {
        return None;
    }
    let made = s.place_closure(code, id, s.base);
    s.set_slot(d, made);
    Some(())
}

/// The partial application of a closure that waits for more than the `n` arguments at `base`.
fn take(image: &Image, s: &mut State, f: Word, [base, n]: [Slot; 2], cost: u16) -> Option<Word> {
    let (n, words) = (usize::from(n), usize::from(n) + 2);
    if tag(f) != CLOSURE || !s.heap.has_room(words) {
        return None;
    }
    let code = image.codes.get(aux(s.heap.header(f)) as usize)?;
    let left = s.meter.fuel - i64::from(cost);
    if usize::from(code.arity) <= n || left < 0 {
        return None;
    }
    let left = left - code.merged.get(n).copied().map_or(0, i64::from);
    if left < 0 {
        return None;
    }
    s.meter.fuel = left;
    let at = s.heap.claim(words);
    s.heap.put(at, &[header(KIND_PARTIAL, words, 0), f]);
    for i in 0..n {
        let argument = s.at(s.base + usize::from(base) + i);
        s.heap.put(at + 2 + i, &[argument]);
    }
    Some(pointer(at, PARTIAL))
}

/// The same as the value of the running function.
fn give(image: &Image, s: &mut State, f: Word, given: [Slot; 2], cost: u16) -> Option<()> {
    let made = take(image, s, f, given, cost)?;
    s.set(s.base, made);
    s.leave();
    Some(())
}

/// Pays for the new ones of the `n` arguments at `base`, if `f` can wait for more.
fn wait(image: &Image, s: &mut State, f: Word, [base, n, new]: [Slot; 3], cost: u16) -> Option<()> {
    let left = s.meter.fuel - i64::from(cost);
    if left < 0 || s.slot(base) == HOLE || !is_function(f) {
        return None;
    }
    if s.missing_arguments(image, f)? <= usize::from(n) {
        return None;
    }
    let visits = s.fed_visits(image, f, n) - s.fed_visits(image, f, n - new);
    let left = left - i64::from(visits);
    if left < 0 {
        return None;
    }
    s.meter.fuel = left;
    Some(())
}
