//! Calls as OTLP in JSON: an `ExportTraceServiceRequest` with their spans, under the names of the
//! semantic conventions for MCP.

use std::time::Instant;

use pif_domain::text::line;
use pif_domain::{Limit, Part, StepTold};
use pif_store::journal::Policy;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::notes::{EndedStep, Span, UpstreamCall};
use super::record::{CallEnd, Record};
use super::traced::CallTrace;

/// The kinds of spans.
const INTERNAL: u8 = 1;
const SERVER: u8 = 2;
const CLIENT: u8 = 3;

/// The status of a span that failed.
const ERROR: u8 = 2;

/// The state of a step that a fault has ended.
const FAILED: &str = "failed";

/// The most characters of the name of a step.
const LONGEST_NAME: usize = 80;

/// The flag of a trace that is recorded.
const SAMPLED: u32 = 1;

/// The request for a call, as [`call`] writes it.
pub(super) fn request(call: &str) -> String {
    format!(r#"{{"resourceSpans":[{call}]}}"#)
}

/// A call with its spans: one of the `ResourceSpans` of a request.
pub(super) fn call(record: &Record, traced: &CallTrace, policy: Policy) -> String {
    let own_trace = traced.ids.trace();
    let root = traced.ids.span(0);
    let parent = traced.parent.as_ref();
    let trace = parent.map_or(own_trace.as_str(), |parent| parent.trace.as_str());
    let write = Writer { record, trace };
    let name = format!("tools/call {}", record.tool);
    let start = record.begun.at;
    let end = record.begun.at + record.elapsed;
    let mut span = write.span(&name, SERVER, &root, (start, end));
    span["attributes"] = attributes(record, traced, policy);
    if let Some(parent) = parent {
        span["parentSpanId"] = parent.span.as_str().into();
        if let Some(state) = &parent.state {
            span["traceState"] = state.as_str().into();
        }
    }
    if record.ending.is_error() {
        // A message may quote what a program computes; the code does not.
        span["status"] = json!({"code": ERROR, "message": record.ending.name()});
    }
    let mut spans = vec![span];
    let mut runs = Vec::new();
    for part in &record.noted.spans {
        let id = traced.ids.span(spans.len());
        spans.push(write.part(part, &id, &root));
        if part.part == Part::Run {
            runs.push((part, id));
        }
    }
    for step in &record.noted.steps {
        let run =
            runs.iter().find(|(run, _)| (run.start..=run.start + run.time).contains(&step.start));
        let id = traced.ids.span(spans.len());
        spans.push(write.step(step, &id, run.map_or(&root, |(_, id)| id)));
    }
    for call in &record.noted.calls {
        // A call is a child of the run that made it.
        let is_within = |run: &Span| (run.start..=run.start + run.time).contains(&call.start);
        let run = runs.iter().find(|(run, _)| is_within(run));
        let id = traced.ids.span(spans.len());
        spans.push(write.call(call, &id, run.map_or(&root, |(_, id)| id)));
    }
    let scope = json!({"name": "mcp-pif", "version": env!("CARGO_PKG_VERSION")});
    let resource = list(vec![
        text("service.name", "mcp-pif"),
        text("service.version", env!("CARGO_PKG_VERSION")),
        number("process.pid", std::process::id().into()),
    ]);
    let spans = json!([{"scope": scope, "spans": spans}]);
    json!({"resource": {"attributes": resource}, "scopeSpans": spans}).to_string()
}

/// Writes the spans of a call.
struct Writer<'a> {
    record: &'a Record,
    trace: &'a str,
}

