//! Names of tools: their form, the names reserved for the server, and similar names.

use pif_domain::text;
use pif_domain::{BuiltIn, LEGACY, SPELLINGS};

use super::error::Error;

/// The most characters of any name.
pub const LONGEST: usize = 64;

/// The most characters of a new tool's name, and of a listed one: clients prepend the name of the
/// server, and their services refuse more than 64 characters.
pub const LONGEST_NEW: usize = 48;

/// The name by which a tool's source refers to the tool itself.
pub const OWN: &str = "self";

/// Names reserved for the server. A new name must not resemble one of them.
pub fn reserved() -> impl Iterator<Item = &'static str> {
    let spellings = SPELLINGS.into_iter().map(|(name, _)| name);
    BuiltIn::ALL.iter().map(|tool| tool.name()).chain(spellings).chain(LEGACY)
}

/// Whether a direct call of a name means the server's own tool. A tool that had the name before is
/// called by `run`.
#[must_use]
pub fn is_reserved(name: &str) -> bool {
    reserved().any(|reserved| reserved == name)
}

/// The name before `@`, and the revision after it if there is one.
#[must_use]
pub fn split(reference: &str) -> (&str, Option<&str>) {
    match reference.split_once('@') {
        Some((name, revision)) => (name, Some(revision)),
        None => (reference, None),
    }
}

/// Whether `name` has the form of a tool's name.
#[must_use]
pub fn is_well_formed(name: &str) -> bool {
    let mut bytes = name.bytes();
    name.len() <= LONGEST
        && bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// Refuses names that are malformed, too long or reserved.
pub fn ensure_free(name: &str) -> Result<(), Error> {
    if !is_well_formed(name) {
        return Err(Error::Name { name: text::line(name, LONGEST), more: LONGEST_NEW - 1 });
    }
    if name.len() > LONGEST_NEW {
        return Err(Error::LongName { length: name.len(), most: LONGEST_NEW });
    }
    let is_like =
        |reserved: &&str| sketch(name) == sketch(reserved) || cursive(name) == cursive(reserved);
    if name == OWN {
        return Err(Error::Own { name: name.to_owned() });
    }
    match reserved().find(is_like) {
        Some(reserved) => Err(Error::Reserved { name: name.to_owned(), reserved }),
        None => Ok(()),
    }
}

/// Two keys of a name. Names that share one are hard to distinguish: they differ only in case and
/// separators, or only in characters of similar shape. No two tools may share a key.
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

/// A key of a name that ignores case, separators, and digits in place of letters.
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

/// A key for letters of similar strokes: `run` and `rnn` share it, as do `evolve` and `euolve`.
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
            // A name that begins with a digit is malformed.
            assert!(matches!(judged, Err(Error::Reserved { .. } | Error::Name { .. })), "{name}");
        }
    }

    #[test]
    fn leaves_ordinary_names_alone() {
        for name in ["mu", "sum", "list_sum", "turns", "ran", "lost", "helper", "check2", "evolved"]
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
