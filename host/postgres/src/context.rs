//! The state that the parts of an open store share: connections, and the last change that was seen.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pif_domain::text::time::now;
use pif_store::Error;
use pif_store::lease::{process, unique_name};
use tokio::runtime::Handle;

use crate::connect::Connect;
use crate::connection::Connection;
use crate::error::unavailable;
use crate::rows::find::Indexer;
use crate::schema;

/// The greatest age of the last change that was seen.
const FRESH: Duration = Duration::from_secs(1);

/// The longest pause before another attempt to connect, and the first one.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// The state that the parts of a store share.
pub(crate) struct StoreContext {
    runtime: Handle,
    pub(crate) connect: Arc<dyn Connect>,
    deadline: Duration,
    /// The name of this open store.
    pub(crate) holder: String,
    pub(crate) indexer: Indexer,
    pub(crate) changes: Changes,
    pub(crate) contact: Contact,
    chain: AtomicI64,
    pause: Mutex<Pause>,
}

/// A pause after an attempt to connect that has failed.
#[derive(Debug)]
struct Pause {
    until: Option<Instant>,
    next: Duration,
    reason: String,
}

/// The last change of the registry, as far as it is known.
#[derive(Debug, Default)]
pub(crate) struct Changes(Mutex<(i64, Option<Instant>)>);

impl Changes {
    fn known(&self) -> MutexGuard<'_, (i64, Option<Instant>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The last change, if it was seen lately.
    pub(crate) fn last(&self) -> Option<i64> {
        let (last, seen) = *self.known();
        seen.filter(|seen| seen.elapsed() < FRESH).map(|_| last)
    }

    /// The watch saw this change after it had asked at that moment.
    pub(crate) fn see(&self, change: i64, asked: Instant) {
        let mut known = self.known();
        known.0 = known.0.max(change);
        known.1 = known.1.max(Some(asked));
    }
}

/// Whether the database answers.
#[derive(Debug, Default)]
pub(crate) struct Contact {
    /// When it last did, in milliseconds since 1970; 0: it never has.
    last: AtomicI64,
    is_lost: AtomicBool,
}

impl Contact {
    /// Notes the result of a question.
    pub(crate) fn note<T>(&self, result: &Result<T, Error>) {
        match result {
            Err(Error::Unavailable { .. }) => self.is_lost.store(true, Ordering::Relaxed),
            _ => self.note_answer(),
        }
    }

    pub(crate) fn note_answer(&self) {
        self.last.store(now(), Ordering::Relaxed);
        self.is_lost.store(false, Ordering::Relaxed);
    }

    /// When the database last answered, if it does not now.
    pub(crate) fn lost_since(&self) -> Option<i64> {
        let last = self.last.load(Ordering::Relaxed);
        (self.is_lost.load(Ordering::Relaxed) && last > 0).then_some(last)
    }
}

impl fmt::Debug for StoreContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreContext").field("holder", &self.holder).finish_non_exhaustive()
    }
}

impl StoreContext {
    /// That of a store that is opened now.
    pub(crate) fn new(
        runtime: Handle,
        connect: Arc<dyn Connect>,
        deadline: Duration,
    ) -> Result<Self, Error> {
        Ok(Self {
            runtime,
            connect,
            deadline,
            holder: unique_name(&process()),
            indexer: Indexer::new()?,
            changes: Changes::default(),
            contact: Contact::default(),
            chain: AtomicI64::new(0),
            pause: Mutex::default(),
        })
    }

    /// Where tasks run.
    pub(crate) fn runtime(&self) -> &Handle {
        &self.runtime
    }

    /// The connection in a slot. Makes one if there is none, or the one there is of no use.
    pub(crate) fn connect<'a>(
        &self,
        slot: &'a mut Option<Connection>,
    ) -> Result<&'a Connection, Error> {
        if slot.as_ref().is_some_and(Connection::is_lost) {
            *slot = None;
        }
        if slot.is_none() {
            *slot = Some(self.open()?);
        }
        slot.as_ref().ok_or(Error::Confused)
    }

    /// Opens a connection to the store. After a failure the next attempts fail at once for a while.
    pub(crate) fn open(&self) -> Result<Connection, Error> {
        let pause = || self.pause.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let pause = pause();
            if pause.until.is_some_and(|until| Instant::now() < until) {
                return Err(unavailable(pause.reason.clone()));
            }
        }
        let opened = self.open_bare().and_then(|connection| {
            schema::ensure(&connection, &self.connect.address())?;
            Ok(connection)
        });
        let mut pause = pause();
        match &opened {
            Ok(_) => *pause = Pause::default(),
            Err(Error::Unavailable { reason }) => {
                let next = (pause.next * 2).min(LONGEST_PAUSE);
                let until = Some(Instant::now() + pause.next);
                *pause = Pause { until, next, reason: reason.clone() };
            }
            Err(_) => {}
        }
        opened
    }

    pub(crate) fn open_bare(&self) -> Result<Connection, Error> {
        Connection::open(&self.runtime, &self.connect, self.deadline)
    }

    /// The chain that this process holds; 0: none.
    pub(crate) fn chain(&self) -> i64 {
        self.chain.load(Ordering::Relaxed)
    }

    pub(crate) fn note_chain(&self, chain: i64) {
        self.chain.store(chain, Ordering::Relaxed);
    }

    /// A change of this process counts for it at once.
    pub(crate) fn note_change(&self, change: Option<i64>) {
        if let Some(change) = change {
            let mut known = self.changes.known();
            known.0 = known.0.max(change);
        }
    }
}

impl Default for Pause {
    fn default() -> Self {
        Self { until: None, next: FIRST_PAUSE, reason: String::new() }
    }
}
