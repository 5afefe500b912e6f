//! `get` of a record: the operation that programs over data do most.

use crate::code::Slot;
use crate::form::Form;
use crate::machine::state::State;
use crate::primitive::{record, text_work};
use crate::value::{KIND_RECORD, Word};

/// Puts the value of a key of a record into the slot of the record, if the key is there.
pub(super) fn get(s: &mut State, d: Slot, cost: u16) -> Option<()> {
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
    s.pc += 1;
    Some(())
}

/// The fuel of looking a key up, besides the visit.
fn work(s: &State, key: Word) -> i64 {
    i64::try_from(Form::Get.work_price() * text_work(&s.heap, key)).unwrap_or(i64::MAX / 2)
}
