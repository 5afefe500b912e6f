//! The memory: JSON values that models keep under keys with tags. Values are text here and are
//! returned as written. The memory depends neither on the language nor on MCP.

mod keeper;
mod memo;
mod note;

pub use self::keeper::{Memory, Search};
pub use self::memo::{
    Error, LONGEST_KEY, LONGEST_TAG, MOST_TAGS, Memo, MemoryCapacity, MemoryChange,
};
pub use self::note::{DEFAULT_CONFIDENCE, LONGEST_CONTEXT, Note, Outcomes};

pub(super) use self::memo::ensure_room;
