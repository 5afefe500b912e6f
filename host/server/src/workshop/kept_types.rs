//! The types of tools that the store keeps beside revisions, each with the analyst and the callees for which it
//! holds. With another analyst or other callees the type is inferred again.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pif_sandbox::{ANALYST_HASH, Names, Place, SureFault, Typed, Typing};
use pif_store::Store;
use pif_store::registry::Fact;
use serde::{Deserialize, Serialize};

use super::refusal::unwritten;

/// The most types that are kept together.
const MOST_AT_ONCE: usize = 64;

/// The fact that the store keeps about a revision.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Kept {
    /// The analyst that told it.
    analyst: String,
    /// The tools that the source names.
    tools: Vec<String>,
    /// The tools of other servers that it names.
    calls: Vec<String>,
    /// The type, with the hash of all that it holds for.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    told: Option<(String, Told)>,
}

/// A type.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Told {
    shape: String,
    of_tool: String,
    parameters: Vec<Parameter>,
    is_function: bool,
    output: String,
    output_schema: Option<String>,
    fails: Vec<Fails>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Parameter {
    name: String,
    shape: String,
    accepted: String,
    schema: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Fails {
    code: String,
    at: String,
    excerpt: Option<String>,
    place: Option<(u32, u32, String)>,
    hint: Option<String>,
    always: bool,
}

/// Keeps types of revisions in a store, and finds them there.
#[derive(Debug)]
pub(super) struct KeptTypes {
    store: Arc<dyn Store>,
    /// Facts that are not written yet, by the hash of the revision.
    fresh: Mutex<BTreeMap<String, Kept>>,
}

impl KeptTypes {
    pub(super) fn new(store: Arc<dyn Store>) -> Self {
        Self { store, fresh: Mutex::default() }
    }

    /// The tools that a revision names.
    pub(super) fn names(&self, hash: &str) -> Option<Names> {
        let Kept { tools, calls, .. } = self.find(hash)?;
        Some(Names { tools, calls })
    }

    /// The type of a revision, if it holds for this.
    pub(super) fn typing(&self, hash: &str, deep: &str) -> Option<Typing> {
        let (known, told) = self.find(hash)?.told?;
        (known == deep).then(|| told.into())
    }

    /// Notes the tools that a revision names, and its type with the hash of all that it holds for.
    pub(super) fn learn(&self, hash: &str, names: &Names, (deep, typing): (&str, &Typing)) {
        let kept = Kept {
            analyst: ANALYST_HASH.to_owned(),
            tools: names.tools.clone(),
            calls: names.calls.clone(),
            told: Some((deep.to_owned(), typing.into())),
        };
        self.fresh().insert(hash.to_owned(), kept);
    }

    /// Writes the noted facts. A store that takes nothing now is asked again another time.
    pub(super) fn write(&self) {
        loop {
            let mut fresh = self.fresh();
            let hashes: Vec<String> = fresh.keys().take(MOST_AT_ONCE).cloned().collect();
            let batch: Vec<(String, Kept)> =
                hashes.iter().filter_map(|hash| fresh.remove_entry(hash)).collect();
            drop(fresh);
            if batch.is_empty() {
                return;
            }
            let written = self.store.transact(&mut |db| {
                for (hash, kept) in &batch {
                    let told = serde_json::to_string(kept).unwrap_or_default();
                    db.put_fact(Fact::Type, hash, &told)?;
                }
                Ok(())
            });
            if let Err(refusal) = written {
                let fault = unwritten(refusal);
                tracing::debug!(message = fault.message, "types are not kept");
                return;
            }
        }
    }

    fn find(&self, hash: &str) -> Option<Kept> {
        if let Some(kept) = self.fresh().get(hash) {
            return Some(kept.clone());
        }
        let told = self.store.fact(Fact::Type, hash).ok()??;
        let kept: Kept = serde_json::from_str(&told).ok()?;
        (kept.analyst == ANALYST_HASH).then_some(kept)
    }

    fn fresh(&self) -> MutexGuard<'_, BTreeMap<String, Kept>> {
        self.fresh.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl From<&Typing> for Told {
    fn from(typing: &Typing) -> Self {
        let parameter = |it: &Typed| Parameter {
            name: it.name.clone(),
            shape: it.shape.clone(),
            accepted: it.accepted.clone(),
            schema: it.schema.clone(),
        };
        let fails = |it: &SureFault| Fails {
            code: it.code.clone(),
            at: it.at.clone(),
            excerpt: it.excerpt.clone(),
            place: it.place.as_ref().map(|it| (it.line, it.column, it.caret.clone())),
            hint: it.hint.clone(),
            always: it.always,
        };
        Self {
            shape: typing.shape.clone(),
            of_tool: typing.of_tool.clone(),
            parameters: typing.parameters.iter().map(parameter).collect(),
            is_function: typing.is_function,
            output: typing.output.clone(),
            output_schema: typing.output_schema.clone(),
            fails: typing.fails.iter().map(fails).collect(),
        }
    }
}

impl From<Told> for Typing {
    fn from(told: Told) -> Self {
        let parameter =
            |Parameter { name, shape, accepted, schema }| Typed { name, shape, accepted, schema };
        let place = |(line, column, caret)| Place { line, column, caret };
        let fails = |it: Fails| SureFault {
            code: it.code,
            at: it.at,
            excerpt: it.excerpt,
            place: it.place.map(place),
            hint: it.hint,
            always: it.always,
        };
        Self {
            shape: told.shape,
            of_tool: told.of_tool,
            parameters: told.parameters.into_iter().map(parameter).collect(),
            is_function: told.is_function,
            output: told.output,
            output_schema: told.output_schema,
            fails: told.fails.into_iter().map(fails).collect(),
            // A type of an analysis that ended early is not kept.
            gave_up: false,
        }
    }
}
