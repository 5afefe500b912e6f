//! Evolved tools under their own names. The text of a model appears only in the description.
//! Everything that a client may rely on is derived here.

use std::sync::{Arc, LazyLock};

use rmcp::model::Tool;
use serde_json::{Value, json};

use super::super::arguments::{Arguments as _, read};
use super::super::backend::Backend;
use super::super::catalog::{Reach, finish};
use super::super::present::tell;
use super::run::{Settings, ensure_data, output_schema};
use super::{Call, ToolResult};
use crate::config::Profile;
use crate::domain::{Effect, EffectClass, Fault};
use crate::registry::Definition;
use crate::render::object;
use crate::sandbox::{Code, Request, Watch};
use crate::text;
use crate::workshop::{Tools, Workshop};

/// The arguments in the listed schema. The other arguments of `run` are accepted too.
const LISTED: [&str; 4] = ["input", "data", "fuel", "max_steps"];

/// The most characters of a description that clients accept.
const MOST_LISTED: usize = 1_024;

/// The schema of all arguments.
pub(in super::super) fn arguments() -> &'static Value {
    static ALL: LazyLock<Value> = LazyLock::new(Settings::schema);
    &ALL
}

/// How far an evolved tool reaches beyond the server: what it needs says so.
pub(in super::super) fn reach(workshop: &Workshop, tool: &Definition, watch: &Watch) -> Reach {
    if !workshop.effects().is_open() {
        return Reach::Nowhere;
    }
    let offers = workshop.effects().offers();
    let reads = |name: &String| {
        offers.iter().any(|offer| offer.name == *name && offer.class == EffectClass::Read)
    };
    match workshop.reach_of(tool, watch) {
        Ok(reach) if !reach.computed && reach.needs.is_empty() => Reach::Nowhere,
        Ok(reach) if !reach.computed && reach.needs.iter().all(reads) => Reach::Reads,
        _ => Reach::Acts,
    }
}

/// The entry of an evolved tool in tools/list.
pub(in super::super) fn describe(tool: &Definition, reach: Reach, profile: Profile) -> Tool {
    let mut listed = object(arguments()["properties"].clone());
    listed.retain(|name, _| LISTED.contains(&name.as_str()));
    let input = object(json!({"type": "object", "properties": listed}));
    let text = tell_listed(&tool.description, tool.short());
    let tool_listed = Tool::new(tool.name.clone(), text, input);
    finish(tool_listed, tool.name.clone(), (Effect::Runs, reach), output_schema(profile), profile)
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
