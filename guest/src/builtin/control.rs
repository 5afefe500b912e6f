//! Control.

use crate::algorithm::trouble::Trouble;
use crate::builtin::call::{Call, Function};
use crate::memory::word::Word;
use crate::run::state::Exit;
use pif_language::form::Form;

/// The functions of its forms.
pub(super) const FUNCTIONS: &[(Form, Function)] = &[(Form::Fail, fail)];

fn fail(c: &mut Call<'_>) -> Result<Word, Exit> {
    let x = c.operand(0);
    c.s.failed = x;
    Err(Trouble::Fail.into())
}
