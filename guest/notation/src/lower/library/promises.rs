//! `Promise`, whose values are there at once, and `console`.

use super::work::{MANY, Made, Row, Work, make, refused, spread};
use crate::tree::{Id, Words};
use pif_language::form::Form;

/// The members.
pub(super) const MEMBERS: &[Row] = &[
    make("then", (1, 1), then, "const r = await call(\"github.search_issues\", {q})"),
    make("catch", (1, 1), catch, "try { … } catch (e) { … }"),
    make("finally", (1, 1), finally, "try { … } finally { … }"),
];

/// The functions.
pub(super) const FUNCTIONS: &[Row] = &[
    make("Promise.all", (1, 1), all, "Promise.all(xs.map(x => call(\"shop.get\", {id: x})))"),
    make(
        "Promise.allSettled",
        (1, 1),
        settled,
        "Promise.allSettled(xs.map(x => call(\"shop.get\", {id: x})))",
    ),
    make("Promise.resolve", (0, 1), resolve, "Promise.resolve(x)"),
    make("Promise.reject", (0, 1), reject, "Promise.reject(new Error(\"why\"))"),
    refused("Promise.race", TIMELESS, "Promise.all(xs)"),
    refused("Promise.any", TIMELESS, "Promise.allSettled(xs)"),
    refused("setTimeout", TIMELESS, "the call itself"),
    refused("setInterval", TIMELESS, "the call itself"),
    refused("fetch", "a program reaches tools alone", "call(\"server.tool\", {url})"),
    refused(
        "require",
        "nothing is imported",
        "a built-in function, or call(\"server.tool\", {k: 1})",
    ),
    spread("console.log", (0, MANY), trace, "console.log(x)"),
    spread("console.info", (0, MANY), trace, "console.info(x)"),
    spread("console.warn", (0, MANY), trace, "console.warn(x)"),
    spread("console.error", (0, MANY), trace, "console.error(x)"),
    spread("console.debug", (0, MANY), trace, "console.debug(x)"),
    spread("console.table", (0, MANY), trace, "console.table(x)"),
];

const TIMELESS: &str = "a run has no time in it";

fn resolve(w: &mut Work<'_, '_>) -> Made {
    if w.has(0) { Ok(w.argument(0)) } else { Ok(w.null()) }
}

fn reject(w: &mut Work<'_, '_>) -> Made {
    let value = if w.has(0) { w.argument(0) } else { w.null() };
    Ok(raise(w, value))
}

/// A fault with a value, as `throw` makes it.
fn raise(w: &mut Work<'_, '_>, value: Id) -> Id {
    w.form(Form::Fail, &[value])
}

fn then(w: &mut Work<'_, '_>) -> Made {
    let (value, f) = (w.subject(), w.argument(0));
    match w.literal(f) {
        Some((names, body)) if names.len() == 1 => {
            Ok(w.b.bind(names.into_iter().map(|name| (name, value)).collect(), body, w.span))
        }
        _ => Ok(w.b.apply(f, &[value], w.span)),
    }
}

fn catch(w: &mut Work<'_, '_>) -> Made {
    Ok(w.form(Form::Try, &[w.subject(), w.argument(0)]))
}

fn finally(w: &mut Work<'_, '_>) -> Made {
    let (value, done) = (w.b.make_name(), w.b.make_name());
    let last = w.b.apply(w.argument(0), &[], w.span);
    let result = w.variable(&value);
    let bindings = vec![(value, w.subject()), (done, last)];
    Ok(w.b.bind(bindings, result, w.span))
}

/// `console.log("total", x)` writes `total: x`.
fn trace(w: &mut Work<'_, '_>) -> Made {
    let first = w.argument(0);
    let has_label = w.call.arguments.len() > 1
        && w.b.tree.literal(first).is_some()
        && w.call.arguments.first().is_some_and(|it| !it.is_spread);
    let (label, from) = if has_label { (first, 1) } else { (w.text("log"), 0) };
    let is_single = w.call.arguments.len() == from + 1
        && w.call.arguments.last().is_some_and(|it| !it.is_spread);
    let value = if is_single { w.argument(from) } else { w.rest(from) };
    let traced = w.form(Form::Trace, &[label, value]);
    let (name, null) = (w.b.make_name(), w.null());
    Ok(w.b.bind(vec![(name, traced)], null, w.span))
}

