//! Shortcuts: operations that are short, but need a call, which in the dispatch loop would take
//! registers from all the others. A shortcut does its operation completely, or does not begin it.
//! `complete` does whatever has none, so without them everything is as it is and takes longer.
//!
//! A shortcut stays if it saves 3 % of the wasm instructions of a program of the tasks, the guide or
//! the library: `cargo x counts components` tells.

mod calls;
mod get;

use super::state::State;
use crate::code::{Image, Op};
use crate::form::Form;
use crate::value::HOLE;

/// Does the operation at `pc`, if it has a shortcut and nothing stands in its way.
#[inline(never)]
pub(super) fn operation(image: &Image, s: &mut State, op: Op) -> bool {
    done(image, s, op).is_some()
}

fn done(image: &Image, s: &mut State, op: Op) -> Option<()> {
    if let Op::Builtin { form: Form::Get, d, n: 2, cost } = op {
        get::get(s, d, cost)
    } else if let Op::Close { d, code } = op {
        calls::close(image, s, d, code)
    } else if let Op::Call { f, base, n, cost, .. } = op {
        calls::take(image, s, f, [base, n], cost)
    } else if let Op::TailCall { f, base, n, cost } = op {
        calls::give(image, s, f, [base, n], cost)
    } else if let Op::TailCallFed { f, base, n, given, cost } = op
        && s.slot(base) == HOLE
    {
        calls::give(image, s, f, [base + given, n - given], cost)
    } else if let Op::Feed { f, base, n, new, cost, .. } = op {
        calls::wait(image, s, f, [base, n, new], cost)
    } else {
        None
    }
}
