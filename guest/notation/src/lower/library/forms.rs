//! Forms that are called by their names, with their operands in the places where the forms have them.

use super::aliases::in_words;
use super::callbacks::{Callback, Kind, over};
use super::numbers::rounded;
use super::spelling::{counts, spelling};
use super::work::{Made, Work};
use crate::lexer::Wrong;
use crate::lower::builder::{Argument, Builder, Call, Span};
use crate::table::{self, callback, is_called, subject};
use crate::tree::{Id, Syntax, Words};
use pif_core::fault::Code;
use pif_language::form::{Callback as FormCallback, Form, Shape};
use pif_language::forms::FORMS;
use pif_language::mistakes::names;

/// The form that a name of a function or a member means, by itself or in another language.
pub(super) fn named(name: &str) -> Option<Form> {
    let form = table::form(name).filter(|form| is_called(*form) || *form == Form::App);
    form.or_else(|| names::form_of_function(name))
}

/// The names of all forms that are called.
pub(super) fn all_names() -> impl Iterator<Item = &'static str> {
    FORMS.iter().filter(|row| is_called(row.form)).map(|row| row.name)
}

/// `x.form(a, b)`
pub(super) fn member<'s>(b: &mut Builder<'s>, call: &Call<'s>) -> Result<Option<Id>, Wrong> {
    let Some(form) = named(&call.name) else { return Ok(None) };
    if matches!(form, Form::Call | Form::Perform) {
        // JavaScript's `f.call(o, x)` is no call of another server.
        let message =
            format!("`{}` would give a function its `this`, and there is none", call.name);
        return Err(b.wrong(call.at, Code::Malformed, &message, "write f(x)"));
    }
    let count = call.arguments.len() + 1;
    if table::operator(form).is_some() && !fits(form, count) {
        return Ok(None);
    }
    let mut w = Work::new(b, call);
    let at = subject(form);
    if call.arguments.len() < at {
        return Err(wrong_count(&w, form, count));
    }
    let mut parts = call.arguments.clone();
    parts.insert(at, Argument { id: w.subject(), is_spread: false, takes: None });
    of_parts(&mut w, form, &parts).map(Some)
}

/// `form(a, b)`
pub(super) fn function<'s>(b: &mut Builder<'s>, call: &Call<'s>) -> Result<Option<Id>, Wrong> {
    let Some(form) = named(&call.name) else { return Ok(None) };
    let mut w = Work::new(b, call);
    if let Some(found) = in_words(&mut w) {
        return Ok(Some(found));
    }
    of_parts(&mut w, form, &call.arguments).map(Some)
}

/// The function that a form's name stands for.
pub(super) fn as_function<'s>(b: &mut Builder<'s>, name: &str, span: Span) -> Option<Id> {
    let form = named(name)?;
    let count = match form.row()?.shape {
        Shape::List { least: least @ (1 | 2), .. } => least as usize,
        Shape::Ignored => return Some(b.form(form, &[], span)),
        _ => return None,
    };
    let names: Vec<Words<'s>> = ["x", "y"].into_iter().take(count).map(Words::from).collect();
    let mut operands = Vec::new();
    for name in &names {
        operands.push(b.variable(name, span));
    }
    let body = b.form(form, &operands, span);
    let id = b.function(names, body, span);
    b.tree.set_syntax(id, Syntax::Named);
    Some(id)
}

fn wrong_count(w: &Work<'_, '_>, form: Form, count: usize) -> Wrong {
    let counts = counts(form);
    let noun = if counts == "1" { "operand" } else { "operands" };
    let message = format!("`{}` takes {counts} {noun}, not {count}", w.call.name);
    let usage = form.row().map_or_else(String::new, |row| spelling(row, &w.call.name));
    w.wrong(w.call.at, &message, &usage)
}

/// Tells whether a form may have so many operands.
fn fits(form: Form, count: usize) -> bool {
    let given = u32::try_from(count).unwrap_or(u32::MAX);
    let Some(row) = form.row() else { return false };
    match row.shape {
        Shape::List { least, most, .. } => (least..=most).contains(&given),
        Shape::Named(keys) | Shape::MembersOr(keys) => (1..=keys.len()).contains(&count),
        Shape::Members(keys) => count == keys.len(),
        Shape::Try => given == 2 || given == 3,
        Shape::Ignored => given == 0 || form == Form::SelfRef,
        Shape::Application => given >= 2,
        Shape::Branches => true,
        _ => given == 1,
    }
}

