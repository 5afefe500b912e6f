//! The prefix of the names of tools, for clients that add none. The names that
//! clients see, the names that they send, and the texts that name tools are made here and nowhere else.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::tool::BuiltIn;

/// The most characters of a prefix: with the longest name of a tool it makes 64, which is what
/// clients and their services take.
const LONGEST: usize = 16;

/// The prefix of this process, which its start sets once.
static PREFIX: OnceLock<Prefix> = OnceLock::new();

/// What stands before the names of tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prefix(String);

impl Prefix {
    /// Reads a prefix.
    ///
    /// # Errors
    ///
    /// Tells what a prefix consists of.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut bytes = text.bytes();
        let begins = bytes.next().is_some_and(|it| it.is_ascii_alphabetic() || it == b'_');
        let goes_on = bytes.all(|it| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-'));
        if begins && goes_on && text.len() <= LONGEST {
            return Ok(Self(text.to_owned()));
        }
        Err(format!(
            "a prefix is a letter or `_`, and then up to {} letters, digits, `_` and `-`: write `pif_`",
            LONGEST - 1
        ))
    }

    /// Puts it before the names of tools of this process. What was set before stays.
    pub fn install(self) {
        PREFIX.get_or_init(|| self);
    }
}

/// The prefix, if there is one.
#[must_use]
pub fn prefix() -> Option<&'static str> {
    PREFIX.get().map(|prefix| prefix.0.as_str())
}

/// The name under which clients see a tool.
#[must_use]
pub fn listed(name: &str) -> Cow<'_, str> {
    prefix().map_or(Cow::Borrowed(name), |prefix| format!("{prefix}{name}").into())
}

/// The tool that a client means by a name. A name without the prefix is the tool's own.
#[must_use]
pub fn bare(name: &str) -> &str {
    prefix().and_then(|prefix| name.strip_prefix(prefix)).unwrap_or(name)
}

/// A text of ours with the names under which clients see the built-in tools. A text names a tool in
/// backquotes, or before the arguments of a call; a name with `_` has no other meaning.
#[must_use]
pub fn named(text: &str) -> Cow<'_, str> {
    match prefix() {
        Some(prefix) => name_all(text, prefix).into(),
        None => Cow::Borrowed(text),
    }
}

fn name_all(text: &str, prefix: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '@');
    let mut named = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        let (before, word) = rest.split_at(start);
        let (word, after) = word.split_at(word.find(|c| !is_part(c)).unwrap_or(word.len()));
        named.push_str(before);
        let is_quoted = before.ends_with('`') && after.starts_with('`');
        let is_called = after.starts_with(" {");
        // A sentence may end with a name.
        let name = word.trim_end_matches('.');
        let is_one = is_quoted || is_called || name.contains('_');
        if is_one && BuiltIn::find(name).is_some() {
            named.push_str(prefix);
        }
        named.push_str(word);
        rest = after;
    }
    named + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tools_get_the_prefix_and_other_words_do_not() {
        for (text, named) in [
            ("`list` shows the tools there are", "`p_list` shows the tools there are"),
            ("run {\"resume\": 2}", "p_run {\"resume\": 2}"),
            ("`debug {\"op\": \"recent\"}`", "`p_debug {\"op\": \"recent\"}`"),
            ("memory_store {}, memory_retrieve.", "p_memory_store {}, p_memory_retrieve."),
            ("`mcp-pif approve 2`, run 2", "`mcp-pif approve 2`, run 2"),
            ("a list of `lists`, list.map(f), @run(1)", "a list of `lists`, list.map(f), @run(1)"),
            ("", ""),
            ("`é` `run`", "`é` `p_run`"),
        ] {
            assert_eq!(name_all(text, "p_"), named);
        }
    }

    #[test]
    fn a_prefix_is_part_of_a_name() {
        for text in ["pif_", "a", "_", "A-1", &"a".repeat(16)] {
            assert!(Prefix::parse(text).is_ok(), "{text}");
        }
        for text in ["", "1a", "a.b", "a b", "é", "${P}", &"a".repeat(17)] {
            assert!(Prefix::parse(text).is_err(), "{text}");
        }
    }
}
