//! JSON handled as text: its depth, its members and its layout. Nothing here builds values. No
//! function assumes that a text is valid JSON.

mod embedded;
mod layout;
mod members;
mod scan;
mod strings;

pub(crate) use self::embedded::{decoded, json_in, text_in};
pub(crate) use self::layout::lines;
pub(crate) use self::members::{Members, object};
pub(crate) use self::scan::{
    Scanner, compact, compact_value, count_members, count_parts, depth, has_wide_number, member,
    rounded_integer, text_length,
};
pub(crate) use self::strings::{can_be_value, rewrite};