impl Writer<'_> {
    /// A span. It lies within the call, whatever the clocks said.
    fn span(&self, name: &str, kind: u8, id: &str, (start, end): (Instant, Instant)) -> Value {
        let Record { begun, elapsed, .. } = self.record;
        let within = |moment: Instant| begun.nanos(moment.clamp(begun.at, begun.at + *elapsed));
        json!({
            "traceId": self.trace,
            "spanId": id,
            "flags": SAMPLED,
            "name": name,
            "kind": kind,
            "startTimeUnixNano": within(start).to_string(),
            "endTimeUnixNano": within(end).to_string(),
        })
    }

    fn part(&self, it: &Span, id: &str, root: &str) -> Value {
        let mut span = self.span(it.part.name(), INTERNAL, id, (it.start, it.start + it.time));
        span["parentSpanId"] = root.into();
        span
    }

    fn step(&self, it: &EndedStep, id: &str, parent: &str) -> Value {
        let StepTold { name, count, state, fuel, calls, tries, .. } = &it.told;
        let name = format!("step {}", line(name, LONGEST_NAME));
        let mut span = self.span(&name, INTERNAL, id, (it.start, it.start + it.time));
        span["parentSpanId"] = parent.into();
        if *state == FAILED {
            span["status"] = json!({"code": ERROR, "message": FAILED});
        }
        span["attributes"] = list(vec![
            number("mcp_pif.step.count", (*count).into()),
            text("mcp_pif.step.state", state),
            number("mcp_pif.fuel", fuel.unwrap_or_default()),
            number("mcp_pif.step.calls", u64::try_from(*calls).unwrap_or(u64::MAX)),
            number("mcp_pif.step.tries", (*tries).into()),
        ]);
        span
    }

    fn call(&self, it: &UpstreamCall, id: &str, parent: &str) -> Value {
        let (server, tool) = it.names();
        let name = format!("tools/call {tool}");
        let end = it.start + it.time;
        let mut span = self.span(&name, CLIENT, id, (it.start, end));
        span["parentSpanId"] = parent.into();
        let mut all = vec![
            text("mcp.method.name", "tools/call"),
            text("gen_ai.operation.name", "execute_tool"),
            text("gen_ai.tool.name", tool),
            text("mcp_pif.upstream", server),
            number("mcp_pif.answer.size", it.bytes),
        ];
        if !it.is_ok() {
            all.push(text("error.type", it.outcome));
            span["status"] = json!({"code": ERROR, "message": it.outcome});
        }
        span["attributes"] = list(all);
        span
    }
}

/// The attributes of a call.
fn attributes(record: &Record, traced: &CallTrace, policy: Policy) -> Value {
    let mut all = vec![
        text("mcp.method.name", "tools/call"),
        text("gen_ai.operation.name", "execute_tool"),
        text("gen_ai.tool.name", &record.tool),
        text("jsonrpc.request.id", &traced.request),
        text("mcp.protocol.version", &traced.protocol),
        text("network.transport", traced.transport),
        number("mcp_pif.call", record.id),
        text("mcp_pif.ending", &record.ending.name()),
    ];
    if !record.owner.is_empty() {
        all.push(text("enduser.id", &record.owner));
    }
    if let Some(kind) = record.ending.error_type() {
        all.push(text("error.type", &kind));
    }
    if let CallEnd::Error(code) = record.ending {
        all.push(text("rpc.response.status_code", &code.to_string()));
    }
    if let Some((fuel, memory)) = record.noted.used {
        all.push(number("mcp_pif.fuel", fuel));
        all.push(number("mcp_pif.memory", memory));
        all.push(number("mcp_pif.instances", record.noted.count(Part::Instance)));
    }
    if let Some(entry) = record.noted.entry {
        all.push(text("mcp_pif.journal.entry", &entry.to_string()));
    }
    let arguments = traced.arguments.as_deref();
    let payloads = [("arguments", arguments), ("result", traced.result.as_deref())];
    for (name, payload) in payloads.into_iter().filter(|_| policy != Policy::None) {
        let Some(payload) = payload else { continue };
        let digest = format!("{:x}", Sha256::digest(payload));
        all.push(number(&format!("mcp_pif.{name}.size"), length(payload)));
        all.push(text(&format!("mcp_pif.{name}.sha256"), &digest));
        if policy == Policy::Full && payload.len() <= Limit::TracePayload.fixed_count() {
            all.push(text(&format!("gen_ai.tool.call.{name}"), payload));
        }
    }
    list(all)
}

fn length(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX)
}

fn list(attributes: Vec<(String, Value)>) -> Value {
    attributes.into_iter().map(|(key, value)| json!({"key": key, "value": value})).collect()
}

fn text(name: &str, value: &str) -> (String, Value) {
    (name.to_owned(), json!({ "stringValue": value }))
}

/// An integer of 64 bits is a string there.
fn number(name: &str, value: u64) -> (String, Value) {
    (name.to_owned(), json!({"intValue": value.to_string()}))
}
