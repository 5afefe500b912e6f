//! Faults of the parser: each names the unexpected part and shows how to write it.

use crate::lexer::{Kind, Token, Wrong, wrong};
use crate::mistakes::{CALLS, HABITS, Habit, find};
use crate::parse::{Frame, Parser};
use crate::table::{OPERATORS, subject};
use pif_core::fault::{Code, Place};
use pif_core::text::quote::shorten;
use pif_language::form::{Form, Row, Shape};
use pif_language::forms::form_names;
use pif_language::hint::nearest;

/// Each gives a result of any type; its fault is made in one place.
impl Parser<'_> {
    pub(super) fn malformed<T>(&self, start: u32, message: &str, hint: &str) -> Result<T, Wrong> {
        Err(self.fault(Code::Malformed, start, message, hint))
    }

    pub(super) fn unparsable<T>(&self, start: u32, message: &str, hint: &str) -> Result<T, Wrong> {
        Err(self.fault(Code::Unparsable, start, message, hint))
    }

    pub(super) fn habit<T>(&self, token: Token, habit: &Habit) -> Result<T, Wrong> {
        Err(self.fault_of_habit(token, habit))
    }

    pub(super) fn no_operand<T>(&self) -> Result<T, Wrong> {
        Err(self.fault_of_no_operand())
    }

    pub(super) fn unexpected<T>(&self) -> Result<T, Wrong> {
        Err(self.fault_of_unexpected())
    }

    pub(super) fn no_function<T>(&self, token: Token, name: &str) -> Result<T, Wrong> {
        Err(self.fault_of_no_function(token, name))
    }

    pub(super) fn operands_of<T>(&self, start: u32, form: Form, count: usize) -> Result<T, Wrong> {
        Err(self.fault_of_operands_of(start, form, count))
    }

    #[inline(never)]
    fn fault(&self, code: Code, start: u32, message: &str, hint: &str) -> Wrong {
        wrong((self.source, start), code, message, hint)
    }

    #[inline(never)]
    fn fault_of_habit(&self, token: Token, habit: &Habit) -> Wrong {
        let shown = shorten(self.spelling(token));
        self.fault(
            Code::Unparsable,
            token.start,
            &format!("`{shown}`: {}", habit.message),
            habit.hint,
        )
    }

    /// A token, as messages name it.
    fn shown(&self, token: Token) -> String {
        match token.kind {
            Kind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", shorten(self.spelling(token))),
        }
    }

    /// An operand is missing.
    #[inline(never)]
    fn fault_of_no_operand(&self) -> Wrong {
        let token = self.token(0);
        let before = self.at.checked_sub(1).map(|at| self.token_at(at));
        // An operator first, and a blank after it, as in `(+ 1 2)`.
        let is_lisp = before.is_some_and(|it| self.spelling(it) == "(")
            && token.kind == Kind::Mark
            && token.end != self.token(1).start
            && OPERATORS.iter().any(|operator| operator.mark == self.spelling(token));
        if !is_lisp
            && matches!(token.kind, Kind::Mark | Kind::Name)
            && let Some(habit) = find(HABITS, self.spelling(token))
        {
            return self.fault_of_habit(token, habit);
        }
        let (message, hint) = match before {
            _ if is_lisp => (
                format!("the operator {} stands between its operands", self.shown(token)),
                "write (a * b), f(a, b), and x => x + 1 for a function".to_owned(),
            ),
            None if token.kind != Kind::End => (
                format!("an operand is missing before {}", self.shown(token)),
                "write a value before it, such as 1, \"a\", x or f(x)".to_owned(),
            ),
            None => ("the text is empty".to_owned(), "write a term, such as 1 + 2".to_owned()),
            Some(before) => {
                let (before, here) = (self.shown(before), self.shown(token));
                (
                    format!("an operand is missing between {before} and {here}"),
                    format!("write a value after {before}, such as 1, \"a\", x or f(x)"),
                )
            }
        };
        self.fault(Code::Unparsable, token.start, &message, &hint)
    }

    /// Something stands after a value that cannot go on with it.
    #[inline(never)]
    fn fault_of_unexpected(&self) -> Wrong {
        let (token, before) = (self.token(0), self.token_at(self.at.saturating_sub(1)));
        if before.kind == Kind::Name
            && let Some(habit) = find(HABITS, self.spelling(before))
        {
            return self.fault_of_habit(before, habit);
        }
        if matches!(token.kind, Kind::Mark | Kind::Name)
            && let Some(habit) = find(HABITS, self.spelling(token))
        {
            return self.fault_of_habit(token, habit);
        }
        if before.kind == Kind::Name && token.kind == Kind::Text && before.end == token.start {
            let hint = "write `${a}: ${b}`: a template has backquotes";
            return self.fault(
                Code::Unparsable,
                before.start,
                &format!("a text has no prefix {}", self.shown(before)),
                hint,
            );
        }
        if before.kind == Kind::Text && token.kind == Kind::Text && before.end == token.start {
            let hint = "write a text of several lines in backquotes";
            return self.fault(
                Code::Unparsable,
                before.start,
                "two texts stand side by side",
                hint,
            );
        }
        let open = self.frames.iter().rev().find_map(|frame| match frame {
            Frame::Group { open }
            | Frame::List { open, .. }
            | Frame::Record { open, .. }
            | Frame::Call { open, .. }
            | Frame::Index { open, .. }
            | Frame::Template { open, .. } => Some(*open),
            Frame::Block(block) => Some(block.open.unwrap_or(u32::MAX)),
            _ => None,
        });
        let (before, here) = (self.shown(before), self.shown(token));
        let message = format!("an operator is missing between {before} and {here}");
        let hint = match open {
            Some(open) if open != u32::MAX => {
                let bracket = self.token_at(open as usize);
                let Place { line, column, .. } = Place::of(self.source, bracket.start as usize);
                format!(
                    "write a comma or an operator between them, or close the `{}` of line {line}, column {column}",
                    self.spelling(bracket)
                )
            }
            _ => "write an operator between them, or `;` between two statements".to_owned(),
        };
        self.fault(Code::Unparsable, token.start, &message, &hint)
    }

    /// A function that does not exist is called.
    #[inline(never)]
    fn fault_of_no_function(&self, token: Token, name: &str) -> Wrong {
        if let Some(habit) = find(CALLS, name).or_else(|| find(HABITS, name)) {
            return self.fault_of_habit(token, habit);
        }
        let shown = shorten(name);
        let near = nearest(name, form_names())
            .or_else(|| nearest(name, self.scope.bound_names().into_iter()));
        let is_bound_later = || {
            let behind = self.tokens.get(self.at..).unwrap_or_default();
            behind.array_windows().any(|[it, mark]| {
                it.kind == Kind::Name && self.spelling(*it) == name && self.spelling(*mark) == "="
            })
        };
        let hint = match near {
            _ if is_bound_later() => {
                "functions that use each other stand in one statement: const f = x => g(x), g = x => x; f(1)".to_owned()
            }
            Some(near) => format!("did you mean `{}`?", shorten(near)),
            None if name.contains('.') => {
                "forms are called by their names alone: sqrt(2), max(1, 2), keys(r)".to_owned()
            }
            None => format!(
                "a tool is called @{shown}(x); a variable is bound by const {shown} = x => x; …"
            ),
        };
        self.fault(
            Code::Malformed,
            token.start,
            &format!("there is no form and no variable `{shown}`"),
            &hint,
        )
    }

    /// A form has the wrong operands.
    #[inline(never)]
    fn fault_of_operands_of(&self, start: u32, form: Form, count: usize) -> Wrong {
        let (name, row) = (form.name(), form.row());
        let counts = match row.map(|row| row.shape) {
            Some(Shape::Operands(n)) => format!("{n}"),
            Some(Shape::AtLeast(n)) => format!("{n} or more"),
            Some(Shape::Between(a, b) | Shape::BareOr(a, b)) if a < b => format!("{a} to {b}"),
            Some(Shape::OperandOr(n)) => format!("1 to {n}"),
            Some(Shape::Members(keys) | Shape::Named(keys)) => format!("{}", keys.len()),
            Some(Shape::Try) => "2 or 3".to_owned(),
            Some(Shape::Ignored) => "no".to_owned(),
            _ => "1".to_owned(),
        };
        let noun = if counts == "1" { "operand" } else { "operands" };
        let hint = row.map_or_else(String::new, |row| format!("write {}", spelling(row)));
        self.fault(
            Code::Malformed,
            start,
            &format!("`{name}` takes {counts} {noun}, not {count}"),
            &hint,
        )
    }
}

