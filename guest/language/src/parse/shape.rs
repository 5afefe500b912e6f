//! Reads the operands of each shape.

use crate::form::{Bare, Form, Shape};
use crate::hint::syntax;
use crate::parse::{Literal, Parser, Work, Wrong, describe, number};
use pif_core::fault::{Code, Fault};
use pif_core::json::tape::{Token, TokenId};
use pif_core::limits::to_u32;
use pif_core::text::quote::shorten;

use crate::term::NameId;

impl Parser<'_, '_> {
    pub(super) fn form(&mut self, token: TokenId, form: Form, value: TokenId) -> Result<(), Wrong> {
        let Some(row) = form.row() else { return Ok(()) };
        let extra: &[&str] = match row.shape {
            Shape::Lambda => &["body"],
            Shape::Bindings | Shape::Functions => &["in"],
            Shape::Try if self.tape().member(token, "codes").is_some() => &["catch", "codes"],
            Shape::Try => &["catch"],
            _ => &[],
        };
        self.warn_ignored(token, form, extra);
        match row.shape {
            Shape::Name => {
                let name = self.name(value, form)?;
                self.build(form, token, 0, &[name]);
            }
            Shape::Ignored => {
                self.warn_held(token, form, value);
                self.build(form, token, 0, &[]);
            }
            Shape::List { least, most, bare } => match self.only(form, value, bare) {
                Some(only) => self.one(form, token, only),
                None => self.several(form, token, value, (least, most))?,
            },
            Shape::Literal => self.literal(form, token, value)?,
            Shape::Branches => self.branches(token, value)?,
            Shape::Try => self.attempt(token, value)?,
            Shape::Members(members) => self.named(form, token, value, (members, members.len()))?,
            Shape::MembersOr(members) => {
                self.named(form, token, value, (members, members.len() - 1))?;
            }
            Shape::Lambda => self.lambda(token, value)?,
            Shape::Application => self.application(token, value)?,
            Shape::Bindings | Shape::Functions => self.bindings(form, token, value)?,
            Shape::Fields => match self.tape().token(value) {
                Token::Object { .. } => self.fields(form, token, value),
                _ => return Err(self.malformed(form, value)),
            },
            Shape::Named(members) => self.capability(form, token, value, members)?,
        }
        Ok(())
    }

    /// Returns the only operand if it is not an item of an array of operands.
    fn only(&self, form: Form, value: TokenId, bare: Bare) -> Option<TokenId> {
        match (bare, self.tape().token(value)) {
            (Bare::Never, _) | (Bare::Read | Bare::Written, Token::Array { .. }) => None,
            (Bare::List, Token::Array { count: 1, .. }) => Some(value + 1),
            (Bare::List, Token::Array { count: 2, .. }) => {
                (!self.has_literal_number(form, value)).then_some(value)
            }
            _ => Some(value),
        }
    }

    /// Tells whether the second value of an array is a number, and the form takes one there.
    fn has_literal_number(&self, form: Form, array: TokenId) -> bool {
        let takes = form.row().is_some_and(|row| row.takes.len() > 1);
        let Some(second) = self.tape().items(array).nth(1).filter(|_| takes) else { return false };
        match self.tape().token(second) {
            Token::Integer(_) | Token::Number(_) => true,
            Token::Object { count: 1, .. } => {
                self.tape().members(second).any(|(key, _)| self.tape().str(key) == "float")
            }
            _ => false,
        }
    }

    pub(super) fn malformed(&self, form: Form, token: TokenId) -> Wrong {
        let found = describe(self.tape(), token);
        let message = format!("`{}` cannot be made of {found}", form.name());
        let fault = Fault::new(Code::Malformed, message).hint(syntax("write ", form));
        Wrong { token, fault }
    }

    pub(super) fn name(&mut self, token: TokenId, form: Form) -> Result<NameId, Wrong> {
        let Token::Text(span) = self.tape().token(token) else {
            return Err(self.malformed(form, token));
        };
        let name = self.tape().str(span).to_owned();
        Ok(self.builder.terms.intern(&name))
    }

