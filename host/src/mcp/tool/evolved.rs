//! Evolved tools under their own names. What a model wrote about them is shown as description
//! and nowhere else; everything a client may rely on is derived here.

use std::sync::Arc;

use rmcp::model::Tool;

use super::super::arguments::Arguments;
use super::super::host::Host;
use super::super::reply::tell;
use super::run::{ensure_data, output_schema, read_settings, settings_schema};
use super::{Call, Description, ToolResult, arguments};
use crate::config::Profile;
use crate::registry::Tool as Evolved;
use crate::sandbox::{Code, Fault, Request};
use crate::text;
use crate::workshop::Tools;

const KNOWN: [&str; 8] = ["input", "data", "fuel", "memory", "depth", "max_steps", "step", "trace"];

/// What the protocol lists of an evolved tool.
pub(in super::super) fn describe(tool: &Evolved, profile: Profile) -> Tool {
    let description = Description {
        title: tool.name.clone(),
        text: format!(
            "{}\n(evolved tool, revision {}{})",
            text::visible(&tool.description),
            tool.short(),
            if tool.output_schema.is_some() {
                ", with an output schema: see `inspect`"
            } else {
                ""
            },
        ),
        input: arguments(&settings_schema(), &[]),
        output: output_schema(profile),
        read_only: true,
    };
    description.into_listed(tool.name.clone(), profile)
}

/// Calls an evolved tool, which exists.
pub(in super::super) async fn call(host: &Arc<Host>, name: &str, call: Call) -> ToolResult {
    match prepare(host, name, &call.arguments) {
        Ok((request, tools)) => tell(host.evaluate(request, tools, &call.caller).await, host),
        Err(fault) => Err(host.refuse(name, &call, fault).await),
    }
}

fn prepare(host: &Host, name: &str, text: &str) -> Result<(Request, Tools), Fault> {
    let arguments = Arguments::parse(text, name, &KNOWN)?;
    let request = read_settings(&arguments, host, Code::Tool(name.to_owned()))?;
    ensure_data(host, &request)?;
    Ok((request, host.workshop.tools()?))
}
