//! Words and marks of other languages in programs in the notation, which has another spelling.

use pif_core::hint::Parts;
use pif_core::text::words;

/// Places in a program, one bit each.
pub type Places = u8;

/// A variable that nothing binds.
pub const NAME: Places = 1;
/// Where an operand is missing.
pub const BEFORE: Places = 1 << 1;
/// After an operand, which it does not go on with.
pub const AFTER: Places = 1 << 2;
/// Anywhere: a word of JavaScript that is refused.
pub const REFUSED: Places = 1 << 3;
/// Before the parameters of a function in parentheses. After an operand, too.
pub const FUNCTION: Places = 1 << 4;

/// A word of another language: why it is refused, and what to write instead.
#[derive(Debug)]
pub struct Word {
    places: Places,
    /// With blanks between them.
    words: &'static str,
    /// Why it is refused.
    pub reason: &'static str,
    /// The code to write instead. Code that is no term stands in the words of the hint, in the notation.
    pub hint: Parts,
    /// The word or mark that is surely meant. Rewrites of more than the word are in `rewrites`.
    pub now: Option<&'static str>,
}

const fn word(places: Places, words: &'static str, reason: &'static str, hint: Parts) -> Word {
    Word { places, words, reason, hint, now: None }
}

impl Word {
    /// These words surely mean another one.
    const fn now(self, now: &'static str) -> Self {
        Self { now: Some(now), ..self }
    }
}

