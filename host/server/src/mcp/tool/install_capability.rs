//! `install_capability`: another server for programs, as far as the operator allows.

use std::sync::Arc;

use pif_broker::{Client, Undone, config::Origin};
use pif_domain::{EntryOutcome, Fault, FaultCode, fault};
use pif_sandbox::Watch;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::super::arguments::{decode, malformed, schema};
use super::super::backend::Backend;
use super::capabilities::render_installed;
use super::{Call, Tool, ToolResult, reply};
use crate::config::Profile;
use crate::render::Reply;

const TEXT: &str = "\
Install another MCP server whose tools programs can then call, if the operator's patterns allow its command or \
address. It waits for the operator's approval unless the pattern says that it is trusted. \
{\"name\":\"time\",\"server_command\":[\"uvx\",\"mcp-server-time\"]}";

/// What it takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in super::super) struct Arguments {
    /// the id of the server: a-z, 0-9, `-`
    name: String,
    /// the program and its arguments, a word each
    #[serde(default)]
    #[schemars(schema_with = "words")]
    server_command: Option<Box<RawValue>>,
    /// the address of a server, instead of a command
    url: Option<String>,
}

fn words(_: &mut SchemaGenerator) -> Schema {
    schema(json!({"type": "array", "items": {"type": "string"}}))
}

impl Tool for Arguments {
    const TEXT: &'static str = TEXT;

    fn output(_: Profile) -> Value {
        reply(&json!({"name": {"type": "string"}, "state": {"type": "string"}}))
    }

    async fn call(self, backend: &Arc<Backend>, call: Call) -> ToolResult {
        match self.install(backend, &call).await {
            Ok(reply) => Ok(reply),
            Err(fault) => Err(backend.refuse("install_capability", &call, fault).await),
        }
    }
}

impl Arguments {
    async fn install(self, backend: &Arc<Backend>, call: &Call) -> Result<Reply, Fault> {
        let broker = broker(backend)?;
        let origin = self.origin()?;
        let name = self.name;
        let wanted = name.clone();
        let taken = move |backend: &Backend, _: &Watch| backend.workshop.tools()?.native(&wanted);
        if backend.look(&call.caller, taken).await??.is_some() {
            let message = format!("`{name}` is a native capability: choose another name");
            return Err(malformed(message, None));
        }
        let installed = broker.install(&name, Some(origin)).await;
        let Some((was_there, waits)) = installed.installed else {
            return Err(refusal(&installed.failures));
        };
        let ending = if was_there { EntryOutcome::Unchanged } else { EntryOutcome::New };
        backend.workshop.note_install(&name, call.arguments.text(), ending)?;
        Ok(render_installed(&name, waits, &installed))
    }

    fn origin(&self) -> Result<Origin, Fault> {
        let command = self.server_command.as_deref().map(RawValue::get);
        match (command.filter(|raw| *raw != "null"), &self.url) {
            (Some(raw), None) => Ok(Origin::Command(read_words(raw)?)),
            (None, Some(url)) => Ok(Origin::Url(url.clone())),
            _ => Err(malformed("give either `server_command` or `url`", Some(SHAPE))),
        }
    }
}

/// What to write for a command.
const SHAPE: &str =
    "write {\"name\": \"time\", \"server_command\": [\"uvx\", \"mcp-server-time\"]}";

/// A list of words, or a text of words without quotes.
fn read_words(raw: &str) -> Result<Vec<String>, Fault> {
    let wrong = || malformed("`server_command` must be a list of words", Some(SHAPE));
    if !raw.starts_with('"') {
        return serde_json::from_str(raw).map_err(|_| wrong());
    }
    let text = decode("server_command", raw)?;
    if text.contains(['"', '\'', '\\', '`', '$']) {
        return Err(wrong());
    }
    Ok(text.split_whitespace().map(str::to_owned).collect())
}

/// The broker, which alone can start other programs.
pub(super) fn broker(backend: &Backend) -> Result<&Client, Fault> {
    backend.workshop.broker().ok_or_else(|| {
        let hint = "the operator names commands under `allow_install` in capabilities.json";
        let message = "the operator allows no installs".to_owned();
        fault(FaultCode::CapabilityDenied, message, Some(hint))
    })
}

/// Why the broker does not do it.
pub(super) fn refusal(failures: &[Undone]) -> Fault {
    let message =
        failures.first().map_or("the broker has ended", |it| it.message.as_str()).to_owned();
    fault(FaultCode::CapabilityDenied, message, None)
}
