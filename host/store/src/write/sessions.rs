//! The rules for changes of sessions in an open transaction.

use pif_domain::Limit;
use pif_domain::text::time::now;

use super::standing::{Standing, standing_of};
use crate::journal::Digest;
use crate::session::{
    Binding, BoundValue, Change, DEFAULT, DEFAULT_IDLE, EndedTurn, Error, LAST, Lease, Over,
    Removal, Session, SessionCapacity, SessionKind, Target, Turn, TurnChanges, Which, ensure,
    is_recent, number,
};
use crate::transaction::Transaction;

/// Begins a turn: nobody else begins one until it has ended, or its lease is over.
pub fn begin(
    db: &mut dyn Transaction,
    which: &Which,
    lease: &Lease,
) -> Result<(Session, Vec<Binding>), Error> {
    let mut session = idle(db, which)?;
    session.lease = Some(lease.clone());
    session.used = now();
    db.put_session(&session)?;
    let bindings = db.bindings(session.id)?;
    Ok((session, bindings))
}

/// A session that is not over. Looking at it is a use of it.
pub fn look(db: &mut dyn Transaction, which: &Which) -> Result<Session, Error> {
    let session = open(db, which)?;
    touch(db, session)
}

/// Ends a turn that made nothing.
pub fn end(db: &mut dyn Transaction, id: i64, holder: &str) -> Result<(), Error> {
    let Ok(mut session) = held(db, id, holder) else { return Ok(()) };
    session.lease = None;
    session.used = now();
    db.put_session(&session)?;
    Ok(())
}

/// Makes a change. Returns the session as it is then.
pub(super) fn change(
    db: &mut dyn Transaction,
    change: &Change,
    most: &SessionCapacity,
) -> Result<Session, Error> {
    match change {
        Change::Start { owner, title, ttl, idle, saved } => {
            let session = Session { ttl: *ttl, idle: *idle, ..fresh(owner, title) };
            start(db, session, saved.as_deref(), most)
        }
        Change::Turn(ended) => turn(db, ended, most),
        Change::Forget { which, what } => forget(db, which, what),
        Change::Close { which } => {
            let session = open(db, which)?;
            close(db, session, Over::Closed, most)
        }
        Change::Save { which, saved } => save(db, which, saved, most),
        Change::Restore { which, saved } => {
            let saved = saved_state(db, &which.owner, saved)?;
            let session = idle(db, which)?;
            clear(db, session.id, &|_| true)?;
            copy(db, saved.id, session.id)?;
            touch(db, session)
        }
        Change::Import { owner, target, title, bound } => {
            let session = emptied(db, owner, target, title, most)?;
            bound.iter().try_for_each(|bound| bind(db, &session, bound))?;
            ensure_room(db, session.id, most)?;
            Ok(session)
        }
        Change::Drop { owner, saved } => {
            let saved = saved_state(db, owner, saved)?;
            clear(db, saved.id, &|_| true)?;
            db.remove_session(saved.id)?;
            Ok(saved)
        }
    }
}

fn fresh(owner: &str, title: &str) -> Session {
    let now = now();
    Session {
        id: 0,
        owner: owner.to_owned(),
        label: None,
        title: title.to_owned(),
        standing: SessionKind::Open,
        created: now,
        used: now,
        ttl: i64::MAX,
        idle: i64::MAX,
        turn: 0,
        lease: None,
    }
}

fn start(
    db: &mut dyn Transaction,
    mut session: Session,
    saved: Option<&str>,
    most: &SessionCapacity,
) -> Result<Session, Error> {
    let saved = saved.map(|saved| saved_state(db, &session.owner, saved)).transpose()?;
    for old in db.sessions(&session.owner)? {
        if old.standing == SessionKind::Open
            && let Some(reason) = old.over(session.created)
        {
            close(db, old, reason, most)?;
        }
    }
    let open = db.sessions(&session.owner)?.into_iter();
    let open = open.filter(|it| it.standing == SessionKind::Open).count();
    ensure(Limit::Sessions, count(open) + 1, most.sessions, "sessions")?;
    session.id = db.put_session(&session)?;
    if let Some(saved) = saved {
        copy(db, saved.id, session.id)?;
    }
    Ok(session)
}

