//! The members of values of a type, and the functions that such values are given to as `x.f(…)`.

use crate::forms::shape_of;
use crate::shape::{Member, Shape, Signature};
use crate::{Request, analyze_term, read};
use pif_language::form::{Form, Row};
use pif_language::forms::FORMS;
use pif_notation::draft::is_called;

/// Names that examples of how a function is written have besides that of the value before the point.
const OTHERS: [&str; 10] = ["a", "b", "f", "k", "n", "s", "v", "x", "xs", "ys"];

/// The members that records of a type have: those of all parts of a union.
pub(super) fn members_of(shape: &Shape) -> Vec<Member> {
    let mut found: Vec<Member> = Vec::new();
    let mut open = vec![shape];
    while let Some(shape) = open.pop() {
        match shape {
            Shape::Record(members) => {
                for member in members {
                    match found.iter_mut().find(|it| it.name == member.name) {
                        Some(it) => {
                            it.shape = Shape::union([it.shape.clone(), member.shape.clone()]);
                            it.is_optional |= member.is_optional;
                        }
                        None => found.push(member.clone()),
                    }
                }
            }
            Shape::Union(parts) => open.extend(parts.iter().rev()),
            Shape::Both(parts) => open.extend(parts.iter().rev()),
            _ => {}
        }
    }
    found
}

/// The functions that take a value of a type before the point, each with its type or how it is written:
/// those of JavaScript, then forms.
pub(super) fn methods_of(
    subject: &Shape,
    is_wanted: impl Fn(&str) -> bool,
) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (name, usage) in pif_notation::usages().filter(|it| is_wanted(it.0)) {
        found.extend(of_usage(name, usage).map(|it| (name, it)));
    }
    for row in
        FORMS.iter().filter(|row| is_called(row.form) && !row.is_apart && is_wanted(row.name))
    {
        found.extend(of_row(row).map(|it| (row.name, it)));
    }
    found.retain(|it| may_be(subject, &it.1.0));
    found.sort_by_key(|it| rank(subject, &it.1.0));
    let told = |(name, (_, detail)): (&str, (Shape, String))| (name.to_owned(), detail);
    found.into_iter().map(told).collect()
}

/// How much a function is one of a type: those come first that take it before all others, those last that
/// take any value.
fn rank(subject: &Shape, takes: &Shape) -> u8 {
    match takes {
        Shape::Any | Shape::Variable(_) => 2,
        Shape::Union(parts) => match parts.first() {
            Some(Shape::Variable(_)) => 2,
            first => u8::from(!first.is_some_and(|it| may_be(subject, it))),
        },
        _ => 0,
    }
}

/// What a form takes before the point, and its type without that.
fn of_row(row: &Row) -> Option<(Shape, String)> {
    // A test names the row that cannot be read; it is not proposed.
    let Ok(Shape::Function(signature)) = shape_of(row) else { return None };
    let Signature { variables, mut parameters, gives } = *signature;
    if parameters.is_empty() {
        return None;
    }
    let (name, mut subject) = parameters.remove(0);
    if name.starts_with("...")
        && let Shape::List(element) = subject
    {
        subject = *element;
    }
    let rest = Signature { variables, parameters, gives };
    Some((subject, Shape::Function(Box::new(rest)).to_string()))
}

/// What a function of JavaScript takes before the point, and its type, by an example of how it is written.
fn of_usage(name: &str, usage: &str) -> Option<(Shape, String)> {
    let (subject, rest) = usage.split_once('.')?;
    if subject.starts_with('/') {
        return Some((Shape::Pattern, usage.to_owned()));
    }
    if !rest.starts_with(name) || !subject.chars().all(char::is_alphanumeric) {
        return None;
    }
    let code = format!("{subject} => {usage}");
    let others = OTHERS.iter().map(|it| ((*it).to_owned(), Shape::Any)).collect();
    let request = Request { code: &code, variables: others, ..Request::default() };
    let (terms, root) = read(&request).ok()?;
    let body = terms.operand(root, 0);
    let row = terms.form(body).row();
    let is_subject = |row: &&Row| {
        let before = terms.operands(body).get(row.subject).copied().unwrap_or(body);
        let is_whole = terms.operands(body).len() == arguments(usage) + 1;
        is_whole
            && terms.form(before) == Form::Var
            && terms.name(terms.only_name(before)) == subject
    };
    if let Some(told) = row.filter(is_subject).and_then(of_row) {
        return Some(told);
    }
    let told = analyze_term(&terms, root, &request);
    let accepted = told.parameters.first().map_or(Shape::Any, |it| it.accepted.clone());
    Some((accepted, format!("{usage}: {}", told.output)))
}

/// The arguments of the call that a text is.
fn arguments(call: &str) -> usize {
    let (mut depth, mut quote, mut commas) = (0_usize, None, 0);
    for c in call.chars() {
        match (quote, c) {
            (Some(mark), _) => quote = Some(mark).filter(|it| *it != c),
            (None, '"') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 1 => commas += 1,
            _ => {}
        }
    }
    if call.ends_with("()") { 0 } else { commas + 1 }
}

/// Whether a value of one type may be of the other, as far as their kinds tell.
fn may_be(shape: &Shape, wanted: &Shape) -> bool {
    let free = |it: &Shape| matches!(it, Shape::Any | Shape::Variable(_) | Shape::Both(_));
    match (shape, wanted) {
        (one, other) if free(one) || free(other) => true,
        (Shape::Union(parts), _) => parts.iter().any(|it| may_be(it, wanted)),
        (_, Shape::Union(parts)) => parts.iter().any(|it| *it != Shape::Null && may_be(shape, it)),
        _ => group(shape) == group(wanted),
    }
}

/// What types have in common that values of both may be.
fn group(shape: &Shape) -> u8 {
    match shape {
        Shape::Any | Shape::Variable(_) | Shape::Both(_) | Shape::Union(_) => 0,
        Shape::Never => 1,
        Shape::Null => 2,
        Shape::Boolean => 3,
        Shape::Integer | Shape::Float | Shape::Number => 4,
        Shape::Text | Shape::Literal(_) => 5,
        Shape::List(_) | Shape::Tuple(_) => 6,
        Shape::Record(_) | Shape::Dictionary(_) => 7,
        Shape::Map(_) => 8,
        Shape::Set(_) => 9,
        Shape::Date => 10,
        Shape::Pattern => 11,
        Shape::Code => 12,
        Shape::Continuation => 13,
        Shape::Function(_) => 14,
    }
}
