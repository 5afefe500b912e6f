//! `inspect`: describes a tool, evolved or of the standard library.

use std::fmt::Write as _;
use std::sync::Arc;

use ::similar::TextDiff;
use pif_domain::json;
use pif_domain::text::{self, quote};
use pif_domain::{Fault, FaultCode, Limit, StepTold, fault};
use pif_sandbox::{Summary, Watch};
use pif_store::journal::Statistics;
use pif_store::registry::{Definition, Past, name, short};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::super::backend::Backend;
use super::{Call, Tool, ToolResult, capabilities, reply};
use crate::config::Profile;
use crate::render::{MOST_STEPS, Reply, STEPS, lines_of, put, step_lines, step_records, type_line};
use crate::workshop::{KeptRun, Tools, Vouched, library, refused, stored};

/// The most changes of the history in a reply.
const MOST_HISTORY: usize = 50;

/// The most callers in a reply.
const MOST_CALLERS: usize = 50;

/// The most runs in the statistics.
const MOST_RUNS: usize = 1_000;

/// The most characters of a type.
const MOST_TYPE: usize = 2_500;

/// The most lines of a term that is compared.
const MOST_LINES: usize = 2_000;

/// The most lines of a comparison in a reply.
const SHOWN_LINES: usize = 200;

const TEXT: &str = "\
Show an evolved tool: type, source, examples, the tools that it calls, its callers, cost, history; with \
`revision` an earlier one and how it differs.";

/// What it takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in super::super) struct Arguments {
    tool: String,
    /// a hash, or 8 of its digits or more
    revision: Option<String>,
}

impl Tool for Arguments {
    const TEXT: &'static str = TEXT;

    fn output(_: Profile) -> Value {
        reply(
            &json!({"notation": {"type": "string"}, "source": {"type": "string"}, "revision": {"type": "string"}}),
        )
    }

    async fn call(self, backend: &Arc<Backend>, call: Call) -> ToolResult {
        // No evolved tool has a period in its name.
        if self.tool.contains('.')
            && let Some(offers) = capabilities::known(backend, &call).await?
        {
            return capabilities::inspect(&offers, &self.tool);
        }
        let (name, pinned) = name::split(&self.tool);
        let revision = self.revision.or_else(|| pinned.map(str::to_owned));
        let name = name.to_owned();
        let look = move |backend: &Backend, watch: &Watch| {
            look(backend, &name, revision.as_deref(), watch)
        };
        backend.opened(&call.caller).await?;
        let found = backend.look(&call.caller, look).await??;
        Ok(render(found, backend.config.values.size(Limit::Result)))
    }
}

/// The description of a tool.
struct ToolDescription {
    tool: Definition,
    is_current: bool,
    /// Whether the tool belongs to the standard library.
    is_library: bool,
    /// The revision that the tool is compared with, and the comparison.
    difference: Option<(String, String)>,
    summary: Option<Summary>,
    /// Its type in one line.
    shape: Option<String>,
    calls: Vec<String>,
    callers: Vec<String>,
    runs: Statistics,
    /// Its last durable run that is kept: the number and the steps.
    steps: Option<(i64, Vec<StepTold>)>,
    history: Vec<Past>,
    /// The certificate with which the revision was imported.
    certificate: Option<Vouched>,
}

fn look(
    backend: &Backend,
    name: &str,
    revision: Option<&str>,
    watch: &Watch,
) -> Result<ToolDescription, Fault> {
    let tools = backend.workshop.tools()?;
    let current = tools.registered.find(name).map_err(refused)?;
    let history = tools.registered.history(name, MOST_HISTORY).map_err(stored)?;
    if history.is_empty() && current.is_none() {
        return look_in_library(backend, name, revision, &tools, watch);
    }
    let tool = match revision {
        None => current.clone().ok_or_else(|| retired(name, &history))?,
        Some(prefix) => {
            let pinned = tools.registered.find(&format!("{name}@{prefix}")).map_err(refused)?;
            pinned.ok_or_else(|| never(name, prefix))?
        }
    };
    let is_current = current.as_ref().is_some_and(|current| current.hash == tool.hash);
    let other = match &current {
        Some(current) if !is_current => Some(current.clone()),
        _ => before(&tools, &tool, &history)?,
    };
    let difference = other.map(|other| {
        let (from, to) = if is_current { (&other, &tool) } else { (&tool, &other) };
        (format!("{} to {}", from.short(), to.short()), differ(&from.source, &to.source))
    });
    let callers = tools.registered.callers(name, MOST_CALLERS).map_err(stored)?;
    Ok(ToolDescription {
        is_current,
        is_library: false,
        difference,
        // A kept term is well formed. If the check fails, the reply only lacks the forms.
        summary: backend.workshop.sandbox.check(&tool.source, watch).ok(),
        shape: shape(backend, &tool, watch),
        calls: tools.registered.uses(&tool.hash).map_err(stored)?,
        callers: callers.into_iter().map(|caller| caller.name).collect(),
        runs: statistics(backend, name)?,
        steps: last_steps(backend, name)?,
        certificate: unless_away(backend, backend.workshop.certificate(&tool, &history))?,
        history,
        tool,
    })
}

