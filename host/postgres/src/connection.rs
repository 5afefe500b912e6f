//! A connection: statements, prepared once, each with a deadline.

use std::collections::HashMap;
use std::fmt;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::TryStreamExt as _;
use pif_store::Error;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio_postgres::tls::NoTlsStream;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, NoTls, Row, Statement};

use crate::connect::{Connect, Stream};
use crate::error::{convert, damaged, unavailable};
use crate::wait::wait;

/// A parameter of a statement.
pub(crate) type Parameter<'a> = &'a (dyn ToSql + Sync);

/// What moves the bytes of a connection.
pub(crate) type Driver = tokio_postgres::Connection<Box<dyn Stream>, NoTlsStream>;

/// What every connection sets: all that a statement names is ours, and none waits longer than the store does.
fn greeting(deadline: Duration) -> String {
    let most = deadline.as_millis();
    format!(
        "SET search_path = pif, pg_temp; SET synchronous_commit = off; SET client_min_messages = warning; \
         SET statement_timeout = {most}; SET lock_timeout = {most}; \
         SET idle_in_transaction_session_timeout = '20s'"
    )
}

/// An open connection.
pub(crate) struct Connection {
    client: Client,
    driver: JoinHandle<()>,
    deadline: Duration,
    prepared: Mutex<HashMap<String, Statement>>,
    is_lost: AtomicBool,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("is_lost", &self.is_lost).finish_non_exhaustive()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

/// Logs in over a stream.
pub(crate) async fn log_in(connect: &dyn Connect) -> Result<(Client, Driver), Error> {
    let address = || connect.address();
    let stream = connect
        .connect()
        .await
        .map_err(|error| unavailable(format!("{} cannot be reached: {error}", address())))?;
    let mut config = Config::new();
    config.user(connect.user()).dbname(connect.database()).application_name("mcp-pif");
    let opened = config.connect_raw(stream, NoTls).await;
    let (client, connection) = opened.map_err(|error| match convert(&error) {
        Error::Unavailable { reason } => unavailable(format!("{}: {reason}", address())),
        other => unavailable(format!("{}: {other}", address())),
    })?;
    Ok((client, connection))
}

impl Connection {
    /// Opens a connection. The threads of `runtime` drive it.
    pub(crate) fn open(
        runtime: &Handle,
        connect: &Arc<dyn Connect>,
        deadline: Duration,
    ) -> Result<Self, Error> {
        let connect = Arc::clone(connect);
        let opening = runtime.spawn(async move {
            let (client, connection) = log_in(&*connect).await?;
            let driver = tokio::spawn(async move {
                if let Err(error) = connection.await {
                    tracing::debug!(%error, "a connection to the database ended");
                }
            });
            client.batch_execute(&greeting(deadline)).await.map_err(|error| convert(&error))?;
            Ok::<_, Error>((client, driver))
        });
        let abort = opening.abort_handle();
        let opened = wait(opening, Instant::now() + deadline);
        let Some(opened) = opened else {
            abort.abort();
            return Err(silent(deadline));
        };
        let (client, driver) = opened.map_err(|error| unavailable(error.to_string()))??;
        Ok(Self {
            client,
            driver,
            deadline,
            prepared: Mutex::default(),
            is_lost: AtomicBool::new(false),
        })
    }

