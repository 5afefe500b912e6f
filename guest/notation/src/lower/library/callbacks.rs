//! Members that apply a function to the elements of a list: `map`, `filter`, `reduce`, `sort`.

use super::ranges::{constant, from_indices};
use super::work::{Made, Once, Row, Work, make};
use crate::lower::builder::Argument;
use crate::tree::{Id, Words};
use pif_language::form::Form;
use pif_language::kinds;

/// The members.
pub(super) const MEMBERS: &[Row] = &[
    make("map", (1, 1), |w| each(w, Form::Map, Kind::Value), "xs.map(x => x + 1)"),
    make("filter", (1, 1), |w| each(w, Form::Filter, Kind::Test), "xs.filter(x => x > 1)"),
    make("flatMap", (1, 1), |w| each(w, Form::FlatMap, Kind::Value), "xs.flatMap(x => x.items)"),
    make("some", (1, 1), |w| each(w, Form::Any, Kind::Test), "xs.some(x => x > 1)"),
    make("every", (1, 1), |w| each(w, Form::All, Kind::Test), "xs.every(x => x > 1)"),
    make("find", (1, 1), |w| each(w, Form::Find, Kind::Test), "xs.find(x => x > 1)"),
    make("forEach", (1, 1), for_each, "xs.forEach(x => console.log(x))"),
    make("findIndex", (1, 1), |w| find_index(w, false), "xs.findIndex(x => x > 1)"),
    make("findLast", (1, 1), find_last, "xs.findLast(x => x > 1)"),
    make("findLastIndex", (1, 1), |w| find_index(w, true), "xs.findLastIndex(x => x > 1)"),
    make("reduce", (1, 2), |w| reduce(w, false), "xs.reduce((sum, x) => sum + x, 0)"),
    make("reduceRight", (1, 2), |w| reduce(w, true), "xs.reduceRight((sum, x) => sum + x, 0)"),
    make("sort", (0, 1), sort, "xs.sort((a, b) => a.n - b.n)"),
    make("toSorted", (0, 1), sort, "xs.toSorted((a, b) => a.n - b.n)"),
];

/// The use of a function's value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Value,
    Test,
}

/// A function that gets an element, its index and all elements.
#[derive(Clone, Copy)]
pub(super) struct Callback {
    id: Id,
    /// How many arguments it gets.
    count: usize,
    kind: Kind,
}

impl Callback {
    pub(super) fn of(w: &Work<'_, '_>, argument: Argument, kind: Kind) -> Self {
        let known = w.literal(argument.id).map(|(names, _)| names.len()).or(argument.takes);
        Self { id: argument.id, count: known.unwrap_or(1).max(1), kind }
    }
}

fn callback(w: &Work<'_, '_>, kind: Kind) -> Callback {
    let missing = Argument { id: Id::MAX, is_spread: false, takes: None };
    Callback::of(w, w.call.arguments.first().copied().unwrap_or(missing), kind)
}

fn each(w: &mut Work<'_, '_>, form: Form, kind: Kind) -> Made {
    let f = callback(w, kind);
    Ok(over(w, form, f, w.subject()))
}

/// A form that applies a function to the elements of a list.
pub(super) fn over(w: &mut Work<'_, '_>, form: Form, f: Callback, list: Id) -> Id {
    let mut once = Once::default();
    let f = held(w, &mut once, f);
    if let (Form::Map, 2, Some(values)) = (form, f.count, constant(w, list)) {
        let found = from_indices(w, values, (f.id, Some(2)));
        return w.within(once, found);
    }
    if f.count == 1 {
        let function = of_one(w, f);
        let found = w.form(form, &[function, list]);
        return w.within(once, found);
    }
    let (function, pairs) = over_pairs(w, &mut once, f, list);
    let found = w.form(form, &[function, pairs]);
    let found = match form {
        Form::Filter => elements_of(w, found),
        Form::Find => half_or(w, found, Form::Snd, Absent::Null),
        _ => found,
    };
    w.within(once, found)
}

/// A function that is no literal, evaluated once if it is applied in a function of our own.
fn held<'s>(w: &mut Work<'_, 's>, once: &mut Once<'s>, f: Callback) -> Callback {
    let is_applied = f.count > 1 || f.kind == Kind::Test;
    let is_literal = w.literal(f.id).is_some();
    let id = if is_literal || !is_applied { f.id } else { w.once(once, f.id) };
    Callback { id, ..f }
}

