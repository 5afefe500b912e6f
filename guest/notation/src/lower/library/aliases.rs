//! Functions of the notation with the names of other languages whose operands are not those of the
//! form.

use super::work::Work;
use crate::tree::Id;
use pif_language::form::Form;

/// A call of a name whose operands are not those of the form.
pub(super) fn in_words(w: &mut Work<'_, '_>) -> Option<Id> {
    let operands = w.operands();
    match (w.call.name.as_ref(), operands.as_slice()) {
        ("toFixed", [number, decimals]) => {
            let options = w.record(&[("decimals", *decimals)]);
            Some(w.form(Form::FormatNumber, &[*number, options]))
        }
        ("at", [list, index]) if w.whole(*index) == Some(-1) => Some(w.form(Form::Last, &[*list])),
        ("join", [separator, list]) if w.b.tree.literal(*separator).is_some() => {
            Some(w.form(Form::Join, &[*list, *separator]))
        }
        ("concat", [first, second]) if w.is_list(*first) || w.is_list(*second) => {
            Some(w.form(Form::Append, &[*first, *second]))
        }
        _ => None,
    }
}
