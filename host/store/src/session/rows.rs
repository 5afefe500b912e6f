//! The rows of sessions.

use super::name::of_number;
use crate::error::Error;

/// A session, or a saved state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its number; 0 until it is written.
    pub id: i64,
    /// Who it belongs to.
    pub owner: String,
    /// Its name, if that is not made of its number.
    pub label: Option<String>,
    /// Words for people.
    pub title: String,
    /// What it is.
    pub standing: SessionKind,
    /// When it was started, in milliseconds since 1970.
    pub created: i64,
    /// When it was used last, in milliseconds since 1970.
    pub used: i64,
    /// How long it lives, in milliseconds.
    pub ttl: i64,
    /// How long it lives without use, in milliseconds.
    pub idle: i64,
    /// Turns so far that have not failed.
    pub turn: i64,
    /// The turn that is running.
    pub lease: Option<Lease>,
}

/// A running turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The lease of the process, and the turn in it.
    pub holder: String,
    /// When the turn has ended for certain, in milliseconds since 1970.
    pub until: i64,
}

/// What a session is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionKind {
    /// A session that goes on until its time is over.
    Open,
    /// A saved state.
    Saved,
    /// A session that is over.
    Closed(Over),
}

/// Why a session is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// Somebody closed it.
    Closed,
    /// It has lived as long as it may.
    Ttl,
    /// It has not been used for too long.
    Idle,
}

impl Over {
    /// The name in replies.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Ttl => "ttl",
            Self::Idle => "idle",
        }
    }

    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Closed => "it was closed",
            Self::Ttl => "its time to live has passed",
            Self::Idle => "nobody used it for too long",
        }
    }
}

impl SessionKind {
    const ALL: [Self; 5] = [
        Self::Open,
        Self::Saved,
        Self::Closed(Over::Closed),
        Self::Closed(Over::Ttl),
        Self::Closed(Over::Idle),
    ];

    /// The name in the store.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Saved => "saved",
            Self::Closed(reason) => reason.name(),
        }
    }

    /// The standing with this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|standing| standing.name() == name)
    }
}

impl Session {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> String {
        self.label.clone().unwrap_or_else(|| of_number(self.id))
    }

    /// When it is over, in milliseconds since 1970.
    #[must_use]
    pub fn expires(&self) -> i64 {
        self.created.saturating_add(self.ttl).min(self.idle_until())
    }

    /// When nobody has used it for too long. A running turn is a use.
    fn idle_until(&self) -> i64 {
        let running = self.lease.as_ref().map_or(i64::MIN, |lease| lease.until);
        self.used.saturating_add(self.idle).max(running)
    }

    /// Why it is over at a moment.
    #[must_use]
    pub fn over(&self, now: i64) -> Option<Over> {
        match self.standing {
            SessionKind::Closed(reason) => Some(reason),
            SessionKind::Saved => None,
            SessionKind::Open if now >= self.created.saturating_add(self.ttl) => Some(Over::Ttl),
            SessionKind::Open if now >= self.idle_until() => Some(Over::Idle),
            SessionKind::Open => None,
        }
    }
}

/// The kind of a bound value, such as `list`.
pub type Kind = String;

/// A name of a session with the hash of its value's term.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The name.
    pub name: String,
    /// sha256 of the term.
    pub hash: String,
    /// The kind of the value.
    pub kind: Kind,
    /// Bytes of the term.
    pub bytes: u64,
    /// The turn that bound it.
    pub turn: i64,
}

/// What a session remembers of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Its number.
    pub turn: i64,
    /// A JSON text.
    pub told: String,
}

/// Reads the rows of sessions.
pub trait Rows {
    /// A session by its number.
    fn session(&self, id: i64) -> Result<Option<Session>, Error>;
    /// All sessions of an owner, also those that are over, and saved states, in the order of their
    /// numbers.
    fn sessions(&self, owner: &str) -> Result<Vec<Session>, Error>;
    /// The bindings of a session, in the order of their names.
    fn bindings(&self, session: i64) -> Result<Vec<Binding>, Error>;
    /// What a session remembers of its turns, the latest first.
    fn turns(&self, session: i64) -> Result<Vec<Turn>, Error>;
    /// The session that is not over, or the saved state, with a label.
    fn labelled(
        &self,
        owner: &str,
        label: &str,
        standing: SessionKind,
    ) -> Result<Option<Session>, Error>;
}
