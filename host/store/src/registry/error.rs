//! The errors of the registry.

use pif_domain::named;
use pif_domain::text::description::Oddity;
use pif_domain::text::quote_one;

use crate::error::Error as StoreError;

/// The fewest digits of a hash that identify a revision.
pub(super) const SHORTEST_PREFIX: usize = 8;

/// The reason why a change was refused.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The name has an invalid form.
    #[error(
        "`{name}` cannot name a tool: write a letter or `_` first, then up to {more} letters, digits, `_` or `-`"
    )]
    Name {
        /// The requested name.
        name: String,
        /// The most characters after the first.
        more: usize,
    },
    /// The name is too long for clients to call the tool.
    #[error(
        "the name has {length} characters: shorten it to at most {most}, for clients put the name of the \
         server before it and take 64 in all"
    )]
    LongName {
        /// The number of characters in the name.
        length: usize,
        /// The most characters that a name may have.
        most: usize,
    },
    /// The name stands for the tool itself.
    #[error("`{name}` is reserved: in a tool's source it is the tool itself; choose another name")]
    Own {
        /// The requested name.
        name: String,
    },
    /// The name is reserved for the server.
    #[error("`{name}` is too close to the built-in `{reserved}`: choose another name")]
    Reserved {
        /// The requested name.
        name: String,
        /// The built-in name that it resembles.
        reserved: &'static str,
    },
    /// The name is too similar to that of another tool.
    #[error("`{name}` looks like the tool `{other}`: change that one, or choose another name")]
    Twin {
        /// The requested name.
        name: String,
        /// The similar name.
        other: String,
    },
    /// The description hides text, or is too long.
    #[error("{}", .0.told_of("the description"))]
    Description(Oddity),
    /// The text is not a prefix of a hash.
    #[error("a revision is named by at least the first {SHORTEST_PREFIX} digits of its hash")]
    Prefix,
    /// The tool is not at the expected revision.
    #[error("`{name}` {found}, not at the revision `{expected}`: look at it again, then evolve it")]
    Conflict {
        /// The tool.
        name: String,
        /// The expected revision.
        expected: String,
        /// The actual state, as a clause.
        found: String,
    },
    /// There is no such tool.
    #[error("there is no tool `{0}`")]
    Unknown(String),
    /// No revision of the tool fits the prefix, or several do.
    #[error("`{name}` has {found} revision `{prefix}`: {} shows its history", named("`inspect`"))]
    Revision {
        /// The tool.
        name: String,
        /// The requested prefix.
        prefix: String,
        /// The number of fitting revisions, in words.
        found: &'static str,
    },
    /// The tool exists with other content and may not be replaced.
    #[error("{} is here already, {how}", quote_one(name))]
    Present {
        /// The tool.
        name: String,
        /// The difference, as a clause.
        how: String,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