    fn one(&mut self, form: Form, token: TokenId, operand: TokenId) {
        self.build(form, token, 1, &[]);
        self.work.push(Work::Term(operand));
    }

    fn several(
        &mut self,
        form: Form,
        token: TokenId,
        value: TokenId,
        (least, most): (u32, u32),
    ) -> Result<(), Wrong> {
        let Token::Array { count, .. } = self.tape().token(value) else {
            return Err(self.malformed(form, value));
        };
        if (least..=most).contains(&count) {
            self.build(form, token, count, &[]);
            self.work.push(Work::Items { next: value + 1, count });
            return Ok(());
        }
        let wanted = match most {
            _ if least == most => format!("{least} operands"),
            u32::MAX => format!("{least} or more operands"),
            _ => format!("{least} to {most} operands"),
        };
        let message = format!("`{}` takes {wanted}, not {count}", form.name());
        let fault = Fault::new(Code::Malformed, message).hint(syntax("write ", form));
        Err(Wrong { token: value, fault })
    }

    /// Reads `float` and `int`: the number itself is the term.
    fn literal(&mut self, form: Form, token: TokenId, value: TokenId) -> Result<(), Wrong> {
        let text = match self.tape().token(value) {
            Token::Integer(n) => n.to_string(),
            Token::Number(span) | Token::Text(span) => self.tape().str(span).to_owned(),
            _ => return Err(self.malformed(form, value)),
        };
        let wrong = |fault| Wrong { token: value, fault };
        let n = literal(form, &text).map_err(wrong)?;
        let n = n.ok_or_else(|| self.malformed(form, value))?;
        self.builder.number(token, n);
        Ok(())
    }

    fn branches(&mut self, token: TokenId, value: TokenId) -> Result<(), Wrong> {
        if !matches!(self.tape().token(value), Token::Array { .. }) {
            return Err(self.malformed(Form::Cond, value));
        }
        let branches: Vec<TokenId> = self.tape().items(value).collect();
        let mut operands = Vec::with_capacity(2 * branches.len());
        for branch in branches {
            let Token::Array { count: 2, .. } = self.tape().token(branch) else {
                return Err(self.malformed(Form::Cond, branch));
            };
            operands.extend([branch + 1, self.tape().after(branch + 1)]);
        }
        self.build(Form::Cond, token, to_u32(operands.len()), &[]);
        self.operands(&operands);
        Ok(())
    }

    /// Reads named members, of which at least so many are there.
    fn named(
        &mut self,
        form: Form,
        token: TokenId,
        value: TokenId,
        (members, least): (&[&str], usize),
    ) -> Result<(), Wrong> {
        if !matches!(self.tape().token(value), Token::Object { .. }) {
            return Err(self.malformed(form, value));
        }
        let mut operands = Vec::with_capacity(members.len());
        for (at, member) in members.iter().enumerate() {
            match self.tape().member(value, member) {
                Some(found) => operands.push(found),
                None if at < least => return Err(missing(form, value, member)),
                None => {}
            }
        }
        self.build(form, token, to_u32(operands.len()), &[]);
        self.operands(&operands);
        Ok(())
    }

    /// Reads named members, the first of which names a tool of another server.
    fn capability(
        &mut self,
        form: Form,
        token: TokenId,
        value: TokenId,
        members: &[&str],
    ) -> Result<(), Wrong> {
        let named = members.first().and_then(|first| self.tape().member(value, first));
        let Some(named) = named else {
            let applies = self.tape().member(value, "func").is_some();
            return if applies {
                // What other languages call a call is an application here.
                let Wrong { token, fault } = missing(form, value, "tool");
                Err(Wrong { token, fault: fault.hint(syntax("write ", Form::App)) })
            } else {
                self.named(form, token, value, (members, members.len()))
            };
        };
        let form_name = form.name();
        let Token::Text(span) = self.tape().token(named) else {
            let found = describe(self.tape(), named);
            let message = format!("`{form_name}` names its tool by a literal text, not by {found}");
            let perform = r#"{"perform": {"capability": t, "args": t}}"#;
            let fault =
                Fault::new(Code::Malformed, message).hint(["for a computed name, write ", perform]);
            return Err(Wrong { token: named, fault });
        };
        let name = self.tape().str(span);
        ensure_tool_name(form, name).map_err(|fault| Wrong { token: named, fault })?;
        self.named(form, token, value, (members, members.len() - 1))
    }

