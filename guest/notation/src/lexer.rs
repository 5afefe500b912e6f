//! Shared by the reader and the printer: names, and faults with their places.

use pif_core::fault::{Code, Fault, Place};
use pif_core::text::quote::is_hidden;

/// A fault of a text, with its place.
pub(crate) type Wrong = Box<Fault>;

/// A fault at a byte of a text.
#[inline(never)]
pub(crate) fn wrong((source, at): (&str, u32), code: Code, message: &str, hint: &str) -> Wrong {
    let mut fault = Fault::new(code, message).hint(hint.to_owned());
    fault.place = Some(Box::new(Place::of(source, at as usize)));
    Box::new(fault)
}

/// Tells whether a character can begin a name.
pub(crate) fn begins_name(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || c == '$' || (!c.is_ascii() && !is_odd(c))
}

pub(crate) fn goes_on(c: char) -> bool {
    c.is_ascii_digit() || begins_name(c)
}

/// Characters beyond ASCII that are no part of names: blanks, quotes, mathematical signs.
fn is_odd(c: char) -> bool {
    c.is_whitespace()
        || is_hidden(c)
        || matches!(c, '\u{a1}'..='\u{a9}' | '\u{ab}'..='\u{b4}' | '\u{b6}'..='\u{b9}' | '\u{bb}'..='\u{bf}'
            | '×' | '÷' | '\u{2000}'..='\u{2bff}' | '\u{3000}'..='\u{3020}' | '\u{ff00}'..='\u{ff0f}'
            | '\u{ff1a}'..='\u{ff20}' | '\u{ff3b}'..='\u{ff3e}' | '\u{ff5b}'..='\u{ff65}')
}

/// Tells whether a text is a name as the notation writes it.
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(begins_name) && text.chars().all(goes_on)
}
