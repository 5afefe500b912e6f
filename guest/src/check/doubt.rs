//! Texts that a form probably reads in another way than their author means. The form warns at run
//! time; a check warns of literals.

use crate::algorithm::date;
use crate::algorithm::regex::template;
use pif_language::form::Form;

/// Returns a message and a hint for a doubtful text operand.
pub(crate) fn of_text(form: Form, operand: usize, text: &str) -> Option<(String, String)> {
    match (form, operand) {
        (Form::DateFormat, 1) => date::is_bare(text).then(|| date::doubt(text)),
        (Form::RegexReplace, 2) => template::doubt(text),
        _ => None,
    }
}
