//! Sessions in a store.

use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use pif_domain::{EntryKind, EntryOutcome, Limit};
use pif_store::journal::{Draft, Journal, Settings};
use pif_store::session::{
    BoundValue, Change as Changed, DEFAULT, EndedTurn, Error, Lease, Over, Removal, Session,
    SessionCapacity, SessionKind, TurnChanges, USER, Which,
};
use pif_store::{Change, Effect, Refusal, Store, Write, sessions};

use super::leases;
use super::shelf::{Shelf, each, each_of, hash, settings, write};

const DAY: i64 = 24 * 60 * 60 * 1_000;

fn which(name: &str) -> Which {
    Which { owner: USER.to_owned(), name: name.to_owned() }
}

fn change(journal: &Journal, change: Changed) -> Result<Session, Error> {
    match journal.commit_one(write(Change::Session(change))) {
        Ok(done) => match done.effect {
            Effect::Session(session) => Ok(*session),
            other => panic!("{other:?}"),
        },
        Err(Refusal::Session(error)) => Err(error),
        Err(error) => panic!("{error}"),
    }
}

fn start(journal: &Journal, saved: Option<&str>) -> Result<Session, Error> {
    let (owner, saved) = (USER.to_owned(), saved.map(str::to_owned));
    change(journal, Changed::Start { owner, title: String::new(), ttl: DAY, idle: DAY, saved })
}

fn begin(shelf: &Shelf, name: &str, holder: &str, until: i64) -> Result<Session, Error> {
    begin_in(&*shelf.store, name, holder, until)
}

fn begin_in(store: &dyn Store, name: &str, holder: &str, until: i64) -> Result<Session, Error> {
    leases::take(store, holder).unwrap();
    let lease = Lease { holder: holder.to_owned(), until };
    let (mut begun, mut refused) = (None, None);
    let told = store.transact(&mut |db| {
        match sessions::begin(db, &which(name), &lease) {
            Ok((session, _)) => begun = Some(session),
            Err(error) => {
                refused = Some(error);
                return Err(Refusal::CONFUSED);
            }
        }
        Ok(())
    });
    match (told, begun, refused) {
        (Ok(()), Some(session), _) => Ok(session),
        (_, _, Some(error)) => Err(error),
        (told, ..) => panic!("{told:?}"),
    }
}

fn bound(name: &str, term: &str) -> BoundValue {
    BoundValue { name: name.to_owned(), kind: "text".to_owned(), term: term.to_owned() }
}

/// Makes a turn that binds a name.
pub(super) fn bind(shelf: &Shelf, session: &str, name: &str, term: &str) -> Result<Session, Error> {
    let begun = begin(shelf, session, "turn", i64::MAX)?;
    let (bound, last) = (vec![bound(name, term)], Some(bound("_1", term)));
    let made = Some(TurnChanges { bound, last, told: "{}".to_owned() });
    let ended = EndedTurn { session: begun.id, holder: "turn".to_owned(), made };
    change(&shelf.journal, Changed::Turn(Box::new(ended)))
}

fn names(shelf: &Shelf, session: &Session) -> Result<Vec<String>> {
    let bindings = shelf.store.bindings(session.id)?;
    Ok(bindings.into_iter().map(|binding| binding.name).collect())
}

fn with(shelf: &Shelf, sessions: SessionCapacity) -> Journal {
    let settings = Settings { sessions, ..settings(1 << 20) };
    Journal::new(Arc::clone(&shelf.store), settings)
}

