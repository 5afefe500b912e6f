//! Faults and notes in the words of programs in the notation.

use crate::print::term_within;
use crate::table::operator;
use pif_core::fault::{Fault, Note};
use pif_core::hint::Hint;
use pif_language::example;
use pif_language::form::Form;
use pif_language::term::{TermId, Terms};
use pif_language::walk;

/// Returns the fault with its hint in the notation, if it is of a program in the notation or of a
/// tool, whose code is shown in the notation.
#[inline(never)]
#[must_use]
pub fn fault_in_notation(fault: Fault) -> Fault {
    let is_shown = fault.place.is_some() || fault.tool.is_some();
    let hint = fault.hint.map(|hint| if is_shown { in_notation(hint) } else { hint });
    Fault { hint, ..fault }
}

/// Returns the note with its hint in the notation, if it is on a program in the notation.
#[must_use]
pub fn note_in_notation(note: Note) -> Note {
    let is_shown = note.place.is_some();
    let hint = note.hint.map(|hint| if is_shown { in_notation(hint) } else { hint });
    Note { hint, ..note }
}

/// Spells the examples of a hint in the notation.
pub(crate) fn in_notation(hint: Hint) -> Hint {
    hint.spelled(|text| {
        let example = example::read(text)?;
        let free: Vec<&str> = example.words.iter().map(String::as_str).collect();
        Some(term_within(&example.terms, example.root, &free))
    })
}

/// Most terms and characters of a part of a program that a message quotes.
const MOST_QUOTED: usize = 40;

/// Returns what a program writes for a form: its operator, else its name.
#[must_use]
pub fn called(form: Form) -> &'static str {
    operator(form).map_or(form.name(), |row| row.mark)
}

/// Names a part of a program for a message: as the program spells it, if it is short.
#[must_use]
pub fn subject(terms: &Terms, part: TermId) -> String {
    match spelling(terms, part) {
        Some(text) => format!("`{text}`"),
        None => "the value here".to_owned(),
    }
}

/// A part of a program in the notation, if it is short and has no names that the program lacks.
#[must_use]
pub fn spelling(terms: &Terms, part: TermId) -> Option<String> {
    let is_short = walk::nodes(terms, part).nth(MOST_QUOTED).is_none();
    let printed = is_short.then(|| term_within(terms, part, &names_in(terms, part)));
    printed.filter(|text| is_quotable(text))
}

/// The names of variables that a term uses or binds.
fn names_in(terms: &Terms, root: TermId) -> Vec<&str> {
    let (mut open, mut names) = (vec![root], Vec::new());
    while let Some(id) = open.pop() {
        names.extend(terms.names(id).iter().map(|name| terms.name(*name)));
        open.extend(terms.operands(id));
    }
    names
}

/// Tells whether a text is a short line without names such as `_1`, which the program does not
/// have.
fn is_quotable(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let is_made = |word: &str| {
        word.strip_prefix('_').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    text.chars().count() <= MOST_QUOTED && !text.contains('\n') && !words.any(is_made)
}

#[cfg(test)]
mod tests {
    use super::in_notation;
    use pif_core::hint::Hint;
    use pif_language::mistakes::{kinds, names, words};
    use pif_language::term::{Origin, Terms};

    fn reads(text: &str) -> bool {
        let free = ["x", "xs", "s", "a", "b", "f", "t", "list", "record", "key", "value"];
        crate::parse(&mut Terms::default(), text, Origin::Code, &free).is_ok()
    }

    #[test]
    fn examples_are_written_in_the_notation() {
        for (parts, expected) in [
            (&["write ", r#"{"lam": "x", "body": t}"#][..], "write x => t"),
            (&["the order is ", r#"{"fold": [f, init, list]}"#], "the order is list.fold(f, init)"),
            (
                &["a tool is called ", r#"{"app": {"func": {"tool": "name"}, "arg": a}}"#],
                "a tool is called @name(a)",
            ),
            (&["join with ", r#"{"concat": [a, b]}"#, "; or"], "join with concat(a, b); or"),
            (
                &["write ", r#"{"app": {"func": f, "arg": a}}"#, " or ", r#"{"add": [a, b, …]}"#],
                "write f(a) or add(a, b)",
            ),
            (&[r#"no {"braces": 1} here"#], r#"no {"braces": 1} here"#),
        ] {
            assert_eq!(in_notation(parts.into()).to_string(), expected);
        }
    }

    /// The notation has a spelling for each example of the tables, and reads it.
    #[test]
    fn examples_of_tables_are_read() {
        let hints = names::hints().chain(kinds::all().map(Hint::from));
        let hints = hints.chain(words::all().map(|(_, word)| Hint::from(word.hint)));
        let mut tried = 0;
        for hint in hints {
            for example in hint.examples() {
                let shown = in_notation(Hint::default().example(example.to_owned())).to_string();
                assert!(reads(&shown), "{example}: {shown}");
                tried += 1;
            }
        }
        assert!(tried > 120, "{tried}");
    }

    /// The hint for a name of another language is read.
    #[test]
    fn names_of_other_languages_are_answered() {
        let mut tried = 0;
        for (name, row) in words::all().filter(|(name, _)| words::find(words::NAME, name).is_some())
        {
            let hint = in_notation(row.hint.into()).to_string();
            let right = hint.split_once("write ").unwrap().1;
            assert!(right.split(" or ").all(reads), "{name}: {hint}");
            tried += 1;
        }
        assert!(tried >= 16, "{tried}");
    }
}
