//! JSON text, read as text: how deep it is, what it holds, how it is laid out. Nothing here builds
//! values, and nothing trusts a text to be JSON.

mod layout;
mod members;
mod scan;

pub(crate) use self::layout::lines;
pub(crate) use self::members::{Members, object};
pub(crate) use self::scan::{
    Scanner, compact, compact_value, count_members, count_parts, depth, has_wide_number,
    text_length,
};
