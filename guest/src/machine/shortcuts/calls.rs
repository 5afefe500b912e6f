//! Closures over several variables, and functions that wait for more than one argument more.

use crate::code::{Image, Slot};
use crate::machine::state::State;
use crate::value::{
    CLOSURE, HOLE, KIND_PARTIAL, PARTIAL, Word, aux, header, is_function, pointer, tag,
};

/// A closure, if there is room for it.
pub(super) fn close(image: &Image, s: &mut State, d: Slot, id: u32) -> Option<()> {
    let code = image.codes.get(id as usize)?;
    if !s.heap.has_room(code.captures.len() + 1) {
        return None;
    }
    let made = s.place_closure(code, id, s.base);
    s.set_slot(d, made);
    s.pc += 1;
    Some(())
}

/// Puts the partial application of the closure in `f` into the slot of its arguments.
pub(super) fn take(
    image: &Image,
    s: &mut State,
    f: Slot,
    [base, n]: [Slot; 2],
    cost: u16,
) -> Option<()> {
    let made = partial(image, s, s.slot(f), [base, n], cost)?;
    s.set_slot(base, made);
    s.pc += 1;
    Some(())
}

/// Gives it as the value of the running function.
pub(super) fn give(
    image: &Image,
    s: &mut State,
    f: Slot,
    [base, n]: [Slot; 2],
    cost: u16,
) -> Option<()> {
    let made = partial(image, s, s.slot(f), [base, n], cost)?;
    s.set(s.base, made);
    s.leave();
    Some(())
}

/// The partial application of a closure that waits for more than the `n` arguments at `base`.
fn partial(image: &Image, s: &mut State, f: Word, [base, n]: [Slot; 2], cost: u16) -> Option<Word> {
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

/// Pays for the new ones of the `n` arguments at `base`, and skips what would take the value of their
/// application, if the function in `f` can wait for more.
pub(super) fn wait(
    image: &Image,
    s: &mut State,
    f: Slot,
    [base, n, new]: [Slot; 3],
    cost: u16,
) -> Option<()> {
    let f = s.slot(f);
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
    s.pc += 2;
    Some(())
}
