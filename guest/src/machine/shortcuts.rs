//! Shortcuts: common operations that need a call. In the dispatch loop, that call would take
//! registers from all others. A shortcut does its operation completely, or does not begin it.
//! `complete` does all others, so without shortcuts nothing changes but time.
//!
//! A shortcut stays while it saves 3 % of the wasm instructions of some program of the tasks, the
//! guide or the library, as `cargo x counts components` counts them:
//!
//! | shortcut | program | saves |
//! |---|---|---|
//! | `get` | `std_fix` of the library | 10.6 % |
//! | | "ranking with ties" of the tasks | 8.5 % |

use crate::algorithm::record;
use crate::algorithm::weight::text_work;
use crate::code::{Op, Slot};
use crate::memory::word::{KIND_RECORD, Word};
use crate::run::state::State;
use pif_language::form::Form;

/// Does the operation at `pc`, if it has a shortcut that applies.
#[inline(never)]
pub(super) fn operation(s: &mut State, op: Op) -> bool {
    let Op::Builtin { form: Form::Get, d, n: 2, cost } = op else { return false };
    get(s, d, cost).is_some()
}

/// Puts the value of a record's key into the slot of the record, if the key exists.
fn get(s: &mut State, d: Slot, cost: u16) -> Option<()> {
    let (record, key) = (s.slot(d), s.slot(d + 1));
    // An operation without a cost belongs to a block that is not paid yet.
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

/// Returns the fuel of looking up a key, besides the visit.
fn work(s: &State, key: Word) -> i64 {
    i64::try_from(Form::Get.work_price() * text_work(&s.heap, key)).unwrap_or(i64::MAX / 2)
}