/// Like `look`, for a tool of the standard library.
fn look_in_library(
    backend: &Backend,
    name: &str,
    revision: Option<&str>,
    tools: &Tools,
    watch: &Watch,
) -> Result<ToolDescription, Fault> {
    let Some(current) = library().find(name) else { return Err(unknown(name, tools)) };
    let tool = match revision {
        None => current,
        Some(prefix) => {
            library().find(&format!("{name}@{prefix}")).ok_or_else(|| never(name, prefix))?
        }
    };
    let summary = backend.workshop.sandbox.check(&tool.source, watch).ok();
    let callers = tools.registered.callers(name, MOST_CALLERS).map_err(stored)?;
    let callers = callers.into_iter().map(|caller| caller.name);
    Ok(ToolDescription {
        is_current: tool.hash == current.hash,
        is_library: true,
        difference: None,
        calls: summary.as_ref().map(Summary::names).unwrap_or_default(),
        summary,
        shape: shape(backend, tool, watch),
        callers: callers.chain(library().callers(name).into_iter().map(str::to_owned)).collect(),
        runs: statistics(backend, name)?,
        steps: last_steps(backend, name)?,
        history: Vec::new(),
        certificate: None,
        tool: tool.clone(),
    })
}

/// The cost of the latest runs.
fn statistics(backend: &Backend, name: &str) -> Result<Statistics, Fault> {
    let runs = backend.workshop.journal.statistics(name, MOST_RUNS);
    unless_away(backend, runs.map_err(stored))
}

/// An answer of the database beside the registry. While it is away there is none, and the reply says so.
fn unless_away<T: Default>(backend: &Backend, told: Result<T, Fault>) -> Result<T, Fault> {
    match told {
        Err(fault)
            if fault.code == FaultCode::StoreUnavailable && backend.workshop.as_of().is_some() =>
        {
            Ok(T::default())
        }
        told => told,
    }
}

/// The last durable run of a tool that the caller has and that is kept, if it has steps.
fn last_steps(backend: &Backend, name: &str) -> Result<Option<(i64, Vec<StepTold>)>, Fault> {
    let mut runs = unless_away(backend, backend.workshop.runs())?;
    runs.retain(|it| it.tool() == Some(name) && *it.owner() == *backend.principal().owner());
    let last = runs.into_iter().max_by_key(KeptRun::number);
    let told = last.map(|it| (it.number(), it.steps()));
    Ok(told.filter(|(_, steps)| !steps.is_empty()))
}

/// The type of a tool in one line.
fn shape(backend: &Backend, tool: &Definition, watch: &Watch) -> Option<String> {
    let typing = backend.workshop.type_of_tool(tool, watch)?;
    Some(type_line(&typing.of_tool, MOST_TYPE))
}

fn never(name: &str, prefix: &str) -> Fault {
    let message = format!("`{name}` has no revision {}", text::line(prefix, 64));
    fault(FaultCode::Malformed, message, Some("inspect it without `revision` to see its history"))
}

/// The last revision before this one that has another term.
fn before(tools: &Tools, tool: &Definition, history: &[Past]) -> Result<Option<Definition>, Fault> {
    let earlier = history.iter().filter(|past| past.change < tool.change);
    let other = earlier.filter_map(|past| past.hash.as_ref()).find(|hash| **hash != tool.hash);
    match other {
        Some(hash) => tools.registered.find(&format!("{}@{hash}", tool.name)).map_err(refused),
        None => Ok(None),
    }
}

