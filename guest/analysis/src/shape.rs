//! Types as they are told: a tree, written as TypeScript writes types.

use pif_core::json::escape;
use std::fmt;

/// A type of values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shape {
    /// Any value.
    Any,
    /// No value: the program never has one.
    Never,
    /// `null`
    Null,
    /// `boolean`
    Boolean,
    /// `integer`: a whole number, exact.
    Integer,
    /// `float`
    Float,
    /// `number`: an integer or a float.
    Number,
    /// `text`
    Text,
    /// This text: `"left"`.
    Literal(String),
    /// `A[]`
    List(Box<Shape>),
    /// `[A, B]`: a list of so many, or a pair.
    Tuple(Vec<Shape>),
    /// `{k: A, m?: B}`: a record. Other members may be there.
    Record(Vec<Member>),
    /// `{[key: text]: A}`: a record with values of one type.
    Dictionary(Box<Shape>),
    /// `Map<K, V>`
    Map(Box<[Shape; 2]>),
    /// `Set<A>`
    Set(Box<Shape>),
    /// `Date`
    Date,
    /// `RegExp`
    Pattern,
    /// `code`: a quoted term.
    Code,
    /// `continuation`
    Continuation,
    /// `(x: A) => B`
    Function(Box<Signature>),
    /// `A | B`
    Union(Vec<Shape>),
    /// `A & B`: a record with the members of both.
    Both(Box<[Shape; 2]>),
    /// `T`: any type, the same wherever the name stands.
    Variable(String),
}

/// A member of a record.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Member {
    /// The key.
    pub name: String,
    /// The type of the value.
    pub shape: Shape,
    /// Whether the member may be missing.
    pub is_optional: bool,
}

/// The type of a function.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Signature {
    /// The variables of types that begin here.
    pub variables: Vec<String>,
    /// The parameters: names and types.
    pub parameters: Vec<(String, Shape)>,
    /// The type of the value.
    pub gives: Shape,
}

impl Shape {
    /// The union of types, each once; `any` takes in all, and an integer or a float is a number.
    #[must_use]
    pub fn union(shapes: impl IntoIterator<Item = Self>) -> Self {
        let mut parts: Vec<Self> = Vec::new();
        for shape in shapes {
            let inner = if let Self::Union(inner) = shape { inner } else { vec![shape] };
            for part in inner {
                if part == Self::Any {
                    return Self::Any;
                }
                if part != Self::Never && !parts.contains(&part) {
                    parts.push(part);
                }
            }
        }
        let has = |part: &Self, parts: &[Self]| parts.contains(part);
        if has(&Self::Number, &parts) || has(&Self::Integer, &parts) && has(&Self::Float, &parts) {
            let at = parts.iter().position(is_number).unwrap_or(parts.len());
            parts.retain(|it| !is_number(it));
            parts.insert(at.min(parts.len()), Self::Number);
        }
        if has(&Self::Text, &parts) {
            parts.retain(|it| !matches!(it, Self::Literal(_)));
        }
        // Null stands last, as people write it.
        parts.sort_by_key(|it| *it == Self::Null);
        match parts.len() {
            0 => Self::Never,
            1 => parts.swap_remove(0),
            _ => Self::Union(parts),
        }
    }

    /// Whether the type must stand in parentheses before `[]`.
    fn is_compound(&self) -> bool {
        matches!(self, Self::Union(_) | Self::Function(_) | Self::Both(_))
    }
}

fn is_number(shape: &Shape) -> bool {
    matches!(shape, Shape::Number | Shape::Integer | Shape::Float)
}

