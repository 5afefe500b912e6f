//! Sessions: turns that evaluate in a session, and changes of sessions, each with its journal entry.

use std::sync::atomic::{AtomicU64, Ordering};

use pif_domain::text::time::now;
use pif_domain::{EntryKind, EntryOutcome, Fault};
use pif_sandbox::milliseconds;
use pif_store::journal::Draft;
use pif_store::lease::holder;
use pif_store::session::{
    Binding, Change, EndedTurn, Error, Lease, Session, SessionCapacity, SessionKind, Target, Turn,
    TurnChanges, Which,
};
use pif_store::{Change as Changed, Effect, Refusal, Write, sessions};
use serde_json::json;

use super::opening::Workshop;
use super::refusal::{ended, stored, unwritten};

/// What a turn has made.
#[derive(Debug, Clone)]
pub struct TurnResult {
    /// The session after the turn.
    pub session: Session,
    /// The names that it has bound.
    pub defined: Vec<String>,
}

/// A turn that has begun.
#[derive(Debug)]
pub(super) struct OpenTurn {
    pub(super) session: Session,
    pub(super) bindings: Vec<Binding>,
    pub(super) holder: String,
}

/// Turns that this process has begun.
static TURNS: AtomicU64 = AtomicU64::new(0);

impl Workshop {
    /// A saved state, with its bindings.
    pub fn saved_state(&self, which: &Which) -> Result<(Session, Vec<Binding>), Fault> {
        let saved = self.sessions(&which.owner, SessionKind::Saved)?;
        let found = saved.into_iter().find(|it| it.name() == which.name);
        let state = found.ok_or_else(|| ended(Error::Unsaved(which.name.clone())))?;
        let bindings = self.bindings_of(&state)?;
        Ok((state, bindings))
    }

    /// The capacity of sessions.
    #[must_use]
    pub fn session_capacity(&self) -> &SessionCapacity {
        &self.journal.settings().sessions
    }

    /// Makes a change of sessions. `arguments` is the text of the request.
    pub fn change_session(&self, change: Change, arguments: &str) -> Result<Session, Fault> {
        let mut entry = Draft::new(EntryKind::Session, subject(&change), EntryOutcome::Done);
        entry.request = json!({ "arguments": arguments });
        let done = self.journal.commit_one(Write { change: Changed::Session(change), entry });
        match done.map_err(unwritten)?.effect {
            Effect::Session(session) => Ok(*session),
            _ => Err(unwritten(Refusal::CONFUSED)),
        }
    }

    /// A session that is not over. This counts as a use of it.
    pub fn session(&self, which: &Which) -> Result<(Session, Vec<Binding>), Fault> {
        let mut found = None;
        let look = self.store.transact(&mut |db| {
            let session = sessions::look(db, which)?;
            let bindings = db.bindings(session.id)?;
            found = Some((session, bindings));
            Ok(())
        });
        look.map_err(unwritten)?;
        found.ok_or_else(|| unwritten(Refusal::CONFUSED))
    }

    /// All sessions that are not over, or all saved states.
    pub fn sessions(&self, owner: &str, standing: SessionKind) -> Result<Vec<Session>, Fault> {
        let mut sessions = self.store.sessions(owner).map_err(|error| ended(error.into()))?;
        let now = now();
        sessions.retain(|it| it.standing == standing && it.over(now).is_none());
        Ok(sessions)
    }

    /// The bindings of a session that was read.
    pub fn bindings_of(&self, session: &Session) -> Result<Vec<Binding>, Fault> {
        self.store.bindings(session.id).map_err(|error| ended(error.into()))
    }

    /// What a session remembers of its turns, the latest first.
    pub fn turns_of(&self, session: &Session) -> Result<Vec<Turn>, Fault> {
        self.store.turns(session.id).map_err(|error| ended(error.into()))
    }

    /// The text of a binding's term.
    pub fn term_of(&self, binding: &Binding) -> Result<Option<String>, Fault> {
        self.store.text(&binding.hash).map_err(|error| ended(error.into()))
    }

    /// Begins a turn.
    pub(super) fn begin_turn(&self, which: &Which) -> Result<OpenTurn, Fault> {
        let number = TURNS.fetch_add(1, Ordering::Relaxed);
        let holder = holder(&self.journal.lease().hold().map_err(stored)?, number);
        let until = i64::try_from(milliseconds(self.lease)).unwrap_or(i64::MAX);
        let lease = Lease { holder: holder.clone(), until: now().saturating_add(until) };
        let mut begun = None;
        let begin = self.store.transact(&mut |db| {
            begun = Some(sessions::begin(db, which, &lease)?);
            Ok(())
        });
        begin.map_err(unwritten)?;
        let (session, bindings) = begun.ok_or_else(|| unwritten(Refusal::CONFUSED))?;
        Ok(OpenTurn { session, bindings, holder })
    }

    /// Ends a turn: writes the entries of its runs and what it made, all or nothing. The entries of
    /// a turn that made nothing are written all the same. Returns the session and the number of the
    /// last entry.
    pub(super) fn end_turn(
        &self,
        begun: &OpenTurn,
        entries: Vec<Draft>,
        made: Option<TurnChanges>,
    ) -> Result<(Session, Option<i64>), Fault> {
        let ended = EndedTurn { session: begun.session.id, holder: begun.holder.clone(), made };
        let written = self.write_turn(entries.clone(), ended.clone());
        let refusal = match written {
            Ok(written) => return Ok(written),
            Err(refusal) => refusal,
        };
        // The runs were made, whatever came of the turn.
        if self.write_turn(entries.clone(), EndedTurn { made: None, ..ended }).is_err() {
            let writes: Vec<Write> = entries.into_iter().map(Write::entry).collect();
            self.journal.commit(&writes).map_err(unwritten)?;
        }
        Err(unwritten(refusal))
    }

    fn write_turn(
        &self,
        entries: Vec<Draft>,
        ended: EndedTurn,
    ) -> Result<(Session, Option<i64>), Refusal> {
        let mut writes: Vec<Write> = entries.into_iter().map(Write::entry).collect();
        let last = writes.last_mut().ok_or(Refusal::CONFUSED)?;
        last.change = Changed::Session(Change::Turn(Box::new(ended)));
        let done = self.journal.commit(&writes)?.pop().ok_or(Refusal::CONFUSED)?;
        match done.effect {
            Effect::Session(session) => Ok((*session, Some(done.entry))),
            _ => Err(Refusal::CONFUSED),
        }
    }

    /// Ends a turn in which nothing was run.
    pub(super) fn give_up_turn(&self, begun: &OpenTurn) {
        let (id, holder) = (begun.session.id, &begun.holder);
        let end = self.store.transact(&mut |db| Ok(sessions::end(db, id, holder)?));
        if let Err(error) = end {
            tracing::error!(%error, "a turn of a session cannot be ended");
        }
    }
}

pub(super) fn subject(change: &Change) -> Option<&str> {
    match change {
        Change::Start { .. } | Change::Turn(_) => None,
        Change::Import { target: Target::Fresh, .. } => None,
        Change::Import { target: Target::Session(name) | Target::Saved(name), .. } => Some(name),
        Change::Forget { which, .. }
        | Change::Close { which }
        | Change::Save { which, .. }
        | Change::Restore { which, .. } => Some(&which.name),
        Change::Drop { saved, .. } => Some(saved),
    }
}
