//! `check`: looks at a term without running it.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::super::arguments::{Arguments, decode, malformed};
use super::super::backend::Backend;
use super::{Call, Description, ToolResult, any_json, arguments, reply};
use crate::render::{Refusal, Reply, describe as tell_summary, notes, put};

const TEXT: &str = "\
Check a term without running it: all faults with place and hint; or its canonical text, revision, \
forms, free variables, tools named, whether it is pure, and notes on likely mistakes. Use it before \
`evolve`, or to find out why a term is refused.";

pub(super) fn describe() -> Description {
    Description {
        title: "Check a term".to_owned(),
        text: TEXT.to_owned(),
        input: arguments(&json!({"code": any_json(1, "a term, or its JSON text")}), &["code"]),
        output: reply(
            &json!({"canonical": {"type": "string"}, "revision": {"type": "string"}, "pure": {"type": "boolean"}}),
        ),
        read_only: true,
    }
}

pub(super) async fn call(backend: &Arc<Backend>, call: Call) -> ToolResult {
    let arguments = Arguments::parse(&call.arguments, "check", &["code"])?;
    let code = match arguments.term("code") {
        Some(raw) if raw.starts_with('"') => decode("code", raw)?,
        Some(raw) => raw.to_owned(),
        None => return Err(malformed("`code` is missing", Some("add the term to check")).into()),
    };
    let summary = backend.check(code, &call.caller).await.map_err(|it| Refusal::of_all(&it))?;
    let text = shorten(tell_summary(&summary), backend.config.max_result);
    let tools = summary.names();
    let forms: Map<String, Value> =
        summary.forms.into_iter().map(|(form, count)| (form, count.into())).collect();
    let mut found =
        Reply::new(text, json!({"revision": summary.hash, "form": summary.form, "forms": forms}));
    found.structured.insert("pure".to_owned(), summary.pure.into());
    if !summary.notes.is_empty() {
        found.structured.insert("notes".to_owned(), notes(&summary.notes).into());
    }
    let size = summary.canonical.chars().count();
    if size <= backend.config.max_result {
        found.structured.insert("canonical".to_owned(), summary.canonical.into());
    } else {
        found.structured.insert("truncated".to_owned(), true.into());
        found.structured.insert("size".to_owned(), size.into());
    }
    put(&mut found.structured, "free", summary.free);
    put(&mut found.structured, "tools", tools);
    Ok(found)
}

/// A text that is too long says so instead of ending somewhere.
fn shorten(text: String, most: usize) -> String {
    let size = text.chars().count();
    if size <= most {
        return text;
    }
    format!(
        "ok: the term is well formed; what there is to say of it has {size} characters, too many to show"
    )
}
