//! How tightly terms bind as they are written, and which have words.

use crate::print::Printer;
use crate::print::scope::can_be_bound;
use crate::table::{ARROW, ATOM, CHOICE, PATH, POWER, PREFIX, SUBJECT, operator};
use pif_language::form::{Form, Shape};
use pif_language::kinds;
use pif_language::term::TermId;

impl Printer<'_> {
    /// How tightly a term binds.
    pub(super) fn level(&self, id: TermId) -> u8 {
        let terms = self.terms;
        match terms.form(id) {
            Form::Integer if terms.integer(id) < 0 => POWER,
            Form::BigInteger => POWER,
            Form::FloatNumber if terms.float(id).is_sign_negative() => POWER,
            Form::Integer | Form::FloatNumber => PATH,
            Form::Lam => ARROW,
            Form::If => CHOICE,
            Form::Not | Form::Neg => self.level_of_negation(id),
            Form::Get | Form::Nth | Form::GetIn if self.is_member(id) => SUBJECT,
            Form::GetIn if self.is_safe_path(id) => PATH,
            form => match operator(form) {
                Some(row) if self.is_operation(id) => row.level,
                _ => ATOM,
            },
        }
    }

    fn level_of_negation(&self, id: TermId) -> u8 {
        let inner = self.terms.operand(id, 0);
        let is_unequal = self.terms.form(id) == Form::Not && self.terms.form(inner) == Form::Eq;
        if is_unequal { operator(Form::Eq).map_or(PREFIX, |row| row.level) } else { PREFIX }
    }

    /// Whether a term always gives a text.
    pub(super) fn is_textual(&self, id: TermId) -> bool {
        self.terms.form(id).given() == kinds::STRING
    }

    /// Whether a form is written with its operator.
    pub(super) fn is_operation(&self, id: TermId) -> bool {
        let operands = self.terms.operands(id);
        let is_text = |id: &TermId| self.is_textual(*id);
        self.terms.form(id) != Form::Add || !operands.iter().any(is_text)
    }

    /// Whether the names that a term binds can be written.
    pub(super) fn names_are_words(&self, id: TermId) -> bool {
        self.terms.names(id).iter().all(|name| can_be_bound(self.terms.name(*name)))
    }

    /// Whether the notation has words for a term, but for its operands.
    pub(super) fn has_words(&self, id: TermId) -> bool {
        let terms = self.terms;
        let form = terms.form(id);
        let Some(row) = form.row() else { return true };
        match row.shape {
            Shape::Name => self.is_plain(terms.name(terms.only_name(id))),
            Shape::Lambda => self.names_are_words(id),
            Shape::Bindings | Shape::Functions => self.binding_has_words(id),
            Shape::Ignored => !self.is_bound(row.name),
            Shape::Literal => false,
            Shape::Fields | Shape::Application => true,
            _ if self.is_written_otherwise(id) => true,
            _ if self.is_read_otherwise(id) => false,
            // A name that a variable has means the variable; a member never does.
            _ if self.is_bound(row.name) && !self.is_method(id) => self.can_be_method(id),
            _ => true,
        }
    }

    /// Whether a form is read as what people mean by it, and that is another.
    pub(super) fn is_read_otherwise(&self, id: TermId) -> bool {
        let terms = self.terms;
        let operands = terms.operands(id);
        match terms.form(id) {
            Form::Join => terms.form(terms.operand(id, 0)) == Form::Text,
            Form::Concat => {
                operands.len() == 2 && operands.iter().any(|it| terms.form(*it) == Form::List)
            }
            _ => false,
        }
    }

    /// Whether a form has a notation that does not name it.
    pub(super) fn is_written_otherwise(&self, id: TermId) -> bool {
        match self.terms.form(id) {
            Form::If | Form::Not | Form::Neg => true,
            Form::Get | Form::Nth | Form::GetIn => self.is_member(id) || self.is_safe_path(id),
            Form::Tool => self.terms.form(self.terms.operand(id, 0)) == Form::Text,
            Form::Concat => self.is_template(id),
            form => operator(form).is_some() && self.is_operation(id),
        }
    }
}
