//! The marks and words of the notation as JSON, for whatever shows programs in colors.

use crate::lower::library;
use crate::table::{CONSTANTS, OPERATORS, WORDS};
use pif_core::json::escape;
use std::collections::BTreeSet;

/// Returns `{"operators": […], "constants": […], "keywords": […], "aliases": […]}`.
#[must_use]
pub fn words() -> String {
    let (constants, keywords) = WORDS.split_at(CONSTANTS);
    let mut out = String::from("{");
    list("operators", OPERATORS.iter().map(|row| row.mark), &mut out);
    list("constants", constants.iter().copied(), &mut out);
    list("keywords", keywords.iter().copied(), &mut out);
    list("aliases", library::names(), &mut out);
    out.push('}');
    out
}

/// The names of functions that a program may call.
pub fn functions() -> impl Iterator<Item = &'static str> {
    library::functions()
}

/// The functions of JavaScript that a program may call: the name, and how it is written.
pub fn calls() -> impl Iterator<Item = (&'static str, &'static str)> {
    library::calls()
}

/// The names of members that a program may call.
pub fn members() -> impl Iterator<Item = &'static str> {
    library::members()
}

/// The members of JavaScript that a program may call, in the order of their tables: the name, and how it
/// is written.
pub fn usages() -> impl Iterator<Item = (&'static str, &'static str)> {
    library::usages()
}

/// The names of values: numbers such as `Math.PI`, and words such as `true`.
pub fn constants() -> impl Iterator<Item = &'static str> {
    WORDS.iter().take(CONSTANTS).copied().chain(library::constants())
}

fn list(name: &str, texts: impl Iterator<Item = &'static str>, out: &mut String) {
    if out.len() > 1 {
        out.push(',');
    }
    escape::string(name, out);
    out.push_str(":[");
    let mut said = BTreeSet::new();
    for text in texts.filter(|text| said.insert(*text)) {
        if !out.ends_with('[') {
            out.push(',');
        }
        escape::string(text, out);
    }
    out.push(']');
}
