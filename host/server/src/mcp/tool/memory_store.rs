//! `memory_store`: keeps a value under a key, or forgets one.

use std::fmt::Write as _;
use std::sync::Arc;

use pif_domain::text;
use pif_domain::{EntryEnding, Fault, FaultCode, Limit};
use pif_sandbox::Watch;
use pif_store::memory::{Kept, LONGEST_KEY, Note};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::super::arguments::{any, any_value, malformed};
use super::super::backend::Backend;
use super::{Call, Tool, ToolResult};
use crate::render::{Reply, object};
use crate::workshop::{Remember, stored, too_large, unkept};

const TEXT: &str = "\
Keep any JSON under a key, such as `user/units`, for later conversations. It comes back exactly. A \
known key gets the new value, and keeps its tags unless you give `tags`. `forget` removes the key. \
Store no secrets.";

/// What it takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in super::super) struct Arguments {
    key: String,
    /// any JSON
    #[serde(default, deserialize_with = "any")]
    #[schemars(schema_with = "any_value")]
    value: Option<Box<RawValue>>,
    /// up to 16; they replace its tags
    tags: Option<Vec<String>>,
    #[serde(default)]
    forget: bool,
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
        tell(backend, &change, &kept)
    };
    match backend.look(&call.caller, remember).await? {
        Ok(reply) => Ok(reply),
        // If the store failed, the refusal cannot be journaled either.
        Err(fault) if fault.code == FaultCode::Storage => Err(fault.into()),
        Err(fault) => Err(backend.refuse("memory_store", &call, fault).await),
    }
}

impl Arguments {
    fn change(self, backend: &Backend) -> Result<Remember, Fault> {
        let Self { key, value, tags, forget } = self;
        let most = backend.config.values.size(Limit::Data);
        match (forget, value) {
            (true, None) if tags.is_none() => Ok(Remember::Forget(key)),
            (true, _) => {
                let hint = "to forget a key give nothing else: {\"key\": …, \"forget\": true}";
                Err(malformed("`forget` is given with a value or tags", Some(hint)))
            }
            (false, None) => {
                let hint = "add the value, any JSON (null is one), or \"forget\": true";
                Err(malformed("the argument `value` is missing", Some(hint)))
            }
            (false, Some(value)) if value.get().len() > most => {
                Err(too_large(Limit::Data, "value", value.get().len(), most))
            }
            (false, Some(value)) => {
                Note::new(key, value.get(), tags).map(Remember::Keep).map_err(unkept)
            }
        }
    }
}

fn tell(backend: &Backend, change: &Remember, kept: &Kept) -> Result<Reply, Fault> {
    let key = match change {
        Remember::Keep(note) => note.key(),
        Remember::Forget(key) => key,
    };
    // A key to forget may be any text.
    let quoted = text::quote_one(key);
    let mut record =
        object(json!({"key": text::line(key, LONGEST_KEY), "status": kept.status.name()}));
    let Some(memo) = &kept.memo else {
        let text = match kept.status {
            EntryEnding::Forgotten => format!("forgot {quoted}"),
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
        EntryEnding::Unchanged => format!("nothing changed: {quoted} already has this value"),
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
    if !memo.tags.is_empty() {
        record.insert("tags".to_owned(), Value::from(memo.tags.clone()));
    }
    Ok(Reply::new(text, record.into()))
}
