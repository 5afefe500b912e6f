//! One search through everything: tools, library, forms, memory, journal, tools of other servers, sessions.
//! The store has tools and memory in its index; what no store has stands in indexes in memory.

mod brought;
mod fed;
mod find;
mod known;
mod meaning;
mod neighbors;
mod sessions;
mod sought;
mod tell;

pub(super) use self::fed::IndexCache;
pub use self::find::{find_forms, find_library};
pub use self::known::LanguageTopic;
pub use self::meaning::EmbeddedText;
pub use self::neighbors::Neighbor;
pub use self::sought::{Meant, Sought};
pub use self::tell::Match;
