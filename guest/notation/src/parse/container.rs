//! Terms in brackets: groups, lists, calls, indices; and choices.

use crate::lexer::{Kind, Wrong};
use crate::parse::{Callee, Frame, Next, Parser, Part};
use crate::tree::{Id, Manner, What};
use pif_language::form::Form;

impl Parser<'_> {
    /// Gives a value to what waits for it.
    pub(super) fn deliver(&mut self, value: Id) -> Result<Next, Wrong> {
        let Some(frame) = self.frames.pop() else { return Ok(Next::Done(value)) };
        match frame {
            Frame::Group { open } => self.end_group(open, value),
            Frame::List { open, mut parts, is_spread } => {
                parts.push((value, is_spread));
                self.frames.push(Frame::List { open, parts, is_spread: false });
                self.comma(open)?;
                self.next_part(open)
            }
            Frame::Call { open, start, callee, mut parts, is_spread } => {
                parts.push((value, is_spread));
                self.frames.push(Frame::Call { open, start, callee, parts, is_spread: false });
                self.comma(open)?;
                self.next_part(open)
            }
            Frame::Record { open, fields, key } => self.field(open, fields, key, value),
            Frame::Index { open, target, is_optional } => {
                self.end_index(open, target, is_optional, value)
            }
            Frame::Template { open, mut parts } => {
                if self.token(0).kind != Kind::Close {
                    self.frames.push(Frame::Template { open, parts });
                    return self.unexpected();
                }
                self.at += 1;
                let text = self.as_text(value);
                parts.push(text);
                self.frames.push(Frame::Template { open, parts });
                self.pieces()
            }
            Frame::Middle { test } => {
                if !self.take(":") {
                    let token = self.token(0);
                    let hint = "write c ? a : b";
                    return self.unparsable(token.start, "a `:` is missing after `?`", hint);
                }
                self.leave();
                self.frames.push(Frame::Choice { test, then: value });
                Ok(Next::Operand)
            }
            Frame::Test { start, is_statement } => {
                if self.token(0).kind != Kind::Close {
                    self.frames.push(Frame::Group { open: 0 });
                    return self.unexpected();
                }
                self.at += 1;
                self.leave();
                self.frames.push(Frame::Then { start, is_statement, test: value });
                self.branch()
            }
            frame => {
                self.frames.push(frame);
                Ok(Next::Settled(value, false))
            }
        }
    }

    fn end_group(&mut self, open: u32, value: Id) -> Result<Next, Wrong> {
        if !self.is_end_of(open) {
            if self.is(0, ",") {
                let start = self.token(0).start;
                let hint = "write [a, b] for a list of two, pair(a, b) for a pair";
                return self.unparsable(start, "parentheses hold one value", hint);
            }
            self.frames.push(Frame::Group { open });
            return self.unexpected();
        }
        self.at += 1;
        self.leave();
        Ok(Next::Operator(Self::closed(&mut self.tree, value)))
    }

    /// Passes a comma, unless the bracket ends here.
    pub(super) fn comma(&mut self, open: u32) -> Result<(), Wrong> {
        if self.take(",") || self.is_end_of(open) { Ok(()) } else { self.unexpected() }
    }

    /// Begins the next part of a list or a call, or ends it.
    pub(super) fn next_part(&mut self, open: u32) -> Result<Next, Wrong> {
        if self.is_end_of(open) {
            self.at += 1;
            self.leave();
            return match self.frames.pop() {
                Some(Frame::List { parts, .. }) => {
                    let span = self.since(self.token_at(open as usize).start);
                    Ok(Next::Operator(self.join_lists(&parts, span)))
                }
                Some(Frame::Call { start, callee, parts, .. }) => {
                    self.end_call(start, &callee, parts)
                }
                _ => self.unexpected(),
            };
        }
        let spreads = self.take("...");
        if let Some(Frame::List { is_spread, .. } | Frame::Call { is_spread, .. }) =
            self.frames.last_mut()
        {
            *is_spread = spreads;
        }
        Ok(Next::Operand)
    }

    /// A list, or `append` of lists.
    pub(super) fn join_lists(&mut self, parts: &[Part], span: (u32, u32)) -> Id {
        let plain: Vec<Id> = parts.iter().map(|(id, _)| *id).collect();
        if parts.iter().all(|(_, is_spread)| !is_spread) {
            return self.tree.list(&plain, span);
        }
        let mut whole = None;
        for run in parts.chunk_by(|a, b| !a.1 && !b.1) {
            let next = if let [(spread, true)] = run {
                *spread
            } else {
                let items: Vec<Id> = run.iter().map(|(id, _)| *id).collect();
                self.tree.list(&items, span)
            };
            whole = Some(match whole {
                None if parts.len() > 1 => next,
                None => {
                    let empty = self.tree.list(&[], span);
                    self.tree.form(Form::Append, &[next, empty], span)
                }
                Some(before) => self.tree.form(Form::Append, &[before, next], span),
            });
        }
        whole.unwrap_or_default()
    }

    fn end_index(
        &mut self,
        open: u32,
        target: Id,
        is_optional: bool,
        key: Id,
    ) -> Result<Next, Wrong> {
        let start = self.token(0).start;
        if self.is(0, ":") {
            let hint = "write xs.slice(1, 2); xs.slice(1) to the end";
            return self.unparsable(start, "slice takes a part of a list or text", hint);
        }
        if !self.is_end_of(open) {
            self.frames.push(Frame::Index { open, target, is_optional });
            return self.unexpected();
        }
        if self.tree.manner(key) == Manner::Negative {
            let hint = "write xs.last(), or xs.reverse()[1] for the last but one";
            return self.malformed(self.tree.span(key).0, "an index counts from 0", hint);
        }
        self.at += 1;
        self.leave();
        Ok(Next::Operator(self.path(target, key, is_optional)))
    }
}

impl<'s> Parser<'s> {
    /// The null that a function of nothing gets.
    pub(super) fn null(&mut self, span: (u32, u32)) -> Id {
        self.tree.add(What::Null, span)
    }

    /// An application.
    pub(super) fn apply(
        &mut self,
        function: Id,
        parts: &[Part],
        span: (u32, u32),
    ) -> Result<Id, Wrong> {
        if let Some((id, _)) = parts.iter().find(|(_, is_spread)| *is_spread) {
            let hint = "write f(a, b), or xs.reduce((sum, x) => sum + x, 0) over a list";
            return self.malformed(
                self.tree.span(*id).0,
                "a function takes a fixed number of arguments",
                hint,
            );
        }
        let mut operands = vec![function];
        operands.extend(parts.iter().map(|(id, _)| *id));
        if parts.is_empty() {
            operands.push(self.null(span));
        }
        Ok(self.tree.form(Form::App, &operands, span))
    }

    fn end_call(
        &mut self,
        start: u32,
        callee: &Callee<'s>,
        parts: Vec<Part>,
    ) -> Result<Next, Wrong> {
        let span = self.since(start);
        let id = match *callee {
            Callee::Value(function) => self.apply(function, &parts, span)?,
            Callee::Name(name) => self.call_name(name, parts, span)?,
            Callee::Member { subject, name, is_optional } => {
                self.call_member(subject, (name, is_optional), parts, span)?
            }
        };
        Ok(Next::Operator(id))
    }
}