fn differ(from: &str, to: &str) -> String {
    let (from, to) = (json::lines(from), json::lines(to));
    if from.len().max(to.len()) > MOST_LINES {
        return format!(
            "the terms have {} and {} lines: too many to compare",
            from.len(),
            to.len()
        );
    }
    let (from, to) = (from.join("\n"), to.join("\n"));
    let diff = TextDiff::from_lines(&from, &to);
    let diff = diff.unified_diff().context_radius(2).missing_newline_hint(false).to_string();
    let mut lines: Vec<&str> = diff.lines().take(SHOWN_LINES).collect();
    if diff.lines().count() > SHOWN_LINES {
        lines.push("…");
    }
    lines.join("\n")
}

fn unknown(name: &str, tools: &Tools) -> Fault {
    let message = format!("there is no tool `{}`", text::line(name, 64));
    let hint = match tools.similar(name) {
        Some(similar) => format!("did you mean `{similar}`?"),
        None => "`list` shows the tools there are".to_owned(),
    };
    fault(FaultCode::UnknownTool, message, Some(&hint))
}

fn retired(name: &str, history: &[Past]) -> Fault {
    let last = history.iter().find_map(|past| past.hash.as_deref()).unwrap_or_default();
    let hint =
        format!("rollback {{\"tool\":\"{name}\",\"revision\":\"{}\"}} restores it", short(last));
    fault(FaultCode::UnknownTool, format!("the tool `{name}` is retired"), Some(&hint))
}

fn render(found: ToolDescription, most: usize) -> Reply {
    let ToolDescription { tool, is_current, is_library, difference, summary, shape, .. } = found;
    let ToolDescription { calls, callers, runs, steps, history, certificate, .. } = found;
    let (forms, notation) = summary.map_or_else(Default::default, |it| (it.forms, it.notation));
    let notation = Some(notation).filter(|it| !it.is_empty() && it.chars().count() <= most);
    let size = tool.source.chars().count();
    let is_short = size <= most;
    let state = state(is_library, is_current);
    let mut told = format!("{} (revision {}, {state})", tool.name, tool.short());
    for (title, line) in [
        ("description", text::visible(&tool.description).into_owned()),
        ("type", shape.clone().unwrap_or_default()),
        ("notation", notation.as_deref().map(lines_of).unwrap_or_default()),
        ("source", render_source(&tool.source, is_short, most)),
        ("examples", examples(&tool.examples)),
        ("properties", properties(&tool)),
        ("output schema", schema(&tool, most).unwrap_or_default()),
        ("forms", render_forms(&forms)),
        ("functions", members(&tool).map(|it| quote(&it)).unwrap_or_default()),
        ("calls", quote(&calls)),
        ("called by", quote(&callers)),
        ("runs", render_runs(&runs)),
        ("certificate", certificate.as_ref().map(Vouched::told).unwrap_or_default()),
    ] {
        if !line.is_empty() {
            let _ = write!(told, "\n{title}: {line}");
        }
    }
    if let Some((run, steps)) = &steps {
        let _ = write!(told, "\nthe steps of run {run}, its last durable one:");
        for line in step_lines(steps, MOST_STEPS) {
            let _ = write!(told, "\n- {line}");
        }
    }
    render_history(&history, &mut told);
    if let Some((what, lines)) = &difference {
        let _ = write!(told, "\nfrom {what}:\n{}", text::visible(lines));
    }
    let (schema, members) = (schema(&tool, most), members(&tool));
    let forms: Map<String, Value> =
        forms.into_iter().map(|(form, count)| (form, count.into())).collect();
    let mut reply = Reply::new(
        told,
        json!({
            "name": tool.name,
            "revision": tool.hash,
            "current": is_current,
            "description": text::visible(&tool.description),
            "examples": tool.examples,
            "forms": forms,
            "runs": record_runs(&runs),
            "history": history.iter().map(record_past).collect::<Vec<_>>(),
        }),
    );
    reply.structured.extend(is_library.then(|| ("library".to_owned(), true.into())));
    if is_short {
        reply.structured.insert("source".to_owned(), tool.source.into());
    } else {
        reply.structured.insert("truncated".to_owned(), true.into());
        reply.structured.insert("size".to_owned(), size.into());
    }
    reply.structured.extend(shape.map(|it| ("type".to_owned(), it.into())));
    reply.structured.extend(notation.map(|it| ("notation".to_owned(), it.into())));
    reply.structured.extend(schema.map(|it| ("output_schema".to_owned(), it.into())));
    reply
        .structured
        .extend(tool.properties.as_deref().map(|it| ("properties".to_owned(), it.into())));
    reply.structured.extend(members.map(|it| ("functions".to_owned(), it.into())));
    if let Some((_, steps)) = steps {
        reply.structured.insert(STEPS.to_owned(), step_records(&steps).into());
    }
    reply.structured.extend(certificate.map(|it| ("certificate".to_owned(), it.record())));
    put(&mut reply.structured, "calls", calls);
    put(&mut reply.structured, "called_by", callers);
    if let Some((_, lines)) = difference {
        reply.structured.insert("difference".to_owned(), lines.into());
    }
    reply
}

