//! The precedence of terms as they are written.

use crate::print::printer::{Ask, Printer};
use crate::print::spelling::Spelling;
use crate::table::{ARROW, ATOM, CHOICE, EQUALITY, PATH, POWER, PREFIX, SUBJECT, SUM};
use pif_language::form::Form;
use pif_language::term::TermId;

impl Printer<'_> {
    /// Returns the precedence of a term.
    pub(super) fn precedence(&self, id: TermId, ask: Ask) -> u8 {
        let terms = self.terms;
        match self.spelled(id, ask) {
            Some(Spelling::Plain) => match terms.form(id) {
                Form::Integer if terms.integer(id) < 0 => POWER,
                Form::BigInteger => POWER,
                Form::FloatNumber if terms.float(id).is_sign_negative() => POWER,
                Form::Integer | Form::FloatNumber => PATH,
                Form::Lam => ARROW,
                _ => ATOM,
            },
            Some(Spelling::Choice) => CHOICE,
            // A bracket or a slash behind it would make a statement of it.
            Some(Spelling::StrictIf) => SUM,
            Some(Spelling::Path) => PATH,
            Some(Spelling::Not | Spelling::Neg | Spelling::Prefix(_)) => PREFIX,
            Some(Spelling::Unequal) => EQUALITY,
            Some(Spelling::Bare) => self.precedence(terms.operand(id, 0), Ask::There),
            Some(Spelling::Operation(row, _)) => row.precedence,
            Some(Spelling::Member) => SUBJECT,
            _ => ATOM,
        }
    }
}
