//! Names that other languages have for what a form does, where JavaScript has no such name; and names
//! of JavaScript's members, called as functions.

use super::work::Work;
use crate::tree::Id;
use pif_language::form::Form;

const ALIASES: &[(&str, Form)] = &[
    ("len", Form::Length),
    ("count", Form::Length),
    ("size", Form::Length),
    ("str", Form::ToString),
    ("strip", Form::Trim),
    ("startswith", Form::StartsWith),
    ("endswith", Form::EndsWith),
    ("sorted", Form::Sort),
    ("toSorted", Form::Sort),
    ("reversed", Form::Reverse),
    ("toReversed", Form::Reverse),
    ("first", Form::Head),
    ("rest", Form::Tail),
    ("is_empty", Form::IsEmpty),
    ("unique", Form::Distinct),
    ("uniq", Form::Distinct),
    ("avg", Form::Mean),
    ("average", Form::Mean),
    ("trunc", Form::ToInt),
    ("toUpperCase", Form::Upper),
    ("toLowerCase", Form::Lower),
    ("includes", Form::Contains),
    ("some", Form::Any),
    ("every", Form::All),
    ("flat", Form::Flatten),
    ("at", Form::Nth),
    ("padStart", Form::PadLeft),
    ("padEnd", Form::PadRight),
    ("replaceAll", Form::Replace),
    ("substring", Form::Slice),
    ("hasOwnProperty", Form::Has),
    ("toFixed", Form::FormatNumber),
    ("json.dumps", Form::JsonText),
    ("json.loads", Form::JsonParse),
    ("math.sqrt", Form::Sqrt),
    ("math.floor", Form::Floor),
    ("math.ceil", Form::Ceil),
];

/// The form that a name means in another language.
pub(super) fn alias(name: &str) -> Option<Form> {
    ALIASES.iter().find(|(known, _)| *known == name).map(|(_, form)| *form)
}

/// The names that other languages have.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    ALIASES.iter().map(|(name, _)| *name)
}

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
