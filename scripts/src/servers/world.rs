//! The servers, what they find, and how they are started.

use crate::{npm, tasks};
use anyhow::{Context, Result, ensure};
use pif_tests::sdk::environment;
use pif_tests::server::binary;
use pif_tests::server::folder::Folder;
use pif_tests::server::web::Web;
use serde_json::{Map, Value, json};
use std::cell::RefCell;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};
use xshell::cmd;

/// Where the packages of the servers are named.
const SOURCES: &str = "tests/clients/servers";

/// How long the server over HTTP may take to start.
const STARTS: Duration = Duration::from_mins(1);

/// A row of `servers.json`: a server, and the call that is made of it.
pub(super) struct Row(Value);

impl Row {
    /// A member that is a text.
    pub(super) fn text(&self, member: &str) -> &str {
        self.0[member].as_str().unwrap_or_default()
    }

    /// Its call, for `calls`.
    pub(super) fn call(&self) -> Value {
        json!({"tool": self.0["tool"], "args": self.0["arguments"]})
    }

    /// Whether it is killed amid calls.
    pub(super) fn is_killed(&self) -> bool {
        self.0["is_killed"] == true
    }

    /// Whether `{ok, value}` or `{ok, reason, message}` is what the call has to come to. A machine may
    /// lack what the call needs; it is a fault of the tool then.
    pub(super) fn is_right(&self, came: &Value) -> bool {
        if came["ok"] == true {
            return came["value"].to_string().contains(self.text("value"));
        }
        let is_its_own = ["rpc-error", "tool-error"].iter().any(|it| came["reason"] == *it);
        self.0["without"].is_string() && is_its_own
    }

    /// It in the configuration, with all its tools.
    fn granted(&self) -> (String, Value) {
        let mut server = self.0["server"].clone();
        server["grants"] = "allow".into();
        (self.text("name").to_owned(), server)
    }
}

/// All servers, and what they find.
pub(super) struct World {
    pub(super) rows: Vec<Row>,
    folder: Folder,
    /// The page that is fetched is one of ours.
    _site: Web,
    over_http: RefCell<OverHttp>,
}

impl World {
    /// Installs the servers, and makes what they find.
    pub(super) fn new() -> Result<Self> {
        let target = binary::target()?;
        let folder = Folder::new()?;
        let sh = tasks::shell()?;
        let sources = tasks::root().join(SOURCES);
        let packages = sh.create_dir(target.join("servers-node"))?;
        sh.copy_file(sources.join("package.json"), &packages)?;
        npm::install(&packages)?;
        let requirements = sources.join("requirements.txt");
        let python = environment::python(&target, "servers-python", &requirements)?;
        let shared = sh.create_dir(folder.path().join("shared"))?;
        sh.write_file(shared.join("a.txt"), "hello")?;
        sh.change_dir(&shared);
        let author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
        cmd!(sh, "git init --quiet").quiet().run()?;
        cmd!(sh, "git add --all").quiet().run()?;
        cmd!(sh, "git {author...} commit --quiet --message first").quiet().run()?;
        let site = Web::start(&["--ephemeral"])?;
        let commands = packages.join("node_modules/.bin");
        let over_http = OverHttp::start(commands.join("mcp-server-everything"))?;
        let places = [
            ("{commands}", commands.display().to_string()),
            ("{folder}", folder.path().display().to_string()),
            ("{python}", python.display().to_string()),
            ("{sources}", sources.display().to_string()),
            ("{chromium}", chromium().display().to_string()),
            ("{site}", site.address.clone()),
            ("{port}", over_http.port.to_string()),
        ];
        let mut rows = fs::read_to_string(sources.join("servers.json"))?;
        for (name, place) in places {
            rows = rows.replace(name, &place);
        }
        let rows: Vec<Value> = serde_json::from_str(&rows)?;
        let rows = rows.into_iter().map(Row).collect();
        Ok(Self { rows, folder, _site: site, over_http: RefCell::new(over_http) })
    }

    /// Writes the file that names the servers.
    pub(super) fn configuration(&self) -> Result<PathBuf> {
        let file = self.folder.path().join("capabilities.json");
        let servers: Map<String, Value> = self.rows.iter().map(Row::granted).collect();
        let sh = tasks::shell()?;
        sh.write_file(&file, json!({"mcpServers": servers}).to_string())?;
        cmd!(sh, "chmod 600 {file}").quiet().run()?;
        Ok(file)
    }

    /// Kills those that are to be killed. The one over HTTP is started again; the other one the broker starts.
    pub(super) fn kill(&self) -> Result<()> {
        let process = fs::read_to_string(self.folder.path().join("everything.pid"))?;
        let sh = tasks::shell()?;
        let process = process.trim();
        cmd!(sh, "kill -KILL {process}").quiet().run()?;
        self.over_http.borrow_mut().restart()
    }
}

/// The browser of the system, or where it would be.
fn chromium() -> PathBuf {
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path).map(|it| it.join("chromium")).find(|it| it.exists());
    found.unwrap_or_else(|| PathBuf::from("/usr/bin/chromium"))
}

/// A server over HTTP, which nobody starts but us.
struct OverHttp {
    command: PathBuf,
    port: u16,
    child: Child,
}

impl OverHttp {
    fn start(command: PathBuf) -> Result<Self> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let child = launch(&command, port)?;
        Ok(Self { command, port, child })
    }

    fn restart(&mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        self.child = launch(&self.command, self.port)?;
        Ok(())
    }
}

impl Drop for OverHttp {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn launch(command: &PathBuf, port: u16) -> Result<Child> {
    let mut server = Command::new(command);
    server.arg("streamableHttp").env("PORT", port.to_string());
    server.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let child = server.spawn().with_context(|| command.display().to_string())?;
    let start = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        ensure!(start.elapsed() < STARTS, "{} does not listen", command.display());
        thread::sleep(Duration::from_millis(20));
    }
    Ok(child)
}
