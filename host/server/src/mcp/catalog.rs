//! The protocol's view of the built-in tools: joins each row of the table with its module.

use std::fmt::Write as _;
use std::sync::{Arc, LazyLock};

use pif_domain::{BuiltIn, Effect, Fault, Toolset, each_tool, listed, named};
use rmcp::model::{Tool as Listed, ToolAnnotations};
use serde_json::{Value, json};

use super::arguments::{malformed, read};
use super::backend::Backend;
use super::call::Call;
use super::instructions::calling;
use super::tool::{self, Tool, ToolResult};
use crate::config::Profile;
use crate::render::object;

/// The arguments that only servers with others to call list: how a run that waited goes on, and how a
/// tool becomes a capability.
const OPEN: [&str; 2] = ["resume", "capability"];

/// Arguments that belong to a set: they are there only while it is on.
const OWNED: [(BuiltIn, Toolset, &[&str]); 2] = [
    (BuiltIn::Run, Toolset::Work, &["background", "cancel", "decide", "durable", "value", "wait"]),
    (BuiltIn::Task, Toolset::Staging, &["snapshot"]),
];

/// Arguments that tools take and do not list. Few calls need them, and each takes room in every
/// conversation. The page of the tools has them.
const UNLISTED: [(BuiltIn, &[&str]); 4] = [
    (BuiltIn::Evolve, &["expected_revision", "verify_dependents"]),
    (BuiltIn::MemoryStore, &["pattern"]),
    (BuiltIn::Run, &["depth", "input", "memory", "output_schema", "step", "steps"]),
    (
        BuiltIn::SessionEval,
        &["depth", "fuel", "input", "max_steps", "memory", "output_schema", "step", "trace"],
    ),
];

/// Arguments whose meaning the description of the tool tells, or their name. The list leaves it out;
/// the page of the tools has it.
const TOLD: [(BuiltIn, &[&str]); 11] = [
    (BuiltIn::Evolve, &["description"]),
    (BuiltIn::Run, &["code", "context", "data", "fuel", "max_steps", "tool"]),
    (BuiltIn::List, &["cursor"]),
    (BuiltIn::Inspect, &["revision"]),
    (BuiltIn::MemoryStore, &["context", "forget", "outcome", "tags", "value"]),
    (BuiltIn::MemoryRetrieve, &["limit"]),
    (BuiltIn::Search, &["limit"]),
    (BuiltIn::JournalRecent, &["before", "tool"]),
    (BuiltIn::Replay, &["entry"]),
    (BuiltIn::SessionStart, &["restore", "title"]),
    (BuiltIn::SessionEval, &["code", "data", "define", "tool"]),
];

/// The names in a row of a table of arguments.
fn names(table: &[(BuiltIn, &'static [&'static str])], tool: BuiltIn) -> &'static [&'static str] {
    table.iter().find(|(of, _)| *of == tool).map_or(&[], |(_, names)| names)
}

/// The parts of a tool that its row lacks.
struct Entry {
    text: &'static str,
    input: Value,
    output: fn(Profile) -> Value,
}

macro_rules! dispatch {
    ($($tool:ident $name:ident $set:ident $effect:ident $scope:ident $title:literal;)*) => {
        static ENTRIES: LazyLock<Vec<Entry>> =
            LazyLock::new(|| vec![$(entry::<tool::$name::Arguments>(BuiltIn::$tool),)*]);

        /// Calls a tool.
        pub(super) async fn call(tool: BuiltIn, backend: &Arc<Backend>, call: Call) -> ToolResult {
            // The future is boxed: requests move it, and it would be as large as the largest tool's
            // future.
            match tool {
                $(BuiltIn::$tool => {
                    Box::pin(call_as::<tool::$name::Arguments>(tool, backend, call)).await
                })*
            }
        }
    };
}
each_tool!(dispatch);

fn entry<T: Tool>(tool: BuiltIn) -> Entry {
    let mut input = T::schema();
    if VIEWERS.contains(&tool)
        && let Some(members) = input["properties"].as_object_mut()
    {
        let shown = json!({"type": "integer", "description": "the number of a snapshot, to see its changes"});
        members.insert(SNAPSHOT.to_owned(), shown);
    }
    Entry { text: T::TEXT, input, output: T::output }
}

async fn call_as<T: Tool>(tool: BuiltIn, backend: &Arc<Backend>, call: Call) -> ToolResult {
    let prepared = ensure_on(tool, backend, &call)
        .and_then(|()| within(tool, backend, &call))
        .and_then(|(backend, members)| Ok((backend, read::<T>(&members, &listed(tool.name()))?)));
    match prepared {
        Ok((backend, arguments)) => arguments.call(&backend, call).await,
        Err(fault) if tool.effect().is_journaled() => {
            Err(backend.refuse(tool.name(), &call, fault).await)
        }
        Err(fault) => Err(fault.into()),
    }
}