/// A function of an element. The body of a literal is a test already if it has to be one.
fn of_one(w: &mut Work<'_, '_>, f: Callback) -> Id {
    match w.literal(f.id) {
        Some((names, body)) if f.kind == Kind::Test && w.is_named(f.id) => {
            let test = truth(w, body);
            w.b.function(names, test, w.span)
        }
        None if f.kind == Kind::Test => w.function(|w, x| {
            let value = w.b.apply(f.id, &[x], w.span);
            truth(w, value)
        }),
        _ => f.id,
    }
}

/// Tells whether a value counts as true.
pub(super) fn truth(w: &mut Work<'_, '_>, value: Id) -> Id {
    if w.kind(value) == kinds::BOOLEAN { value } else { w.form(Form::Truth, &[value]) }
}

/// A function of pairs of index and element, and these pairs.
fn over_pairs<'s>(w: &mut Work<'_, 's>, once: &mut Once<'s>, f: Callback, list: Id) -> (Id, Id) {
    let list = if f.count > 2 { w.once(once, list) } else { list };
    let pair = w.b.make_name();
    let body = of_pair(w, f, &pair, (&[], list));
    let function = w.b.function(vec![pair], body, w.span);
    (function, w.form(Form::Enumerate, &[list]))
}

/// A call of a function for a pair of index and element, with the values that it gets first.
fn of_pair<'s>(
    w: &mut Work<'_, 's>,
    f: Callback,
    pair: &Words<'s>,
    (first, all): (&[Id], Id),
) -> Id {
    let element = half(w, pair, Form::Snd);
    let mut values = first.to_vec();
    values.push(element);
    if f.count > values.len() {
        values.push(half(w, pair, Form::Fst));
    }
    if f.count > values.len() {
        values.push(all);
    }
    while values.len() < f.count {
        values.push(w.null());
    }
    values.truncate(f.count);
    applied(w, f, values)
}

/// A function applied to values: a literal as names for them.
fn applied(w: &mut Work<'_, '_>, f: Callback, values: Vec<Id>) -> Id {
    if let Some((names, body)) = w.literal(f.id) {
        let is_test = f.kind == Kind::Test && w.is_named(f.id);
        let body = if is_test { truth(w, body) } else { body };
        let mut bindings: Vec<_> = names.into_iter().zip(values).collect();
        // The list may have a name that is also the element's.
        if bindings.len() > 2 {
            bindings.reverse();
        }
        w.b.bind(bindings, body, w.span)
    } else {
        let value = w.b.apply(f.id, &values, w.span);
        if f.kind == Kind::Test { truth(w, value) } else { value }
    }
}

fn half<'s>(w: &mut Work<'_, 's>, pair: &Words<'s>, form: Form) -> Id {
    let pair = w.variable(pair);
    w.form(form, &[pair])
}

/// The elements of pairs of index and element.
fn elements_of(w: &mut Work<'_, '_>, pairs: Id) -> Id {
    let second = w.function(|w, pair| w.form(Form::Snd, &[pair]));
    w.form(Form::Map, &[second, pairs])
}

/// The stand-in for a pair that was not found.
#[derive(Clone, Copy)]
enum Absent {
    Null,
    MinusOne,
}

fn half_or(w: &mut Work<'_, '_>, pair: Id, form: Form, absent: Absent) -> Id {
    let mut once = Once::default();
    let pair = w.once(&mut once, pair);
    let test = w.is_null(pair);
    let otherwise = match absent {
        Absent::Null => w.null(),
        Absent::MinusOne => w.integer(-1),
    };
    let half = w.form(form, &[pair]);
    let choice = w.choose(test, otherwise, half);
    w.within(once, choice)
}

fn for_each(w: &mut Work<'_, '_>) -> Made {
    let done = each(w, Form::Map, Kind::Value)?;
    let name = w.b.make_name();
    let null = w.null();
    Ok(w.b.bind(vec![(name, done)], null, w.span))
}

fn find_index(w: &mut Work<'_, '_>, from_end: bool) -> Made {
    Ok(found_pair(w, from_end, Form::Fst, Absent::MinusOne))
}

fn find_last(w: &mut Work<'_, '_>) -> Made {
    let f = callback(w, Kind::Test);
    if f.count > 1 {
        return Ok(found_pair(w, true, Form::Snd, Absent::Null));
    }
    let subject = w.subject();
    let list = w.form(Form::Reverse, &[subject]);
    Ok(over(w, Form::Find, f, list))
}

