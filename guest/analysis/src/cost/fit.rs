//! Measured costs: inputs of growing size by a type, and the class of what they took.

use crate::shape::Shape;
use std::fmt::Write as _;

/// What a size counts in a class.
type Growth = fn(f64) -> f64;

/// The classes, the least first, each with its name.
const CLASSES: [(&str, Growth); 8] = [
    ("1", |_| 1.0),
    ("log n", |n| n.max(1.0).log2()),
    ("n", |n| n),
    ("n log n", |n| n * n.max(2.0).log2()),
    ("n^2", |n| n * n),
    ("n^2 log n", |n| n * n * n.max(2.0).log2()),
    ("n^3", |n| n * n * n),
    ("2^n", |n| n.min(1000.0).exp2()),
];

/// How much faster the cost of larger inputs may grow than a class that fits.
const SLACK: f64 = 1.15;

/// The least class that the fuel of inputs of growing sizes does not outgrow; none for less than
/// three points, or where even the greatest is outgrown.
#[must_use]
pub fn fit(points: &[(u64, u64)]) -> Option<&'static str> {
    if points.len() < 3 {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "a class is a shape, not a number")]
    let mut points: Vec<(f64, f64)> = points.iter().map(|it| (it.0 as f64, it.1 as f64)).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let [first, second, .., last] = points[..] else { return None };
    let before_last = points.get(points.len() - 2).copied().unwrap_or(second);
    let fits = |class: &Growth| {
        // What each step adds, beside what the class adds. What inputs of any size pay counts in neither.
        let slope = |a: (f64, f64), b: (f64, f64)| {
            let growth = class(b.0) - class(a.0);
            if growth > 0.0 { (b.1 - a.1) / growth } else { 0.0 }
        };
        if class(1.0) >= class(2.0) {
            return last.1 <= first.1 * SLACK;
        }
        let before = slope(first, second);
        before > 0.0 && slope(before_last, last) <= before * SLACK
    };
    CLASSES.iter().find(|it| fits(&it.1)).map(|it| it.0)
}

/// Most parts that an input gets on its way to a size.
const DEEPEST: usize = 3;

/// An input of a type, as JSON, whose lists, texts and numbers have the size `n`.
#[must_use]
pub fn grow(shape: &Shape, n: usize) -> String {
    let mut out = String::new();
    write(shape, n, 0, DEEPEST, &mut out);
    out
}

/// Writes an example. Examples with other numbers differ.
fn write(shape: &Shape, n: usize, at: usize, depth: usize, out: &mut String) {
    let series = |inner: &dyn Fn(usize, &mut String), count: usize, out: &mut String| {
        for at in 0..count {
            if at > 0 {
                out.push(',');
            }
            inner(at, out);
        }
    };
    match shape {
        Shape::Null => out.push_str("null"),
        Shape::Boolean => out.push_str(if at.is_multiple_of(2) { "true" } else { "false" }),
        Shape::Integer | Shape::Number => {
            let number = if depth == DEEPEST { n } else { scrambled(at, n) };
            // Writing to a `String` never fails.
            let _ = write!(out, "{number}");
        }
        Shape::Float => _ = write!(out, "{}.5", scrambled(at, n)),
        Shape::Text => {
            let text =
                if depth == DEEPEST { "ab c1,".repeat(n.div_ceil(6)) } else { String::new() };
            let text: String = text.chars().take(n).collect();
            let text = if text.is_empty() { format!("t{}", scrambled(at, n)) } else { text };
            pif_core::json::escape::string(&text, out);
        }
        Shape::Literal(text) => pif_core::json::escape::string(text, out),
        Shape::List(of) | Shape::Set(of) => {
            let count = if depth > 1 { n } else { 2 };
            out.push('[');
            series(&|at, out| write(of, n, at, depth.saturating_sub(1), out), count, out);
            out.push(']');
        }
        Shape::Tuple(shapes) => {
            out.push('[');
            for (place, shape) in shapes.iter().enumerate() {
                out.push_str(if place > 0 { "," } else { "" });
                write(shape, n, at, depth, out);
            }
            out.push(']');
        }
        Shape::Record(members) => {
            out.push('{');
            for (place, member) in members.iter().enumerate() {
                out.push_str(if place > 0 { "," } else { "" });
                pif_core::json::escape::string(&member.name, out);
                out.push(':');
                write(&member.shape, n, at, depth, out);
            }
            out.push('}');
        }
        Shape::Dictionary(of) => {
            let count = if depth > 1 { n } else { 2 };
            out.push('{');
            let member = |at: usize, out: &mut String| {
                let _ = write!(out, "\"k{at}\":");
                write(of, n, at, depth.saturating_sub(1), out);
            };
            series(&member, count, out);
            out.push('}');
        }
        Shape::Union(shapes) => {
            // The part that grows counts, not null.
            let shape = shapes.iter().find(|it| **it != Shape::Null).unwrap_or(shape);
            write(shape, n, at, depth, out);
        }
        Shape::Both(both) => write(&both[0], n, at, depth, out),
        _ => _ = write!(out, "{}", scrambled(at, n)),
    }
}

/// A number from 0 to `n`, in an order that is neither up nor down.
fn scrambled(at: usize, n: usize) -> usize {
    at.wrapping_mul(7919).wrapping_add(13) % n.max(1)
}
