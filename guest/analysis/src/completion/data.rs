//! The type of a value of JSON, as far as its first parts tell.

use crate::shape::{Member, Shape};
use crate::trial::Value;

/// The most elements of a list, and members of a record, that are looked at.
const MOST: usize = 200;

/// The type of a value of JSON. `any` if the text is no JSON, or nests too deep.
#[must_use]
pub fn shape_of_data(json: &str) -> Shape {
    Value::read(json).ok().flatten().map_or(Shape::Any, |it| of_value(&it))
}

/// A value that has been read has a depth of 64 at most, so this recursion ends soon.
fn of_value(value: &Value) -> Shape {
    match value {
        Value::Null => Shape::Null,
        Value::Boolean(_) => Shape::Boolean,
        Value::Number(number) if number.contains(['.', 'e', 'E']) => Shape::Float,
        Value::Number(_) => Shape::Integer,
        Value::Text(_) => Shape::Text,
        Value::List(elements) => {
            let each = elements.iter().take(MOST).map(of_value);
            let shape = each.fold(Shape::Never, merge);
            Shape::List(Box::new(if elements.is_empty() { Shape::Any } else { shape }))
        }
        Value::Record(members) => {
            let member = |(name, value): &(String, Value)| Member {
                name: name.clone(),
                shape: of_value(value),
                is_optional: false,
            };
            Shape::Record(members.iter().take(MOST).map(member).collect())
        }
    }
}

/// A type of the values of both. Records become one, whose members may be missing.
fn merge(first: Shape, second: Shape) -> Shape {
    match (first, second) {
        (Shape::Never, it) | (it, Shape::Never) => it,
        (Shape::Record(mut first), Shape::Record(second)) => {
            for it in &mut first {
                it.is_optional |= second.iter().all(|other| other.name != it.name);
            }
            for mut other in second {
                match first.iter_mut().find(|it| it.name == other.name) {
                    Some(it) => {
                        let before = std::mem::replace(&mut it.shape, Shape::Never);
                        it.shape = merge(before, other.shape);
                        it.is_optional |= other.is_optional;
                    }
                    None => {
                        other.is_optional = true;
                        first.push(other);
                    }
                }
            }
            Shape::Record(first)
        }
        (Shape::List(first), Shape::List(second)) => match (*first, *second) {
            // Of an empty list nothing is known.
            (Shape::Any, it) | (it, Shape::Any) => Shape::List(Box::new(it)),
            (first, second) => Shape::List(Box::new(merge(first, second))),
        },
        (Shape::Union(mut parts), second) => {
            let is_alike = |it: &Shape| {
                matches!(
                    (it, &second),
                    (Shape::Record(_), Shape::Record(_)) | (Shape::List(_), Shape::List(_))
                )
            };
            match parts.iter().position(is_alike) {
                Some(at) => {
                    let merged = merge(parts.remove(at), second);
                    parts.insert(at, merged);
                    Shape::union(parts)
                }
                None => Shape::union(parts.into_iter().chain([second])),
            }
        }
        (first, second) => Shape::union([first, second]),
    }
}
