//! Resources that a client can read without a tool call: the source of tools at any revision,
//! entries of the journal and the language reference.

use pif_domain::json::object;
use pif_domain::text;
use pif_store::journal::{Entry, ONLY_CHAIN};
use pif_store::registry::{self, Definition, name};
use rmcp::model::{
    ErrorData, ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate,
};
use serde_json::{Value, json};

use super::backend::Backend;
use crate::workshop::REFERENCE;
use crate::workshop::library;

/// The resources on a page.
const PAGE: usize = 100;

/// The prefix of page cursors.
pub(super) const CURSOR: &str = "after:";

/// The most characters of a URI in an error.
const MOST_URI: usize = 200;

const LANGUAGE: &str = "pif://language";
const TOOL: &str = "pif://tool/";
const JOURNAL: &str = "pif://journal/";

/// The URI templates, one per kind of resource.
pub(super) const OF_TOOL: &str = "pif://tool/{name}";
pub(super) const OF_REVISION: &str = "pif://tool/{name}@{hash}";
pub(super) const OF_ENTRY: &str = "pif://journal/{entry}";

const JSON: &str = "application/json";
const MARKDOWN: &str = "text/markdown";

/// Lists the language reference, then the tools by name. The entries of the journal are too many to
/// list.
pub(super) fn list(
    backend: &Backend,
    cursor: Option<&str>,
) -> Result<ListResourcesResult, ErrorData> {
    let cursor = cursor.filter(|cursor| !cursor.is_empty());
    let after = match cursor {
        None => "",
        Some(cursor) => cursor.strip_prefix(CURSOR).ok_or_else(unknown_cursor)?,
    };
    let tools = backend.workshop.registry.snapshot().map_err(failed)?;
    // One extra tool shows whether there is another page.
    let mut page = tools.page(after, PAGE + 1).map_err(failed)?;
    let more = page.len() > PAGE;
    page.truncate(PAGE);
    let next = page.last().filter(|_| more).map(|tool| format!("{CURSOR}{}", tool.name));
    let mut resources = Vec::with_capacity(page.len() + 1);
    if cursor.is_none() {
        let about = "The forms of terms, what they mean and cost, limits and faults";
        resources.push(
            Resource::new(LANGUAGE, "language")
                .with_title("The language")
                .with_description(about)
                .with_mime_type(MARKDOWN)
                .with_size(count(REFERENCE.len())),
        );
    }
    resources.extend(page.iter().map(describe));
    let mut result = ListResourcesResult::with_all_items(resources);
    result.next_cursor = next;
    Ok(result)
}

/// The resource of a tool. The text of a model appears only in the description.
fn describe(tool: &Definition) -> Resource {
    let about = text::visible(&tool.description);
    Resource::new(format!("{TOOL}{}", tool.name), tool.name.as_str())
        .with_title(tool.name.as_str())
        .with_description(format!("{about}\n(evolved, {})", tool.short()))
        .with_mime_type(JSON)
}

pub(super) fn templates(cursor: Option<&str>) -> Result<ListResourceTemplatesResult, ErrorData> {
    // All templates are on one page, so no cursor is valid.
    if cursor.is_some_and(|cursor| !cursor.is_empty()) {
        return Err(unknown_cursor());
    }
    let template = |uri: &str, name: &str, title: &str, about: &str| {
        ResourceTemplate::new(uri, name)
            .with_title(title)
            .with_description(about)
            .with_mime_type(JSON)
    };
    Ok(ListResourceTemplatesResult::with_all_items(vec![
        template(
            OF_TOOL,
            "tool",
            "An evolved tool",
            "its source, with its description, revision and examples",
        ),
        template(
            OF_REVISION,
            "revision",
            "A tool at a revision",
            "the same as it was then; `hash` is that of the revision, or 8 of its first digits or more",
        ),
        template(OF_ENTRY, "entry", "An entry of the journal", "by its number"),
    ]))
}

/// The error of an invalid cursor.
pub(super) fn unknown_cursor() -> ErrorData {
    ErrorData::invalid_params("unknown cursor: pass `nextCursor` as it was given", None)
}

