//! Shortcuts: common operations that need a call. In the dispatch loop, that call would take
//! registers from all others. A shortcut does its operation completely, or does not begin it.
//! `complete` does all others: a shortcut changes nothing but time.
//!
//! A shortcut stays while it saves 3 % of the wasm instructions of some program of the tasks, the
//! guide or the library, as `cargo x counts components` counts them:
//!
//! | shortcut | program | saves |
//! |---|---|---|
//! | `get` | `std_fix` of the library | 10.6 % |
//! | | "ranking with ties" of the tasks | 8.5 % |

use crate::algorithm::member::{self, Found};
use crate::algorithm::record;
use crate::builtin::records::path;
use crate::code::{Op, Slot};
use crate::memory::word::{KIND_RECORD, Word, is_integer, is_list};
use crate::run::state::State;
use pif_language::form::Form;

/// Does the operation at `pc`, if it has a shortcut that applies.
#[inline(never)]
pub(super) fn operation(s: &mut State, op: Op) -> bool {
    let Op::Builtin { form: Form::Get, d, n: n @ (2 | 3), cost } = op else { return false };
    // An operation without a cost belongs to a block that is not paid yet.
    cost > 0 && get(s, d, n == 3, cost).is_some()
}

/// Words of the text of a character.
const CHARACTER: usize = 3;

/// Puts what is at a key into the slot of the value that has it, or the default.
fn get(s: &mut State, d: Slot, has_default: bool, cost: u16) -> Option<()> {
    let (of, key) = (s.slot(d), s.slot(d + 1));
    let is_flat = !is_integer(key) && s.heap.is_flat(key);
    let is_record = s.heap.object_kind(of) == KIND_RECORD;
    let mut passed = 0;
    let found = if is_record && is_flat {
        let place = record::look_up(&mut s.heap, of, key);
        place.map(|place| record::value_at(&s.heap, of, place))
    } else if !is_flat && !is_integer(key) {
        return None;
    } else if is_record || is_list(of) || s.heap.is_text(of) {
        match member::read(&mut s.heap, of, key, &mut passed) {
            Found::Value(value) => Some(value),
            Found::Length(n) => Some(path::length(n)),
            Found::Character(text, from, to) if s.heap.has_room(CHARACTER) => {
                Some(s.heap.part(text, from, to).ok()?)
            }
            Found::Missing(_) => None,
            Found::Character(..) | Found::Deep => return None,
        }
    } else {
        return None;
    };
    let value = match found {
        Some(value) => value,
        None if has_default => s.slot(d + 2),
        None => return None,
    };
    let left = s.meter.fuel - i64::from(cost) - work(s, key, passed);
    if left < 0 {
        return None;
    }
    s.set_slot(d, value);
    s.meter.fuel = left;
    s.pc += 1;
    Some(())
}

/// Returns the fuel of looking up a key, besides the visit.
fn work(s: &State, key: Word, passed: u64) -> i64 {
    let price = Form::Get.work_price();
    i64::try_from(price * (member::key_work(&s.heap, key) + passed / price)).unwrap_or(i64::MAX / 2)
}