/// Calls at once where the list is one of calls; else the list.
fn all(w: &mut Work<'_, '_>) -> Made {
    let list = w.argument(0);
    let Some(requests) = requests(w, list) else { return Ok(list) };
    let yes = w.b.boolean(true, w.span);
    let options = w.record(&[("all", yes)]);
    Ok(w.form(Form::Calls, &[requests, options]))
}

/// The records of the calls that a list makes: of one that is written out, or of a map.
fn requests(w: &mut Work<'_, '_>, list: Id) -> Option<Id> {
    let operands = w.b.tree.operands(list).to_vec();
    match w.b.tree.form_of(list) {
        Form::List if !operands.is_empty() => {
            let records: Option<Vec<Id>> = operands.iter().map(|id| request(w, *id)).collect();
            Some(w.list(&records?))
        }
        Form::Map => {
            let [function, items] = *operands.as_slice() else { return None };
            let (names, body) = w.literal(function)?;
            let body = request(w, body)?;
            let function = w.b.function(names, body, w.b.tree.span(function));
            Some(w.form(Form::Map, &[function, items]))
        }
        Form::Let => {
            let names = w.b.tree.names(list).to_vec();
            let body = operands.last().copied()?;
            let body = requests(w, body)?;
            Some(w.b.bind(names.into_iter().zip(operands).collect(), body, w.span))
        }
        _ => None,
    }
}

/// The record of a call, within the names that it uses.
fn request(w: &mut Work<'_, '_>, call: Id) -> Option<Id> {
    let mut lets: Vec<Vec<(Words<'_>, Id)>> = Vec::new();
    let mut at = call;
    while w.b.tree.form_of(at) == Form::Let {
        let operands = w.b.tree.operands(at).to_vec();
        lets.push(w.b.tree.names(at).iter().cloned().zip(operands.iter().copied()).collect());
        at = operands.last().copied()?;
    }
    if !matches!(w.b.tree.form_of(at), Form::Call | Form::Perform) {
        return None;
    }
    let operands = w.b.tree.operands(at).to_vec();
    let members: Vec<_> = ["tool", "args", "options"].into_iter().zip(operands).collect();
    let mut whole = w.record(&members);
    for bindings in lets.into_iter().rev() {
        whole = w.b.bind(bindings, whole, w.span);
    }
    Some(whole)
}

/// A record for each value, or for what went wrong with it.
fn settled(w: &mut Work<'_, '_>) -> Made {
    let list = w.argument(0);
    if let Some(requests) = requests(w, list) {
        let outcomes = w.form(Form::Calls, &[requests]);
        let function = w.function(of_outcome);
        return Ok(w.form(Form::Map, &[function, outcomes]));
    }
    let operands = w.b.tree.operands(list).to_vec();
    match w.b.tree.form_of(list) {
        Form::List => {
            let records: Vec<Id> = operands.iter().map(|id| outcome(w, *id)).collect();
            Ok(w.list(&records))
        }
        Form::Map if operands.first().is_some_and(|f| w.literal(*f).is_some()) => {
            let function = operands.first().copied().unwrap_or(Id::MAX);
            let (names, body) = w.literal(function).unwrap_or_default();
            let body = outcome(w, body);
            let function = w.b.function(names, body, w.span);
            let items = operands.get(1).copied().unwrap_or(Id::MAX);
            Ok(w.form(Form::Map, &[function, items]))
        }
        _ => {
            let function = w.function(outcome);
            Ok(w.form(Form::Map, &[function, list]))
        }
    }
}

/// The outcome of one of several calls, as `allSettled` has it.
fn of_outcome(w: &mut Work<'_, '_>, outcome: Id) -> Id {
    let mut member = |name: &'static str| {
        let key = w.text(name);
        w.form(Form::Get, &[outcome, key])
    };
    let (is_good, value) = (member("ok"), member("value"));
    let (message, code) = (member("message"), member("reason"));
    let fulfilled = w.text("fulfilled");
    let rejected = w.text("rejected");
    let good = w.record(&[("status", fulfilled), ("value", value)]);
    let reason = w.record(&[("message", message), ("reason", code)]);
    let bad = w.record(&[("status", rejected), ("reason", reason)]);
    w.choose(is_good, good, bad)
}

/// The outcome of a term: its value, or the reason why it has none.
fn outcome(w: &mut Work<'_, '_>, term: Id) -> Id {
    let status = w.text("fulfilled");
    let good = w.record(&[("status", status), ("value", term)]);
    let handler = w.function(|w, fault| {
        let status = w.text("rejected");
        w.record(&[("status", status), ("reason", fault)])
    });
    w.form(Form::Try, &[good, handler])
}
