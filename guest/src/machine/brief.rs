//! Operations that are short but need a call, which in the fast loop would take registers from all
//! the others. They too are done completely or not begun.

use super::state::State;
use crate::code::{Image, Op, Slot};
use crate::form::Form;
use crate::primitive::{record, text_work};
use crate::value::{
    CLOSURE, CONS, HOLE, KIND_PARTIAL, KIND_RECORD, NIL, PARTIAL, Word, aux, header, index,
    is_function, pointer, size, tag,
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
        Op::Builtin { form: Form::Get, d, n: 2, cost } => return get_each(image, s, d, cost),
        _ => return None,
    }
    s.pc += 1;
    Some(())
}

/// `get`; and where a list form does no more than that with each element, what follows, as far as
/// there are elements and nothing stands in the way.
fn get_each(image: &Image, s: &mut State, d: Slot, cost: u16) -> Option<()> {
    let begin = s.pc;
    let mut at = get(s, d, cost)?;
    s.pc += 1;
    let Some(each) = pushes(image, begin, d) else { return Some(()) };
    let price = i64::from(cost) + work(s, s.slot(d + 1)) + i64::from(each.1);
    loop {
        // The key as the record has it, which the records after it may have too.
        let key = s.heap.members(s.slot(d - 1)).get(at).copied().unwrap_or_default();
        if !push(s, each) {
            return Some(());
        }
        forward(s, each.0, price, (at + 1, key));
        // What stands before the `get` again: the element. Its own key is where it was.
        s.set_slot(d, s.slot(d - 1));
        s.pc = begin;
        let Some(next) = get(s, d, cost) else { return Some(()) };
        (at, s.pc) = (next, begin + 1);
    }
}

/// The slot and the cost of the `EachPush` that follows a `get`, if all that stands between the
/// beginning of its loop and the `get` are the element and a key.
fn pushes(image: &Image, get: usize, d: Slot) -> Option<(Slot, u16)> {
    let ops = image.ops.get(get.checked_sub(2)?..)?.first_chunk()?;
    let [Op::Move { d: first, a }, Op::Constant { d: second, .. }, _, end] = *ops else {
        return None;
    };
    let Op::EachPush { d: each, cost, body } = end else { return None };
    let is_all = body as usize + 2 == get && (first, second) == (d, d + 1);
    (is_all && (a, d) == (each + 4, each + 5)).then_some((each, cost))
}

/// Does such an `EachPush`, if nothing stands in its way; whether another element follows.
fn push(s: &mut State, (d, cost): (Slot, u16)) -> bool {
    let left = s.meter.fuel - i64::from(cost);
    if left < 0 || !s.heap.has_room(2) {
        return false;
    }
    let pushed = s.heap.two(s.slot(d + 5), s.slot(d + 3), CONS);
    s.set_slot(d + 3, pushed);
    s.meter.fuel = left;
    s.pc += 1;
    let list = s.slot(d + 1);
    let goes_on = list != NIL;
    if goes_on {
        let [element, rest] = s.heap.cell(index(list));
        s.set_slot(d + 4, element);
        s.set_slot(d + 1, rest);
    }
    goes_on
}

/// Gets and pushes as long as the very key stands at a place, up to an element that is left.
fn forward(s: &mut State, d: Slot, price: i64, (place, key): (usize, Word)) {
    let [mut rest, mut pushed, mut element] = [1, 3, 4].map(|part| s.slot(d + part));
    let (heap, mut fuel) = (&mut s.heap, s.meter.fuel);
    while rest != NIL
        && fuel >= price
        && heap.has_room(2)
        && heap.object_kind(element) == KIND_RECORD
        && size(heap.header(element)) > place + 1
    {
        let [here, value] = heap.cell(index(element) + place);
        if here != key {
            break;
        }
        fuel -= price;
        pushed = heap.two(value, pushed, CONS);
        [element, rest] = heap.cell(index(rest));
    }
    s.meter.fuel = fuel;
    s.set_slot(d + 1, rest);
    s.set_slot(d + 3, pushed);
    s.set_slot(d + 4, element);
}

/// The fuel of looking a key up, besides the visit.
fn work(s: &State, key: Word) -> i64 {
    i64::try_from(Form::Get.work_price() * text_work(&s.heap, key)).unwrap_or(i64::MAX / 2)
}

/// The value of a key of a record, if it is there: what is done most with data. Gives where the key
/// stands among the members.
fn get(s: &mut State, d: Slot, cost: u16) -> Option<usize> {
    let (record, key) = (s.slot(d), s.slot(d + 1));
    // An operation that costs nothing belongs to a block that has not been paid for.
    let is_plain = s.heap.object_kind(record) == KIND_RECORD && s.heap.is_flat(key) && cost > 0;
    if !is_plain {
        return None;
    }
    let left = s.meter.fuel - i64::from(cost) - work(s, key);
    if left < 0 {
        return None;
    }
    let at = record::look_up(&mut s.heap, record, key)?;
    let value = s.heap.members(record).get(at + 1).copied()?;
    s.set_slot(d, value);
    s.meter.fuel = left;
    Some(at)
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
    s.meter.fuel = left - code.merged.get(n).copied().map_or(0, i64::from);
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
    s.meter.fuel = left - i64::from(visits);
    Some(())
}
