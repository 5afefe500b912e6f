//! Evolved tools under their own names. The text of a model appears only in the description.
//! Everything that a client may rely on is derived here.

use std::sync::{Arc, LazyLock};

use pif_domain::json::duplicate;
use pif_domain::text;
use pif_domain::text::similar::similar;
use pif_domain::{Effect, EffectClass, Fault};
use pif_sandbox::{Code, Parameter, Request, Typing, Watch};
use pif_store::registry::Definition;
use rmcp::model::Tool;
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use super::super::arguments::{Arguments as _, any_value, malformed, number, read};
use super::super::backend::Backend;
use super::super::catalog::{Reach, finish};
use super::super::portable::portable;
use super::super::present::render as present;
use super::run::{Settings, ensure_data, output_schema};
use super::{Call, ToolResult};
use crate::config::Profile;
use crate::render::object;
use crate::workshop::{Takes, Tools, Workshop};

/// The arguments in the listed schema. The other arguments of `run` are accepted too.
const LISTED: [&str; 4] = ["input", "data", "fuel", "max_steps"];

/// The most characters of a description that clients accept.
const MOST_LISTED: usize = 1_024;

/// The arguments of every tool.
fn settings() -> &'static Value {
    static ALL: LazyLock<Value> = LazyLock::new(Settings::schema);
    &ALL
}

/// The schema of all arguments: those of a run, and what the function of the tool takes.
pub(in super::super) fn arguments(takes: &Takes) -> Value {
    let mut all = settings().clone();
    if let Some(members) = all["properties"].as_object_mut() {
        for parameter in &takes.parameters {
            if !members.contains_key(&parameter.name) {
                members.insert(parameter.name.clone(), taken(parameter));
            }
        }
    }
    all
}

