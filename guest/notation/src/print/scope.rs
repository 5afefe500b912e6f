//! Names as they may be written.

use crate::lexer::is_name;
use crate::mistakes::{HABITS, find};
use crate::print::Printer;
use crate::table::{self, RESERVED};
use pif_language::form::Form;

/// Whether a name can be bound in the notation.
pub(super) fn can_be_bound(name: &str) -> bool {
    is_name(name) && !RESERVED.contains(&name)
}

impl Printer<'_> {
    /// Whether a name alone means the variable.
    pub(super) fn is_plain(&self, name: &str) -> bool {
        const SPACES: [&str; 9] =
            ["Math", "JSON", "Object", "Array", "Number", "String", "math", "json", "Date"];
        if !can_be_bound(name) {
            return false;
        }
        if self.is_bound(name) {
            return true;
        }
        // What nothing binds here may be the name of something else.
        table::form(name).is_none()
            && table::alias(name).is_none()
            && find(HABITS, name).is_none()
            && !SPACES.contains(&name)
            && Form::of_key(name).is_none()
    }
}
