//! The built-in tools, a file each, and the evolved ones.

pub(super) mod check;
pub(super) mod evolve;
pub(super) mod evolved;
pub(super) mod help;
pub(super) mod inspect;
pub(super) mod journal_recent;
pub(super) mod list;
pub(super) mod memory_retrieve;
pub(super) mod memory_store;
pub(super) mod replay;
pub(super) mod rollback;
pub(super) mod run;
pub(super) mod server_info;

use std::sync::Arc;

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::backend::Backend;
use super::call::Call;
use crate::config::Profile;
use crate::render::{Refusal, Reply};

/// What a tool gives its caller.
pub(super) type ToolResult = Result<Reply, Refusal>;

/// A way to show a term in the notation.
type Shown<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A built-in tool is what it takes.
pub(super) trait Tool: Arguments + Send {
    /// What a model reads of it.
    const TEXT: &'static str;

    /// The schema of its replies.
    fn output(profile: Profile) -> Value;

    /// Does what was asked for.
    fn call(self, backend: &Arc<Backend>, call: Call) -> impl Future<Output = ToolResult> + Send;
}

/// The schema of a list of texts.
fn texts(description: &str) -> Value {
    json!({"type": "array", "items": {"type": "string"}, "description": description})
}

/// The schema of a reply: the members that a client may look for, of those that have a type. A fault
/// is told by another record, so no member is always there.
fn reply(properties: &Value) -> Value {
    json!({"type": "object", "properties": properties})
}
