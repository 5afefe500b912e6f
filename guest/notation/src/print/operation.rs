//! Operators, choices and templates.

use crate::print::printer::{Ask, CLOSE, LINE, OPEN, Printer, Work, text, whole};
use crate::print::spelling::Spelling;
use crate::table::{
    ARROW, BOTH, CHOICE, EITHER, Operator, PATH, PIPE, PREFIX, ROOT, Style, operator,
};
use pif_core::text::quote::push;
use pif_language::form::Form;
use pif_language::term::TermId;

/// A term with what is asked of it.
type Asked = (TermId, Ask);

impl<'t> Printer<'t> {
    /// A form with its operator between the operands, from one operand on.
    pub(super) fn operation(
        &mut self,
        (id, ask): Asked,
        row: &'static Operator,
        mark: &'static str,
        from: usize,
    ) {
        let operands = self.terms.operands(id).get(from..).unwrap_or_default();
        let asked = operand_ask(row.form, ask);
        let parts: Vec<_> = operands
            .iter()
            .enumerate()
            .map(|(index, operand)| (mark, self.operand(*operand, row, index, asked)))
            .collect();
        let first = operands.first().map_or(ROOT, |operand| self.precedence(*operand, asked));
        self.parts(first, row.precedence, &parts);
    }

    /// Operands, each but the first behind its mark. Lines that stand further in begin behind the
    /// first; where that is an operation of another kind, its lines stand further in still.
    fn parts(&mut self, first: u8, precedence: u8, parts: &[(&'static str, Work<'t>)]) {
        let opening = usize::from(first >= PREFIX || first == precedence);
        let mut out = Vec::new();
        for (index, (mark, part)) in parts.iter().enumerate() {
            if index == opening {
                out.push(OPEN);
            }
            match *mark {
                _ if index == 0 => {}
                // At the beginning of a line a regular expression would begin with it.
                "/" => out.extend_from_slice(&[text(" /"), LINE]),
                mark => out.extend_from_slice(&[LINE, text(mark), text(" ")]),
            }
            out.push(*part);
        }
        out.push(CLOSE);
        self.schedule(&out);
    }

