//! Calls: of forms by their names, of names that other languages have for them, of members.

use crate::lexer::Wrong;
use crate::mistakes::{CALLS, find};
use crate::parse::{Parser, Part};
use crate::table::{self, How, subject};
use crate::tree::Id;
use pif_language::form::Form;

impl<'s> Parser<'s> {
    /// A call of a form by its name or an alias.
    pub(super) fn call_name(
        &mut self,
        name: &'s str,
        parts: Vec<Part>,
        span: (u32, u32),
    ) -> Result<Id, Wrong> {
        match table::form(name) {
            // `parse_int` is a form, and `parseInt` may have a radix.
            Some(form) if table::alias(name).is_none() => {
                let operands = self.unspread(form, parts, span)?;
                self.form_call(form, operands, span)
            }
            _ => match table::alias(name) {
                Some(how) => self.alias_call((name, how), parts, span),
                None => self.no_function(self.token_of(span.0), name),
            },
        }
    }

    /// The token that begins at a byte.
    pub(super) fn token_of(&self, start: u32) -> crate::lexer::Token {
        let at = self.tokens.partition_point(|token| token.start < start);
        self.token_at(at)
    }

    /// A call of a member: a form's name, or a member that is a function.
    pub(super) fn call_member(
        &mut self,
        value: Id,
        (name, is_optional): (&'s str, bool),
        parts: Vec<Part>,
        span: (u32, u32),
    ) -> Result<Id, Wrong> {
        if is_optional {
            return self.optional_call(value, name, parts, span);
        }
        let form = table::form(name).filter(|form| table::is_called(*form));
        if let Some(form) = form.filter(|_| table::alias(name).is_none()) {
            if form == Form::Sort && !parts.is_empty() {
                let start = parts.first().map_or(span.0, |part| self.tree.span(part.0).0);
                let hint = "write xs.sort(), or xs.sort_by(x => x.name), with \"desc\" after it for the other order";
                return self.malformed(start, "`sort` takes no function of two", hint);
            }
            let operands = self.with_subject(form, value, parts, span)?;
            return self.form_call(form, operands, span);
        }
        if let Some(how) = table::alias(name) {
            let mut all = vec![(value, false)];
            all.extend(parts);
            if let How::Form(form) | How::First(form) = how {
                let at = subject(form);
                if at > 0 && all.len() > at {
                    let first = all.remove(0);
                    all.insert(at, first);
                }
            }
            return self.alias_call((name, how), all, span);
        }
        if let Some(habit) = find(CALLS, name) {
            let at = self.token_of(self.tree.span(value).1.max(span.0));
            let shown = self.source.find(name).map_or(at.start, |_| at.start);
            return self.unparsable(shown, &format!("`{name}`: {}", habit.message), habit.hint);
        }
        let key = self.tree.text(name, span);
        let member = self.tree.form(Form::Get, &[value, key], span);
        self.apply(member, &parts, span)
    }

    /// `x?.f(y)`: null if `x` is.
    fn optional_call(
        &mut self,
        value: Id,
        name: &'s str,
        parts: Vec<Part>,
        span: (u32, u32),
    ) -> Result<Id, Wrong> {
        let made = self.make_name();
        let variable = self.tree.variable(made.clone(), span);
        let null = self.null(span);
        let test = self.tree.form(Form::Eq, &[variable, null], span);
        let subject = self.tree.variable(made.clone(), span);
        let called = self.call_member(subject, (name, false), parts, span)?;
        let otherwise = self.null(span);
        let choice = self.tree.form(Form::If, &[test, otherwise, called], span);
        Ok(self.bound(vec![(made, value)], choice, span))
    }

    /// The operands of a form whose subject stands before the point.
    fn with_subject(
        &mut self,
        form: Form,
        value: Id,
        parts: Vec<Part>,
        span: (u32, u32),
    ) -> Result<Vec<Id>, Wrong> {
        let mut operands = self.unspread(form, parts, span)?;
        let at = subject(form);
        if operands.len() < at {
            return self.operands_of(span.0, form, operands.len() + 1);
        }
        operands.insert(at, value);
        Ok(operands)
    }

    /// The operands of a form: what is spread is the list that it takes.
    fn unspread(
        &mut self,
        form: Form,
        parts: Vec<Part>,
        span: (u32, u32),
    ) -> Result<Vec<Id>, Wrong> {
        let has_spread = parts.iter().any(|(_, is_spread)| *is_spread);
        if !has_spread {
            return Ok(parts.into_iter().map(|(id, _)| id).collect());
        }
        if matches!(form, Form::Max | Form::Min) {
            let list = match parts.as_slice() {
                [(one, _)] => *one,
                _ => self.join_lists(&parts, span),
            };
            return Ok(vec![list]);
        }
        let start =
            parts.iter().find(|part| part.1).map_or(span.0, |part| self.tree.span(part.0).0);
        let name = form.name();
        let hint = "write xs.sum(), xs.reduce((a, b) => a + b, 0), or [...xs, ...ys] for lists";
        self.malformed(start, &format!("`{name}` takes a fixed number of operands"), hint)
    }

    fn alias_call(
        &mut self,
        (name, how): (&str, How),
        parts: Vec<Part>,
        span: (u32, u32),
    ) -> Result<Id, Wrong> {
        let form = match how {
            How::Form(form) | How::First(form) => form,
            How::Floor => Form::Floor,
            How::At => Form::Nth,
            How::Is(_) => Form::TypeOf,
            How::Fixed => Form::FormatNumber,
            How::Join => Form::Join,
            How::Concat => return self.concat(parts, span),
            How::Number(_) => return self.no_function(self.token_of(span.0), name),
        };
        let mut operands = self.unspread(form, parts, span)?;
        match how {
            How::First(_) => {
                let is_radix = operands
                    .get(1)
                    .is_some_and(|it| matches!(self.tree.digits(*it), Some("10" | "1")));
                operands.truncate(if is_radix && operands.len() == 2 { 1 } else { operands.len() });
            }
            How::Floor => {
                if let [quotient] = *operands
                    && self.tree.form_of(quotient) == Form::Fdiv
                {
                    let parts = self.tree.operands(quotient).to_vec();
                    let place = self.tree.span(quotient);
                    operands = vec![self.tree.form(Form::Div, &parts, place)];
                }
            }
            How::At => {
                if let [list, index] = *operands
                    && self.tree.digits(index) == Some("-1")
                {
                    return Ok(self.tree.form(Form::Last, &[list], span));
                }
            }
            How::Is(kind) => {
                let found = self.form_call(form, operands, span)?;
                let kind = self.tree.text(kind, span);
                return Ok(self.tree.form(Form::Eq, &[found, kind], span));
            }
            How::Fixed => {
                let [number, decimals] = *operands else {
                    return self.operands_of(span.0, form, operands.len());
                };
                let options =
                    self.tree.named(Form::Record, &[decimals], ["decimals".into()].into(), span);
                operands = vec![number, options];
            }
            How::Join => match *operands {
                [list] => operands = vec![list, self.tree.text(",", span)],
                [first, second] if self.tree.literal(first).is_some() => {
                    operands = vec![second, first];
                }
                _ => {}
            },
            _ => {}
        }
        self.form_call(form, operands, span)
    }

    /// `concat` of texts, or `append` where a list is to be seen.
    fn concat(&mut self, parts: Vec<Part>, span: (u32, u32)) -> Result<Id, Wrong> {
        let operands = self.unspread(Form::Concat, parts, span)?;
        let is_list = |id: &Id| self.tree.form_of(*id) == Form::List;
        let form = match operands.as_slice() {
            [_, _] if operands.iter().any(is_list) => Form::Append,
            _ => Form::Concat,
        };
        self.form_call(form, operands, span)
    }
}
