//! Patterns of schemas: matched by automata, so that the time is linear in the text whatever the
//! pattern; what automata cannot match is refused by name.

use regex::RegexBuilder;

use crate::text::quote_one;

/// Characters of a pattern.
const LONGEST: usize = 1_000;

/// Bytes of a compiled pattern.
pub(super) const MOST_COMPILED: usize = 512 << 10;

/// Bytes of a compiled pattern that is matched as fast as any.
const LEAST_COMPILED: usize = 8 << 10;

/// What needs a memory of the text, or a look around.
const BEYOND: [(&str, &str); 4] = [
    ("(?=", "looks ahead"),
    ("(?!", "looks ahead"),
    ("(?<=", "looks behind"),
    ("(?<!", "looks behind"),
];

/// How hard a pattern is to match, from 1 on; or why it is not.
pub(super) fn cost(pattern: &str) -> Result<u64, String> {
    if pattern.chars().count() > LONGEST {
        return Err(format!("the pattern is longer than {LONGEST} characters"));
    }
    if let Some((_, what)) = BEYOND.iter().find(|(beyond, _)| pattern.contains(beyond)) {
        return Err(format!(
            "the pattern {} {what}: patterns are matched without going back, so look-around is not among them",
            quote_one(pattern)
        ));
    }
    if refers_back(pattern) {
        return Err(format!(
            "the pattern {} refers back to a group: patterns are matched without going back",
            quote_one(pattern)
        ));
    }
    let (mut size, mut cost) = (LEAST_COMPILED, 1);
    while size < MOST_COMPILED {
        // What this notation does not know, the validator translates; it is taken for hard.
        if RegexBuilder::new(pattern).size_limit(size).build().is_ok() {
            break;
        }
        (size, cost) = (size * 2, cost * 2);
    }
    Ok(cost)
}

/// Whether a backslash stands before the number or name of a group.
fn refers_back(pattern: &str) -> bool {
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        if c == '\\' && chars.next().is_some_and(|c| matches!(c, '1'..='9' | 'k')) {
            return true;
        }
    }
    false
}
