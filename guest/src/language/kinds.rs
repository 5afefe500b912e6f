//! Types of values as rows name them: sets of types, a bit each. The two types of numbers are one
//! here.

/// A set of types.
pub(crate) type Kinds = u16;

/// The types, as `type_of` names them.
const NAMES: [&str; 9] =
    ["null", "boolean", "number", "string", "list", "record", "function", "quoted", "pair"];

pub(crate) const NULL: Kinds = 1;
pub(crate) const BOOLEAN: Kinds = 1 << 1;
pub(crate) const NUMBER: Kinds = 1 << 2;
pub(crate) const STRING: Kinds = 1 << 3;
pub(crate) const LIST: Kinds = 1 << 4;
pub(crate) const RECORD: Kinds = 1 << 5;
pub(crate) const FUNCTION: Kinds = 1 << 6;
pub(crate) const QUOTED: Kinds = 1 << 7;
pub(crate) const PAIR: Kinds = 1 << 8;
pub(crate) const NUMBER_OR_STRING: Kinds = NUMBER | STRING;
pub(crate) const RECORD_OR_NULL: Kinds = RECORD | NULL;
pub(crate) const STRING_OR_LIST: Kinds = STRING | LIST;
/// An operand that is kept as it is, so that any type will do.
pub(crate) const VALUE: Kinds = (1 << 9) - 1;
/// An operand of which nothing is known.
pub(crate) const ANY: Kinds = Kinds::MAX;
/// A value of which nothing is known.
pub(crate) const UNKNOWN: Kinds = 0;

/// The type of this name; `UNKNOWN` for one that no literal has.
pub(crate) fn of_name(name: &str) -> Kinds {
    let name = if matches!(name, "integer" | "float") { "number" } else { name };
    NAMES.iter().position(|known| *known == name).map_or(UNKNOWN, |at| 1 << at)
}

/// The name of a single type.
pub(crate) fn name(kind: Kinds) -> &'static str {
    NAMES.get(kind.trailing_zeros() as usize).copied().unwrap_or_default()
}

/// What an operand must be, in words.
pub(crate) fn wanted(kinds: Kinds) -> &'static str {
    const WORDS: [(Kinds, &str); 10] = [
        (BOOLEAN, "a boolean"),
        (NUMBER, "a number"),
        (STRING, "a string"),
        (LIST, "a list"),
        (RECORD, "a record"),
        (RECORD_OR_NULL, "a record"),
        (QUOTED, "a quoted term"),
        (PAIR, "a pair"),
        (STRING_OR_LIST, "a string or a list"),
        (NUMBER_OR_STRING, "a number or a string"),
    ];
    WORDS.iter().find(|(known, _)| *known == kinds).map_or("another value", |(_, words)| words)
}

/// The names of all types, in order.
pub(crate) const TYPES: [&str; 11] = [
    "boolean",
    "continuation",
    "float",
    "function",
    "integer",
    "list",
    "null",
    "pair",
    "quoted",
    "record",
    "string",
];
