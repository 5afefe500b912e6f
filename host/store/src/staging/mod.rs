//! Changes that are tried before they count. An [`Area`] is a base, which is a position in the
//! registry's history, and an ordered list of operations. [`crate::registry::Overlay`] shows the registry
//! with them;
//! [`crate::write`] judges and commits them.

mod area;
mod error;

pub use self::area::{
    Area, Change, Kind, MemoState, Operation, Rows, StagingCapacity, ToolState, Verification,
};
pub use self::error::{Conflict, Error};