/// The name of the argument that shows a tool the changes of a snapshot.
const SNAPSHOT: &str = "snapshot";

/// The tools that take it.
const VIEWERS: [BuiltIn; 7] = [
    BuiltIn::Run,
    BuiltIn::Check,
    BuiltIn::Analyze,
    BuiltIn::Inspect,
    BuiltIn::List,
    BuiltIn::SessionEval,
    BuiltIn::MemoryRetrieve,
];

/// A call's arguments: names with the texts of their values.
type CallArguments<'a> = Vec<(&'a str, &'a str)>;

/// The server within the snapshot that a call may name, and the other arguments.
fn within<'a>(
    tool: BuiltIn,
    backend: &Arc<Backend>,
    call: &'a Call,
) -> Result<(Arc<Backend>, CallArguments<'a>), Fault> {
    let all = || call.arguments.iter();
    let named = call.arguments.raw(SNAPSHOT).filter(|raw| *raw != "null");
    let Some(raw) = named.filter(|_| VIEWERS.contains(&tool)) else {
        return Ok((Arc::clone(backend), all().collect()));
    };
    if !backend.config.toolsets.contains(&Toolset::Staging) {
        return Err(off(SNAPSHOT, Toolset::Staging));
    }
    let number: i64 = serde_json::from_str(raw)
        .map_err(|_| malformed("`snapshot` is the number of a snapshot", None))?;
    let workshop = backend.workshop.within(number)?;
    Ok((backend.within(workshop), all().filter(|(name, _)| *name != SNAPSHOT).collect()))
}

/// The arguments of a tool that belong to sets which are off.
fn owned(
    tool: BuiltIn,
    sets: &[Toolset],
) -> impl Iterator<Item = (Toolset, &'static [&'static str])> {
    let is_off = move |row: &&(BuiltIn, Toolset, _)| row.0 == tool && !sets.contains(&row.1);
    OWNED.iter().filter(is_off).map(|(_, set, names)| (*set, *names))
}

/// Refuses an argument that belongs to a set which is off.
fn ensure_on(tool: BuiltIn, backend: &Backend, call: &Call) -> Result<(), Fault> {
    let is_given = |name: &str| call.arguments.raw(name).is_some_and(|raw| raw != "null");
    for (set, names) in owned(tool, &backend.config.toolsets) {
        if let Some(name) = names.iter().find(|name| is_given(name)) {
            return Err(off(name, set));
        }
    }
    Ok(())
}

/// The refusal of an argument that belongs to a set which is off.
fn off(name: &str, set: Toolset) -> Fault {
    let set = set.name();
    let hint = format!("start the server with --toolsets core,state,sessions,{set}");
    malformed(format!("`{name}` belongs to the set `{set}`, which is off"), Some(&hint))
}

fn find(tool: BuiltIn) -> Option<&'static Entry> {
    ENTRIES.get(tool as usize)
}

/// The tools of these toolsets.
pub(super) fn offered(sets: &[Toolset]) -> impl Iterator<Item = BuiltIn> {
    BuiltIn::ALL.iter().copied().filter(|tool| sets.contains(&tool.set()))
}

/// The schema of a tool's arguments.
pub(super) fn input(tool: BuiltIn) -> &'static Value {
    find(tool).map_or(&Value::Null, |entry| &entry.input)
}

/// The description of a tool, for models.
pub(super) fn text(tool: BuiltIn) -> &'static str {
    find(tool).map_or("", |entry| entry.text)
}

/// How far a tool reaches beyond the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Not at all.
    Nowhere,
    /// It reads from other servers.
    Reads,
    /// It may do anything that other servers are granted for.
    Acts,
}

