//! `server_info`: what this server is, what it allows, and what keeps programs in.

use rmcp::model::ProtocolVersion;
use serde_json::{Value, json};

use super::super::arguments::Arguments;
use super::super::backend::Backend;
use super::{Call, Description, ToolResult, arguments, reply};
use crate::config::Config;
use crate::harden::Hardening;
use crate::journal::Policy;
use crate::render::Reply;
use crate::sandbox::{FUEL_PER_BYTE, FUEL_PER_HEAP_BYTE, Origin, milliseconds};
use crate::workshop::stored;

const TEXT: &str = "\
About this server: version, limits and ceilings, what contains a program, hash of the evaluator, number of tools.";

pub(super) fn describe() -> Description {
    Description {
        title: "Server information".to_owned(),
        text: TEXT.to_owned(),
        input: arguments(&json!({}), &[]),
        output: reply(&json!({"version": {"type": "string"}, "limits": {"type": "object"}})),
        read_only: true,
    }
}

pub(super) async fn call(backend: &Backend, call: &Call) -> ToolResult {
    Arguments::parse(&call.arguments, "server_info", &[])?;
    // How it was compiled and what contains it is known then.
    backend.opened(&call.caller).await?;
    let hardened = backend.hardening.get().copied().unwrap_or(Hardening::OFF);
    let (config, sandbox) = (&backend.config, &backend.workshop.sandbox);
    let tools = backend.workshop.tools()?.registered.count().map_err(stored)?;
    let head = backend.workshop.journal.head().map_err(stored)?;
    let place = match backend.workshop.path() {
        Some(path) => path.display().to_string(),
        None => "memory".to_owned(),
    };
    let layers = layers(config);
    let told: Vec<String> = layers.iter().map(Layer::tell).collect();
    let text = format!(
        "mcp-pif {}: {tools} evolved tools, {} entries in the journal (kept in {place})\nevaluator: {} bytes, sha256 {}, {}\n\
         no imports, a fresh instance for each call\nlayers: {}\nhardening: {}",
        env!("CARGO_PKG_VERSION"),
        head.id,
        sandbox.size(),
        sandbox.hash(),
        tell_origin(sandbox.origin()),
        told.join(", "),
        tell_hardening(hardened),
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
                "compiled": tell_origin(sandbox.origin()),
            },
            "limits": limits(config),
            "ceilings": {
                "fuel": config.ceilings.fuel,
                "depth": config.ceilings.depth,
                "memory": config.ceilings.memory,
            },
            "requests": requests(config),
            "profile": config.profile.name(),
            "layers": layers.iter().map(Layer::record).collect::<Vec<_>>(),
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

/// A layer between a program and the world, as configured.
struct Layer {
    /// As faults name it.
    name: &'static str,
    limit: u64,
    /// What comes on top for each thing of this name.
    adds: Vec<(&'static str, u64)>,
    flag: &'static str,
    /// What a caller sees when it stops something.
    fault: &'static str,
}

/// What contains a program, innermost first.
fn layers(config: &Config) -> Vec<Layer> {
    let layer = |name, limit, flag, fault| Layer { name, limit, adds: Vec::new(), flag, fault };
    let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    vec![
        layer("fuel", config.limits.fuel, "--fuel", "out-of-fuel"),
        layer("depth", config.limits.depth.into(), "--depth", "too-deep"),
        layer("memory", config.limits.memory, "--memory", "too-large"),
        Layer {
            adds: vec![
                ("fuel_unit", config.net.fuel_per_unit),
                ("memory_byte", FUEL_PER_HEAP_BYTE),
                ("text_byte", FUEL_PER_BYTE),
            ],
            ..layer("wasmtime_fuel", config.net.fuel, "--wasmtime-fuel", "internal")
        },
        layer("instance_memory", config.net.memory, "--instance-memory", "internal"),
        layer("wall_clock_ms", milliseconds(config.wall_clock), "--wall-clock", "timeout"),
        layer("concurrency", count(config.concurrency), "--concurrency", "waits"),
        layer("queue", count(config.queue), "--queue", "reading stops"),
        layer("patience_ms", milliseconds(config.patience), "--patience", "busy"),
        layer("line", count(config.max_line), "--max-line", "-32600"),
        layer("nesting", count(config.max_nesting), "--max-nesting", "-32600"),
        layer("code", count(config.max_code), "--max-code", "too-large"),
        layer("data", count(config.max_data), "--max-data", "too-large"),
        layer("result", count(config.max_result), "--max-result", "truncated"),
    ]
}

impl Layer {
    fn record(&self) -> Value {
        let Self { name, limit, adds, flag, fault } = self;
        let mut record = json!({"name": name, "limit": limit, "flag": flag, "fault": fault});
        if !adds.is_empty() {
            record["adds"] = adds.iter().map(|(what, count)| (*what, *count)).collect();
        }
        record
    }

    fn tell(&self) -> String {
        let Self { name, limit, adds, fault, .. } = self;
        let told = format!("{name} {limit} ({fault})");
        adds.iter().fold(told, |told, (what, count)| format!("{told} + {count} for each {what}"))
    }
}

fn limits(config: &Config) -> Value {
    json!({
        "fuel": config.limits.fuel,
        "depth": config.limits.depth,
        "memory": config.limits.memory,
        "wall_clock_ms": milliseconds(config.wall_clock),
        "result_characters": config.max_result,
    })
}

fn requests(config: &Config) -> Value {
    json!({
        "line": config.max_line,
        "code": config.max_code,
        "data": config.max_data,
        "nesting": config.max_nesting,
        "concurrency": config.concurrency,
        "queue": config.queue,
    })
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

fn tell_hardening(report: Hardening) -> String {
    let Hardening { landlock, abi, seccomp } = report;
    let version = if abi > 0 { format!(" (version {abi})") } else { String::new() };
    format!("Landlock {}{version}, seccomp {}", landlock.name(), seccomp.name())
}

fn tell_origin(origin: &Origin) -> String {
    match origin {
        Origin::Loaded(_) => "loaded as compiled before".to_owned(),
        Origin::Cached(_) => "compiled at this start and kept".to_owned(),
        Origin::InMemory(reason) => format!("compiled in memory: {reason}"),
    }
}
