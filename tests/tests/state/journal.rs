//! The journal in a store.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use pif_domain::{EntryKind, EntryOutcome, FaultCode};
use pif_store::journal::{
    Answer, Came, Digest, Draft, Filter, Journal, Policy, RequestedCall, RunProgress, SentCall,
    Settings, Statistics,
};
use pif_store::{Change, Error, Wait, Write};
use serde_json::{Value, json};

use super::shelf::{each, each_of, settings, tool, write};

fn run(tool: &str, ending: EntryOutcome, fuel: u64) -> Draft {
    Draft { fuel: Some(fuel), ..Draft::new(EntryKind::Run, Some(tool), ending) }
}

#[test]
pub(super) fn entries_are_chained_and_found() -> Result<()> {
    each(|shelf| {
        let journal = &shelf.journal;
        let too_deep = EntryOutcome::Fault(FaultCode::TooDeep);
        let endings = [EntryOutcome::Value, too_deep, EntryOutcome::Continuation];
        for (id, ending) in (1_i64..).zip(endings) {
            assert_eq!(journal.append(run("a", ending, 11 - id.unsigned_abs()))?, id);
        }
        journal.append(Draft::new(
            EntryKind::Refusal,
            Some("run"),
            EntryOutcome::Fault(FaultCode::Malformed),
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
pub(super) fn the_journal_stays_within_its_size() -> Result<()> {
    each_of(4_000, |shelf| {
        let mut draft = run("a", EntryOutcome::Value, 1);
        draft.outcome = json!("x".repeat(90));
        for _ in 0..200 {
            shelf.journal.append(draft.clone())?;
        }
        shelf.trim(4_000)?;
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
pub(super) fn an_entry_keeps_what_it_is_told_to() -> Result<()> {
    each(|shelf| {
        let mut draft = run("a", EntryOutcome::Value, 1);
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
pub(super) fn writers_take_turns() -> Result<()> {
    each(|shelf| {
        let other = shelf.again()?.unwrap_or_else(|| Arc::clone(&shelf.store));
        std::thread::scope(|scope| {
            let writers = [&shelf.store, &other].map(|store| {
                let journal = Journal::new(Arc::clone(store), settings(64 << 20));
                scope.spawn(move || -> Result<usize> {
                    let mut missed = 0;
                    for n in 0..100 {
                        journal.append(run("a", EntryOutcome::Value, n))?;
                        let entry = Write::entry(run("b", EntryOutcome::Value, n));
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

/// Texts beside entries are there as long as the last entry that has them, and count as entries do.
#[test]
pub(super) fn texts_go_with_the_last_entry_that_has_them() -> Result<()> {
    each_of(4_000, |shelf| {
        let text = |n: u64| format!("{n} {}", "x".repeat(500));
        let found = |n: u64| shelf.journal.text(&Digest::of(&text(n)).sha256);
        let append = |n: u64| {
            shelf.journal.append(Draft { texts: vec![text(n)], ..run("a", EntryOutcome::Value, n) })
        };
        append(1)?;
        append(2)?;
        append(1)?;
        assert_eq!([found(1)?, found(2)?], [Some(text(1)), Some(text(2))]);
        // Entry 2 goes, and 3, which has the text of 1, stays for now.
        while shelf.journal.anchor()?.id < 2 {
            append(1)?;
            shelf.trim(4_000)?;
        }
        assert_eq!([found(1)?, found(2)?], [Some(text(1)), None]);
        shelf.journal.verify()?;
        Ok(())
    })
}

/// What a run asks for is kept in parts, each with what is new. Its entry has all of it.
#[test]
pub(super) fn parts_of_a_run_that_did_not_end_come_together() -> Result<()> {
    each(|shelf| {
        let journal = &shelf.journal;
        let asked = |text: &str| RequestedCall {
            tool: "s.write".to_owned(),
            args: Digest::of(text),
            raw: false,
        };
        let call = |text: &str, outcome| {
            Answer::Calls(vec![SentCall { outcome, ..SentCall::new(asked(text)) }])
        };
        let open = |text: &str| call(text, Came::Unknown);
        let done = |text: &str| call(text, Came::Value(Digest::of("1")));
        let looked = Answer::Tool("a".to_owned(), None);
        let part = |from, answers: &[Answer], texts: &[&str]| RunProgress {
            subject: (from == 0).then(|| "a".to_owned()),
            request: if from == 0 { json!({"code": "a"}) } else { Value::Null },
            from,
            answers: answers.to_vec(),
            texts: texts.iter().map(|it| (*it).to_owned()).collect(),
            principal: Arc::default(),
            ..RunProgress::default()
        };
        let first = part(0, &[looked.clone(), open("x")], &["x"]);
        let id = journal.pend(None, first, Duration::ZERO, true)?.context("a number")?;
        for (from, before, now) in [(1, "x", "y"), (2, "y", "z")] {
            let next = part(from, &[done(before), open(now)], &[before, "1", now]);
            assert_eq!(journal.pend(Some(id), next, Duration::ZERO, true)?, Some(id));
        }
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!((journal.recover()?, journal.recover()?), (1, 0));
        let entry = journal.entry(1)?.context("1")?;
        assert_eq!(entry.subject.as_deref(), Some("a"));
        let body = entry.read_body().context("a body")?;
        assert_eq!(body.request.context("a request")?.text(), r#"{"code":"a"}"#);
        assert_eq!(body.answers, [looked, done("x"), done("y"), open("z")]);
        for text in ["x", "y", "z", "1"] {
            assert_eq!(journal.text(&Digest::of(text).sha256)?.as_deref(), Some(text));
        }
        journal.verify()?;
        Ok(())
    })
}

/// A run that its process did not end has an entry, once.
#[test]
pub(super) fn runs_that_did_not_end_are_told_of() -> Result<()> {
    each(|shelf| {
        let journal = &shelf.journal;
        let run = |request: u64| RunProgress {
            subject: Some("a".to_owned()),
            request: json!(request),
            ..RunProgress::default()
        };
        // Of this one the time is over; another one ends; a third may still end.
        journal.pend(None, run(1), Duration::ZERO, true)?;
        let second = journal.pend(None, run(2), Duration::ZERO, true)?.context("a number")?;
        assert_eq!(journal.pend(Some(second), run(2), Duration::ZERO, true)?, Some(second));
        journal.pend(None, run(3), Duration::from_hours(1), true)?;
        std::thread::sleep(Duration::from_millis(5));
        let draft = Draft::new(EntryKind::Run, Some("a"), EntryOutcome::Value);
        journal.append(Draft { pending: Some(second), ..draft })?;
        assert_eq!((journal.recover()?, journal.recover()?), (1, 0));
        let entry = journal.entry(2)?.context("2")?;
        assert_eq!(
            (entry.ending.as_str(), entry.subject.as_deref()),
            ("outcome-unknown", Some("a"))
        );
        assert_eq!(entry.read_body().and_then(|it| it.request).context("request")?.text(), "1");
        assert_eq!((journal.head()?.id, journal.verify()?.count()), (2, 2));
        Ok(())
    })
}
