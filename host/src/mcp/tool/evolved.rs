//! Evolved tools under their own names. The text of a model appears only in the description.
//! Everything that a client may rely on is derived here.

use std::sync::{Arc, LazyLock};

use rmcp::model::Tool;
use serde_json::{Value, json};

use super::super::arguments::{Arguments as _, read};
use super::super::backend::Backend;
use super::super::catalog::finish;
use super::super::present::tell;
use super::run::{Settings, ensure_data, output_schema};
use super::{Call, ToolResult};
use crate::config::Profile;
use crate::domain::{Effect, Fault};
use crate::registry::Definition;
use crate::render::object;
use crate::sandbox::{Code, Request};
use crate::text;
use crate::workshop::Tools;

/// The arguments in the listed schema. The other arguments of `run` are accepted too.
const LISTED: [&str; 4] = ["input", "data", "fuel", "max_steps"];

/// The most characters of a description that clients accept.
const MOST_LISTED: usize = 1_024;

/// The schema of all arguments.
pub(in super::super) fn arguments() -> &'static Value {
    static ALL: LazyLock<Value> = LazyLock::new(Settings::schema);
    &ALL
}

/// The entry of an evolved tool in tools/list.
pub(in super::super) fn describe(tool: &Definition, profile: Profile) -> Tool {
    let mut listed = object(arguments()["properties"].clone());
    listed.retain(|name, _| LISTED.contains(&name.as_str()));
    let input = object(json!({"type": "object", "properties": listed}));
    let text = tell_listed(&tool.description, tool.short());
    let tool_listed = Tool::new(tool.name.clone(), text, input);
    finish(tool_listed, tool.name.clone(), Effect::Runs, output_schema(profile), profile)
}

/// The listed description: it ends with the revision and has at most `MOST_LISTED` characters.
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

/// Calls an existing evolved tool.
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
