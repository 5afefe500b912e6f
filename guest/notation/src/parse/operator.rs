//! The parts after a value: members, calls, operators, or an end.

use crate::lexer::{Kind, Wrong};
use crate::mistakes::{HABITS, find};
use crate::parse::{Callee, Frame, Next, Parser};
use crate::table::{ARROW, CHOICE, EITHER, OPERATORS, Operator, PIPE, POWER, PREFIX, Style};
use crate::tree::{Id, Manner, What};
use pif_language::form::Form;

impl<'s> Parser<'s> {
    pub(super) fn operator(&mut self, value: Id) -> Result<Next, Wrong> {
        let token = self.token(0);
        match (token.kind, self.spelling(token)) {
            (Kind::Open, "(") => {
                self.at += 1;
                let value = self.settle(value);
                return self.begin_call(self.tree.span(value).0, Callee::Value(value));
            }
            (Kind::Open, "[") => {
                let open = self.here();
                self.at += 1;
                self.enter(Frame::Index { open, target: value, is_optional: false });
                return Ok(Next::Operand);
            }
            (Kind::Mark, "." | "?.") => return self.member(value),
            (Kind::Mark, mark) => {
                if let Some(row) = OPERATORS.iter().find(|row| row.mark == mark) {
                    return self.infix(value, row);
                }
                if mark == "?" {
                    let test = self.settle(value);
                    let test = self.reduce(test, CHOICE, true);
                    self.at += 1;
                    self.enter(Frame::Middle { test });
                    return Ok(Next::Operand);
                }
                if mark != ":"
                    && mark != ","
                    && mark != ";"
                    && let Some(habit) = find(HABITS, mark)
                {
                    return self.habit(token, habit);
                }
            }
            _ => {}
        }
        let value = self.settle(value);
        let value = self.reduce(value, 0, false);
        Ok(Next::Deliver(value))
    }

    /// `.name`, `?.name`, `?.[i]`, and calls of members.
    fn member(&mut self, subject: Id) -> Result<Next, Wrong> {
        let is_optional = self.is(0, "?.");
        let name = self.token(1);
        self.at += 1;
        if is_optional && self.is(0, "[") {
            let open = self.here();
            self.at += 1;
            self.enter(Frame::Index { open, target: subject, is_optional });
            return Ok(Next::Operand);
        }
        if name.kind != Kind::Name {
            let hint = "write r.name, r[\"a name\"] or xs[0]";
            return self.unparsable(name.start, "a name is missing after the point", hint);
        }
        self.at += 1;
        if self.is(0, "(") {
            self.at += 1;
            let subject = self.settle(subject);
            let start = self.tree.span(subject).0;
            let callee = Callee::Member { subject, name: self.spelling(name), is_optional };
            return self.begin_call(start, callee);
        }
        let key = self.tree.text(self.spelling(name), (name.start, name.end));
        Ok(Next::Operator(self.path(subject, key, is_optional)))
    }

    /// A member or an element.
    pub(super) fn path(&mut self, target: Id, key: Id, is_optional: bool) -> Id {
        let span = self.since(self.tree.span(target).0);
        let is_optional = is_optional || self.tree.manner(target) == Manner::Optional;
        let id = match &self.tree.node(key).what {
            What::Text(_) => self.tree.form(Form::Get, &[target, key], span),
            What::Number(_) => self.tree.form(Form::Nth, &[target, key], span),
            _ => {
                let path = self.tree.list(&[key], span);
                self.tree.form(Form::GetIn, &[target, path], span)
            }
        };
        let manner = if is_optional { Manner::Optional } else { Manner::Member };
        self.tree.set_manner(id, manner);
        id
    }

    /// A value that nothing goes on with: a path with `?.` in it gives null where it leads nowhere.
    pub(super) fn settle(&mut self, value: Id) -> Id {
        if self.tree.manner(value) == Manner::Optional { self.protect(value) } else { value }
    }

    /// A path that gives null where it leads nowhere.
    fn protect(&mut self, value: Id) -> Id {
        let (mut keys, mut target) = (Vec::new(), value);
        while matches!(self.tree.manner(target), Manner::Member | Manner::Optional) {
            let [below, key] = *self.tree.operands(target) else { break };
            let key = if self.tree.form_of(target) == Form::GetIn {
                self.tree.operands(key).first().copied().unwrap_or(key)
            } else {
                key
            };
            keys.push(key);
            target = below;
        }
        if keys.is_empty() {
            return value;
        }
        keys.reverse();
        let span = self.tree.span(value);
        let path = self.tree.list(&keys, span);
        let null = self.tree.add(What::Null, span);
        self.tree.form(Form::GetIn, &[target, path, null], span)
    }

