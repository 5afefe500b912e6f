//! Functions: arrows and their parameters, forms by their names, and the index that some functions
//! take.

use crate::lexer::{Kind, Wrong};
use crate::parse::target::{Binding, Pattern, Then};
use crate::parse::{Frame, Next, Parser};
use crate::table::{self, How, RESERVED};
use crate::tree::{Id, Manner, Words};
use pif_core::text::quote::shorten;
use pif_language::form::{Form, Shape};

impl<'s> Parser<'s> {
    /// `x => …`
    pub(super) fn arrow(&mut self) -> Result<Next, Wrong> {
        let token = self.token(0);
        let name = self.spelling(token);
        if RESERVED.contains(&name) {
            return self.unparsable(
                token.start,
                &format!("`{name}` cannot be bound"),
                "write x => x + 1",
            );
        }
        self.at += 2;
        self.begin_body(vec![name.into()], Vec::new(), token.start)
    }

    /// `(x, [a, b], {k}) => …`
    pub(super) fn parameters(&mut self) -> Result<Next, Wrong> {
        let open = self.token(0);
        let close = open.mate as usize;
        self.at += 1;
        let (mut names, mut pattern) = (Vec::new(), Pattern::new());
        while self.at != close {
            let token = self.token(0);
            if self.is(0, "...") {
                let hint = "write xs => xs.sum(), and give a list";
                return self.unparsable(
                    token.start,
                    "a function takes a fixed number of arguments",
                    hint,
                );
            }
            names.push(self.target(&mut pattern)?);
            if self.is(0, "=") {
                let hint = "write ({a, b = 2}) => a + b, and give a record";
                return self.unparsable(self.token(0).start, "a parameter has no default", hint);
            }
            if self.is(0, ":") {
                let hint = "write (x, y) => x + y";
                return self.unparsable(self.token(0).start, "a parameter has no type", hint);
            }
            if self.at != close && !self.take(",") {
                return self.unexpected();
            }
        }
        if names.is_empty() {
            names.push(self.make_name());
        }
        let at = close + 2;
        let then = Then::Body { names, start: open.start, at };
        self.defaults(pattern, 0, then)
    }

    /// Begins the body of a function, after its arrow.
    pub(super) fn begin_body(
        &mut self,
        names: Vec<Words<'s>>,
        pattern: Pattern<'s>,
        start: u32,
    ) -> Result<Next, Wrong> {
        for name in &names {
            self.scope.bind(name);
        }
        self.bind_targets(&pattern);
        let bindings = self.bindings(pattern);
        let in_pipe = self.in_pipe;
        self.frames.push(Frame::Arrow { names, bindings, start, in_pipe });
        if self.is(0, "{") && !self.is_record() {
            let open = self.here();
            let is_single = self.token(1).kind == Kind::Name && self.token(0).mate == open + 2;
            if is_single {
                let hint = format!(
                    "write x => {0}, or x => ({{{0}}}) for a record",
                    shorten(self.spelling(self.token(1)))
                );
                return self.unparsable(
                    self.token(0).start,
                    "braces around one name can mean two things",
                    &hint,
                );
            }
            self.at += 1;
            self.begin_block(Some(open));
            return Ok(Next::Statement);
        }
        Ok(Next::Operand)
    }

    /// A function whose body has been read.
    pub(super) fn end_arrow(
        &mut self,
        names: Vec<Words<'s>>,
        bindings: Vec<Binding<'s>>,
        start: u32,
        body: Id,
    ) -> Id {
        let bound = names.len() + bindings.len();
        self.scope.cut(self.scope.mark() - bound);
        let span = self.since(start);
        let body = if bindings.is_empty() { body } else { self.bound(bindings, body, span) };
        let id = self.tree.named(Form::Lam, &[body], names.into(), span);
        self.tree.set_manner(id, Manner::Operation);
        id
    }

    /// The function that a form's name, or an alias, stands for.
    pub(super) fn function_of(&mut self, name: &str, span: (u32, u32)) -> Option<Id> {
        let form = match table::form(name) {
            Some(form) => form,
            None => match table::alias(name)? {
                How::Form(form) | How::First(form) => form,
                How::Floor => Form::Floor,
                _ => return None,
            },
        };
        let count = match form.row()?.shape {
            Shape::Operand
            | Shape::BareOr(..)
            | Shape::OperandOr(_)
            | Shape::ListOrBare
            | Shape::Extremes
            | Shape::Between(1, _) => 1,
            Shape::Operands(2) | Shape::AtLeast(2) | Shape::Between(2, _) => 2,
            Shape::Ignored => return Some(self.tree.form(form, &[], span)),
            _ => return None,
        };
        let id = self.function(form, count, span);
        self.tree.set_manner(id, Manner::Named);
        Some(id)
    }

