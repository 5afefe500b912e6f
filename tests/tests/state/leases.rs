//! Leases in a store: who works on a session, a snapshot or a run, and what becomes of it when that process
//! is silent for too long.

use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use pif_domain::{EntryKind, EntryOutcome};
use pif_store::journal::{Draft, Filter, Parked, Pending, RunProgress};
use pif_store::lease::LeaseKeeper;
use pif_store::session::{BoundValue, Change as Turned, EndedTurn, Error as SessionError};
use pif_store::session::{DEFAULT, Lease, Session, TurnChanges, USER, Which};
use pif_store::staging::{Area, Change, Error as StagingError, StagingCapacity, Verification};
use pif_store::{Change as Changed, Effect, Error, Refusal, Store, Write, areas, sessions};

use super::shelf::{Shelf, each};

const HOUR: Duration = Duration::from_hours(1);

/// A lease that is over soon, and how long it takes until it certainly is.
const SHORT: Duration = Duration::from_millis(60);
const OVER: Duration = Duration::from_millis(120);

/// Takes a lease, which lasts long.
pub(super) fn take(store: &dyn Store, name: &str) -> Result<()> {
    if !store.renew_lease(name, HOUR)? {
        store.take_lease(name, "here", HOUR)?;
    }
    Ok(())
}

fn begin(store: &dyn Store, holder: &str) -> Result<Session, Refusal> {
    let lease = Lease { holder: holder.to_owned(), until: i64::MAX };
    let which = Which { owner: USER.to_owned(), name: DEFAULT.to_owned() };
    let mut begun = None;
    store.transact(&mut |db| {
        begun = Some(sessions::begin(db, &which, &lease)?.0);
        Ok(())
    })?;
    begun.ok_or(Refusal::CONFUSED)
}

/// Ends a turn that binds a name.
fn end(shelf: &Shelf, session: &Session, holder: &str, name: &str) -> Result<(), Refusal> {
    let bound = BoundValue { name: name.to_owned(), kind: "text".to_owned(), term: "1".to_owned() };
    let made = TurnChanges { bound: vec![bound], last: None, told: "{}".to_owned() };
    let (holder, made) = (holder.to_owned(), Some(made));
    let ended = EndedTurn { session: session.id, holder, made };
    shelf.change(Changed::Session(Turned::Turn(Box::new(ended)))).map(drop)
}

fn names(shelf: &Shelf, session: &Session) -> Result<Vec<String>> {
    Ok(shelf.store.bindings(session.id)?.into_iter().map(|it| it.name).collect())
}

#[test]
pub(super) fn a_lease_is_taken_renewed_and_given_back() -> Result<()> {
    each(|shelf| {
        let store = &*shelf.store;
        store.take_lease("long 1", "process 1", HOUR)?;
        store.take_lease("short 2", "process 2", SHORT)?;
        let told = |store: &dyn Store| -> Result<Vec<String>> {
            Ok(store.leases()?.into_iter().map(|it| format!("{}: {}", it.name, it.place)).collect())
        };
        assert_eq!(told(store)?, ["long 1: process 1", "short 2: process 2"]);
        ensure!(store.renew_lease("short 2", SHORT)?, "it lasts");
        if let Some(again) = shelf.again()? {
            assert_eq!(told(&*again)?.len(), 2);
        }
        sleep(OVER);
        // Nobody has ended it: it can still be renewed.
        ensure!(store.renew_lease("short 2", SHORT)?, "nobody has ended it");
        sleep(OVER);
        ensure!(store.renew_lease("long 1", HOUR)?, "it lasts");
        assert_eq!(told(store)?, ["long 1: process 1"], "whoever renews ends what is over");
        ensure!(!store.renew_lease("short 2", SHORT)?, "it was ended");
        store.end_lease("long 1")?;
        ensure!(!store.renew_lease("long 1", HOUR)? && store.leases()?.is_empty(), "given back");
        Ok(())
    })
}

