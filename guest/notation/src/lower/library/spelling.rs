//! How forms are written, in words, for those who wrote them otherwise.

use crate::table::subject;
use pif_language::form::{Form, Row, Shape};

/// How many operands a form takes.
pub(super) fn counts(form: Form) -> String {
    match form.row().map(|row| row.shape) {
        Some(Shape::List { least, most: u32::MAX, .. }) => format!("{least} or more"),
        Some(Shape::List { least, most, .. }) if least < most => format!("{least} to {most}"),
        Some(Shape::List { least, .. }) => format!("{least}"),
        Some(Shape::Members(keys)) => format!("{}", keys.len()),
        Some(Shape::MembersOr(keys) | Shape::Named(keys)) => format!("1 to {}", keys.len()),
        Some(Shape::Try) => "2 or 3".to_owned(),
        Some(Shape::Ignored) => "no".to_owned(),
        _ => "1".to_owned(),
    }
}

/// How a form is written by the name that the program has for it: with its subject before a point
/// where that is how it is printed.
pub(super) fn spelling(row: &Row, called: &str) -> String {
    let special = match row.form {
        Form::If => "c ? a : b",
        Form::Cond => "cond([c, v], [true, w])",
        Form::Try => "try(t, e => e.message)",
        Form::Call => "call(\"upstream.tool\", {k: t})",
        Form::Calls => "calls([{tool: \"upstream.tool\", args: {k: t}}])",
        Form::Retry => "retry({attempts: 3}, () => t)",
        Form::Step => "step(\"name\", t)",
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
    let inner = operands(row);
    match (subject(row.form), inner.split_once(", ")) {
        (1, Some((first, rest))) => {
            let (subject, others) = rest.split_once(", ").unwrap_or((rest, ""));
            let comma = if others.is_empty() { "" } else { ", " };
            format!("{subject}.{called}({first}{comma}{others})")
        }
        (2, Some(_)) => format!("list.{called}(f, init)"),
        _ => format!("{called}({inner})"),
    }
}

/// The operands in the syntax in JSON, which is `{"name": [a, b]}` or `{"name": a}`.
fn operands(row: &Row) -> String {
    let inner = row.syntax.split(" or ").next().unwrap_or_default();
    let inner = inner.strip_prefix("{\"").and_then(|rest| rest.strip_prefix(row.name));
    let inner = inner.and_then(|rest| rest.strip_prefix("\": "));
    let inner = inner.and_then(|rest| rest.strip_suffix('}')).unwrap_or("x");
    let inner = inner.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(inner);
    inner.replace("{\"record\": ", "").replace("}}", "}").replace("\"months\"", "months")
}
