//! What people and models write out of habit from other languages, and what to write instead.

use pif_core::text::words;

/// A habit of another language: its spelling, the reason why it is refused, and the spelling here.
#[derive(Debug)]
pub(crate) struct Habit {
    /// With blanks between them.
    pub(crate) words: &'static str,
    pub(crate) message: &'static str,
    pub(crate) hint: &'static str,
}

const fn habit(words: &'static str, message: &'static str, hint: &'static str) -> Habit {
    Habit { words, message, hint }
}

/// The words of other languages for `null`.
pub(crate) const NOTHING: Habit =
    habit("None nil Nil NULL Null nullptr none", "the word for nothing is null", "write null");

/// The words of other languages for `true`.
pub(crate) const TRUE: Habit = habit("True TRUE yes", "the word is true", "write true");

/// The words of other languages for `false`.
pub(crate) const FALSE: Habit = habit("False FALSE no", "the word is false", "write false");

/// The words of other languages for `console.log`.
pub(crate) const PRINT: Habit = habit(
    "print puts println echo alert",
    "a run shows what console.log writes",
    "write console.log(x)",
);

/// Names that nothing binds.
pub(crate) const NAMES: &[Habit] = &[
    NOTHING,
    TRUE,
    FALSE,
    PRINT,
    habit("list tuple array", "brackets make a list", "write [1, 2] or Array.from(xs)"),
    habit("dict object", "braces make a record", "write ({name: 1}) or new Map()"),
    habit("ord", "char_code gives the code of a character", "write s.char_code()"),
    habit("chr", "from_char_code makes a character", "write from_char_code(65)"),
    habit("format sprintf printf", "a template makes a text", "write `${s}: ${x}`"),
    habit("isinstance type", "typeof tells the type", "write typeof x or type_of(x)"),
    habit("arguments", "a function has no list of its arguments", "write (...args) => args.length"),
    habit("bool", "Boolean tells whether a value counts as true", "write Boolean(x)"),
    habit("groupby", "group_by groups elements", "write xs.group_by(x => x.name)"),
    habit(
        "map_values to_entries with_entries",
        "this is no jq",
        "write Object.entries(x).map(([k, v]) => v)",
    ),
    habit(
        "COUNT SUM AVG MAX MIN",
        "names of forms are in lower case",
        "write xs.length or xs.sum() or xs.mean()",
    ),
    habit("if_else iif IF", "a choice is ? and :", "write x > 1 ? s : xs"),
];

/// The habit that a word is of.
pub(crate) fn find(habits: &'static [Habit], word: &str) -> Option<&'static Habit> {
    habits.iter().find(|habit| words::has(habit.words, word))
}
