//! The journal: a log of runs and changes, chained by hashes to detect tampering. Its entries are
//! complete enough to repeat each run. It depends neither on the language nor on MCP.

mod answer;
mod chain;
mod durable;
mod entry;
mod error;
mod filter;
mod follower;
mod keeper;
mod pending;
mod settings;
mod tell;

pub use self::answer::{
    Answer, CallRefusal, Came, Decision, Digest, Hash, Left, Passage, RequestedCall, SentCall,
};
pub use self::chain::{ChainEnds, Walk};
pub use self::durable::{Durable, RunEnd, RunStatus};
pub use self::entry::{Body, Draft, Entry, Link, ONLY_CHAIN, Payload};
pub use self::error::Error;
pub use self::filter::{Filter, Statistics};
pub use self::follower::Follower;
pub use self::keeper::Journal;
pub use self::pending::{Parked, Pending, RunProgress, WaitState};
pub use self::settings::{Policy, Settings};

pub(super) use self::chain::surplus;
