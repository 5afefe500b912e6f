//! Texts beyond the original calculus.

use super::{Form, Row, Shape, row};

const PAIR: Shape = Shape::Operands(2);
const BARE: Shape = Shape::Operand;
const STRINGS: &str = "strings";

/// The rows, in order.
pub(super) const ROWS: &[Row] = &[
    row(
        ("upper", Form::Upper, STRINGS, BARE),
        r#"{"upper": s}"#,
        "In upper case.",
        (r#"{"upper": "straße"}"#, r#""STRASSE""#),
    ),
    row(
        ("lower", Form::Lower, STRINGS, BARE),
        r#"{"lower": s}"#,
        "In lower case.",
        (r#"{"lower": "ÄB"}"#, r#""äb""#),
    ),
    row(
        ("trim", Form::Trim, STRINGS, BARE),
        r#"{"trim": s}"#,
        "Without white space at both ends; U+FEFF is none.",
        (r#"{"trim": "  a b "}"#, r#""a b""#),
    ),
    row(
        ("chars", Form::Chars, STRINGS, BARE),
        r#"{"chars": s}"#,
        "The list of its characters (code points).",
        (r#"{"chars": "abc"}"#, r#"["a","b","c"]"#),
    ),
    row(
        ("lines", Form::Lines, STRINGS, BARE),
        r#"{"lines": s}"#,
        "The list of its lines.",
        (r#"{"lines": "a\nb\n"}"#, r#"["a","b"]"#),
    ),
    row(
        ("split", Form::Split, STRINGS, PAIR),
        r#"{"split": [s, sep]}"#,
        "The parts between the separators.",
        (r#"{"split": ["a,b,,c", ","]}"#, r#"["a","b","","c"]"#),
    ),
    row(
        ("join", Form::Join, STRINGS, PAIR),
        r#"{"join": [list, sep]}"#,
        "Texts as one, with the separator between them.",
        (r#"{"join": [["a", "b"], "-"]}"#, r#""a-b""#),
    ),
    row(
        ("slice", Form::Slice, STRINGS, Shape::Between(2, 3)),
        r#"{"slice": [s or list, from, to?]}"#,
        "A part of a text or list, `to` excluded; negative counts from the end.",
        (r#"{"slice": ["hello", 1, -1]}"#, r#""ell""#),
    ),
    row(
        ("contains", Form::Contains, STRINGS, PAIR),
        r#"{"contains": [s or list, x]}"#,
        "Whether a text has a part, or a list an element.",
        (r#"{"contains": [[1, 2], 2]}"#, "true"),
    ),
    row(
        ("starts_with", Form::StartsWith, STRINGS, PAIR),
        r#"{"starts_with": [s, part]}"#,
        "Whether a text begins so.",
        (r#"{"starts_with": ["hello", "he"]}"#, "true"),
    ),
    row(
        ("ends_with", Form::EndsWith, STRINGS, PAIR),
        r#"{"ends_with": [s, part]}"#,
        "Whether a text ends so.",
        (r#"{"ends_with": ["hello", "lo"]}"#, "true"),
    ),
    row(
        ("index_of", Form::IndexOf, STRINGS, PAIR),
        r#"{"index_of": [s or list, x]}"#,
        "Where a part or an element first stands, from 0; null if nowhere.",
        (r#"{"index_of": ["hello", "l"]}"#, "2"),
    ),
    row(
        ("replace", Form::Replace, STRINGS, Shape::Operands(3)),
        r#"{"replace": [s, from, to]}"#,
        "Replaces each occurrence of a part.",
        (r#"{"replace": ["banana", "an", "AN"]}"#, r#""bANANa""#),
    ),
    row(
        ("repeat", Form::Repeat, STRINGS, PAIR),
        r#"{"repeat": [s, n]}"#,
        "The text n times.",
        (r#"{"repeat": ["ab", 3]}"#, r#""ababab""#),
    ),
    row(
        ("pad_left", Form::PadLeft, STRINGS, Shape::Between(2, 3)),
        r#"{"pad_left": [s, n, fill?]}"#,
        "Filled on the left to n characters, with blanks or `fill`.",
        (r#"{"pad_left": ["7", 3, "0"]}"#, r#""007""#),
    ),
    row(
        ("pad_right", Form::PadRight, STRINGS, Shape::Between(2, 3)),
        r#"{"pad_right": [s, n, fill?]}"#,
        "Filled on the right to n characters, with blanks or `fill`.",
        (r#"{"pad_right": ["ab", 4, "."]}"#, r#""ab..""#),
    ),
    row(
        ("to_string", Form::ToString, STRINGS, BARE),
        r#"{"to_string": a}"#,
        "A value as text: a text itself, anything else as JSON.",
        (r#"{"to_string": [1, "a"]}"#, r#""[1,\"a\"]""#),
    ),
    row(
        ("parse_int", Form::ParseInt, STRINGS, BARE),
        r#"{"parse_int": s}"#,
        "The integer that a text spells.",
        (r#"{"parse_int": "-042"}"#, "-42"),
    ),
    row(
        ("parse_float", Form::ParseFloat, STRINGS, BARE),
        r#"{"parse_float": s}"#,
        "The float that a text spells.",
        (r#"{"parse_float": "2.50"}"#, "2.5"),
    ),
    row(
        ("json_parse", Form::JsonParse, STRINGS, BARE),
        r#"{"json_parse": s}"#,
        "The value of a JSON text.",
        (r#"{"json_parse": "{\"a\": [1, 2.5]}"}"#, r#"{"a":[1,2.5]}"#),
    ),
    row(
        ("json_text", Form::JsonText, STRINGS, BARE),
        r#"{"json_text": a}"#,
        "A value as canonical JSON text.",
        (r#"{"json_text": {"record": {"b": 1, "a": null}}}"#, r#""{\"a\":null,\"b\":1}""#),
    ),
    row(
        ("csv_parse", Form::CsvParse, STRINGS, Shape::OperandOr(2)),
        r#"{"csv_parse": [s, options?]}"#,
        "A CSV text with a header line as a list of records of texts; options, a record: `delimiter`, `header` (false: lists).",
        (r#"{"csv_parse": "name,age\nAda,36\n"}"#, r#"[{"age":"36","name":"Ada"}]"#),
    ),
    row(
        ("matches", Form::Matches, STRINGS, PAIR),
        r#"{"matches": [s, regex]}"#,
        "Whether a regular expression matches anywhere in a text.",
        (r#"{"matches": ["abc123", "[0-9]+"]}"#, "true"),
    ),
    row(
        ("find_all", Form::FindAll, STRINGS, PAIR),
        r#"{"find_all": [s, regex]}"#,
        "All parts that a regular expression matches.",
        (r#"{"find_all": ["a1b22", "[0-9]+"]}"#, r#"["1","22"]"#),
    ),
    row(
        ("regex_replace", Form::RegexReplace, STRINGS, Shape::Operands(3)),
        r#"{"regex_replace": [s, regex, to]}"#,
        "Replaces each match; `$1` and `${name}` are groups of the regex, `$$` a dollar.",
        (r#"{"regex_replace": ["a-b", "(\\w)-(\\w)", "$2-$1"]}"#, r#""b-a""#),
    ),
];
