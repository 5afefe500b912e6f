//! Renders faults, values and outcomes as text and as records. The command line and the protocol
//! share these texts.

mod analysis;
mod approval;
mod fault;
mod outcome;
mod record;
mod reply;
mod staging;
mod steps;
mod summary;
mod types;

pub use self::analysis::analyzed;
pub use self::approval::{question, waiting};
pub use self::fault::{excess, explain, made};
pub use self::outcome::{cap, exact, outcome, show};
pub use self::record::{Record, object, put};
pub use self::reply::{Refusal, Reply, warn};
pub use self::staging::{committed, snapshots, staged, verified};
pub use self::steps::Steps;
pub use self::summary::{describe, lines_of, notes};
pub use self::types::{type_line, typed};
