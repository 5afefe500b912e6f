//! Finding things again by words. Everything that can be looked for is a [`Document`] on a [`Collection`] of an
//! [`Index`]; [`rank`] orders what the words of a [`Query`] find on some shelves. An index only tells which
//! documents have a word and how often: stop words, synonyms, typos and the scores stand here, once for all
//! stores.

mod document;
mod index;
mod query;
mod rank;
mod synonyms;
mod typo;

pub use self::document::{Document, Kind, decoded, sign};
pub use self::index::{Collection, Embedding, Hit, Index, Unmeant};
pub use self::query::Query;
pub use self::rank::{SearchHit, Source, rank, telling};
pub use self::typo::is_typo;
