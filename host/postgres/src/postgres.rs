//! An open store and its connections.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pif_store::{Error, Replica, Store};
use tokio::runtime::{Builder, Runtime};

use crate::connect::Connect;
use crate::connection::Connection;
use crate::context::StoreContext;
use crate::error::unavailable;
use crate::schema;
use crate::watch::watch;
use crate::writer::Writer;

/// The most connections that read.
const MOST_READERS: usize = 4;

/// A store in PostgreSQL.
#[derive(Debug)]
pub struct Postgres {
    pub(crate) shared: Arc<StoreContext>,
    pub(crate) writer: Writer,
    readers: Mutex<Vec<Arc<Connection>>>,
    /// The connection that holds the lock of the server that makes checkpoints.
    elected: Mutex<Option<Connection>>,
    /// The registry, for when the database is away.
    replica: Mutex<Option<Arc<Replica>>>,
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
        let shared = Arc::new(StoreContext::new(runtime.handle().clone(), connect, deadline)?);
        let writer = Writer::new(Arc::clone(&shared));
        Ok(Self {
            shared,
            writer,
            readers: Mutex::default(),
            elected: Mutex::default(),
            replica: Mutex::default(),
            runtime: Some(runtime),
        })
    }

    /// Begins to watch for changes of other servers.
    pub fn watch(&self) {
        drop(self.shared.runtime().spawn(watch(Arc::clone(&self.shared))));
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
        let result = self.reader().and_then(|connection| query(&connection));
        self.shared.contact.note(&result);
        result
    }

    /// Runs a query of the registry. While the database is away, the answer comes from what this server
    /// holds of it. Whoever writes or watches finds out that the database is back.
    pub(crate) fn look<T>(
        &self,
        query: impl FnOnce(&Connection) -> Result<T, Error>,
        held: impl FnOnce(&dyn Store) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let replica = self.replica();
        let is_away = self.shared.contact.lost_since().is_some();
        if let Some(replica) = replica.as_ref().filter(|_| is_away) {
            return held(replica.store());
        }
        match (self.read(query), replica) {
            (Err(Error::Unavailable { .. }), Some(replica)) => held(replica.store()),
            (result, _) => result,
        }
    }

    fn replica(&self) -> Option<Arc<Replica>> {
        self.replica.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Copies new changes of the registry into the replica.
    pub(crate) fn hold_registry(&self) -> Result<(), Error> {
        let last = match self.shared.changes.last() {
            Some(last) => last,
            None => self.read(crate::rows::tools::last_change)?,
        };
        let known = self.replica();
        if known.as_ref().is_some_and(|replica| replica.last() >= last) {
            return Ok(());
        }
        let replica = known.map_or_else(|| Replica::new().map(Arc::new), Ok)?;
        let mut since = replica.last();
        let retired = self.read(|db| crate::rows::tools::retired(db, since))?;
        replica.take(since, &[], &retired)?;
        loop {
            let changed = self.read(|db| crate::rows::tools::current_after(db, since, last))?;
            let Some(end) = changed.last().map(|it| it.tool.change) else { break };
            replica.take(end, &changed, &[])?;
            since = end;
        }
        replica.take(last, &[], &[])?;
        *self.replica.lock().unwrap_or_else(PoisonError::into_inner) = Some(replica);
        Ok(())
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
        self.look(crate::rows::tools::last_change, |_| {
            self.replica().map(|replica| replica.last()).ok_or(Error::Confused)
        })
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