/// A half of the first or last pair of index and element for which the function is true.
fn found_pair(w: &mut Work<'_, '_>, from_end: bool, form: Form, absent: Absent) -> Id {
    let mut once = Once::default();
    let f = callback(w, Kind::Test);
    let f = held(w, &mut once, f);
    let (function, pairs) = over_pairs(w, &mut once, f, w.subject());
    let pairs = if from_end { w.form(Form::Reverse, &[pairs]) } else { pairs };
    let found = w.form(Form::Find, &[function, pairs]);
    let found = half_or(w, found, form, absent);
    w.within(once, found)
}

fn sort(w: &mut Work<'_, '_>) -> Made {
    let subject = w.subject();
    let Some(argument) = w.call.arguments.first().copied() else {
        return Ok(w.form(Form::Sort, &[subject]));
    };
    if w.is_null_literal(argument.id) {
        return Ok(w.form(Form::Sort, &[subject]));
    }
    let known = w.literal(argument.id).map(|(names, _)| names.len()).or(argument.takes);
    if known.is_some_and(|count| count != 2) {
        let at = w.b.tree.span(argument.id).0;
        let message = format!("the function of `{}` takes two elements", w.call.name);
        return Err(w.wrong(at, &message, "xs.sort((a, b) => a.n - b.n), or xs.sort_by(x => x.n)"));
    }
    Ok(w.form(Form::SortWith, &[argument.id, subject]))
}

fn reduce(w: &mut Work<'_, '_>, from_end: bool) -> Made {
    let mut once = Once::default();
    let f = callback(w, Kind::Value);
    let known = w.call.arguments.first().and_then(|argument| argument.takes);
    let count = w.literal(f.id).map(|(names, _)| names.len()).or(known).unwrap_or(2);
    let mut f = Callback { count, ..f };
    if w.literal(f.id).is_none() && count != 2 {
        f.id = w.once(&mut once, f.id);
    }
    let list = w.subject();
    let has_first = w.has(1);
    let list = if has_first && count < 4 { list } else { w.once(&mut once, list) };
    let function = reducer(w, f, list);
    let items = reduced(w, list, count, from_end);
    let folded = if has_first {
        w.form(Form::Reduce, &[function, w.argument(1), items])
    } else {
        without_first(w, function, list, (count, from_end))
    };
    Ok(w.within(once, folded))
}

/// The list that is folded: with indices, if the function gets one.
fn reduced(w: &mut Work<'_, '_>, list: Id, count: usize, from_end: bool) -> Id {
    let items = if count > 2 { w.form(Form::Enumerate, &[list]) } else { list };
    if from_end { w.form(Form::Reverse, &[items]) } else { items }
}

/// Folds a list from its first element on.
fn without_first(w: &mut Work<'_, '_>, f: Id, list: Id, (count, from_end): (usize, bool)) -> Id {
    let items = reduced(w, list, count, from_end);
    let mut once = Once::default();
    let items = w.once(&mut once, items);
    let test = w.form(Form::IsEmpty, &[items]);
    let message = format!("{} of an empty list needs a first value", w.call.name);
    let message = w.text(message);
    let fail = w.form(Form::Fail, &[message]);
    let first = w.form(Form::Head, &[items]);
    let first = if count > 2 { w.form(Form::Snd, &[first]) } else { first };
    let others = w.form(Form::Tail, &[items]);
    let folded = w.form(Form::Reduce, &[f, first, others]);
    let choice = w.choose(test, fail, folded);
    w.within(once, choice)
}

/// The function of an accumulator and an element, or a pair of index and element.
fn reducer(w: &mut Work<'_, '_>, f: Callback, all: Id) -> Id {
    if f.count == 2 {
        return f.id;
    }
    if let (1, true, Some((_, body))) = (f.count, w.is_named(f.id), w.literal(f.id)) {
        return named_of_two(w, body);
    }
    let sum = w.b.make_name();
    let item = w.b.make_name();
    let value = w.variable(&sum);
    let body = if f.count < 2 {
        let values = if f.count == 0 { Vec::new() } else { vec![value] };
        applied(w, f, values)
    } else {
        of_pair(w, f, &item, (&[value], all))
    };
    w.b.function(vec![sum, item], body, w.span)
}

/// The form of a name such as `max`, of two operands.
pub(super) fn named_of_two(w: &mut Work<'_, '_>, body: Id) -> Id {
    let names: Vec<Words<'_>> = vec!["x".into(), "y".into()];
    let operands: Vec<Id> = names.iter().map(|name| w.b.variable(&name.clone(), w.span)).collect();
    let form = w.b.tree.form_of(body);
    let body = w.form(form, &operands);
    w.b.function(names, body, w.span)
}
