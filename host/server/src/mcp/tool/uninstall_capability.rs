//! `uninstall_capability`: removes a server that was installed at run time.

use std::sync::Arc;

use pif_domain::{EntryOutcome, Fault};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::backend::Backend;
use super::install_capability::{broker, refusal};
use super::{Call, Tool, ToolResult, reply};
use crate::config::Profile;
use crate::render::Reply;

const TEXT: &str = "\
Remove a server that `install_capability` has installed, with everything that was approved of it. Those of \
capabilities.json stay.";

/// What it takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in super::super) struct Arguments {
    /// the id of the server
    name: String,
}

impl Tool for Arguments {
    const TEXT: &'static str = TEXT;

    fn output(_: Profile) -> Value {
        reply(&json!({"name": {"type": "string"}, "state": {"type": "string"}}))
    }

    async fn call(self, backend: &Arc<Backend>, call: Call) -> ToolResult {
        match self.uninstall(backend, &call).await {
            Ok(reply) => Ok(reply),
            Err(fault) => Err(backend.refuse("uninstall_capability", &call, fault).await),
        }
    }
}

impl Arguments {
    async fn uninstall(self, backend: &Arc<Backend>, call: &Call) -> Result<Reply, Fault> {
        let name = self.name;
        let removed = broker(backend)?.install(&name, None).await;
        if removed.installed.is_none() {
            return Err(refusal(&removed.failures));
        }
        backend.workshop.note_install(&name, call.arguments.text(), EntryOutcome::Forgotten)?;
        let message = format!("`{name}` is not installed any more");
        Ok(Reply::new(message, json!({"name": name, "state": "removed"})))
    }
}
