//! `Object`, `Map` and `Set`: their functions, and the members of records, maps and sets.

use super::callbacks::{Callback, Kind, over};
use super::lists::array;
use super::patterns::regex;
use super::work::{MANY, Made, Once, Row, Work, form, make, refused, spread};
use crate::tree::Id;
use pif_language::form::Form;
use pif_language::kinds;

/// The members.
pub(super) const MEMBERS: &[Row] = &[
    make("keys", (0, 0), keys, "m.keys()"),
    make("values", (0, 0), values, "m.values()"),
    make("entries", (0, 0), entries, "m.entries()"),
    form("has", (1, 1), Form::Has, "m.has(k)"),
    form("hasOwnProperty", (1, 1), Form::Has, "Object.hasOwn(r, \"k\")"),
    make("valueOf", (0, 0), value_of, "x"),
    refused("clear", CHANGES, "new Map()"),
];

/// Members whose names a record may have for a function of its own, with other arguments.
pub(super) const LOOSE: &[Row] = &[
    make("get", (1, 1), get, "m.get(k)"),
    form("set", (2, 2), Form::Insert, "m.set(k, v)"),
    form("add", (1, 1), Form::Insert, "s.add(x)"),
    form("delete", (1, 1), Form::Remove, "m.delete(k)"),
];

const CHANGES: &str = "it would change a value that others may see";
const NO_CLASSES: &str = "there are no classes and no prototypes";

/// The functions.
pub(super) const FUNCTIONS: &[Row] = &[
    form("Object.keys", (1, 1), Form::Keys, "Object.keys(r)"),
    form("Object.getOwnPropertyNames", (1, 1), Form::Keys, "Object.keys(r)"),
    form("Object.values", (1, 1), Form::Values, "Object.values(r)"),
    make("Object.entries", (1, 1), object_entries, "Object.entries(r)"),
    make("Object.fromEntries", (1, 1), from_entries, "Object.fromEntries(pairs)"),
    spread("Object.assign", (1, MANY), assign, "Object.assign({}, a, b)"),
    make("Object.groupBy", (2, 2), |w| group(w, Form::FromEntries), "Object.groupBy(xs, x => x.k)"),
    make("Map.groupBy", (2, 2), |w| group(w, Form::ToMap), "Map.groupBy(xs, x => x.k)"),
    form("Object.hasOwn", (2, 2), Form::Has, "Object.hasOwn(r, \"k\")"),
    form("Object.prototype.hasOwnProperty.call", (2, 2), Form::Has, "Object.hasOwn(r, \"k\")"),
    form("Object.is", (2, 2), Form::Eq, "a === b"),
    make("Object.freeze", (1, 1), same, "x"),
    make("Object.seal", (1, 1), same, "x"),
    make("structuredClone", (1, 1), same, "x"),
    make("Object", (0, 1), object, "{}"),
    make("Error", (0, 2), error, "new Error(\"why\")"),
    make("TypeError", (0, 2), error, "new TypeError(\"why\")"),
    make("RangeError", (0, 2), error, "new RangeError(\"why\")"),
    make("SyntaxError", (0, 2), error, "new SyntaxError(\"why\")"),
    make("RegExp", (1, 2), regex, "new RegExp(\"[0-9]+\", \"g\")"),
    refused("Object.create", NO_CLASSES, "a record: {k: 1}"),
    refused("Object.defineProperty", NO_CLASSES, "a record: {k: 1}"),
    refused("Object.setPrototypeOf", NO_CLASSES, "a record: {k: 1}"),
    refused("Object.getPrototypeOf", NO_CLASSES, "typeof x, or Array.isArray(x)"),
    refused("Symbol", "there are no symbols", "a text as key"),
];

