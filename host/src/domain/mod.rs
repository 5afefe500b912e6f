//! The words that all other modules share: faults and their codes, limits, the kinds of journal
//! entries and how they end. Nothing here reads or writes anything.

mod code;
mod entry;
mod fault;
mod limit;
mod mismatch;
mod tool;

pub use self::code::{FaultCode, faults_page};
pub use self::entry::{EntryEnding, EntryKind};
pub use self::fault::{Excess, Fault, Place, fault};
pub(crate) use self::limit::MEMORY_CAP;
pub use self::limit::{Beyond, Default, Limit, Row, Section, Setting, Unit};
pub use self::mismatch::{Mismatch, Mismatches};
pub(crate) use self::tool::each_tool;
pub use self::tool::{BuiltIn, Effect, LEGACY, Toolset};