/// The entry of a tool in tools/list. With other servers to call, programs can reach them.
pub(super) fn describe(tool: BuiltIn, is_open: bool, sets: &[Toolset], profile: Profile) -> Listed {
    let output = find(tool).map_or(Value::Null, |entry| (entry.output)(profile));
    let mut arguments = object(input(tool).clone());
    if let Some(Value::Object(members)) = arguments.get_mut("properties") {
        let works = |name: &str| name == "resume" && sets.contains(&Toolset::Work);
        let closed = OPEN.iter().filter(|name| !is_open && !works(name));
        for name in names(&UNLISTED, tool).iter().chain(closed) {
            members.remove(*name);
        }
        if VIEWERS.contains(&tool) && !sets.contains(&Toolset::Staging) {
            members.remove(SNAPSHOT);
        }
        for name in owned(tool, sets).flat_map(|(_, names)| names) {
            members.remove(*name);
        }
        for name in names(&TOLD, tool) {
            let member = members.get_mut(*name).and_then(Value::as_object_mut);
            member.and_then(|member| member.remove("description"));
        }
        for (_, member) in members {
            if let Some(Value::String(told)) = member.get_mut("description") {
                *told = named(told).into_owned();
            }
        }
    }
    let told = match tool {
        BuiltIn::Run if is_open => format!("{}\n{}", text(tool), calling()),
        _ => text(tool).to_owned(),
    };
    let listed = Listed::new(tool.name(), named(&told).into_owned(), arguments);
    let reaches = is_open && matches!(tool.effect(), Effect::Runs | Effect::Turns);
    let reach = if reaches { Reach::Acts } else { Reach::Nowhere };
    finish(listed, tool.title(), (tool.effect(), reach), output, profile)
}

/// Adds the parts that all tools have.
pub(super) fn finish(
    tool: Listed,
    title: impl Into<String>,
    (effect, reach): (Effect, Reach),
    output: Value,
    profile: Profile,
) -> Listed {
    let acts = reach == Reach::Acts;
    let reads = effect.is_read_only() && !acts;
    // What is the protocol's default is left out: a tool changes something, destroys something, may
    // do more when it is called again, and reaches the world.
    let mut annotations = ToolAnnotations::new();
    if reads {
        annotations = annotations.read_only(true);
    } else if !effect.destroys() && !acts {
        annotations = annotations.destructive(false);
    }
    if !reads && effect.is_idempotent() && !acts {
        annotations = annotations.idempotent(true);
    }
    if reach == Reach::Nowhere && effect != Effect::Asks {
        annotations = annotations.open_world(false);
    }
    let mut tool = tool.with_title(title).with_annotations(annotations);
    tool.name = listed(&tool.name).into_owned().into();
    match profile {
        // A record says by itself what it holds: its schema would take room in every conversation.
        Profile::Slim | Profile::Structured => tool,
        Profile::Debug => tool.with_raw_output_schema(Arc::new(object(output))),
    }
}

/// The page of all tools in Markdown, for the documentation.
#[must_use]
pub fn tools_page() -> String {
    let mut page = "\
# Tools

A client sees these tools, and below them the tools that a model has evolved. They come in sets: switch sets
on with `--toolsets core,state` or `MCP_PIF_TOOLSETS`. A tool of a set that is off cannot be called.
`--prefix pif_` [puts a prefix before their names](clients.md#give-the-tools-a-prefix).
"
    .to_owned();
    for set in Toolset::ALL {
        let _ = write!(page, "\n## Set `{}`: {}\n", set.name(), set.description());
        for tool in offered(&[set]) {
            section(tool, &mut page);
        }
    }
    page
}

fn section(tool: BuiltIn, page: &mut String) {
    let effect = match tool.effect() {
        Effect::Reads => "reads",
        Effect::Runs => "runs programs, changes nothing",
        Effect::Writes => "changes state, keeps the history",
        Effect::Turns => "runs programs, keeps what they bind",
        Effect::Adds => "adds something with each call",
        Effect::Destroys => "changes state, may remove something for good",
        Effect::Learns => "changes state, may remove something for good",
        Effect::Asks => "reads, and asks other servers",
    };
    let _ = write!(page, "\n### `{}`\n\n{} ({effect}).\n\n", tool.name(), tool.title());
    let quoted: Vec<String> = text(tool).lines().map(|line| format!("> {line}")).collect();
    let _ = writeln!(page, "{}", quoted.join("\n>\n"));
    let schema = input(tool);
    let Some(properties) = schema["properties"].as_object().filter(|it| !it.is_empty()) else {
        return;
    };
    page.push_str("\n| argument | type | meaning |\n|---|---|---|\n");
    let required = schema["required"].as_array();
    for (name, property) in properties {
        let is_required = required.is_some_and(|names| names.iter().any(|it| it == name));
        let kind = property["type"].as_str().unwrap_or("JSON");
        let kind = if is_required { format!("{kind}, required") } else { kind.to_owned() };
        let text = property["description"].as_str().unwrap_or_default().replace('|', "\\|");
        let _ = writeln!(page, "| `{name}` | {kind} | {text} |");
    }
}

/// The name and the title of each tool that is there by default without other servers, for package
/// manifests.
#[must_use]
pub fn packaged_tools() -> Vec<(&'static str, &'static str)> {
    let tools = BuiltIn::ALL.iter().filter(|tool| !Toolset::OTHERS.contains(&tool.set()));
    tools.map(|tool| (tool.name(), tool.title())).collect()
}
