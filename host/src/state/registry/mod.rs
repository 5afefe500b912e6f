//! The tools that models have evolved: names, and the terms they stand for, with all that they
//! ever stood for. The registry takes terms as text that somebody else has checked; it knows
//! neither the language nor MCP.

mod error;
mod evolution;
pub mod name;
mod revision;
mod shared;
pub mod text;

pub use self::error::Error;
pub use self::evolution::{Evolution, Status};
pub use self::revision::{Definition, Past, short};
pub use self::shared::{Registry, Snapshot};

pub(super) use self::evolution::{ensure_distinct, ensure_expected};
pub(super) use self::revision::ensure_prefix;
pub(crate) use self::revision::is_prefix;