#[rustfmt::skip]
static WORDS: &[Word] = &[
    word(NAME | AFTER, "None nil Nil NULL Null nullptr none", "the word for nothing is null",
        &["write ", "null"]).now("null"),
    word(NAME | AFTER, "True TRUE", "the word is true", &["write ", "true"]).now("true"),
    word(NAME | AFTER, "yes", "the word is true", &["write ", "true"]),
    word(NAME | AFTER, "no", "the word is false", &["write ", "false"]),
    word(NAME | AFTER, "False FALSE", "the word is false", &["write ", "false"]).now("false"),
    word(NAME | AFTER, "print puts println echo alert", "a run shows what console.log writes",
        &["write console.log(x)"]),
    word(NAME, "list tuple array", "brackets make a list", &["write [1, 2] or Array.from(xs)"]),
    word(NAME, "dict object", "braces make a record", &["write ({name: 1}) or new Map()"]),
    word(NAME, "ord", "char_code gives the code of a character",
        &["write ", r#"{"char_code": s}"#]),
    word(NAME, "chr", "from_char_code makes a character", &["write ", r#"{"from_char_code": 65}"#]),
    word(NAME, "format sprintf printf", "a template makes a text", &["write `${s}: ${x}`"]),
    word(NAME, "isinstance type", "typeof tells the type",
        &["write ", r#"{"typeof": [x]}"#, " or ", r#"{"type_of": x}"#]),
    word(NAME, "arguments", "a function has no list of its arguments",
        &["write (...args) => args.length"]),
    word(NAME, "bool", "Boolean tells whether a value counts as true",
        &["write ", r#"{"truth": x}"#]),
    word(NAME, "groupby", "group_by groups elements", &["write xs.group_by(x => x.name)"]),
    word(NAME, "map_values to_entries with_entries", "this is no jq",
        &["write Object.entries(x).map(([k, v]) => v)"]),
    word(NAME, "COUNT SUM AVG MAX MIN", "names of forms are in lower case", &["write ",
        r#"{"get": [xs, "length"]}"#, " or ", r#"{"sum": xs}"#, " or ", r#"{"mean": xs}"#]),
    word(NAME, "if_else iif IF", "a choice is ? and :",
        &["write ", r#"{"if": {"cond": {"gt": [x, 1]}, "then": s, "else": xs}}"#]),
    word(REFUSED, "class extends super enum", "there are no classes and no objects but records",
        &[r#"write a record {name: "a", count: 1}, and functions of it: area = s => s.w * s.h"#]),
    word(REFUSED, "this", "there is no object that a function belongs to",
        &["give the record to the function: const area = s => s.w * s.h"]),
    word(REFUSED, "yield", "there are no generators", &["write a list: range(5).map(i => i * 2)"]),
    word(REFUSED, "with", "names are bound by const", &["write const {a, b} = r"]),
    word(REFUSED, "eval", "a text is not run",
        &["write the term itself, or JSON.parse(s) of data"]),
    word(REFUSED, "Symbol", "there are no symbols", &["write a text as a key: {name: 1}"]),
    word(REFUSED | AFTER, "import require from use include", "nothing is imported",
        &["leave the line out: a tool is called @name(x), a form by its name"]),
    word(REFUSED, "export", "a program has one value",
        &["leave the word out, and write the value as the last statement"]),
    word(BEFORE | AFTER, "for foreach", "a loop is a statement of its own",
        &["write xs.map(x => x + 1), xs.filter(x => x > 1), or for (const x of xs) { … }"]),
    word(BEFORE | AFTER, "while do until loop", "a loop is a statement of its own",
        &["write while (i < n) { … }, or xs.reduce((sum, x) => sum + x, 0)"]),
    word(BEFORE, "break continue", "it is a statement of a loop", &["write xs.find(x => x > 1)"]),
    word(BEFORE, "catch finally", "it stands behind the block of `try`",
        &["write try { … } catch (e) { … }"]),
    word(BEFORE, "throw", "it is a statement", &[r#"write fail("no stock") within an expression"#]),
    word(BEFORE, "switch case default", "a switch is a statement",
        &[r#"write switch (x) { case 1: … }, or cond([x < 1, "a"], [true, "b"])"#]),
    word(BEFORE, "try", "it is a statement",
        &["write try(t, e => e.message) within an expression"]),
    word(BEFORE, "else", "`if` stands before it", &["write a > 1 ? b : c, or if (a > 1) b else c"]),
    word(BEFORE, "const let var return", "it begins a statement, and no value",
        &["write it at the beginning, or in braces after an arrow: x => { const y = x + 1; return y; }"]),
    word(BEFORE, "in instanceof", "a value is missing before it",
        &[r#"write "k" in r, xs.includes(x)"#]),
    word(BEFORE, "|>", "a value is missing before it", &["write x |> f"]),
    word(BEFORE | AFTER, "->", "the arrow is =>", &["write x => x + 1"]).now("=>"),
    word(BEFORE, "= :=", "a name is missing before it",
        &["write const a = 1; a + 1, or a == b to compare"]),
    word(BEFORE | AFTER, ":: :", "`:` stands between a key and its value, or after `?`",
        &["write r.k for a member, c ? a : b for a choice"]),
    word(BEFORE | AFTER, "..", "a range has no dots", &["write range(1, 5)"]),
    word(BEFORE, "?", "`?` stands after a condition", &["write c ? a : b"]),
    word(BEFORE | AFTER, "@", "`@` stands before the name of a tool",
        &[r#"write @name(x) or @"name"(x)"#]),
    word(BEFORE, ".", "`.` stands after a record or a list", &["write x => x.name, or data.name"]),
    word(BEFORE, "?.", "`?.` stands after a record", &["write r?.name"]),
    word(BEFORE | AFTER, "...", "`...` stands in a list, a record or a call",
        &["write [...xs, 1] or {...r, k: 1}"]),
    word(BEFORE, "=>", "the arrow stands after names", &["write x => x + 1 or (x, y) => x + y"]),
    word(BEFORE, ",", "a comma stands between the parts of a list, a record or a call",
        &["write [a, b] for a list of two"]),
    word(BEFORE, ";", "an expression is missing before `;`", &["write const x = 1; x + 1"]),
    word(AFTER | FUNCTION, "func fn fun", "a function has an arrow",
        &["write x => x + 1 or (x, y) => x + y"]),
    word(AFTER | FUNCTION, "def defun define", "a function has an arrow, and a name by const",
        &["write const f = x => x + 1; f(2)"]),
    word(AFTER | FUNCTION, "lambda λ lam", "a function has an arrow", &["write x => x + 1"]),
    word(AFTER, "async", "it stands before a function",
        &["write async x => x, or leave the word out"]),
    word(AFTER, "catch except finally", "the handler stands behind the block of `try`",
        &["write try { … } catch (e) { … }, or try(t, e => e.message)"]),
    word(AFTER, "raise", "a fault of your own is made by throw",
        &[r#"write throw new Error("no stock")"#]),
    word(AFTER, "match when case", "the word is `switch`",
        &[r#"write switch (x) { case 1: … }, or cond([x < 1, "a"], [true, "b"])"#]),
    word(AFTER, "elif elsif elseif", "the word is `else if`",
        &["write if (a) 1 else if (b) 2 else 3"]).now("else if"),
    word(AFTER, "then unless end begin", "`if` has no `then` and no `end`",
        &["write a > 1 ? b : c, or if (a > 1) b else c"]),
    word(AFTER, "if else", "the condition of `if` comes first",
        &["write a > 1 ? b : c, or if (a > 1) b else c"]),
    word(AFTER, "and", "the operator is &&", &["write a && b"]).now("&&"),
    word(AFTER, "or", "the operator is ||", &["write a || b"]).now("||"),
    word(AFTER, "not", "the operator is !", &["write !a, or !xs.includes(x)"]),
    word(AFTER, "xor", "there is no such operator", &["write a != b of two booleans"]),
    word(AFTER, "is", "equality is ==", &["write a == b"]).now("=="),
    word(AFTER, "isnt", "inequality is !=", &["write a != b"]).now("!="),
    word(AFTER, "of", "`of` stands in the head of a loop", &["write for (const x of xs) { … }"]),
    word(AFTER, "as satisfies", "a value has no type", &["leave the type out: const x = f(1)"]),
    word(AFTER, "interface type namespace", "there are no types", &["leave the types out"]),
    word(AFTER, "del unset", "the word is `delete`",
        &[r#"write delete r.k of a local, or r.remove("k")"#]),
    word(AFTER, "goto pass", "a program is an expression: it has a value",
        &["write the value itself"]),
    word(AFTER, "SELECT select Select FROM WHERE", "this is no SQL",
        &["write data.filter(r => r.qty > 1).map(r => r.name)"]),
    word(AFTER, "ORDER GROUP HAVING LIMIT JOIN", "this is no SQL",
        &["write xs.sort_by(r => r.name), xs.group_by(r => r.name), xs.take(10)"]),
    word(AFTER, ":=", "`const` binds a name", &["write const a = 1; a + 1"]),
    word(AFTER, "=", "`const` binds a name", &["write const a = 1; a + 1, or a == b to compare"]),
    word(AFTER, "<> =~ ~/ <=>", "this operator does not exist",
        &[r#"write a != b, matches(s, "[0-9]+") or a < b"#]),
    word(AFTER, "!", "the operator is !=", &["write a != b"]),
    word(AFTER, "=>", "the arrow stands after names",
        &["write x => x + 1 or (x, y) => x + y, in parentheses after an operator"]),
    word(AFTER, "|>", "a function before `|>` stands in parentheses", &["write x |> f"]),
];

/// Finds what a word or a mark stands for at one of these places.
#[must_use]
pub fn find(places: Places, word: &str) -> Option<&'static Word> {
    WORDS.iter().find(|row| row.places & places != 0 && words::has(row.words, word))
}

/// Iterates over the hints with the first word of each.
pub fn all() -> impl Iterator<Item = (&'static str, &'static Word)> {
    WORDS.iter().map(|row| (row.words.split(' ').next().unwrap_or_default(), row))
}
