//! Names as they may be written.

use crate::lexer::is_name;
use crate::lower::library;
use crate::lower::names::{is_callback_member, is_global};
use crate::print::printer::Printer;
use crate::syntax::is_reserved;
use pif_language::form::Form;

/// Words that mean something of their own where a name stands.
const WORDS: [&str; 6] = ["self", "json", "eval", "Symbol", "async", "let"];

/// Tells whether a name can be bound in the notation.
pub(super) fn can_be_bound(name: &str) -> bool {
    is_name(name) && !is_reserved(name) && !WORDS.contains(&name)
}

impl Printer<'_> {
    /// Tells whether a name alone means the variable.
    pub(super) fn is_plain(&self, name: &str) -> bool {
        if !can_be_bound(name) {
            return false;
        }
        // What nothing binds here may be the name of something else.
        self.is_bound(name)
            || !is_global(name)
                && !library::is_function(name)
                && !library::is_constant(name)
                && !is_callback_member(name)
                && Form::of_key(name).is_none()
    }
}
