//! `server_info`: what this server is, what it allows, and what keeps programs in.

use rmcp::model::ProtocolVersion;
use serde_json::{Value, json};

use super::super::arguments::Arguments;
use super::super::host::Host;
use super::super::reply::Reply;
use super::{Call, Description, ToolResult, arguments, reply};
use crate::config::Config;
use crate::harden::Report;
use crate::sandbox::Origin;

const TEXT: &str = "\
About this server: version, limits and their ceilings, the layers that contain a program, the \
hash of the evaluator, the number of tools.";

pub(super) fn describe() -> Description {
    Description {
        title: "Server information".to_owned(),
        text: TEXT.to_owned(),
        input: arguments(&json!({}), &[]),
        output: reply(json!({
            "version": {"type": "string"},
            "protocols": {"type": "array", "items": {"type": "string"}},
            "evaluator": {"type": "object"},
            "limits": {"type": "object"},
            "ceilings": {"type": "object"},
            "requests": {"type": "object"},
            "layers": {"type": "array", "items": {"type": "string"}},
            "hardening": {"type": "object"},
            "tools": {"type": "integer", "description": "evolved tools"},
            "changes": {"type": "integer", "description": "changes since the start"},
        })),
        read_only: true,
    }
}

pub(super) fn call(host: &Host, call: &Call) -> ToolResult {
    Arguments::parse(&call.arguments, "server_info", &[])?;
    let config = &host.config;
    let tools = host.registry.snapshot().len();
    let text = format!(
        "mcp-pif {}: {tools} evolved tools (kept in memory)\nevaluator: {} bytes, sha256 {}, {}\n\
         a run gets fuel {}, depth {}, memory {} bytes, {:?} of wall clock\nhardening: {}",
        env!("CARGO_PKG_VERSION"),
        host.sandbox.size(),
        host.sandbox.hash(),
        tell_origin(host.sandbox.origin()),
        config.limits.fuel,
        config.limits.depth,
        config.limits.memory,
        config.wall_clock,
        tell_hardening(host.hardening),
    );
    let protocols: Vec<&str> =
        ProtocolVersion::KNOWN_VERSIONS.iter().map(ProtocolVersion::as_str).collect();
    Ok(Reply::new(
        text,
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "protocols": protocols,
            "evaluator": {
                "sha256": host.sandbox.hash(),
                "bytes": host.sandbox.size(),
                "compiled": tell_origin(host.sandbox.origin()),
            },
            "limits": limits(config),
            "ceilings": {
                "fuel": config.ceilings.fuel,
                "depth": config.ceilings.depth,
                "memory": config.ceilings.memory,
            },
            "requests": requests(config),
            "layers": LAYERS,
            "hardening": hardening(host.hardening),
            "tools": tools,
            "changes": *host.registry.changes().borrow(),
        }),
    ))
}

/// What contains a program, innermost first.
const LAYERS: [&str; 9] = [
    "language fuel, depth and memory: exact and equal on every platform",
    "a component without imports: there is nothing for it to call",
    "a fresh instance for each call",
    "wasmtime fuel",
    "memory ceiling of the instance",
    "deadline by the wall clock, and cancellation",
    "gate with a queue: as many runs at once as configured",
    "caps on line, code, data, nesting and result",
    "hardening of the process, on Linux: no files, network, other programs or new code",
];

fn limits(config: &Config) -> Value {
    json!({
        "fuel": config.limits.fuel,
        "depth": config.limits.depth,
        "memory": config.limits.memory,
        "wall_clock_ms": u64::try_from(config.wall_clock.as_millis()).unwrap_or(u64::MAX),
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

fn hardening(report: Report) -> Value {
    json!({
        "landlock": report.landlock.name(),
        "abi": report.abi,
        "seccomp": report.seccomp.name(),
    })
}

fn tell_hardening(report: Report) -> String {
    let Report { landlock, abi, seccomp } = report;
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
