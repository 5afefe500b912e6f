//! A data directory: servers on it, commands on it, and a way in for whoever tampers with it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use pif_store::journal::{Entry, Hash};
use rusqlite::Connection;
use serde_json::{Value, json};

use super::client::{Client, command};
use super::folder::Folder;

/// What a command printed, and its exit code.
#[derive(Debug)]
pub(crate) struct Printed {
    pub(crate) code: Option<i32>,
    pub(crate) output: String,
    pub(crate) errors: String,
}

#[derive(Debug)]
pub(crate) struct Kept(Folder);

impl Kept {
    pub(crate) fn new() -> Result<Self> {
        Folder::new().map(Self)
    }

    /// Another one with the same in it. No server may be at work here.
    pub(crate) fn copy(&self) -> Result<Self> {
        self.database()?.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        let copy = Self::new()?;
        fs::copy(self.file(), copy.file())?;
        Ok(copy)
    }

    fn directory(&self) -> Result<&str> {
        self.0.path().to_str().context("a path in UTF-8")
    }

    /// The directory itself.
    pub(crate) fn folder(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.0.path().join("mcp-pif.db")
    }

    /// A session of a new server.
    pub(crate) fn server(&self, flags: &[&str]) -> Result<Client> {
        Client::legacy_with(&[&["--data", self.directory()?], flags].concat())
    }

    /// What happens while a server runs.
    pub(crate) fn session(&self, act: impl FnOnce(&mut Client) -> Result<()>) -> Result<()> {
        self.session_with(&[], act)
    }

    pub(crate) fn session_with(
        &self,
        flags: &[&str],
        act: impl FnOnce(&mut Client) -> Result<()>,
    ) -> Result<()> {
        let mut client = self.server(flags)?;
        act(&mut client)?;
        let ending = client.finish()?;
        ensure!(ending.status.success() && ending.errors.is_empty(), "{ending:?}");
        Ok(())
    }

    /// A command on the directory, which is named behind it.
    pub(crate) fn command(&self, arguments: &[&str]) -> Result<Command> {
        let mut command = command(&self.0)?;
        command.args(arguments).args(["--data", self.directory()?]);
        Ok(command)
    }

    pub(crate) fn execute(&self, arguments: &[&str], input: &str) -> Result<Printed> {
        execute(self.command(arguments)?, input)
    }

    /// The same with the directory named before the command.
    pub(crate) fn execute_behind(&self, arguments: &[&str]) -> Result<Printed> {
        let mut command = command(&self.0)?;
        command.args(["--data", self.directory()?]).args(arguments);
        execute(command, "")
    }

    /// What a command prints that succeeds without a word of complaint.
    pub(crate) fn prints(&self, arguments: &[&str]) -> Result<String> {
        let printed = self.execute(arguments, "")?;
        let is_fine = printed.code == Some(0) && printed.errors.is_empty();
        ensure!(is_fine, "{arguments:?}: {printed:?}");
        Ok(printed.output)
    }

    /// What a command complains about that fails without a result.
    pub(crate) fn complains(&self, arguments: &[&str]) -> Result<String> {
        let printed = self.execute(arguments, "")?;
        let is_failed = printed.code == Some(1) && printed.output.is_empty();
        ensure!(is_failed, "{arguments:?}: {printed:?}");
        Ok(printed.errors)
    }

    /// A way in, for tampering.
    pub(crate) fn database(&self) -> Result<Connection> {
        let database = Connection::open(self.file())?;
        database.pragma_update(None, "foreign_keys", false)?;
        Ok(database)
    }

    pub(crate) fn tamper(&self, sql: &str) -> Result<()> {
        let changed = self.database()?.execute(sql, [])?;
        ensure!(changed > 0, "nothing to tamper with: {sql}");
        Ok(())
    }

    /// Makes the chain valid again after tampering, as somebody could who knows how.
    pub(crate) fn forge(&self) -> Result<()> {
        let database = self.database()?;
        let sql =
            "SELECT e.id, e.time, e.kind, e.subject, e.ending, e.fuel, c.hash, e.body, e.ends,
                e.principal
            FROM entry e LEFT JOIN component c ON c.id = e.component ORDER BY e.id";
        let mut statement = database.prepare(sql)?;
        let entries = statement.query_map([], |row| {
            Ok(Entry {
                id: row.get(0)?,
                time: row.get(1)?,
                kind: row.get(2)?,
                subject: row.get(3)?,
                ending: row.get(4)?,
                fuel: row.get(5)?,
                component: row.get(6)?,
                body: row.get(7)?,
                ends: row.get(8)?,
                hash: Hash([0; 32]),
                principal: row.get(9)?,
                chain: 0,
            })
        })?;
        let entries = entries.collect::<Result<Vec<Entry>, _>>()?;
        let mut before: Hash =
            Hash(database.query_row("SELECT hash FROM anchor", [], |it| it.get(0))?);
        for entry in entries {
            before = entry.link(before);
            database.execute("UPDATE entry SET hash = ?2 WHERE id = ?1", (entry.id, before.0))?;
        }
        Ok(())
    }

    /// The entries as `journal export` prints them.
    pub(crate) fn export(&self) -> Result<Vec<Value>> {
        let lines = self.prints(&["journal", "export"])?;
        lines.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
    }
}

pub(crate) fn execute(mut command: Command, input: &str) -> Result<Printed> {
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn()?;
    let mut stdin = child.stdin.take().context("standard input")?;
    // A command that does not read its input may be gone before it is written.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output()?;
    Ok(Printed {
        code: output.status.code(),
        output: String::from_utf8(output.stdout)?,
        errors: String::from_utf8(output.stderr)?,
    })
}

/// A call of `run` whatever comes of it.
pub(crate) fn run(client: &mut Client, code: &Value) -> Result<Value> {
    client.call("run", &json!({ "code": code }))
}

pub(crate) fn double() -> Value {
    json!({"lam": "x", "body": {"mul": [{"var": "x"}, 2]}})
}
