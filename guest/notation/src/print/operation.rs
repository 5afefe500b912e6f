//! Operators, choices and templates.

use crate::print::{CLOSE, LINE, OPEN, Printer, Work, text};
use crate::table::{
    ARROW, ATOM, BOTH, CHOICE, EITHER, Operator, PATH, PIPE, PREFIX, ROOT, Style, operator,
};
use pif_core::text::quote::push;
use pif_language::form::Form;
use pif_language::term::TermId;

impl<'t> Printer<'t> {
    /// A form with its operator between the operands.
    pub(super) fn operation(&mut self, id: TermId, row: &'static Operator, mark: &'static str) {
        let operands = self.terms.operands(id);
        let parts = operands.iter().enumerate().map(|(index, operand)| {
            let is_last = index + 1 == operands.len();
            (mark, self.operand(*operand, row, (index, is_last)))
        });
        let parts: Vec<_> = parts.collect();
        self.parts(id, row.level, &parts);
    }

    /// Operands, each but the first behind its mark. Lines that stand further in begin behind the
    /// first; where that is an operation of another kind, its lines stand further in still.
    fn parts(&mut self, id: TermId, level: u8, parts: &[(&'static str, Work<'t>)]) {
        let first = self.level(self.terms.operand(id, 0));
        let opening = usize::from(first >= PREFIX || first == level);
        let mut out = Vec::new();
        for (index, (mark, part)) in parts.iter().enumerate() {
            if index == opening {
                out.push(OPEN);
            }
            if index > 0 {
                out.extend_from_slice(&[LINE, text(mark), text(" ")]);
            }
            out.push(*part);
        }
        out.push(CLOSE);
        self.schedule(&out);
    }

    fn operand(&self, id: TermId, row: &Operator, (index, is_last): (usize, bool)) -> Work<'t> {
        let form = self.terms.form(id);
        let level = match row.style {
            _ if row.level == PIPE => {
                if index == 0 {
                    CHOICE
                } else {
                    ARROW
                }
            }
            _ if row.form == Form::Coalesce => {
                if !is_last && self.is_safe_path(id) {
                    return Work::Path(id);
                }
                // A path before `??` is read as one that gives null.
                if !is_last && self.is_member(id) { ATOM } else { BOTH + 1 }
            }
            Style::Right if index == 0 => PATH,
            Style::Right => row.level,
            Style::Many if index == 0 && form != row.form && row.level > BOTH => row.level,
            Style::Left if index == 0 => row.level,
            _ => row.level + 1,
        };
        Work::Term(id, level)
    }

    /// `c ? a : b`
    pub(super) fn choice(&mut self, id: TermId) {
        let part = |index: usize, level| Work::Term(self.terms.operand(id, index), level);
        let parts = [("", part(0, EITHER)), ("?", part(1, ROOT)), (":", part(2, CHOICE))];
        self.parts(id, CHOICE, &parts);
    }

    /// `!a`, `-a`, `a != b`
    pub(super) fn negation(&mut self, id: TermId) {
        let inner = self.terms.operand(id, 0);
        let form = self.terms.form(id);
        if form == Form::Not && self.terms.form(inner) == Form::Eq {
            if let Some(row) = operator(Form::Eq) {
                self.operation(inner, row, "!=");
            }
            return;
        }
        let is_number = matches!(self.terms.form(inner), Form::Integer | Form::FloatNumber);
        let mark = if form == Form::Not { "!" } else { "-" };
        if is_number {
            return self.schedule(&[text(mark), text("("), Work::Term(inner, ROOT), text(")")]);
        }
        self.schedule(&[text(mark), Work::Term(inner, PATH)]);
    }

    /// Whether `concat` is written as a template: texts, and what goes through `to_string`.
    pub(super) fn is_template(&self, id: TermId) -> bool {
        let terms = self.terms;
        let operands = terms.operands(id);
        let is_text = |id: TermId| terms.form(id) == Form::Text;
        let fits = |id: &TermId| match terms.form(*id) {
            Form::Text => !terms.text(*id).is_empty(),
            Form::ToString => true,
            _ => self.is_textual(*id),
        };
        let inner = |id: &TermId| match terms.form(*id) {
            Form::ToString => terms.operand(*id, 0),
            _ => *id,
        };
        let is_bare = |id: &TermId| terms.form(*id) == Form::ToString && self.is_textual(inner(id));
        operands.iter().all(fits)
            && !operands.iter().any(is_bare)
            // JSON is no text that a template sees.
            && !operands.iter().any(|id| self.is_read_otherwise(inner(id)))
            && operands.iter().any(|id| !is_text(*id))
            && !operands.array_windows().any(|[a, b]| is_text(*a) && is_text(*b))
    }

    pub(super) fn template(&mut self, id: TermId) {
        let terms = self.terms;
        let mut out = vec![text("`")];
        for part in terms.operands(id) {
            match terms.form(*part) {
                Form::Text => out.push(self.made(raw(terms.text(*part)))),
                form => {
                    let is_wrapped = form == Form::ToString;
                    let inner = if is_wrapped { terms.operand(*part, 0) } else { *part };
                    out.extend_from_slice(&[text("${"), Work::Term(inner, ROOT), text("}")]);
                }
            }
        }
        out.push(text("`"));
        self.schedule(&out);
    }
}

/// Characters of a template.
fn raw(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '`' | '\\' | '$' => out.extend(['\\', c]),
            c => push(c, &mut out),
        }
    }
    out
}
