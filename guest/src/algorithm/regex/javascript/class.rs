//! Sets of characters.

use super::node::Flags;
use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

pub(super) const DIGITS: [(char, char); 1] = [('0', '9')];
pub(super) const WORD: [(char, char); 4] = [('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];
pub(super) const LINE_ENDS: [(char, char); 3] =
    [('\n', '\n'), ('\r', '\r'), ('\u{2028}', '\u{2029}')];
pub(super) const SPACES: [(char, char); 10] = [
    ('\t', '\r'),
    (' ', ' '),
    ('\u{a0}', '\u{a0}'),
    ('\u{1680}', '\u{1680}'),
    ('\u{2000}', '\u{200a}'),
    ('\u{2028}', '\u{2029}'),
    ('\u{202f}', '\u{202f}'),
    ('\u{205f}', '\u{205f}'),
    ('\u{3000}', '\u{3000}'),
    ('\u{feff}', '\u{feff}'),
];

pub(super) fn of(ranges: &[(char, char)]) -> ClassUnicode {
    ClassUnicode::new(ranges.iter().map(|(first, last)| ClassUnicodeRange::new(*first, *last)))
}

pub(super) fn negated(mut class: ClassUnicode) -> ClassUnicode {
    class.negate();
    class
}

/// Adds the characters that are equal to those of a class when case is ignored. Without the flag u
/// these are the ones with the same capital, unless one of them is ASCII and the other is not.
pub(super) fn folded(class: &ClassUnicode, flags: Flags) -> ClassUnicode {
    let mut all = class.clone();
    if all.try_case_fold_simple().is_err() || flags.unicode {
        return all;
    }
    let mut new = all.clone();
    new.difference(class);
    let mut kept = class.clone();
    for range in new.ranges() {
        for c in range.start()..=range.end() {
            let mut alike = of(&[(c, c)]);
            let _ = alike.try_case_fold_simple();
            let mut alike = alike.ranges().iter().flat_map(|range| range.start()..=range.end());
            let has = |c: char| {
                let after = class.ranges().partition_point(|range| range.start() <= c);
                after
                    .checked_sub(1)
                    .and_then(|at| class.ranges().get(at))
                    .is_some_and(|range| c <= range.end())
            };
            if alike.any(|other| has(other) && capital(other) == capital(c)) {
                kept.push(ClassUnicodeRange::new(c, c));
            }
        }
    }
    kept
}

/// Returns the character that stands for another when case is ignored without the flag u.
fn capital(c: char) -> char {
    let mut upper = c.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(upper), None) if c.is_ascii() || !upper.is_ascii() => upper,
        _ => c,
    }
}
