//! The tools of the library's functions: a call, and the terms that it becomes.

use crate::lexer::Wrong;
use crate::lower::builder::{Argument, Builder, Call, Span};
use crate::tree::{Id, Syntax, What, Words};
use pif_core::fault::Code;
use pif_language::form::Form;
use pif_language::kinds::{self, Kinds};

/// A term, or what is wrong with the call.
pub(super) type Made = Result<Id, Wrong>;

/// The meaning of a name.
#[derive(Clone, Copy)]
pub(super) enum Means {
    /// The form of the subject, if there is one, and the arguments.
    Form(Form),
    /// The function makes a term of the call.
    Make(fn(&mut Work<'_, '_>) -> Made),
    /// The same; the call may have arguments behind `...`.
    Spread(fn(&mut Work<'_, '_>) -> Made),
    /// Nothing that can be read: the reason. `usage` is what to write instead.
    Refused(&'static str),
}

/// A name of the library.
pub(super) struct Row {
    pub(super) name: &'static str,
    /// The least and the greatest number of arguments.
    counts: (usize, usize),
    /// How to write it.
    usage: &'static str,
    means: Means,
}

impl Row {
    /// Tells whether it takes so many arguments.
    pub(super) fn takes(&self, count: usize) -> bool {
        (self.counts.0..=self.counts.1).contains(&count)
    }

    pub(super) fn least(&self) -> usize {
        self.counts.0
    }

    /// How to write it.
    pub(super) fn usage(&self) -> &'static str {
        self.usage
    }

    pub(super) fn is_refused(&self) -> bool {
        matches!(self.means, Means::Refused(_))
    }
}

/// Any number of arguments.
pub(super) const MANY: usize = usize::MAX;

pub(super) const fn form(
    name: &'static str,
    counts: (usize, usize),
    form: Form,
    usage: &'static str,
) -> Row {
    Row { name, counts, usage, means: Means::Form(form) }
}

pub(super) const fn make(
    name: &'static str,
    counts: (usize, usize),
    function: fn(&mut Work<'_, '_>) -> Made,
    usage: &'static str,
) -> Row {
    Row { name, counts, usage, means: Means::Make(function) }
}

pub(super) const fn spread(
    name: &'static str,
    counts: (usize, usize),
    function: fn(&mut Work<'_, '_>) -> Made,
    usage: &'static str,
) -> Row {
    Row { name, counts, usage, means: Means::Spread(function) }
}

pub(super) const fn refused(name: &'static str, why: &'static str, usage: &'static str) -> Row {
    Row { name, counts: (0, MANY), usage, means: Means::Refused(why) }
}

/// The row of a name in some tables.
pub(super) fn find(tables: &'static [&'static [Row]], name: &str) -> Option<&'static Row> {
    tables.iter().flat_map(|table| table.iter()).find(|row| row.name == name)
}

/// A call in work.
pub(super) struct Work<'b, 's> {
    pub(super) b: &'b mut Builder<'s>,
    pub(super) call: &'b Call<'s>,
    pub(super) span: Span,
    usage: &'static str,
}

/// Values that are evaluated once and used more than once.
#[derive(Default)]
pub(super) struct Once<'s>(Vec<(Words<'s>, Id)>);

/// The meaning of a call in a row.
pub(super) fn run<'s>(b: &mut Builder<'s>, call: &Call<'s>, row: &Row) -> Made {
    let mut w = Work { b, call, span: call.span, usage: row.usage };
    let spread = call.arguments.iter().find(|argument| argument.is_spread).copied();
    match (row.means, spread) {
        (Means::Refused(why), _) => {
            let message = format!("`{}`: {why}", call.name);
            return Err(w.wrong(call.at, &message, row.usage));
        }
        (Means::Spread(function), Some(_)) => return function(&mut w),
        (_, Some(argument)) => {
            let message = format!("`{}` takes no arguments behind `...`", call.name);
            let at = w.b.tree.span(argument.id).0;
            return Err(w.wrong(at, &message, row.usage));
        }
        _ if !row.takes(call.arguments.len()) => return Err(w.wrong_count(row.counts)),
        _ => {}
    }
    match row.means {
        Means::Make(function) | Means::Spread(function) => function(&mut w),
        Means::Form(form) => Ok(w.form(form, &w.operands())),
        Means::Refused(_) => Ok(w.null()),
    }
}

impl<'b, 's> Work<'b, 's> {
    /// Work on a call for which no row stands.
    pub(super) fn new(b: &'b mut Builder<'s>, call: &'b Call<'s>) -> Self {
        Self { b, call, span: call.span, usage: "" }
    }

    /// A fault at a byte, with what to write.
    pub(super) fn wrong(&self, at: u32, message: &str, usage: &str) -> Wrong {
        let hint = if usage.is_empty() { String::new() } else { format!("write {usage}") };
        self.b.wrong(at, Code::Malformed, message, &hint)
    }