#[test]
pub(super) fn a_process_keeps_its_lease_as_long_as_it_lives() -> Result<()> {
    each(|shelf| {
        let keeper = LeaseKeeper::new(Arc::clone(&shelf.store), SHORT * 4);
        ensure!(keeper.name().is_none() && shelf.store.leases()?.is_empty(), "nobody needs it yet");
        let name = keeper.hold()?;
        sleep(SHORT * 12);
        assert_eq!(keeper.hold()?, name);
        let lasts = shelf.store.leases()?.into_iter().map(|it| it.name).collect::<Vec<_>>();
        assert_eq!(lasts, [name.as_str()]);
        // Others end it, as they do with one that is silent. The next work has a new one.
        shelf.store.end_lease(&name)?;
        let start = Instant::now();
        while keeper.name().as_ref() == Some(&name) {
            ensure!(start.elapsed() < Duration::from_secs(20), "it does not find out");
            sleep(SHORT);
        }
        ensure!(keeper.hold()? != name, "a lease that was ended is gone for good");
        let other = keeper.clone();
        drop(keeper);
        ensure!(!shelf.store.leases()?.is_empty(), "the other one has it, too");
        drop(other);
        ensure!(shelf.store.leases()?.is_empty(), "it was not given back");
        Ok(())
    })
}

#[test]
pub(super) fn a_turn_whose_lease_is_over_changes_nothing() -> Result<()> {
    each(|shelf| {
        let store = &*shelf.store;
        store.take_lease("slow", "process 7 on ada", SHORT)?;
        let session = begin(store, "slow/1")?;
        match begin(store, "slow/2") {
            Err(Refusal::Session(SessionError::Busy { by, .. })) => {
                assert_eq!(by.place, "process 7 on ada");
            }
            other => anyhow::bail!("{other:?}"),
        }
        sleep(OVER);
        take(store, "next")?;
        begin(store, "next/1")?;
        let late = end(shelf, &session, "slow/1", "a");
        ensure!(matches!(late, Err(Refusal::Session(SessionError::Lost))), "{late:?}");
        end(shelf, &session, "next/1", "b")?;
        assert_eq!(names(shelf, &session)?, ["b"]);
        // Nobody has gone on with this one, but the lease was ended.
        store.take_lease("slow again", "here", SHORT)?;
        begin(store, "slow again/1")?;
        sleep(OVER);
        take(store, "next")?;
        let late = end(shelf, &session, "slow again/1", "c");
        ensure!(matches!(late, Err(Refusal::Session(SessionError::Lost))), "{late:?}");
        // A lease that is given back lets others in at once.
        take(store, "stops")?;
        begin(store, "stops/1")?;
        store.end_lease("stops")?;
        begin(store, "next/2")?;
        end(shelf, &session, "next/2", "d")?;
        assert_eq!(names(shelf, &session)?, ["b", "d"]);
        Ok(())
    })
}

fn area(shelf: &Shelf) -> Result<Area> {
    let area = Area {
        id: 0,
        owner: String::new(),
        base: shelf.store.last_change()?,
        created: 1,
        changed: 1,
        version: 1,
        verification: None,
        operations: Vec::new(),
    };
    staged(shelf.change(put(&area, None))?.effect)
}

fn staged(effect: Effect) -> Result<Area> {
    match effect {
        Effect::Staged(area, _) => Ok(*area),
        effect => anyhow::bail!("{effect:?}"),
    }
}

fn put(area: &Area, holder: Option<&str>) -> Changed {
    let (area, holder) = (Box::new(area.clone()), holder.map(str::to_owned));
    Changed::Stage(Change::Put { area, terms: Vec::new(), holder })
}

fn hold(shelf: &Shelf, area: &Area, holder: &str) -> Result<(), Refusal> {
    let most = StagingCapacity::UNLIMITED;
    shelf.store.transact(&mut |db| Ok(areas::hold(db, ("", area.id), holder, most).map(drop)?))
}

#[test]
pub(super) fn a_snapshot_is_changed_by_one_who_has_its_lease() -> Result<()> {
    each(|shelf| {
        let store = &*shelf.store;
        let area = area(shelf)?;
        store.take_lease("slow", "process 7 on ada", SHORT)?;
        hold(shelf, &area, "slow/1")?;
        let next = Area { version: 2, ..area.clone() };
        let is_busy = |told: &Result<(), Refusal>| {
            matches!(told, Err(Refusal::Staging(StagingError::Busy { by, .. }))
                if by.place == "process 7 on ada")
        };
        let told = hold(shelf, &area, "slow/2");
        ensure!(is_busy(&told), "{told:?}");
        for change in [
            put(&next, None),
            Changed::Stage(Change::Commit { id: area.id, force: true }),
            Changed::Stage(Change::Discard { id: area.id }),
        ] {
            let told = shelf.change(change).map(drop);
            ensure!(is_busy(&told), "{told:?}");
        }
        sleep(OVER);
        take(store, "next")?;
        hold(shelf, &area, "next/1")?;
        let late = shelf.change(put(&next, Some("slow/1")));
        ensure!(matches!(late, Err(Refusal::Staging(StagingError::Lost(_)))), "{late:?}");
        let changed = staged(shelf.change(put(&next, Some("next/1")))?.effect)?;
        assert_eq!(changed.version, 2);
        // The change was the end of the work. One that changes nothing releases the snapshot, too.
        hold(shelf, &area, "next/2")?;
        store.transact(&mut |db| Ok(areas::release(db, area.id, "next/2")?))?;
        let verification = Verification { version: 2, passed: true, record: "{}".to_owned() };
        let holder = Some("next/2".to_owned());
        let late = Change::Verify { id: area.id, verification, holder };
        let late = shelf.change(Changed::Stage(late));
        ensure!(matches!(late, Err(Refusal::Staging(StagingError::Lost(_)))), "{late:?}");
        shelf.change(Changed::Stage(Change::Commit { id: area.id, force: true }))?;
        Ok(())
    })
}

