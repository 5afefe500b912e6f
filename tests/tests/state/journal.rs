//! The journal in a store.

use super::shelf::{each, each_of, settings, tool, write};
use anyhow::{Context, Result, ensure};
use mcp_pif::domain::{EntryEnding, EntryKind, FaultCode};
use mcp_pif::journal::{Draft, Filter, Journal, Policy, Settings, Statistics};
use mcp_pif::state::{Change, Error, Wait, Write};
use serde_json::json;
use std::sync::Arc;

fn run(tool: &str, ending: EntryEnding, fuel: u64) -> Draft {
    Draft { fuel: Some(fuel), ..Draft::new(EntryKind::Run, Some(tool), ending) }
}

#[test]
fn entries_are_chained_and_found() -> Result<()> {
    each(|shelf| {
        let journal = &shelf.journal;
        let too_deep = EntryEnding::Fault(FaultCode::TooDeep);
        let endings = [EntryEnding::Value, too_deep, EntryEnding::Continuation];
        for (id, ending) in (1_i64..).zip(endings) {
            assert_eq!(journal.append(run("a", ending, 11 - id.unsigned_abs()))?, id);
        }
        journal.append(Draft::new(
            EntryKind::Refusal,
            Some("run"),
            EntryEnding::Fault(FaultCode::Malformed),
        ))?;
        let found = |filter: Filter, latest_first, most| -> Result<Vec<i64>> {
            let entries = journal.entries(&filter, latest_first, most)?;
            Ok(entries.into_iter().map(|entry| entry.id).collect())
        };
        assert_eq!(found(Filter::default(), true, 2)?, [4, 3]);
        let runs = Filter { kind: Some(EntryKind::Run), after: Some(1), ..Filter::default() };
        assert_eq!(found(runs, false, 9)?, [2, 3]);
        let refusals = Filter { kind: Some(EntryKind::Refusal), ..Filter::default() };
        assert_eq!(found(refusals, false, 9)?, [4]);
        let ended = Filter { ending: Some("too-deep".to_owned()), ..Filter::default() };
        assert_eq!(found(Filter { before: Some(2), ..ended.clone() }, false, 9)?, [0; 0]);
        assert_eq!(found(ended, false, 9)?, [2]);
        let future = Filter { since: Some(i64::MAX), ..Filter::default() };
        assert_eq!(found(future, false, 9)?, [0; 0]);
        let costs = journal.statistics("a", 2)?;
        assert_eq!(costs, Statistics { fuel: vec![8, 9], faults: 1 });
        let (first, second) = (journal.entry(1)?.context("1")?, journal.entry(2)?.context("2")?);
        assert_eq!(second.link(first.hash), second.hash);
        assert_eq!(first.component, Some(settings(0).component), "a run names its evaluator");
        assert_eq!(journal.entry(4)?.context("4")?.component, None);
        assert_eq!((journal.verify()?.count(), journal.head()?.id), (4, 4));
        Ok(())
    })
}

/// The oldest entries go, and the chain goes on from the last of them.
#[test]
fn the_journal_stays_within_its_size() -> Result<()> {
    each_of(4_000, |shelf| {
        let mut draft = run("a", EntryEnding::Value, 1);
        draft.outcome = json!("x".repeat(90));
        for _ in 0..200 {
            shelf.journal.append(draft.clone())?;
        }
        let (anchor, head) = (shelf.journal.anchor()?, shelf.journal.head()?);
        ensure!(anchor.id > 100 && head.id == 200, "{anchor:?} {head:?}");
        ensure!((2_000..=4_000).contains(&(head.ends - anchor.ends)), "{anchor:?} {head:?}");
        assert_eq!(shelf.journal.entry(anchor.id)?, None);
        assert_eq!(shelf.journal.verify()?.count(), head.id - anchor.id);
        // An entry that is too large by itself is the only one.
        draft.outcome = json!("x".repeat(900));
        draft.request = json!("x".repeat(900));
        for _ in 0..5 {
            shelf.journal.append(draft.clone())?;
        }
        assert_eq!(shelf.journal.verify()?.head.id, 205);
        Ok(())
    })
}

#[test]
fn an_entry_keeps_what_it_is_told_to() -> Result<()> {
    each(|shelf| {
        let mut draft = run("a", EntryEnding::Value, 1);
        draft.request = json!({"data": "1"});
        for (policy, has_request, has_digest) in [
            (Policy::Full, true, false),
            (Policy::Summary, true, true),
            (Policy::None, false, false),
        ] {
            let settings = Settings { policy, ..settings(1 << 20) };
            let journal = Journal::new(Arc::clone(&shelf.store), settings);
            let id = journal.append(draft.clone())?;
            let body = journal.entry(id)?.and_then(|it| it.read_body()).context("a body")?;
            assert_eq!(body.request.is_some(), has_request, "{policy:?}");
            let digest = body.request.and_then(|it| it.digest());
            assert_eq!(digest.is_some(), has_digest, "{policy:?}");
        }
        Ok(())
    })
}

/// Two who write at once do so one after the other, and a third who does not want to wait hears
/// of it.
#[test]
fn writers_take_turns() -> Result<()> {
    each(|shelf| {
        let other = shelf.again()?.unwrap_or_else(|| Arc::clone(&shelf.store));
        std::thread::scope(|scope| {
            let writers = [&shelf.store, &other].map(|store| {
                let journal = Journal::new(Arc::clone(store), settings(64 << 20));
                scope.spawn(move || -> Result<usize> {
                    let mut missed = 0;
                    for n in 0..100 {
                        journal.append(run("a", EntryEnding::Value, n))?;
                        let entry = Write::entry(run("b", EntryEnding::Value, n));
                        match journal.append_within(&entry, Wait::Never) {
                            Err(Error::Locked) => missed += 1,
                            written => drop(written?),
                        }
                        journal.commit_one(write(Change::Evolve(tool("it", &n.to_string()))))?;
                    }
                    Ok(missed)
                })
            });
            let mut missed = 0;
            for writer in writers {
                missed += writer.join().map_err(|_| anyhow::anyhow!("a writer panicked"))??;
            }
            let verified = shelf.journal.verify()?;
            assert_eq!(verified.count(), 600 - i64::try_from(missed)?, "{}", shelf.kind);
            Ok(())
        })
    })
}
