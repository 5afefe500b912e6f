//! What a database costs: runs through three servers, and a run beside one that SQLite keeps. Figures of a
//! release build: `cargo test --release -p pif-tests --test database speed -- --ignored --nocapture
//! --test-threads 1`.

use anyhow::{Context as _, Result, ensure};
use pif_tests::database::Database;
use pif_tests::server::client::{Client, command, modern, result};
use pif_tests::server::folder::Folder;
use pif_tests::server::web::{Connection, Web, modern_headers};
use serde_json::json;
use std::process::Command;
use std::thread::scope;
use std::time::{Duration, Instant};

/// Servers of the database.
const SERVERS: usize = 3;

/// Clients of all servers together.
const CLIENTS: usize = 64;

/// How long runs are counted.
const PERIOD: Duration = Duration::from_secs(10);

/// How long a client waits for an answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// Runs over the pipes of each server.
const RUNS: usize = 1_000;

/// Runs that are not timed: a server is slower at first.
const FIRST: usize = 50;

/// A database that writes to the disk, with a store.
struct Site {
    database: Database,
    folder: Folder,
}

impl Site {
    fn open() -> Result<Self> {
        let mut database = Database::start("host all pif 127.0.0.1/32 trust\n")?;
        database.keep_on_disk()?;
        database.create("pif")?;
        let site = Self { database, folder: Folder::new()? };
        let made = site.command()?.args(["store", "init"]).output()?;
        ensure!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        Ok(site)
    }

    /// A command that works on the database.
    fn command(&self) -> Result<Command> {
        let mut command = command(&self.folder)?;
        let store = format!("postgres://pif@localhost:{}/pif", self.database.port());
        command.env("MCP_PIF_STORE", store);
        command.env("MCP_PIF_DATA", self.folder.path().join("data"));
        Ok(command)
    }
}

/// How many runs a client makes.
fn count(address: &str) -> Result<usize> {
    let mut connection = Connection::open(address, PATIENCE)?;
    let begun = Instant::now();
    for number in 0.. {
        if begun.elapsed() > PERIOD {
            return Ok(number);
        }
        let call = json!({"name": "run", "arguments": {"code": {"add": [number, 1]}}});
        let headers = modern_headers("", "tools/call", &call);
        let reply = connection.post(&headers, &modern(&json!(number), "tools/call", call)?)?;
        let told = result(&reply.answer()?)?;
        ensure!(told["structuredContent"]["value"] == number + 1, "{told}");
    }
    Ok(0)
}

#[test]
#[ignore = "needs PostgreSQL"]
fn runs_a_second_through_three_servers() -> Result<()> {
    let site = Site::open()?;
    let mut servers = Vec::new();
    for _ in 0..SERVERS {
        let mut serve = site.command()?;
        servers.push(Web::of(serve.args(["serve", "--http", "127.0.0.1:0"]), Folder::new()?)?);
    }
    let runs = scope(|scope| {
        let addresses = servers.iter().map(|server| &server.address).cycle().take(CLIENTS);
        let clients: Vec<_> = addresses.map(|it| scope.spawn(move || count(it))).collect();
        let counts =
            clients.into_iter().map(|it| it.join().map_err(|_| anyhow::anyhow!("a panic"))?);
        counts.sum::<Result<usize>>()
    })?;
    let check = site.command()?.args(["store", "check"]).output()?;
    ensure!(check.status.success(), "{}", String::from_utf8_lossy(&check.stderr));
    let each_second = runs as u64 / PERIOD.as_secs();
    pif_tests::tell(&format!(
        "{each_second} runs a second by {CLIENTS} clients of {SERVERS} servers"
    ));
    Ok(())
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_run_on_a_database_beside_one_on_sqlite() -> Result<()> {
    let site = Site::open()?;
    let mut file = site.command()?;
    file.env_remove("MCP_PIF_STORE").env("MCP_PIF_DATA", site.folder.path().join("sqlite"));
    let mut servers = Vec::new();
    for (name, mut serve) in [("SQLite", file), ("PostgreSQL", site.command()?)] {
        let mut server = Client::of(serve.arg("serve"))?;
        server.initialize()?;
        servers.push((name, server, Vec::new()));
    }
    for number in 0..FIRST + RUNS {
        for (_, server, times) in &mut servers {
            let begun = Instant::now();
            server.text("run", &json!({"code": {"add": [number, 1]}}))?;
            times.push(begun.elapsed());
        }
    }
    for (name, _, times) in &mut servers {
        let times = times.get_mut(FIRST..).context("too few runs")?;
        times.sort_unstable();
        let at =
            |percent: usize| times.get(times.len() * percent / 100).copied().unwrap_or_default();
        pif_tests::tell(&format!(
            "{name}: half of the runs take {:?}, of hundred one {:?}",
            at(50),
            at(99)
        ));
    }
    Ok(())
}
