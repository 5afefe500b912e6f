//! `memory_store`: keeps a value under a key, or forgets one.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Value, json};

use super::super::arguments::{Arguments, malformed};
use super::super::backend::Backend;
use super::{Call, Description, ToolResult, any_json, arguments, reply, texts};
use crate::domain::{EntryEnding, Fault, FaultCode, Limit};
use crate::memory::{Kept, LONGEST_KEY, Note};
use crate::render::{Reply, object};
use crate::sandbox::Watch;
use crate::text;
use crate::workshop::{Remember, stored, too_large, unkept};

const KNOWN: [&str; 4] = ["key", "value", "tags", "forget"];

const TEXT: &str = "\
Keep any JSON under a key, for later calls and conversations: facts, preferences, results. \
{\"key\":\"user/units\",\"value\":\"metric\",\"tags\":[\"user\"]}
It comes back exactly as written, null and false too. A known key gets the new value, and keeps its tags unless \
`tags` are given. {\"key\":\"user/units\",\"forget\":true} removes it. `memory_retrieve` finds it. Put no secrets here.";

pub(super) fn describe() -> Description {
    let properties = json!({
        "key": {"type": "string", "description": "1 to 256 visible characters"},
        "value": any_json(2, "any JSON"),
        "tags": texts("up to 16, instead of those it has"),
        "forget": {"type": "boolean", "description": "remove the key instead; no `value` then"},
    });
    Description {
        title: "Store in the memory".to_owned(),
        text: TEXT.to_owned(),
        input: arguments(&properties, &["key"]),
        output: reply(&json!({"key": {"type": "string"}, "status": {"type": "string"}})),
        read_only: false,
    }
}

pub(super) async fn call(backend: &Arc<Backend>, call: Call) -> ToolResult {
    let change = match read(backend, &call.arguments) {
        Ok(change) => change,
        Err(fault) => return Err(backend.refuse("memory_store", &call, fault).await),
    };
    let arguments = Arc::clone(&call.arguments);
    let remember = move |backend: &Backend, _: &Watch| {
        let kept = backend.workshop.remember(&change, &arguments)?;
        tell(backend, &change, &kept)
    };
    match backend.look(&call.caller, remember).await? {
        Ok(reply) => Ok(reply),
        // It could not journal a refusal either.
        Err(fault) if fault.code == FaultCode::Storage => Err(fault.into()),
        Err(fault) => Err(backend.refuse("memory_store", &call, fault).await),
    }
}

fn read(backend: &Backend, text: &str) -> Result<Remember, Fault> {
    let arguments = Arguments::parse(text, "memory_store", &KNOWN)?;
    let key = arguments.required("key", "the key, such as \"user/units\"")?;
    let (value, tags) = (arguments.term("value"), arguments.texts("tags")?);
    match (arguments.flag("forget")?, value) {
        (true, None) if tags.is_none() => Ok(Remember::Forget(key)),
        (true, _) => {
            let hint = "to forget a key give nothing else: {\"key\": …, \"forget\": true}";
            Err(malformed("`forget` is given with a value or tags", Some(hint)))
        }
        (false, None) => {
            let hint = "add the value, any JSON (null is one), or \"forget\": true";
            Err(malformed("the argument `value` is missing", Some(hint)))
        }
        (false, Some(value)) if value.len() > backend.config.max_data => {
            Err(too_large(Limit::Data, "value", value.len(), backend.config.max_data))
        }
        (false, Some(value)) => Note::new(key, value, tags).map(Remember::Keep).map_err(unkept),
    }
}

fn tell(backend: &Backend, change: &Remember, kept: &Kept) -> Result<Reply, Fault> {
    let key = match change {
        Remember::Keep(note) => note.key(),
        Remember::Forget(key) => key,
    };
    // What was asked to be forgotten may be any text.
    let quoted = text::quote_one(key);
    let mut record =
        object(json!({"key": text::line(key, LONGEST_KEY), "status": kept.status.name()}));
    let Some(memo) = &kept.memo else {
        let text = match kept.status {
            EntryEnding::Forgotten => format!("forgot {quoted}"),
            _ => match backend.workshop.memory.similar(key).map_err(stored)? {
                Some(near) => format!(
                    "nothing is kept under {quoted}: nothing changed; did you mean {}?",
                    text::quote_one(&near)
                ),
                None => format!("nothing is kept under {quoted}: nothing changed"),
            },
        };
        return Ok(Reply::new(text, record.into()));
    };
    let mut text = match kept.status {
        EntryEnding::Unchanged => format!("{quoted} is so already: nothing changed"),
        status => format!("{status} {quoted} ({} characters)", memo.size),
    };
    let most = backend.config.max_result;
    if usize::try_from(memo.size).is_ok_and(|size| size > most) {
        let _ = write!(
            text,
            "\nwarning: replies show {most} characters at most; memory_retrieve will tell its size only: \
             keep it in parts, under several keys"
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
