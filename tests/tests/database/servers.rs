//! Real servers on a real database: several share it, it is lost and returns.

use super::way::keep;
use anyhow::{Context as _, Result, ensure};
use pif_tests::database::Database;
use pif_tests::server::client::{Client, command};
use pif_tests::server::folder::Folder;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

const PASSWORD: &str = "canary 5d0c 81f7 aa3e";

/// How long a lost database may take to be found again.
const PATIENCE: Duration = Duration::from_secs(30);

/// A database with a store, which servers use by a password.
pub(super) struct Site {
    pub(super) database: Database,
    pub(super) folder: Folder,
}

impl Site {
    pub(super) fn open() -> Result<Self> {
        let database = Database::start("host all all 127.0.0.1/32 scram-sha-256\n")?;
        database.query("postgres", "CREATE ROLE owner LOGIN CREATEROLE PASSWORD 'of the owner'")?;
        database.query("postgres", "CREATE DATABASE pif OWNER owner")?;
        let folder = Folder::new()?;
        keep(folder.path(), "owner", "of the owner")?;
        keep(folder.path(), "server", PASSWORD)?;
        let site = Self { database, folder };
        let mut init = site.command("owner")?;
        init.args(["store", "init", "--role", "server", "--role-password-file"]);
        site.said(init.arg(site.folder.path().join("server")))?;
        Ok(site)
    }

    /// A command that works as a role.
    pub(super) fn command(&self, role: &str) -> Result<Command> {
        self.command_at(role, self.database.port())
    }

    /// A command that works as a role, by a port where the database is reached.
    pub(super) fn command_at(&self, role: &str, port: u16) -> Result<Command> {
        let mut command = command(&self.folder)?;
        let url = format!("postgres://{role}@localhost:{port}/pif");
        command.env("MCP_PIF_STORE", url).env("RUST_LOG", "debug");
        command.env("MCP_PIF_STORE_PASSWORD_FILE", self.folder.path().join(role));
        command.env("MCP_PIF_DATA", self.folder.path().join("data"));
        Ok(command)
    }

    /// What a command prints.
    pub(super) fn said(&self, command: &mut Command) -> Result<String> {
        let said = command.output()?;
        ensure!(said.status.success(), "{command:?}: {}", String::from_utf8_lossy(&said.stderr));
        Ok(String::from_utf8(said.stdout)?)
    }

    pub(super) fn server(&self, number: usize) -> Result<Client> {
        self.server_with(number, &[])
    }

    /// A server with flags.
    pub(super) fn server_with(&self, number: usize, flags: &[&str]) -> Result<Client> {
        let mut command = self.command("server")?;
        command.env("MCP_PIF_DATA", self.folder.path().join(format!("data{number}")));
        let mut client = Client::of(command.arg("serve").args(flags))?;
        client.initialize()?;
        Ok(client)
    }

    /// Verifies chains and texts of the journal, and all tables.
    pub(super) fn check(&self) -> Result<String> {
        self.said(self.command("server")?.args(["store", "check"]))
    }
}

/// Calls until the call succeeds: how long that took.
fn until(client: &mut Client, tool: &str, arguments: &Value) -> Result<Duration> {
    let begun = Instant::now();
    loop {
        let answer = client.call(tool, arguments)?;
        if answer["isError"] == false {
            return Ok(begun.elapsed());
        }
        ensure!(begun.elapsed() < PATIENCE, "{tool}: {answer}");
        sleep(Duration::from_millis(10));
    }
}

/// How often a text stands in the memory of a process.
fn in_memory(process: u32, text: &str) -> Result<usize> {
    let (maps, mut memory) = (
        fs::read_to_string(format!("/proc/{process}/maps"))?,
        File::open(format!("/proc/{process}/mem"))?,
    );
    let mut found = 0;
    for line in maps.lines() {
        let (range, rest) = line.split_once(' ').context("a range")?;
        let (from, to) = range.split_once('-').context("two ends")?;
        let (from, to) = (u64::from_str_radix(from, 16)?, u64::from_str_radix(to, 16)?);
        // What is reserved for instances holds nothing of the host.
        if !rest.starts_with("rw") || to - from > 256 << 20 {
            continue;
        }
        let mut bytes = vec![0; usize::try_from(to - from)?];
        memory.seek(SeekFrom::Start(from))?;
        if memory.read_exact(&mut bytes).is_ok() {
            found += bytes.windows(text.len()).filter(|window| *window == text.as_bytes()).count();
        }
    }
    Ok(found)
}

