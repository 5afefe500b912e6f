//! Renders faults, values and outcomes as text and as records. The command line and the protocol
//! share these texts.

mod analysis;
mod approval;
mod fault;
mod found;
mod outcome;
mod receipt;
mod record;
mod repair;
mod reply;
mod staging;
mod steps;
mod summary;
mod task;
mod types;
mod work;

pub use self::analysis::analyzed;
pub use self::approval::{question, waiting};
pub use self::fault::{excess, explain, explain_all, made};
pub use self::found::{matches, matches_record};
pub use self::outcome::{cap, exact, outcome, show};
pub use self::receipt::receipt;
pub use self::record::{Record, object, put, rounded};
pub use self::repair::mended;
pub use self::reply::{Refusal, Reply, warn};
pub use self::staging::{committed, snapshots, staged, verified};
pub use self::steps::Steps;
pub use self::summary::{describe, fixed, lines_of, notes};
pub use self::task::solution;
pub use self::types::{type_line, typed};
pub use self::work::{
    MOST_STEPS, RunSummary, STEPS, kept_run, kept_runs, run_line, step_line, step_lines,
    step_records, working,
};
