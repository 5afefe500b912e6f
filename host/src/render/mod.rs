//! Faults, values and outcomes as text and as records, in the same words for the command line and
//! for the protocol.

mod fault;
mod outcome;
mod record;
mod reply;
mod summary;
mod value;

pub(crate) use self::fault::{excess, explain};
pub(crate) use self::outcome::{cap, outcome};
pub(crate) use self::record::{Record, object, put};
pub(crate) use self::reply::{Refusal, Reply, warn};
pub(crate) use self::summary::{describe, lines_of, notes};
pub(crate) use self::value::{exact, show};
