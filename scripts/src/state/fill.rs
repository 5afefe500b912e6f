//! Stores with very many tools, or with a long journal, made without a server: many changes in one
//! transaction.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use pif_domain::{EntryKind, EntryOutcome};
use pif_sandbox::COMPONENT;
use pif_store::journal::{Digest, Draft, Journal, Policy, Settings};
use pif_store::memory::MemoryCapacity;
use pif_store::registry::Evolution;
use pif_store::{self, Change, Place, Write};
use pif_store::{session, staging};
use serde_json::json;

/// Changes of a transaction.
const TOGETHER: usize = 5_000;

fn open(data: &Path) -> Result<Journal> {
    let store = pif_store::open(&Place::Directory(data.to_owned()), Duration::from_secs(10))?;
    let component = Digest::of(&COMPONENT.len().to_string()).sha256;
    let memory = MemoryCapacity { keys: u64::MAX, bytes: u64::MAX };
    let settings = Settings {
        policy: Policy::Full,
        most_payload: 64 << 10,
        most: 1 << 30,
        memory,
        sessions: session::SessionCapacity::UNLIMITED,
        staging: staging::StagingCapacity::UNLIMITED,
        component,
        holder: String::new(),
        lease: Duration::from_secs(30),
        principal: Arc::default(),
    };
    Ok(Journal::new(store, settings))
}

/// A store with so many tools, each with an entry.
pub(crate) fn tools(data: &Path, count: usize) -> Result<()> {
    let journal = open(data)?;
    let numbers: Vec<usize> = (0..count).collect();
    for some in numbers.chunks(TOGETHER) {
        let writes: Vec<Write> = some.iter().map(|n| tool(*n)).collect();
        journal.commit(&writes)?;
    }
    Ok(())
}

fn tool(n: usize) -> Write {
    let source = format!(r#"{{"body":{{"add":[{{"var":"x"}},{n}]}},"lam":"x"}}"#);
    let evolution = Evolution {
        name: format!("tool_{n}"),
        description: format!("Adds the number {n} only, to whatever it is given"),
        hash: Digest::of(&source).sha256,
        source,
        tools: Vec::new(),
        examples: "[]".to_owned(),
        output_schema: None,
        members: None,
        properties: None,
        expected: None,
    };
    let entry = Draft::of_change(EntryKind::Evolve, &evolution.name);
    Write { change: Change::Evolve(evolution), entry }
}

/// A store whose journal has so many bytes; how many entries that takes.
pub(crate) fn journal(data: &Path, bytes: usize) -> Result<i64> {
    let journal = open(data)?;
    let bytes = i64::try_from(bytes)?;
    let mut draft = Draft::new(EntryKind::Run, Some("tool"), EntryOutcome::Value);
    // As long as a run with a short list.
    draft.request = json!({"tool": "tool", "data": "[1,2,3,4,5,6,7,8]", "fuel": 10_000_000});
    draft.outcome = json!({"value": "x".repeat(300), "kind": "string"});
    let writes = vec![Write::entry(draft); TOGETHER];
    while journal.head()?.ends < bytes {
        journal.commit(&writes)?;
    }
    journal.head().map(|head| head.id).context("the journal")
}
