//! Texts that are likely to be meant otherwise by the form that gets them. What is said of one is
//! said by the form when it runs, and of a literal before that.

use crate::algorithm::date;
use crate::algorithm::regex::template;
use crate::language::form::Form;

/// What is to be said of a text as an operand, and what to write instead.
pub(crate) fn of_text(form: Form, operand: usize, text: &str) -> Option<(String, String)> {
    match (form, operand) {
        (Form::DateFormat, 1) => date::is_bare(text).then(|| date::doubt(text)),
        (Form::RegexReplace, 2) => template::doubt(text),
        _ => None,
    }
}
