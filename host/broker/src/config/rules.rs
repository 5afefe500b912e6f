//! Rules of the configuration: patterns of names with a word for each.

use std::path::{Path, PathBuf};

use pif_domain::{EffectClass, Grant};

use super::error::Error;
use super::pattern::Pattern;
use super::reader::Node;

/// The grants by their names.
pub(super) const GRANTS: [(&str, Grant); 4] =
    [("deny", Grant::Deny), ("read", Grant::Read), ("ask", Grant::Ask), ("allow", Grant::Allow)];

/// The effects by their names.
pub(super) const EFFECTS: [(&str, EffectClass); 3] = [
    ("read", EffectClass::Read),
    ("write", EffectClass::Write),
    ("destructive", EffectClass::Destructive),
];

pub(super) fn patterns(node: &Node<'_>) -> Result<Vec<Pattern>, Error> {
    node.elements()?.iter().map(pattern).collect()
}

pub(super) fn pattern(node: &Node<'_>) -> Result<Pattern, Error> {
    Pattern::parse(node.text()?).map_err(|reason| node.wrong(reason))
}

/// One grant for all tools.
pub(super) fn everything(grant: Grant) -> Vec<(Pattern, Grant)> {
    vec![(Pattern::ANY, grant)]
}

/// A grant for all tools, or an object of patterns and grants.
pub(super) fn grants(node: &Node<'_>) -> Result<Vec<(Pattern, Grant)>, Error> {
    by_pattern(node, |node| node.word(&GRANTS))
}

/// A word for all tools, or an object of patterns and words.
pub(super) fn by_pattern<T>(
    node: &Node<'_>,
    read: impl Fn(&Node<'_>) -> Result<T, Error>,
) -> Result<Vec<(Pattern, T)>, Error> {
    if node.value.is_string() {
        return Ok(vec![(Pattern::ANY, read(node)?)]);
    }
    let members = node.members()?;
    let read_one = |(name, member): &(&str, Node<'_>)| {
        let pattern = Pattern::parse(name).map_err(|reason| member.wrong(reason))?;
        Ok((pattern, read(member)?))
    };
    members.iter().map(read_one).collect()
}

/// A name of a file, which may be relative to the directory of the configuration.
pub(super) fn located(directory: &Path, name: &str) -> PathBuf {
    directory.join(name)
}
