//! Binding and control beyond the original calculus.

use super::{Form, Row, Shape, row};

const PAIR: Shape = Shape::Operands(2);
const BARE: Shape = Shape::Operand;
const LAMBDA: &str = "lambda";
const CONTROL: &str = "control";
const META: &str = "meta";

/// The rows, in order.
pub(super) const ROWS: &[Row] = &[
    row(
        ("let", Form::Let, LAMBDA, Shape::Bindings),
        r#"{"let": [["x", t], ["y", u]], "in": b}"#,
        "Names values; each sees the earlier ones.",
        (
            r#"{"let": [["x", 2], ["y", {"mul": [{"var": "x"}, 3]}]], "in": {"add": [{"var": "x"}, {"var": "y"}]}}"#,
            "8",
        ),
    ),
    row(
        ("cond", Form::Cond, CONTROL, Shape::Branches),
        r#"{"cond": [[test, value], …]}"#,
        "The value beside the first test that is true.",
        (r#"{"cond": [[{"lt": [5, 3]}, "small"], [true, "large"]]}"#, r#""large""#),
    ),
    row(
        ("try", Form::Try, CONTROL, Shape::Try),
        r#"{"try": t, "catch": f} or {"try": t, "catch": f, "codes": ["divide-by-zero", …]}"#,
        "The value of `t`; if it faults, `f` of a record {code, message, value, at, hint}. Faults that `codes` does not name pass on.",
        (
            r#"{"try": {"div": [1, 0]}, "catch": {"lam": "e", "body": {"get": [{"var": "e"}, "code"]}}}"#,
            r#""divide-by-zero""#,
        ),
    ),
    row(
        ("fail", Form::Fail, CONTROL, BARE),
        r#"{"fail": t}"#,
        "A fault with the code `fail` and this value.",
        (
            r#"{"try": {"fail": "no stock"}, "catch": {"lam": "e", "body": {"get": [{"var": "e"}, "value"]}}}"#,
            r#""no stock""#,
        ),
    ),
    row(
        ("pipe", Form::Pipe, CONTROL, Shape::AtLeast(2)),
        r#"{"pipe": [x, f, g, …]}"#,
        "Passes a value through functions, one after another: g(f(x)).",
        (
            r#"{"pipe": [3, {"lam": "x", "body": {"add": [{"var": "x"}, 1]}}, {"lam": "x", "body": {"mul": [{"var": "x"}, 10]}}]}"#,
            "40",
        ),
    ),
    row(
        ("tool", Form::Tool, META, BARE),
        r#"{"tool": "name"}"#,
        "The function of another tool.",
        (r#"{"quote": {"tool": "square"}}"#, r#"{"tool":"square"}"#),
    ),
    row(
        ("trace", Form::Trace, META, PAIR),
        r#"{"trace": [label, t]}"#,
        "The value of `t`; writes `label: value` to the trace of the run.",
        (r#"{"trace": ["sum", {"add": [1, 2]}]}"#, "3"),
    ),
    row(
        ("perform", Form::Perform, META, Shape::Effect),
        r#"{"perform": {"capability": "name", "args": t}}"#,
        "Asks the host for an effect; nothing is granted by default.",
        (
            r#"{"quote": {"perform": {"capability": "clock", "args": null}}}"#,
            r#"{"perform":{"args":null,"capability":"clock"}}"#,
        ),
    ),
];
