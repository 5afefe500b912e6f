//! Records.

use super::{Form, Row, Shape, row};

const PAIR: Shape = Shape::Operands(2);
const BARE: Shape = Shape::Operand;
const ONE: Shape = Shape::BareOr(1, 1);
const RECORDS: &str = "records";

/// The rows, in order.
pub(super) const ROWS: &[Row] = &[
    row(
        ("record", Form::Record, RECORDS, Shape::Fields),
        r#"{"record": {"k": t}}"#,
        "A record: values under text keys.",
        (r#"{"record": {"b": 2, "a": {"add": [1, 0]}}}"#, r#"{"a":1,"b":2}"#),
    ),
    row(
        ("get", Form::Get, RECORDS, Shape::Between(2, 3)),
        r#"{"get": [record, key, default?]}"#,
        "The value of a key; the default where it is missing, or the record is null.",
        (r#"{"get": [{"record": {"a": 1}}, "b", 0]}"#, "0"),
    ),
    row(
        ("get_in", Form::GetIn, RECORDS, Shape::Between(2, 3)),
        r#"{"get_in": [record, [key, …], default?]}"#,
        "The value at the end of a path of keys and list indices.",
        (r#"{"get_in": [{"record": {"a": [10, 20]}}, ["a", 1]]}"#, "20"),
    ),
    row(
        ("has", Form::Has, RECORDS, PAIR),
        r#"{"has": [record, key]}"#,
        "Whether a record has a key.",
        (r#"{"has": [{"record": {"a": null}}, "a"]}"#, "true"),
    ),
    row(
        ("put", Form::Put, RECORDS, Shape::Operands(3)),
        r#"{"put": [record, key, value]}"#,
        "The record with this value under the key.",
        (r#"{"put": [{"record": {"a": 1}}, "b", 2]}"#, r#"{"a":1,"b":2}"#),
    ),
    row(
        ("update", Form::Update, RECORDS, Shape::Operands(3)),
        r#"{"update": [record, key, f]}"#,
        "The record with f of the value that the key has.",
        (
            r#"{"update": [{"record": {"a": 1}}, "a", {"lam": "x", "body": {"add": [{"var": "x"}, 1]}}]}"#,
            r#"{"a":2}"#,
        ),
    ),
    row(
        ("remove", Form::Remove, RECORDS, PAIR),
        r#"{"remove": [record, key]}"#,
        "The record without a key.",
        (r#"{"remove": [{"record": {"a": 1, "b": 2}}, "a"]}"#, r#"{"b":2}"#),
    ),
    row(
        ("merge", Form::Merge, RECORDS, PAIR),
        r#"{"merge": [a, b]}"#,
        "All members of both; those of b win.",
        (r#"{"merge": [{"record": {"a": 1, "b": 1}}, {"record": {"b": 2}}]}"#, r#"{"a":1,"b":2}"#),
    ),
    row(
        ("keys", Form::Keys, RECORDS, BARE),
        r#"{"keys": record}"#,
        "The keys, in order.",
        (r#"{"keys": {"record": {"b": 1, "a": 2}}}"#, r#"["a","b"]"#),
    ),
    row(
        ("values", Form::Values, RECORDS, BARE),
        r#"{"values": record}"#,
        "The values, in the order of their keys.",
        (r#"{"values": {"record": {"b": 1, "a": 2}}}"#, "[2,1]"),
    ),
    row(
        ("entries", Form::Entries, RECORDS, BARE),
        r#"{"entries": record}"#,
        "Pairs (key, value), in the order of keys.",
        (r#"{"entries": {"record": {"a": 1}}}"#, r#"[{"pair":["a",1]}]"#),
    ),
    row(
        ("from_entries", Form::FromEntries, RECORDS, BARE),
        r#"{"from_entries": list}"#,
        "A record of pairs (key, value); later ones win.",
        (r#"{"from_entries": {"zip": [["a", "b"], [1, 2]]}}"#, r#"{"a":1,"b":2}"#),
    ),
    row(
        ("pick", Form::Pick, RECORDS, PAIR),
        r#"{"pick": [record, [key, …]]}"#,
        "The record with these keys only.",
        (r#"{"pick": [{"record": {"a": 1, "b": 2}}, ["b", "c"]]}"#, r#"{"b":2}"#),
    ),
    row(
        ("omit", Form::Omit, RECORDS, PAIR),
        r#"{"omit": [record, [key, …]]}"#,
        "The record without these keys.",
        (r#"{"omit": [{"record": {"a": 1, "b": 2}}, ["b"]]}"#, r#"{"a":1}"#),
    ),
    row(
        ("describe", Form::Describe, RECORDS, ONE),
        r#"{"describe": a}"#,
        "What a value looks like: its type, its size, and of records in a list the keys.",
        (r#"{"describe": {"range": [1, 3]}}"#, r#"{"size":2,"type":"list"}"#),
    ),
];
