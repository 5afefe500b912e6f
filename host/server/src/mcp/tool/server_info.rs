//! `server_info`: describes the server, its limits and its sandbox.

use std::sync::Arc;

use pif_domain::{Limit, Setting};
use pif_sandbox::{FUEL_PER_BYTE, FUEL_PER_HEAP_BYTE, Origin};
use pif_store::journal::Policy;
use pif_system::harden::Hardening;
use rmcp::model::ProtocolVersion;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::backend::Backend;
use super::{Call, Tool, ToolResult};
use crate::config::Config;
use crate::render::Reply;
use crate::workshop::stored;

const TEXT: &str = "\
Show the server's version, limits, sandbox layers, toolsets, hash of the evaluator and number of \
tools.";

/// It takes nothing.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in super::super) struct Arguments {}

impl Tool for Arguments {
    const TEXT: &'static str = TEXT;

    async fn call(self, backend: &Arc<Backend>, call: Call) -> ToolResult {
        inform(backend, &call).await
    }
}

async fn inform(backend: &Backend, call: &Call) -> ToolResult {
    // Once the sandbox is open, its origin and its hardening are known.
    backend.opened(&call.caller).await?;
    let hardened = backend.hardening.get().copied().unwrap_or(Hardening::OFF);
    let config = &backend.config;
    let sandbox = &backend.workshop.sandbox;
    let tools = backend.workshop.tools()?.registered.count().map_err(stored)?;
    let head = backend.workshop.journal.head().map_err(stored)?;
    let place = match (&config.database, backend.workshop.path()) {
        (Some(database), _) => database.address().to_string(),
        (None, Some(path)) => path.display().to_string(),
        (None, None) => "memory".to_owned(),
    };
    let layers = layers(config);
    let lines: Vec<String> = layers.iter().map(Layer::render).collect();
    let text = format!(
        "mcp-pif {}: {tools} evolved tools, {} entries in the journal (kept in {place})\nevaluator: {} bytes, sha256 {}, {}\n\
         no imports, a fresh instance for each call\nlayers: {}\nhardening: {}",
        env!("CARGO_PKG_VERSION"),
        head.id,
        sandbox.size(),
        sandbox.hash(),
        render_origin(sandbox.origin()),
        lines.join(", "),
        render_hardening(hardened),
    );
    let protocols: Vec<&str> =
        ProtocolVersion::KNOWN_VERSIONS.iter().map(ProtocolVersion::as_str).collect();
    Ok(Reply::new(
        text,
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "protocols": protocols,
            "evaluator": {
                "sha256": sandbox.hash(),
                "bytes": sandbox.size(),
                "compiled": render_origin(sandbox.origin()),
            },
            "limits": limits(&layers),
            "profile": config.profile.name(),
            "toolsets": config.toolsets.iter().map(|set| set.name()).collect::<Vec<_>>(),
            "hardening": hardening(hardened),
            "tools": tools,
            "changes": *backend.workshop.registry.changes().borrow(),
            "journal": {
                "entries": head.id,
                "head": head.hash.to_string(),
                "payload": policy(config.journal.policy),
                "size": config.journal.most,
                "entry": config.journal.most_payload,
            },
            "memory": backend.workshop.memory.count().map_err(stored)?,
            "kept": place,
        }),
    ))
}

/// A limit and its value.
struct Layer {
    limit: Limit,
    value: u64,
    /// The additional amount for each unit of this name.
    adds: Vec<(&'static str, u64)>,
}

/// The limits on programs and requests, innermost first.
fn layers(config: &Config) -> Vec<Layer> {
    let layer = |limit: &Limit| {
        let adds = match limit {
            Limit::WasmtimeFuel => vec![
                ("fuel_unit", config.net.fuel_per_unit),
                ("memory_byte", FUEL_PER_HEAP_BYTE),
                ("text_byte", FUEL_PER_BYTE),
            ],
            _ => Vec::new(),
        };
        Layer { limit: *limit, value: limit.shown(config.values.get(*limit)), adds }
    };
    Limit::ALL.iter().map(layer).collect()
}

impl Layer {
    fn render(&self) -> String {
        let row = self.limit.row();
        let flag = match row.setting {
            Setting::Flag { flag, .. } => format!("--{flag}, "),
            Setting::Fixed { .. } => String::new(),
        };
        let told = format!("{} {} ({flag}{})", self.limit, self.value, row.beyond.text());
        self.adds
            .iter()
            .fold(told, |told, (what, count)| format!("{told} + {count} for each {what}"))
    }
}

/// The values alone: the text tells the flags and the faults.
fn limits(layers: &[Layer]) -> Value {
    layers.iter().map(|layer| (layer.limit.name(), layer.value)).collect()
}

fn hardening(report: Hardening) -> Value {
    json!({
        "landlock": report.landlock.name(),
        "abi": report.abi,
        "seccomp": report.seccomp.name(),
    })
}

fn policy(policy: Policy) -> &'static str {
    match policy {
        Policy::Full => "full",
        Policy::Summary => "summary",
        Policy::None => "none",
    }
}

fn render_hardening(report: Hardening) -> String {
    let Hardening { landlock, abi, seccomp } = report;
    let version = if abi > 0 { format!(" (version {abi})") } else { String::new() };
    format!("Landlock {}{version}, seccomp {}", landlock.name(), seccomp.name())
}

fn render_origin(origin: &Origin) -> String {
    match origin {
        Origin::Loaded(_) => "loaded as compiled before".to_owned(),
        Origin::Cached(_) => "compiled at this start and kept".to_owned(),
        Origin::InMemory(reason) => format!("compiled in memory: {reason}"),
    }
}
