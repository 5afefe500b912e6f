//! Copies of stores that are killed before they end.

use super::servers::Site;
use anyhow::{Context as _, Result, ensure};
use pif_tests::server::client::{Client, command};
use serde_json::json;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a copy may take until it waits.
const PATIENCE: Duration = Duration::from_secs(60);

/// Holds the last table that a copy reads and writes.
const HOLD: &str =
    "BEGIN; LOCK TABLE pif.checkpoint IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(600)";

const WAITING: &str = "SELECT count(*) FROM pg_locks WHERE NOT granted";

const HOLDING: &str = "SELECT count(*) FROM pg_locks WHERE granted AND mode = 'AccessExclusiveLock' \
     AND relation = 'pif.checkpoint'::regclass";

/// Waits until a query of the database counts one.
fn await_one(site: &Site, query: &str) -> Result<()> {
    let begun = Instant::now();
    while site.database.query("pif", query)? == "0" {
        ensure!(begun.elapsed() < PATIENCE, "in vain: {query}");
        sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// Kills a copy when it has come to the last table.
fn kill_within(site: &Site, copy: &mut Command) -> Result<()> {
    std::thread::scope(|scope| {
        let holder = scope.spawn(|| site.database.query("pif", HOLD));
        await_one(site, HOLDING)?;
        let mut copy: Child = copy.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let waits = await_one(site, WAITING);
        copy.kill()?;
        copy.wait()?;
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                   WHERE query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()";
        site.database.query("pif", end)?;
        ensure!(holder.join().is_ok_and(|said| said.is_err()), "it did not hold the table");
        waits
    })
}

fn copying(site: &Site, from: &str, to: &str) -> Result<Command> {
    let mut command = site.command("owner")?;
    command.args(["store", "copy", from, to]);
    for (flag, end) in [("--from-password-file", from), ("--to-password-file", to)] {
        if end.contains("://") {
            command.arg(flag).arg(site.folder.path().join("owner"));
        }
    }
    Ok(command)
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().context("a path")
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_copy_that_is_killed_leaves_no_store() -> Result<()> {
    let site = Site::open()?;
    let database = format!("postgres://owner@localhost:{}/pif", site.database.port());
    let (origin, target) = (site.folder.path().join("origin"), site.folder.path().join("target"));
    let file = |place: &Path, words: &[&str]| -> Result<Command> {
        let mut command = command(&site.folder)?;
        command.env("MCP_PIF_DATA", place).args(words);
        Ok(command)
    };
    let mut server = Client::of(&mut file(&origin, &["serve"])?)?;
    server.initialize()?;
    for code in ["1 + 1", "[1, 2].sum()"] {
        server.text("run", &json!({"code": code}))?;
    }
    server.finish()?;
    let exported = site.said(&mut file(&origin, &["journal", "export"])?)?;
    ensure!(exported.lines().count() == 2, "{exported}");
    // Into the database.
    kill_within(&site, &mut copying(&site, text(&origin)?, &database)?)?;
    ensure!(site.check()?.contains(": 0 entries"), "{}", site.check()?);
    site.said(&mut copying(&site, text(&origin)?, &database)?)?;
    ensure!(site.check()?.contains(": 2 entries"), "{}", site.check()?);
    // Into a directory.
    kill_within(&site, &mut copying(&site, &database, text(&target)?)?)?;
    let refused = file(&target, &["journal", "export"])?.output()?;
    let errors = String::from_utf8_lossy(&refused.stderr).into_owned();
    ensure!(!refused.status.success() && errors.contains("there is no store"), "{errors}");
    site.said(&mut copying(&site, &database, text(&target)?)?)?;
    assert_eq!(site.said(&mut file(&target, &["journal", "export"])?)?, exported);
    // What has a store is refused by its name.
    for (from, to) in [(text(&origin)?, &*database), (&*database, text(&target)?)] {
        let refused = copying(&site, from, to)?.output()?;
        let errors = String::from_utf8_lossy(&refused.stderr).into_owned();
        let name = if to == database { "localhost" } else { to };
        ensure!(!refused.status.success() && errors.contains(name), "{errors}");
    }
    Ok(())
}
