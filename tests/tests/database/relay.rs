//! The process that relays sessions: it outlives the database, a lost worker and signals, and ends with
//! the server.

use super::way::{ask, client, client_with_driver, keep, runtime, target};
use anyhow::{Context as _, Result, ensure};
use pif_database::{Connector, Kind};
use pif_tests::database::Database;
use pif_tests::database::proxy::Proxy;
use pif_tests::processes::{is_alive, mentioning};
use pif_tests::server::binary;
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::{TempDir, tempdir};
use tokio::time::sleep;

/// How long something may take that takes a moment.
const PATIENCE: Duration = Duration::from_secs(20);

/// A database behind a proxy, and a way to it by a process.
struct Way {
    database: Database,
    proxy: Proxy,
    connector: Connector,
    folder: TempDir,
}

impl Way {
    fn open() -> Result<Self> {
        let database = Database::start("host all pif 127.0.0.1/32 scram-sha-256\n")?;
        database.create("pif")?;
        database.query("postgres", "ALTER ROLE pif PASSWORD 'one of many words'")?;
        let (folder, proxy) = (tempdir()?, Proxy::start(database.port())?);
        let password = keep(folder.path(), "password", "one of many words")?;
        let url = format!("postgres://pif@127.0.0.1:{}/pif", proxy.port());
        let connector = Connector::new(target(&url, Some(password))?).relayed(binary::path()?)?;
        Ok(Self { database, proxy, connector, folder })
    }

    /// The processes that relay: they alone name the file with the password.
    fn processes(&self) -> Vec<u32> {
        mentioning(&self.folder.path().join("password").display().to_string())
    }

    /// Sessions that the database has with us.
    fn sessions(&self) -> Result<String> {
        self.database
            .query("postgres", "SELECT count(*) FROM pg_stat_activity WHERE usename = 'pif'")
    }
}

/// Tries until something works.
async fn until<T>(mut attempt: impl AsyncFnMut() -> Result<T>) -> Result<T> {
    let begun = Instant::now();
    loop {
        match attempt().await {
            Err(error) if begun.elapsed() > PATIENCE => return Err(error),
            Err(_) => sleep(Duration::from_millis(20)).await,
            done => return done,
        }
    }
}

fn signal(name: &str, process: u32) -> Result<()> {
    let told = Command::new("kill").args(["-s", name, &process.to_string()]).status()?;
    ensure!(told.success(), "{process} was not told {name}");
    Ok(())
}

#[test]
#[ignore = "needs PostgreSQL"]
fn sessions_go_through_another_process() -> Result<()> {
    let way = Way::open()?;
    runtime()?.block_on(async {
        let one = client(&way.connector).await?;
        assert_eq!(ask(&one, "SELECT current_user::text").await?, "pif");
        let long = "x".repeat(3 << 20);
        let row = one.query_one("SELECT $1 || 'y'", &[&long]).await?;
        ensure!(row.try_get::<_, String>(0)?.len() == long.len() + 1);
        let two = client(&way.connector).await?;
        let process = "SELECT pg_backend_pid()::text";
        ensure!(ask(&one, process).await? != ask(&two, process).await?);
        drop((one, two));
        until(async || {
            ensure!(way.sessions()? == "0", "sessions are left behind");
            Ok(())
        })
        .await
    })
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_database_that_returns_is_found_again() -> Result<()> {
    let mut way = Way::open()?;
    let runtime = runtime()?;
    runtime.block_on(async {
        let one = client(&way.connector).await?;
        way.proxy.cut();
        let told = ask(&one, "SELECT 'a'").await;
        ensure!(told.is_err() && one.is_closed(), "{told:?}");
        let refused = way.connector.connect().await.err().context("it is cut")?;
        assert_eq!(refused.kind, Kind::Unreachable);
        way.proxy.restore();
        assert_eq!(ask(&client(&way.connector).await?, "SELECT 'b'").await?, "b");
        Ok(())
    })?;
    runtime.block_on(async { ask(&client(&way.connector).await?, "SELECT 'c'").await })?;
    way.database.stop()?;
    let refused = runtime.block_on(way.connector.connect()).err().context("it is stopped")?;
    assert_eq!(refused.kind, Kind::Unreachable);
    way.database.begin()?;
    let said =
        runtime.block_on(async { ask(&client(&way.connector).await?, "SELECT 'd'").await })?;
    assert_eq!(said, "d");
    Ok(())
}

#[test]
#[ignore = "needs PostgreSQL"]
fn work_that_nobody_waits_for_is_canceled() -> Result<()> {
    let way = Way::open()?;
    runtime()?.block_on(async {
        let (one, driver) = client_with_driver(&way.connector).await?;
        let slow = "SELECT pg_sleep(3600)";
        let _ = tokio::time::timeout(Duration::from_millis(300), one.query(slow, &[])).await;
        driver.abort();
        until(async || {
            ensure!(way.sessions()? == "0", "a statement goes on");
            Ok(())
        })
        .await
    })
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_lost_worker_is_started_again_and_signals_change_nothing() -> Result<()> {
    let way = Way::open()?;
    runtime()?.block_on(async {
        let one = client(&way.connector).await?;
        let processes = way.processes();
        assert_eq!(processes.len(), 2, "a supervisor and a worker: {processes:?}");
        for process in &processes {
            signal("TERM", *process)?;
            signal("INT", *process)?;
            signal("HUP", *process)?;
        }
        sleep(Duration::from_millis(200)).await;
        assert_eq!(ask(&one, "SELECT 'a'").await?, "a");
        let worker = processes.iter().max().context("a worker")?;
        signal("KILL", *worker)?;
        let two = until(async || client(&way.connector).await).await?;
        assert_eq!(ask(&two, "SELECT 'b'").await?, "b");
        ensure!(ask(&one, "SELECT 'c'").await.is_err(), "its worker is gone");
        Ok(())
    })
}

#[test]
#[ignore = "needs PostgreSQL"]
fn the_processes_end_with_the_server() -> Result<()> {
    let way = Way::open()?;
    let processes = runtime()?.block_on(async {
        let one = client(&way.connector).await?;
        assert_eq!(ask(&one, "SELECT 'a'").await?, "a");
        Ok::<_, anyhow::Error>(way.processes())
    })?;
    assert_eq!(processes.len(), 2, "{processes:?}");
    let Way { database: _database, connector, .. } = way;
    drop(connector);
    let begun = Instant::now();
    while processes.iter().any(|process| is_alive(*process)) {
        ensure!(begun.elapsed() < PATIENCE, "they live on");
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}