#[test]
pub(super) fn bindings_are_kept_shifted_and_forgotten() -> Result<()> {
    each(|shelf| {
        for (name, term) in [("a", "1"), ("b", "2"), ("a", "3"), ("c", "4")] {
            bind(shelf, DEFAULT, name, term)?;
        }
        let session = shelf.store.labelled(USER, DEFAULT, SessionKind::Open)?.context("default")?;
        assert_eq!((session.turn, session.name().as_str()), (4, DEFAULT));
        assert_eq!(names(shelf, &session)?, ["_1", "_2", "_3", "a", "b", "c"]);
        let bindings = shelf.store.bindings(session.id)?;
        let term = |name: &str| {
            let binding = bindings.iter().find(|it| it.name == name);
            Ok::<_, anyhow::Error>(shelf.store.text(&binding.context("a binding")?.hash)?)
        };
        let terms = ["a", "b", "_1", "_2", "_3"].map(|name| term(name).ok().flatten());
        assert_eq!(terms.map(Option::unwrap_or_default), ["3", "2", "4", "3", "2"]);
        // A text that nothing names any more is gone.
        assert_eq!(shelf.store.text(&hash("1"))?, None);
        let forget = |what| Changed::Forget { which: which(DEFAULT), what };
        let unknown = change(&shelf.journal, forget(Removal::Names(vec!["z".to_owned()])));
        assert!(matches!(unknown, Err(Error::Unbound(_))), "{unknown:?}");
        change(&shelf.journal, forget(Removal::Names(vec!["a".to_owned()])))?;
        assert_eq!(shelf.store.turns(session.id)?.len(), 4);
        change(&shelf.journal, forget(Removal::History))?;
        change(&shelf.journal, forget(Removal::All))?;
        assert_eq!(names(shelf, &session)?, [""; 0]);
        assert!(shelf.store.turns(session.id)?.is_empty());
        assert_eq!(shelf.store.text(&hash("4"))?, None);
        Ok(())
    })
}

#[test]
pub(super) fn one_turn_at_a_time() -> Result<()> {
    each(|shelf| {
        let name = start(&shelf.journal, None)?.name();
        begin(shelf, &name, "one", i64::MAX)?;
        let busy = begin(shelf, &name, "other", i64::MAX);
        assert!(matches!(busy, Err(Error::Busy { .. })), "{busy:?}");
        let other = start(&shelf.journal, None)?.name();
        begin(shelf, &other, "other", i64::MAX)?;
        if let Some(again) = shelf.again()? {
            let there = begin_in(&*again, &name, "there", i64::MAX);
            assert!(matches!(there, Err(Error::Busy { .. })), "{there:?}");
        }
        // A stale lease is taken over, and its turn changes nothing any more.
        let last = start(&shelf.journal, None)?.name();
        let stale = begin(shelf, &last, "stale", 0)?;
        begin(shelf, &last, "next", i64::MAX)?;
        let made = Some(TurnChanges { bound: vec![bound("a", "1")], ..TurnChanges::default() });
        let ended = EndedTurn { session: stale.id, holder: "stale".to_owned(), made };
        let late = change(&shelf.journal, Changed::Turn(Box::new(ended)));
        assert!(matches!(late, Err(Error::Lost)), "{late:?}");
        assert_eq!(names(shelf, &stale)?, [""; 0]);
        Ok(())
    })
}

#[test]
pub(super) fn a_turn_that_is_refused_leaves_nothing() -> Result<()> {
    each(|shelf| {
        let journal = with(shelf, SessionCapacity { bindings: 1, ..SessionCapacity::UNLIMITED });
        let begun = begin(shelf, DEFAULT, "turn", i64::MAX)?;
        let made =
            TurnChanges { bound: vec![bound("a", "1"), bound("b", "2")], ..TurnChanges::default() };
        let ended = EndedTurn { session: begun.id, holder: "turn".to_owned(), made: Some(made) };
        let refused = change(&journal, Changed::Turn(Box::new(ended)));
        let Err(Error::Full { limit: Limit::SessionBindings, used: 2, most: 1, .. }) = refused
        else {
            anyhow::bail!("{refused:?}");
        };
        assert_eq!((names(shelf, &begun)?, shelf.store.text(&hash("1"))?), (Vec::new(), None));
        assert!(shelf.journal.head()?.id == 0, "an entry was written");
        Ok(())
    })
}

