//! Facts about a term, found without running it.

use crate::check::advice::{Advice, advise};
use crate::check::{names, repair};
use pif_core::fault::{Fault, Note};
use pif_core::json::escape;
use pif_core::json::tape::TokenId;
use pif_language::form::Form;
use pif_language::forms::FORMS;
use pif_language::parse::{Reading, parse};
use pif_language::print;
use pif_language::survey::{count_forms, needs_named, tools_named};
use pif_language::term::{Origin, Terms};
use pif_notation::{check_code, note_in_notation};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// The outcome of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The text whose sha256 names the term.
    pub canonical: String,
    /// sha256 of `canonical`, in hexadecimal.
    pub hash: String,
    /// The outermost form.
    pub form: &'static str,
    /// How often each form occurs, in the order of the table.
    pub forms: Vec<(&'static str, u32)>,
    /// Variables that nothing in the term binds.
    pub free: Vec<String>,
    /// Tools that the term names literally, in the order of their names.
    pub tools: Vec<Mention>,
    /// Tools of other servers that the term names literally, in the order of their names.
    pub needs: Vec<Mention>,
    /// Whether the term may call others whose names it computes.
    pub computed: bool,
    /// Whether the term can only compute, provided that the tools that it names can only compute.
    pub pure: bool,
    /// Likely mistakes.
    pub notes: Vec<Note>,
    /// The term in the notation.
    pub notation: String,
}

/// A tool that a term names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mention {
    /// Its name, maybe with the revision it is pinned to.
    pub name: String,
    /// JSON Pointer to the first form that names it.
    pub at: String,
    /// The form there. Beyond the first `MOST_PLACES`, `None` and no place.
    pub excerpt: Option<String>,
}

/// Most faults that a check looks for.
const MOST_FAULTS: usize = 20;

/// Variables of a program that is no function.
pub(super) const GIVEN: [&str; 2] = ["data", "input"];

/// Most tools to give a place for, since finding a place takes time.
const MOST_PLACES: usize = 50;

/// Bytes of the longest canonical text of which a check gives the notation, too.
const MOST_CANONICAL: usize = 1 << 20;

/// Parses a term and examines it, without running it. It goes on behind a fault, so it may fail with
/// several.
pub fn check(code: &str) -> Result<Summary, Vec<Fault>> {
    let mut terms = Terms::default();
    let parsed = check_code(&mut terms, code, Origin::Code, &GIVEN, MOST_FAULTS);
    let parsed = parsed.map_err(|faults| match repair::repair(code, &GIVEN, None) {
        Some(repaired) => faults.into_iter().map(|fault| repaired.fault(fault)).collect(),
        None => faults,
    })?;
    let root = parsed.root;
    let has_problems = !names::problems(&terms, root, &GIVEN).is_empty();
    let repaired = if has_problems { repair::repair(code, &GIVEN, None) } else { None };
    let canonical = print::term(&terms, root);
    let (forms, _) = count_forms(&terms, root);
    let has = |form: Form| forms.iter().any(|(used, _)| *used == form);
    let Advice { free, notes } = advise(&terms, root, has(Form::Eval));
    let (tools, computes_tools) = tools_named(&terms, root);
    let (needs, computes_needs) = needs_named(&terms, root);
    // A term made of data can do anything, and so can a tool with a computed name.
    let computed = computes_needs || computes_tools || has(Form::DataToTerm) && has(Form::Eval);
    let pure = needs.is_empty() && !computed;
    let is_short = canonical.len() <= MOST_CANONICAL;
    let notes =
        parsed.notes.into_iter().chain(notes).map(note_in_notation).map(|note| match &repaired {
            Some(repaired) => repaired.note(note),
            None => note,
        });
    Ok(Summary {
        hash: hash(&canonical),
        canonical,
        form: terms.form(root).name(),
        forms: forms.into_iter().map(|(form, count)| (form.name(), count)).collect(),
        free: free.into_iter().map(|name| terms.name(name).to_owned()).collect(),
        tools: mentions(&terms, tools),
        needs: mentions(&terms, needs),
        computed,
        pure,
        notes: notes.collect(),
        notation: if is_short { pif_notation::print(&terms, root) } else { String::new() },
    })
}

/// Writes a term in the notation.
pub fn notation(code: &str) -> Result<String, Box<Fault>> {
    let mut terms = Terms::default();
    let root = parse(&mut terms, code, Origin::Code, Reading::Code)?.root;
    Ok(pif_notation::print(&terms, root))
}

fn mentions(terms: &Terms, tools: Vec<(&str, TokenId)>) -> Vec<Mention> {
    let mention = |(index, (name, token)): (usize, (&str, TokenId))| {
        let name = name.to_owned();
        if index >= MOST_PLACES {
            return Mention { name, ..Mention::default() };
        }
        Mention { name, at: terms.place(token).1, excerpt: Some(terms.excerpt(token)) }
    };
    tools.into_iter().enumerate().map(mention).collect()
}

/// Returns the sha256 of a text in hexadecimal digits.
pub(crate) fn hash(text: &str) -> String {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(text.as_bytes()) {
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

/// Returns the table of forms as JSON: `[{name, group, syntax, doc, example, result}]`.
#[must_use]
pub fn forms() -> String {
    let mut out = String::from("[");
    for (index, row) in FORMS.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        let members = [
            ("name", row.name),
            ("group", row.group),
            ("syntax", row.syntax),
            ("doc", row.doc),
            ("example", row.example),
            ("result", row.result),
        ];
        for (at, (key, text)) in members.into_iter().enumerate() {
            out.push(if at == 0 { '{' } else { ',' });
            escape::string(key, &mut out);
            out.push(':');
            escape::string(text, &mut out);
        }
        out.push('}');
    }
    out.push(']');
    out
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn what_is_unquoted_is_evaluated_and_the_rest_of_a_quote_is_data() {
        let free = |code: &str| check(code).map(|summary| summary.free.join(" "));
        let code = r#"{"quote": [{"var": "a"}, {"unquote": {"add": [{"var": "b"}, 1]}}]}"#;
        assert_eq!(free(code), Ok("b".to_owned()));
        let code = r#"{"lam": "x", "body": {"quote": {"unquote": [{"var": "x"}, {"var": "y"}]}}}"#;
        assert_eq!(free(code), Ok("y".to_owned()));
        let code = r#"{"quote": {"quote": [{"unquote": {"var": "a"}},
            {"unquote": {"unquote": {"var": "b"}}}]}}"#;
        assert_eq!(free(code), Ok("b".to_owned()));
        let code = r#"{"quote": {"unquote": {"tool": "t"}}}"#;
        let mention = super::Mention {
            name: "t".to_owned(),
            at: "/quote/unquote".to_owned(),
            excerpt: Some(r#"{"tool":"t"}"#.to_owned()),
        };
        assert_eq!(check(code).map(|summary| summary.tools), Ok(vec![mention]));
        assert_eq!(
            check(r#"{"unquote": 1}"#).map_err(|faults| faults[0].code.name()),
            Err("malformed")
        );
    }
}
