//! Forms for values of every type, which cost their visit.

use super::Call;
use crate::machine::state::Exit;
use crate::primitive::{Trouble, type_name};
use crate::value::Word;

pub(super) fn fail(c: &mut Call<'_>) -> Result<Word, Exit> {
    let x = c.operand(0);
    c.s.failed = x;
    Err(Trouble::Fail.into())
}

pub(super) fn type_of(c: &mut Call<'_>) -> Result<Word, Exit> {
    let name = type_name(&c.s.heap, c.operand(0));
    c.make_text(name)
}
