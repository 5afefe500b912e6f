//! The marks and words of the notation as JSON, for whatever shows programs in colors.

use crate::table::{ALIASES, CONSTANTS, OPERATORS, RESERVED};
use pif_core::json::escape;

/// Returns `{"operators": […], "constants": […], "keywords": […], "aliases": […]}`.
#[must_use]
pub fn words() -> String {
    let (constants, keywords) = RESERVED.split_at(CONSTANTS);
    let mut out = String::from("{");
    list("operators", OPERATORS.iter().map(|row| row.mark), &mut out);
    list("constants", constants.iter().copied(), &mut out);
    list("keywords", keywords.iter().copied(), &mut out);
    list("aliases", ALIASES.iter().map(|alias| alias.name), &mut out);
    out.push('}');
    out
}

fn list(name: &str, texts: impl Iterator<Item = &'static str>, out: &mut String) {
    if out.len() > 1 {
        out.push(',');
    }
    escape::string(name, out);
    out.push_str(":[");
    for (index, text) in texts.enumerate() {
        if index > 0 {
            out.push(',');
        }
        escape::string(text, out);
    }
    out.push(']');
}
