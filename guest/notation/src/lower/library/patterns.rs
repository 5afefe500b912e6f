//! Members of texts and regular expressions that search and replace: `replace`, `match`, `test`.

use super::work::{Made, Once, Row, Work, make};
use crate::lower::builder::Argument;
use crate::tree::Id;
use pif_language::form::Form;

/// The members.
pub(super) const MEMBERS: &[Row] = &[
    make("replace", (2, 2), |w| replace(w, false), "s.replace(/a/g, \"b\")"),
    make("replaceAll", (2, 2), |w| replace(w, true), "s.replaceAll(\"a\", \"b\")"),
    make("split", (0, 2), split, "s.split(\",\")"),
    make("match", (1, 1), |w| matched(w, Form::RegexMatch, ""), "s.match(/[0-9]+/g)"),
    make("matchAll", (1, 1), |w| matched(w, Form::RegexMatchAll, "g"), "s.matchAll(/[0-9]+/g)"),
    make("search", (1, 1), search, "s.search(/[0-9]/)"),
    make("test", (1, 1), test, "/[0-9]/.test(s)"),
    make("exec", (1, 1), exec, "/([0-9]+)/.exec(s)"),
];

/// `new RegExp(pattern, flags)`, `RegExp(pattern, flags)`
pub(super) fn regex(w: &mut Work<'_, '_>) -> Made {
    let pattern = w.argument(0);
    if w.b.tree.form_of(pattern) == Form::Regex && !w.has(1) {
        return Ok(pattern);
    }
    let flags = if w.has(1) { w.argument(1) } else { w.text("") };
    Ok(w.form(Form::Regex, &[pattern, flags]))
}

/// A pattern: a text that is written out is a regular expression here.
fn pattern(w: &mut Work<'_, '_>, id: Id, flags: &'static str) -> Id {
    if !w.is_text(id) {
        return id;
    }
    let flags = w.text(flags);
    w.form(Form::Regex, &[id, flags])
}

fn matched(w: &mut Work<'_, '_>, form: Form, flags: &'static str) -> Made {
    let regex = pattern(w, w.argument(0), flags);
    Ok(w.form(form, &[w.subject(), regex]))
}

fn test(w: &mut Work<'_, '_>) -> Made {
    let text = w.as_text_if_literal(w.argument(0));
    Ok(w.form(Form::Matches, &[text, w.subject()]))
}

impl Work<'_, '_> {
    /// A number or a boolean that is written out, as a text; any other value as it is.
    fn as_text_if_literal(&mut self, id: Id) -> Id {
        let is_number = self.b.tree.digits(id).is_some();
        if is_number { self.form(Form::AsText, &[id]) } else { id }
    }

    /// The pattern and the flags of a regular expression that is written out.
    fn regex_of(&self, id: Id) -> Option<(Id, String)> {
        if self.b.tree.form_of(id) != Form::Regex {
            return None;
        }
        let [pattern, flags] = *self.b.tree.operands(id) else { return None };
        Some((pattern, self.b.tree.literal(flags)?.to_owned()))
    }
}

/// The first match with its groups, also of a regular expression with the flag g.
fn exec(w: &mut Work<'_, '_>) -> Made {
    let (regex, text) = (w.subject(), w.argument(0));
    if let Some((pattern, flags)) = w.regex_of(regex) {
        let flags = w.text(flags.replace('g', ""));
        let regex = w.form(Form::Regex, &[pattern, flags]);
        return Ok(w.form(Form::RegexMatch, &[text, regex]));
    }
    let matches = w.form(Form::RegexMatchAll, &[text, regex]);
    let first = w.function(|w, _| w.b.boolean(true, w.span));
    Ok(w.form(Form::Find, &[first, matches]))
}

/// The index of the first match, or −1.
fn search(w: &mut Work<'_, '_>) -> Made {
    let regex = pattern(w, w.argument(0), "");
    let found = w.form(Form::IndexOf, &[w.subject(), regex]);
    let none = w.integer(-1);
    Ok(w.form(Form::Coalesce, &[found, none]))
}

fn split(w: &mut Work<'_, '_>) -> Made {
    let operands = w.operands();
    if let [subject, separator] = *operands
        && w.is_null_literal(separator)
    {
        return Ok(w.list(&[subject]));
    }
    match *operands {
        [subject] => Ok(w.list(&[subject])),
        _ => Ok(w.form(Form::Split, &operands)),
    }
}

fn replace(w: &mut Work<'_, '_>, all: bool) -> Made {
    let Some(replacement) = w.call.arguments.get(1).copied() else { return Ok(w.null()) };
    if w.is_function(replacement) {
        return Ok(replace_by(w, replacement, all));
    }
    let mut operands = vec![w.subject(), w.argument(0), w.as_text_if_literal(replacement.id)];
    if all {
        operands.push(w.b.boolean(true, w.span));
    }
    Ok(w.form(Form::Substitute, &operands))
}

/// A text whose matches are replaced by what a function gives for them.
fn replace_by(w: &mut Work<'_, '_>, f: Argument, all: bool) -> Id {
    let mut once = Once::default();
    let is_literal = w.literal(f.id).is_some();
    let mut operands = vec![w.subject(), w.argument(0)];
    if all && w.b.tree.form_of(w.argument(0)) != Form::Regex {
        operands.push(w.b.boolean(true, w.span));
    }
    let f = if is_literal { f } else { Argument { id: w.once(&mut once, f.id), ..f } };
    let parts = w.form(Form::RegexParts, &operands);
    let function = w.function(|w, part| {
        let is_text = w.is_type(part, "string");
        let value = replacement(w, f, part);
        let value = w.as_text(value);
        w.choose(is_text, part, value)
    });
    let texts = w.form(Form::Map, &[function, parts]);
    let empty = w.text("");
    let joined = w.form(Form::Join, &[texts, empty]);
    w.within(once, joined)
}

/// Calls the function with a match and its groups: as many as it takes.
fn replacement(w: &mut Work<'_, '_>, f: Argument, part: Id) -> Id {
    let literal = w.literal(f.id);
    let count = literal.as_ref().map(|(names, _)| names.len()).or(f.takes);
    let Some(count) = count else { return w.form(Form::Apply, &[f.id, part]) };
    let mut values = Vec::new();
    for at in 0..count {
        let index = w.integer(i64::try_from(at).unwrap_or(i64::MAX));
        let null = w.null();
        values.push(if at == 0 {
            w.form(Form::Head, &[part])
        } else {
            w.form(Form::Get, &[part, index, null])
        });
    }
    match literal {
        Some((names, body)) => w.b.bind(names.into_iter().zip(values).collect(), body, w.span),
        None => w.b.apply(f.id, &values, w.span),
    }
}