/// A run that a process works on.
fn run(owner: &str, id: Option<i64>) -> Pending {
    let until = pif_domain::text::time::now() + 3_600_000;
    let part = r#"{"subject": "a", "from": 0, "answers": [], "texts": []}"#;
    Pending { id, owner: owner.to_owned(), lease: None, until, parts: vec![part.to_owned()] }
}

#[test]
pub(super) fn a_run_goes_on_with_one_who_has_its_lease() -> Result<()> {
    each(|shelf| {
        let store = &*shelf.store;
        store.take_lease("slow", "process 7 on ada", SHORT)?;
        let id = store.pend(&run("slow", None), true)?.context("a number")?;
        assert_eq!(store.pend(&run("slow", Some(id)), true)?, Some(id));
        let kept = store.pending()?.pop().context("a run")?;
        assert_eq!(kept.lease.as_ref().map(|it| it.place.as_str()), Some("process 7 on ada"));
        ensure!(!kept.is_abandoned() && shelf.journal.recover()? == 0, "it is worked on");
        sleep(OVER);
        let kept = store.pending()?.pop().context("a run")?;
        ensure!(kept.is_abandoned(), "{kept:?}");
        // One takes it over, and nobody else.
        let (one, other) = (Arc::clone(&shelf.store), shelf.again()?);
        let other = other.unwrap_or_else(|| Arc::clone(&shelf.store));
        take(&*one, "one")?;
        take(&*other, "other")?;
        ensure!(one.exchange(&kept, &run("one", Some(id)))?, "it was left");
        ensure!(!other.exchange(&kept, &run("other", Some(id)))?, "one has it");
        // Whoever lost it changes nothing any more, whatever it does.
        assert_eq!(store.pend(&run("slow", Some(id)), true)?, None);
        let waits = Pending { owner: "waits".to_owned(), ..run("slow", Some(id)) };
        assert_eq!(store.park(&waits, "slow", 9)?, Parked::Lost);
        assert_eq!(store.park(&waits, "one", 9)?, Parked::Kept(id));
        assert_eq!(store.park(&Pending { id: None, ..waits.clone() }, "one", 1)?, Parked::Full);
        ensure!(!store.pending()?.pop().context("a run")?.is_abandoned(), "it waits for somebody");
        ensure!(store.forget(id)?);
        Ok(())
    })
}

/// An end is written by who works on the run. What a process left that was not durable has an entry.
#[test]
pub(super) fn the_end_of_a_run_is_written_once() -> Result<()> {
    each(|shelf| {
        let journal = &shelf.journal;
        let started = RunProgress { subject: Some("a".to_owned()), ..RunProgress::default() };
        let id = journal.pend(None, started.clone(), HOUR, true)?.context("a number")?;
        let draft = Draft::new(EntryKind::Run, Some("a"), EntryOutcome::Value);
        let ended = Draft { pending: Some(id), ended: Some(Box::new(started)), ..draft };
        // The process is silent, and another one finds that out.
        let name = journal.lease().name().context("a lease")?;
        shelf.store.end_lease(&name)?;
        let late = journal.commit_one(Write::entry(ended));
        ensure!(matches!(late, Err(Refusal::Store(Error::Lost))), "{late:?}");
        assert_eq!((journal.recover()?, journal.recover()?), (1, 0));
        let entries = journal.entries(&Filter::default(), true, 9)?;
        assert_eq!(entries.iter().map(|it| &*it.ending).collect::<Vec<_>>(), ["outcome-unknown"]);
        ensure!(shelf.store.pending()?.is_empty(), "it is told of once");
        Ok(())
    })
}
