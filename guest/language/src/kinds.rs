//! Types of values in rows: sets of types, one bit each. Integers and floats are one type here.

/// A set of types.
pub type Kinds = u16;

/// The types, as `type_of` names them.
const NAMES: [&str; 9] =
    ["null", "boolean", "number", "string", "list", "record", "function", "quoted", "pair"];

/// Null.
pub const NULL: Kinds = 1;
/// A boolean.
pub const BOOLEAN: Kinds = 1 << 1;
/// A number.
pub const NUMBER: Kinds = 1 << 2;
/// A string.
pub const STRING: Kinds = 1 << 3;
/// A list.
pub const LIST: Kinds = 1 << 4;
/// A record.
pub const RECORD: Kinds = 1 << 5;
/// A function.
pub const FUNCTION: Kinds = 1 << 6;
/// A quoted term.
pub const QUOTED: Kinds = 1 << 7;
/// A pair.
pub const PAIR: Kinds = 1 << 8;
/// A number or a string.
pub const NUMBER_OR_STRING: Kinds = NUMBER | STRING;
/// A record or null.
pub const RECORD_OR_NULL: Kinds = RECORD | NULL;
/// A record or a list.
pub const RECORD_OR_LIST: Kinds = RECORD | LIST;
/// What `merge` takes: a record, or what has no members.
pub const MERGED: Kinds = RECORD | NULL | BOOLEAN | NUMBER | STRING;
/// A key: a text, or a number or boolean that stands for its text.
pub const KEY: Kinds = STRING | NUMBER | BOOLEAN;
/// A key, or null where a default stands for what is missing.
pub const KEY_OR_NULL: Kinds = KEY | NULL;
/// A string or a list.
pub const STRING_OR_LIST: Kinds = STRING | LIST;
/// A list or null.
pub const LIST_OR_NULL: Kinds = LIST | NULL;
/// A number or null.
pub const NUMBER_OR_NULL: Kinds = NUMBER | NULL;
/// What can be gone through: a list, a string, or null.
pub const ITERABLE: Kinds = LIST | STRING | NULL;
/// A pair, or a list of two.
pub const PAIR_OR_LIST: Kinds = PAIR | LIST;
/// An operand that is kept unchanged. Any type will do.
pub const VALUE: Kinds = (1 << 9) - 1;
/// An operand of any type, as far as the table knows.
pub const ANY: Kinds = Kinds::MAX;
/// A value of unknown type.
pub const UNKNOWN: Kinds = 0;

/// Returns the type of this name, or `UNKNOWN` if no literal has it.
#[must_use]
pub fn of_name(name: &str) -> Kinds {
    let name = if matches!(name, "integer" | "float") { "number" } else { name };
    NAMES.iter().position(|known| *known == name).map_or(UNKNOWN, |at| 1 << at)
}

/// Returns the name of a single type.
#[must_use]
pub fn name(kind: Kinds) -> &'static str {
    NAMES.get(kind.trailing_zeros() as usize).copied().unwrap_or_default()
}

/// Returns the required type of an operand, in words.
#[must_use]
pub fn wanted(kinds: Kinds) -> &'static str {
    const WORDS: [(Kinds, &str); 17] = [
        (BOOLEAN, "a boolean"),
        (NUMBER, "a number"),
        (STRING, "a string"),
        (LIST, "a list"),
        (RECORD, "a record"),
        (RECORD_OR_LIST, "a record or a list"),
        (RECORD_OR_NULL, "a record"),
        (MERGED, "a record"),
        (KEY, "a string, a number or a boolean"),
        (KEY_OR_NULL, "a string, a number or a boolean"),
        (QUOTED, "a quoted term"),
        (PAIR_OR_LIST, "a pair"),
        (STRING_OR_LIST, "a string or a list"),
        (NUMBER_OR_STRING, "a number or a string"),
        (LIST_OR_NULL, "a list"),
        (NUMBER_OR_NULL, "a number"),
        (ITERABLE, "a list or a string"),
    ];
    WORDS.iter().find(|(known, _)| *known == kinds).map_or("another value", |(_, words)| words)
}

/// The names of all types, in alphabetical order.
pub const TYPES: [&str; 15] = [
    "boolean",
    "continuation",
    "date",
    "float",
    "function",
    "integer",
    "list",
    "map",
    "null",
    "pair",
    "quoted",
    "record",
    "regex",
    "set",
    "string",
];
