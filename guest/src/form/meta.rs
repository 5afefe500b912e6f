//! Looking at terms and values.

use super::{Form, Row, Shape, row};

const BARE: Shape = Shape::Operand;
const ONE: Shape = Shape::BareOr(1, 1);
const META: &str = "meta";

/// The rows, in order.
pub(super) const ROWS: &[Row] = &[
    row(
        ("unquote", Form::Unquote, META, BARE),
        r#"{"unquote": t}"#,
        "Inside `quote`: the value of t takes its place.",
        (r#"{"quote": {"add": [{"unquote": {"mul": [2, 3]}}, 1]}}"#, r#"{"add":[6,1]}"#),
    ),
    row(
        ("term_to_data", Form::TermToData, META, BARE),
        r#"{"term_to_data": q}"#,
        "A quoted term as plain data.",
        (r#"{"get_in": [{"term_to_data": {"quote": {"add": [1, 2]}}}, ["add", 0]]}"#, "1"),
    ),
    row(
        ("data_to_term", Form::DataToTerm, META, BARE),
        r#"{"data_to_term": d}"#,
        "Plain data as a quoted term.",
        (r#"{"eval": {"data_to_term": {"json_parse": "{\"add\": [1, 2]}"}}}"#, "3"),
    ),
    row(
        ("analyze", Form::Analyze, META, ONE),
        r#"{"analyze": q}"#,
        "How often each form occurs in a quoted term, as a record.",
        (r#"{"analyze": {"quote": {"add": [{"var": "x"}, 1]}}}"#, r#"{"add":1,"var":1}"#),
    ),
    row(
        ("type_of", Form::TypeOf, META, BARE),
        r#"{"type_of": a}"#,
        "The name of its type: null, boolean, integer, float, string, list, pair, record, function, quoted or continuation.",
        (r#"{"type_of": {"pair": [1, 2]}}"#, r#""pair""#),
    ),
];