/// What is left to write.
enum Part<'s> {
    Shape(&'s Shape),
    Words(&'static str),
    Name(&'s str),
    Quoted(&'s str),
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut left = vec![Part::Shape(self)];
        while let Some(part) = left.pop() {
            match part {
                Part::Words(words) => f.write_str(words)?,
                Part::Name(name) => f.write_str(name)?,
                Part::Quoted(text) => write_quoted(text, f)?,
                Part::Shape(shape) => {
                    let parts = parts(shape, f)?;
                    left.extend(parts.into_iter().rev());
                }
            }
        }
        Ok(())
    }
}

fn write_quoted(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut quoted = String::new();
    escape::string(text, &mut quoted);
    f.write_str(&quoted)
}

/// Whether a key stands without quotes.
fn is_plain(key: &str) -> bool {
    let is_letter = |c: char| c == '_' || c == '$' || c.is_alphanumeric();
    key.chars().all(is_letter) && key.starts_with(|c: char| !c.is_ascii_digit())
}

/// Writes a type that has no parts, or gives its parts.
fn parts<'s>(shape: &'s Shape, f: &mut fmt::Formatter<'_>) -> Result<Vec<Part<'s>>, fmt::Error> {
    use Part::{Name, Words};
    let word = match shape {
        Shape::Any => "any",
        Shape::Never => "never",
        Shape::Null => "null",
        Shape::Boolean => "boolean",
        Shape::Integer => "integer",
        Shape::Float => "float",
        Shape::Number => "number",
        Shape::Text => "text",
        Shape::Date => "Date",
        Shape::Pattern => "RegExp",
        Shape::Code => "code",
        Shape::Continuation => "continuation",
        Shape::Literal(text) => {
            write_quoted(text, f)?;
            return Ok(Vec::new());
        }
        Shape::Variable(name) => return Ok(vec![Name(name)]),
        Shape::List(element) => {
            let mut parts = grouped(element);
            parts.push(Words("[]"));
            return Ok(parts);
        }
        Shape::Tuple(elements) => return Ok(listed("[", elements, ", ", "]")),
        Shape::Set(element) => {
            return Ok(listed("Set<", std::slice::from_ref(&**element), "", ">"));
        }
        Shape::Map(both) => return Ok(listed("Map<", &both[..], ", ", ">")),
        Shape::Union(shapes) => return Ok(joined(shapes, " | ")),
        Shape::Both(shapes) => return Ok(joined(&shapes[..], " & ")),
        Shape::Dictionary(element) => {
            return Ok(vec![Words("{[key: text]: "), Part::Shape(element), Words("}")]);
        }
        Shape::Record(members) => return Ok(record(members)),
        Shape::Function(signature) => return Ok(function(signature)),
    };
    f.write_str(word)?;
    Ok(Vec::new())
}

fn grouped(shape: &Shape) -> Vec<Part<'_>> {
    if shape.is_compound() {
        vec![Part::Words("("), Part::Shape(shape), Part::Words(")")]
    } else {
        vec![Part::Shape(shape)]
    }
}

fn listed<'s>(
    before: &'static str,
    shapes: &'s [Shape],
    between: &'static str,
    after: &'static str,
) -> Vec<Part<'s>> {
    let mut parts = vec![Part::Words(before)];
    for (at, shape) in shapes.iter().enumerate() {
        parts.push(Part::Words(if at == 0 { "" } else { between }));
        parts.push(Part::Shape(shape));
    }
    parts.push(Part::Words(after));
    parts
}

fn joined<'s>(shapes: &'s [Shape], between: &'static str) -> Vec<Part<'s>> {
    let mut parts = Vec::new();
    for (at, shape) in shapes.iter().enumerate() {
        parts.push(Part::Words(if at == 0 { "" } else { between }));
        let is_apart = matches!(shape, Shape::Function(_))
            || matches!(shape, Shape::Union(_)) && between == " & ";
        if is_apart { parts.extend(grouped(shape)) } else { parts.push(Part::Shape(shape)) }
    }
    parts
}

fn record(members: &[Member]) -> Vec<Part<'_>> {
    let mut parts = vec![Part::Words("{")];
    for (at, member) in members.iter().enumerate() {
        parts.push(Part::Words(if at == 0 { "" } else { ", " }));
        if is_plain(&member.name) {
            parts.push(Part::Name(&member.name));
        } else {
            parts.push(Part::Quoted(&member.name));
        }
        parts.push(Part::Words(if member.is_optional { "?: " } else { ": " }));
        parts.push(Part::Shape(&member.shape));
    }
    parts.push(Part::Words("}"));
    parts
}

fn function(signature: &Signature) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    for (at, name) in signature.variables.iter().enumerate() {
        parts.extend([Part::Words(if at == 0 { "<" } else { ", " }), Part::Name(name)]);
    }
    parts.push(Part::Words(if signature.variables.is_empty() { "(" } else { ">(" }));
    for (at, (name, shape)) in signature.parameters.iter().enumerate() {
        parts.push(Part::Words(if at == 0 { "" } else { ", " }));
        parts.extend([Part::Name(name), Part::Words(": "), Part::Shape(shape)]);
    }
    parts.extend([Part::Words(") => "), Part::Shape(&signature.gives)]);
    parts
}
