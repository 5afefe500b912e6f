//! Lists beyond the original calculus.

use super::{Form, Row, Shape, row};

const PAIR: Shape = Shape::Operands(2);
const LIST: Shape = Shape::ListOrBare;
const LISTS: &str = "lists";

/// The rows, in order.
pub(super) const ROWS: &[Row] = &[
    row(
        ("map", Form::Map, LISTS, PAIR),
        r#"{"map": [f, list]}"#,
        "The list of f of each element.",
        (
            r#"{"map": [{"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}, [1, 2, 3]]}"#,
            "[1,4,9]",
        ),
    ),
    row(
        ("flat_map", Form::FlatMap, LISTS, PAIR),
        r#"{"flat_map": [f, list]}"#,
        "The lists that f gives of each element, joined.",
        (
            r#"{"flat_map": [{"lam": "x", "body": [{"var": "x"}, {"var": "x"}]}, [1, 2]]}"#,
            "[1,1,2,2]",
        ),
    ),
    row(
        ("filter", Form::Filter, LISTS, PAIR),
        r#"{"filter": [f, list]}"#,
        "The elements of which f is true.",
        (r#"{"filter": [{"lam": "x", "body": {"gt": [{"var": "x"}, 1]}}, [1, 2, 3]]}"#, "[2,3]"),
    ),
    row(
        ("find", Form::Find, LISTS, PAIR),
        r#"{"find": [f, list]}"#,
        "The first element of which f is true; null if there is none.",
        (r#"{"find": [{"lam": "x", "body": {"gt": [{"var": "x"}, 1]}}, [1, 2, 3]]}"#, "2"),
    ),
    row(
        ("any", Form::Any, LISTS, PAIR),
        r#"{"any": [f, list]}"#,
        "Whether f is true of any element.",
        (r#"{"any": [{"lam": "x", "body": {"gt": [{"var": "x"}, 2]}}, [1, 2, 3]]}"#, "true"),
    ),
    row(
        ("all", Form::All, LISTS, PAIR),
        r#"{"all": [f, list]}"#,
        "Whether f is true of all elements.",
        (r#"{"all": [{"lam": "x", "body": {"gt": [{"var": "x"}, 2]}}, [1, 2, 3]]}"#, "false"),
    ),
    row(
        ("sort_by", Form::SortBy, LISTS, Shape::Between(2, 3)),
        r#"{"sort_by": [f, list, order?]}"#,
        r#"Sorted by the keys that f gives: numbers, texts, booleans, lists of these, null first; the order "asc" or "desc". Stable."#,
        (
            r#"{"sort_by": [{"lam": "s", "body": {"length": {"var": "s"}}}, ["ccc", "a", "bb"]]}"#,
            r#"["a","bb","ccc"]"#,
        ),
    ),
    row(
        ("group_by", Form::GroupBy, LISTS, PAIR),
        r#"{"group_by": [f, list]}"#,
        "Pairs (key, elements) in order of first sight.",
        (
            r#"{"group_by": [{"lam": "n", "body": {"mod": [{"var": "n"}, 2]}}, [1, 2, 3]]}"#,
            r#"[{"pair":[1,[1,3]]},{"pair":[0,[2]]}]"#,
        ),
    ),
    row(
        ("count_by", Form::CountBy, LISTS, PAIR),
        r#"{"count_by": [f, list]}"#,
        "Pairs (key, number of elements) in order of first sight.",
        (
            r#"{"count_by": [{"lam": "n", "body": {"mod": [{"var": "n"}, 2]}}, [1, 2, 3]]}"#,
            r#"[{"pair":[1,2]},{"pair":[0,1]}]"#,
        ),
    ),
    row(
        ("distinct_by", Form::DistinctBy, LISTS, PAIR),
        r#"{"distinct_by": [f, list]}"#,
        "The first element of each key.",
        (
            r#"{"distinct_by": [{"lam": "n", "body": {"mod": [{"var": "n"}, 2]}}, [1, 2, 3]]}"#,
            "[1,2]",
        ),
    ),
    row(
        ("max_by", Form::MaxBy, LISTS, PAIR),
        r#"{"max_by": [f, list]}"#,
        "The element with the greatest key; of several the first. Null is no key.",
        (
            r#"{"max_by": [{"lam": "s", "body": {"length": {"var": "s"}}}, ["a", "ccc", "bb"]]}"#,
            r#""ccc""#,
        ),
    ),
    row(
        ("min_by", Form::MinBy, LISTS, PAIR),
        r#"{"min_by": [f, list]}"#,
        "The element with the least key; of several the first. Null is no key.",
        (
            r#"{"min_by": [{"lam": "s", "body": {"length": {"var": "s"}}}, ["bb", "a", "ccc"]]}"#,
            r#""a""#,
        ),
    ),
    row(
        ("partition", Form::Partition, LISTS, PAIR),
        r#"{"partition": [f, list]}"#,
        "The pair of the elements of which f is true, and the others.",
        (
            r#"{"partition": [{"lam": "x", "body": {"gt": [{"var": "x"}, 1]}}, [1, 2, 3]]}"#,
            r#"{"pair":[[2,3],[1]]}"#,
        ),
    ),
    row(
        ("sort", Form::Sort, LISTS, LIST),
        r#"{"sort": l}"#,
        "Sorted: numbers, texts, booleans, or lists of these; null first. Stable.",
        (r#"{"sort": [3, 1, 2]}"#, "[1,2,3]"),
    ),
    row(
        ("reverse", Form::Reverse, LISTS, LIST),
        r#"{"reverse": l}"#,
        "From the end to the beginning.",
        (r#"{"reverse": [1, 2, 3]}"#, "[3,2,1]"),
    ),
    row(
        ("distinct", Form::Distinct, LISTS, LIST),
        r#"{"distinct": l}"#,
        "Each element once, where it first stood.",
        (r#"{"distinct": [1, 2, 1]}"#, "[1,2]"),
    ),
    row(
        ("flatten", Form::Flatten, LISTS, LIST),
        r#"{"flatten": l}"#,
        "A list of lists as one list.",
        (r#"{"flatten": [[1], [2, 3]]}"#, "[1,2,3]"),
    ),
    row(
        ("sum", Form::Sum, LISTS, LIST),
        r#"{"sum": l}"#,
        "Exact sum of the numbers, of floats rounded once; nulls are skipped.",
        (r#"{"sum": [1, null, 2]}"#, "3"),
    ),
    row(
        ("product", Form::Product, LISTS, LIST),
        r#"{"product": l}"#,
        "Product of the numbers; nulls are skipped.",
        (r#"{"product": [2, 3, 4]}"#, "24"),
    ),
    row(
        ("mean", Form::Mean, LISTS, LIST),
        r#"{"mean": l}"#,
        "Exact mean of the numbers, rounded to a float once; nulls are skipped.",
        (r#"{"mean": [1, 2]}"#, "1.5"),
    ),
    row(
        ("median", Form::Median, LISTS, LIST),
        r#"{"median": l}"#,
        "Median of the numbers, a float; nulls are skipped.",
        (r#"{"median": [5, 1, 3]}"#, "3.0"),
    ),
    row(
        ("last", Form::Last, LISTS, LIST),
        r#"{"last": l}"#,
        "The last element.",
        (r#"{"last": [1, 2, 3]}"#, "3"),
    ),
    row(
        ("enumerate", Form::Enumerate, LISTS, LIST),
        r#"{"enumerate": l}"#,
        "Pairs (index, element), from 0.",
        (r#"{"enumerate": ["a", "b"]}"#, r#"[{"pair":[0,"a"]},{"pair":[1,"b"]}]"#),
    ),
    row(
        ("append", Form::Append, LISTS, PAIR),
        r#"{"append": [a, b]}"#,
        "Two lists joined.",
        (r#"{"append": [[1], [2, 3]]}"#, "[1,2,3]"),
    ),
    row(
        ("nth", Form::Nth, LISTS, PAIR),
        r#"{"nth": [list, i]}"#,
        "The element at an index, from 0.",
        (r#"{"nth": [["a", "b"], 1]}"#, r#""b""#),
    ),
    row(
        ("take", Form::Take, LISTS, PAIR),
        r#"{"take": [list, n]}"#,
        "The first n elements.",
        (r#"{"take": [[1, 2, 3], 2]}"#, "[1,2]"),
    ),
    row(
        ("drop", Form::Drop, LISTS, PAIR),
        r#"{"drop": [list, n]}"#,
        "All but the first n elements.",
        (r#"{"drop": [[1, 2, 3], 2]}"#, "[3]"),
    ),
    row(
        ("range", Form::Range, LISTS, Shape::Between(2, 3)),
        r#"{"range": [from, to, step?]}"#,
        "Integers from `from` on, `to` excluded.",
        (r#"{"range": [0, 6, 2]}"#, "[0,2,4]"),
    ),
    row(
        ("zip", Form::Zip, LISTS, PAIR),
        r#"{"zip": [a, b]}"#,
        "Pairs of the elements of two lists, to the end of the shorter.",
        (r#"{"zip": [[1, 2], ["a", "b", "c"]]}"#, r#"[{"pair":[1,"a"]},{"pair":[2,"b"]}]"#),
    ),
    row(
        ("chunk", Form::Chunk, LISTS, PAIR),
        r#"{"chunk": [list, n]}"#,
        "Lists of n elements each; the last may have fewer.",
        (r#"{"chunk": [[1, 2, 3], 2]}"#, "[[1,2],[3]]"),
    ),
    row(
        ("percentile", Form::Percentile, LISTS, PAIR),
        r#"{"percentile": [list, p]}"#,
        "The value at p percent (0–100) of the sorted numbers, between two linear; a float.",
        (r#"{"percentile": [[1, 2, 3, 4], 50]}"#, "2.5"),
    ),
];