fn render_source(source: &str, is_short: bool, most: usize) -> String {
    if is_short {
        return text::visible(source).into_owned();
    }
    format!("{} characters, more than the {most} that are shown", source.chars().count())
}

fn render_forms(forms: &[(String, u32)]) -> String {
    let named: Vec<String> = forms.iter().map(|(form, count)| format!("{form} {count}")).collect();
    named.join(", ")
}

fn state(is_library: bool, is_current: bool) -> &'static str {
    match (is_library, is_current) {
        (true, true) => "standard library",
        (true, false) => "standard library, not the current one",
        (false, true) => "current",
        (false, false) => "not the current one",
    }
}

fn render_history(history: &[Past], told: &mut String) {
    if !history.is_empty() {
        told.push_str("\nhistory, the latest first:");
    }
    for past in history {
        let what = past.hash.as_deref().map_or("retired", short);
        let _ = write!(told, "\n- {} {what} (entry {})", past.time, past.entry);
    }
}

/// The properties, one after another.
fn properties(tool: &Definition) -> String {
    let Some(text) = tool.properties.as_deref() else { return String::new() };
    let properties: Vec<String> = serde_json::from_str(text).unwrap_or_default();
    let each = properties.iter().map(|it| text::visible(it).into_owned());
    each.collect::<Vec<_>>().join("; ")
}

/// The functions of a native capability.
fn members(tool: &Definition) -> Option<Vec<String>> {
    serde_json::from_str(tool.members.as_deref()?).ok()
}

/// The output schema, with hidden characters escaped.
fn schema(tool: &Definition, most: usize) -> Option<String> {
    let schema = text::visible(tool.output_schema.as_deref()?);
    let size = schema.chars().count();
    let told = format!(
        "{size} characters, more than the {most} that are shown; read pif://tool/{}",
        tool.name
    );
    Some(if size <= most { schema.into_owned() } else { told })
}

/// The examples, separated by blanks.
fn examples(json: &str) -> String {
    let examples: Vec<&RawValue> = serde_json::from_str(json).unwrap_or_default();
    let lines: Vec<String> = examples.iter().map(|it| text::line(it.get(), 200)).collect();
    lines.join(" ")
}

fn median(fuel: &[i64]) -> Option<i64> {
    fuel.get(fuel.len() / 2).copied()
}

fn render_runs(runs: &Statistics) -> String {
    let Some(median) = median(&runs.fuel) else { return String::new() };
    let (least, most) = (runs.fuel.first(), runs.fuel.last());
    format!(
        "{} of late, {} of them faults, fuel {}–{}, median {median}",
        runs.fuel.len(),
        runs.faults,
        least.unwrap_or(&0),
        most.unwrap_or(&0),
    )
}

fn record_runs(runs: &Statistics) -> Value {
    let mut record = json!({"count": runs.fuel.len(), "faults": runs.faults});
    if let (Some(least), Some(median), Some(most), Some(members)) =
        (runs.fuel.first(), median(&runs.fuel), runs.fuel.last(), record.as_object_mut())
    {
        members.insert("fuel".to_owned(), json!({"least": least, "median": median, "most": most}));
    }
    record
}

fn record_past(past: &Past) -> Value {
    let mut record = json!({
        "description": text::visible(&past.description),
        "time": past.time,
        "entry": past.entry,
    });
    if let (Some(hash), Some(members)) = (&past.hash, record.as_object_mut()) {
        members.insert("revision".to_owned(), hash.as_str().into());
    }
    record
}