/// The session that a name means. The default session is made when it is needed.
fn open(db: &mut dyn Transaction, Which { owner, name }: &Which) -> Result<Session, Error> {
    let found = if name == DEFAULT {
        db.labelled(owner, DEFAULT, SessionKind::Open)?
    } else {
        let session = number(name).map(|id| db.session(id)).transpose()?.flatten();
        // A session with a label has that as its name, and no other.
        session.filter(|it| it.owner == *owner && it.label.is_none())
    };
    match found {
        Some(session) => match session.over(now()) {
            None => Ok(session),
            Some(Over::Idle) if name == DEFAULT => {
                clear(db, session.id, &|_| true)?;
                db.unnote(session.id, i64::MAX)?;
                touch(db, Session { turn: 0, lease: None, created: now(), ..session })
            }
            Some(reason) => Err(Error::Closed { name: name.clone(), reason }),
        },
        None if name == DEFAULT => {
            let label = Some(DEFAULT.to_owned());
            let mut session = Session { label, idle: DEFAULT_IDLE, ..fresh(owner, "") };
            session.id = db.put_session(&session)?;
            Ok(session)
        }
        None => Err(Error::Unknown(name.clone())),
    }
}

/// A session in which no turn is running.
fn idle(db: &mut dyn Transaction, which: &Which) -> Result<Session, Error> {
    let session = open(db, which)?;
    let turn = session.lease.as_ref().filter(|turn| turn.until > now());
    match standing_of(db, turn.map(|turn| turn.holder.as_str()), None)? {
        Standing::Taken(by) => Err(Error::Busy { name: session.name(), by }),
        Standing::Free | Standing::Own => Ok(session),
    }
}

/// The session of a turn that is still running.
fn held(db: &mut dyn Transaction, id: i64, holder: &str) -> Result<Session, Error> {
    let session = db.session(id)?.filter(|it| it.standing == SessionKind::Open);
    let session = session.ok_or(Error::Ended)?;
    let current = session.lease.as_ref().map(|turn| turn.holder.as_str());
    match standing_of(db, current, Some(holder))? {
        Standing::Own => Ok(session),
        Standing::Free | Standing::Taken(_) => Err(Error::Lost),
    }
}

fn touch(db: &mut dyn Transaction, session: Session) -> Result<Session, Error> {
    let session = Session { used: now(), ..session };
    db.put_session(&session)?;
    Ok(session)
}

fn turn(
    db: &mut dyn Transaction,
    ended: &EndedTurn,
    most: &SessionCapacity,
) -> Result<Session, Error> {
    let mut session = held(db, ended.session, &ended.holder)?;
    session.lease = None;
    let Some(TurnChanges { bound, last, told }) = &ended.made else { return touch(db, session) };
    session.turn += 1;
    if let Some(last) = last {
        shift(db, &session, last)?;
    }
    for bound in bound {
        bind(db, &session, bound)?;
    }
    ensure_room(db, session.id, most)?;
    db.note(session.id, &Turn { turn: session.turn, told: told.clone() })?;
    db.unnote(session.id, session.turn.saturating_sub_unsigned(most.turns))?;
    touch(db, session)
}

/// Makes a value the last one.
fn shift(db: &mut dyn Transaction, session: &Session, last: &BoundValue) -> Result<(), Error> {
    let bindings = db.bindings(session.id)?;
    let find = |name: &str| bindings.iter().find(|binding| binding.name == name);
    for [newer, older] in LAST.array_windows().rev() {
        let Some(binding) = find(newer) else { continue };
        rebind(db, session.id, Binding { name: (*older).to_owned(), ..binding.clone() })?;
    }
    bind(db, session, last)
}

fn bind(db: &mut dyn Transaction, session: &Session, bound: &BoundValue) -> Result<(), Error> {
    let BoundValue { name, kind, term } = bound;
    let hash = Digest::of(term).sha256;
    db.keep_term(&hash, term)?;
    let (name, kind, turn) = (name.clone(), kind.clone(), session.turn);
    rebind(db, session.id, Binding { name, hash, kind, bytes: count(term.len()), turn })
}

/// Binds a name. What it meant before goes, if nothing else has it.
fn rebind(db: &mut dyn Transaction, session: i64, binding: Binding) -> Result<(), Error> {
    let before = db.bindings(session)?.into_iter().find(|it| it.name == binding.name);
    db.bind(session, &binding)?;
    if let Some(before) = before {
        db.sweep(&before.hash)?;
    }
    Ok(())
}

fn ensure_room(db: &dyn Transaction, session: i64, most: &SessionCapacity) -> Result<(), Error> {
    let mut bindings = db.bindings(session)?;
    bindings.retain(|binding| !is_recent(&binding.name));
    most.ensure_bindings(count(bindings.len()))?;
    let bytes = bindings.iter().map(|binding| binding.bytes).sum();
    ensure(Limit::SessionSize, bytes, most.bytes, "bytes of bindings")
}

