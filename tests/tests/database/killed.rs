//! Servers and their database are killed, frozen and cut off while many clients call: what was acknowledged
//! is there.

use super::servers::Site;
use anyhow::{Context as _, Result, bail, ensure};
use pif_tests::database::proxy::Proxy;
use pif_tests::server::client;
use pif_tests::server::folder::Folder;
use pif_tests::server::web::{Connection, Web, modern_headers};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

/// Rounds, unless `PIF_DATABASE_ROUNDS` says how many. Each has one immediate stop of the database, and for
/// each server a cut, a stall or a frost.
const ROUNDS: usize = 3;

/// Kills of servers in a round.
const KILLS: usize = 7;

const SERVERS: usize = 3;

const CLIENTS: usize = 64;

/// Calls that a server answers after an event before the next one.
const ANSWERS: u64 = 4;

/// How long a server may take until it answers again.
const PATIENCE: Duration = Duration::from_secs(90);

/// How long a client waits for an answer.
const WAIT: Duration = Duration::from_secs(8);

/// How long an event of a connection or a process lasts.
const LASTS: Duration = Duration::from_millis(300);

/// Runs of the last second before a hard stop of the database may be lost.
const PROMISE: Duration = Duration::from_secs(1);

/// A server, and the way from it to the database.
struct Slot {
    number: usize,
    proxy: Proxy,
    web: Mutex<Option<Web>>,
    answers: AtomicU64,
}

impl Slot {
    fn new(site: &Site, number: usize) -> Result<Self> {
        let proxy = Proxy::start(site.database.port())?;
        let slot = Self { number, proxy, web: Mutex::default(), answers: AtomicU64::new(0) };
        slot.start(site)?;
        Ok(slot)
    }

    /// Starts the server, in place of the one that ran.
    fn start(&self, site: &Site) -> Result<()> {
        let mut command = site.command_at("server", self.proxy.port())?;
        command.env("MCP_PIF_DATA", site.folder.path().join(format!("data{}", self.number)));
        command.env("RUST_LOG", "warn").env("MCP_PIF_STORE_DEADLINE", "2s");
        let web = Web::begin(command.args(["serve", "--http", "127.0.0.1:0"]), Folder::new()?)?;
        *self.web.lock().unwrap_or_else(PoisonError::into_inner) = Some(web);
        Ok(())
    }

    /// Kills the server and starts another one.
    fn kill(&self, site: &Site) -> Result<()> {
        if let Some(web) = self.web.lock().unwrap_or_else(PoisonError::into_inner).take() {
            web.kill()?;
        }
        self.start(site)
    }

    fn signal(&self, signal: &str) -> Result<()> {
        let web = self.web.lock().unwrap_or_else(PoisonError::into_inner);
        web.as_ref().context("no server runs")?.signal(signal)
    }

    fn address(&self) -> Option<String> {
        let web = self.web.lock().unwrap_or_else(PoisonError::into_inner);
        web.as_ref().map(|web| web.address.clone())
    }

    /// Waits until the server answers calls.
    fn await_answers(&self, after: &str) -> Result<()> {
        let (begun, before) = (Instant::now(), self.answers.load(Ordering::Relaxed));
        while self.answers.load(Ordering::Relaxed) < before + ANSWERS {
            if begun.elapsed() > PATIENCE {
                let web = self.web.lock().unwrap_or_else(PoisonError::into_inner);
                let log = web.as_ref().map(Web::log).unwrap_or_default();
                bail!("server {} answers no calls after {after}: {log}", self.number);
            }
            sleep(Duration::from_millis(10));
        }
        Ok(())
    }
}

/// A run that was acknowledged. No other one has its value.
struct Run {
    value: String,
    asked: Instant,
    answered: Instant,
}

/// What a client was told.
#[derive(Default)]
struct Told {
    runs: Vec<Run>,
    changes: u64,
}

/// A client, which changes one key again and again, and runs programs.
struct Caller<'a> {
    name: String,
    slots: &'a [Slot],
    /// The server that it asks first.
    home: usize,
    slot: usize,
    connection: Option<Connection>,
}

