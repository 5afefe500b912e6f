//! Where no value of one type is of another type, too.

use crate::shape::{Member, Shape};
use pif_core::json::tape::escape_pointer;

/// Deepest nesting that is compared.
const DEEPEST: u32 = 32;

/// Two types without a value in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clash {
    /// JSON Pointer to the place in a value; `*` stands for each element.
    pub at: String,
    /// What stands there.
    pub shape: Shape,
    /// What is wanted.
    pub wanted: Shape,
}

/// The first place at which no value of `shape` is of the type `wanted`. None where some value may be.
///
/// Types are those of values as JSON. Lists of clashing elements clash, although both may be empty.
#[must_use]
pub fn clash(shape: &Shape, wanted: &Shape) -> Option<Clash> {
    between(shape, wanted, String::new(), DEEPEST)
}

fn between(shape: &Shape, wanted: &Shape, at: String, depth: u32) -> Option<Clash> {
    if depth == 0 || is_free(shape) || is_free(wanted) {
        return None;
    }
    let whole = |at: String| Some(Clash { at, shape: shape.clone(), wanted: wanted.clone() });
    match (shape, wanted) {
        (Shape::Union(parts), _) => {
            let clashes = parts.iter().map(|it| between(it, wanted, at.clone(), depth - 1));
            all(clashes.collect()).and_then(|_| whole(at))
        }
        (_, Shape::Union(parts)) => {
            let clashes: Vec<_> =
                parts.iter().map(|it| between(shape, it, at.clone(), depth - 1)).collect();
            let told = all(clashes)?;
            // The part of its own kind says best what is wrong.
            let inner = told.into_iter().find(|it| it.at != at);
            inner.map_or_else(|| whole(at), Some)
        }
        (Shape::List(a), Shape::List(b)) => between(a, b, format!("{at}/*"), depth - 1),
        (Shape::Tuple(parts), Shape::List(b)) => (0..)
            .zip(parts)
            .find_map(|(i, a): (usize, &Shape)| between(a, b, format!("{at}/{i}"), depth - 1)),
        (Shape::Record(a), Shape::Record(b)) => {
            b.iter().find_map(|it| member_clash(a, it, &at, depth))
        }
        (Shape::Both(parts), Shape::Record(_)) => {
            parts.iter().find_map(|it| between(it, wanted, at.clone(), depth - 1))
        }
        (Shape::Dictionary(a), Shape::Record(b)) => {
            let is_clashing = |it: &Member| match it.is_optional {
                true => None,
                false => between(a, &it.shape, place(&at, &it.name), depth - 1),
            };
            b.iter().find_map(is_clashing)
        }
        _ if is_kind_shared(shape, wanted) => None,
        _ => whole(at),
    }
}

fn all(clashes: Vec<Option<Clash>>) -> Option<Vec<Clash>> {
    clashes.into_iter().collect()
}

fn member_clash(members: &[Member], wanted: &Member, at: &str, depth: u32) -> Option<Clash> {
    let found = members.iter().find(|it| it.name == wanted.name)?;
    let is_missable = found.is_optional && wanted.is_optional;
    if is_missable {
        return None;
    }
    between(&found.shape, &wanted.shape, place(at, &wanted.name), depth - 1)
}

fn place(at: &str, name: &str) -> String {
    format!("{at}/{}", escape_pointer(name))
}

/// Whether nothing is known of a type, or of its value as JSON.
fn is_free(shape: &Shape) -> bool {
    matches!(
        shape,
        Shape::Any
            | Shape::Never
            | Shape::Variable(_)
            | Shape::Code
            | Shape::Continuation
            | Shape::Function(_)
    )
}

/// Whether two types have a kind of JSON in common. Only texts that are written out are compared.
fn is_kind_shared(a: &Shape, b: &Shape) -> bool {
    if let (Shape::Literal(a), Shape::Literal(b)) = (a, b) {
        return a == b;
    }
    kind(a) == kind(b) || is_pair(a, b) || is_pair(b, a)
}

/// Whether one may be a pair, which is a record as JSON.
fn is_pair(a: &Shape, b: &Shape) -> bool {
    matches!((a, kind(b)), (Shape::Tuple(parts), Kind::Object) if parts.len() == 2)
}

/// The kinds of values that JSON has.
#[derive(PartialEq, Eq)]
enum Kind {
    Null,
    Boolean,
    Number,
    Text,
    Array,
    Object,
    Other,
}

fn kind(shape: &Shape) -> Kind {
    match shape {
        Shape::Null => Kind::Null,
        Shape::Boolean => Kind::Boolean,
        Shape::Integer | Shape::Float | Shape::Number => Kind::Number,
        Shape::Text | Shape::Literal(_) | Shape::Date | Shape::Pattern => Kind::Text,
        Shape::List(_) | Shape::Tuple(_) | Shape::Map(_) | Shape::Set(_) => Kind::Array,
        Shape::Record(_) | Shape::Dictionary(_) | Shape::Both(_) => Kind::Object,
        _ => Kind::Other,
    }
}