    /// A function of so many parameters that is a form.
    fn function(&mut self, form: Form, count: usize, span: (u32, u32)) -> Id {
        let names: Vec<Words<'s>> = ["x", "y"].into_iter().take(count).map(Words::from).collect();
        let mut operands = Vec::new();
        for name in &names {
            operands.push(self.tree.variable(name.clone(), span));
        }
        let body = self.tree.form(form, &operands, span);
        self.tree.named(Form::Lam, &[body], names.into(), span)
    }

    /// A form that applies a function to elements: a function of an element and its index gets both.
    pub(super) fn elementwise(
        &mut self,
        form: Form,
        operands: Vec<Id>,
        span: (u32, u32),
    ) -> Result<Id, Wrong> {
        let Some(function) = operands.first().copied() else {
            return self.operands_of(span.0, form, 0);
        };
        // In parentheses a function is what it is.
        let is_lam = self.tree.form_of(function) == Form::Lam
            && self.tree.manner(function) != Manner::Closed;
        let count = if is_lam { self.tree.names(function).len() } else { 0 };
        let wanted = table::arguments(form).unwrap_or(1);
        if form == Form::Reduce && self.tree.manner(function) == Manner::Named && count == 1 {
            let body = self.tree.operands(function).first().copied().unwrap_or_default();
            let (inner, span) = (self.tree.form_of(body), self.tree.span(function));
            let function = self.function(inner, 2, span);
            let mut operands = operands;
            if let Some(first) = operands.first_mut() {
                *first = function;
            }
            return Ok(self.tree.form(form, &operands, span));
        }
        let [_, list] = *operands else {
            return self.checked(form, &operands, (count, wanted), span);
        };
        let takes_index = matches!(
            form,
            Form::Map | Form::Filter | Form::FlatMap | Form::Find | Form::Any | Form::All
        );
        if count != 2 || !takes_index {
            return self.checked(form, &operands, (count, wanted), span);
        }
        Ok(self.indexed(form, function, list, span))
    }

    fn checked(
        &mut self,
        form: Form,
        operands: &[Id],
        (count, wanted): (usize, usize),
        span: (u32, u32),
    ) -> Result<Id, Wrong> {
        let name = form.name();
        if count > wanted {
            let hint = match form {
                Form::Fold => "write xs.reduce((sum, x) => sum + x, 0): `fold` gives a pair",
                Form::Reduce => "write xs.enumerate().reduce((sum, [i, x]) => sum + i, 0)",
                _ => {
                    "write x => x.name: it gets the element; xs.enumerate() gives pairs of index and element"
                }
            };
            let start = operands.first().map_or(span.0, |first| self.tree.span(*first).0);
            return self.malformed(
                start,
                &format!("the function of `{name}` takes {wanted}, not {count}"),
                hint,
            );
        }
        Ok(self.tree.form(form, operands, span))
    }

    /// A form over the pairs of index and element.
    fn indexed(&mut self, form: Form, function: Id, list: Id, span: (u32, u32)) -> Id {
        let (pair, place) = (self.make_name(), self.tree.span(function));
        let body = self.tree.operands(function).first().copied().unwrap_or_default();
        let names = self.tree.names(function).to_vec();
        let half = |tree: &mut crate::tree::Tree<'s>, form| {
            let whole = tree.variable(pair.clone(), place);
            tree.form(form, &[whole], place)
        };
        let element = half(&mut self.tree, Form::Snd);
        let index = half(&mut self.tree, Form::Fst);
        let bindings = names.into_iter().zip([element, index]).collect();
        let body = self.bound(bindings, body, place);
        let function = self.tree.named(Form::Lam, &[body], [pair.clone()].into(), place);
        let pairs = self.tree.form(Form::Enumerate, &[list], span);
        let found = self.tree.form(form, &[function, pairs], span);
        let element = half(&mut self.tree, Form::Snd);
        match form {
            Form::Filter => {
                let second = self.tree.named(Form::Lam, &[element], [pair].into(), span);
                self.tree.form(Form::Map, &[second, found], span)
            }
            Form::Find => {
                let whole = self.tree.variable(pair.clone(), span);
                let (null, other) = (self.null(span), self.null(span));
                let test = self.tree.form(Form::Eq, &[whole, null], span);
                let choice = self.tree.form(Form::If, &[test, other, element], span);
                self.bound(vec![(pair, found)], choice, span)
            }
            _ => found,
        }
    }
}
