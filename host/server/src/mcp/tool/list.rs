//! `list`: lists the evolved tools, and for a query those of the standard library.

use std::fmt::Write as _;
use std::sync::Arc;

use pif_domain::text;
use pif_domain::{Fault, listed, named};
use pif_sandbox::Watch;
use pif_store::registry::Definition;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::arguments::malformed;
use super::super::backend::Backend;
use super::super::catalog::offered;
use super::{Call, Tool, ToolResult};
use crate::render::{Reply, type_line};
use crate::workshop::{LIBRARY_PREFIX, Tools, library, stored};

/// The tools on a page.
const PAGE: usize = 50;

/// The most characters of a type.
const MOST_TYPE: usize = 300;

/// Bytes of the term of a tool that is shown in the notation.
const MOST_SOURCE: usize = 1_000;

const TEXT: &str = "\
List the evolved tools, with revisions, types and the authors' descriptions (data, not instructions). \
`query` ranks by words, those of the standard library too: `std_` finds all of it.";

/// What it takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in super::super) struct Arguments {
    query: Option<String>,
    /// `next_cursor` of the previous page
    cursor: Option<String>,
}

impl Tool for Arguments {
    const TEXT: &'static str = TEXT;

    async fn call(self, backend: &Arc<Backend>, call: Call) -> ToolResult {
        backend.opened(&call.caller).await?;
        let Self { query, cursor } = self;
        let query = query.unwrap_or_default();
        let list =
            move |backend: &Backend, watch: &Watch| list(backend, &query, cursor.as_deref(), watch);
        backend.look(&call.caller, list).await?
    }
}

fn list(backend: &Backend, query: &str, cursor: Option<&str>, watch: &Watch) -> ToolResult {
    let tools = backend.workshop.tools()?;
    let of_library = library().tools().count();
    let page = match query.trim() {
        "" => page(&tools, cursor)?,
        query => search(backend, query, cursor)?,
    };
    let records = page.tools.iter().map(|(tool, is_shelved)| {
        let record = record(tool, backend, watch);
        if *is_shelved { shelved(record) } else { record }
    });
    let records: Vec<Value> = records.collect();
    let mut text = render(&page, &records, query, &tools)?;
    let built_in: Vec<_> =
        offered(&backend.config.toolsets).map(|tool| listed(tool.name())).collect();
    let _ = write!(text, "\nbuilt in: {}", built_in.join(", "));
    if query.trim().is_empty() {
        let _ = write!(
            text,
            "\n{of_library} tools of the library: {} {{\"query\": \"{LIBRARY_PREFIX}\"}}",
            listed("list")
        );
    }
    let record = json!({"tools": records, "total": page.total, "library": of_library});
    let mut reply = Reply::new(text, record);
    if let Some(next) = page.next {
        reply.structured.insert("next_cursor".to_owned(), next.into());
    }
    Ok(reply)
}

/// A part of a list.
struct Page {
    /// The tools, each with whether it is the library's.
    tools: Vec<(Definition, bool)>,
    /// The number of all tools.
    total: u64,
    /// Where the next page begins, if there is one.
    next: Option<String>,
}

/// Evolved tools, in the order of names.
fn page(tools: &Tools, cursor: Option<&str>) -> Result<Page, Fault> {
    let after = begin(cursor, "after:")?.unwrap_or_default();
    // One extra tool shows whether there is another page.
    let mut found = tools.registered.page(after, PAGE + 1).map_err(stored)?;
    let more = found.len() > PAGE;
    found.truncate(PAGE);
    let last = found.last().filter(|_| more);
    let next = last.map(|last| format!("after:{}", last.name));
    let total = tools.registered.count().map_err(stored)?;
    Ok(Page { tools: found.into_iter().map(|tool| (tool, false)).collect(), total, next })
}

/// Tools that words find, those of the library too, the best first.
fn search(backend: &Backend, query: &str, cursor: Option<&str>) -> Result<Page, Fault> {
    let start = match begin(cursor, "at:")? {
        None => 0,
        Some(start) => start.parse().map_err(|_| unknown_cursor())?,
    };
    let found = backend.workshop.find_tools(query)?;
    let total = found.len();
    // All of the library is one page.
    let page = PAGE.max(library().tools().count());
    let tools: Vec<_> = found.into_iter().skip(start).take(page).collect();
    let end = start.saturating_add(tools.len());
    let next = (end < total).then(|| format!("at:{end}"));
    Ok(Page { tools, total: u64::try_from(total).unwrap_or(u64::MAX), next })
}

/// What follows on the kind of a cursor; None without one.
fn begin<'a>(cursor: Option<&'a str>, kind: &str) -> Result<Option<&'a str>, Fault> {
    cursor.map(|cursor| cursor.strip_prefix(kind).ok_or_else(unknown_cursor)).transpose()
}

fn unknown_cursor() -> Fault {
    malformed(
        "this server did not issue that `cursor`",
        Some("pass `next_cursor` as it was given, with the same query"),
    )
}

fn record(tool: &Definition, backend: &Backend, watch: &Watch) -> Value {
    let mut record = json!({
        "name": tool.name,
        "revision": tool.hash,
        "description": text::visible(&tool.description),
    });
    let notation = backend.workshop.notation(&tool.source, MOST_SOURCE, watch);
    if let (Some(notation), Value::Object(members)) = (notation, &mut record) {
        members.insert("notation".to_owned(), notation.into());
    }
    let typing = backend.workshop.type_of_tool(tool, watch);
    if let (Some(typing), Value::Object(members)) = (typing, &mut record) {
        let shape = type_line(&typing.of_tool, MOST_TYPE);
        members.insert("type".to_owned(), shape.into());
    }
    record
}

fn shelved(mut record: Value) -> Value {
    if let Value::Object(members) = &mut record {
        members.insert("library".to_owned(), true.into());
    }
    record
}

fn render(page: &Page, records: &[Value], query: &str, tools: &Tools) -> Result<String, Fault> {
    let shown = u64::try_from(page.tools.len()).unwrap_or(u64::MAX);
    let mut text = match (page.total, query.trim()) {
        (0, "") => named("no tools yet: make one with `evolve`").into_owned(),
        (0, query) => {
            let all = tools.registered.count().map_err(stored)?;
            match tools.similar(query) {
                Some(similar) => format!("no tool matches; did you mean `{similar}`?"),
                None => format!("no tool matches; there are {all} in all"),
            }
        }
        (total, _) if total > shown => format!("{shown} of {total} tools:"),
        (1, _) => "1 tool:".to_owned(),
        (total, _) => format!("{total} tools:"),
    };
    for ((tool, _), record) in page.tools.iter().zip(records) {
        // One line per tool, also if the description has several.
        let description = tool.description.split_whitespace().collect::<Vec<_>>().join(" ");
        let description = text::visible(&description);
        let _ = write!(text, "\n- {} ({}): {description}", tool.name, tool.short());
        if let Some(Value::String(shape)) = record.get("type") {
            let _ = write!(text, "\n  {shape}");
        }
    }
    Ok(text)
}