/// The functions behind `new`.
pub(super) const CLASSES: &[Row] = &[
    make("Set", (0, 1), |w| collection(w, Form::ToSet), "new Set(xs)"),
    make("Map", (0, 1), |w| collection(w, Form::ToMap), "new Map([[k, v]])"),
    spread("Array", (0, MANY), array, "new Array(3).fill(0)"),
    make("Object", (0, 1), object, "{}"),
    make("RegExp", (1, 2), regex, "new RegExp(\"[0-9]+\", \"g\")"),
    make("Error", (0, 2), error, "new Error(\"why\")"),
    make("TypeError", (0, 2), error, "new TypeError(\"why\")"),
    make("RangeError", (0, 2), error, "new RangeError(\"why\")"),
    make("SyntaxError", (0, 2), error, "new SyntaxError(\"why\")"),
    refused("Promise", "nothing is asynchronous", "the value itself, or Promise.resolve(x)"),
    refused("WeakMap", "values have no identity", "new Map()"),
    refused("WeakSet", "values have no identity", "new Set()"),
    refused("Proxy", NO_CLASSES, "a function: k => r[k] ?? 0"),
    refused("Function", "no program is made of text", "x => x + 1"),
    refused("URL", "there is none", "s.split(\"?\"), or s.match(/^https?:\\/\\/([^\\/?#]+)/)"),
    refused("URLSearchParams", "there is none", "s.split(\"&\").map(p => p.split(\"=\"))"),
    refused("Intl.NumberFormat", "there is none", "n.toLocaleString(\"en-US\")"),
    refused("Intl.DateTimeFormat", "there is none", "date_format(seconds, \"%d %B %Y\")"),
    refused("Intl.Collator", "there is none", "a.localeCompare(b)"),
    refused("Number", "a wrapped number is not read", "Number(x)"),
    refused("String", "a wrapped text is not read", "String(x)"),
    refused("Boolean", "a wrapped boolean is not read", "Boolean(x)"),
];

fn same(w: &mut Work<'_, '_>) -> Made {
    Ok(w.argument(0))
}

fn object(w: &mut Work<'_, '_>) -> Made {
    if w.has(0) { Ok(w.argument(0)) } else { Ok(w.record(&[])) }
}

/// A term for a list, and a form for a map, a set or a record: a test at run time decides where the type
/// is not known.
fn of_list_or(w: &mut Work<'_, '_>, form: Form, of_list: fn(&mut Work<'_, '_>, Id) -> Id) -> Made {
    let subject = w.subject();
    match w.kind(subject) {
        kinds::LIST => return Ok(of_list(w, subject)),
        kinds::RECORD => return Ok(w.form(form, &[subject])),
        _ if matches!(w.b.tree.form_of(subject), Form::ToMap | Form::ToSet) => {
            return Ok(w.form(form, &[subject]));
        }
        _ => {}
    }
    let mut once = Once::default();
    let subject = w.once(&mut once, subject);
    let test = w.is_type(subject, "list");
    let list = of_list(w, subject);
    let other = w.form(form, &[subject]);
    let choice = w.choose(test, list, other);
    Ok(w.within(once, choice))
}

fn keys(w: &mut Work<'_, '_>) -> Made {
    of_list_or(w, Form::Keys, |w, list| {
        let items = w.b.tree.operands(list).to_vec();
        if let [_, range] = *items.as_slice()
            && w.b.tree.form_of(list) == Form::Map
            && w.b.tree.form_of(range) == Form::Range
        {
            return range;
        }
        let zero = w.integer(0);
        let length = w.form(Form::Length, &[list]);
        w.form(Form::Range, &[zero, length])
    })
}

fn values(w: &mut Work<'_, '_>) -> Made {
    of_list_or(w, Form::Values, |_, list| list)
}

/// Pairs of key and value. What groups and counts has made these already.
fn entries(w: &mut Work<'_, '_>) -> Made {
    of_list_or(w, Form::Entries, |w, list| {
        let is_grouped = matches!(w.b.tree.form_of(list), Form::GroupBy | Form::CountBy);
        if is_grouped { list } else { w.form(Form::Enumerate, &[list]) }
    })
}

fn object_entries(w: &mut Work<'_, '_>) -> Made {
    let subject = w.argument(0);
    let is_grouped = matches!(w.b.tree.form_of(subject), Form::GroupBy | Form::CountBy);
    Ok(if is_grouped { subject } else { w.form(Form::Entries, &[subject]) })
}

