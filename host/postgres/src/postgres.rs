//! An open store: its connections, and what is known of changes.

use std::fmt;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pif_store::Error;
use pif_store::journal::owner;
use tokio::runtime::{Builder, Handle, Runtime};

use crate::connect::Connect;
use crate::connection::Connection;
use crate::error::unavailable;
use crate::rows::entries;
use crate::rows::find::Indexer;
use crate::watch::watch;
use crate::writer::Writer;
use crate::{copy, schema};

/// The most connections that read.
const MOST_READERS: usize = 4;

/// How old what is known of changes may be.
const FRESH: Duration = Duration::from_secs(1);

/// The longest pause before another attempt to connect, and the first one.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// What the parts of a store share.
pub(crate) struct StoreContext {
    runtime: Handle,
    pub(crate) connect: Arc<dyn Connect>,
    deadline: Duration,
    /// What names this store among all that are open.
    pub(crate) holder: String,
    pub(crate) indexer: Indexer,
    pub(crate) changes: Changes,
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

    /// The last change, if what is known is fresh.
    fn last(&self) -> Option<i64> {
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

impl fmt::Debug for StoreContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("holder", &self.holder).finish_non_exhaustive()
    }
}

impl StoreContext {
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
    fn open(&self) -> Result<Connection, Error> {
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

    fn open_bare(&self) -> Result<Connection, Error> {
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

/// A store in PostgreSQL.
#[derive(Debug)]
pub struct Postgres {
    pub(crate) shared: Arc<StoreContext>,
    pub(crate) writer: Writer,
    readers: Mutex<Vec<Arc<Connection>>>,
    /// The connection that holds the lock of the server that makes checkpoints.
    elected: Mutex<Option<Connection>>,
    runtime: Option<Runtime>,
}

/// What has become of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Migration {
    /// Its number before; 0: there was none.
    pub from: i64,
    /// Its number now.
    pub to: i64,
}

impl Postgres {
    /// A store in a database, which need not answer yet. A query fails that takes longer than `deadline`.
    pub fn open(connect: Arc<dyn Connect>, deadline: Duration) -> Result<Self, Error> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("postgres")
            .enable_all()
            .build()
            .map_err(|error| unavailable(format!("no thread can be started: {error}")))?;
        let shared = Arc::new(StoreContext {
            runtime: runtime.handle().clone(),
            connect,
            deadline,
            holder: name_holder(),
            indexer: Indexer::new()?,
            changes: Changes::default(),
            chain: AtomicI64::new(0),
            pause: Mutex::default(),
        });
        let writer = Writer::new(Arc::clone(&shared));
        Ok(Self {
            shared,
            writer,
            readers: Mutex::default(),
            elected: Mutex::default(),
            runtime: Some(runtime),
        })
    }

    /// Begins to watch for changes of other servers.
    pub fn watch(&self) {
        let _ = self.shared.runtime.spawn(watch(Arc::clone(&self.shared)));
    }

    /// Ensures that the database answers and has a store.
    pub fn ensure(&self) -> Result<(), Error> {
        self.read(|_| Ok(()))
    }

    /// Makes the store in the database, or migrates the one that is there, as the owner of its schema. Gives the
    /// role of the servers its rights, if that is another one.
    pub fn migrate(&self, role: Option<&str>) -> Result<Migration, Error> {
        let connection = self.shared.open_bare()?;
        let (from, to) = schema::migrate(&connection, &self.shared.connect.address())?;
        if let Some(role) = role {
            schema::grant(&connection, role)?;
        }
        Ok(Migration { from, to })
    }

    /// The number of the schema in the database; None: there is none.
    pub fn version(&self) -> Result<Option<i64>, Error> {
        schema::version(&self.shared.open_bare()?)
    }

    /// The statements that make the store, for whoever executes them by hand.
    #[must_use]
    pub fn sql(role: &str) -> String {
        schema::sql(role)
    }

    /// Removes the oldest entries of all chains, until the bodies and texts of each have at most so many bytes, as
    /// the owner of the schema. Gives the number of removed entries. Verify the journal before.
    pub fn trim(&self, most: u64) -> Result<u64, Error> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let connection = self.shared.open_bare()?;
        let row = connection.row(
            "SELECT coalesce(sum(trim_chain(chain, ends - $1)), 0)::bigint FROM chain",
            &[&most],
        )?;
        Ok(crate::connection::Columns::number(&row, 0)?.unsigned_abs())
    }

    /// Whether this is the server that makes checkpoints. It stays so as long as its connection lives.
    pub(crate) fn is_elected(&self) -> Result<bool, Error> {
        let mut elected = self.elected.lock().unwrap_or_else(PoisonError::into_inner);
        let connection = self.shared.connect(&mut elected)?;
        let row = connection.row(
            "SELECT coalesce((SELECT granted FROM pg_locks WHERE locktype = 'advisory' AND classid = 20550
                AND objid = 5 AND pid = pg_backend_pid()), pg_try_advisory_lock(20550, 5))",
            &[],
        )?;
        let is_elected = crate::connection::Columns::truth(&row, 0)?;
        if !is_elected {
            *elected = None;
        }
        Ok(is_elected)
    }

    /// A connection that nobody else uses, outside the pool.
    pub(crate) fn alone(&self) -> Result<Connection, Error> {
        self.shared.open()
    }

    /// Runs a query. Several who read at once share connections.
    pub(crate) fn read<T>(
        &self,
        query: impl FnOnce(&Connection) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let connection = self.reader()?;
        query(&connection)
    }

    fn readers(&self) -> MutexGuard<'_, Vec<Arc<Connection>>> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection with the fewest readers; a new one, if all are read from and there may be another.
    fn reader(&self) -> Result<Arc<Connection>, Error> {
        {
            let mut readers = self.readers();
            readers.retain(|it| !it.is_lost());
            let least = readers.iter().min_by_key(|it| Arc::strong_count(it));
            let is_idle = |it: &Arc<Connection>| Arc::strong_count(it) == 1;
            if let Some(least) = least.filter(|it| is_idle(it) || readers.len() >= MOST_READERS) {
                return Ok(Arc::clone(least));
            }
        }
        let opened = Arc::new(self.shared.open()?);
        self.readers().push(Arc::clone(&opened));
        Ok(opened)
    }

    /// The last change of the registry. What the watch has seen within a second is good enough; without a watch
    /// the database is asked.
    pub(crate) fn last_change(&self) -> Result<i64, Error> {
        if let Some(last) = self.shared.changes.last() {
            return Ok(last);
        }
        self.read(crate::rows::tools::last_change)
    }

    /// Verifies the rows that no read of a tool or an entry verifies.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let connection = self.alone()?;
        connection.execute("SET statement_timeout = 0")?;
        copy::check(&connection)?;
        entries::check_heads(&connection)
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.writer.leave();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// A name that no other open store has.
fn name_holder() -> String {
    use std::hash::{BuildHasher as _, RandomState};
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let random = RandomState::new().hash_one(number);
    format!("{} {number} {random:016x}", owner())
}