/// Ensures that no file below a folder holds a text, but for one.
fn ensure_absent(folder: &Path, text: &str, but: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            ensure_absent(&path, text, but)?;
        } else if path != but {
            let bytes = fs::read(&path).unwrap_or_default();
            let is_there = bytes.windows(text.len()).any(|window| window == text.as_bytes());
            ensure!(!is_there, "{} has it", path.display());
        }
    }
    Ok(())
}

#[test]
#[ignore = "needs PostgreSQL"]
fn three_servers_share_what_one_makes() -> Result<()> {
    let site = Site::open()?;
    let mut servers = [site.server(1)?, site.server(2)?, site.server(3)?];
    let double = json!({"tool": "double", "data": 21});
    for server in &mut servers {
        server.fault("run", &double)?;
    }
    servers[0].evolve("double", "Doubles a number", &json!("x => x * 2"))?;
    for server in &mut servers {
        let took = until(server, "run", &double)?;
        ensure!(took < Duration::from_secs(1), "the change is seen after {took:?}");
    }
    servers[1].text("memory_store", &json!({"key": "color", "value": "blue"}))?;
    let kept = servers[2].text("memory_retrieve", &json!({"key": "color"}))?;
    ensure!(kept.contains("blue"), "{kept}");
    ensure!(site.check()?.contains("all as they were written"));
    Ok(())
}

#[test]
#[ignore = "needs PostgreSQL"]
fn the_server_never_has_the_password() -> Result<()> {
    let site = Site::open()?;
    let mut server = site.server(1)?;
    server.evolve("double", "Doubles a number", &json!("x => x * 2"))?;
    server.text("run", &json!({"tool": "double", "data": 21}))?;
    let port = format!("localhost:{}", site.database.port());
    ensure!(in_memory(server.process(), &port)? > 0, "its memory cannot be searched");
    ensure!(in_memory(server.process(), PASSWORD)? == 0, "it has the password");
    let ending = server.finish()?;
    ensure!(!ending.errors.contains(PASSWORD), "the log has the password");
    ensure_absent(site.folder.path(), PASSWORD, &site.folder.path().join("server"))?;
    ensure!(!site.said(site.command("server")?.args(["journal", "export"]))?.contains(PASSWORD));
    Ok(())
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_server_starts_without_its_database_and_outlives_it() -> Result<()> {
    let mut site = Site::open()?;
    site.database.stop()?;
    let mut server = site.server(1)?;
    let listed = server.request("tools/list", &json!({}))?;
    ensure!(listed["tools"].as_array().is_some_and(|tools| tools.len() > 10), "{listed}");
    let add = json!({"code": {"add": [1, 2]}});
    for round in 0..2 {
        let fault = server.fault("run", &add)?;
        assert_eq!(fault["code"], "store-unavailable", "{fault}");
        site.database.begin()?;
        until(&mut server, "run", &add)?;
        let name = format!("tool{round}");
        server.evolve(&name, "Adds one", &json!("x => x + 1"))?;
        site.database.stop()?;
    }
    site.database.begin()?;
    until(&mut server, "run", &json!({"tool": "tool0", "data": 1}))?;
    until(&mut server, "run", &json!({"tool": "tool1", "data": 1}))?;
    let ending = server.finish()?;
    ensure!(ending.errors.contains("is not ready until the database answers"), "{}", ending.errors);
    Ok(())
}

#[test]
#[ignore = "needs PostgreSQL"]
fn commands_say_what_does_not_work_on_a_database() -> Result<()> {
    let site = Site::open()?;
    let said = |words: &[&str]| -> Result<String> {
        let said = site.command("server")?.args(words).output()?;
        ensure!(!said.status.success(), "{words:?} works");
        Ok(String::from_utf8(said.stderr)?)
    };
    ensure!(said(&["backup", "file"])?.contains("pg_dump"));
    ensure!(said(&["restore", "file"])?.contains("pg_restore"));
    // The role of the servers owns nothing.
    said(&["store", "trim", "--keep", "1"])?;
    let told = said(&["store", "check", "--store", "postgres://server:hunter2@localhost/pif"])?;
    ensure!(told.contains("--store-password-file") && !told.contains("hunter2"), "{told}");
    let mut run = site.command("server")?;
    let noted = run.args(["run", "1", "--journal-size", "2MiB"]).output()?;
    let noted = String::from_utf8(noted.stderr)?;
    ensure!(noted.contains("`mcp-pif store trim`"), "{noted}");
    let sql = site.said(site.command("server")?.args(["store", "sql", "--role", "reader"]))?;
    ensure!(sql.contains("GRANT USAGE ON SCHEMA pif TO \"reader\""), "{sql}");
    Ok(())
}
