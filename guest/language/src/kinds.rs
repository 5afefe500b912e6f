//! Types of values: sets of types, one bit each, with their names and the words for what a form
//! wants.

use std::fmt;

/// A set of types.
pub type Kinds = u16;

// The bits stand in the order of the names.
/// A boolean.
pub const BOOLEAN: Kinds = 1;
/// The continuation of `continue`.
pub const CONTINUATION: Kinds = 1 << 1;
/// A date.
pub const DATE: Kinds = 1 << 2;
/// A float.
pub const FLOAT: Kinds = 1 << 3;
/// A function.
pub const FUNCTION: Kinds = 1 << 4;
/// An integer.
pub const INTEGER: Kinds = 1 << 5;
/// A list.
pub const LIST: Kinds = 1 << 6;
/// A map.
pub const MAP: Kinds = 1 << 7;
/// Null.
pub const NULL: Kinds = 1 << 8;
/// A pair.
pub const PAIR: Kinds = 1 << 9;
/// A quoted term.
pub const QUOTED: Kinds = 1 << 10;
/// A record.
pub const RECORD: Kinds = 1 << 11;
/// A regular expression.
pub const REGEX: Kinds = 1 << 12;
/// A set.
pub const SET: Kinds = 1 << 13;
/// A string.
pub const STRING: Kinds = 1 << 14;
/// Infinity, or what is not a number. Of a value that may be one, types say so beside `FLOAT`.
pub const ODD: Kinds = 1 << 15;
/// The number of types.
pub const COUNT: usize = 15;

/// A number.
pub const NUMBER: Kinds = INTEGER | FLOAT;
/// A number or a string.
pub const NUMBER_OR_STRING: Kinds = NUMBER | STRING;
/// A record or null.
pub const RECORD_OR_NULL: Kinds = RECORD | NULL;
/// A record or a list.
pub const RECORD_OR_LIST: Kinds = RECORD | LIST;
/// What `merge` takes: a record, or what has no members.
pub const MERGED: Kinds = RECORD | SCALAR;
/// A text, or a value with one short text: a number, a boolean, null.
pub const SCALAR: Kinds = STRING | NUMBER | BOOLEAN | NULL;
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
/// An operand that is kept unchanged. Any type that a term can show will do.
pub const VALUE: Kinds = SCALAR | LIST | RECORD | FUNCTION | QUOTED | PAIR;
/// An operand of any type, as far as the table knows.
pub const ANY: Kinds = Kinds::MAX;
/// A value of unknown type.
pub const UNKNOWN: Kinds = 0;

/// The types with their names and their words, in the order in which a message names several.
const WORDS: [(Kinds, &str, &str); 16] = [
    (RECORD, "record", "a record"),
    (LIST, "list", "a list"),
    (STRING, "string", "a string"),
    (NUMBER, "number", "a number"),
    (INTEGER, "integer", "an integer"),
    (FLOAT, "float", "a float"),
    (BOOLEAN, "boolean", "a boolean"),
    (DATE, "date", "a date"),
    (MAP, "map", "a map"),
    (SET, "set", "a set"),
    (REGEX, "regex", "a regular expression"),
    (FUNCTION, "function", "a function"),
    (QUOTED, "quoted", "a quoted term"),
    (PAIR, "pair", "a pair"),
    (CONTINUATION, "continuation", "a continuation"),
    (NULL, "null", "null"),
];

/// Returns the name of a single type, as `type_of` gives it, or `number`.
#[must_use]
pub fn name(kind: Kinds) -> &'static str {
    WORDS.iter().find(|(known, ..)| *known == kind).map_or("value", |(_, name, _)| name)
}

/// The names of all types, in alphabetical order, which is that of their bits.
#[must_use]
pub fn names() -> [&'static str; COUNT] {
    std::array::from_fn(|bit| name(1 << bit))
}

