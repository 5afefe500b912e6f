//! `debug`: shows what the server measures of calls. It shows nothing that programs compute.

use std::fmt::Write as _;
use std::sync::Arc;

use pif_domain::text::quote_one;
use pif_domain::text::similar::similar;
use pif_domain::text::time;
use pif_domain::{Fault, FaultCode, Limit, fault, named};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::arguments::{malformed, schema};
use super::super::backend::Backend;
use super::{Call, Tool, ToolResult};
use crate::observe::{OfTool, OfUpstream, Rollup, Times};
use crate::render::Reply;

/// What can be asked for.
const OPS: [&str; 3] = ["stats", "recent", "get"];

/// The calls that `recent` shows by default.
const FEW: u64 = 20;

/// The most calls that `recent` shows.
const MOST: u64 = 100;

const TEXT: &str = "\
Show what the server measures: `stats` (figures of the last calls by tool, faults, calls of other servers), \
`recent` (the last calls, latest first) or `get` (one call by `id`, with its parts).";

/// What it takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in super::super) struct Arguments {
    #[schemars(schema_with = "ops")]
    op: String,
    /// of a call, for `get`
    id: Option<u64>,
    /// calls that `recent` shows
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u64>,
    /// only calls of this tool
    tool: Option<String>,
}

fn ops(_: &mut SchemaGenerator) -> Schema {
    schema(json!({"type": "string", "enum": OPS}))
}

impl Tool for Arguments {
    const TEXT: &'static str = TEXT;

    async fn call(self, backend: &Arc<Backend>, call: Call) -> ToolResult {
        let owner = (!call.caller.sees_all()).then(|| &**call.caller.owner());
        Ok(match self.op.as_str() {
            "stats" => stats(&backend.measures.stats(owner, self.tool.as_deref()), backend),
            "recent" => self.recent(owner, backend)?,
            "get" => self.get(owner, backend)?,
            op => return Err(unknown_op(op).into()),
        })
    }
}

impl Arguments {
    fn recent(&self, owner: Option<&str>, backend: &Backend) -> Result<Reply, Fault> {
        let limit = self.limit.unwrap_or(FEW);
        if !(1..=MOST).contains(&limit) {
            let hint = format!("ask for 1 to {MOST}");
            return Err(malformed(format!("`limit` is {limit}"), Some(&hint)));
        }
        let most = usize::try_from(limit).unwrap_or(usize::MAX);
        let calls = backend.measures.recent(owner, self.tool.as_deref(), most);
        let lines: Vec<String> = calls.iter().map(|call| call.to_line()).collect();
        let text = if lines.is_empty() { "no calls".to_owned() } else { lines.join("\n") };
        let records: Value = calls.iter().map(|call| call.to_record()).collect();
        Ok(Reply::new(text, json!({ "calls": records })))
    }

    fn get(&self, owner: Option<&str>, backend: &Backend) -> Result<Reply, Fault> {
        let Some(id) = self.id else {
            let hint = "`debug {\"op\": \"recent\"}` shows the ids of the last calls";
            return Err(malformed("`get` needs an `id`", Some(hint)));
        };
        let found = backend.measures.find(owner, id).ok_or_else(|| unknown_id(id))?;
        let mut text = found.to_line();
        let record = found.to_full_record();
        for it in record["parts"].as_array().into_iter().flatten() {
            let part = it["part"].as_str().unwrap_or_default();
            let _ = write!(text, "\n{part}: {} ms, from {} ms on", it["ms"], it["from_ms"]);
        }
        for it in record["steps"].as_array().into_iter().flatten() {
            let name = it["name"].as_str().unwrap_or_default();
            let state = it["state"].as_str().unwrap_or_default();
            let _ = write!(text, "\nstep {name} ({}): {state}", it["count"]);
            let _ = write!(text, ", {} calls, {} tries", it["calls"], it["tries"]);
            let _ = write!(text, ", fuel {}, {} ms", it["fuel"], it["ms"]);
        }
        for it in record["calls"].as_array().into_iter().flatten() {
            let tool = it["tool"].as_str();
            let outcome = it["outcome"].as_str();
            let tool = tool.unwrap_or_default();
            let outcome = outcome.unwrap_or_default();
            let _ = write!(text, "\n{tool}: {outcome}, {} ms, {} bytes", it["ms"], it["bytes"]);
        }
        Ok(Reply::new(text, record))
    }
}

fn unknown_op(op: &str) -> Fault {
    let hint = match similar(op, OPS) {
        Some(similar) => format!("did you mean `{similar}`?"),
        None => format!("write one of `{}`", OPS.join("`, `")),
    };
    malformed(format!("{} has no op {}", named("`debug`"), quote_one(op)), Some(&hint))
}

fn unknown_id(id: u64) -> Fault {
    let hint = format!(
        "`debug {{\"op\": \"recent\"}}` shows the ids; the last {} calls of a server are known",
        Limit::Measured.fixed()
    );
    fault(FaultCode::UnknownEntry, format!("no call {id} is known"), Some(&hint))
}

fn stats(all: &Rollup, backend: &Backend) -> Reply {
    let slots = backend.slots();
    let mut text = format!("the last {} calls, {} failed", all.calls, all.errors);
    for it in &all.tools {
        let OfTool { tool, calls, errors, times, fuel, .. } = it;
        let _ = write!(
            text,
            "\n{tool}: {calls} calls, {errors} failed, {}, fuel {fuel}",
            render_times(*times)
        );
    }
    for (code, count) in &all.faults {
        let _ = write!(text, "\nfault {code}: {count}");
    }
    for OfUpstream { tool, calls, outcomes, times } in &all.upstream {
        let outcomes: Vec<String> =
            outcomes.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
        let _ = write!(
            text,
            "\n{tool}: {calls} calls ({}), {}",
            outcomes.join(", "),
            render_times(*times)
        );
    }
    let tools = all.tools.iter().map(|it| {
        json!({
            "tool": it.tool,
            "calls": it.calls,
            "errors": it.errors,
            "ms": times(it.times),
            "fuel": it.fuel,
            "memory": it.memory,
        })
    });
    let upstream = all.upstream.iter().map(|it| {
        json!({"tool": it.tool, "calls": it.calls, "outcomes": it.outcomes, "ms": times(it.times)})
    });
    let record = json!({
        "calls": all.calls,
        "errors": all.errors,
        "since": all.since.map(time::format),
        "tools": tools.collect::<Vec<_>>(),
        "faults": all.faults,
        "upstream": upstream.collect::<Vec<_>>(),
        "queue_ms": times(all.queue),
        "instances": all.instances,
        "answered": all.answered,
        "received": all.received,
        "reduction": all.reduction(),
        "slots": {"taken": slots.taken, "places": slots.places, "waiting": slots.waiting},
    });
    Reply::new(text, record)
}

fn render_times(Times { p50, p95, max }: Times) -> String {
    format!("p50 {} ms, p95 {} ms, max {} ms", millis(p50), millis(p95), millis(max))
}

fn times(Times { p50, p95, max }: Times) -> Value {
    json!({"p50": millis(p50), "p95": millis(p95), "max": millis(max)})
}

#[expect(clippy::cast_precision_loss, reason = "times of calls are short")]
fn millis(micros: u64) -> f64 {
    micros as f64 / 1e3
}
