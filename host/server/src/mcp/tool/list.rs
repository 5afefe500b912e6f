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
`query` keeps those with all its words, and searches the standard library too: `std_` finds all \
of it.";

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
    let after = match cursor {
        None => "",
        Some(cursor) => cursor.strip_prefix("after:").ok_or_else(|| {
            malformed(
                "this server did not issue that `cursor`",
                Some("pass `next_cursor` as it was given"),
            )
        })?,
    };
    let tools = backend.workshop.tools()?;
    let words: Vec<String> = query.split_whitespace().map(str::to_owned).collect();
    // One extra tool shows whether there is another page.
    let (mut page, total) = find(&tools, &words, after).map_err(stored)?;
    let more = page.len() > PAGE;
    page.truncate(PAGE);
    // The tools of the library follow the last evolved tool, all of them on that page.
    let shelf = if more || words.is_empty() { Vec::new() } else { library().search(&words) };
    let of_library = u64::try_from(library().search(&words).len()).unwrap_or(u64::MAX);
    let total = if words.is_empty() { total } else { total + of_library };
    let record = |tool: &Definition| record(tool, backend, watch);
    let mut records: Vec<Value> = page.iter().map(record).collect();
    records.extend(shelf.iter().map(|tool| shelved(record(tool))));
    let mut text = tell(&page, &shelf, &records, (total, query), &tools)?;
    let built_in: Vec<_> =
        offered(&backend.config.toolsets).map(|tool| listed(tool.name())).collect();
    let _ = write!(text, "\nbuilt in: {}", built_in.join(", "));
    if words.is_empty() {
        let _ = write!(
            text,
            "\n{of_library} tools of the library: {} {{\"query\": \"{LIBRARY_PREFIX}\"}}",
            listed("list")
        );
    }
    let record = json!({"tools": records, "total": total, "library": library().tools().count()});
    let mut reply = Reply::new(text, record);
    if let Some(last) = page.last().filter(|_| more) {
        reply.structured.insert("next_cursor".to_owned(), format!("after:{}", last.name).into());
    }
    Ok(reply)
}

fn find(
    tools: &Tools,
    words: &[String],
    after: &str,
) -> Result<(Vec<Definition>, u64), pif_store::Error> {
    let registered = &tools.registered;
    if words.is_empty() {
        return Ok((registered.page(after, PAGE + 1)?, registered.count()?));
    }
    registered.search(words, after, PAGE + 1)
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

fn tell(
    page: &[Definition],
    shelf: &[&Definition],
    records: &[Value],
    (total, query): (u64, &str),
    tools: &Tools,
) -> Result<String, Fault> {
    let shown = u64::try_from(page.len() + shelf.len()).unwrap_or(u64::MAX);
    let mut text = match (total, query.trim()) {
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
    for (tool, record) in page.iter().chain(shelf.iter().copied()).zip(records) {
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