    /// Whether it is of no use any more.
    pub(crate) fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::Relaxed) || self.client.is_closed()
    }

    /// Waits for an answer. One that does not come in time makes the connection useless: it would be taken for
    /// that of another question.
    fn await_answer<T>(
        &self,
        answer: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, Error> {
        // The database ends a statement at the deadline, and says so a little later.
        let answer = wait(answer, Instant::now() + self.deadline + Duration::from_millis(500));
        let answered = answer.ok_or_else(|| silent(self.deadline));
        let result = answered.and_then(|it| it.map_err(|error| convert(&error)));
        if matches!(result, Err(Error::Unavailable { .. })) {
            self.is_lost.store(true, Ordering::Relaxed);
        }
        result
    }

    fn prepare(&self, sql: &str) -> Result<Statement, Error> {
        let known = self.prepared.lock().unwrap_or_else(PoisonError::into_inner).get(sql).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let statement = self.await_answer(self.client.prepare(sql))?;
        let mut prepared = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        prepared.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    /// The rows of a query.
    pub(crate) fn rows(&self, sql: &str, parameters: &[Parameter<'_>]) -> Result<Vec<Row>, Error> {
        let statement = self.prepare(sql)?;
        self.await_answer(self.client.query(&statement, parameters))
    }

    /// The only row of a query.
    pub(crate) fn row(&self, sql: &str, parameters: &[Parameter<'_>]) -> Result<Row, Error> {
        let row = self.row_if_any(sql, parameters)?;
        row.ok_or_else(|| damaged("the database has no row where there must be one".to_owned()))
    }

    /// The first row of a query.
    pub(crate) fn row_if_any(
        &self,
        sql: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Option<Row>, Error> {
        Ok(self.rows(sql, parameters)?.into_iter().next())
    }

    /// Executes statements without parameters.
    pub(crate) fn execute(&self, sql: &str) -> Result<(), Error> {
        self.await_answer(self.client.batch_execute(sql))
    }

    /// Executes a statement whatever time it takes.
    pub(crate) fn execute_patiently(&self, sql: &str) -> Result<(), Error> {
        let most = Instant::now() + Duration::from_hours(24);
        let done =
            wait(self.client.batch_execute(sql), most).ok_or_else(|| silent(self.deadline))?;
        done.map_err(|error| convert(&error))
    }

    /// Calls back with each row of a query. The deadline holds for each row.
    pub(crate) fn each<E: From<Error>>(
        &self,
        sql: &str,
        parameters: &[Parameter<'_>],
        mut visit: impl FnMut(&Row) -> Result<(), E>,
    ) -> Result<(), E> {
        let rows = self.client.query_raw(sql, parameters.iter().copied());
        let mut rows = pin!(self.await_answer(rows)?);
        while let Some(row) = self.await_answer(rows.try_next())? {
            visit(&row)?;
        }
        Ok(())
    }
}

fn silent(deadline: Duration) -> Error {
    unavailable(format!("it has not answered within {} s", deadline.as_secs_f64()))
}

/// Reads the columns of a row.
pub(crate) trait Columns {
    /// A number.
    fn number(&self, column: usize) -> Result<i64, Error>;
    /// A number that may be missing.
    fn number_if_any(&self, column: usize) -> Result<Option<i64>, Error>;
    /// Bytes.
    fn bytes(&self, column: usize) -> Result<&[u8], Error>;
    /// A text.
    fn text(&self, column: usize) -> Result<String, Error>;
    /// A text that may be missing.
    fn text_if_any(&self, column: usize) -> Result<Option<String>, Error>;
    /// A list of texts.
    fn texts(&self, column: usize) -> Result<Vec<String>, Error>;
    /// A truth.
    fn truth(&self, column: usize) -> Result<bool, Error>;
    /// A float.
    fn float(&self, column: usize) -> Result<f64, Error>;
    /// A list of numbers.
    fn numbers(&self, column: usize) -> Result<Vec<i64>, Error>;
}

fn decoded(bytes: &[u8]) -> Result<String, Error> {
    let text = std::str::from_utf8(bytes);
    Ok(text.map_err(|error| damaged(format!("a text is not UTF-8: {error}")))?.to_owned())
}

fn read<'a, T: tokio_postgres::types::FromSql<'a>>(
    row: &'a Row,
    column: usize,
) -> Result<T, Error> {
    row.try_get(column).map_err(|error| damaged(error.to_string()))
}

impl Columns for Row {
    fn number(&self, column: usize) -> Result<i64, Error> {
        read(self, column)
    }

    fn number_if_any(&self, column: usize) -> Result<Option<i64>, Error> {
        read(self, column)
    }

    fn bytes(&self, column: usize) -> Result<&[u8], Error> {
        read(self, column)
    }

    fn text(&self, column: usize) -> Result<String, Error> {
        decoded(self.bytes(column)?)
    }

    fn text_if_any(&self, column: usize) -> Result<Option<String>, Error> {
        read::<Option<&[u8]>>(self, column)?.map(decoded).transpose()
    }

    fn texts(&self, column: usize) -> Result<Vec<String>, Error> {
        read::<Vec<&[u8]>>(self, column)?.into_iter().map(decoded).collect()
    }

    fn truth(&self, column: usize) -> Result<bool, Error> {
        read(self, column)
    }

    fn float(&self, column: usize) -> Result<f64, Error> {
        read(self, column)
    }

    fn numbers(&self, column: usize) -> Result<Vec<i64>, Error> {
        read(self, column)
    }
}
