//! Members of lists, some of which texts have too: `slice`, `indexOf`, `concat`; and `Array`.

use super::callbacks::{Callback, Kind, over};
use super::ranges::{constant, from_indices};
use super::work::{MANY, Made, Once, Row, Work, form, make, refused, spread};
use crate::tree::Id;
use pif_language::form::Form;
use pif_language::kinds;

/// The members.
pub(super) const MEMBERS: &[Row] = &[
    make("slice", (0, 2), slice, "xs.slice(1, 3)"),
    make("at", (1, 1), at, "xs.at(-1)"),
    make("indexOf", (1, 2), |w| position(w, Form::IndexOf), "xs.indexOf(x)"),
    make("lastIndexOf", (1, 1), |w| position(w, Form::LastIndexOf), "xs.lastIndexOf(x)"),
    form("includes", (1, 2), Form::Contains, "xs.includes(x)"),
    make("join", (0, 1), join, "xs.join(\", \")"),
    form("reverse", (0, 0), Form::Reverse, "xs.reverse()"),
    form("toReversed", (0, 0), Form::Reverse, "xs.toReversed()"),
    spread("concat", (0, MANY), concat, "xs.concat(ys)"),
    make("flat", (0, 1), flat, "xs.flat()"),
    make("fill", (0, 3), fill, "xs.fill(0)"),
    make("with", (2, 2), with, "xs.with(0, x)"),
    spread("toSpliced", (0, MANY), to_spliced, "xs.toSpliced(1, 2, x)"),
    make("toArray", (0, 0), |w| Ok(w.elements(w.subject())), "xs.values().toArray()"),
    refused("push", CHANGES, "[...xs, x]"),
    refused("unshift", CHANGES, "[x, ...xs]"),
    refused("pop", CHANGES, "xs.at(-1) for the last element, xs.slice(0, -1) for the others"),
    refused("shift", CHANGES, "xs[0] for the first element, xs.slice(1) for the others"),
    refused("splice", CHANGES, "xs.toSpliced(1, 2)"),
    refused("copyWithin", CHANGES, "[...xs.slice(0, 2), ...ys]"),
];

const CHANGES: &str = "it would change a list that others may see";

/// The functions.
pub(super) const FUNCTIONS: &[Row] = &[
    make("Array.from", (1, 2), from, "Array.from({length: 3}, (_, i) => i)"),
    spread("Array.of", (0, MANY), |w| Ok(w.rest(0)), "[1, 2]"),
    make("Array.isArray", (1, 1), |w| Ok(w.is_type(w.argument(0), "list")), "Array.isArray(x)"),
    spread("Array", (0, MANY), array, "Array(3).fill(0)"),
];

fn slice(w: &mut Work<'_, '_>) -> Made {
    let mut operands = w.operands();
    if operands.len() == 1 {
        operands.push(w.integer(0));
    }
    if operands.get(2).is_some_and(|end| w.is_null_literal(*end)) {
        operands.truncate(2);
    }
    Ok(w.form(Form::Slice, &operands))
}

/// The element at an index, which counts from the end if it is negative; null if there is none.
fn at(w: &mut Work<'_, '_>) -> Made {
    let mut once = Once::default();
    let (list, index) = place(w, &mut once);
    let null = w.null();
    let found = w.form(Form::Get, &[list, index, null]);
    Ok(w.within(once, found))
}

/// An index, or −1.
fn position(w: &mut Work<'_, '_>, form: Form) -> Made {
    let found = w.form(form, &w.operands());
    let none = w.integer(-1);
    Ok(w.form(Form::Coalesce, &[found, none]))
}

/// `xs.join(", ")`, and `", ".join(xs)` as Python has it.
fn join(w: &mut Work<'_, '_>) -> Made {
    let subject = w.subject();
    let is_separator = w.b.tree.literal(subject).is_some();
    let operands = if !w.has(0) || w.is_null_literal(w.argument(0)) {
        [subject, w.text(",")]
    } else if is_separator {
        [w.argument(0), subject]
    } else {
        [subject, w.argument(0)]
    };
    Ok(w.form(Form::Join, &operands))
}

