//! A PostgreSQL of the machine, started for tests in a folder of its own. It ends with the process that started it.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use tempfile::TempDir;

use super::database::folder;

/// The variable with the URL of a database, for commands that are run beside one.
pub const VARIABLE: &str = "PIF_TEST_POSTGRES";

/// The role that may do everything.
pub const ADMIN: &str = "admin";
/// The role that owns databases and stores.
pub const OWNER: &str = "pif_owner";
/// The role of the servers.
pub const SERVER: &str = "pif_server";

/// How long it may take to start.
const PATIENCE: Duration = Duration::from_secs(60);

/// Starts the database. Ends it when nobody holds the other end of its input any more, and removes its
/// folder then, unless a line said that it stays. So it does however the test ends.
const KEEPER: &str = r#"
trap '' INT
folder=$1; shift
"$@" & database=$!
while read -r stays; do kept=$stays; done
kill -QUIT "$database" 2> /dev/null
wait "$database"
[ -n "$kept" ] || rm -rf "$folder"
"#;

/// A running server with databases.
#[derive(Debug)]
pub struct Server {
    programs: PathBuf,
    folder: TempDir,
    keeper: Mutex<Child>,
    count: AtomicU64,
}

/// Who the programs run as: PostgreSQL refuses to run as root.
fn account() -> Option<(u32, u32)> {
    let is_root =
        fs::metadata("/proc/self").is_ok_and(|it| std::os::unix::fs::MetadataExt::uid(&it) == 0);
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let line = users.lines().find(|line| line.starts_with("postgres:")).filter(|_| is_root)?;
    let mut fields = line.split(':').skip(2);
    Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
}

/// The folder of the newest PostgreSQL of this machine.
fn programs() -> Result<PathBuf> {
    let all = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut versions: Vec<(u32, PathBuf)> = all
        .filter_map(|it| Some((it.file_name().to_str()?.parse().ok()?, it.path().join("bin"))))
        .collect();
    versions.sort();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).find(|it| it.join("initdb").exists());
    let newest = versions.pop().map(|(_, path)| path).or(on_path);
    newest.context("PostgreSQL is not installed (Debian's package is `postgresql`)")
}

impl Server {
    /// The server that the tests of this process share.
    pub fn shared() -> Result<&'static Self> {
        static SHARED: OnceLock<Result<Server, String>> = OnceLock::new();
        let shared = SHARED.get_or_init(|| Self::start().map_err(|error| format!("{error:#}")));
        shared.as_ref().map_err(|error| anyhow::anyhow!("{error}"))
    }

    /// Starts a server.
    pub fn start() -> Result<Self> {
        let programs = programs()?;
        let folder = folder::make()?;
        if let Some((user, group)) = account() {
            chown(folder.path(), Some(user), Some(group))?;
        }
        let log = File::create(folder.path().join("log"))?;
        let mut initdb = as_account(programs.join("initdb"));
        initdb.args(["-A", "trust", "-U", ADMIN, "-E", "UTF8", "--no-sync", "-D"]);
        initdb.arg(folder.path().join("data")).stdout(log.try_clone()?).stderr(log);
        let made = initdb.status().context("initdb")?;
        ensure!(made.success(), "initdb failed: {}", read_log(folder.path()));
        let keeper = Mutex::new(launch(&programs, folder.path())?);
        let server = Self { programs, folder, keeper, count: AtomicU64::new(0) };
        server.wait()?;
        for role in [OWNER, SERVER] {
            server.query("postgres", &format!("CREATE ROLE {role} LOGIN"))?;
        }
        Ok(server)
    }

    fn wait(&self) -> Result<()> {
        let start = Instant::now();
        while self.query("postgres", "SELECT 1").is_err() {
            ensure!(
                start.elapsed() < PATIENCE,
                "it does not start: {}",
                read_log(self.folder.path())
            );
            sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    /// Ends all of it at once, as a power failure does, and starts it again after a pause.
    pub fn crash(&self, pause: Duration) -> Result<()> {
        let mut keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mut input) = keeper.stdin.take() {
            input.write_all(b"stays\n")?;
        }
        keeper.wait()?;
        sleep(pause);
        *keeper = launch(&self.programs, self.folder.path())?;
        drop(keeper);
        self.wait()
    }

    /// The folder of its socket.
    #[must_use]
    pub fn socket(&self) -> &Path {
        self.folder.path()
    }

    /// Executes statements in a database; gives the first column of the rows, a line for each.
    pub fn query(&self, database: &str, sql: &str) -> Result<String> {
        self.query_as(ADMIN, database, sql)
    }

    /// Executes statements as a role.
    pub fn query_as(&self, role: &str, database: &str, sql: &str) -> Result<String> {
        let mut psql = Command::new(self.programs.join("psql"));
        psql.args(["-XAtq", "-v", "ON_ERROR_STOP=1", "-U", role, "-d", database, "-h"]);
        let mut child = psql
            .arg(self.folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        child.stdin.take().context("standard input")?.write_all(sql.as_bytes())?;
        let output = child.wait_with_output()?;
        if !output.status.success() {
            bail!("{}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(String::from_utf8(output.stdout)?.trim_end().to_owned())
    }

    /// A new database of the owner; a copy of another one, if one is named.
    pub fn database(&self, template: Option<&str>) -> Result<String> {
        let name = format!("test{}", self.count.fetch_add(1, Ordering::Relaxed));
        let template = template.map(|it| format!(" TEMPLATE {it}")).unwrap_or_default();
        let sql = format!("CREATE DATABASE {name} OWNER {OWNER}{template}");
        self.query("postgres", &sql)?;
        Ok(name)
    }

    /// Removes a database.
    pub fn drop(&self, database: &str) -> Result<()> {
        self.query("postgres", &format!("DROP DATABASE {database} WITH (FORCE)")).map(drop)
    }

    /// The URL of a database for a role.
    #[must_use]
    pub fn url(&self, role: &str, database: &str) -> String {
        let folder = self.folder.path().display().to_string().replace('/', "%2F");
        format!("postgres://{role}@{folder}/{database}")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let mut keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        drop(keeper.stdin.take());
        let _ = keeper.wait();
    }
}

fn as_account(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    if let Some((user, group)) = account() {
        command.uid(user).gid(group);
    }
    command.current_dir("/");
    command
}

fn launch(programs: &Path, folder: &Path) -> Result<Child> {
    let log = File::options().append(true).create(true).open(folder.join("log"))?;
    let mut keeper = as_account("sh");
    keeper.args(["-c", KEEPER, "sh"]).arg(folder).arg(programs.join("postgres")).arg("-D");
    keeper.arg(folder.join("data")).arg("-k").arg(folder).args([
        "-h",
        "",
        "-c",
        "max_connections=200",
    ]);
    keeper.stdin(Stdio::piped()).stdout(log.try_clone()?).stderr(log);
    keeper.spawn().context("postgres")
}

fn read_log(folder: &Path) -> String {
    fs::read_to_string(folder.join("log")).unwrap_or_default()
}
