//! Texts that a form probably reads in another way than their author means. The form warns at run
//! time; a check warns of literals.

use crate::algorithm::date;
use crate::algorithm::regex::template;
use crate::memory::heap::Heap;
use crate::memory::word::Word;
use pif_core::figures::{self, Reading};
use pif_core::hint::Hint;
use pif_language::form::Form;
use pif_language::term::{TermId, Terms};
use pif_notation::{spelling, subject};

/// Bytes of the longest text that may be taken for a number.
const MOST_DIGITS: u64 = 40;

/// Returns a message and a hint for a doubtful text operand.
pub(crate) fn of_text(form: Form, operand: usize, text: &str) -> Option<(String, Hint)> {
    match (form, operand) {
        (Form::DateFormat, 1) => date::is_bare(text).then(|| date::doubt(text)),
        (Form::RegexReplace, 2) => template::doubt(text),
        _ => None,
    }
}

/// The number that a text spells for `Number`, rounded.
pub(crate) fn number_text(heap: &Heap, v: Word) -> Option<f64> {
    let (size, _) = heap.text_size(v)?;
    let mut bytes = Vec::new();
    if (1..=MOST_DIGITS).contains(&size) {
        heap.write_text(v, usize::MAX, &mut bytes);
    }
    let text = std::str::from_utf8(&bytes).ok()?.trim_matches(figures::is_blank);
    let number = match figures::read(text) {
        Reading::Integer(_, 10, _) | Reading::Float(_) => text.parse::<f64>().ok()?,
        Reading::Integer(..) | Reading::None => return None,
    };
    number.is_finite().then_some(number)
}

/// Tells whether the program writes `==` or `!=` before a term. `===` and `!==` mean what they do in
/// JavaScript.
pub(crate) fn is_behind_loose_mark(terms: &Terms, term: TermId) -> bool {
    let before = terms.text_before(terms.node(term).token).unwrap_or_default();
    let before = before.trim_end_matches(|c: char| c.is_whitespace() || c == '(');
    let mark = before.len() - before.trim_end_matches(['=', '!']).len();
    mark == 2
}

/// The warning about an `==` whose operand `part` was the text of a number, and the other a number.
pub(crate) fn equality(terms: &Terms, part: TermId) -> (String, Hint) {
    let which = subject(terms, part);
    let text = spelling(terms, part).unwrap_or_else(|| "text".to_owned());
    let message = format!("{which} was a text, and a text is never equal to a number");
    let number = match terms.form(part) {
        Form::Text => terms.text(part).trim_matches(figures::is_blank).to_owned(),
        _ => format!("Number({text})"),
    };
    let hint = format!("write {number} to compare numbers: `==` compares as `===` does");
    (message, hint.into())
}

/// Tells whether texts in the order of characters all spell numbers, which are in another order.
pub(crate) fn is_misordered(heap: &Heap, texts: impl Iterator<Item = Word>) -> bool {
    let (mut last, mut is_misordered) = (f64::NEG_INFINITY, false);
    for text in texts {
        let Some(number) = number_text(heap, text) else { return false };
        is_misordered |= number < last;
        last = number;
    }
    is_misordered
}

/// The warning about a sort of texts that spell numbers.
pub(crate) fn sort_of_numbers(form: Form) -> (String, Hint) {
    let message = "texts that spell numbers were put in the order of characters";
    let example = match form {
        Form::SortBy => {
            r#"{"sort_by": [{"lam": "x", "body": {"to_number": {"get": [{"var": "x"}, "n"]}}}, list]}"#
        }
        _ => {
            r#"{"sort_with": [{"lam": ["a", "b"], "body": {"sub": [{"to_number": {"var": "a"}}, {"to_number": {"var": "b"}}]}}, list]}"#
        }
    };
    (message.to_owned(), ["for the order of numbers write ", example].into())
}

/// The warning about a result that is a function or holds one, which needs so many more arguments.
pub(crate) fn function(is_whole: bool, missing: usize) -> (String, Hint) {
    let arguments = if missing == 1 { "1 more argument" } else { "more arguments" };
    let message = if is_whole {
        format!("the result is a function, which needs {arguments}")
    } else {
        "the result holds a function, which JSON shows as \"<function>\"".to_owned()
    };
    let hint = match missing {
        0 => "call it, as f()",
        1 => "call it with its argument, as f(x)",
        _ => "call it with all its arguments, as f(x, y)",
    };
    (message, hint.into())
}
