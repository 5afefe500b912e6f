//! Forms that are called by their names, before or after the point; applications.

use crate::print::layout::Piece;
use crate::print::{BREAK, CLOSE, OPEN, Printer, Work, begin, end, quoted, text};
use crate::table::{ATOM, ROOT, SUBJECT, arguments, is_called, operator, subject};
use pif_language::form::{Form, Row, Shape};
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
            _ if self.subject(id).is_some() => return self.chain(id),
            Form::GetIn if self.is_safe_path(id) => return self.safe_path(id, true),
            Form::Concat if self.is_template(id) => return self.template(id),
            Form::SelfRef => return self.say("self"),
            Form::Tool if terms.form(terms.operand(id, 0)) == Form::Text => return self.tool(id),
            _ => {}
        }
        if let Some(row) = operator(terms.form(id)).filter(|_| self.is_operation(id)) {
            return self.operation(id, row, row.mark);
        }
        let mut out = Vec::new();
        self.call(id, terms.operands(id), &mut out);
        self.schedule(&out);
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

    /// The subject before the point of a member or a call.
    fn subject(&self, id: TermId) -> Option<TermId> {
        let form = self.terms.form(id);
        if !self.has_words(id) || !is_called(form) {
            return None;
        }
        if self.is_member(id) {
            return Some(self.terms.operand(id, 0));
        }
        let is_bound = |row: &Row| self.is_bound(row.name) && self.can_be_method(id);
        let is_after = self.is_method(id) || form.row().is_some_and(is_bound);
        (is_after && !self.is_written_otherwise(id)).then(|| self.terms.operand(id, subject(form)))
    }

    /// Members of a subject and calls after it. Each of two or more calls has a line of its own where
    /// they do not fit on one.
    fn chain(&mut self, id: TermId) {
        let terms = self.terms;
        let (mut at, mut links, mut calls) = (id, Vec::new(), 0);
        while let Some(subject) = self.subject(at) {
            links.push(at);
            calls += usize::from(!self.is_member(at));
            at = subject;
        }
        let is_broken = calls > 1;
        let mut out = vec![Work::Term(at, SUBJECT)];
        if is_broken {
            out.push(OPEN);
        }
        while let Some(link) = links.pop() {
            if self.is_member(link) {
                self.member(link, &mut out);
                continue;
            }
            if is_broken {
                out.push(BREAK);
            }
            out.push(text("."));
            let mut operands = terms.operands(link).to_vec();
            operands.remove(subject(terms.form(link)));
            self.call(link, &operands, &mut out);
        }
        if is_broken {
            out.push(CLOSE);
        }
        self.schedule(&out);
    }

    /// A form's name and its operands.
    fn call(&mut self, id: TermId, operands: &[TermId], out: &mut Vec<Work<'t>>) {
        let terms = self.terms;
        let form = terms.form(id);
        let Some(row) = form.row() else { return };
        out.extend_from_slice(&[text(row.name), text("(")]);
        let count = operands.len();
        if row.shape == Shape::Branches {
            for (index, pair) in operands.chunks(2).enumerate() {
                begin(index, out);
                out.push(text("["));
                self.items(pair, usize::MAX, out);
                end(2, "]", out);
            }
        } else {
            self.items(operands, arguments(form).unwrap_or(usize::MAX), out);
        }
        let codes = if row.shape == Shape::Try { terms.names(id) } else { &[] };
        if !codes.is_empty() {
            begin(count, out);
            let codes: Vec<String> = codes.iter().map(|name| quoted(terms.name(*name))).collect();
            out.push(self.made(format!("[{}]", codes.join(", "))));
        }
        end(count, ")", out);
    }

    /// Operands between parentheses. A function of more names than so many is what it is in
    /// parentheses of its own, and gets no index.
    fn items(&self, operands: &[TermId], most: usize, out: &mut Vec<Work<'t>>) {
        let terms = self.terms;
        let hugged = self.hugged(operands);
        for (index, id) in operands.iter().enumerate() {
            begin(index, out);
            if let Some((at, is_always)) = hugged
                && at == index
            {
                out.push(Work::Piece(Piece::Hug(is_always)));
            }
            if index == 0 && terms.form(*id) == Form::Lam && terms.names(*id).len() > most {
                out.extend_from_slice(&[text("("), Work::Term(*id, ROOT), text(")")]);
            } else {
                out.push(Work::Term(*id, ROOT));
            }
        }
    }

    /// The operand that can begin on the line of the parenthesis, as it has lines of its own, and
    /// whether it does so even where it fits on a line.
    fn hugged(&self, operands: &[TermId]) -> Option<(usize, bool)> {
        let form = |id: &TermId| self.terms.form(*id);
        let (last, others) = operands.split_last()?;
        if let [first] = others
            && form(first) == Form::Lam
            && form(last) != Form::Lam
            && self.is_braced(*first)
        {
            return Some((0, true));
        }
        let is_always = self.is_braced(*last);
        let is_sole = others.iter().all(|id| form(id) != form(last));
        let can_be = is_always || others.is_empty() || form(last) == Form::Lam;
        (is_sole && can_be).then_some((others.len(), is_always))
    }

    /// Whether a term, or the value of a function, stands between braces or brackets.
    fn is_braced(&self, id: TermId) -> bool {
        let mut at = id;
        while self.terms.form(at) == Form::Lam {
            at = self.terms.operand(at, 0);
        }
        matches!(self.terms.form(at), Form::Record | Form::List | Form::Let | Form::Letrec)
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
        out.push(text("("));
        self.items(arguments, usize::MAX, &mut out);
        end(arguments.len(), ")", &mut out);
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
                Form::GetIn if self.is_safe_path(at) => terms.operand(at, 0),
                Form::Not if terms.form(terms.operand(at, 0)) == Form::Eq => terms.operand(at, 0),
                _ if operator(form).is_some() && self.is_operation(at) => terms.operand(at, 0),
                _ => match self.subject(at) {
                    Some(subject) => subject,
                    None => return false,
                },
            };
        }
    }
}
