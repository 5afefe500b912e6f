//! Members and elements.

use crate::lexer::is_name;
use crate::print::{Printer, Work, quoted, text};
use crate::table::{ATOM, ROOT};
use pif_language::form::Form;
use pif_language::term::TermId;

impl<'t> Printer<'t> {
    /// Whether a form is written as a member or an element of its subject.
    pub(super) fn is_member(&self, id: TermId) -> bool {
        let terms = self.terms;
        let [_, key] = *terms.operands(id) else { return false };
        match terms.form(id) {
            Form::Get => terms.form(key) == Form::Text,
            Form::Nth => terms.form(key) == Form::Integer && terms.integer(key) >= 0,
            Form::GetIn => {
                let [key] = *terms.operands(key) else { return false };
                let is_list = terms.form(terms.operand(id, 1)) == Form::List;
                let form = terms.form(key);
                is_list
                    && !matches!(
                        form,
                        Form::Text | Form::Integer | Form::BigInteger | Form::FloatNumber
                    )
            }
            _ => false,
        }
    }

    /// The name or index of a member.
    pub(super) fn member(&mut self, id: TermId, out: &mut Vec<Work<'t>>) {
        let terms = self.terms;
        let key = match terms.form(id) {
            Form::GetIn => terms.operand(terms.operand(id, 1), 0),
            _ => terms.operand(id, 1),
        };
        self.step(key, false, out);
    }

    /// One step of a path.
    fn step(&mut self, key: TermId, is_optional: bool, out: &mut Vec<Work<'t>>) {
        let terms = self.terms;
        if terms.form(key) == Form::Text {
            let name = terms.text(key);
            if is_name(name) {
                out.extend_from_slice(&[text(if is_optional { "?." } else { "." }), text(name)]);
            } else {
                out.extend_from_slice(&[
                    text(if is_optional { "?.[" } else { "[" }),
                    self.made(quoted(name)),
                    text("]"),
                ]);
            }
            return;
        }
        out.extend_from_slice(&[
            text(if is_optional { "?.[" } else { "[" }),
            Work::Term(key, ROOT),
            text("]"),
        ]);
    }

    /// Whether `get_in` is a path that gives null where it leads nowhere.
    pub(super) fn is_safe_path(&self, id: TermId) -> bool {
        let terms = self.terms;
        let [_, path, default] = *terms.operands(id) else { return false };
        let is_plain = |key: &TermId| match terms.form(*key) {
            Form::Integer => terms.integer(*key) >= 0,
            Form::BigInteger | Form::FloatNumber => false,
            _ => true,
        };
        let keys = terms.operands(path);
        terms.form(id) == Form::GetIn
            && terms.form(default) == Form::Unit
            && terms.form(path) == Form::List
            && !keys.is_empty()
            && keys.iter().all(is_plain)
    }

    /// `r?.a.b`, or `r.a.b` before a `??`.
    pub(super) fn safe_path(&mut self, id: TermId, is_optional: bool) {
        let terms = self.terms;
        let mut out = vec![Work::Term(terms.operand(id, 0), ATOM)];
        for (index, key) in terms.operands(terms.operand(id, 1)).iter().enumerate() {
            self.step(*key, is_optional && index == 0, &mut out);
        }
        self.schedule(&out);
    }
}
