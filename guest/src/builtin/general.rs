//! Forms for values of every type. They cost only their visit.

use crate::algorithm::trouble::Trouble;
use crate::builtin::call::Call;
use crate::memory::types::kind_of;
use pif_language::kinds;

use crate::run::state::Exit;

use crate::memory::word::Word;

pub(crate) fn fail(c: &mut Call<'_>) -> Result<Word, Exit> {
    let x = c.operand(0);
    c.s.failed = x;
    Err(Trouble::Fail.into())
}

pub(crate) fn type_of(c: &mut Call<'_>) -> Result<Word, Exit> {
    let name = kinds::name(kind_of(&c.s.heap, c.operand(0)));
    c.make_text(name)
}
