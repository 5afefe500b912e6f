//! JSON Schema of a type.

use crate::shape::{Member, Shape};
use pif_core::json::escape;

/// What is left to write.
enum Part<'s> {
    Shape(&'s Shape),
    Words(&'static str),
    Quoted(&'s str),
}

impl Shape {
    /// The JSON Schema of the type, as canonical JSON has its values. What has none there, such as a
    /// function, is any value.
    #[must_use]
    pub fn schema(&self) -> String {
        let mut text = String::new();
        let mut left = vec![Part::Shape(self)];
        while let Some(part) = left.pop() {
            match part {
                Part::Words(words) => text.push_str(words),
                Part::Quoted(words) => escape::string(words, &mut text),
                Part::Shape(shape) => left.extend(parts(shape).into_iter().rev()),
            }
        }
        text
    }
}

fn parts(shape: &Shape) -> Vec<Part<'_>> {
    use Part::{Quoted, Words};
    let words = match shape {
        Shape::Any
        | Shape::Variable(_)
        | Shape::Code
        | Shape::Continuation
        | Shape::Function(_) => "{}",
        Shape::Never => "{\"not\":{}}",
        Shape::Null => "{\"type\":\"null\"}",
        Shape::Boolean => "{\"type\":\"boolean\"}",
        Shape::Integer => "{\"type\":\"integer\"}",
        // A float without a fraction is an integer for a schema, too.
        Shape::Float | Shape::Number => "{\"type\":\"number\"}",
        Shape::Text | Shape::Date | Shape::Pattern => "{\"type\":\"string\"}",
        Shape::Literal(text) => {
            return vec![Words("{\"const\":"), Quoted(text), Words("}")];
        }
        Shape::List(element) | Shape::Set(element) => {
            let before = Words("{\"type\":\"array\",\"items\":");
            return vec![before, Part::Shape(element), Words("}")];
        }
        Shape::Map(both) => {
            let [key, value] = &**both;
            let mut parts = vec![Words("{\"type\":\"array\",\"items\":")];
            parts.extend(tuple(&[key, value]));
            parts.push(Words("}"));
            return parts;
        }
        Shape::Tuple(shapes) => {
            // It may be a pair.
            let shapes: Vec<&Shape> = shapes.iter().collect();
            if shapes.len() != 2 {
                return tuple(&shapes);
            }
            let mut parts = vec![Words("{\"anyOf\":[")];
            parts.extend(tuple(&shapes));
            parts.push(Words(",{\"type\":\"object\",\"properties\":{\"pair\":"));
            parts.extend(tuple(&shapes));
            parts.push(Words("},\"required\":[\"pair\"]}]}"));
            return parts;
        }
        Shape::Record(members) => return record(members),
        Shape::Dictionary(element) => {
            let before = Words("{\"type\":\"object\",\"additionalProperties\":");
            return vec![before, Part::Shape(element), Words("}")];
        }
        Shape::Union(shapes) => return several("{\"anyOf\":[", shapes),
        Shape::Both(shapes) => return several("{\"allOf\":[", &shapes[..]),
    };
    vec![Words(words)]
}

fn several<'s>(before: &'static str, shapes: &'s [Shape]) -> Vec<Part<'s>> {
    let mut parts = vec![Part::Words(before)];
    for (at, shape) in shapes.iter().enumerate() {
        parts.push(Part::Words(if at == 0 { "" } else { "," }));
        parts.push(Part::Shape(shape));
    }
    parts.push(Part::Words("]}"));
    parts
}

fn tuple<'s>(shapes: &[&'s Shape]) -> Vec<Part<'s>> {
    let mut parts = vec![Part::Words("{\"type\":\"array\",\"prefixItems\":[")];
    for (at, shape) in shapes.iter().enumerate() {
        parts.push(Part::Words(if at == 0 { "" } else { "," }));
        parts.push(Part::Shape(shape));
    }
    parts.push(Part::Words("],\"items\":false}"));
    parts
}

fn record(members: &[Member]) -> Vec<Part<'_>> {
    use Part::{Quoted, Words};
    let mut parts = vec![Words("{\"type\":\"object\"")];
    for (at, member) in members.iter().enumerate() {
        parts.push(Words(if at == 0 { ",\"properties\":{" } else { "," }));
        parts.extend([Quoted(&member.name), Words(":"), Part::Shape(&member.shape)]);
    }
    parts.push(Words(if members.is_empty() { "" } else { "}" }));
    let required = members.iter().filter(|it| !it.is_optional);
    let mut is_first = true;
    for member in required {
        parts.push(Words(if is_first { ",\"required\":[" } else { "," }));
        parts.push(Quoted(&member.name));
        is_first = false;
    }
    parts.push(Words(if is_first { "}" } else { "]}" }));
    parts
}