/// What a form wants where it found something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A value of one of these types.
    One(Kinds),
    /// A list of values of these types.
    ListOf(Kinds),
    /// A record of values of these types.
    RecordOf(Kinds),
    /// A record with a member of one of these types.
    Member(&'static str, Kinds),
    /// A function with values of these types.
    FunctionTo(Kinds),
    /// One of these texts.
    Texts(&'static [&'static str]),
    /// A number, since no string stands before it in a sum.
    NumberBeforeStrings,
    /// Two operands that can be ordered.
    TwoAlike,
    /// A value that can be a key of a set.
    Comparable,
    /// A list of these.
    ListOfComparable,
    /// A function with values that can be compared.
    FunctionToComparable,
    /// A list that can be sorted.
    Sortable,
    /// A function with values that can be sorted.
    FunctionToSortable,
    /// A list of lists of key and value.
    Entries,
    /// Entries, a map, or null.
    EntriesOrMap,
    /// What a loop of JavaScript goes through.
    Iterable,
    /// A scalar, or a list of scalars and such lists.
    Scalars,
    /// A list of scalars and such lists.
    ListOfScalars,
    /// An index at which a list has an element, or its length.
    Index,
    /// A record or a list at each step of a path.
    WhereThePathGoesOn,
    /// A value that a term can hold.
    Literal,
    /// A value that JSON can hold.
    PlainData,
    /// A value that is no function.
    NoFunction,
    /// A value without a function in it.
    WithoutFunctions,
}

impl From<Kinds> for Wanted {
    fn from(kinds: Kinds) -> Self {
        Self::One(kinds)
    }
}

impl Wanted {
    /// What a form wants that accepts these types. Null stands for what is missing, a list of two for
    /// a pair, and a scalar for a record without members: nobody is asked for these.
    #[must_use]
    pub fn accepted(kinds: Kinds) -> Self {
        Self::One(match kinds {
            MERGED => RECORD,
            PAIR_OR_LIST => PAIR,
            _ => kinds & !NULL,
        })
    }
}

/// Writes texts with a comma between them and a word before the last.
fn series(f: &mut fmt::Formatter<'_>, texts: &[String], last: &str) -> fmt::Result {
    let count = texts.len();
    for (at, text) in texts.iter().enumerate() {
        let before = match count - at {
            _ if at == 0 => "",
            1 => last,
            _ => ", ",
        };
        write!(f, "{before}{text}")?;
    }
    Ok(())
}

/// The names or the words of types, as a message names them.
fn listed(kinds: Kinds, show: impl Fn(&str, &str) -> String) -> Vec<String> {
    let (mut left, mut texts) = (kinds, Vec::new());
    for (kind, name, words) in WORDS {
        if left & kind == kind {
            left &= !kind;
            texts.push(show(name, words));
        }
    }
    texts
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = |kinds| listed(kinds, |_, words| words.to_owned());
        let plural = |kinds| listed(kinds, |name, _| format!("{name}s"));
        f.write_str(match *self {
            Self::One(UNKNOWN) => "another value",
            Self::One(kinds) => return series(f, &one(kinds), " or "),
            Self::ListOf(kinds) => {
                f.write_str("a list of ")?;
                return series(f, &plural(kinds), " and ");
            }
            Self::RecordOf(kinds) => {
                f.write_str("a record of ")?;
                return series(f, &plural(kinds), " and ");
            }
            Self::Member(name, kinds) => {
                write!(f, "a record whose `{name}` is ")?;
                return series(f, &one(kinds), " or ");
            }
            Self::FunctionTo(kinds) => {
                f.write_str("a function that gives ")?;
                return series(f, &one(kinds), " or ");
            }
            Self::Texts(texts) => {
                let quoted: Vec<String> = texts.iter().map(|text| format!("\"{text}\"")).collect();
                f.write_str("the string ")?;
                return series(f, &quoted, " or ");
            }
            Self::NumberBeforeStrings => "a number, as no string stands before it",
            Self::TwoAlike => "two numbers or two strings",
            Self::Comparable => "a value that can be compared",
            Self::ListOfComparable => "a list of values that can be compared",
            Self::FunctionToComparable => "a function that gives values that can be compared",
            Self::Sortable => {
                "a list of only numbers, only strings, only booleans, or only lists of these"
            }
            Self::FunctionToSortable => {
                "a function that gives only numbers, only strings, only booleans, or only lists of these"
            }
            Self::Entries => "a list of lists [key, value]",
            Self::EntriesOrMap => "a list of lists [key, value], a map or null",
            Self::Iterable => "a list, a string, a map or a set, which can be gone through",
            Self::Scalars => "a string, a number, a boolean, null or a list of these",
            Self::ListOfScalars => "a list of strings, numbers, booleans, nulls and lists of these",
            Self::Index => "an index from 0 to the length of the list",
            Self::WhereThePathGoesOn => "a record or a list wherever the path goes on",
            Self::Literal => "a value that has a literal",
            Self::PlainData => "plain data",
            Self::NoFunction => "a value that is no function",
            Self::WithoutFunctions => "a value without functions in it",
        })
    }
}
