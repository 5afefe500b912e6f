//! The memory: what models want to know again later, as JSON under keys, with tags. Values are
//! text here and are given back as they were written. It knows neither the language nor MCP.

mod keeper;
mod memo;
pub(super) mod words;

pub use self::keeper::Memory;
pub use self::memo::{
    Capacity, Error, Kept, LONGEST_KEY, LONGEST_TAG, MOST_TAGS, Memo, Note, Search,
};

pub(super) use self::memo::ensure_room;
