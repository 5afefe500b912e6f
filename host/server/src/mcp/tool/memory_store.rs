//! `memory_store`: keeps a value under a key, or forgets one.

use std::fmt::Write as _;
use std::sync::Arc;

use pif_domain::text;
use pif_domain::{EntryOutcome, Fault, Limit};
use pif_sandbox::Watch;
use pif_store::memory::{LONGEST_KEY, MemoryChange, Note};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::super::arguments::{any, any_value, malformed, schema};
use super::super::backend::Backend;
use super::{Call, Tool, ToolResult};
use crate::render::{Reply, object, rounded};
use crate::workshop::{Remember, stored, too_large, unkept};

const TEXT: &str = "\
Keep any JSON under a key, such as `user/units`, for later conversations; without one a key is made. It comes back \
exactly. `context` says when it helps: tell by `outcome` whether it did. A known key keeps its tags unless you give \
`tags`. Store no secrets.";

/// What it takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in super::super) struct Arguments {
    key: Option<String>,
    /// any JSON
    #[serde(default, deserialize_with = "any")]
    #[schemars(schema_with = "any_value")]
    value: Option<Box<RawValue>>,
    /// another name of `value`
    #[serde(default, deserialize_with = "any")]
    #[schemars(schema_with = "any_value")]
    pattern: Option<Box<RawValue>>,
    /// the situation in which it helps, in words
    context: Option<String>,
    /// how sure you are, 0 to 1: 0.8 without it
    confidence: Option<f64>,
    /// up to 16; they replace its tags
    tags: Option<Vec<String>>,
    #[serde(default)]
    #[schemars(schema_with = "outcomes")]
    outcome: Option<Outcome>,
    /// removes the key
    #[serde(default)]
    forget: bool,
}

/// Whether a value helped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Helped,
    Failed,
}

fn outcomes(_: &mut SchemaGenerator) -> Schema {
    let message = "of a key that was used: its confidence moves";
    schema(json!({"type": "string", "enum": ["helped", "failed"], "description": message}))
}

impl Tool for Arguments {
    const TEXT: &'static str = TEXT;

    async fn call(self, backend: &Arc<Backend>, call: Call) -> ToolResult {
        match self.change(backend) {
            Ok(change) => remember(backend, change, call).await,
            Err(fault) => Err(backend.refuse("memory_store", &call, fault).await),
        }
    }
}

async fn remember(backend: &Arc<Backend>, change: Remember, call: Call) -> ToolResult {
    let arguments = call.text();
    let remember = move |backend: &Backend, _: &Watch| {
        let kept = backend.workshop.remember(&change, &arguments)?;
        render(backend, &change, &kept)
    };
    match backend.look(&call.caller, remember).await? {
        Ok(reply) => Ok(reply),
        // If the store failed, the refusal cannot be journaled either.
        Err(fault) if fault.code.is_of_store() => Err(fault.into()),
        Err(fault) => Err(backend.refuse("memory_store", &call, fault).await),
    }
}

impl Arguments {
    fn change(self, backend: &Backend) -> Result<Remember, Fault> {
        let Self { key, value, pattern, context, confidence, tags, outcome, forget } = self;
        let most = backend.config.values.size(Limit::Data);
        let is_plain = value.is_none()
            && pattern.is_none()
            && tags.is_none()
            && context.is_none()
            && confidence.is_none();
        match (key, outcome, forget) {
            (Some(key), None, true) if is_plain => Ok(Remember::Forget(key)),
            (Some(key), Some(outcome), false) if is_plain => {
                Ok(Remember::Outcome { key, helped: outcome == Outcome::Helped })
            }
            (_, Some(_), _) => {
                let hint = "give the key alone: {\"key\": …, \"outcome\": \"helped\"}";
                Err(malformed("`outcome` is not of a key alone", Some(hint)))
            }
            (_, None, true) => {
                let hint = "to forget a key give nothing else: {\"key\": …, \"forget\": true}";
                Err(malformed("`forget` is given with something beside the key", Some(hint)))
            }
            (key, None, false) => {
                let value = match (value, pattern) {
                    (Some(value), None) | (None, Some(value)) => value,
                    (Some(_), Some(_)) => {
                        let hint = "`pattern` is another name of `value`: give one";
                        return Err(malformed("`value` and `pattern` are both given", Some(hint)));
                    }
                    (None, None) => {
                        let hint = "add the value, any JSON (null is one), or \"forget\": true";
                        return Err(malformed("the argument `value` is missing", Some(hint)));
                    }
                };
                if value.get().len() > most {
                    return Err(too_large(Limit::Data, "value", value.get().len(), most));
                }
                let note = match key {
                    Some(key) => Note::new(key, value.get(), tags),
                    None => Note::keyless(value.get(), tags, context.as_deref()),
                };
                let note = note.and_then(|note| note.learned(context, confidence));
                note.map(Remember::Keep).map_err(unkept)
            }
        }
    }
}

fn render(backend: &Backend, change: &Remember, kept: &MemoryChange) -> Result<Reply, Fault> {
    // A value that stands already has the key that it has.
    let key = match (&kept.memo, change) {
        (Some(memo), _) => memo.key.as_str(),
        (None, Remember::Keep(note)) => note.key(),
        (None, Remember::Forget(key) | Remember::Outcome { key, .. }) => key,
    };
    // A key to forget may be any text.
    let quoted = text::quote_one(key);
    let mut record =
        object(json!({"key": text::line(key, LONGEST_KEY), "status": kept.status.name()}));
    let Some(memo) = &kept.memo else {
        let text = match kept.status {
            EntryOutcome::Forgotten => format!("forgot {quoted}"),
            _ => match backend.workshop.memory.similar(key).map_err(stored)? {
                Some(near) => format!(
                    "nothing changed: the memory has no key {quoted}; did you mean {}?",
                    text::quote_one(&near)
                ),
                None => format!("nothing changed: the memory has no key {quoted}"),
            },
        };
        return Ok(Reply::new(text, record.into()));
    };
    let mut text = match kept.status {
        _ if kept.counted => {
            let successes = memo.successes;
            let tries = memo.tries;
            format!(
                "{quoted} helped {successes} of {tries} times: confidence {:.2}",
                memo.confidence()
            )
        }
        EntryOutcome::Unchanged => format!("nothing changed: {quoted} already has this value"),
        status => format!("{status} {quoted} ({} characters)", memo.size),
    };
    let most = backend.config.values.size(Limit::Result);
    if usize::try_from(memo.size).is_ok_and(|size| size > most) {
        let _ = write!(
            text,
            "\nwarning: replies show at most {most} characters; memory_retrieve will show only its size: \
             store it in parts, under several keys"
        );
    }
    record.insert("size".to_owned(), memo.size.into());
    record.insert("created".to_owned(), memo.created.into());
    record.insert("updated".to_owned(), memo.updated.into());
    record.insert("confidence".to_owned(), rounded(memo.confidence()).into());
    if !memo.context.is_empty() {
        record.insert("context".to_owned(), memo.context.as_str().into());
    }
    if !memo.tags.is_empty() {
        record.insert("tags".to_owned(), Value::from(memo.tags.clone()));
    }
    Ok(Reply::new(text, record.into()))
}
