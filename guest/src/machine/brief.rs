//! Operations that are short but need a call, which in the fast loop would take registers from all
//! the others. They too are done completely or not begun.

use super::state::State;
use crate::code::{Image, Op, Slot};

/// Does the operation at `pc`, if it is one of these and nothing stands in its way.
#[inline(never)]
pub(super) fn operation(image: &Image, s: &mut State, op: Op) -> bool {
    let is_done = match op {
        Op::Close { d, code } => close(image, s, d, code).is_some(),
        Op::Reverse { d } => {
            let reversed = s.heap.reverse(s.slot(d));
            s.set_slot(d, reversed);
            true
        }
        _ => false,
    };
    s.pc += usize::from(is_done);
    is_done
}

/// A closure, if there is room for it.
fn close(image: &Image, s: &mut State, d: Slot, id: u32) -> Option<()> {
    let code = image.codes.get(id as usize)?;
    if !s.heap.has_room(code.captures.len() + 1) {
        return None;
    }
    let made = s.place_closure(code, id, s.base, s.closure);
    s.set_slot(d, made);
    Some(())
}
