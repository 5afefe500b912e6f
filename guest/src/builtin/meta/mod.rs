//! Terms, tools and effects.

mod effects;
mod terms;

use crate::builtin::call::{Call, Function};
use crate::memory::types::kind_of;
use crate::memory::word::Word;
use crate::run::state::Exit;
use pif_language::form::Form;
use pif_language::kinds;

/// The functions of its forms.
pub(super) const FUNCTIONS: &[(Form, Function)] = &[
    (Form::TypeOf, type_of),
    (Form::Call, effects::call),
    (Form::Calls, effects::calls),
    (Form::Perform, effects::call),
    (Form::TermToData, terms::term_to_data),
    (Form::DataToTerm, terms::data_to_term),
    (Form::Quote, terms::fill),
];

fn type_of(c: &mut Call<'_>) -> Result<Word, Exit> {
    let name = kinds::name(kind_of(&c.s.heap, c.operand(0)));
    c.make_text(name)
}