/// The operands of a form: what is spread is the list that it takes.
fn unspread(w: &mut Work<'_, '_>, form: Form, parts: &[Argument]) -> Result<Vec<Id>, Wrong> {
    let Some(first) = parts.iter().find(|part| part.is_spread) else {
        return Ok(parts.iter().map(|part| part.id).collect());
    };
    if matches!(form, Form::Max | Form::Min) {
        return Ok(vec![w.list_of(parts)]);
    }
    let at = w.b.tree.span(first.id).0;
    let message = format!("`{}` takes a fixed number of operands", w.call.name);
    let usage = "xs.sum(), xs.reduce((a, b) => a + b, 0), or [...xs, ...ys] for lists";
    Err(w.wrong(at, &message, usage))
}

fn of_parts(w: &mut Work<'_, '_>, form: Form, parts: &[Argument]) -> Made {
    let mut operands = unspread(w, form, parts)?;
    if form == Form::Range && operands.len() == 1 {
        // `range(n)` begins at 0.
        operands.insert(0, w.integer(0));
    }
    let count = operands.len();
    if !fits(form, count) {
        return Err(wrong_count(w, form, count));
    }
    let first = operands.first().copied().unwrap_or(Id::MAX);
    match form.row().map_or(Shape::Ignored, |row| row.shape) {
        Shape::Name => match w.b.tree.literal(first).map(str::to_owned) {
            Some(name) => Ok(w.variable(&name.into())),
            None => Err(wrong_count(w, form, count)),
        },
        Shape::Ignored if count > 0 => {
            let function = w.form(form, &[]);
            Ok(w.b.apply(function, &operands, w.span))
        }
        Shape::Literal => literal(w, form, first),
        Shape::Branches => branches(w, &operands),
        Shape::Try => attempt(w, parts, &operands),
        Shape::Named(_) => Ok(call(w, first, operands.get(1..).unwrap_or_default())),
        Shape::MembersOr(_) if count == 1 => Ok(call(w, first, &[])),
        Shape::Fields if w.b.tree.form_of(first) == Form::Record => Ok(first),
        Shape::Lambda | Shape::Bindings | Shape::Functions | Shape::Fields => {
            Err(wrong_count(w, form, count))
        }
        _ if form == Form::Flatten && !has_literal_depth(w, &operands) => {
            Err(w.refuse("takes a depth that is written out"))
        }
        _ if form == Form::Calls && count == 1 && w.b.tree.form_of(first) == Form::List => {
            Ok(w.form(form, &operands))
        }
        _ if matches!(form, Form::Floor | Form::Ceil | Form::ToInt) => {
            let mode = if form == Form::ToInt { "trunc" } else { form.name() };
            rounded(w, form, mode)
        }
        _ => match callback(form) {
            Some(callback) => elementwise(w, (form, callback), parts, &operands),
            None => Ok(w.form(form, &operands)),
        },
    }
}

/// Tells whether a depth of `flatten`, if there is one, is a number that is written out.
fn has_literal_depth(w: &Work<'_, '_>, operands: &[Id]) -> bool {
    operands.get(1).is_none_or(|depth| w.b.tree.digits(*depth).is_some())
}

/// `call("server.tool", {k: 1}, {raw: true})`; with a computed name it is `perform`.
fn call(w: &mut Work<'_, '_>, tool: Id, given: &[Id]) -> Id {
    let form = if w.b.tree.literal(tool).is_some() { Form::Call } else { Form::Perform };
    let mut operands = vec![tool];
    operands.extend_from_slice(given);
    if given.is_empty() {
        operands.push(w.null());
    }
    w.form(form, &operands)
}

/// `float` and `int` of a literal.
fn literal(w: &mut Work<'_, '_>, form: Form, operand: Id) -> Made {
    let tree = &w.b.tree;
    let text = tree.digits(operand).or(tree.literal(operand)).map(str::to_owned);
    let is_float = form == Form::Float;
    if is_float && let Some(word) = text.as_deref() {
        let words = ["Infinity", "-Infinity", "NaN"];
        if let Some(word) = words.into_iter().find(|it| *it == word) {
            return Ok(w.float(word));
        }
    }
    let is_number = text.as_ref().is_some_and(|text| pif_core::json::number::is_json(text));
    let is_whole = text.as_ref().is_some_and(|text| !pif_core::json::number::is_float(text));
    let Some(text) = text.filter(|_| is_number && (is_float || is_whole)) else {
        let usage = if is_float {
            "to_float(n) of a number, parse_float(s) of a text"
        } else {
            "to_int(n) of a number, parse_int(s) of a text"
        };
        let message = format!("`{}` takes a literal", w.call.name);
        return Err(w.wrong(w.call.at, &message, usage));
    };
    let text = match text.find(['e', 'E']) {
        _ if !is_float || !is_whole => text,
        Some(at) => {
            let (digits, exponent) = text.split_at(at);
            format!("{digits}.0{exponent}")
        }
        None => text + ".0",
    };
    Ok(w.b.number(text, w.span))
}

