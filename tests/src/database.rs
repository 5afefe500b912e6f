//! A PostgreSQL database of a test: it is made of what is installed, and gone with the test.

pub mod authority;
pub mod folder;
pub mod proxy;

use anyhow::{Context, Result, ensure};
use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long the database may take to start.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where Debian has the programs of each version.
const DEBIAN: &str = "/usr/lib/postgresql";

/// A database that runs, unless a test stops it.
#[derive(Debug)]
pub struct Database {
    folder: TempDir,
    programs: PathBuf,
    /// Whom its processes belong to, if not to us: it refuses to run as root.
    user: Option<(u32, u32)>,
    port: u16,
    words: Vec<String>,
    process: Option<Child>,
}

impl Database {
    /// Starts a database that lets its owner `postgres` in by the Unix socket, and others by these lines
    /// of `pg_hba.conf`.
    pub fn start(rules: &str) -> Result<Self> {
        let mut database = Self::prepare()?;
        let rules = format!("local all postgres trust\n{rules}");
        fs::write(database.data().join("pg_hba.conf"), rules)?;
        database.begin()?;
        Ok(database)
    }

    /// Makes the files of a database.
    fn prepare() -> Result<Self> {
        let folder = folder::make()?;
        let user = owner()?;
        if let Some((user, group)) = user {
            chown(folder.path(), Some(user), Some(group))?;
        }
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let mut words: Vec<String> =
            ["-c", "fsync=off", "-c", "listen_addresses=*", "-p"].map(str::to_owned).into();
        words.push(port.to_string());
        let process = None;
        let database = Self { folder, programs: programs()?, user, port, words, process };
        let mut make = database.program("initdb");
        make.args(["--no-sync", "--auth=trust", "--username=postgres", "--encoding=UTF8", "-D"]);
        let made = make.arg(database.data()).output()?;
        ensure!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        Ok(database)
    }

    /// The folder of the Unix socket.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The port that it listens at, at all addresses.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// One of the programs of PostgreSQL.
    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        if let Some((user, group)) = self.user {
            command.uid(user).gid(group);
        }
        command.current_dir(self.folder.path()).env_clear().env("LC_ALL", "C");
        command
    }

    /// Has it speak TLS: with a certificate and its key.
    pub fn speak_tls(&mut self, certificate: &str, key: &str) -> Result<()> {
        let file = |name: &str, text: &str| -> Result<()> {
            let path = self.data().join(name);
            fs::write(&path, text)?;
            fs::set_permissions(&path, Permissions::from_mode(0o600))?;
            match self.user {
                Some((user, group)) => Ok(chown(&path, Some(user), Some(group))?),
                None => Ok(()),
            }
        };
        file("server.crt", certificate)?;
        file("server.key", key)?;
        self.words.extend(["-c".to_owned(), "ssl=on".to_owned()]);
        self.stop()?;
        self.begin()
    }

    /// Has it write to the disk what it commits, as a database of a service does.
    pub fn keep_on_disk(&mut self) -> Result<()> {
        self.words.extend(["-c".to_owned(), "fsync=on".to_owned()]);
        self.stop()?;
        self.begin()
    }

    /// Starts it, and waits until it answers.
    pub fn begin(&mut self) -> Result<()> {
        ensure!(self.process.is_none(), "it runs already");
        let log = fs::File::options().create(true).append(true).open(self.folder().join("log"))?;
        let mut start = self.program("postgres");
        start.arg("-D").arg(self.data()).arg("-k").arg(self.folder()).args(&self.words);
        start.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        self.process = Some(start.spawn()?);
        let begun = Instant::now();
        while self.query("postgres", "SELECT 1").is_err() {
            let log = || fs::read_to_string(self.folder().join("log")).unwrap_or_default();
            ensure!(begun.elapsed() < PATIENCE, "it does not start: {}", log());
            sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    /// Stops it at once, as a lost machine does.
    pub fn stop(&mut self) -> Result<()> {
        let Some(mut process) = self.process.take() else { return Ok(()) };
        // QUIT has it end without ado.
        let told =
            self.program("pg_ctl").args(["kill", "QUIT"]).arg(process.id().to_string()).output()?;
        ensure!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
        process.wait()?;
        Ok(())
    }

    /// What a statement of the owner says, without the names of columns.
    pub fn query(&self, database: &str, statement: &str) -> Result<String> {
        let mut asked = self.program("psql");
        asked.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-h"]);
        asked.arg(self.folder()).args(["-p", &self.port.to_string(), "-d", database, "-c"]);
        let said = asked.arg(statement).output()?;
        ensure!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        Ok(String::from_utf8(said.stdout)?.trim().to_owned())
    }

    /// Makes a database with its own owner, whom no password lets in.
    pub fn create(&self, name: &str) -> Result<()> {
        self.query("postgres", &format!("CREATE ROLE {name} LOGIN"))?;
        self.query("postgres", &format!("CREATE DATABASE {name} OWNER {name}")).map(drop)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Err(error) = self.stop() {
            crate::tell(&format!("a database was not stopped: {error}"));
        }
    }
}

/// Whom the processes of a database belong to: nobody else if we are not root.
fn owner() -> Result<Option<(u32, u32)>> {
    let number = |of: &str, user: &str| -> Result<u32> {
        let said = Command::new("id").args([of, user]).output()?;
        let text = String::from_utf8(said.stdout)?;
        text.trim().parse().with_context(|| format!("there is no user {user}"))
    };
    let own = Command::new("id").arg("-u").output()?;
    if own.stdout != b"0\n" {
        return Ok(None);
    }
    Ok(Some((number("-u", "postgres")?, number("-g", "postgres")?)))
}

/// Where the programs of PostgreSQL are: of the latest version.
fn programs() -> Result<PathBuf> {
    let versions = fs::read_dir(DEBIAN).into_iter().flatten().flatten().map(|entry| entry.path());
    let number = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    let latest = versions.filter(|path| path.join("bin/initdb").exists()).max_by_key(number);
    let latest = latest.map(|path| path.join("bin"));
    let searched = || {
        let folders = std::env::var_os("PATH")?;
        std::env::split_paths(&folders).find(|folder| folder.join("initdb").exists())
    };
    latest.or_else(searched).context("PostgreSQL is not installed: apt-get install postgresql")
}
