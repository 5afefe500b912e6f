//! The library: what the functions, members and constants of JavaScript mean as terms. Names of
//! JavaScript go first; what has none is a form by its own name, or by that of another language.

mod aliases;
mod callbacks;
mod dates;
mod forms;
mod lists;
mod numbers;
mod patterns;
mod promises;
mod ranges;
mod records;
mod sets;
mod spelling;
mod texts;
mod work;

use crate::lexer::Wrong;
use crate::lower::builder::{Argument, Builder, Call, Span};
use crate::tree::{Id, Syntax, Words};
use pif_core::fault::Code;
use pif_language::mistakes;
use work::{Row, find, run};

const MEMBERS: &[&[Row]] = &[
    callbacks::MEMBERS,
    lists::MEMBERS,
    texts::MEMBERS,
    patterns::MEMBERS,
    numbers::MEMBERS,
    records::MEMBERS,
    records::LOOSE,
    sets::MEMBERS,
    dates::MEMBERS,
    promises::MEMBERS,
];

const FUNCTIONS: &[&[Row]] = &[
    numbers::FUNCTIONS,
    texts::FUNCTIONS,
    lists::FUNCTIONS,
    records::FUNCTIONS,
    dates::FUNCTIONS,
    promises::FUNCTIONS,
];

const CLASSES: &[&[Row]] = &[records::CLASSES, dates::CLASSES];

/// The meaning of `x.name(…)`; `None` if that is no name of the library: it is a member then.
pub(crate) fn member<'s>(b: &mut Builder<'s>, call: &Call<'s>) -> Result<Option<Id>, Wrong> {
    let Some(row) = find(MEMBERS, &call.name) else { return forms::member(b, call) };
    let count = call.arguments.len();
    if !row.takes(count) && records::LOOSE.iter().any(|loose| loose.name == row.name) {
        // `get` with a default is a form.
        return if row.name == "get" && count == 2 { forms::member(b, call) } else { Ok(None) };
    }
    run(b, call, row).map(Some)
}

/// The meaning of `name(…)` or `Name.name(…)`; `None` if that is no name of the library.
pub(crate) fn function<'s>(b: &mut Builder<'s>, call: &Call<'s>) -> Result<Option<Id>, Wrong> {
    match find(FUNCTIONS, &call.name) {
        Some(row) => run(b, call, row).map(Some),
        None => forms::function(b, call),
    }
}

/// The meaning of `new Name(…)`.
pub(crate) fn construct<'s>(b: &mut Builder<'s>, call: &Call<'s>) -> Result<Id, Wrong> {
    if let Some(row) = find(CLASSES, &call.name) {
        return run(b, call, row);
    }
    let name = &call.name;
    let hint = if name.ends_with("Array") {
        "write new Array(n).fill(0)".to_owned()
    } else {
        "write a record {name: \"a\", count: 1}, or a function that gives one".to_owned()
    };
    Err(b.wrong(call.at, Code::Malformed, &format!("there is no class `{name}`"), &hint))
}

/// The value of a name such as `Math.PI`.
pub(crate) fn constant(b: &mut Builder<'_>, path: &str, span: Span) -> Option<Id> {
    if let Some((_, digits)) = numbers::CONSTANTS.iter().find(|(name, _)| *name == path) {
        return Some(b.number(*digits, span));
    }
    let (_, word) = numbers::WORDS.iter().find(|(name, _)| *name == path)?;
    let word = b.text(*word, span);
    Some(b.form(pif_language::form::Form::Float, &[word], span))
}

/// The function that a name stands for where it is a value, as in `xs.map(Number)`.
pub(crate) fn as_function<'s>(b: &mut Builder<'s>, path: &str, span: Span) -> Option<Id> {
    let Some(row) = find(FUNCTIONS, path) else { return forms::as_function(b, path, span) };
    if row.is_refused() {
        return None;
    }
    let count = match path {
        "parseInt" | "Number.parseInt" | "Math.max" | "Math.min" | "Math.hypot" => 2,
        _ => row.least().max(1),
    };
    let names: Vec<Words<'s>> = ["x", "y"].into_iter().take(count).map(Words::from).collect();
    let mut arguments = Vec::new();
    for name in &names {
        let id = b.variable(name, span);
        arguments.push(Argument { id, is_spread: false, takes: None });
    }
    let name = Words::from(path.to_owned());
    let call = Call { name, at: span.0, subject: None, arguments, span };
    let body = run(b, &call, row).ok()?;
    let id = b.function(names, body, span);
    b.tree.set_syntax(id, Syntax::Named);
    Some(id)
}

/// Tells whether the value of a member's function is a test: whether it counts as true.
pub(crate) fn is_test_callback(name: &str) -> bool {
    matches!(
        name,
        "filter" | "some" | "every" | "find" | "findIndex" | "findLast" | "findLastIndex"
    )
}

/// Tells whether `x.name(…)` may be a call of the library.
pub(crate) fn is_member(name: &str) -> bool {
    find(MEMBERS, name).is_some() || forms::named(name).is_some()
}

/// Most names behind the first one in the path of a function.
pub(crate) const LONGEST_PATH: usize = 3;

/// Tells whether a name or a path is a function of the library.
pub(crate) fn is_function(path: &str) -> bool {
    find(FUNCTIONS, path).is_some() || forms::named(path).is_some()
}

/// Tells whether a member of this name is one of JavaScript.
pub(crate) fn has_member(name: &str) -> bool {
    find(MEMBERS, name).is_some()
}

/// Tells whether a name is that of a number.
pub(crate) fn is_constant(path: &str) -> bool {
    numbers::CONSTANTS.iter().chain(numbers::WORDS).any(|(name, _)| *name == path)
}

/// The names of functions and members of JavaScript, and those of other languages.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let rows = FUNCTIONS.iter().chain(MEMBERS).flat_map(|table| table.iter());
    rows.filter(|row| !row.is_refused())
        .map(|row| row.name)
        .chain(mistakes::names::functions().map(|(name, _)| name))
}

/// The names of members that are called: of JavaScript, and forms.
pub(crate) fn members() -> impl Iterator<Item = &'static str> {
    let rows = MEMBERS.iter().flat_map(|table| table.iter());
    rows.filter(|row| !row.is_refused()).map(|row| row.name).chain(forms::all_names())
}

/// The functions of JavaScript: the name with its path, and how it is written.
pub(crate) fn calls() -> impl Iterator<Item = (&'static str, &'static str)> {
    let rows = FUNCTIONS.iter().flat_map(|table| table.iter());
    rows.filter(|row| !row.is_refused()).map(|row| (row.name, row.usage()))
}

/// The members of JavaScript that are called: the name, and how it is written.
pub(crate) fn usages() -> impl Iterator<Item = (&'static str, &'static str)> {
    let rows = MEMBERS.iter().flat_map(|table| table.iter());
    rows.filter(|row| !row.is_refused()).map(|row| (row.name, row.usage()))
}

/// The names of functions: of JavaScript with their paths, forms, and those of other languages.
pub(crate) fn functions() -> impl Iterator<Item = &'static str> {
    let rows = FUNCTIONS.iter().flat_map(|table| table.iter());
    let others = mistakes::names::functions().map(|(name, _)| name);
    rows.filter(|row| !row.is_refused()).map(|row| row.name).chain(forms::all_names()).chain(others)
}

/// The names of numbers.
pub(crate) fn constants() -> impl Iterator<Item = &'static str> {
    numbers::CONSTANTS.iter().chain(numbers::WORDS).map(|(name, _)| *name)
}

#[cfg(test)]
mod tests;
