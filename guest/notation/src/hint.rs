//! Rewrites hints that show JSON for programs in the notation.

use crate::mistakes::{Habit, NAMES, find};
use crate::print::term_within;
use crate::table::operator;
use pif_core::fault::Fault;
use pif_language::form::Form;
use pif_language::parse::{Notation, parse};
use pif_language::term::{Origin, TermId, Terms};

/// The fault as one of a program in the notation, if it has a place in one or is of a tool.
#[inline(never)]
#[must_use]
pub fn translated(mut fault: Fault) -> Fault {
    // The code of a tool is shown in the notation.
    if fault.place.is_some() || fault.tool.is_some() {
        fault.hint = match habit(&fault) {
            Some(habit) => Some(format!("{}: {}", habit.message, habit.hint)),
            None => fault.hint.map(|hint| translate(&hint)),
        };
    }
    fault
}

/// The habit of another language that an unbound name is of.
fn habit(fault: &Fault) -> Option<&'static Habit> {
    find(NAMES, fault.variable.as_deref()?)
}

/// Most tokens and characters of a part of a program that a message quotes.
const MOST_QUOTED: u32 = 40;

/// What a form is called in a program: its operator, else its name.
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
    let token = terms.node(part).token;
    let is_short = terms.tape.after(token) - token <= MOST_QUOTED;
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

/// Whether a text is a short line without names such as `_1`, which the program does not have.
fn is_quotable(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let is_made = |word: &str| {
        word.strip_prefix('_').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    text.chars().count() <= MOST_QUOTED as usize && !text.contains('\n') && !words.any(is_made)
}

/// A hint in which terms stand in the notation.
#[inline(never)]
#[must_use]
pub fn translate(hint: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(hint.len()), hint);
    while let Some(start) = rest.find("{\"") {
        let (before, json) = rest.split_at(start);
        let Some(end) = end_of(json) else { break };
        let (json, behind) = json.split_at(end);
        out.push_str(before);
        out.push_str(&written(json).unwrap_or_else(|| json.to_owned()));
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// Where an object ends that a text begins with.
fn end_of(text: &str) -> Option<usize> {
    let (mut level, mut is_text) = (0_u32, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' => is_text = !is_text,
            b'{' | b'[' if !is_text => level += 1,
            b'}' | b']' if !is_text => level = level.saturating_sub(1),
            _ => {}
        }
        if level == 0 && !is_text {
            return Some(at + 1);
        }
    }
    None
}

/// Prints an example in the notation. A word that stands for a term becomes a variable.
fn written(example: &str) -> Option<String> {
    let (mut json, mut names, mut word) = (String::new(), Vec::new(), String::new());
    let mut is_text = false;
    for c in example.replace(", …", "").replace("...", "").chars() {
        if !is_text && (c.is_alphanumeric() || c == '_' || c == '-' || c == '?') {
            word.push(c);
            continue;
        }
        let name = std::mem::take(&mut word);
        match name.trim_end_matches('?') {
            "" => {}
            "true" | "false" | "null" => json.push_str(&name),
            name if name.starts_with(|c: char| c.is_ascii_digit() || c == '-') => {
                json.push_str(name);
            }
            name => {
                json.extend(["{\"var\":\"", name, "\"}"]);
                names.push(name.to_owned());
            }
        }
        is_text ^= c == '"';
        json.push(c);
    }
    let mut terms = Terms::default();
    let parsed = parse(&mut terms, &json, Origin::Code, Notation::Code).ok()?;
    let free: Vec<&str> = names.iter().map(String::as_str).collect();
    Some(term_within(&terms, parsed.root, &free))
}

#[cfg(test)]
mod tests {
    use super::{translate, translated};
    use crate::mistakes::NAMES;
    use pif_core::fault::{Code, Fault, Place};
    use pif_language::term::{Origin, Terms};

    /// What a name of another language is answered with is read.
    #[test]
    fn names_of_other_languages_are_answered() {
        for habit in NAMES {
            let name = habit.words.split(' ').next().unwrap();
            let mut fault = Fault::new(Code::Unbound, "an unbound variable");
            fault.variable = Some(name.to_owned());
            fault.place = Some(Box::new(Place::of(name, 0)));
            let hint = translated(fault).hint.unwrap();
            let right = hint.split_once("write ").unwrap().1;
            for right in right.split(" or ") {
                let mut terms = Terms::default();
                let read = crate::parse(&mut terms, right, Origin::Code, &["x", "xs", "s"]);
                assert!(read.is_ok(), "{hint}: {read:?}");
            }
        }
    }

    #[test]
    fn terms_in_hints_are_written_in_the_notation() {
        for (json, expected) in [
            (r#"write {"lam": "x", "body": t}"#, "write x => t"),
            (r#"the order is {"fold": [f, init, list]}"#, "the order is list.fold(f, init)"),
            (
                r#"a tool is called {"app": {"func": {"tool": "name"}, "arg": a}}"#,
                "a tool is called @name(a)",
            ),
            (r#"join texts with {"concat": [a, b]}; or"#, "join texts with concat(a, b); or"),
            (
                r#"write {"app": {"func": f, "arg": a}} or {"add": [a, b, …]}"#,
                "write f(a) or add(a, b)",
            ),
            ("no {braces} here", "no {braces} here"),
        ] {
            assert_eq!(translate(json), expected);
        }
    }
}