#[test]
pub(super) fn closed_sessions_say_why_and_saved_states_outlive_them() -> Result<()> {
    each(|shelf| {
        let journal = with(shelf, SessionCapacity { closed: 2, ..SessionCapacity::UNLIMITED });
        let session = start(&journal, None)?;
        let name = session.name();
        bind(shelf, &name, "a", "1")?;
        let saved = "state".to_owned();
        change(&journal, Changed::Save { which: which(&name), saved: saved.clone() })?;
        change(&journal, Changed::Close { which: which(&name) })?;
        let closed = begin(shelf, &name, "turn", i64::MAX);
        let is_told = matches!(closed, Err(Error::Closed { reason: Over::Closed, .. }));
        assert!(is_told, "{closed:?}");
        assert_eq!(shelf.store.text(&hash("1"))?.as_deref(), Some("1"));
        let next = start(&journal, Some("state"))?;
        // The last values are not saved.
        assert_eq!(names(shelf, &next)?, ["a"]);
        bind(shelf, DEFAULT, "b", "2")?;
        change(&journal, Changed::Restore { which: which(DEFAULT), saved: saved.clone() })?;
        let default = shelf.store.labelled(USER, DEFAULT, SessionKind::Open)?.context("default")?;
        assert_eq!(names(shelf, &default)?, ["a"]);
        change(&journal, Changed::Drop { owner: USER.to_owned(), saved: saved.clone() })?;
        assert!(matches!(start(&journal, Some("state")), Err(Error::Unsaved(_))));
        for _ in 0..2 {
            let name = start(&journal, None)?.name();
            change(&journal, Changed::Close { which: which(&name) })?;
        }
        assert!(matches!(begin(shelf, &name, "turn", i64::MAX), Err(Error::Unknown(_))));
        assert!(matches!(begin(shelf, "s99", "turn", i64::MAX), Err(Error::Unknown(_))));
        Ok(())
    })
}

#[test]
pub(super) fn sessions_of_others_are_unknown() -> Result<()> {
    each(|shelf| {
        let owner = "ana".to_owned();
        let (title, ttl, idle) = (String::new(), DAY, DAY);
        let own = change(&shelf.journal, Changed::Start { owner, title, ttl, idle, saved: None })?;
        assert!(matches!(begin(shelf, &own.name(), "turn", i64::MAX), Err(Error::Unknown(_))));
        assert_eq!(shelf.store.sessions("ana")?.len(), 1);
        assert!(shelf.store.sessions(USER)?.is_empty());
        Ok(())
    })
}

#[test]
pub(super) fn a_term_stays_as_long_as_an_entry_or_a_binding_has_it() -> Result<()> {
    each_of(1 << 10, |shelf| {
        let (held, read) = ("held".repeat(9), "read".repeat(9));
        bind(shelf, DEFAULT, "held", &held)?;
        bind(shelf, DEFAULT, "read", &read)?;
        let forget = Removal::All;
        let pins = vec![hash(&read)];
        let entry = Draft { pins, ..Draft::new(EntryKind::Run, None, EntryOutcome::Value) };
        shelf.journal.commit_one(Write::entry(entry))?;
        let pinned = shelf.journal.head()?.id;
        let saved = "state".to_owned();
        bind(shelf, "default", "x", &held)?;
        change(&shelf.journal, Changed::Save { which: which(DEFAULT), saved })?;
        change(&shelf.journal, Changed::Forget { which: which(DEFAULT), what: forget })?;
        let drop = Changed::Drop { owner: USER.to_owned(), saved: "state".to_owned() };
        assert!(shelf.store.text(&hash(&read))?.is_some(), "an entry has it");
        for _ in 0..200 {
            let request = "x".repeat(99).into();
            let entry = Draft::new(EntryKind::Run, None, EntryOutcome::Value);
            shelf.journal.append(Draft { request, ..entry })?;
        }
        shelf.trim(1 << 10)?;
        ensure!(shelf.journal.anchor()?.id >= pinned, "the entry is still there");
        assert!(shelf.store.text(&hash(&held))?.is_some(), "a saved state has it");
        change(&shelf.journal, drop)?;
        assert_eq!(shelf.store.text(&hash(&held))?, None);
        assert_eq!(shelf.store.text(&hash(&read))?, None);
        Ok(())
    })
}