fn forget(db: &mut dyn Transaction, which: &Which, what: &Removal) -> Result<Session, Error> {
    let session = idle(db, which)?;
    match what {
        Removal::Names(names) => {
            let bindings = db.bindings(session.id)?;
            let is_known = |name: &&String| !bindings.iter().any(|it| it.name == **name);
            if let Some(unknown) = names.iter().find(is_known) {
                return Err(Error::Unbound(unknown.clone()));
            }
            clear(db, session.id, &|name| names.iter().any(|it| it == name))?;
        }
        Removal::All => clear(db, session.id, &|_| true)?,
        Removal::History => db.unnote(session.id, i64::MAX)?,
    }
    touch(db, session)
}

/// Removes bindings.
fn clear(
    db: &mut dyn Transaction,
    session: i64,
    is_meant: &dyn Fn(&str) -> bool,
) -> Result<(), Error> {
    for binding in db.bindings(session)? {
        if is_meant(&binding.name) {
            db.unbind(session, &binding.name)?;
            db.sweep(&binding.hash)?;
        }
    }
    Ok(())
}

/// Closes a session, and forgets the oldest closed ones beyond the limit.
fn close(
    db: &mut dyn Transaction,
    session: Session,
    reason: Over,
    most: &SessionCapacity,
) -> Result<Session, Error> {
    clear(db, session.id, &|_| true)?;
    db.unnote(session.id, i64::MAX)?;
    let owner = session.owner.clone();
    let session = Session { standing: SessionKind::Closed(reason), lease: None, ..session };
    db.put_session(&session)?;
    let sessions = db.sessions(&owner)?.into_iter();
    let closed: Vec<Session> =
        sessions.filter(|it| matches!(it.standing, SessionKind::Closed(_))).collect();
    let surplus = count(closed.len()).saturating_sub(most.closed);
    for old in closed.iter().take(usize::try_from(surplus).unwrap_or_default()) {
        db.remove_session(old.id)?;
    }
    Ok(session)
}

/// Removes all sessions and saved states of an owner, also those that are over. Gives their number.
pub(super) fn erase(db: &mut dyn Transaction, owner: &str) -> Result<u64, Error> {
    let sessions = db.sessions(owner)?;
    for session in &sessions {
        clear(db, session.id, &|_| true)?;
        db.unnote(session.id, i64::MAX)?;
        db.remove_session(session.id)?;
    }
    Ok(count(sessions.len()))
}

fn saved_state(db: &dyn Transaction, owner: &str, saved: &str) -> Result<Session, Error> {
    let found = db.labelled(owner, saved, SessionKind::Saved)?;
    found.ok_or_else(|| Error::Unsaved(saved.to_owned()))
}

/// Saves the bindings of a session, in place of those that were saved under the name.
fn save(
    db: &mut dyn Transaction,
    which: &Which,
    saved: &str,
    most: &SessionCapacity,
) -> Result<Session, Error> {
    let session = idle(db, which)?;
    let copied = Session { turn: session.turn, ..fresh(&which.owner, &session.title) };
    let copied = empty_state(db, copied, saved, most)?;
    copy(db, session.id, copied.id)?;
    touch(db, session)?;
    Ok(copied)
}

/// Writes a saved state without bindings, in place of what was saved under the name.
fn empty_state(
    db: &mut dyn Transaction,
    state: Session,
    saved: &str,
    most: &SessionCapacity,
) -> Result<Session, Error> {
    let known = db.labelled(&state.owner, saved, SessionKind::Saved)?;
    if known.is_none() {
        let all = db.sessions(&state.owner)?.into_iter();
        let all = all.filter(|it| it.standing == SessionKind::Saved).count();
        ensure(Limit::SavedStates, count(all) + 1, most.saved, "saved states")?;
    }
    let id = known.map_or(0, |known| known.id);
    let label = Some(saved.to_owned());
    let mut state = Session { id, label, standing: SessionKind::Saved, ..state };
    state.id = db.put_session(&state)?;
    clear(db, state.id, &|_| true)?;
    Ok(state)
}

/// What an import fills, without bindings.
fn emptied(
    db: &mut dyn Transaction,
    owner: &str,
    target: &Target,
    title: &str,
    most: &SessionCapacity,
) -> Result<Session, Error> {
    let made = fresh(owner, title);
    match target {
        Target::Fresh => start(db, Session { ttl: most.ttl, idle: most.idle, ..made }, None, most),
        Target::Saved(saved) => empty_state(db, made, saved, most),
        Target::Session(name) => {
            let session = idle(db, &Which { owner: owner.to_owned(), name: name.clone() })?;
            clear(db, session.id, &|_| true)?;
            touch(db, session)
        }
    }
}

/// Copies all bindings but the last values.
fn copy(db: &mut dyn Transaction, from: i64, to: i64) -> Result<(), Error> {
    for binding in db.bindings(from)? {
        if !is_recent(&binding.name) {
            db.bind(to, &binding)?;
        }
    }
    Ok(())
}

fn count(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}