impl Caller<'_> {
    /// The result of a call that has one: neither an error nor a fault.
    fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value> {
        let result = self.try_call(tool, arguments);
        match &result {
            Ok(_) => self.slots[self.slot].answers.fetch_add(1, Ordering::Relaxed),
            // The next server may answer.
            Err(_) => {
                self.connection = None;
                self.slot = (self.slot + 1) % self.slots.len();
                sleep(Duration::from_millis(20));
                0
            }
        };
        result
    }

    fn try_call(&mut self, tool: &str, arguments: &Value) -> Result<Value> {
        if self.connection.is_none() {
            let address = self.slots[self.slot].address().context("no server runs")?;
            self.connection = Some(Connection::open(&address, WAIT)?);
        }
        let connection = self.connection.as_mut().context("no connection")?;
        let params = json!({"name": tool, "arguments": arguments});
        let headers = modern_headers("", "tools/call", &params);
        let body = client::modern(&json!(1), "tools/call", params)?;
        let result = client::result(&connection.post(&headers, &body)?.answer()?)?;
        ensure!(result["isError"] != true, "{result}");
        Ok(result)
    }

    /// Calls until it is to end. Fails if something that was acknowledged is lost.
    fn work(mut self, ends: &AtomicBool) -> Result<Told> {
        let mut told = Told::default();
        // The last change that was acknowledged, and the last one that was asked for.
        let (mut acknowledged, mut asked) = (0, 0);
        let mut is_sure = true;
        while !ends.load(Ordering::Relaxed) {
            if self.slot != self.home {
                (self.slot, self.connection) = (self.home, None);
            }
            if !is_sure {
                is_sure = self.verify(acknowledged, asked)?;
                continue;
            }
            asked += 1;
            let change = json!({"key": self.name, "value": asked});
            match self.call("memory_store", &change) {
                Ok(_) => {
                    acknowledged = asked;
                    told.changes += 1;
                }
                Err(_) => is_sure = false,
            }
            for turn in 0..3 {
                let value = format!("{} {asked} {turn}", self.name);
                let begun = Instant::now();
                let code = json!({"code": format!("\"{value}\"")});
                if self.call("run", &code).is_err() {
                    is_sure = false;
                    continue;
                }
                told.runs.push(Run { value, asked: begun, answered: Instant::now() });
            }
        }
        let begun = Instant::now();
        while !self.verify(acknowledged, asked)? {
            ensure!(begun.elapsed() < PATIENCE, "{} is not read", self.name);
        }
        Ok(told)
    }

    /// Whether the key was read. It must have what was acknowledged, or what was asked for since.
    fn verify(&mut self, acknowledged: u64, asked: u64) -> Result<bool> {
        if acknowledged == 0 {
            return Ok(true);
        }
        let Ok(result) = self.call("memory_retrieve", &json!({"key": self.name})) else {
            return Ok(false);
        };
        let found = result["structuredContent"]["value"].as_u64();
        let found = found.with_context(|| format!("{} is lost: {result}", self.name))?;
        ensure!(
            (acknowledged..=asked).contains(&found),
            "{} has {found}; {acknowledged} was acknowledged, {asked} asked for",
            self.name
        );
        Ok(true)
    }
}

/// What happened.
#[derive(Debug, Default)]
struct Counts {
    kills: usize,
    cuts: usize,
    stalls: usize,
    frosts: usize,
    /// From when to when the database was stopped, at once.
    stops: Vec<(Instant, Instant)>,
}

/// Has one round of events.
fn trouble(site: &mut Site, slots: &[Slot], round: usize, counts: &mut Counts) -> Result<()> {
    for kill in 0..KILLS {
        let slot = &slots[(round + kill) % slots.len()];
        slot.kill(site)?;
        counts.kills += 1;
        slot.await_answers("a kill")?;
    }
    let [cut, stalled, frozen] = [0, 1, 2].map(|number| &slots[(round + number) % slots.len()]);
    cut.proxy.cut();
    counts.cuts += 1;
    stalled.proxy.hold();
    counts.stalls += 1;
    frozen.signal("-STOP")?;
    counts.frosts += 1;
    sleep(LASTS);
    frozen.signal("-CONT")?;
    cut.proxy.restore();
    stalled.proxy.restore();
    for slot in slots {
        slot.await_answers("a cut, a stall and a frost")?;
    }
    let begun = Instant::now();
    site.database.stop()?;
    counts.stops.push((begun, Instant::now()));
    site.database.begin()?;
    for slot in slots {
        slot.await_answers("a stop of the database")?;
    }
    Ok(())
}

/// Keys for all servers: one makes them, the others get the file.
fn share_keys(site: &Site) -> Result<()> {
    let folder = |number: usize| site.folder.path().join(format!("data{number}"));
    let mut make = site.command("server")?;
    site.said(make.env("MCP_PIF_DATA", folder(0)).args(["keys", "new"]))?;
    for number in 1..SERVERS {
        fs::create_dir_all(folder(number))?;
        fs::copy(folder(0).join("keys.json"), folder(number).join("keys.json"))?;
    }
    Ok(())
}