    fn operand(&self, id: TermId, row: &Operator, index: usize, ask: Ask) -> Work<'t> {
        let is_first = index == 0;
        // Of operators that are written alike, only equal ones become one form.
        let is_other = match self.spelled(id, ask) {
            Some(Spelling::Operation(inner, _)) => inner.form != row.form,
            _ => true,
        };
        let precedence = match row.style {
            _ if row.precedence == PIPE => {
                if is_first {
                    CHOICE
                } else {
                    ARROW
                }
            }
            _ if row.form == Form::Coalesce => BOTH + 1,
            Style::Right if is_first => PATH,
            Style::Right => row.precedence,
            Style::Many if is_first && is_other && row.precedence > BOTH => row.precedence,
            Style::Left if is_first => row.precedence,
            _ => row.precedence + 1,
        };
        Work::Term(id, precedence, ask)
    }

    /// `c ? a : b`
    pub(super) fn choice(&mut self, id: TermId, ask: Ask) {
        let part = |index: usize, precedence, ask| {
            Work::Term(self.terms.operand(id, index), precedence, ask)
        };
        let parts = [
            ("", part(0, EITHER, Ask::Truth)),
            ("?", part(1, ROOT, ask)),
            (":", part(2, CHOICE, ask)),
        ];
        let first = self.precedence(self.terms.operand(id, 0), Ask::Truth);
        self.parts(first, CHOICE, &parts);
    }

    /// `a != b`
    pub(super) fn unequal(&mut self, id: TermId) {
        let inner = self.terms.operand(id, 0);
        if let Some(row) = operator(Form::Eq) {
            self.operation((inner, Ask::Value), row, "!=", 0);
        }
    }

    /// `!a`, `-a`, `~a`, `typeof a`
    pub(super) fn prefix(&mut self, id: TermId, mark: &'static str) {
        let terms = self.terms;
        let (inner, ask) = match mark {
            "!" => (terms.operand(id, 0), Ask::Truth),
            "~" => (terms.operand(id, 1), Ask::Value),
            "-" => (terms.operand(id, 0), Ask::Value),
            _ => return self.type_name(id, mark),
        };
        let is_number =
            matches!(terms.form(inner), Form::Integer | Form::BigInteger | Form::FloatNumber);
        if is_number && mark == "-" {
            return self.schedule(&[text(mark), text("("), whole(inner), text(")")]);
        }
        self.schedule(&[text(mark), Work::Term(inner, PATH, ask)]);
    }

    /// `typeof a`, `typeof r.k`
    fn type_name(&mut self, id: TermId, mark: &'static str) {
        let terms = self.terms;
        let first = terms.operand(id, 0);
        if terms.operands(id).len() < 2 {
            return self.schedule(&[text(mark), Work::Term(first, PATH, Ask::There)]);
        }
        let mut out = vec![text(mark)];
        self.path(first, terms.operand(id, 1), Ask::There, &mut out);
        self.schedule(&out);
    }

    /// `Math.floor(a / b)`
    pub(super) fn rounded(&mut self, id: TermId, mark: &'static str) {
        let Some(row) = operator(Form::Divide) else { return };
        let part = |index| self.operand(self.terms.operand(id, index), row, index, Ask::Value);
        let parts = [text(mark), part(0), text(" / "), part(1), text(")")];
        self.schedule(&parts);
    }

    /// Tells whether `concat` is written as a template: texts, and what gives a text or is made one.
    pub(super) fn is_template(&self, id: TermId) -> bool {
        let terms = self.terms;
        let operands = terms.operands(id);
        let is_text = |id: TermId| terms.form(id) == Form::Text;
        operands
            .iter()
            .all(|id| if is_text(*id) { !terms.text(*id).is_empty() } else { self.is_textual(*id) })
            && operands.iter().any(|id| is_text(*id))
            && operands.iter().any(|id| !is_text(*id))
            && !operands.array_windows().any(|[a, b]| is_text(*a) && is_text(*b))
    }

    pub(super) fn template(&mut self, id: TermId) {
        let terms = self.terms;
        let mut out = vec![text("`")];
        for part in terms.operands(id) {
            if terms.form(*part) == Form::Text {
                out.push(self.made(raw(terms.text(*part))));
                continue;
            }
            let is_made =
                terms.form(*part) == Form::AsText && !self.is_textual(terms.operand(*part, 0));
            let inner = if is_made { terms.operand(*part, 0) } else { *part };
            out.extend_from_slice(&[text("${"), whole(inner), text("}")]);
        }
        out.push(text("`"));
        self.schedule(&out);
    }

    /// Tells whether a regular expression can stand between slashes.
    pub(super) fn is_regex(&self, id: TermId) -> bool {
        let terms = self.terms;
        let [pattern, flags] = *terms.operands(id) else { return false };
        if terms.form(pattern) != Form::Text || terms.form(flags) != Form::Text {
            return false;
        }
        let pattern = terms.text(pattern);
        let flags = terms.text(flags);
        let is_flag = |(at, c): (usize, char)| {
            "dgimsuvy".contains(c) && !flags.get(..at).is_some_and(|before| before.contains(c))
        };
        flags.char_indices().all(is_flag) && can_stand_between_slashes(pattern)
    }

    pub(super) fn regex(&mut self, id: TermId) {
        let terms = self.terms;
        let [pattern, flags] = *terms.operands(id) else { return };
        self.schedule(&[text("/"), text(terms.text(pattern)), text("/"), text(terms.text(flags))]);
    }
}

/// The `Ask` of the operands of an operator.
fn operand_ask(form: Form, ask: Ask) -> Ask {
    match form {
        Form::And | Form::Or if ask == Ask::Truth => Ask::Truth,
        Form::And | Form::Or | Form::Both | Form::Either | Form::Coalesce | Form::Eq => Ask::There,
        _ => Ask::Value,
    }
}

/// Tells whether a pattern ends where it ends, and begins no comment.
fn can_stand_between_slashes(pattern: &str) -> bool {
    let mut in_class = false;
    let mut is_escaped = false;
    for c in pattern.chars() {
        match c {
            '\n' | '\r' | '\0' => return false,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '/' if !in_class => return false,
            _ => {}
        }
    }
    let is_plain = !pattern.chars().any(pif_core::text::quote::is_hidden);
    is_plain && !is_escaped && !in_class && !pattern.is_empty() && !pattern.starts_with(['*', '/'])
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
