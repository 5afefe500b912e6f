//! Evolved tools under their own names. What a model wrote about them is shown as description
//! and nowhere else; everything a client may rely on is derived here.

use std::sync::{Arc, LazyLock};

use rmcp::model::Tool;
use serde_json::Value;

use super::super::arguments::Arguments;
use super::super::host::Host;
use super::super::reply::{object, tell};
use super::run::{ensure_data, output_schema, read_settings, settings_schema};
use super::{Call, Description, ToolResult};
use crate::config::Profile;
use crate::registry::Tool as Evolved;
use crate::sandbox::{Code, Fault, Request};
use crate::text;
use crate::workshop::Tools;

const KNOWN: [&str; 8] = ["input", "data", "fuel", "memory", "depth", "max_steps", "step", "trace"];

/// Arguments that are listed. The others, which are those of `run`, are taken too.
const LISTED: [&str; 4] = ["input", "data", "fuel", "max_steps"];

/// Characters of a description that clients take.
const MOST_LISTED: usize = 1_024;

/// The schema of all arguments.
pub(in super::super) fn arguments() -> &'static Value {
    static ALL: LazyLock<Value> = LazyLock::new(|| super::arguments(&settings_schema(), &[]));
    &ALL
}

/// What the protocol lists of an evolved tool.
pub(in super::super) fn describe(tool: &Evolved, profile: Profile) -> Tool {
    let mut listed = object(settings_schema());
    listed.retain(|name, _| LISTED.contains(&name.as_str()));
    let description = Description {
        title: tool.name.clone(),
        text: tell_listed(&tool.description, tool.short()),
        input: super::arguments(&listed.into(), &[]),
        output: output_schema(profile),
        read_only: true,
    };
    description.into_listed(tool.name.clone(), profile)
}

/// A description as it is listed: with its revision, and within what clients take.
fn tell_listed(description: &str, revision: &str) -> String {
    let text = text::visible(description);
    let origin = format!("\n(evolved, {revision})");
    let room = MOST_LISTED - origin.chars().count();
    if text.chars().count() <= room {
        return format!("{text}{origin}");
    }
    let start: String = text.chars().take(room - 1).collect();
    format!("{start}…{origin}")
}

/// Calls an evolved tool, which exists.
pub(in super::super) async fn call(host: &Arc<Host>, name: &str, call: Call) -> ToolResult {
    match prepare(host, name, &call.arguments) {
        Ok((request, tools)) => {
            tell(host.evaluate(request, tools, &call.caller).await, &host.config)
        }
        Err(fault) => Err(host.refuse(name, &call, fault).await),
    }
}

fn prepare(host: &Host, name: &str, text: &str) -> Result<(Request, Tools), Fault> {
    let arguments = Arguments::parse(text, name, &KNOWN)?;
    let request = read_settings(&arguments, host, Code::Tool(name.to_owned()))?;
    ensure_data(host, &request)?;
    Ok((request, host.workshop.tools()?))
}
