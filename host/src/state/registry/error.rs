//! Why the registry refuses something.

use crate::state::error::Error as StoreError;
use crate::text::quote_one;

/// How few digits of a hash may name a revision.
pub(super) const SHORTEST_PREFIX: usize = 8;

/// Why a change was refused.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The name has another form than names have.
    #[error(
        "`{name}` cannot name a tool: write a letter or `_` first, then up to {more} letters, digits, `_` or `-`"
    )]
    Name {
        /// What was asked for.
        name: String,
        /// Characters after the first.
        more: usize,
    },
    /// Clients could not call it.
    #[error(
        "the name has {length} characters: shorten it to at most {most}, for clients put the name of the \
         server before it and take 64 in all"
    )]
    LongName {
        /// Its characters.
        length: usize,
        /// How many it may have.
        most: usize,
    },
    /// The name is kept for the server.
    #[error("`{name}` is too close to the built-in `{reserved}`: choose another name")]
    Reserved {
        /// What was asked for.
        name: String,
        /// What it collides with.
        reserved: &'static str,
    },
    /// The name would be taken for that of another tool.
    #[error("`{name}` looks like the tool `{other}`: change that one, or choose another name")]
    Twin {
        /// What was asked for.
        name: String,
        /// What it would be taken for.
        other: String,
    },
    /// The description holds a character that cannot be seen.
    #[error(
        "the description holds the invisible character U+{code:04X} at position {index}: remove it"
    )]
    Hidden {
        /// The character's code point.
        code: u32,
        /// How many characters precede it.
        index: usize,
    },
    /// The description goes on out of sight.
    #[error("the description has a gap before position {index}: bring its parts together")]
    Gap {
        /// How many characters precede the one that is too much.
        index: usize,
    },
    /// The description piles up combining marks.
    #[error("the description stacks marks at position {index}: use fewer on one letter")]
    Stacked {
        /// How many characters precede the one that is too much.
        index: usize,
    },
    /// The description is too long.
    #[error("the description has {length} characters: shorten it to at most {most}")]
    Long {
        /// How many characters it has.
        length: usize,
        /// How many it may have.
        most: usize,
    },
    /// What should name a revision is no hash.
    #[error("a revision is named by at least the first {SHORTEST_PREFIX} digits of its hash")]
    Prefix,
    /// Somebody else changed the tool meanwhile.
    #[error("`{name}` {found}, not at the revision `{expected}`: look at it again, then evolve it")]
    Conflict {
        /// The tool.
        name: String,
        /// What the caller believed.
        expected: String,
        /// What is so.
        found: String,
    },
    /// There is no such tool.
    #[error("there is no tool `{0}`")]
    Unknown(String),
    /// The tool never was at such a revision, or at several.
    #[error("`{name}` has {found} revision `{prefix}`: `inspect` shows its history")]
    Revision {
        /// The tool.
        name: String,
        /// What was asked for.
        prefix: String,
        /// How many there are, in words.
        found: &'static str,
    },
    /// A tool is here with other content, and may not be replaced.
    #[error("{} is here already, {how}", quote_one(name))]
    Present {
        /// The tool.
        name: String,
        /// In which way it is another one.
        how: String,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
