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
//! | `get_in` | "words" of `cargo x bench v8` (natively) | 22 % |
//! | | "totals by group" of the same | 18 % |

use crate::algorithm::member::{self, Found};
use crate::algorithm::record;
use crate::builtin::records::path;
use crate::code::{Op, Slot};
use crate::memory::word::{CONS, KIND_RECORD, NIL, is_integer, is_list, tag};
use crate::run::state::State;
use pif_language::form::Form;

/// Does the operation at `pc`, if it has a shortcut that applies.
#[inline(never)]
pub(super) fn operation(s: &mut State, op: Op) -> bool {
    let Op::Builtin { form: form @ (Form::Get | Form::GetIn), d, n: n @ (2 | 3), cost } = op else {
        return false;
    };
    // An operation without a cost belongs to a block that is not paid yet.
    cost > 0 && get(s, form, d, n == 3, cost).is_some()
}

/// Words of the text of a character.
const CHARACTER: usize = 3;

/// Puts what is at a key into the slot of the value that has it, or the default. A path must be a
/// single key.
fn get(s: &mut State, form: Form, d: Slot, has_default: bool, cost: u16) -> Option<()> {
    let of = s.slot(d);
    let (key, steps) = match (form, s.slot(d + 1)) {
        (Form::Get, key) => (key, 0),
        (_, path) if tag(path) == CONS => match s.heap.next(path) {
            [key, NIL] => (key, 1),
            _ => return None,
        },
        _ => return None,
    };
    let is_flat = !is_integer(key) && s.heap.is_flat(key);
    let is_record = s.heap.object_kind(of) == KIND_RECORD;
    let mut passed = 0;
    let found = if is_record && is_flat {
        record::look_up(&mut s.heap, of, key)
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
    let work = steps + member::key_work(&s.heap, key);
    let left = s.meter.fuel - i64::from(cost) - fuel(form, work, passed);
    if left < 0 {
        return None;
    }
    s.set_slot(d, value);
    s.meter.fuel = left;
    s.pc += 1;
    Some(())
}

/// Returns the fuel of work, and of what has been passed on the way, besides the visit.
fn fuel(form: Form, work: u64, passed: u64) -> i64 {
    let price = form.work_price();
    i64::try_from(price * (work + passed / price)).unwrap_or(i64::MAX / 2)
}