    /// A fault of the call.
    pub(super) fn refuse(&self, message: &str) -> Wrong {
        self.wrong(self.call.at, &format!("`{}` {message}", self.call.name), self.usage)
    }

    fn wrong_count(&self, (least, most): (usize, usize)) -> Wrong {
        let counts = match most {
            _ if least == most => format!("{least}"),
            MANY => format!("{least} or more"),
            _ => format!("{least} to {most}"),
        };
        let noun = if counts == "1" { "argument" } else { "arguments" };
        self.refuse(&format!("takes {counts} {noun}, not {}", self.call.arguments.len()))
    }

    /// The value before the point.
    pub(super) fn subject(&self) -> Id {
        self.call.subject.unwrap_or_default()
    }

    pub(super) fn has(&self, at: usize) -> bool {
        at < self.call.arguments.len()
    }

    /// An argument that the call has.
    pub(super) fn argument(&self, at: usize) -> Id {
        self.call.arguments.get(at).map_or(Id::MAX, |argument| argument.id)
    }

    /// The subject and the arguments.
    pub(super) fn operands(&self) -> Vec<Id> {
        let arguments = self.call.arguments.iter().map(|argument| argument.id);
        self.call.subject.into_iter().chain(arguments).collect()
    }

    pub(super) fn form(&mut self, form: Form, operands: &[Id]) -> Id {
        self.b.form(form, operands, self.span)
    }

    pub(super) fn text(&mut self, text: impl Into<Words<'s>>) -> Id {
        self.b.text(text, self.span)
    }

    pub(super) fn integer(&mut self, n: i64) -> Id {
        self.b.number(n.to_string(), self.span)
    }

    pub(super) fn null(&mut self) -> Id {
        self.b.null(self.span)
    }

    pub(super) fn list(&mut self, items: &[Id]) -> Id {
        self.b.list(items, self.span)
    }

    pub(super) fn variable(&mut self, name: &Words<'s>) -> Id {
        self.b.variable(name, self.span)
    }

    /// A number that is no JSON: `Infinity`, `-Infinity`, `NaN`.
    pub(super) fn float(&mut self, word: &'static str) -> Id {
        let word = self.text(word);
        self.form(Form::Float, &[word])
    }

    pub(super) fn choose(&mut self, test: Id, then: Id, otherwise: Id) -> Id {
        self.form(Form::If, &[test, then, otherwise])
    }