/// The value of a key of a map, or null.
fn get(w: &mut Work<'_, '_>) -> Made {
    let null = w.null();
    Ok(w.form(Form::Lookup, &[w.subject(), w.argument(0), null]))
}

/// A date as its time, and any other value as it is.
fn value_of(w: &mut Work<'_, '_>) -> Made {
    let subject = w.subject();
    match w.b.tree.form_of(subject) {
        Form::Moment => Ok(w.form(Form::ToNumber, &[subject])),
        _ => Ok(subject),
    }
}

fn from_entries(w: &mut Work<'_, '_>) -> Made {
    let pairs = w.elements(w.argument(0));
    Ok(w.form(Form::FromEntries, &[pairs]))
}

fn assign(w: &mut Work<'_, '_>) -> Made {
    if w.call.arguments.iter().any(|argument| argument.is_spread) {
        let records = w.rest(0);
        let (first, second) = (w.b.make_name(), w.b.make_name());
        let operands = [w.variable(&first), w.variable(&second)];
        let merged = w.form(Form::Merge, &operands);
        let function = w.b.function(vec![first, second], merged, w.span);
        let empty = w.record(&[]);
        return Ok(w.form(Form::Reduce, &[function, empty, records]));
    }
    let mut whole = w.argument(0);
    for argument in w.call.arguments.iter().skip(1) {
        whole = w.form(Form::Merge, &[whole, argument.id]);
    }
    Ok(whole)
}

/// Elements by what a function gives for them, as a record under texts or as a map.
fn group(w: &mut Work<'_, '_>, form: Form) -> Made {
    let list = w.elements(w.argument(0));
    let Some(mut argument) = w.call.arguments.get(1).copied() else { return Ok(list) };
    if form == Form::FromEntries {
        match w.literal(argument.id) {
            Some((names, body)) => {
                let key = w.as_text(body);
                argument.id = w.b.function(names, key, w.span);
            }
            None if argument.takes.is_none_or(|count| count < 2) => {
                let mut once = Once::default();
                let f = w.once(&mut once, argument.id);
                argument.id = w.function(|w, x| {
                    let key = w.b.apply(f, &[x], w.span);
                    w.as_text(key)
                });
                argument.takes = Some(1);
                let groups = grouped(w, Callback::of(w, argument, Kind::Value), list, false);
                let whole = w.form(form, &[groups]);
                return Ok(w.within(once, whole));
            }
            None => {}
        }
    }
    let known = w.literal(argument.id).map(|(names, _)| names.len()).or(argument.takes);
    let f = Callback::of(w, argument, Kind::Value);
    let groups = grouped(w, f, list, known.is_some_and(|count| count > 1));
    Ok(w.form(form, &[groups]))
}

/// Pairs of a key and elements. Where the function gets an index, these are pairs of both at first.
fn grouped(w: &mut Work<'_, '_>, f: Callback, list: Id, has_index: bool) -> Id {
    let groups = over(w, Form::GroupBy, f, list);
    if !has_index {
        return groups;
    }
    let function = w.function(|w, group| {
        let second = w.function(|w, pair| w.form(Form::Snd, &[pair]));
        let key = w.form(Form::Fst, &[group]);
        let pairs = w.form(Form::Snd, &[group]);
        let elements = w.form(Form::Map, &[second, pairs]);
        w.list(&[key, elements])
    });
    w.form(Form::Map, &[function, groups])
}

/// A map or a set of what a value holds.
fn collection(w: &mut Work<'_, '_>, form: Form) -> Made {
    let is_empty = !w.has(0) || w.is_null_literal(w.argument(0));
    let held = if is_empty { w.list(&[]) } else { w.argument(0) };
    Ok(w.form(form, &[held]))
}

/// A record with what went wrong.
fn error(w: &mut Work<'_, '_>) -> Made {
    let name = w.text(w.call.name.clone());
    let message = if w.has(0) { w.as_text(w.argument(0)) } else { w.text("") };
    Ok(w.record(&[("name", name), ("message", message)]))
}
