//! Shortcuts: operations that programs do most, but that need a call, which in the dispatch loop
//! would take registers from all the others. A shortcut does its operation completely, or does not
//! begin it. `complete` does whatever has none, so without them everything is as it is and takes
//! longer.
//!
//! A shortcut stays as long as it saves 3 % of the wasm instructions of some program of the tasks,
//! the guide or the library, which `cargo x counts components` tells:
//!
//! | shortcut | program | saves |
//! |---|---|---|
//! | `get` | `std_fix` of the library | 10.6 % |
//! | | "ranking with ties" of the tasks | 8.5 % |

use crate::algorithm::record;
use crate::algorithm::weight::text_work;
use crate::code::{Op, Slot};
use crate::language::form::Form;
use crate::memory::word::{KIND_RECORD, Word};
use crate::run::state::State;

/// Does the operation at `pc`, if it has a shortcut and nothing stands in its way.
#[inline(never)]
pub(super) fn operation(s: &mut State, op: Op) -> bool {
    let Op::Builtin { form: Form::Get, d, n: 2, cost } = op else { return false };
    get(s, d, cost).is_some()
}

/// Puts the value of a key of a record into the slot of the record, if the key is there.
fn get(s: &mut State, d: Slot, cost: u16) -> Option<()> {
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
