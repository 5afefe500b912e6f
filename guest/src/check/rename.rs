//! Gives a tool another name in a term that calls it.

use std::collections::BTreeMap;

use pif_core::fault::{Code, Fault};
use pif_language::form::Form;
use pif_language::parse::{Reading, parse};
use pif_language::print;
use pif_language::term::{Origin, TermId, Terms};
use pif_language::walk::rebuild;

/// A term in which a tool has another name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renamed {
    /// The canonical text of the term.
    pub canonical: String,
    /// How many places name the tool by its new name now.
    pub count: u32,
    /// Whether a quoted part names the tool. It keeps the old name, since it is data.
    pub is_quoted: bool,
    /// Whether the term names a revision of the tool. It keeps the old name.
    pub is_pinned: bool,
}

/// Replaces the name of a tool in a term: in `tool` and `code_of`, and in calls of its functions, if it
/// is a native capability.
pub fn rename(code: &str, from: &str, to: &str) -> Result<Renamed, Fault> {
    let mut terms = Terms::default();
    let root = parse(&mut terms, code, Origin::Code, Reading::Code)?.root;
    let mut found = Found { names: Vec::new(), is_quoted: false, is_pinned: false };
    rebuild(&mut terms, root, |terms, term, level| {
        found.look(terms, term, level, from);
        None
    });
    let mut renamed: BTreeMap<TermId, TermId> = BTreeMap::new();
    for (name, rest) in found.names {
        let token = terms.node(name).token;
        let text = terms.add_new_text(token, &format!("{to}{rest}"));
        renamed.insert(name, text.ok_or_else(too_long)?);
    }
    let root = rebuild(&mut terms, root, |_, term, _| renamed.get(&term).copied());
    let count = u32::try_from(renamed.len()).unwrap_or(u32::MAX);
    let Found { is_quoted, is_pinned, .. } = found;
    Ok(Renamed { canonical: print::term(&terms, root), count, is_quoted, is_pinned })
}

fn too_long() -> Fault {
    Fault::new(Code::TooLarge, "the term has more text than a term can hold")
}

/// The places that name a tool.
struct Found {
    /// Texts that name it, each with what follows its name there.
    names: Vec<(TermId, String)>,
    is_quoted: bool,
    is_pinned: bool,
}

impl Found {
    fn look(&mut self, terms: &Terms, term: TermId, level: u32, from: &str) {
        let (operands, mark) = match terms.form(term) {
            Form::Tool | Form::CodeOf => (terms.operands(term), '@'),
            Form::Call | Form::Perform => (terms.operands(term), '.'),
            Form::Record => return self.look_at_call(terms, term, level, from),
            _ => return,
        };
        if let Some(name) = operands.first().filter(|name| terms.form(**name) == Form::Text) {
            self.take(terms, *name, mark, level, from);
        }
    }

    /// The record of a call in `calls`: its member `tool` names a function.
    fn look_at_call(&mut self, terms: &Terms, term: TermId, level: u32, from: &str) {
        for (name, value) in terms.names(term).iter().zip(terms.operands(term)) {
            if terms.name(*name) == "tool" && terms.form(*value) == Form::Text {
                self.take(terms, *value, '.', level, from);
            }
        }
    }

    fn take(&mut self, terms: &Terms, name: TermId, mark: char, level: u32, from: &str) {
        let Some(rest) = terms.text(name).strip_prefix(from) else { return };
        let is_tool = rest.is_empty() && mark == '@';
        let is_function = mark == '.' && rest.starts_with('.');
        let is_pin = mark == '@' && rest.starts_with('@');
        if !is_tool && !is_function && !is_pin {
            return;
        }
        if level > 0 {
            self.is_quoted = true;
        } else if is_pin {
            self.is_pinned = true;
        } else {
            self.names.push((name, rest.to_owned()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(code: &str) -> Renamed {
        rename(code, "double", "twice").expect("a term")
    }

    #[test]
    fn calls_get_the_new_name_and_data_does_not() {
        let call = r#"{"call": {"tool": "double.of", "args": 1}}"#;
        let told = of(&format!(
            r#"[{{"app": {{"func": {{"tool": "double"}}, "arg": "double"}}}}, {{"code_of": "double"}}, {call}]"#
        ));
        assert_eq!((told.count, told.is_quoted, told.is_pinned), (3, false, false));
        assert_eq!(told.canonical.matches("twice").count(), 3, "{}", told.canonical);
        assert_eq!(told.canonical.matches("double").count(), 1, "{}", told.canonical);
    }

    #[test]
    fn quotes_and_pins_keep_the_old_name() {
        let told = of(r#"{"quote": {"tool": "double"}}"#);
        assert_eq!((told.count, told.is_quoted), (0, true));
        let told = of(r#"{"quote": {"unquote": {"tool": "double"}}}"#);
        assert_eq!((told.count, told.is_quoted), (1, false));
        assert!(of(r#"{"tool": "double@0123456789ab"}"#).is_pinned);
        assert_eq!(of(r#"{"tool": "doubled"}"#).count, 0);
    }
}
