//! `rollback`: returns a tool to an earlier revision, or retires it.

use std::sync::Arc;

use pif_domain::{Fault, listed};
use pif_sandbox::Watch;
use pif_store::registry::{Definition, Status, short};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::super::arguments::malformed;
use super::super::backend::Backend;
use super::{Call, Tool, ToolResult};
use crate::render::{Reply, put};

const TEXT: &str = "\
Restore an earlier `revision` of an evolved tool (`inspect` shows them), or `retire` it: hide it \
until a `rollback`. Nothing is lost. The reply names examples of its callers that fail then.";

/// What it takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in super::super) struct Arguments {
    tool: String,
    revision: Option<String>,
    #[serde(default)]
    retire: bool,
}

impl Tool for Arguments {
    const TEXT: &'static str = TEXT;

    async fn call(self, backend: &Arc<Backend>, call: Call) -> ToolResult {
        match self.wish() {
            Ok((name, wish)) => roll_back(backend, name, wish, call).await,
            Err(fault) => Err(backend.refuse("rollback", &call, fault).await),
        }
    }
}

/// The requested change.
enum RollbackTarget {
    Revision(String),
    Retirement,
}

/// The completed change.
enum Done {
    Back(Definition, Status, Vec<String>),
    Retired(Definition, Vec<String>),
}

async fn roll_back(
    backend: &Arc<Backend>,
    name: String,
    wish: RollbackTarget,
    call: Call,
) -> ToolResult {
    let arguments = call.text();
    // A rollback runs the examples of callers.
    let has_runs =
        matches!(&wish, RollbackTarget::Revision(_)) && backend.workshop.has_callers(&name)?;
    let act = move |backend: &Backend, watch: &Watch| act(backend, &name, &wish, &arguments, watch);
    let done = if has_runs {
        backend.run_blocking(&call.caller, act).await?
    } else {
        backend.look(&call.caller, act).await?
    };
    match done {
        Ok(done) => Ok(render(done)),
        Err(fault) => Err(backend.refuse("rollback", &call, fault).await),
    }
}

impl Arguments {
    fn wish(self) -> Result<(String, RollbackTarget), Fault> {
        let name = self.tool;
        match (self.revision, self.retire) {
            (Some(revision), false) => Ok((name, RollbackTarget::Revision(revision))),
            (None, true) => Ok((name, RollbackTarget::Retirement)),
            (Some(_), true) => Err(malformed(
                "`revision` and `retire` are both given",
                Some("give only one of them"),
            )),
            (None, false) => {
                let hint = "add a revision, such as \"e26b8140b64f\", or {\"retire\": true}; `inspect` shows the history";
                Err(malformed("there is no revision to restore", Some(hint)))
            }
        }
    }
}

fn act(
    backend: &Backend,
    name: &str,
    wish: &RollbackTarget,
    arguments: &str,
    watch: &Watch,
) -> Result<Done, Fault> {
    match wish {
        RollbackTarget::Revision(revision) => {
            let (tool, status, notes) =
                backend.workshop.roll_back(name, revision, arguments, watch)?;
            Ok(Done::Back(tool, status, notes))
        }
        RollbackTarget::Retirement => {
            let (tool, notes) = backend.workshop.retire(name, arguments)?;
            Ok(Done::Retired(tool, notes))
        }
    }
}

fn render(done: Done) -> Reply {
    let (tool, status, previous, told, notes) = match done {
        Done::Retired(tool, notes) => {
            let name = &tool.name;
            let revision = tool.short();
            let told = format!(
                "retired `{name}`: {} {{\"tool\":\"{name}\",\"revision\":\"{revision}\"}} restores it",
                listed("rollback")
            );
            (tool, "retired", None, told, notes)
        }
        Done::Back(tool, status, notes) => {
            let name = &tool.name;
            let revision = tool.short();
            let told = match &status {
                Status::New => format!("restored `{name}` (revision {revision})"),
                Status::Changed(previous) => {
                    format!(
                        "`{name}` is at revision {revision} again (it was at {})",
                        short(previous)
                    )
                }
                Status::Described => {
                    format!(
                        "restored the description and the examples of `{name}` (still revision {revision})"
                    )
                }
                Status::Unchanged => {
                    format!("nothing changed: `{name}` is already at revision {revision}")
                }
            };
            let word = status.name();
            let previous = match status {
                Status::Changed(previous) => Some(previous),
                _ => None,
            };
            (tool, word, previous, told, notes)
        }
    };
    let lines: Vec<&str> =
        std::iter::once(told.as_str()).chain(notes.iter().map(String::as_str)).collect();
    let record = json!({"name": tool.name, "revision": tool.short(), "status": status});
    let mut reply = Reply::new(lines.join("\n"), record);
    if let Some(previous) = previous {
        reply.structured.insert("previous".to_owned(), short(&previous).into());
    }
    put(&mut reply.structured, "notes", notes);
    reply
}
