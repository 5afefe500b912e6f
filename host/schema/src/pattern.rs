//! The patterns of schemas. Automata match them in time linear in the text, for every pattern. A
//! pattern that automata cannot match is refused with a reason.

use pif_domain::text::quote_one;
use regex::RegexBuilder;

/// The most characters of a pattern.
const LONGEST: usize = 1_000;

/// The most bytes of a compiled pattern.
pub(super) const MOST_COMPILED: usize = 512 << 10;

/// The most bytes of a compiled pattern of cost 1.
const LEAST_COMPILED: usize = 8 << 10;

/// Syntax that automata cannot match, with its description.
const BEYOND: [(&str, &str); 4] = [
    ("(?=", "looks ahead"),
    ("(?!", "looks ahead"),
    ("(?<=", "looks behind"),
    ("(?<!", "looks behind"),
];

/// Returns the cost of matching a pattern, at least 1, or the reason why the pattern is refused.
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
    let mut size = LEAST_COMPILED;
    let mut cost = 1;
    while size < MOST_COMPILED {
        // The validator translates syntax that this crate does not know. Such a pattern gets the
        // highest cost.
        if RegexBuilder::new(pattern).size_limit(size).build().is_ok() {
            break;
        }
        (size, cost) = (size * 2, cost * 2);
    }
    Ok(cost)
}

/// Whether the pattern contains a backslash before the number or name of a group.
fn refers_back(pattern: &str) -> bool {
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        if c == '\\' && chars.next().is_some_and(|c| matches!(c, '1'..='9' | 'k')) {
            return true;
        }
    }
    false
}