/// The schema of what a function takes: of the type of its default, or anything.
fn taken(parameter: &Parameter) -> Value {
    let default: Option<Value> =
        parameter.default.as_deref().and_then(|text| serde_json::from_str(text).ok());
    let mut schema = match &default {
        Some(Value::String(_)) => json!({"type": "string"}),
        Some(Value::Number(_)) => number(),
        Some(Value::Bool(_)) => json!({"type": "boolean"}),
        _ => return any_value(&mut SchemaGenerator::default()).to_value(),
    };
    schema["default"] = default.into();
    schema
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

/// Says of the arguments what the type of the tool says: the schemas take in whatever has a value.
/// An argument with a default keeps the schema of that.
fn describe_accepted(listed: &mut Map<String, Value>, takes: &Takes, typing: &Typing) {
    if !typing.is_function {
        return;
    }
    let read = |schema: &Option<String>| -> Option<Value> {
        portable(&serde_json::from_str(schema.as_ref()?).ok()?)
    };
    if let [only] = &typing.parameters[..]
        && let Some(schema) = read(&only.schema)
    {
        for parameter in takes.parameters.iter().filter(|_| takes.is_record) {
            describe_parameter(listed, parameter, schema["properties"].get(&parameter.name));
        }
        set_type(listed, "data", &schema);
    }
    for parameter in takes.parameters.iter().filter(|_| !takes.is_record) {
        let found = typing.parameters.iter().find(|it| it.name == parameter.name);
        describe_parameter(listed, parameter, found.and_then(|it| read(&it.schema)).as_ref());
    }
}

fn describe_parameter(
    listed: &mut Map<String, Value>,
    parameter: &Parameter,
    schema: Option<&Value>,
) {
    let is_own = !LISTED.contains(&parameter.name.as_str()) && parameter.default.is_none();
    if let Some(schema) = schema.filter(|_| is_own) {
        set_type(listed, &parameter.name, schema);
    }
}

/// Gives an argument a schema. Its description stays.
fn set_type(listed: &mut Map<String, Value>, name: &str, schema: &Value) {
    let Some(member) = listed.get_mut(name) else { return };
    let description = member.get("description").cloned();
    member.clone_from(schema);
    if let (Some(description), Value::Object(members)) = (description, member) {
        members.insert("description".to_owned(), description);
    }
}

/// Says of the record of a reply what the type of the tool says of its value.
fn describe_value(output: &mut Value, typing: &Typing) {
    let is_whole = !typing.is_function || typing.parameters.len() == 1;
    let schema = typing.output_schema.as_ref().filter(|_| is_whole);
    let schema = schema.and_then(|text| portable(&serde_json::from_str(text).ok()?));
    if let (Some(schema), Some(members)) = (schema, output["properties"].as_object_mut()) {
        members.insert("value".to_owned(), schema);
    }
}

/// The entry of an evolved tool in tools/list.
pub(in super::super) fn describe(
    tool: &Definition,
    takes: &Takes,
    typing: Option<&Typing>,
    reach: Reach,
    profile: Profile,
) -> Tool {
    let mut listed = object(arguments(takes)["properties"].clone());
    listed.retain(|name, _| LISTED.contains(&name.as_str()) || takes.find(name).is_some());
    let mut output = output_schema(profile);
    if let Some(typing) = typing {
        describe_accepted(&mut listed, takes, typing);
        describe_value(&mut output, typing);
    }
    let input = object(json!({"type": "object", "properties": listed}));
    let text = render_listed(&tool.description, tool.short());
    let tool_listed = Tool::new(tool.name.clone(), text, input);
    finish(tool_listed, tool.name.clone(), (Effect::Runs, reach), output, profile)
}

/// The listed description: it ends with the revision and has at most `MOST_LISTED` characters.
fn render_listed(description: &str, revision: &str) -> String {
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
pub(in super::super) async fn call(
    backend: &Arc<Backend>,
    name: &str,
    takes: &Takes,
    call: Call,
) -> ToolResult {
    let given: Vec<(&str, &str)> = call.arguments.iter().collect();
    match prepare(backend, name, takes, &given) {
        Ok((request, tools)) => {
            let faults = backend.forewarn(&request, Vec::new(), &tools, &call.caller).await?;
            if !faults.is_empty() {
                return Err(backend.refuse_all(name, &call, faults).await);
            }
            present(backend.evaluate(request, tools, &call.caller).await, &backend.config)
        }
        Err(fault) => Err(backend.refuse(name, &call, fault).await),
    }
}

fn prepare(
    backend: &Backend,
    name: &str,
    takes: &Takes,
    given: &[(&str, &str)],
) -> Result<(Request, Tools), Fault> {
    let settings = Settings::names();
    let is_twice = duplicate(given.iter().map(|(it, _)| *it)).is_some();
    let is_own = |it: &str| !is_twice && !settings.contains(&it) && takes.find(it).is_some();
    let (own, others): (Vec<_>, Vec<_>) = given.iter().copied().partition(|(it, _)| is_own(it));
    if let Some(fault) = misspelt(&others, &settings, takes, name) {
        return Err(fault);
    }
    let read_settings: Settings = read(&others, name)?;
    let is_given = read_settings.has_argument();
    let mut request = read_settings.request(backend, Code::Tool(name.to_owned()))?;
    if !own.is_empty() {
        if is_given {
            let hint = takes.describe(name);
            let message = "arguments are given by name, and as `input` or `data`";
            return Err(malformed(message, Some(&hint)));
        }
        takes.give(&mut request, name, &own)?;
    }
    ensure_data(backend, &request)?;
    Ok((request, backend.workshop.tools()?))
}

/// The fault of a name that is nearly a parameter's.
fn misspelt(
    others: &[(&str, &str)],
    settings: &[&str],
    takes: &Takes,
    tool: &str,
) -> Option<Fault> {
    let names = || takes.parameters.iter().map(|it| it.name.as_str());
    let unknown = others.iter().find(|(name, _)| !settings.contains(name));
    let (name, meant) = unknown.and_then(|(name, _)| Some((*name, similar(name, names())?)))?;
    let hint = format!("did you mean `{meant}`?");
    let message = format!("{} has no argument {}", text::quote_one(tool), text::quote_one(name));
    Some(malformed(message, Some(&hint)))
}
