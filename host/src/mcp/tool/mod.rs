//! The tools that are always there, and those that were evolved.

mod check;
mod evolve;
mod evolved;
mod help;
mod inspect;
mod journal_recent;
mod list;
mod memory_retrieve;
mod memory_store;
mod replay;
mod rollback;
mod run;
mod server_info;

use std::sync::{Arc, LazyLock};

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::call::Call;
use super::host::Host;
use super::reply::{ToolResult, object};
use crate::config::Profile;

pub(super) use self::evolved::{
    arguments as arguments_of_evolved, call as call_evolved, describe as describe_evolved,
};

/// A tool that is always there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BuiltIn {
    Evolve,
    Run,
    List,
    Help,
    Inspect,
    Check,
    Rollback,
    MemoryStore,
    MemoryRetrieve,
    JournalRecent,
    Replay,
    ServerInfo,
}

impl BuiltIn {
    /// All of them, in the order in which they are listed.
    pub(super) const ALL: [Self; 12] = [
        Self::Evolve,
        Self::Run,
        Self::List,
        Self::Help,
        Self::Inspect,
        Self::Check,
        Self::Rollback,
        Self::MemoryStore,
        Self::MemoryRetrieve,
        Self::JournalRecent,
        Self::Replay,
        Self::ServerInfo,
    ];

    pub(super) fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Evolve => "evolve",
            Self::Run => "run",
            Self::List => "list",
            Self::Help => "help",
            Self::Inspect => "inspect",
            Self::Check => "check",
            Self::Rollback => "rollback",
            Self::MemoryStore => "memory_store",
            Self::MemoryRetrieve => "memory_retrieve",
            Self::JournalRecent => "journal_recent",
            Self::Replay => "replay",
            Self::ServerInfo => "server_info",
        }
    }

    /// What the protocol lists of it.
    pub(super) fn describe(self, profile: Profile) -> Tool {
        self.about(profile).into_listed(self.name().to_owned(), profile)
    }

    /// The schema of its arguments.
    pub(super) fn arguments(self) -> &'static Value {
        static ALL: LazyLock<Vec<(BuiltIn, Value)>> = LazyLock::new(|| {
            let schema = |tool: BuiltIn| (tool, tool.about(Profile::Structured).input);
            BuiltIn::ALL.into_iter().map(schema).collect()
        });
        let found = ALL.iter().find(|(tool, _)| *tool == self);
        found.map_or(&Value::Null, |(_, schema)| schema)
    }

    fn about(self, profile: Profile) -> Description {
        match self {
            Self::Evolve => evolve::describe(),
            Self::Run => run::describe(profile),
            Self::List => list::describe(),
            Self::Help => help::describe(),
            Self::Inspect => inspect::describe(),
            Self::Check => check::describe(),
            Self::Rollback => rollback::describe(),
            Self::MemoryStore => memory_store::describe(),
            Self::MemoryRetrieve => memory_retrieve::describe(),
            Self::JournalRecent => journal_recent::describe(),
            Self::Replay => replay::describe(),
            Self::ServerInfo => server_info::describe(),
        }
    }

    pub(super) async fn call(self, host: &Arc<Host>, call: Call) -> ToolResult {
        // The future of a request is moved about, and would be as large as the largest of these.
        match self {
            Self::Evolve => Box::pin(evolve::call(host, call)).await,
            Self::Run => Box::pin(run::call(host, call)).await,
            Self::List => list::call(host, &call),
            Self::Help => help::call(&call),
            Self::Inspect => Box::pin(inspect::call(host, call)).await,
            Self::Check => Box::pin(check::call(host, call)).await,
            Self::Rollback => Box::pin(rollback::call(host, call)).await,
            Self::MemoryStore => Box::pin(memory_store::call(host, call)).await,
            Self::MemoryRetrieve => Box::pin(memory_retrieve::call(host, call)).await,
            Self::JournalRecent => Box::pin(journal_recent::call(host, call)).await,
            Self::Replay => Box::pin(replay::call(host, call)).await,
            Self::ServerInfo => Box::pin(server_info::call(host, &call)).await,
        }
    }
}

/// What a tool's file says of it.
struct Description {
    title: String,
    text: String,
    input: Value,
    output: Value,
    /// Whether it leaves everything as it was. No tool reaches beyond this server.
    read_only: bool,
}

impl Description {
    fn into_listed(self, name: String, profile: Profile) -> Tool {
        // Tools keep their history; only the memory loses what it is told to forget.
        let is_destructive = name == BuiltIn::MemoryStore.name();
        let annotations = ToolAnnotations::new()
            .read_only(self.read_only)
            .destructive(is_destructive)
            .idempotent(true)
            .open_world(false);
        let tool = Tool::new(name, self.text, object(self.input))
            .with_title(self.title)
            .with_annotations(annotations);
        match profile {
            // Who advertises a schema must send what it describes.
            Profile::Slim => tool,
            _ => tool.with_raw_output_schema(Arc::new(object(self.output))),
        }
    }
}

/// The schema of arguments. It does not say that there are no others, for some clients cannot read
/// that: the server itself sees to those.
fn arguments(properties: &Value, required: &[&str]) -> Value {
    let mut schema = json!({"type": "object", "properties": properties});
    if let (false, Some(members)) = (required.is_empty(), schema.as_object_mut()) {
        members.insert("required".to_owned(), json!(required));
    }
    schema
}

/// The schema of any JSON. Some clients want a type everywhere and know no references, so lists in
/// lists are told `depth` deep; whatever is in objects is free.
fn any_json(depth: usize, description: &str) -> Value {
    let types = ["object", "string", "number", "boolean", "null"];
    let types: Vec<Value> = types.iter().map(|name| json!({"type": name})).collect();
    let mut all = types.clone();
    for _ in 0..depth {
        let list = json!({"type": "array", "items": {"anyOf": all}});
        all = types.iter().cloned().chain([list]).collect();
    }
    json!({"anyOf": all, "description": description})
}

/// The schema of a list of texts.
fn texts(description: &str) -> Value {
    json!({"type": "array", "items": {"type": "string"}, "description": description})
}

/// The schema of a reply: the members that a client may look for, of those that have a type. A fault
/// is told by another record, so no member is always there.
fn reply(properties: &Value) -> Value {
    json!({"type": "object", "properties": properties})
}
