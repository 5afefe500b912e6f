//! `get`, and the list forms that do no more than that with each element, as `{"map": [{"lam": "r",
//! "body": {"get": [{"var": "r"}, "name"]}}, …]}`: they are done here for as many elements as nothing
//! stands in the way, each as its operations would be, one by one.

use super::each::{ELEMENT, GIVEN, LIST, RESULT};
use super::state::State;
use crate::code::{Image, Op, Slot};
use crate::form::Form;
use crate::primitive::{record, text_work};
use crate::value::{CONS, KIND_RECORD, NIL, Word, index, size};

/// The list form that a `get` is all of: where its parts begin, and the cost of its `EachPush`.
struct Each {
    d: Slot,
    cost: i64,
}

/// Does the `get` at `pc` and, as far as it goes, what follows.
pub(super) fn get(image: &Image, s: &mut State, d: Slot, cost: u16) -> Option<()> {
    let begin = s.pc;
    let mut at = get_one(s, d, cost)?;
    s.pc += 1;
    let Some(each) = each(image, begin, d) else { return Some(()) };
    let price = i64::from(cost) + work(s, s.slot(d + 1)) + each.cost;
    loop {
        // The key as the record has it, which the records after it may have too.
        let members = s.heap.members(s.part(each.d, ELEMENT));
        let key = members.get(at).copied().unwrap_or_default();
        if !push(s, &each) {
            return Some(());
        }
        forward(s, &each, price, (at + 1, key));
        // What stands before the `get` again: the element. Its own key is where it was.
        s.set_slot(d, s.part(each.d, ELEMENT));
        s.pc = begin;
        let Some(next) = get_one(s, d, cost) else { return Some(()) };
        (at, s.pc) = (next, begin + 1);
    }
}

/// The form whose `EachPush` follows a `get`, if between the beginning of its loop and the `get`
/// nothing but the element and a key is put into slots.
fn each(image: &Image, get: usize, d: Slot) -> Option<Each> {
    let ops = image.ops.get(get.checked_sub(2)?..)?.first_chunk()?;
    let [Op::Move { d: first, a }, Op::Constant { d: second, .. }, _, end] = *ops else {
        return None;
    };
    let Op::EachPush { d: each, cost, body } = end else { return None };
    let part = |part: usize| usize::from(each) + part;
    let is_all = body as usize + 2 == get
        && (first, second) == (d, d + 1)
        && (usize::from(a), usize::from(d)) == (part(ELEMENT), part(GIVEN));
    is_all.then_some(Each { d: each, cost: cost.into() })
}

/// Does the `EachPush`, if nothing stands in its way; whether another element follows.
fn push(s: &mut State, each: &Each) -> bool {
    let left = s.meter.fuel - each.cost;
    if left < 0 || !s.heap.has_room(2) {
        return false;
    }
    let pushed = s.heap.two(s.part(each.d, GIVEN), s.part(each.d, RESULT), CONS);
    s.set_part(each.d, RESULT, pushed);
    s.meter.fuel = left;
    s.pc += 1;
    s.take_element(each.d)
}

/// Gets and pushes as long as the very key stands at a place, up to an element that is left.
fn forward(s: &mut State, each: &Each, price: i64, (place, key): (usize, Word)) {
    let [mut rest, mut pushed, mut element] =
        [LIST, RESULT, ELEMENT].map(|part| s.part(each.d, part));
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
        [element, rest] = heap.next(rest);
    }
    s.meter.fuel = fuel;
    s.set_part(each.d, LIST, rest);
    s.set_part(each.d, RESULT, pushed);
    s.set_part(each.d, ELEMENT, element);
}

/// The fuel of looking a key up, besides the visit.
fn work(s: &State, key: Word) -> i64 {
    i64::try_from(Form::Get.work_price() * text_work(&s.heap, key)).unwrap_or(i64::MAX / 2)
}

/// The value of a key of a record, if it is there: what is done most with data. Gives where the key
/// stands among the members.
fn get_one(s: &mut State, d: Slot, cost: u16) -> Option<usize> {
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
