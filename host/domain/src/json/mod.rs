//! JSON handled as text: its depth, its members and its layout. Nothing here builds values. No
//! function assumes that a text is valid JSON.

mod embedded;
mod layout;
mod members;
mod scan;
mod strings;

pub use self::embedded::{decoded, json_in, text_in};
pub use self::layout::lines;
pub use self::members::{Members, Object, duplicate, object};
pub use self::scan::{
    Scanner, compact, compact_value, count_members, count_parts, depth, has_wide_number, member,
    rounded_integer, text_length,
};
pub use self::strings::{can_be_value, rewrite};
