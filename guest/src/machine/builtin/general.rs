//! Forms for values of every type, which cost their visit.

use super::Call;
use crate::form::Form;
use crate::machine::state::Exit;
use crate::primitive::{Trouble, type_name};
use crate::value::Word;

pub(super) fn call(c: &mut Call<'_>) -> Result<Word, Exit> {
    let x = c.operand(0);
    if c.form == Form::Fail {
        c.s.failed = x;
        return Err(Trouble::Fail.into());
    }
    let name = type_name(&c.s.heap, x);
    c.make_text(name)
}
