//! The values of steps that a host knows from before.

use crate::algorithm::trouble::Trouble;
use crate::builtin;
use crate::code::Slot;
use crate::data::values::{self, Meaning};
use crate::memory::heap::Heap;
use crate::run::context::Context;
use crate::run::state::Exit;
use pif_core::limits::Limits;

/// Begins the step whose name is in slot `d`. The run goes on at `end` if the host says what it came to.
pub(super) fn begin(c: &mut Context<'_>, d: Slot, end: u32) -> Result<(), Exit> {
    let name = c.s.slot(d);
    if !c.s.heap.is_text(name) {
        return Err(c.refuse(0, name));
    }
    let Some(passage) = c.s.begin_step(name)? else { return Ok(()) };
    let words = builtin::words_of(&passage.value).map_err(|_| unread())?;
    c.s.make_room(words, c.s.live(&[d]))?;
    let value = values::read(&mut c.s.heap, &passage.value, Meaning::Term, u64::MAX);
    let value = value.map_err(|stop| match stop {
        values::Stop::Full => {
            Trouble::Full("the value of a step does not fit into the memory").into()
        }
        _ => unread(),
    })?;
    c.s.set_slot(d, value.word);
    c.s.pass_step(passage)?;
    c.s.pc = end as usize;
    Ok(())
}

/// Whether a text is the canonical term of data.
pub(super) fn is_data(text: &str, limits: Limits) -> bool {
    let mut heap = Heap::new(limits.memory);
    let read = values::read(&mut heap, text, Meaning::Term, u64::MAX);
    read.is_ok_and(|value| value.wrong.is_none())
}

/// The fault of a value that nobody can read.
fn unread() -> Exit {
    Exit::defect("the value of a step cannot be read")
}