    fn infix(&mut self, value: Id, row: &'static Operator) -> Result<Next, Wrong> {
        let token = self.token(0);
        let mark = row.mark;
        let mut value = self.settle(value);
        if row.level == POWER {
            let is_signed = self.tree.manner(value) == Manner::Negative
                || matches!(self.frames.last(), Some(Frame::Prefix { .. }));
            if is_signed {
                let hint = "write (-x) ** 2 or -(x ** 2)";
                return self.unparsable(token.start, "`-x ** 2` can be read in two ways", hint);
            }
        }
        value = self.reduce(value, row.level, true);
        if row.form == Form::Coalesce {
            if matches!(self.tree.manner(value), Manner::Member | Manner::Optional) {
                value = self.protect(value);
            }
            if self.is_operation(value, &[Form::And, Form::Or]) {
                return self.mixed(token.start);
            }
        }
        if let Some(Frame::Infix { row: open, operands, .. }) = self.frames.last_mut()
            && open.level == row.level
        {
            let open: &'static Operator = open;
            if open.form == row.form && row.style == Style::Many {
                operands.push(value);
                self.at += 1;
                return Ok(Next::Operand);
            }
            if matches!(row.style, Style::Single | Style::Negated) {
                let message = format!("`{}` and `{mark}` stand in one chain", open.mark);
                return self.unparsable(
                    token.start,
                    &message,
                    &format!("write a {} b && b {mark} c", open.mark),
                );
            }
            if row.style != Style::Right {
                value = self.reduce(value, row.level - 1, true);
                if row.form == Form::Coalesce && self.is_operation(value, &[Form::Or]) {
                    return self.mixed(token.start);
                }
            }
        }
        let is_mixed = matches!(row.form, Form::And | Form::Or)
            && (self.is_operation(value, &[Form::Coalesce])
                || matches!(self.frames.last(), Some(Frame::Infix { row, .. }) if row.form == Form::Coalesce));
        if is_mixed {
            return self.mixed(token.start);
        }
        let in_pipe = self.in_pipe;
        self.in_pipe = in_pipe || row.level == PIPE;
        self.frames.push(Frame::Infix { row, operands: vec![value], in_pipe });
        self.at += 1;
        Ok(Next::Operand)
    }

    fn is_operation(&self, value: Id, forms: &[Form]) -> bool {
        self.tree.manner(value) == Manner::Operation && forms.contains(&self.tree.form_of(value))
    }

    fn mixed(&self, start: u32) -> Result<Next, Wrong> {
        let hint = "write (a ?? b) || c or a ?? (b || c)";
        self.unparsable(start, "`??` does not mix with `&&` and `||`", hint)
    }

    /// Ends what binds more tightly than a level: all operators that a value is the last operand of.
    /// Behind a `|>` some arrows go on.
    pub(super) fn reduce(&mut self, value: Id, level: u8, goes_on: bool) -> Id {
        let mut value = value;
        loop {
            let tightness = match self.frames.last() {
                Some(Frame::Infix { row, .. }) => row.level,
                Some(Frame::Prefix { .. }) => PREFIX,
                Some(Frame::Choice { .. } | Frame::Else { is_statement: false, .. }) => CHOICE,
                Some(Frame::Arrow { in_pipe: false, .. }) if goes_on => return value,
                Some(Frame::Arrow { .. }) => ARROW,
                _ => return value,
            };
            if tightness <= level {
                return value;
            }
            let Some(frame) = self.frames.pop() else { return value };
            value = self.end_operator(frame, value);
        }
    }

    fn end_operator(&mut self, frame: Frame<'s>, value: Id) -> Id {
        let end = self.end();
        match frame {
            Frame::Infix { row, mut operands, in_pipe } => {
                self.in_pipe = in_pipe;
                operands.push(value);
                let start = operands.first().map_or(0, |first| self.tree.span(*first).0);
                self.operation(row, &operands, (start, end))
            }
            Frame::Prefix { form, start } => {
                let id = self.tree.form(form, &[value], (start, end));
                self.tree.set_manner(id, Manner::Operation);
                id
            }
            Frame::Choice { test, then } | Frame::Else { test, then, .. } => {
                let span = (self.tree.span(test).0, end);
                let id = self.tree.form(Form::If, &[test, then, value], span);
                self.tree.set_manner(id, Manner::Operation);
                id
            }
            Frame::Arrow { names, bindings, start, in_pipe } => {
                self.in_pipe = in_pipe;
                self.end_arrow(names, bindings, start, value)
            }
            _ => value,
        }
    }

    fn operation(&mut self, row: &Operator, operands: &[Id], span: (u32, u32)) -> Id {
        let id = match row.form {
            Form::Add => self.sum(operands, span),
            form => self.tree.form(form, operands, span),
        };
        self.tree.set_manner(id, Manner::Operation);
        if row.style != Style::Negated {
            return id;
        }
        let id = self.tree.form(Form::Not, &[id], span);
        self.tree.set_manner(id, Manner::Operation);
        id
    }

    /// `+`: numbers are added until a text is met; from there on texts are joined.
    fn sum(&mut self, operands: &[Id], span: (u32, u32)) -> Id {
        let first = operands.iter().position(|it| self.tree.is_textual(*it));
        let Some(first) = first else { return self.tree.form(Form::Add, operands, span) };
        let (numbers, texts) = operands.split_at_checked(first).unwrap_or((&[], operands));
        let mut parts = match numbers {
            [] => Vec::new(),
            [one] => vec![*one],
            _ => vec![self.tree.form(Form::Add, numbers, span)],
        };
        parts.extend_from_slice(texts);
        let parts: Vec<Id> = parts.into_iter().map(|part| self.as_text(part)).collect();
        self.tree.form(Form::Concat, &parts, span)
    }

    /// A term that gives a text.
    pub(super) fn as_text(&mut self, id: Id) -> Id {
        if self.tree.is_textual(id) {
            return id;
        }
        let span = self.tree.span(id);
        self.tree.form(Form::ToString, &[id], span)
    }
}

/// The levels of `??` and `||` are one.
const _: () = assert!(EITHER > CHOICE && PREFIX > POWER);