/// Reads a resource. Its content is exact.
pub(super) fn read(backend: &Backend, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let (text, kind) = if uri == LANGUAGE {
        (REFERENCE.to_owned(), MARKDOWN)
    } else if let Some(reference) = uri.strip_prefix(TOOL) {
        (read_tool(backend, uri, reference)?, JSON)
    } else if let Some(entry) = uri.strip_prefix(JOURNAL) {
        (read_entry(backend, uri, entry)?, JSON)
    } else {
        let known = [LANGUAGE, OF_TOOL, OF_REVISION, OF_ENTRY].join("`, `");
        return Err(missing(uri, &format!("there are `{known}`")));
    };
    let contents = ResourceContents::text(text, uri).with_mime_type(kind);
    Ok(ReadResourceResult::new(vec![contents]))
}

fn read_tool(backend: &Backend, uri: &str, reference: &str) -> Result<String, ErrorData> {
    // Some clients escape everything except letters and digits.
    let reference = reference.replace("%40", "@");
    let tools = backend.workshop.registry.snapshot().map_err(failed)?;
    match tools.find(&reference) {
        Ok(Some(tool)) => Ok(render_tool(&tool)),
        Ok(None) if let Some(tool) = library().find(&reference) => Ok(render_tool(tool)),
        Ok(None) => {
            let (name, pin) = name::split(&reference);
            let is_known = !tools.history(name, 1).map_err(failed)?.is_empty();
            if pin.is_some() && (is_known || library().find(name).is_some()) {
                return Err(missing(uri, "the tool has no such revision"));
            }
            let similar = tools.similar(name).map_err(failed)?;
            let similar = similar.or_else(|| library().similar(name).map(str::to_owned));
            let reason = match similar {
                Some(similar) => format!("did you mean `{TOOL}{similar}`?"),
                None => "no tool has that name".to_owned(),
            };
            Err(missing(uri, &reason))
        }
        Err(registry::Error::Store(error)) => Err(failed(error)),
        Err(error) => Err(missing(uri, &error.to_string())),
    }
}

fn render_tool(tool: &Definition) -> String {
    let text = |text: &str| Value::from(text).to_string();
    // The term, the examples and the schema are JSON text already.
    let name = text(&tool.name);
    let hash = text(&tool.hash);
    let about = text(&tool.description);
    let members = [
        ("name", name.as_str()),
        ("revision", hash.as_str()),
        ("description", about.as_str()),
        ("code", &tool.source),
        ("examples", &tool.examples),
    ];
    let schema = tool.output_schema.as_deref().map(|schema| ("output_schema", schema));
    let properties = tool.properties.as_deref().map(|properties| ("properties", properties));
    visible(&object(members.into_iter().chain(schema).chain(properties)))
}

fn read_entry(backend: &Backend, uri: &str, number: &str) -> Result<String, ErrorData> {
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    let id = number.parse().ok().filter(|_| is_number);
    let Some(id) = id else { return Err(missing(uri, "entries have numbers, from 1")) };
    match backend.workshop.journal.entry(id).map_err(failed)? {
        Some(entry) => Ok(render_entry(&entry)),
        None => Err(missing(uri, "the journal does not have this entry, or has removed it")),
    }
}

fn render_entry(entry: &Entry) -> String {
    let Entry { id, time, kind, subject, ending, fuel, component, body, hash, principal, .. } =
        entry;
    let chain = (entry.chain != ONLY_CHAIN).then_some(entry.chain);
    let record = json!({
        "entry": id,
        "time": time,
        "kind": kind,
        "subject": subject,
        "ending": ending,
        "fuel": fuel,
        "component": component,
        "principal": principal,
        "chain": chain,
        "hash": hash.to_string(),
    });
    let members: Vec<(String, String)> = record
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| (name.clone(), value.to_string()))
        .chain([("body".to_owned(), body.clone())])
        .collect();
    visible(&object(members.iter().map(|(name, value)| (name.as_str(), value.as_str()))))
}

/// Escapes the hidden characters of JSON text. They can only be in strings, where an escape means
/// the same.
fn visible(json: &str) -> String {
    text::visible(json).into_owned()
}

fn missing(uri: &str, reason: &str) -> ErrorData {
    let uri = text::line(uri, MOST_URI);
    let reason = text::line(reason, MOST_URI);
    let message = format!("there is no resource {}: {reason}", text::quote_one(&uri));
    ErrorData::resource_not_found(message, Some(json!({ "uri": uri })))
}

/// The error of a store that failed.
#[expect(clippy::needless_pass_by_value, reason = "map_err passes values")]
pub(super) fn failed(error: pif_store::Error) -> ErrorData {
    tracing::error!(%error, "the store failed");
    ErrorData::internal_error(error.to_string(), None)
}

fn count(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}
