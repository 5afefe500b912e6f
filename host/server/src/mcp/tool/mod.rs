//! The built-in tools, one file each, and the evolved ones.

pub(super) mod analyze;
pub(super) mod approve;
pub(super) mod capabilities;
pub(super) mod check;
pub(super) mod commit;
pub(super) mod debug;
pub(super) mod discard;
pub(super) mod evolve;
pub(super) mod evolved;
pub(super) mod help;
pub(super) mod inspect;
pub(super) mod install_capability;
pub(super) mod journal_recent;
pub(super) mod list;
pub(super) mod memory_retrieve;
pub(super) mod memory_store;
pub(super) mod receipt;
pub(super) mod repair;
pub(super) mod replay;
pub(super) mod rollback;
pub(super) mod run;
pub(super) mod runs;
pub(super) mod search;
pub(super) mod server_info;
pub(super) mod session_close;
pub(super) mod session_eval;
pub(super) mod session_forget;
pub(super) mod session_inspect;
pub(super) mod session_list;
pub(super) mod session_restore;
pub(super) mod session_save;
pub(super) mod session_start;
mod sessions;
pub(super) mod stage;
pub(super) mod task;
pub(super) mod ukr_search;
pub(super) mod uninstall_capability;
pub(super) mod verify;
pub(super) mod workflow_execute;

use std::sync::Arc;

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::backend::Backend;
use super::call::Call;
use crate::config::Profile;
use crate::render::{Refusal, Reply};

/// The result of a call.
pub(super) type ToolResult = Result<Reply, Refusal>;

/// A function that prints a term in the notation.
type TermPrinter<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A built-in tool. Its arguments implement this trait.
pub(super) trait Tool: Arguments + Send {
    /// The description of the tool, for models.
    const TEXT: &'static str;

    /// The schema of its replies. It names only members that clients compute with.
    fn output(_: Profile) -> Value {
        json!({"type": "object"})
    }

    /// Executes the call.
    fn call(self, backend: &Arc<Backend>, call: Call) -> impl Future<Output = ToolResult> + Send;
}

/// The schema of a reply: the members with a fixed type that a client may use. No member is
/// required, because a fault has a different record.
fn reply(properties: &Value) -> Value {
    json!({"type": "object", "properties": properties})
}

/// The number of a snapshot. None has the greatest one.
fn number(given: u64) -> i64 {
    i64::try_from(given).unwrap_or(i64::MAX)
}
