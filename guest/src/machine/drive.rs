//! Tries the dispatch loop, then the shortcuts, then `complete`.

use crate::code::{Image, Op};
use crate::machine::{complete, dispatch, shortcuts};
use crate::run::state::{Exit, State};

/// Runs from the registers in `s` until an operation needs the machine.
pub(super) fn run(image: &Image, s: &mut State) -> Exit {
    loop {
        dispatch::run(image, s);
        let op = image.op(s.pc);
        if matches!(op, Op::Halt) {
            return Exit::Value(s.at(s.base));
        }
        if shortcuts::operation(s, op) {
            continue;
        }
        if let Err(exit) = complete::operation(image, s) {
            return exit;
        }
    }
}