    pub(super) fn record(&mut self, members: &[(&'static str, Id)]) -> Id {
        let members: Vec<(Words<'s>, Id)> =
            members.iter().map(|(name, id)| (Words::from(*name), *id)).collect();
        self.b.record(&members, self.span)
    }

    /// A function of one parameter.
    pub(super) fn function(&mut self, body: impl FnOnce(&mut Self, Id) -> Id) -> Id {
        let name = self.b.make_name();
        let variable = self.variable(&name);
        let body = body(self, variable);
        self.b.function(vec![name], body, self.span)
    }

    /// Tells whether a value's type has this name.
    pub(super) fn is_type(&mut self, value: Id, name: &'static str) -> Id {
        let found = self.form(Form::TypeOf, &[value]);
        let name = self.text(name);
        self.form(Form::Eq, &[found, name])
    }

    /// Tells whether a value is absent.
    pub(super) fn is_null(&mut self, value: Id) -> Id {
        let null = self.null();
        self.form(Form::Eq, &[value, null])
    }

    /// A value that stands for a term wherever it is used.
    pub(super) fn once(&mut self, once: &mut Once<'s>, id: Id) -> Id {
        if self.is_atom(id) {
            return id;
        }
        let name = self.b.make_name();
        let variable = self.variable(&name);
        once.0.push((name, id));
        variable
    }

    /// The term in which values stand that are evaluated once.
    pub(super) fn within(&mut self, once: Once<'s>, body: Id) -> Id {
        self.b.bind(once.0, body, self.span)
    }

    /// Tells whether a term may be written twice.
    fn is_atom(&self, id: Id) -> bool {
        match &self.b.tree.node(id).what {
            What::Form { form, operands, .. } => {
                matches!(form, Form::Var | Form::Nil)
                    || (operands.is_empty() && *form == Form::List)
            }
            What::Json(..) => false,
            What::Text(text) => text.len() < 80,
            _ => true,
        }
    }

    /// The types that the value of a term may have, as far as the term tells.
    pub(super) fn kind(&self, id: Id) -> Kinds {
        let mut at = id;
        for _ in 0..64 {
            let last = self.b.tree.operands(at).last().copied();
            at = match (&self.b.tree.node(at).what, last) {
                (What::Null, _) => return kinds::NULL,
                (What::Boolean(_), _) => return kinds::BOOLEAN,
                (What::Number(_), _) => return kinds::NUMBER,
                (What::Text(_), _) => return kinds::STRING,
                (What::Json(..), _) => return self.kind_of_json(at),
                (What::Form { form: Form::Let | Form::Letrec, .. }, Some(body)) => body,
                (What::Form { form: Form::Slice, operands, .. }, _) => {
                    operands.first().copied().unwrap_or(id)
                }
                (What::Form { form, .. }, _) => return form.given(),
            };
        }
        kinds::UNKNOWN
    }

    fn kind_of_json(&self, id: Id) -> Kinds {
        let What::Json(start, end) = self.b.tree.node(id).what else { return kinds::UNKNOWN };
        let text = self.b.source.get(start as usize..end as usize).unwrap_or_default();
        match text.trim_start().bytes().next() {
            Some(b'[') => kinds::LIST,
            Some(b'{') => kinds::RECORD,
            Some(b'"') => kinds::STRING,
            _ => kinds::UNKNOWN,
        }
    }

    pub(super) fn is_list(&self, id: Id) -> bool {
        self.kind(id) == kinds::LIST
    }

    pub(super) fn is_text(&self, id: Id) -> bool {
        self.kind(id) == kinds::STRING
    }

    pub(super) fn is_function(&self, argument: Argument) -> bool {
        argument.takes.is_some() || self.b.tree.form_of(argument.id) == Form::Lam
    }

    /// The integer that a literal is.
    pub(super) fn whole(&self, id: Id) -> Option<i64> {
        let tree = &self.b.tree;
        if tree.form_of(id) == Form::Neg {
            let inner = tree.operands(id).first().copied()?;
            return tree.digits(inner)?.parse::<i64>().ok()?.checked_neg();
        }
        tree.digits(id)?.parse().ok()
    }

    pub(super) fn is_null_literal(&self, id: Id) -> bool {
        matches!(self.b.tree.node(id).what, What::Null)
    }

    /// A member of a record that is written out.
    pub(super) fn member_of(&self, record: Id, name: &str) -> Option<Id> {
        let tree = &self.b.tree;
        if tree.form_of(record) != Form::Record {
            return None;
        }
        let at = tree.names(record).iter().position(|it| it == name)?;
        tree.operands(record).get(at).copied()
    }

    /// A value as a list of what it holds.
    pub(super) fn elements(&mut self, id: Id) -> Id {
        if self.is_list(id) { id } else { self.form(Form::Elements, &[id]) }
    }

    /// A value as `String` gives it.
    pub(super) fn as_text(&mut self, id: Id) -> Id {
        if self.is_text(id) { id } else { self.form(Form::AsText, &[id]) }
    }

    /// The list of the arguments from one on: what is spread stands for its elements.
    pub(super) fn rest(&mut self, from: usize) -> Id {
        let arguments: Vec<Argument> = self.call.arguments.iter().skip(from).copied().collect();
        self.list_of(&arguments)
    }

    /// A list of arguments.
    pub(super) fn list_of(&mut self, arguments: &[Argument]) -> Id {
        let mut whole: Option<Id> = None;
        for run in arguments.chunk_by(|a, b| !a.is_spread && !b.is_spread) {
            let part = match run {
                [argument] if argument.is_spread => self.elements(argument.id),
                _ => {
                    let items: Vec<Id> = run.iter().map(|argument| argument.id).collect();
                    self.list(&items)
                }
            };
            whole = Some(match whole {
                Some(before) => self.form(Form::Append, &[before, part]),
                None => part,
            });
        }
        whole.unwrap_or_else(|| self.list(&[]))
    }

    /// The body of a function that is written out, and the names of its parameters.
    pub(super) fn literal(&self, function: Id) -> Option<(Vec<Words<'s>>, Id)> {
        let tree = &self.b.tree;
        if tree.form_of(function) != Form::Lam {
            return None;
        }
        Some((tree.names(function).to_vec(), tree.operands(function).first().copied()?))
    }

    /// Tells whether a function is the name of a form or of a function of JavaScript alone.
    pub(super) fn is_named(&self, function: Id) -> bool {
        self.b.tree.syntax(function) == Syntax::Named
    }

    /// An index from the start, of one that counts from the end if it is negative.
    pub(super) fn index_from_start(&mut self, once: &mut Once<'s>, list: Id, index: Id) -> Id {
        match self.whole(index) {
            Some(0..) => index,
            Some(_) => {
                let length = self.form(Form::Length, &[list]);
                let sum = self.form(Form::Add, &[length, index]);
                self.at_least_zero(sum)
            }
            None => {
                let index = self.once(once, index);
                let zero = self.integer(0);
                let is_negative = self.form(Form::Lt, &[index, zero]);
                let length = self.form(Form::Length, &[list]);
                let sum = self.form(Form::Add, &[length, index]);
                let sum = self.at_least_zero(sum);
                self.choose(is_negative, sum, index)
            }
        }
    }

    /// A number, or 0 if it is less.
    pub(super) fn at_least_zero(&mut self, id: Id) -> Id {
        if matches!(self.whole(id), Some(0..)) {
            return id;
        }
        let zero = self.integer(0);
        self.form(Form::Max, &[id, zero])
    }
}
