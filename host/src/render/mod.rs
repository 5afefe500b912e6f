//! Renders faults, values and outcomes as text and as records. The command line and the protocol
//! share these texts.

mod approval;
mod fault;
mod outcome;
mod record;
mod reply;
mod summary;

pub(crate) use self::approval::{question, waiting};
pub(crate) use self::fault::{excess, explain, made};
pub(crate) use self::outcome::{cap, exact, outcome, show};
pub(crate) use self::record::{Record, object, put};
pub(crate) use self::reply::{Refusal, Reply, warn};
pub(crate) use self::summary::{describe, lines_of, notes};