/// Texts joined, or lists and elements, as the first of them is a text or a list.
fn concat(w: &mut Work<'_, '_>) -> Made {
    let subject = w.subject();
    if w.is_text(subject) {
        return Ok(concat_texts(w, subject, None));
    }
    if w.is_list(subject) {
        return Ok(concat_lists(w, subject, None));
    }
    let mut once = Once::default();
    let subject = w.once(&mut once, subject);
    let rest = if w.call.arguments.iter().any(|it| it.is_spread) {
        let rest = w.rest(0);
        vec![(w.once(&mut once, rest), true)]
    } else {
        let ids: Vec<Id> = w.call.arguments.iter().map(|it| it.id).collect();
        ids.into_iter().map(|id| (w.once(&mut once, id), false)).collect()
    };
    let test = w.is_type(subject, "string");
    let texts = concat_texts(w, subject, Some(&rest));
    let lists = concat_lists(w, subject, Some(&rest));
    let choice = w.choose(test, texts, lists);
    Ok(w.within(once, choice))
}

/// The arguments of a call, or these; each may be a list of arguments.
fn arguments(w: &Work<'_, '_>, rest: Option<&[(Id, bool)]>) -> Vec<(Id, bool)> {
    let own = || w.call.arguments.iter().map(|it| (it.id, it.is_spread)).collect();
    rest.map_or_else(own, <[(Id, bool)]>::to_vec)
}

fn concat_texts(w: &mut Work<'_, '_>, subject: Id, rest: Option<&[(Id, bool)]>) -> Id {
    let mut operands = vec![subject];
    for (id, is_spread) in arguments(w, rest) {
        operands.push(if is_spread {
            let empty = w.text("");
            w.form(Form::Join, &[id, empty])
        } else {
            w.as_text(id)
        });
    }
    if operands.len() == 1 { subject } else { w.form(Form::Concat, &operands) }
}

fn concat_lists(w: &mut Work<'_, '_>, subject: Id, rest: Option<&[(Id, bool)]>) -> Id {
    let rest = arguments(w, rest);
    match *rest.as_slice() {
        [] => return subject,
        [(id, false)] if w.is_list(id) => return w.form(Form::Append, &[subject, id]),
        _ => {}
    }
    let mut whole = w.list(&[subject]);
    for part in rest.chunk_by(|a, b| !a.1 && !b.1) {
        let next = if let [(id, true)] = *part {
            w.elements(id)
        } else {
            let ids: Vec<Id> = part.iter().map(|(id, _)| *id).collect();
            w.list(&ids)
        };
        let before = w.b.tree.operands(whole).to_vec();
        let after = w.b.tree.operands(next).to_vec();
        let are_lists = [whole, next].iter().all(|id| w.b.tree.form_of(*id) == Form::List);
        whole = if are_lists {
            w.list(&[before, after].concat())
        } else {
            w.form(Form::Append, &[whole, next])
        };
    }
    w.form(Form::Flatten, &[whole])
}

/// Lists within a list become parts of it. The depth is written out.
fn flat(w: &mut Work<'_, '_>) -> Made {
    let subject = w.subject();
    let depth = w.argument(0);
    let depth = match w.whole(depth) {
        _ if !w.has(0) => 1,
        Some(depth) => depth.max(0),
        None if is_infinity(w, depth) => 1_000_000,
        None => return Err(w.refuse("takes a depth that is written out")),
    };
    if depth == 1 {
        return Ok(w.form(Form::Flatten, &[subject]));
    }
    let depth = w.integer(depth);
    Ok(w.form(Form::Flatten, &[subject, depth]))
}

fn is_infinity(w: &Work<'_, '_>, id: Id) -> bool {
    let operand = w.b.tree.operands(id).first().copied().unwrap_or(Id::MAX);
    w.b.tree.form_of(id) == Form::Float && w.b.tree.literal(operand) == Some("Infinity")
}

/// `xs.fill(x, from, to)`
fn fill(w: &mut Work<'_, '_>) -> Made {
    let mut once = Once::default();
    let subject = w.subject();
    let filler = if w.has(0) { w.argument(0) } else { w.null() };
    let filler = w.once(&mut once, filler);
    if !w.has(1) {
        let list = constant(w, subject).map_or(subject, |(range, _)| range);
        let function = w.function(|_, _| filler);
        let filled = w.form(Form::Map, &[function, list]);
        return Ok(w.within(once, filled));
    }
    let list = w.once(&mut once, subject);
    let from = w.index_from_start(&mut once, list, w.argument(1));
    let from = w.once(&mut once, from);
    let to = if w.has(2) {
        let to = w.index_from_start(&mut once, list, w.argument(2));
        Some(w.once(&mut once, to))
    } else {
        None
    };
    let function = w.function(|w, pair| {
        let index = w.form(Form::Fst, &[pair]);
        let mut test = w.form(Form::Gte, &[index, from]);
        if let Some(to) = to {
            let index = w.form(Form::Fst, &[pair]);
            let is_before = w.form(Form::Lt, &[index, to]);
            test = w.form(Form::And, &[test, is_before]);
        }
        let element = w.form(Form::Snd, &[pair]);
        w.choose(test, filler, element)
    });
    let pairs = w.form(Form::Enumerate, &[list]);
    let filled = w.form(Form::Map, &[function, pairs]);
    Ok(w.within(once, filled))
}