fn branches(w: &mut Work<'_, '_>, operands: &[Id]) -> Made {
    let mut all = Vec::with_capacity(2 * operands.len());
    for branch in operands {
        let is_list = w.b.tree.form_of(*branch) == Form::List;
        if let (true, [test, value]) = (is_list, w.b.tree.operands(*branch)) {
            all.extend([*test, *value]);
        } else {
            let at = w.b.tree.span(*branch).0;
            let usage = "cond([x < 1, \"a\"], [true, \"b\"])";
            return Err(w.wrong(at, "a branch of `cond` is a list of two", usage));
        }
    }
    Ok(w.form(Form::Cond, &all))
}

/// `try(t, e => e.message, codes)`; `t` may be a function of nothing, and a value is a default.
fn attempt<'s>(w: &mut Work<'_, 's>, parts: &[Argument], operands: &[Id]) -> Made {
    let [tried, handler, ref codes @ ..] = *operands else {
        return Err(wrong_count(w, Form::Try, operands.len()));
    };
    let is_thunk = parts.first().is_some_and(|part| part.takes == Some(0));
    let tried = match w.literal(tried) {
        Some((_, body)) if is_thunk => body,
        None if is_thunk => w.b.apply(tried, &[], w.span),
        _ => tried,
    };
    let is_value = w.kind(handler) & !pif_language::kinds::FUNCTION != 0;
    let handler = if is_value { w.function(|_, _| handler) } else { handler };
    let mut names: Vec<Words<'s>> = Vec::new();
    if let Some(list) = codes.first() {
        let tree = &w.b.tree;
        let texts = tree.operands(*list).iter().map(|id| tree.literal(*id).map(str::to_owned));
        let texts: Option<Vec<String>> = texts.collect();
        let is_list = tree.form_of(*list) == Form::List;
        let Some(texts) = texts.filter(|texts| is_list && !texts.is_empty()) else {
            let usage = "try(t, e => e.message, [\"divide-by-zero\"])";
            let at = tree.span(*list).0;
            return Err(w.wrong(at, "the codes of `try` are a list of texts", usage));
        };
        names.extend(texts.into_iter().map(Words::from));
    }
    Ok(w.b.tree.named(Form::Try, &[tried, handler], names.into(), w.span))
}

/// A form that applies a function to elements: a function of an element and its index gets both.
fn elementwise(
    w: &mut Work<'_, '_>,
    (form, callback): (Form, FormCallback),
    parts: &[Argument],
    operands: &[Id],
) -> Made {
    let (Some(function), Some(part)) = (operands.first().copied(), parts.first().copied()) else {
        return Err(wrong_count(w, form, operands.len()));
    };
    let count = w.literal(function).map_or(0, |(names, _)| names.len());
    if form == Form::Reduce && w.is_named(function) && count == 1 {
        let mut operands = operands.to_vec();
        let body = w.literal(function).map_or(Id::MAX, |(_, body)| body);
        if let Some(first) = operands.first_mut() {
            *first = super::callbacks::named_of_two(w, body);
        }
        return Ok(w.form(form, &operands));
    }
    let wanted = callback.arguments;
    match *operands {
        [_, list] if callback.has_index && (2..=3).contains(&count) => {
            let f = Callback::of(w, part, Kind::Value);
            Ok(over(w, form, f, list))
        }
        _ if count > wanted => Err(too_many(w, form, function, (count, wanted))),
        _ => Ok(w.form(form, operands)),
    }
}

fn too_many(w: &Work<'_, '_>, form: Form, function: Id, (count, wanted): (usize, usize)) -> Wrong {
    let usage = match form {
        Form::Fold => "xs.reduce((sum, x) => sum + x, 0): `fold` gives a pair",
        Form::Reduce => "xs.enumerate().reduce((sum, [i, x]) => sum + i, 0)",
        _ => "x => x.name: it gets the element; xs.enumerate() gives lists of index and element",
    };
    let message = format!("the function of `{}` takes {wanted}, not {count}", w.call.name);
    w.wrong(w.b.tree.span(function).0, &message, usage)
}
