//! Stores with very many tools, or with a long journal, made without a server: many changes in one
//! transaction.

use anyhow::{Context, Result};
use mcp_pif::domain::{EntryEnding, EntryKind};
use mcp_pif::journal::{Digest, Draft, Journal, Policy, Settings};
use mcp_pif::registry::{self, Change, Registry};
use mcp_pif::sandbox::COMPONENT;
use mcp_pif::store::{self, Durability, Place, Store};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

/// Changes of a transaction.
const TOGETHER: usize = 5_000;

fn open(data: &Path) -> Result<(Arc<Store>, Journal)> {
    let store = Arc::new(Store::open(&Place::Directory(data.to_owned()))?);
    let component = Digest::of(&COMPONENT.len().to_string()).sha256;
    let settings =
        Settings { policy: Policy::Full, most_payload: 64 << 10, most: 1 << 30, component };
    let journal = Journal::new(Arc::clone(&store), settings);
    Ok((store, journal))
}

/// A store with so many tools, each with an entry.
pub(crate) fn tools(data: &Path, count: usize) -> Result<()> {
    let (store, journal) = open(data)?;
    let registry = Registry::open(Arc::clone(&store))?;
    let numbers: Vec<usize> = (0..count).collect();
    for some in numbers.chunks(TOGETHER) {
        store.write(Durability::Process, |db| {
            for n in some {
                let source = format!(r#"{{"body":{{"add":[{{"var":"x"}},{n}]}},"lam":"x"}}"#);
                let change = Change {
                    name: format!("tool_{n}"),
                    description: format!("Adds the number {n} only, to whatever it is given"),
                    hash: Digest::of(&source).sha256,
                    source,
                    tools: Vec::new(),
                    examples: "[]".to_owned(),
                    output_schema: None,
                    expected: None,
                };
                let entry = journal.next(db)?;
                registry.evolve(db, &change, entry)?;
                journal.add(
                    db,
                    &Draft::new(EntryKind::Evolve, Some(&change.name), EntryEnding::New),
                )?;
            }
            Ok::<_, registry::Error>(())
        })?;
    }
    Ok(())
}

/// A store whose journal has so many bytes; how many entries that takes.
pub(crate) fn journal(data: &Path, bytes: usize) -> Result<i64> {
    let (store, journal) = open(data)?;
    let bytes = i64::try_from(bytes)?;
    let mut draft = Draft::new(EntryKind::Run, Some("tool"), EntryEnding::Value);
    // As long as a run with a short list.
    draft.request = json!({"tool": "tool", "data": "[1,2,3,4,5,6,7,8]", "fuel": 10_000_000});
    draft.outcome = json!({"value": "x".repeat(300), "kind": "string"});
    while journal.head()?.ends < bytes {
        store.write(Durability::Process, |db| {
            for _ in 0..TOGETHER {
                journal.add(db, &draft)?;
            }
            Ok::<_, store::Error>(())
        })?;
    }
    journal.head().map(|head| head.id).context("the journal")
}