/// The list and the index of the first argument, which counts from the end if it is negative.
fn place<'s>(w: &mut Work<'_, 's>, once: &mut Once<'s>) -> (Id, Id) {
    let list = w.subject();
    let index = w.argument(0);
    let whole = w.whole(index);
    if matches!(whole, Some(0..)) {
        return (list, index);
    }
    let list = w.once(once, list);
    let index = w.once(once, index);
    let length = w.form(Form::Length, &[list]);
    let sum = w.form(Form::Add, &[length, index]);
    if whole.is_some() {
        return (list, sum);
    }
    let zero = w.integer(0);
    let is_negative = w.form(Form::Lt, &[index, zero]);
    (list, w.choose(is_negative, sum, index))
}

fn with(w: &mut Work<'_, '_>) -> Made {
    let mut once = Once::default();
    let (list, index) = place(w, &mut once);
    let path = w.list(&[index]);
    let put = w.form(Form::PutIn, &[list, path, w.argument(1)]);
    Ok(w.within(once, put))
}

/// `xs.toSpliced(from, count, …)`
fn to_spliced(w: &mut Work<'_, '_>) -> Made {
    let mut once = Once::default();
    let list = w.once(&mut once, w.subject());
    if !w.has(0) {
        return Ok(w.within(once, list));
    }
    if w.call.arguments.iter().take(2).any(|argument| argument.is_spread) {
        return Err(w.refuse("needs its first two arguments one by one"));
    }
    let from = w.index_from_start(&mut once, list, w.argument(0));
    let from = w.once(&mut once, from);
    let zero = w.integer(0);
    let mut parts = vec![w.form(Form::Slice, &[list, zero, from])];
    if w.has(2) {
        parts.push(w.rest(2));
    }
    if w.has(1) {
        let count = w.at_least_zero(w.argument(1));
        let to = match (w.whole(from), w.whole(count)) {
            (Some(from), Some(count)) => w.integer(from.saturating_add(count)),
            _ => w.form(Form::Add, &[from, count]),
        };
        parts.push(w.form(Form::Slice, &[list, to]));
    }
    let mut whole = Id::MAX;
    for part in parts {
        whole = if whole == Id::MAX { part } else { w.form(Form::Append, &[whole, part]) };
    }
    Ok(w.within(once, whole))
}

/// `Array(n)`, `Array(a, b)`
pub(super) fn array(w: &mut Work<'_, '_>) -> Made {
    if w.call.arguments.len() != 1 || w.call.arguments.iter().any(|it| it.is_spread) {
        return Ok(w.rest(0));
    }
    let count = w.argument(0);
    if w.kind(count) & kinds::NUMBER == 0 && w.kind(count) != kinds::UNKNOWN {
        return Ok(w.rest(0));
    }
    let range = range(w, count);
    let function = w.function(|w, _| w.null());
    Ok(w.form(Form::Map, &[function, range]))
}

fn range(w: &mut Work<'_, '_>, count: Id) -> Id {
    let zero = w.integer(0);
    w.form(Form::Range, &[zero, count])
}

fn from(w: &mut Work<'_, '_>) -> Made {
    let subject = w.argument(0);
    let count = w.member_of(subject, "length").filter(|_| w.b.tree.names(subject).len() == 1);
    let argument = w.call.arguments.get(1).copied();
    let argument = argument.filter(|argument| !w.is_null_literal(argument.id));
    match (count, argument) {
        (Some(_), None) => {
            let range = range(w, count.unwrap_or_default());
            let function = w.function(|w, _| w.null());
            Ok(w.form(Form::Map, &[function, range]))
        }
        (Some(count), Some(argument)) => {
            let range = range(w, count);
            let null = w.null();
            Ok(from_indices(w, (range, null), (argument.id, argument.takes)))
        }
        (None, None) => Ok(w.elements(subject)),
        (None, Some(argument)) => {
            let list = w.elements(subject);
            let f = Callback::of(w, argument, Kind::Value);
            Ok(over(w, Form::Map, f, list))
        }
    }
}
