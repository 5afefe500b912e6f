//! Names of tools: what they may look like, which ones the server keeps for itself, and which ones
//! readers would take for one another.

use super::error::Error;
use crate::domain::{BuiltIn, LEGACY};
use crate::text;

/// The longest name that there is.
pub const LONGEST: usize = 64;

/// The longest name of a new tool, and of one that is listed: clients put the name of the server
/// before it, and the services that they use refuse more than 64 characters.
pub const LONGEST_NEW: usize = 48;

/// Names that belong to the server. They are compared by everything that a hasty reader overlooks,
/// so that nothing looks like one of them.
fn reserved() -> impl Iterator<Item = &'static str> {
    BuiltIn::ALL.iter().map(|tool| tool.name()).chain(LEGACY)
}

/// What is left of `@` and, if there is one, the revision that is pinned right of it.
#[must_use]
pub fn split(reference: &str) -> (&str, Option<&str>) {
    match reference.split_once('@') {
        Some((name, revision)) => (name, Some(revision)),
        None => (reference, None),
    }
}

/// Whether `name` could name a tool at all.
#[must_use]
pub fn is_well_formed(name: &str) -> bool {
    let mut bytes = name.bytes();
    name.len() <= LONGEST
        && bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// Refuses names that no evolved tool may have.
pub(in crate::state) fn ensure_free(name: &str) -> Result<(), Error> {
    if !is_well_formed(name) {
        return Err(Error::Name { name: text::line(name, LONGEST), more: LONGEST_NEW - 1 });
    }
    if name.len() > LONGEST_NEW {
        return Err(Error::LongName { length: name.len(), most: LONGEST_NEW });
    }
    let is_like =
        |reserved: &&str| sketch(name) == sketch(reserved) || cursive(name) == cursive(reserved);
    match reserved().find(is_like) {
        Some(reserved) => Err(Error::Reserved { name: name.to_owned(), reserved }),
        None => Ok(()),
    }
}

/// What two names share that are hardly told apart by sight: equal but for case and the choice of
/// separator, or but for letters and digits of one shape. No two tools may share one.
#[must_use]
pub fn twins(name: &str) -> [String; 2] {
    let folded = |c: char| if c == '-' { '_' } else { c.to_ascii_lowercase() };
    let shape = |c: char| match c {
        'I' | '1' => 'l',
        'O' | '0' => 'o',
        c => folded(c),
    };
    let shaped: String = name.chars().map(shape).collect();
    [name.chars().map(folded).collect(), shaped.replace("rn", "m").replace("vv", "w")]
}

/// What is left of a name when case, separators and digits in place of letters are overlooked.
#[must_use]
pub fn sketch(name: &str) -> String {
    let letters = name.chars().filter(|c| !matches!(c, '-' | '_'));
    let shape = |c: char| match c.to_ascii_lowercase() {
        '0' => 'o',
        '1' | 'i' => 'l',
        '2' => 'z',
        '3' => 'e',
        '4' => 'a',
        '5' => 's',
        '6' | '8' => 'b',
        '7' => 't',
        '9' => 'g',
        c => c,
    };
    let shaped: String = letters.map(shape).collect();
    shaped.replace("rn", "m").replace("vv", "w").replace("cl", "d")
}

/// The same where letters of a few strokes run together: `run` and `rnn`, `evolve` and `euolve`.
fn cursive(name: &str) -> String {
    let letters = name.chars().filter(|c| !matches!(c, '-' | '_'));
    letters
        .map(|c| c.to_ascii_lowercase())
        .map(|c| if matches!(c, 'n' | 'v') { 'u' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_names_of_the_server() {
        for name in [
            "run",
            "Run",
            "memory-store",
            "serverinfo",
            "SERVER_INFO",
            "e-v-o-l-v-e",
            "l1st",
            "1ist",
            "he1p",
            "ru_n",
            "rnn",
            "ruu",
            "3volve",
            "rnemory_store",
            "ro11back",
            "rep1ay",
            "IIst",
        ] {
            let judged = ensure_free(name);
            // A digit in front makes it no name at all.
            assert!(matches!(judged, Err(Error::Reserved { .. } | Error::Name { .. })), "{name}");
        }
    }

    #[test]
    fn leaves_ordinary_names_alone() {
        for name in ["mu", "sum", "list_sum", "runs", "ran", "lost", "helper", "check2", "evolved"]
        {
            assert!(ensure_free(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn judges_the_form() {
        for name in ["double", "_x", "a-b", "A1"] {
            assert!(ensure_free(name).is_ok(), "{name}");
        }
        for name in ["", "1a", "-a", "a b", "a.b", "é", &"a".repeat(65)] {
            assert!(matches!(ensure_free(name), Err(Error::Name { .. })), "{name}");
        }
    }

    #[test]
    fn knows_twins() {
        let are_twins = |a, b| twins(a).iter().zip(twins(b)).any(|(a, b)| *a == b);
        for (a, b) in
            [("sum", "SUM"), ("a_b", "a-b"), ("tool", "too1"), ("FI", "Fl"), ("warm", "vvarrn")]
        {
            assert!(are_twins(a, b), "{a} {b}");
        }
        for (a, b) in [("f1", "f2"), ("item_1_11", "item_11_1"), ("fit", "flt"), ("v5", "vs")] {
            assert!(!are_twins(a, b), "{a} {b}");
        }
    }
}
