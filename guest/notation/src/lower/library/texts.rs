//! Members of texts, and functions that make texts: `toUpperCase`, `padStart`, `String`, `JSON`.

use super::work::{MANY, Made, Once, Row, Work, form, make, refused, spread};
use crate::tree::Id;
use pif_language::form::Form;

/// The members.
pub(super) const MEMBERS: &[Row] = &[
    form("toUpperCase", (0, 0), Form::Upper, "s.toUpperCase()"),
    form("toLowerCase", (0, 0), Form::Lower, "s.toLowerCase()"),
    make(
        "toLocaleUpperCase",
        (0, 1),
        |w| Ok(w.form(Form::Upper, &[w.subject()])),
        "s.toUpperCase()",
    ),
    make(
        "toLocaleLowerCase",
        (0, 1),
        |w| Ok(w.form(Form::Lower, &[w.subject()])),
        "s.toLowerCase()",
    ),
    form("trim", (0, 0), Form::Trim, "s.trim()"),
    make("trimStart", (0, 0), |w| without(w, "^\\s+"), "s.trimStart()"),
    make("trimLeft", (0, 0), |w| without(w, "^\\s+"), "s.trimStart()"),
    make("trimEnd", (0, 0), |w| without(w, "\\s+$"), "s.trimEnd()"),
    make("trimRight", (0, 0), |w| without(w, "\\s+$"), "s.trimEnd()"),
    form("padStart", (1, 2), Form::PadLeft, "s.padStart(3, \"0\")"),
    form("padEnd", (1, 2), Form::PadRight, "s.padEnd(10, \".\")"),
    form("repeat", (1, 1), Form::Repeat, "s.repeat(3)"),
    form("startsWith", (1, 2), Form::StartsWith, "s.startsWith(\"a\")"),
    form("endsWith", (1, 2), Form::EndsWith, "s.endsWith(\"a\")"),
    make("charAt", (0, 1), char_at, "s.charAt(0)"),
    make("charCodeAt", (0, 1), code_at, "s.charCodeAt(0)"),
    make("codePointAt", (0, 1), code_at, "s.codePointAt(0)"),
    make("substring", (1, 2), substring, "s.substring(0, 3)"),
    make("substr", (1, 2), substr, "s.substr(0, 3)"),
    make("normalize", (0, 1), normalize, "s.normalize(\"NFD\")"),
    make("localeCompare", (1, 3), locale_compare, "a.localeCompare(b)"),
    refused("anchor", "a text makes no HTML", "`<a>${s}</a>`"),
];

/// The functions.
pub(super) const FUNCTIONS: &[Row] = &[
    make("String", (0, 1), string, "String(x)"),
    spread("String.fromCharCode", (0, MANY), from_codes, "String.fromCharCode(97)"),
    spread("String.fromCodePoint", (0, MANY), from_codes, "String.fromCodePoint(97)"),
    make("JSON.stringify", (1, 3), stringify, "JSON.stringify(x, null, 2)"),
    make("JSON.parse", (1, 1), |w| Ok(w.form(Form::JsonParse, &[w.argument(0)])), "JSON.parse(s)"),
    make(
        "encodeURIComponent",
        (1, 1),
        |w| coded(w, Form::Encode, "component"),
        "encodeURIComponent(s)",
    ),
    make(
        "decodeURIComponent",
        (1, 1),
        |w| coded(w, Form::Decode, "component"),
        "decodeURIComponent(s)",
    ),
    refused("encodeURI", "it leaves some characters as they are", "encodeURIComponent(s)"),
    refused("decodeURI", "it keeps some characters encoded", "decodeURIComponent(s)"),
    make("btoa", (1, 1), |w| coded(w, Form::Encode, "base64"), "btoa(s)"),
    make("atob", (1, 1), |w| coded(w, Form::Decode, "base64"), "atob(s)"),
];

/// A text without what a regular expression matches.
fn without(w: &mut Work<'_, '_>, pattern: &'static str) -> Made {
    let (pattern, flags) = (w.text(pattern), w.text(""));
    let regex = w.form(Form::Regex, &[pattern, flags]);
    let empty = w.text("");
    Ok(w.form(Form::Substitute, &[w.subject(), regex, empty]))
}

/// The first argument, or 0.
fn index(w: &mut Work<'_, '_>) -> Id {
    if w.has(0) { w.argument(0) } else { w.integer(0) }
}

fn char_at(w: &mut Work<'_, '_>) -> Made {
    let index = index(w);
    if let Some(at) = w.whole(index).filter(|at| *at >= 0) {
        let end = w.b.number((at + 1).to_string(), w.span);
        return Ok(w.form(Form::Slice, &[w.subject(), index, end]));
    }
    let empty = w.text("");
    Ok(w.form(Form::Get, &[w.subject(), index, empty]))
}

/// The code of a character. Beyond the text there is none, which is a fault.
fn code_at(w: &mut Work<'_, '_>) -> Made {
    let index = index(w);
    let character = match w.whole(index) {
        Some(0) => w.subject(),
        _ => w.form(Form::Get, &[w.subject(), index]),
    };
    Ok(w.form(Form::CharCode, &[character]))
}

