//! Names of tools: what they may look like, and which ones the server keeps for itself.

use super::Error;

/// The longest name. Clients prefix the server's name and cut at 64 characters or so.
pub const LONGEST: usize = 64;

/// Names that belong to the server, now or later. Compared without regard to case, `-` and `_`,
/// so that nothing looks like one of them.
const RESERVED: [&str; 14] = [
    "evolve",
    "run",
    "list",
    "help",
    "inspect",
    "check",
    "rollback",
    "memory_store",
    "memory_retrieve",
    "journal_recent",
    "replay",
    "server_info",
    "execute_tool",
    "meta_evolve",
];

/// Whether `name` could name a tool at all.
#[must_use]
pub fn is_well_formed(name: &str) -> bool {
    let mut bytes = name.bytes();
    name.len() <= LONGEST
        && bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// Refuses names that no evolved tool may have.
pub(super) fn ensure_free(name: &str) -> Result<(), Error> {
    if !is_well_formed(name) {
        return Err(Error::Name(name.chars().take(LONGEST).collect()));
    }
    let folded = fold(name);
    match RESERVED.iter().find(|reserved| fold(reserved) == folded) {
        Some(reserved) => Err(Error::Reserved { name: name.to_owned(), reserved }),
        None => Ok(()),
    }
}

fn fold(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_')).map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_names_of_the_server() {
        for name in ["run", "Run", "memory-store", "serverinfo", "SERVER_INFO", "e-v-o-l-v-e"] {
            assert!(matches!(ensure_free(name), Err(Error::Reserved { .. })), "{name}");
        }
    }

    #[test]
    fn judges_the_form() {
        for name in ["double", "_x", "a-b", "A1"] {
            assert!(ensure_free(name).is_ok(), "{name}");
        }
        for name in ["", "1a", "-a", "a b", "a.b", "é", &"a".repeat(65)] {
            assert!(matches!(ensure_free(name), Err(Error::Name(_))), "{name}");
        }
    }
}
