//! The journal: what happened, entry by entry, chained so that tampering shows, and complete
//! enough to do it all again. It knows neither the language nor MCP.

mod chain;
mod entry;
mod error;
mod filter;
mod hash;
mod keeper;
mod settings;
mod tell;

pub use self::chain::{Verified, Walk};
pub use self::entry::{Answer, Body, Digest, Draft, Entry, Payload};
pub use self::error::Error;
pub use self::filter::{Filter, Statistics};
pub use self::hash::{Hash, Link};
pub use self::keeper::Journal;
pub use self::settings::{Policy, Settings};

pub(super) use self::chain::surplus;
