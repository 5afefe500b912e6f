//! Forms that are called by their names, before or after the point; applications.

use crate::print::layout::Piece;
use crate::print::{Printer, Work, listed, quoted, text};
use crate::table::{ATOM, ROOT, SUBJECT, arguments, operator, subject};
use pif_language::form::{Form, Shape};
use pif_language::kinds::{FUNCTION, LIST, RECORD, RECORD_OR_NULL, STRING, STRING_OR_LIST};
use pif_language::term::TermId;

impl<'t> Printer<'t> {
    /// A form that is no literal, variable, function, binding or record.
    pub(super) fn form(&mut self, id: TermId) {
        let terms = self.terms;
        match terms.form(id) {
            Form::If => return self.choice(id),
            Form::Not | Form::Neg => return self.negation(id),
            Form::App => return self.application(id),
            Form::Get | Form::Nth | Form::GetIn if self.is_member(id) => return self.member(id),
            Form::GetIn if self.is_safe_path(id) => return self.safe_path(id, true),
            Form::Concat if self.is_template(id) => return self.template(id),
            Form::SelfRef => return self.say("self"),
            Form::Tool if terms.form(terms.operand(id, 0)) == Form::Text => return self.tool(id),
            _ => {}
        }
        if let Some(row) = operator(terms.form(id)).filter(|_| self.is_operation(id)) {
            return self.operation(id, row, row.mark);
        }
        self.call(id);
    }

    fn tool(&mut self, id: TermId) {
        let name = self.terms.text(self.terms.operand(id, 0));
        let name = self.key(name);
        self.schedule(&[text("@"), name]);
    }

    /// Whether a form is written after its subject.
    pub(super) fn is_method(&self, id: TermId) -> bool {
        let form = self.terms.form(id);
        let Some(row) = form.row() else { return false };
        if !self.can_be_method(id) || matches!(form, Form::Concat | Form::Pipe | Form::Calls) {
            return false;
        }
        let first = row.takes.first().copied().unwrap_or_default();
        arguments(form).is_some()
            || first == FUNCTION
            || [LIST, STRING, STRING_OR_LIST, RECORD, RECORD_OR_NULL].contains(&first)
                && !matches!(row.shape, Shape::Members(_) | Shape::Named(_))
    }

    /// Whether a form can be written after its subject: all but those whose operands are no list.
    pub(super) fn can_be_method(&self, id: TermId) -> bool {
        let form = self.terms.form(id);
        let is_listed = form.row().is_some_and(|row| {
            !matches!(
                row.shape,
                Shape::Branches | Shape::Try | Shape::Ignored | Shape::Members(_) | Shape::Named(_)
            )
        });
        is_listed && self.terms.operands(id).len() > subject(form)
    }

    fn call(&mut self, id: TermId) {
        let terms = self.terms;
        let form = terms.form(id);
        let Some(row) = form.row() else { return };
        let mut operands = self.operands(id);
        let mut out = Vec::new();
        if self.is_method(id) || self.is_bound(row.name) && self.can_be_method(id) {
            let at = subject(form);
            let value = terms.operand(id, at);
            operands.remove(at);
            let is_chain = self.is_method(value) && self.has_words(value);
            out.push(Work::Piece(Piece::Open(true)));
            out.push(Work::Term(value, SUBJECT));
            if is_chain {
                out.push(Work::Piece(Piece::Line(false)));
            }
            out.push(text("."));
        } else {
            out.push(Work::Piece(Piece::Open(false)));
        }
        out.extend_from_slice(&[text(row.name), text("(")]);
        listed(operands, &mut out);
        out.extend_from_slice(&[text(")"), Work::Piece(Piece::Close)]);
        self.schedule(&out);
    }

    /// The operands of a form as they stand between the parentheses.
    fn operands(&mut self, id: TermId) -> Vec<Vec<Work<'t>>> {
        let terms = self.terms;
        let operands = terms.operands(id);
        let form = terms.form(id);
        let plain = |id: &TermId| vec![Work::Term(*id, ROOT)];
        match form.row().map(|row| row.shape) {
            Some(Shape::Branches) => {
                let pairs = operands.chunks(2).map(|pair| {
                    let mut out = vec![text("[")];
                    listed(pair.iter().map(plain).collect(), &mut out);
                    out.push(text("]"));
                    out
                });
                pairs.collect()
            }
            Some(Shape::Try) => {
                let mut out: Vec<Vec<Work<'t>>> = operands.iter().map(plain).collect();
                let codes: Vec<String> =
                    terms.names(id).iter().map(|name| quoted(terms.name(*name))).collect();
                if !codes.is_empty() {
                    out.push(vec![self.made(format!("[{}]", codes.join(", ")))]);
                }
                out
            }
            _ => {
                let mut out: Vec<Vec<Work<'t>>> = operands.iter().map(plain).collect();
                let function = operands.first().copied().unwrap_or_default();
                let most = arguments(form).unwrap_or(usize::MAX);
                // In parentheses a function is what it is, and gets no index.
                if terms.form(function) == Form::Lam
                    && terms.names(function).len() > most
                    && let Some(first) = out.first_mut()
                {
                    *first = vec![text("("), Work::Term(function, ROOT), text(")")];
                }
                out
            }
        }
    }

    fn application(&mut self, id: TermId) {
        let terms = self.terms;
        let Some((function, arguments)) = terms.operands(id).split_first() else { return };
        let (function, form) = (*function, terms.form(*function));
        let is_named = form == Form::Var && {
            let name = terms.name(terms.only_name(function));
            self.is_bound(name) && name != "json"
        };
        let is_closed = match form {
            Form::Var => is_named,
            Form::Tool | Form::SelfRef | Form::App => true,
            _ => !self.has_words(function),
        };
        let mut out = if is_closed {
            vec![Work::Term(function, ATOM)]
        } else {
            vec![text("("), Work::Term(function, ROOT), text(")")]
        };
        let items = arguments.iter().map(|id| vec![Work::Term(*id, ROOT)]).collect();
        out.push(text("("));
        listed(items, &mut out);
        out.push(text(")"));
        self.schedule(&out);
    }

    /// Whether a term is written with a brace before all else.
    pub(super) fn begins_with_brace(&self, id: TermId) -> bool {
        let terms = self.terms;
        let mut at = id;
        loop {
            let form = terms.form(at);
            at = match form {
                Form::Record => return true,
                _ if !self.has_words(at) => return false,
                Form::If => terms.operand(at, 0),
                Form::Get | Form::Nth | Form::GetIn
                    if self.is_member(at) || self.is_safe_path(at) =>
                {
                    terms.operand(at, 0)
                }
                Form::Not if terms.form(terms.operand(at, 0)) == Form::Eq => terms.operand(at, 0),
                Form::Concat if self.is_template(at) => return false,
                _ if operator(form).is_some() && self.is_operation(at) => terms.operand(at, 0),
                _ if self.is_method(at) => terms.operand(at, subject(form)),
                _ => return false,
            };
        }
    }
}