/// A part, whose ends may be in either order.
fn substring(w: &mut Work<'_, '_>) -> Made {
    let (subject, from) = (w.subject(), w.argument(0));
    if !w.has(1) {
        let from = w.at_least_zero(from);
        return Ok(w.form(Form::Slice, &[subject, from]));
    }
    let to = w.argument(1);
    match (w.whole(from), w.whole(to)) {
        (Some(a), Some(b)) => {
            let (a, b) = (a.max(0), b.max(0));
            let from = w.integer(a.min(b));
            let to = w.integer(a.max(b));
            Ok(w.form(Form::Slice, &[subject, from, to]))
        }
        (Some(..=0), None) => {
            let (zero, to) = (w.integer(0), w.at_least_zero(to));
            Ok(w.form(Form::Slice, &[subject, zero, to]))
        }
        _ => {
            let mut once = Once::default();
            let subject = w.once(&mut once, subject);
            let from = w.once(&mut once, from);
            let to = w.once(&mut once, to);
            let least = w.form(Form::Min, &[from, to]);
            let least = w.at_least_zero(least);
            let greatest = w.form(Form::Max, &[from, to]);
            let greatest = w.at_least_zero(greatest);
            let part = w.form(Form::Slice, &[subject, least, greatest]);
            Ok(w.within(once, part))
        }
    }
}

/// A part of so many characters.
fn substr(w: &mut Work<'_, '_>) -> Made {
    let (subject, from) = (w.subject(), w.argument(0));
    if !w.has(1) {
        return Ok(w.form(Form::Slice, &[subject, from]));
    }
    let count = w.at_least_zero(w.argument(1));
    if let (Some(from @ 0..), Some(count)) = (w.whole(from), w.whole(count)) {
        let (from, to) = (w.integer(from), w.integer(from.saturating_add(count)));
        return Ok(w.form(Form::Slice, &[subject, from, to]));
    }
    let rest = w.form(Form::Slice, &[subject, from]);
    let zero = w.integer(0);
    Ok(w.form(Form::Slice, &[rest, zero, count]))
}

fn locale_compare(w: &mut Work<'_, '_>) -> Made {
    let (mut a, mut b) = (w.subject(), w.argument(0));
    let options = w.argument(2);
    let has_options = w.has(2) && !w.is_null_literal(options);
    let names = w.b.tree.names(options);
    let is_known =
        names.iter().all(|it| ["numeric", "sensitivity", "usage"].contains(&it.as_ref()));
    if has_options && (w.b.tree.form_of(options) != Form::Record || !is_known) {
        return Err(w.refuse("takes {numeric: true} and {sensitivity: \"base\"}, written out"));
    }
    let sensitivity = w.member_of(options, "sensitivity");
    let sensitivity = sensitivity.and_then(|id| w.b.tree.literal(id)).unwrap_or("variant");
    if matches!(sensitivity, "base" | "accent") {
        (a, b) = (w.form(Form::Lower, &[a]), w.form(Form::Lower, &[b]));
    }
    let mut operands = vec![a, b];
    operands.extend(w.member_of(options, "numeric"));
    Ok(w.form(Form::LocaleCompare, &operands))
}

fn normalize(w: &mut Work<'_, '_>) -> Made {
    let form = w.b.tree.literal(w.argument(0)).unwrap_or("NFC");
    if matches!(form, "NFKC" | "NFKD") {
        return Err(w.refuse("knows the forms NFC and NFD"));
    }
    Ok(w.form(Form::Normalize, &w.operands()))
}

fn string(w: &mut Work<'_, '_>) -> Made {
    if w.has(0) { Ok(w.as_text(w.argument(0))) } else { Ok(w.text("")) }
}

/// The characters with these codes.
fn from_codes(w: &mut Work<'_, '_>) -> Made {
    if w.call.arguments.iter().any(|argument| argument.is_spread) {
        let codes = w.rest(0);
        let function = w.function(|w, code| w.form(Form::FromCharCode, &[code]));
        let texts = w.form(Form::Map, &[function, codes]);
        let empty = w.text("");
        return Ok(w.form(Form::Join, &[texts, empty]));
    }
    let mut texts = Vec::new();
    for argument in &w.call.arguments {
        texts.push(w.form(Form::FromCharCode, &[argument.id]));
    }
    match *texts.as_slice() {
        [] => Ok(w.text("")),
        [only] => Ok(only),
        _ => Ok(w.form(Form::Concat, &texts)),
    }
}

fn stringify(w: &mut Work<'_, '_>) -> Made {
    if w.has(1) && !w.is_null_literal(w.argument(1)) {
        return Err(w.refuse("takes null as its second argument"));
    }
    let mut operands = vec![w.argument(0)];
    if w.has(2) && !w.is_null_literal(w.argument(2)) {
        operands.push(w.argument(2));
    }
    Ok(w.form(Form::Stringify, &operands))
}

fn coded(w: &mut Work<'_, '_>, form: Form, encoding: &'static str) -> Made {
    let text = w.as_text(w.argument(0));
    let encoding = w.text(encoding);
    Ok(w.form(form, &[text, encoding]))
}
