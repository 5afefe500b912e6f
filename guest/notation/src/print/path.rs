//! Members and elements.

use crate::lexer::is_name;
use crate::print::printer::{Ask, Printer, Work, quoted, text, whole};
use crate::print::spelling::Spelling;
use crate::table::ATOM;
use pif_language::form::Form;
use pif_language::term::TermId;

impl<'t> Printer<'t> {
    /// Tells whether a form is written as a member or an element of its subject. A member behind `?.`
    /// would belong to the path.
    pub(super) fn is_member(&self, id: TermId) -> bool {
        let [subject, _] = *self.terms.operands(id) else { return false };
        let is_path = self.terms.form(subject) == Form::GetIn && self.is_safe_path(subject);
        self.terms.form(id) == Form::Get && !is_path
    }

    /// The name or index of a member.
    pub(super) fn member(&mut self, id: TermId, out: &mut Vec<Work<'t>>) {
        self.step(self.terms.operand(id, 1), false, out);
    }

    /// One step of a path.
    fn step(&mut self, key: TermId, is_optional: bool, out: &mut Vec<Work<'t>>) {
        let terms = self.terms;
        let begin = text(if is_optional { "?.[" } else { "[" });
        if terms.form(key) != Form::Text {
            return out.extend_from_slice(&[begin, whole(key), text("]")]);
        }
        let name = terms.text(key);
        if is_name(name) {
            out.extend_from_slice(&[text(if is_optional { "?." } else { "." }), text(name)]);
        } else {
            out.extend_from_slice(&[begin, self.made(quoted(name)), text("]")]);
        }
    }

    /// Tells whether `get_in` is a path that gives null where it leads nowhere.
    pub(super) fn is_safe_path(&self, id: TermId) -> bool {
        let terms = self.terms;
        let [_, path, default] = *terms.operands(id) else { return false };
        terms.form(default) == Form::Unit
            && terms.form(path) == Form::List
            && !self.facts.is_json(path)
            && !terms.operands(path).is_empty()
    }

    /// `r?.a.b`, or `r.a.b` where absent members are asked for.
    pub(super) fn safe_path(&mut self, id: TermId, ask: Ask) {
        let terms = self.terms;
        let mut out = Vec::new();
        self.path(terms.operand(id, 0), terms.operand(id, 1), ask, &mut out);
        self.schedule(&out);
    }

    /// A path of members of a root.
    pub(super) fn path(&mut self, root: TermId, keys: TermId, ask: Ask, out: &mut Vec<Work<'t>>) {
        let is_asked = matches!(ask, Ask::There | Ask::Truth);
        let inner = if is_asked { Ask::Value } else { Ask::There };
        // A call before a `?.` would belong to the chain, and a block would be called.
        let is_block = matches!(self.terms.form(root), Form::Let | Form::Letrec);
        let is_call = matches!(
            self.spelled(root, inner),
            Some(
                Spelling::Method(_)
                    | Spelling::Call(_)
                    | Spelling::Application
                    | Spelling::Rounded(_)
                    | Spelling::Strict
            )
        );
        if (is_block || is_call) && !is_asked {
            out.extend_from_slice(&[text("("), Work::Term(root, 0, inner), text(")")]);
        } else {
            out.push(Work::Term(root, ATOM, inner));
        }
        for (index, key) in self.terms.operands(keys).iter().enumerate() {
            self.step(*key, !is_asked && index == 0, out);
        }
    }
}