/// How a form is written, in words: with its subject before a point where that is how it is printed.
pub(crate) fn spelling(row: &Row) -> String {
    let name = row.name;
    let special = match row.form {
        Form::If => "c ? a : b",
        Form::Cond => "cond([c, v], [true, w])",
        Form::Try => "try(t, e => e.message)",
        Form::Call => "call(\"upstream.tool\", {k: t})",
        Form::Calls => "calls([{tool: \"upstream.tool\", args: {k: t}}])",
        Form::Perform => "perform(name, {k: t})",
        Form::Cons => "cons(h, t)",
        Form::Continue => "continue(t)",
        Form::Nil => "[]",
        Form::SelfRef => "self(x)",
        Form::Tool => "@name(x)",
        Form::Float | Form::Int => "1.5 or 1",
        _ => "",
    };
    if !special.is_empty() {
        return special.to_owned();
    }
    // The syntax in JSON is `{"name": [a, b]}` or `{"name": a}`.
    let inner = row.syntax.split(" or ").next().unwrap_or_default();
    let inner = inner.strip_prefix("{\"").and_then(|rest| rest.strip_prefix(name));
    let inner =
        inner.and_then(|rest| rest.strip_prefix("\": ")).and_then(|rest| rest.strip_suffix('}'));
    let inner = inner.unwrap_or("x");
    let inner = inner.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(inner);
    let inner =
        inner.replace("{\"record\": ", "").replace("}}", "}").replace("\"months\"", "months");
    match (subject(row.form), inner.split_once(", ")) {
        (1, Some((first, rest))) => {
            let (subject, others) = rest.split_once(", ").unwrap_or((rest, ""));
            let comma = if others.is_empty() { "" } else { ", " };
            format!("{subject}.{name}({first}{comma}{others})")
        }
        (2, Some(_)) => format!("list.{name}(f, init)"),
        _ => format!("{name}({inner})"),
    }
}
