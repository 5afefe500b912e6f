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

/// What a call has to come to.
enum Wanted {
    /// A value with this text in it.
    Value(&'static str),
    /// A fault of the tool: what it needs is not on this machine.
    Fault,
}

/// A server, and the call that is made of it.
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) transport: &'static str,
    pub(super) tool: &'static str,
    pub(super) arguments: Value,
    wanted: Wanted,
    /// How it is reached.
    server: Value,
}

impl Row {
    /// Whether `{ok, value}` or `{ok, reason, message}` is what the call has to come to.
    pub(super) fn is_right(&self, came: &Value) -> bool {
        match self.wanted {
            Wanted::Value(text) => came["ok"] == true && came["value"].to_string().contains(text),
            Wanted::Fault => {
                came["ok"] == true
                    || ["rpc-error", "tool-error"].iter().any(|it| came["reason"] == *it)
            }
        }
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
        let (target, folder) = (binary::target()?, Folder::new()?);
        let (sh, sources) = (tasks::shell()?, tasks::root().join(SOURCES));
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
        let place = Place { commands, python, shared, folder: folder.path().to_owned(), sources };
        let rows = place.rows(&site.address, over_http.port);
        Ok(Self { rows, folder, _site: site, over_http: RefCell::new(over_http) })
    }

    /// Writes the file that names the servers.
    pub(super) fn configuration(&self) -> Result<PathBuf> {
        let file = self.folder.path().join("capabilities.json");
        let servers: Map<String, Value> =
            self.rows.iter().map(|row| (row.name.to_owned(), row.server.clone())).collect();
        let sh = tasks::shell()?;
        sh.write_file(&file, json!({"mcpServers": servers}).to_string())?;
        cmd!(sh, "chmod 600 {file}").quiet().run()?;
        Ok(file)
    }

    /// The servers that are killed.
    pub(super) fn restarted(&self) -> &[Row] {
        self.rows.get(..2).unwrap_or_default()
    }

    /// Kills them. The one over HTTP is started again; the other one the broker starts.
    pub(super) fn kill(&self) -> Result<()> {
        let process = fs::read_to_string(self.folder.path().join("everything.pid"))?;
        let (sh, process) = (tasks::shell()?, process.trim());
        cmd!(sh, "kill -KILL {process}").quiet().run()?;
        self.over_http.borrow_mut().restart()
    }
}

/// Where everything is that servers are started with.
struct Place {
    commands: PathBuf,
    python: PathBuf,
    shared: PathBuf,
    folder: PathBuf,
    sources: PathBuf,
}

impl Place {
    /// The servers; the first two are killed amid calls.
    fn rows(&self, site: &str, port: u16) -> Vec<Row> {
        let stdio = |name, server, tool, arguments, wanted| Row {
            name,
            transport: "stdio",
            tool,
            arguments,
            wanted,
            server,
        };
        let pid = self.folder.join("everything.pid");
        // The shell becomes the server, whose number stands in the file then.
        let noted = json!({"command": "/bin/sh", "grants": "allow", "args": [
            "-c", "echo $$ > \"$0\"; exec \"$1\"", pid, self.commands.join("mcp-server-everything"),
        ]});
        let over_http = json!({"url": format!("http://127.0.0.1:{port}/mcp"), "grants": "allow"});
        let hi = json!({"message": "hi"});
        let memory =
            self.node("memory", &[], &json!({"MEMORY_FILE_PATH": self.folder.join("memory.json")}));
        let notion = json!({"NOTION_TOKEN": "ntn_00000000000000000000"});
        let entity = json!({"name": "Ada", "entityType": "person", "observations": ["counts"]});
        let thought = json!({"thought": "begin", "nextThoughtNeeded": false, "thoughtNumber": 1,
            "totalThoughts": 1});
        let day =
            json!({"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"});
        let shared = self.shared.display().to_string();
        vec![
            stdio("everything", noted, "everything.echo", hi.clone(), Wanted::Value("hi")),
            Row {
                transport: "HTTP",
                ..stdio(
                    "everything_http",
                    over_http,
                    "everything_http.echo",
                    hi,
                    Wanted::Value("hi"),
                )
            },
            stdio(
                "filesystem",
                self.node("filesystem", &[&shared], &json!({})),
                "filesystem.read_text_file",
                json!({"path": format!("{shared}/a.txt")}),
                Wanted::Value("hello"),
            ),
            stdio(
                "memory",
                memory,
                "memory.create_entities",
                json!({"entities": [entity]}),
                Wanted::Value("Ada"),
            ),
            stdio(
                "thinking",
                self.node("sequential-thinking", &[], &json!({})),
                "thinking.sequentialthinking",
                thought,
                Wanted::Value("thoughtHistoryLength"),
            ),
            stdio(
                "fetch",
                self.module("fetch", &["--ignore-robots-txt", "--allow-private-ips"]),
                "fetch.fetch",
                json!({"url": format!("http://{site}/health"), "raw": true}),
                Wanted::Value("Contents of"),
            ),
            stdio(
                "git",
                self.module("git", &[]),
                "git.git_log",
                json!({"repo_path": shared}),
                Wanted::Value("first"),
            ),
            stdio(
                "time",
                self.module("time", &["--local-timezone", "UTC"]),
                "time.convert_time",
                day,
                Wanted::Value("+9.0h"),
            ),
            stdio(
                "playwright",
                self.browser(),
                "playwright.browser_navigate",
                json!({"url": format!("http://{site}/health")}),
                Wanted::Fault,
            ),
            stdio(
                "notion",
                self.command("notion-mcp-server", &[], &notion),
                "notion.API-get-self",
                json!({}),
                Wanted::Fault,
            ),
            stdio(
                "own",
                json!({"command": self.python, "args": [self.sources.join("own.py")],
                "grants": "allow"}),
                "own.area",
                json!({"width": 6, "height": 7}),
                Wanted::Value("42"),
            ),
        ]
    }

    fn command(&self, name: &str, words: &[&str], variables: &Value) -> Value {
        let command = self.commands.join(name);
        json!({"command": command, "args": words, "env": variables, "grants": "allow"})
    }

    fn node(&self, name: &str, words: &[&str], variables: &Value) -> Value {
        self.command(&format!("mcp-server-{name}"), words, variables)
    }

    fn module(&self, name: &str, words: &[&str]) -> Value {
        let module = format!("mcp_server_{name}");
        let words: Vec<&str> = ["-m", &module].iter().chain(words).copied().collect();
        json!({"command": self.python, "args": words, "grants": "allow"})
    }

    /// The browser of the system, if there is one.
    fn browser(&self) -> Value {
        let path = env::var_os("PATH").unwrap_or_default();
        let found = env::split_paths(&path).map(|it| it.join("chromium")).find(|it| it.exists());
        let mut words = vec!["--headless", "--isolated", "--no-sandbox"];
        let found = found.map(|it| it.display().to_string());
        words.extend(found.iter().flat_map(|it| ["--executable-path", it.as_str()]));
        self.command("playwright-mcp", &words, &json!({}))
    }
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
