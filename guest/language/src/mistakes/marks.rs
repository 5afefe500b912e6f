//! Characters that stand for a mark of the notation: those of word processors, of mathematics, and
//! of wide fonts.

/// A character that the notation does not have.
#[derive(Debug)]
pub struct Mark {
    characters: &'static str,
    /// The mark that is meant.
    pub now: &'static str,
    /// What to write instead, in words.
    pub hint: &'static str,
}

const fn mark(characters: &'static str, now: &'static str, hint: &'static str) -> Mark {
    Mark { characters, now, hint }
}

#[rustfmt::skip]
static MARKS: &[Mark] = &[
    mark("×·∙", "*", "write a * b"),
    mark("÷", "/", "write a / b"),
    mark("−–—‐‑‒", "-", "write a - b"),
    mark("≤", "<=", "write a <= b"),
    mark("≥", ">=", "write a >= b"),
    mark("≠", "!=", "write a != b"),
    mark("→⇒", "=>", "write x => x + 1"),
    mark("…", "...", "write ...xs"),
    mark("∧", "&&", "write a && b"),
    mark("∨", "||", "write a || b"),
    mark("¬", "!", "write !a"),
    mark("（", "(", "write it as an ASCII character"),
    mark("）", ")", "write it as an ASCII character"),
    mark("［【", "[", "write it as an ASCII character"),
    mark("］】", "]", "write it as an ASCII character"),
    mark("｛", "{", "write it as an ASCII character"),
    mark("｝", "}", "write it as an ASCII character"),
    mark("，、", ",", "write it as an ASCII character"),
    mark("．", ".", "write it as an ASCII character"),
    mark("：", ":", "write it as an ASCII character"),
    mark("；", ";", "write it as an ASCII character"),
    mark("！", "!", "write it as an ASCII character"),
    mark("？", "?", "write it as an ASCII character"),
    mark("＋", "+", "write it as an ASCII character"),
    mark("－", "-", "write it as an ASCII character"),
    mark("＊", "*", "write it as an ASCII character"),
    mark("／", "/", "write it as an ASCII character"),
    mark("％", "%", "write it as an ASCII character"),
    mark("＜", "<", "write it as an ASCII character"),
    mark("＞", ">", "write it as an ASCII character"),
    mark("＝", "=", "write it as an ASCII character"),
    mark("＆", "&", "write it as an ASCII character"),
    mark("｜", "|", "write it as an ASCII character"),
];

/// Quotes that are no quotes of the notation: the one that opens, and those that may close.
pub const QUOTES: &[(char, &str)] = &[
    ('“', "”“"),
    ('„', "“”"),
    ('”', "”"),
    ('‘', "’‘"),
    ('’', "’"),
    ('«', "»"),
    ('»', "«"),
    ('＂', "＂"),
    ('＇', "＇"),
];

/// What to write instead of such a quote.
pub const QUOTED: &str = "quotes are \" or '";

/// Finds what a character stands for.
#[must_use]
pub fn find(c: char) -> Option<&'static Mark> {
    MARKS.iter().find(|row| row.characters.contains(c))
}

/// Tells whether a character is a quote of a word processor.
#[must_use]
pub fn is_quote(c: char) -> bool {
    QUOTES.iter().any(|(open, close)| *open == c || close.contains(c))
}
