//! Records: members with names, members with computed names, and spread records.

use crate::lexer::{Kind, Wrong, wrong};
use crate::parse::{Field, Frame, Key, Next, Parser};
use crate::tree::{Id, Words};
use pif_core::fault::Code;
use pif_core::text::quote::shorten;
use pif_language::form::Form;
use pif_language::names::Names;
use std::borrow::Cow;

impl<'s> Parser<'s> {
    /// Begins the next member of a record, or ends it.
    pub(super) fn next_field(&mut self) -> Result<Next, Wrong> {
        let Some(Frame::Record { open, fields, .. }) = self.frames.pop() else {
            return self.unexpected();
        };
        if self.is_end_of(open) {
            self.at += 1;
            self.leave();
            let span = self.since(self.token_at(open as usize).start);
            return self.end_record(fields, span).map(Next::Operator);
        }
        let token = self.token(0);
        let key = match (token.kind, self.spelling(token)) {
            (Kind::Mark, "...") => {
                self.at += 1;
                self.frames.push(Frame::Record { open, fields, key: Key::Spread });
                return Ok(Next::Operand);
            }
            (Kind::Open, "[") => {
                self.at += 1;
                self.frames.push(Frame::Record { open, fields, key: Key::Open });
                return Ok(Next::Operand);
            }
            (Kind::Name, name) => Cow::Borrowed(name),
            (Kind::Text, _) => self.unquote(token.start + 1, token.end - 1)?,
            (Kind::Number, digits) => digits.into(),
            _ => {
                let hint = "write {name: 1, \"a name\": 2, [k]: 3, ...r}";
                return self.unparsable(token.start, "a key is missing", hint);
            }
        };
        self.at += 1;
        if self.take(":") {
            self.frames.push(Frame::Record { open, fields, key: Key::Named(key) });
            return Ok(Next::Operand);
        }
        self.shorthand(open, fields, key)
    }

    /// `{name}` is `{name: name}`.
    fn shorthand(
        &mut self,
        open: u32,
        mut fields: Vec<Field<'s>>,
        key: Words<'s>,
    ) -> Result<Next, Wrong> {
        let token = self.token_at(self.at - 1);
        let is_here = token.kind == Kind::Name && (self.is(0, ",") || self.is_end_of(open));
        if !is_here {
            let start = self.token(0).start;
            let (message, hint) = if self.is(0, "=") {
                ("`=` stands where a `:` belongs", "write {name: 1}")
            } else if self.is(0, "(") {
                ("a member is no method", "write {name: x => x + 1}")
            } else {
                ("a `:` is missing after the key", "write {name: 1}")
            };
            return self.unparsable(start, message, hint);
        }
        self.scope.uses(&key);
        let value = self.tree.variable(key.clone(), (token.start, token.end));
        fields.push(Field::Named(key, value));
        let _ = self.take(",");
        self.frames.push(Frame::Record { open, fields, key: Key::Open });
        self.next_field()
    }

    pub(super) fn field(
        &mut self,
        open: u32,
        mut fields: Vec<Field<'s>>,
        key: Key<'s>,
        value: Id,
    ) -> Result<Next, Wrong> {
        match key {
            Key::Named(name) => fields.push(Field::Named(name, value)),
            Key::Computed(key) => fields.push(Field::Computed(key, value)),
            Key::Spread => fields.push(Field::Spread(value)),
            Key::Open => {
                let is_closed =
                    self.token(0).kind == Kind::Close && self.is(0, "]") && self.is(1, ":");
                self.frames.push(Frame::Record { open, fields, key: Key::Computed(value) });
                if !is_closed {
                    return self.unexpected();
                }
                self.at += 2;
                return Ok(Next::Operand);
            }
        }
        self.frames.push(Frame::Record { open, fields, key: Key::Open });
        self.comma(open)?;
        self.next_field()
    }

    /// A record, or `merge` and `put` for spread records and computed names.
    fn end_record(&mut self, fields: Vec<Field<'s>>, span: (u32, u32)) -> Result<Id, Wrong> {
        let mut whole: Option<Id> = None;
        let (mut names, mut values): (Vec<Words<'s>>, Vec<Id>) = (Vec::new(), Vec::new());
        let mut seen = Names::default();
        let only = fields.len() == 1;
        for field in fields {
            if let Field::Named(name, value) = field {
                if seen.id(&name).is_some() {
                    let message =
                        format!("the key `{}` stands twice in one record", shorten(&name));
                    let start = self.tree.span(value).0;
                    return Err(wrong(
                        (self.source, start),
                        Code::DuplicateKey,
                        &message,
                        "keep one of the two",
                    ));
                }
                seen.add(&name);
                names.push(name);
                values.push(value);
                continue;
            }
            seen = Names::default();
            whole = self.merged(whole, &mut names, &mut values, span);
            whole = Some(match (field, whole) {
                (Field::Spread(record), None) if !only => record,
                (Field::Spread(record), before) => {
                    let other = match before {
                        Some(_) => record,
                        None => self.tree.named(Form::Record, &[], [].into(), span),
                    };
                    self.tree.form(Form::Merge, &[before.unwrap_or(record), other], span)
                }
                (Field::Computed(key, value), before) => {
                    let before = match before {
                        Some(before) => before,
                        None => self.tree.named(Form::Record, &[], [].into(), span),
                    };
                    self.tree.form(Form::Put, &[before, key, value], span)
                }
                (Field::Named(..), before) => before.unwrap_or_default(),
            });
        }
        if whole.is_none() {
            return Ok(self.tree.named(Form::Record, &values, names.into(), span));
        }
        Ok(self.merged(whole, &mut names, &mut values, span).unwrap_or_default())
    }

    /// The members of a record that have been read.
    fn merged(
        &mut self,
        whole: Option<Id>,
        names: &mut Vec<Words<'s>>,
        values: &mut Vec<Id>,
        span: (u32, u32),
    ) -> Option<Id> {
        if names.is_empty() {
            return whole;
        }
        let names = std::mem::take(names).into();
        let record = self.tree.named(Form::Record, &std::mem::take(values), names, span);
        match whole {
            None => Some(record),
            Some(before) => Some(self.tree.form(Form::Merge, &[before, record], span)),
        }
    }
}
