//! Who does an operation: the fast loop, as far as it is simple; else whoever can do it alone.

use super::state::{Exit, State};
use super::{brief, fast, slow};
use crate::code::{Image, Op};

/// Runs from the registers in `s` until something needs the machine.
pub(super) fn run(image: &Image, s: &mut State) -> Exit {
    loop {
        fast::run(image, s);
        let op = image.op(s.pc);
        if matches!(op, Op::Halt) {
            return Exit::Value(s.at(s.base));
        }
        if !brief::operation(image, s, op)
            && let Err(exit) = slow::operation(image, s)
        {
            return exit;
        }
    }
}