    fn lambda(&mut self, token: TokenId, value: TokenId) -> Result<(), Wrong> {
        let tokens: Vec<TokenId> = match self.tape().token(value) {
            Token::Array { count, .. } if count > 0 => self.tape().items(value).collect(),
            _ => vec![value],
        };
        let mut names = Vec::with_capacity(tokens.len());
        for parameter in &tokens {
            names.push(self.name(*parameter, Form::Lam)?);
        }
        self.ensure_different(Form::Lam, &names, &tokens)?;
        let body = self.tape().member(token, "body");
        let body = body.ok_or_else(|| missing(Form::Lam, token, "body"))?;
        self.build(Form::Lam, token, 1, &names);
        self.work.push(Work::Term(body));
        Ok(())
    }

    fn application(&mut self, token: TokenId, value: TokenId) -> Result<(), Wrong> {
        if !matches!(self.tape().token(value), Token::Object { .. }) {
            return Err(self.malformed(Form::App, value));
        }
        let member = |name| self.tape().member(value, name);
        let function = member("func").ok_or_else(|| missing(Form::App, value, "func"))?;
        let mut operands = vec![function];
        match (member("arg"), member("args")) {
            (Some(argument), None) => operands.push(argument),
            (None, Some(arguments)) => match self.tape().token(arguments) {
                Token::Array { count, .. } if count > 0 => {
                    operands.extend(self.tape().items(arguments));
                }
                _ => return Err(self.malformed(Form::App, arguments)),
            },
            (None, None) => return Err(missing(Form::App, value, "arg")),
            (Some(_), Some(both)) => return Err(self.malformed(Form::App, both)),
        }
        self.build(Form::App, token, to_u32(operands.len()), &[]);
        self.operands(&operands);
        Ok(())
    }

    pub(super) fn fields(&mut self, form: Form, token: TokenId, object: TokenId) {
        let members: Vec<_> = self.tape().members(object).collect();
        let mut names = Vec::with_capacity(members.len());
        for (key, _) in &members {
            let name = self.tape().str(*key).to_owned();
            names.push(self.builder.terms.intern(&name));
        }
        let operands: Vec<TokenId> = members.into_iter().map(|(_, value)| value).collect();
        self.build(form, token, to_u32(operands.len()), &names);
        self.operands(&operands);
    }
}

/// Reads the number that `float` or `int` has. `None` if it is none.
pub fn literal(form: Form, text: &str) -> Result<Option<Literal>, Fault> {
    let infinity = match text {
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        "NaN" => Some(f64::NAN),
        _ => None,
    };
    if let (Form::Float, Some(n)) = (form, infinity) {
        return Ok(Some(Literal::Float(n)));
    }
    if !number::is_json(text) {
        return Ok(None);
    }
    if form == Form::Float {
        return number::float(text).map(|n| Some(Literal::Float(n)));
    }
    let n = number::literal(text)?;
    Ok(Some(n).filter(|n| matches!(n, Literal::Integer(_))))
}

/// Makes sure that a text names a tool of another server.
pub fn ensure_tool_name(form: Form, name: &str) -> Result<(), Fault> {
    match name.split_once('.') {
        Some((upstream, tool)) if !upstream.is_empty() && !tool.is_empty() => Ok(()),
        _ => {
            let message = format!("`{}` is not the name of another server's tool", shorten(name));
            Err(Fault::new(Code::Malformed, message).hint(syntax("write ", form)))
        }
    }
}

pub(super) fn missing(form: Form, token: TokenId, member: &str) -> Wrong {
    let message = format!("`{}` lacks `{member}`", form.name());
    let fault = Fault::new(Code::Malformed, message).hint(syntax("write ", form));
    Wrong { token, fault }
}
