//! Evolved tools under their own names. What a model wrote about them is shown as description
//! and nowhere else; everything a client may rely on is derived here.

use std::sync::{Arc, LazyLock};

use rmcp::model::Tool;
use serde_json::{Value, json};

use super::super::arguments::{Arguments as _, read};
use super::super::backend::Backend;
use super::super::catalog::finish;
use super::super::profile::tell;
use super::run::{Settings, ensure_data, output_schema};
use super::{Call, ToolResult};
use crate::config::Profile;
use crate::domain::{Effect, Fault};
use crate::registry::Definition;
use crate::render::object;
use crate::sandbox::{Code, Request};
use crate::text;
use crate::workshop::Tools;

/// Arguments that are listed. The others, which are those of `run`, are taken too.
const LISTED: [&str; 4] = ["input", "data", "fuel", "max_steps"];

/// Characters of a description that clients take.
const MOST_LISTED: usize = 1_024;

/// The schema of all arguments.
pub(in super::super) fn arguments() -> &'static Value {
    static ALL: LazyLock<Value> = LazyLock::new(Settings::schema);
    &ALL
}

/// What the protocol lists of an evolved tool.
pub(in super::super) fn describe(tool: &Definition, profile: Profile) -> Tool {
    let mut listed = object(arguments()["properties"].clone());
    listed.retain(|name, _| LISTED.contains(&name.as_str()));
    let input = object(json!({"type": "object", "properties": listed}));
    let text = tell_listed(&tool.description, tool.short());
    let tool_listed = Tool::new(tool.name.clone(), text, input);
    finish(tool_listed, tool.name.clone(), Effect::Runs, output_schema(profile), profile)
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
pub(in super::super) async fn call(backend: &Arc<Backend>, name: &str, call: Call) -> ToolResult {
    match prepare(backend, name, &call.arguments) {
        Ok((request, tools)) => {
            tell(backend.evaluate(request, tools, &call.caller).await, &backend.config)
        }
        Err(fault) => Err(backend.refuse(name, &call, fault).await),
    }
}

fn prepare(backend: &Backend, name: &str, text: &str) -> Result<(Request, Tools), Fault> {
    let settings: Settings = read(text, name)?;
    let request = settings.request(backend, Code::Tool(name.to_owned()))?;
    ensure_data(backend, &request)?;
    Ok((request, backend.workshop.tools()?))
}
