//! Numbers beyond the original calculus.

use super::{Form, Row, Shape, row};

const PAIR: Shape = Shape::Operands(2);
const BARE: Shape = Shape::Operand;
const ARITHMETIC: &str = "arithmetic";

/// The rows, in order.
pub(super) const ROWS: &[Row] = &[
    row(
        ("float", Form::Float, ARITHMETIC, Shape::Literal),
        r#"{"float": 3.14}"#,
        "A floating-point number (IEEE double) as written.",
        (r#"{"float": 3.14}"#, "3.14"),
    ),
    row(
        ("int", Form::Int, ARITHMETIC, Shape::Literal),
        r#"{"int": "123"}"#,
        "An integer as text, for clients that cannot write large ones.",
        (r#"{"int": "123456789012345678901234567890"}"#, "123456789012345678901234567890"),
    ),
    row(
        ("fdiv", Form::Fdiv, ARITHMETIC, PAIR),
        r#"{"fdiv": [a, b]}"#,
        "Quotient as a float, correctly rounded.",
        (r#"{"fdiv": [7, 2]}"#, "3.5"),
    ),
    row(
        ("neg", Form::Neg, ARITHMETIC, BARE),
        r#"{"neg": a}"#,
        "The number with the other sign.",
        (r#"{"neg": 5}"#, "-5"),
    ),
    row(
        ("abs", Form::Abs, ARITHMETIC, BARE),
        r#"{"abs": a}"#,
        "The number without its sign.",
        (r#"{"abs": -5}"#, "5"),
    ),
    row(
        ("sqrt", Form::Sqrt, ARITHMETIC, BARE),
        r#"{"sqrt": a}"#,
        "Square root, a float.",
        (r#"{"sqrt": 2}"#, "1.4142135623730951"),
    ),
    row(
        ("exp", Form::Exp, ARITHMETIC, BARE),
        r#"{"exp": a}"#,
        "e to the power of a number, a float.",
        (r#"{"exp": 0}"#, "1.0"),
    ),
    row(
        ("ln", Form::Ln, ARITHMETIC, BARE),
        r#"{"ln": a}"#,
        "Natural logarithm, a float.",
        (r#"{"ln": 1}"#, "0.0"),
    ),
    row(
        ("log10", Form::Log10, ARITHMETIC, BARE),
        r#"{"log10": a}"#,
        "Decimal logarithm, a float.",
        (r#"{"log10": 1000}"#, "3.0"),
    ),
    row(
        ("floor", Form::Floor, ARITHMETIC, BARE),
        r#"{"floor": a}"#,
        "The next integer below.",
        (r#"{"floor": {"float": -2.5}}"#, "-3"),
    ),
    row(
        ("ceil", Form::Ceil, ARITHMETIC, BARE),
        r#"{"ceil": a}"#,
        "The next integer above.",
        (r#"{"ceil": {"float": 2.1}}"#, "3"),
    ),
    row(
        ("to_int", Form::ToInt, ARITHMETIC, BARE),
        r#"{"to_int": a}"#,
        "The number without its fraction, an integer.",
        (r#"{"to_int": {"float": -2.9}}"#, "-2"),
    ),
    row(
        ("to_float", Form::ToFloat, ARITHMETIC, BARE),
        r#"{"to_float": a}"#,
        "The nearest float.",
        (r#"{"to_float": 2}"#, "2.0"),
    ),
    row(
        ("pow", Form::Pow, ARITHMETIC, PAIR),
        r#"{"pow": [a, b]}"#,
        "a to the power b; exact for integers, a float if b is negative.",
        (r#"{"pow": [2, 100]}"#, "1267650600228229401496703205376"),
    ),
    row(
        ("round", Form::Round, ARITHMETIC, Shape::BareOr(1, 2)),
        r#"{"round": [a, digits?]}"#,
        "Rounds half to even: to an integer, or to so many digits after the point.",
        (r#"{"round": [{"float": 2.345}, 1]}"#, "2.3"),
    ),
    row(
        ("min", Form::Min, ARITHMETIC, Shape::Extremes),
        r#"{"min": [a, b, …]} or {"min": l}"#,
        "The least of two or more numbers, or of a list (nulls skipped).",
        (r#"{"min": [3, 1, 2]}"#, "1"),
    ),
    row(
        ("max", Form::Max, ARITHMETIC, Shape::Extremes),
        r#"{"max": [a, b, …]} or {"max": l}"#,
        "The greatest of two or more numbers, or of a list (nulls skipped).",
        (r#"{"let": [["l", [3, null, 7]]], "in": {"max": {"var": "l"}}}"#, "7"),
    ),
];
