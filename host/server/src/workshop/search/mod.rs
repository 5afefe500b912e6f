//! One search through everything: tools, library, forms, memory, journal, tools of other servers, sessions.
//! The store has tools and memory in its index; what no store has stands in indexes in memory.

mod brought;
mod find;
mod language;
mod live_index;
mod meaning;
mod neighbors;
mod sessions;
mod sought;
mod tell;

pub use self::find::{find_forms, find_library};
pub use self::language::LanguageTopic;
pub(super) use self::live_index::IndexCache;
pub use self::meaning::EmbeddedText;
pub use self::neighbors::Neighbor;
pub use self::sought::{Meant, Sought};
pub use self::tell::Match;
