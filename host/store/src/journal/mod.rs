//! The journal: a log of runs and changes, chained by hashes to detect tampering. Its entries are
//! complete enough to repeat each run. It depends neither on the language nor on MCP.

mod answer;
mod chain;
mod durable;
mod entry;
mod error;
mod filter;
mod keeper;
mod pending;
mod settings;
mod tell;

pub use self::answer::{Answer, Asked, Came, Decided, Digest, Hash, Left, Made, Passage, Refused};
pub use self::chain::{Verified, Walk};
pub use self::durable::{Durable, RunEnd, Standing};
pub use self::entry::{Body, Draft, Entry, Link, ONLY_CHAIN, Payload};
pub use self::error::Error;
pub use self::filter::{Filter, Statistics};
pub use self::keeper::Journal;
pub use self::pending::is_gone;
pub use self::pending::{Pending, Unfinished, Waits, owner};
pub use self::settings::{Policy, Settings};

pub(super) use self::chain::surplus;