/// Compares the runs that were acknowledged with the journal: how many are lost. They were acknowledged just
/// before a stop of the database.
fn lost(exported: &str, runs: &[Run], stops: &[(Instant, Instant)]) -> Result<usize> {
    let mut values = HashSet::new();
    for line in exported.lines() {
        let entry: Value = serde_json::from_str(line)?;
        // Values in the journal are texts of JSON.
        let value = entry["outcome"]["value"].as_str().map(serde_json::from_str::<Value>);
        values.extend(value.and_then(Result::ok));
    }
    let lost: Vec<&Run> = runs.iter().filter(|run| !values.contains(&json!(run.value))).collect();
    for run in &lost {
        let is_promised =
            stops.iter().any(|(from, to)| run.asked <= *to && run.answered + PROMISE >= *from);
        ensure!(is_promised, "the run of `{}` is lost", run.value);
    }
    Ok(lost.len())
}

/// Whoever is killed, and when: what was acknowledged is there.
#[test]
#[ignore = "needs PostgreSQL"]
fn nothing_acknowledged_is_lost_when_servers_and_the_database_are_killed() -> Result<()> {
    let begun = Instant::now();
    let mut site = Site::open()?;
    share_keys(&site)?;
    let rounds = std::env::var("PIF_DATABASE_ROUNDS").ok().and_then(|it| it.parse().ok());
    let slots: Vec<Slot> =
        (0..SERVERS).map(|number| Slot::new(&site, number)).collect::<Result<_>>()?;
    let ends = &AtomicBool::new(false);
    let mut counts = Counts::default();
    let (all, notes) = thread::scope(|scope| -> Result<(Vec<Told>, Vec<String>)> {
        let callers: Vec<_> = (0..CLIENTS)
            .map(|number| {
                let (name, home) = (format!("client{number}"), number % SERVERS);
                let caller = Caller { name, slots: &slots, home, slot: home, connection: None };
                scope.spawn(move || caller.work(ends))
            })
            .collect();
        let mut notes = Vec::new();
        let mut happen = || {
            for round in 0..rounds.unwrap_or(ROUNDS) {
                trouble(&mut site, &slots, round, &mut counts)?;
                let last = site.command("server")?.args(["journal", "checkpoint"]).output()?;
                notes.extend(
                    last.status.success().then(|| String::from_utf8(last.stdout)).transpose()?,
                );
            }
            Ok::<_, anyhow::Error>(())
        };
        let happened = happen();
        ends.store(true, Ordering::Relaxed);
        let told = callers
            .into_iter()
            .map(|caller| caller.join().map_err(|_| anyhow::anyhow!("a client panicked"))?);
        let told = told.collect::<Result<Vec<_>>>();
        let told = told?;
        happened?;
        Ok((told, notes))
    })?;
    ensure!(!notes.is_empty(), "there is no checkpoint");
    let mut verify = site.command("server")?;
    verify.env("MCP_PIF_DATA", site.folder.path().join("data0")).args(["journal", "verify"]);
    for (number, note) in notes.iter().enumerate() {
        let file = site.folder.path().join(format!("note{number}"));
        fs::write(&file, note)?;
        verify.arg("--expect").arg(file);
    }
    let verified = site.said(&mut verify)?;
    ensure!(verified.contains("the last checkpoint holds"), "{verified}");
    ensure!(site.check()?.contains("all as they were written"));
    let exported = site.said(site.command("server")?.args(["journal", "export"]))?;
    let changes: u64 = all.iter().map(|told| told.changes).sum();
    let runs: Vec<Run> = all.into_iter().flat_map(|told| told.runs).collect();
    ensure!(!runs.is_empty() && changes > 0, "nothing was acknowledged");
    let lost = lost(&exported, &runs, &counts.stops)?;
    let Counts { kills, cuts, stalls, frosts, stops } = counts;
    pif_tests::tell(&format!(
        "{kills} kills, {} stops of the database, {cuts} cuts, {stalls} stalls, {frosts} frosts; \
         acknowledged: {} runs, {changes} changes; lost within the promise: {lost} runs; \
         {} checkpoints hold; {:?}",
        stops.len(),
        runs.len(),
        notes.len(),
        begun.elapsed()
    ));
    Ok(())
}
