//! The registry of evolved tools: names, their current terms and all earlier ones. Terms are text
//! that the caller has checked. The registry depends neither on the language nor on MCP.

mod error;
mod evolution;
mod fact;
pub mod name;
mod overlay;
mod revision;
mod shared;

pub use self::error::Error;
pub use self::evolution::{Evolution, Status};
pub use self::fact::Fact;
pub use self::overlay::Overlay;
pub use self::revision::{CurrentTool, Definition, Past, STAGED, short};
pub use self::shared::{Registry, Snapshot};

pub(super) use self::evolution::{ensure_distinct, ensure_expected};
pub(super) use self::revision::ensure_prefix;
pub use self::revision::is_prefix;
