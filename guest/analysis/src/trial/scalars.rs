//! Values without parts: the plain ones, which stand first, and the nasty ones.

use super::value::Value;
use crate::shape::Shape;

/// Integers of the smallest inputs.
const INTEGERS: &[&str] = &["0", "1", "-1", "2"];
/// Floats of the smallest inputs.
const FLOATS: &[&str] = &["0.0", "0.5", "-1.5"];
/// Texts of the smallest inputs.
const TEXTS: &[&str] = &["", "a", "b"];
/// Keys of records of any keys.
pub(super) const KEYS: &[&str] = &["a", "b", "c"];

/// Integers at the edges of machine words and of what floats hold, and larger ones.
pub(super) const HARD_INTEGERS: &[&str] = &[
    "3",
    "7",
    "10",
    "-2",
    "-10",
    "100",
    "1000",
    "255",
    "256",
    "2147483647",
    "-2147483648",
    "4294967296",
    "9007199254740991",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "18446744073709551616",
    "123456789012345678901234567890",
    "-1000000000000000000000000000000000000001",
];

/// Floats that round, that have no sign or an odd one, and the largest and the smallest.
pub(super) const HARD_FLOATS: &[&str] = &[
    "-0.0",
    "0.1",
    "0.2",
    "0.3",
    "-0.1",
    "1.0",
    "2.5",
    "3.5",
    "-2.5",
    "1e-7",
    "123456.789",
    "1.0e15",
    "1.0e16",
    "9007199254740992.0",
    "1.0e21",
    "2.2250738585072014e-308",
    "5e-324",
    "1.7976931348623157e308",
    "-1.7976931348623157e308",
];

/// Texts with what programs forget: white space, zero, marks, what looks like numbers or syntax, and
/// the neighbours of surrogates.
pub(super) const HARD_TEXTS: &[&str] = &[
    " ",
    "A",
    "ab",
    "ba",
    "aa",
    "abc",
    " a ",
    "a b",
    "a,b",
    "a\nb",
    "\t",
    "0",
    "1",
    "-1",
    "1.5",
    "1e3",
    "007",
    "null",
    "true",
    "[]",
    "{}",
    "\"",
    "\\",
    "$&",
    "%",
    "\u{0}",
    "a\u{0}b",
    "é",
    "e\u{301}",
    "ß",
    "İ",
    "ǆ",
    "ﬃ",
    "\u{d7ff}",
    "\u{e000}",
    "\u{ffff}",
    "\u{10000}",
    "\u{1f600}",
    "\u{1f468}\u{200d}\u{1f469}",
    "\u{feff}a",
    "\u{200b}",
    "\u{202e}x",
    "length",
    "__proto__",
    "constructor",
];

/// Numbers of these texts.
pub(super) fn numbers(texts: &[&str]) -> Vec<Value> {
    texts.iter().map(|it| Value::Number((*it).to_owned())).collect()
}

/// Texts as values.
pub(super) fn texts(texts: &[&str]) -> Vec<Value> {
    texts.iter().map(|it| Value::text(it)).collect()
}

/// The plain values of a type without parts.
pub(super) fn scalars(shape: &Shape) -> Vec<Value> {
    match shape {
        Shape::Boolean => vec![Value::Boolean(false), Value::Boolean(true)],
        Shape::Integer => numbers(INTEGERS),
        Shape::Float => numbers(FLOATS),
        Shape::Number => [numbers(INTEGERS), numbers(FLOATS)].concat(),
        Shape::Text => texts(TEXTS),
        Shape::Literal(text) => vec![Value::text(text)],
        Shape::Never => Vec::new(),
        _ => vec![Value::Null],
    }
}
