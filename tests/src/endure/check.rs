//! What must be in a store after servers worked on it, killed or not.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use pif_server::workshop::Workshop;
use pif_store::journal::{Body, Entry, Filter};
use serde_json::Value;

use super::load::{Call, Notes, canonical, name};

/// History of a tool that is looked at.
const HISTORY: usize = 1_000_000;

/// Revisions that were acknowledged: of which tool, by which call.
pub(super) type Revisions = BTreeMap<(usize, u64), String>;

/// Calls whose entries were found.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Found {
    /// Acknowledged runs.
    pub(super) runs: u64,
    /// Calls that were not acknowledged.
    pub(super) unanswered: u64,
}

/// Every acknowledged call has an entry of its own, no entry is of a call that was not sent, and
/// none has two.
pub(super) fn ensure_journaled(shop: &Workshop, before: i64, notes: &Notes) -> Result<Found> {
    let filter = Filter { after: Some(before), ..Filter::default() };
    let mut found = BTreeMap::new();
    for entry in shop.journal.entries(&filter, false, usize::MAX >> 1)? {
        let number = number(&entry).with_context(|| format!("whose is {entry:?}?"))?;
        ensure!(notes.sent.contains_key(&number), "nobody asked for {entry:?}");
        let twice = found.insert(number, entry.kind);
        ensure!(twice.is_none(), "{number} has two entries");
    }
    let mut runs = 0;
    for number in notes.done.keys() {
        let kind = found.get(number).map(String::as_str);
        let is_right = match notes.sent.get(number) {
            Some(Call::Evolve(_)) => kind == Some("evolve"),
            Some(Call::Run) => kind == Some("run"),
            _ => matches!(kind, Some("run" | "refusal")),
        };
        ensure!(is_right, "call {number} was acknowledged and its entry is {kind:?}");
        runs += u64::from(kind == Some("run"));
    }
    Ok(Found { runs, unanswered: u64::try_from(found.len() - notes.done.len())? })
}

/// The number of the call that an entry tells of.
fn number(entry: &Entry) -> Option<u64> {
    let body: Body = serde_json::from_str(&entry.body).ok()?;
    let request: Value = serde_json::from_str(body.request?.text()).ok()?;
    let inner = |text: &Value| serde_json::from_str::<Value>(text.as_str()?).ok();
    if let Some(code) = inner(&request["code"]) {
        return code["add"][0].as_u64();
    }
    if let Some(data) = inner(&request["data"]) {
        return data.as_u64();
    }
    let arguments = inner(&request["arguments"])?;
    let of_tool = arguments["data"].as_u64();
    of_tool.or_else(|| arguments["code"]["body"]["add"][1].as_u64())
}

/// Every acknowledged revision is in the history of its tool with the right term, and each tool
/// stands for the last of what was made of it, acknowledged or not.
pub(super) fn ensure_kept(
    shop: &Workshop,
    all: &Revisions,
    sent: &BTreeMap<u64, Call>,
    since: u64,
) -> Result<()> {
    let tools = shop.registry.snapshot()?;
    let mut histories = BTreeMap::new();
    for ((tool, number), revision) in all.iter().filter(|((_, number), _)| *number >= since) {
        if !histories.contains_key(tool) {
            histories.insert(*tool, tools.history(&name(*tool), HISTORY)?);
        }
        let past = histories.get(tool).map(Vec::as_slice).unwrap_or_default();
        let mut hashes = past.iter().filter_map(|it| it.hash.as_ref());
        let hash = hashes.find(|hash| hash.starts_with(revision));
        let hash = hash.with_context(|| format!("{} lost its revision {revision}", name(*tool)))?;
        let source = tools.source(hash)?.unwrap_or_default();
        let expected = canonical(Call::Evolve(*tool), *number);
        ensure!(source == expected, "{revision} is {source}, not {expected}");
    }
    for (tool, past) in histories {
        let current =
            tools.find(&name(tool))?.with_context(|| format!("{} is gone", name(tool)))?;
        let last = past.first().context("no history")?;
        ensure!(last.hash.as_ref() == Some(&current.hash), "{current:?} is not the last, {last:?}");
        let is_known = sent.iter().any(|(number, call)| {
            *call == Call::Evolve(tool) && canonical(*call, *number) == current.source
        });
        ensure!(is_known, "nobody made {current:?}");
    }
    Ok(())
}
