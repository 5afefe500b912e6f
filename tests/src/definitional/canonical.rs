//! Terms as canonical JSON, by recursion: every node is visited once.

use super::json::quote;
use pif::form::{Bare, Form, Shape};
use pif::number::float_text;
use pif::term::{TermId, Terms};

/// The canonical text of a term: its identity.
pub(super) fn text(terms: &Terms, term: TermId) -> String {
    let mut out = String::new();
    write(terms, |n| format!("{n:?}"), Part::Term(term), &mut out);
    out
}

/// The same to be read as data.
pub(super) fn data(terms: &Terms, term: TermId) -> String {
    let mut out = String::new();
    write(terms, float_text, Part::Term(term), &mut out);
    out
}

/// How floats are written.
type Floats = fn(f64) -> String;

/// JSON in which the operands of a node are not written yet.
enum Part<'t> {
    Term(TermId),
    Text(String),
    List(Vec<Part<'t>>),
    /// The members must be in the order of their keys.
    Object(Vec<(&'t str, Part<'t>)>),
}

fn write(terms: &Terms, floats: Floats, part: Part<'_>, out: &mut String) {
    match part {
        Part::Term(term) => write(terms, floats, node(terms, floats, term), out),
        Part::Text(text) => out.push_str(&text),
        Part::List(items) => {
            out.push('[');
            for (index, item) in items.into_iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                write(terms, floats, item, out);
            }
            out.push(']');
        }
        Part::Object(members) => {
            out.push('{');
            for (index, (key, value)) in members.into_iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                out.push_str(&quote(key));
                out.push(':');
                write(terms, floats, value, out);
            }
            out.push('}');
        }
    }
}

fn list<'t>(operands: &[TermId]) -> Part<'t> {
    Part::List(operands.iter().copied().map(Part::Term).collect())
}

/// One node of a term.
fn node(terms: &Terms, floats: Floats, term: TermId) -> Part<'_> {
    match terms.form(term) {
        Form::Unit => Part::Text("null".to_owned()),
        Form::Boolean => Part::Text(terms.boolean(term).to_string()),
        Form::Integer => Part::Text(terms.integer(term).to_string()),
        Form::BigInteger => {
            Part::Text(terms.big_integer(term).map(ToString::to_string).unwrap_or_default())
        }
        Form::FloatNumber => {
            let n = terms.float(term);
            let text = match n {
                _ if n.is_finite() => floats(n),
                _ if n.is_nan() => quote("NaN"),
                _ => quote(if n > 0.0 { "Infinity" } else { "-Infinity" }),
            };
            Part::Object(vec![("float", Part::Text(text))])
        }
        Form::Text => Part::Text(quote(terms.text(term))),
        Form::List => list(terms.operands(term)),
        form => Part::Object(members(terms, term, form)),
    }
}

fn members(terms: &Terms, term: TermId, form: Form) -> Vec<(&str, Part<'_>)> {
    let (key, operands, names) = (form.name(), terms.operands(term), terms.names(term));
    let operand = |at: usize| Part::Term(terms.operand(term, at));
    let name = |id: &u32| Part::Text(quote(terms.name(*id)));
    let all_names = || Part::List(names.iter().map(name).collect());
    match form.row().map_or(Shape::Ignored, |row| row.shape) {
        Shape::Name => vec![(key, names.first().map_or_else(|| list(&[]), name))],
        Shape::Ignored | Shape::Literal => vec![(key, Part::Text("null".to_owned()))],
        Shape::List { bare: Bare::Always, .. } => vec![(key, operand(0))],
        Shape::List { bare: Bare::Written, .. }
            if operands.len() == 1 && terms.form(operands[0]) != Form::List =>
        {
            vec![(key, operand(0))]
        }
        Shape::List { .. } => vec![(key, list(operands))],
        Shape::Members(members) | Shape::MembersOr(members) | Shape::Named(members) => {
            let mut members: Vec<_> = members.iter().copied().zip(operands).collect();
            members.sort_unstable();
            let members = members.into_iter().map(|(key, operand)| (key, Part::Term(*operand)));
            vec![(key, Part::Object(members.collect()))]
        }
        Shape::Branches => vec![(key, Part::List(operands.chunks(2).map(list).collect()))],
        Shape::Try => {
            let codes = (!names.is_empty()).then(|| ("codes", all_names()));
            let parts = [Some(("catch", operand(1))), codes, Some((key, operand(0)))];
            parts.into_iter().flatten().collect()
        }
        Shape::Lambda => match names {
            [only] => vec![("body", operand(0)), (key, name(only))],
            _ => vec![("body", operand(0)), (key, all_names())],
        },
        Shape::Application => {
            let argument = match operands {
                [_, only] => ("arg", Part::Term(*only)),
                _ => ("args", list(operands.get(1..).unwrap_or_default())),
            };
            vec![(key, Part::Object(vec![argument, ("func", operand(0))]))]
        }
        Shape::Bindings | Shape::Functions => {
            let pair =
                |(id, operand): (&u32, &TermId)| Part::List(vec![name(id), Part::Term(*operand)]);
            let bindings = names.iter().zip(operands).map(pair).collect();
            vec![("in", operand(operands.len().saturating_sub(1))), (key, Part::List(bindings))]
        }
        Shape::Fields => {
            let names = names.iter().map(|id| terms.name(*id));
            let fields = names.zip(operands.iter().copied().map(Part::Term));
            vec![(key, Part::Object(fields.collect()))]
        }
    }
}
