//! What has brackets: groups, lists, records, calls, indices, templates; and choices.

use crate::fault::Code;
use crate::language::form::Form;
use crate::notation::lexer::{Kind, Wrong, wrong};
use crate::notation::parse::{Callee, Field, Frame, Key, Next, Parser, Part};
use crate::notation::tree::{Id, Manner, What, Words};
use crate::text::quote::shorten;
use std::borrow::Cow;
use std::collections::BTreeSet;

impl<'s> Parser<'s> {
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
                    return self.unparsable(
                        token.start,
                        "a `:` is missing behind `?`".to_owned(),
                        hint,
                    );
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
                return self.unparsable(
                    start,
                    "a comma joins nothing in parentheses".to_owned(),
                    hint,
                );
            }
            self.frames.push(Frame::Group { open });
            return self.unexpected();
        }
        self.at += 1;
        self.leave();
        Ok(Next::Operator(Self::closed(&mut self.tree, value)))
    }

    /// Passes a comma, unless the bracket ends here.
    fn comma(&mut self, open: u32) -> Result<(), Wrong> {
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
                    self.end_call(start, callee, parts)
                }
                _ => self.unexpected(),
            };
        }
        let spreads = self.take("...");
        match self.frames.last_mut() {
            Some(Frame::List { is_spread, .. } | Frame::Call { is_spread, .. }) => {
                *is_spread = spreads
            }
            _ => {}
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
            let next = match run {
                [(spread, true)] => *spread,
                _ => {
                    let items: Vec<Id> = run.iter().map(|(id, _)| *id).collect();
                    self.tree.list(&items, span)
                }
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
            return self.unparsable(
                start,
                "a part of a list or text is taken by slice".to_owned(),
                hint,
            );
        }
        if !self.is_end_of(open) {
            self.frames.push(Frame::Index { open, target, is_optional });
            return self.unexpected();
        }
        if self.tree.manner(key) == Manner::Negative {
            let hint = "write xs.last(), or xs.reverse()[1] for the last but one";
            return self.malformed(
                self.tree.span(key).0,
                "an index counts from 0".to_owned(),
                hint,
            );
        }
        self.at += 1;
        self.leave();
        Ok(Next::Operator(self.path(target, key, is_optional)))
    }

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
                return self.unparsable(token.start, "a key is missing".to_owned(), hint);
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
                ("a `:` is missing behind the key", "write {name: 1}")
            };
            return self.unparsable(start, message.to_owned(), hint);
        }
        let value = self.tree.variable(key.clone(), (token.start, token.end));
        fields.push(Field::Named(key, value));
        let _ = self.take(",");
        self.frames.push(Frame::Record { open, fields, key: Key::Open });
        self.next_field()
    }

    fn field(
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

    /// A record, or `merge` and `put` of what is spread and computed.
    fn end_record(&mut self, fields: Vec<Field<'s>>, span: (u32, u32)) -> Result<Id, Wrong> {
        let mut whole: Option<Id> = None;
        let (mut names, mut values): (Vec<Words<'s>>, Vec<Id>) = (Vec::new(), Vec::new());
        let mut seen = BTreeSet::new();
        let only = fields.len() == 1;
        for field in fields {
            if let Field::Named(name, value) = field {
                if !seen.insert(name.clone()) {
                    let message =
                        format!("the key `{}` stands twice in one record", shorten(&name));
                    let start = self.tree.span(value).0;
                    return Err(wrong(
                        (self.source, start),
                        Code::DuplicateKey,
                        message,
                        "keep one of the two",
                    ));
                }
                names.push(name);
                values.push(value);
                continue;
            }
            seen.clear();
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

    /// What has been read of a record, with the members that have names.
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

    /// Reads characters of a template up to the next hole, or its end.
    pub(super) fn pieces(&mut self) -> Result<Next, Wrong> {
        let Some(Frame::Template { open, mut parts }) = self.frames.pop() else {
            return self.unexpected();
        };
        let piece = self.token(0);
        if piece.kind == Kind::Piece {
            self.at += 1;
            let text = self.unquote(piece.start, piece.end)?;
            parts.push(self.tree.text(text, (piece.start, piece.end)));
        }
        if !self.is_end_of(open) {
            self.at += 1;
            self.frames.push(Frame::Template { open, parts });
            return Ok(Next::Operand);
        }
        self.at += 1;
        self.leave();
        let span = self.since(self.token_at(open as usize).start);
        Ok(Next::Operator(match parts.as_slice() {
            [] => self.tree.text("", span),
            [one] => *one,
            _ => self.tree.form(Form::Concat, &parts, span),
        }))
    }

    /// The characters between two bytes of the text, escapes decoded.
    pub(super) fn unquote(&self, start: u32, end: u32) -> Result<Words<'s>, Wrong> {
        let text = self.source.get(start as usize..end as usize).unwrap_or_default();
        if !text.contains('\\') {
            return Ok(text.into());
        }
        let (mut out, mut rest) = (String::with_capacity(text.len()), text);
        while let Some((plain, escape)) = rest.split_once('\\') {
            out.push_str(plain);
            match decode(escape) {
                Some((c, behind)) => {
                    out.extend(c);
                    rest = behind;
                }
                None => {
                    let at = end - u32::try_from(escape.len() + 1).unwrap_or_default();
                    let hint = r#"write \n, \t, \", \\ or the code of a character, such as \u00e9"#;
                    return self.unparsable(at, "the escape means nothing".to_owned(), hint);
                }
            }
        }
        out.push_str(rest);
        Ok(out.into())
    }
}

/// The character that stands for what is behind a `\`, and the rest.
fn decode(escape: &str) -> Option<(Option<char>, &str)> {
    let mut chars = escape.chars();
    let c = match chars.next()? {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'v' => '\u{b}',
        '0' => '\0',
        '\n' => return Some((None, chars.as_str())),
        'x' => return hex(chars.as_str(), 2).map(|(code, rest)| (char::from_u32(code), rest)),
        'u' => return unicode(chars.as_str()),
        c @ ('"' | '\'' | '`' | '\\' | '/' | '$' | '{') => c,
        _ => return None,
    };
    Some((Some(c), chars.as_str()))
}

fn hex(text: &str, digits: usize) -> Option<(u32, &str)> {
    let (code, rest) = text.split_at_checked(digits)?;
    let is_hex = !code.is_empty() && code.bytes().all(|byte| byte.is_ascii_hexdigit());
    Some((u32::from_str_radix(code, 16).ok().filter(|_| is_hex)?, rest))
}

fn unicode(text: &str) -> Option<(Option<char>, &str)> {
    if let Some(rest) = text.strip_prefix('{') {
        let digits = rest.find('}')?;
        let (code, rest) = hex(rest, digits)?;
        return Some((Some(char::from_u32(code)?), rest.get(1..)?));
    }
    let (first, rest) = hex(text, 4)?;
    if !(0xd800..0xdc00).contains(&first) {
        return Some((Some(char::from_u32(first)?), rest));
    }
    let (second, rest) = hex(rest.strip_prefix("\\u")?, 4)?;
    if !(0xdc00..0xe000).contains(&second) {
        return None;
    }
    let scalar = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
    Some((Some(char::from_u32(scalar)?), rest))
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
                "a function takes a fixed number of arguments".to_owned(),
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
        callee: Callee<'s>,
        parts: Vec<Part>,
    ) -> Result<Next, Wrong> {
        let span = self.since(start);
        let id = match callee {
            Callee::Value(function) => self.apply(function, &parts, span)?,
            Callee::Name(name) => self.call_name(name, parts, span)?,
            Callee::Member { subject, name, is_optional } => {
                self.call_member(subject, (name, is_optional), parts, span)?
            }
        };
        Ok(Next::Operator(id))
    }
}
