//! The vocabulary of all other crates of the server: faults and their codes, limits, the kinds of
//! journal entries and their outcomes; texts that are safe to show, and the one scanner of JSON.
//! Nothing here reads or writes anything.

mod approval;
mod bound;
mod call;
mod code;
mod entry;
mod fault;
pub mod json;
mod limit;
mod limit_value;
mod mismatch;
mod model;
pub mod net;
mod part;
mod prefix;
mod principal;
pub mod quantity;
mod section;
mod step;
pub mod text;
mod tool;

pub use self::approval::{Approval, CallPreview, Choice, Decision, Need, NotSent};
pub use self::bound::{Default, Overrun, Unit};
pub use self::call::{
    Access, Budget, Call, CallOutcome, CallResult, CallSummary, EffectClass, FailedCall, Failure,
    Grant, MOST_MESSAGE, Offer, Pin, Reason, Refusal, Remarks, Stage,
};
pub use self::code::{FaultCode, faults_page};
pub use self::entry::{EntryKind, EntryOutcome};
pub use self::fault::{Excess, Fault, Fix, Place, fault};
pub use self::limit::{Limit, MEMORY_CAP, Row, Setting};
pub use self::mismatch::{Mismatch, Mismatches};
pub use self::model::{Completion, Message, Speaker, Thinking, estimated_tokens};
pub use self::part::Part;
pub use self::prefix::{Prefix, bare, listed, named, prefix};
pub use self::principal::{Principal, Scope};
pub use self::section::Section;
pub use self::step::StepTold;
pub use self::tool::{BuiltIn, Effect, LEGACY, SPELLINGS, Toolset, scope_of};
