//! Booleans.

use crate::algorithm::number::value::Number;
use crate::builtin::call::{Call, Function};
use crate::builtin::records::path;
use crate::memory::word::{FALSE, TRUE, Word, is_function};
use crate::run::state::Exit;
use pif_language::form::Form;

/// The functions of its forms.
pub(super) const FUNCTIONS: &[(Form, Function)] = &[(Form::Typeof, type_of)];

fn type_of(c: &mut Call<'_>) -> Result<Word, Exit> {
    let mut v = c.operand(0);
    if c.len() > 1 {
        let path = c.operand(1);
        path::steps(&mut c.context(), path, true)?;
        let (base, live) = (c.base, c.base + c.n.max(1));
        match path::follow(&mut c.context(), [base, base + 1], live) {
            Ok(found) => v = found,
            Err(Exit::Trouble(_)) => return c.make_text("undefined"),
            Err(exit) => return Err(exit),
        }
    }
    let heap = &c.s.heap;
    let is_number = Number::of(heap, v).is_some() || heap.as_no_number(v).is_some();
    c.make_text(match v {
        TRUE | FALSE => "boolean",
        _ if is_number => "number",
        _ if heap.is_text(v) => "string",
        _ if is_function(v) => "function",
        _ => "object",
    })
}
