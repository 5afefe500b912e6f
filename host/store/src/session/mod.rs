//! Sessions: names with the terms of their values, which last. A session is owned, has a life that
//! ends by itself, and one turn at a time. A saved state is a session that nobody evaluates in.

mod error;
mod name;
mod rows;

pub use self::error::Error;
pub(super) use self::error::ensure;
pub(super) use self::name::number;
pub use self::name::{
    DEFAULT, LAST, LONGEST_NAME, LONGEST_TITLE, TitleError, ensure_title, is_name, is_recent,
};
pub use self::rows::{Binding, Kind, Lease, Over, Rows, Session, SessionKind, Turn};

use pif_domain::Limit;

/// The owner of the sessions of whoever uses the store directly.
pub const USER: &str = "";

/// The most that sessions hold.
#[derive(Debug, Clone, Copy)]
pub struct SessionCapacity {
    /// Sessions that are not over.
    pub sessions: u64,
    /// Saved states.
    pub saved: u64,
    /// Bindings of a session, without the last values.
    pub bindings: u64,
    /// Bytes of their terms.
    pub bytes: u64,
    /// Turns that a session remembers.
    pub turns: u64,
    /// Closed sessions that are remembered.
    pub closed: u64,
    /// How long a session lives, in milliseconds.
    pub ttl: i64,
    /// How long a session lives without use, in milliseconds.
    pub idle: i64,
}

/// How long the default session lives without use, in milliseconds.
pub const DEFAULT_IDLE: i64 = 30 * 24 * 60 * 60 * 1_000;

impl SessionCapacity {
    /// Refuses more bindings than a session holds.
    pub fn ensure_bindings(&self, count: u64) -> Result<(), Error> {
        ensure(Limit::SessionBindings, count, self.bindings, "bindings")
    }

    /// As much as there is.
    pub const UNLIMITED: Self = Self {
        sessions: u64::MAX,
        saved: u64::MAX,
        bindings: u64::MAX,
        bytes: u64::MAX,
        turns: 50,
        closed: u64::MAX,
        ttl: i64::MAX,
        idle: i64::MAX,
    };
}

/// The session that a change is about.
#[derive(Debug, Clone)]
pub struct Which {
    /// Who it belongs to.
    pub owner: String,
    /// Its name.
    pub name: String,
}

/// A requested change of sessions.
#[derive(Debug, Clone)]
pub enum Change {
    /// Starts a session.
    Start {
        /// The owner.
        owner: String,
        /// Words for people.
        title: String,
        /// How long it lives, in milliseconds.
        ttl: i64,
        /// How long it lives without use, in milliseconds.
        idle: i64,
        /// The saved state that it begins with.
        saved: Option<String>,
    },
    /// Ends a turn.
    Turn(Box<EndedTurn>),
    /// Removes bindings.
    Forget {
        /// The session.
        which: Which,
        /// What to remove.
        what: Removal,
    },
    /// Closes a session.
    Close {
        /// The session.
        which: Which,
    },
    /// Saves the bindings of a session.
    Save {
        /// The session.
        which: Which,
        /// The name of the saved state.
        saved: String,
    },
    /// Gives a session the bindings of a saved state, in place of its own.
    Restore {
        /// The session.
        which: Which,
        /// The name of the saved state.
        saved: String,
    },
    /// Puts bindings in place of those of a session or a saved state, or starts a session with them.
    Import {
        /// Who they belong to.
        owner: String,
        /// Where they go.
        target: Target,
        /// Words for people.
        title: String,
        /// The bindings.
        bound: Vec<BoundValue>,
    },
    /// Removes a saved state.
    Drop {
        /// Who it belongs to.
        owner: String,
        /// The name of the saved state.
        saved: String,
    },
}

/// Where imported bindings go.
#[derive(Debug, Clone)]
pub enum Target {
    /// Into a session that starts with them.
    Fresh,
    /// Into this session.
    Session(String),
    /// Into the saved state of this name, which is made if it is not there.
    Saved(String),
}

/// What to remove from a session.
#[derive(Debug, Clone)]
pub enum Removal {
    /// These bindings.
    Names(Vec<String>),
    /// All bindings and the last values.
    All,
    /// What it remembers of its turns.
    History,
}

/// A turn that has ended.
#[derive(Debug, Clone)]
pub struct EndedTurn {
    /// The number of the session.
    pub session: i64,
    /// The lease of the turn.
    pub holder: String,
    /// Bindings that the turn makes; None of a turn that failed.
    pub made: Option<TurnChanges>,
}

/// What a turn that has not failed leaves behind.
#[derive(Debug, Clone, Default)]
pub struct TurnChanges {
    /// New bindings.
    pub bound: Vec<BoundValue>,
    /// The value of the turn.
    pub last: Option<BoundValue>,
    /// The JSON text that the session remembers of the turn.
    pub told: String,
}

/// A value that is bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundValue {
    /// The name.
    pub name: String,
    /// The kind of the value, such as `list`.
    pub kind: String,
    /// The text of its term.
    pub term: String,
}
