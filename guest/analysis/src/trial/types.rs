//! Which values of JSON are of a type.

use super::scalars::scalars;
use super::value::Value;
use crate::shape::{Member, Shape};
use std::sync::LazyLock;

/// What any value may be, in the smallest inputs.
pub(super) static ANY_PARTS: LazyLock<[Shape; 6]> = LazyLock::new(|| {
    let inner = Box::new(Shape::Union(vec![Shape::Integer, Shape::Text, Shape::Null]));
    let member = |name: &str, shape| Member { name: name.to_owned(), shape, is_optional: true };
    let members = vec![member("a", Shape::Integer), member("b", Shape::Text)];
    [
        Shape::Null,
        Shape::Boolean,
        Shape::Number,
        Shape::Text,
        Shape::List(inner),
        Shape::Record(members),
    ]
});

/// How the values of a type are made.
pub(super) enum Options<'s> {
    /// One of these.
    Scalars(Vec<Value>),
    List(&'s Shape),
    Tuple(&'s [Shape]),
    Record(&'s [Member]),
    Dictionary(&'s Shape),
    Union(&'s [Shape]),
    /// Any value: also where the type says what no JSON is, such as a function or a map.
    Any,
}

/// Tells how the values of a type are made.
pub(super) fn options(shape: &Shape) -> Options<'_> {
    match shape {
        Shape::Null
        | Shape::Boolean
        | Shape::Integer
        | Shape::Float
        | Shape::Number
        | Shape::Text
        | Shape::Literal(_)
        | Shape::Never => Options::Scalars(scalars(shape)),
        Shape::List(element) => Options::List(element),
        Shape::Tuple(shapes) => Options::Tuple(shapes),
        Shape::Record(members) => Options::Record(members),
        Shape::Dictionary(element) => Options::Dictionary(element),
        Shape::Union(shapes) => Options::Union(shapes),
        Shape::Both(both) => match &both[..] {
            [Shape::Record(members), _] | [_, Shape::Record(members)] => Options::Record(members),
            _ => Options::Any,
        },
        Shape::Any
        | Shape::Variable(_)
        | Shape::Map(_)
        | Shape::Set(_)
        | Shape::Date
        | Shape::Pattern
        | Shape::Code
        | Shape::Continuation
        | Shape::Function(_) => Options::Any,
    }
}

/// Tells whether a value is of a type. The types of the analyst have a depth that is bounded.
#[must_use]
pub(super) fn is_of(shape: &Shape, value: &Value) -> bool {
    match (options(shape), value) {
        (Options::Any, _) => true,
        (Options::Scalars(_), _) => is_scalar_of(shape, value),
        (Options::List(element), Value::List(elements)) => {
            elements.iter().all(|it| is_of(element, it))
        }
        (Options::Tuple(shapes), Value::List(elements)) => {
            shapes.len() == elements.len() && shapes.iter().zip(elements).all(|(s, v)| is_of(s, v))
        }
        (Options::Record(members), Value::Record(found)) => {
            members.iter().all(|member| match found.iter().find(|it| it.0 == member.name) {
                Some((_, value)) => is_of(&member.shape, value),
                None => member.is_optional,
            })
        }
        (Options::Dictionary(element), Value::Record(found)) => {
            found.iter().all(|it| is_of(element, &it.1))
        }
        (Options::Union(shapes), _) => shapes.iter().any(|it| is_of(it, value)),
        (Options::List(_) | Options::Tuple(_) | Options::Record(_) | Options::Dictionary(_), _) => {
            false
        }
    }
}

fn is_scalar_of(shape: &Shape, value: &Value) -> bool {
    match (shape, value) {
        (Shape::Null, Value::Null)
        | (Shape::Boolean, Value::Boolean(_))
        | (Shape::Number, Value::Number(_))
        | (Shape::Text, Value::Text(_)) => true,
        (Shape::Integer, Value::Number(n)) => !is_float(n),
        (Shape::Float, Value::Number(n)) => is_float(n),
        (Shape::Literal(text), Value::Text(found)) => text == found,
        _ => false,
    }
}

/// Tells whether a number is written as a float.
pub(super) fn is_float(number: &str) -> bool {
    pif_core::json::number::is_float(number)
}
