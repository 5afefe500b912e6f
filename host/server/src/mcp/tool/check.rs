//! `check`: checks a term without running it.

use std::sync::Arc;

use pif_domain::Limit;
use pif_sandbox::Watch;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::super::arguments::{decode, term, text_of};
use super::super::backend::Backend;
use super::{Call, Tool, ToolResult, reply};
use crate::config::Profile;
use crate::render::{Refusal, Reply, describe as tell_summary, fixed, notes, put};

const TEXT: &str = "\
Check a program without running it: all faults with places and hints; or its JSON term, revision, free variables, \
its type, where it surely fails, the tools that it calls, and notes on likely mistakes.";

/// What it takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in super::super) struct Arguments {
    /// a program, or its JSON term
    #[schemars(schema_with = "term")]
    code: Box<RawValue>,
}

impl Tool for Arguments {
    const TEXT: &'static str = TEXT;

    fn output(_: Profile) -> Value {
        reply(&json!({
            "notation": {"type": "string"},
            "revision": {"type": "string"},
            "pure": {"type": "boolean"},
            "type": {"type": "string"},
        }))
    }

    async fn call(self, backend: &Arc<Backend>, call: Call) -> ToolResult {
        let code = match self.code.get() {
            raw if raw.starts_with('"') => decode("code", raw)?,
            _ => text_of(self.code),
        };
        check(backend, code, &call).await
    }
}

async fn check(backend: &Arc<Backend>, code: String, call: &Call) -> ToolResult {
    let checked = backend.check(code.clone(), &call.caller).await;
    let summary = checked.map_err(|it| Refusal::of_all(&it))?;
    let infer = move |backend: &Backend, watch: &Watch| {
        let told = backend.workshop.type_of(&summary, &code, watch);
        (summary, told)
    };
    let (summary, told) = backend.look(&call.caller, infer).await?;
    let text =
        shorten(tell_summary(&summary, told.as_ref()), backend.config.values.size(Limit::Result));
    let tools = summary.names();
    let needs = summary.needs.iter().map(|it| it.name.clone()).collect();
    let forms: Map<String, Value> =
        summary.forms.into_iter().map(|(form, count)| (form, count.into())).collect();
    let mut found =
        Reply::new(text, json!({"revision": summary.hash, "form": summary.form, "forms": forms}));
    found.structured.insert("pure".to_owned(), summary.pure.into());
    if summary.computed {
        found.structured.insert("computed".to_owned(), true.into());
    }
    if !summary.notes.is_empty() {
        found.structured.insert("notes".to_owned(), notes(&summary.notes).into());
    }
    if let Some(fixed) = fixed(&summary.notes) {
        found.structured.insert("fixed".to_owned(), fixed.into());
    }
    let most = backend.config.values.size(Limit::Result);
    if !summary.notation.is_empty() && summary.notation.chars().count() <= most {
        found.structured.insert("notation".to_owned(), summary.notation.into());
    }
    let size = summary.canonical.chars().count();
    if size <= most {
        found.structured.insert("canonical".to_owned(), summary.canonical.into());
    } else {
        found.structured.insert("truncated".to_owned(), true.into());
        found.structured.insert("size".to_owned(), size.into());
    }
    put(&mut found.structured, "free", summary.free);
    put(&mut found.structured, "tools", tools);
    put(&mut found.structured, "needs", needs);
    if let Some(told) = &told {
        told.put(&mut found.structured);
    }
    Ok(found)
}

/// A text that is too long is replaced by a sentence with its size.
fn shorten(text: String, most: usize) -> String {
    let size = text.chars().count();
    if size <= most {
        return text;
    }
    format!("ok: the term is well formed; its description has {size} characters, too many to show")
}
