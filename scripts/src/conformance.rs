//! `cargo x conformance`: the protocol's own suite in both eras, against the client that the broker is
//! and against the server over HTTP. For the client the suite starts servers, and for each of them this
//! program once more, which calls what it offers.

use anyhow::{Context, Result, ensure};
use pif_tests::server::binary;
use pif_tests::server::folder::Folder;
use pif_tests::server::web::Web;
use serde_json::{Map, Value, json};
use std::env;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::{npm, tasks};

/// The revisions of the protocol whose requirements are tried.
const REVISIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];

/// Scenarios that must fail, and why, stand in this file.
const EXPECTED: &str = "tests/clients/conformance/expected.yml";

/// Tools that the suite calls, as far as the language has them: their names and programs.
const TOOLS: [(&str, &str); 2] = [
    ("test_simple_text", "'This is a simple text response for testing.'"),
    ("test_error_handling", "fail('This tool intentionally returns an error for testing')"),
];

#[derive(clap::Args)]
pub(crate) struct Options {
    /// The server of the suite to be a client of; the suite gives it
    url: Option<String>,
}

pub(crate) fn run(Options { url }: &Options) -> Result<()> {
    let server = binary::path()?;
    if let Some(url) = url {
        return visit(server, url);
    }
    let sh = tasks::shell()?;
    let folder = sh.create_dir(binary::target()?.join("conformance"))?;
    sh.copy_file("tests/clients/conformance/package.json", &folder)?;
    npm::install(&folder)?;
    let mut failed = Vec::new();
    for revision in REVISIONS {
        if !try_client(suite(&folder, revision), server)? {
            failed.push(format!("client {revision}"));
        }
        if !try_server(suite(&folder, revision))? {
            failed.push(format!("server {revision}"));
        }
    }
    ensure!(failed.is_empty(), "other scenarios fail than expected: {}", failed.join(", "));
    Ok(())
}

/// The suite for a revision, without the side that it tries.
fn suite(folder: &Path, revision: &str) -> Suite {
    let modules = folder.join("node_modules");
    let mut command = Command::new(modules.join(".bin/node"));
    command.arg(modules.join("@modelcontextprotocol/conformance/dist/index.js"));
    Suite { command, revision: revision.to_owned() }
}

struct Suite {
    command: Command,
    revision: String,
}

impl Suite {
    /// Whether the scenarios of a side end as they are expected to.
    fn agrees(mut self, side: &str, words: [&str; 2]) -> Result<bool> {
        let Self { command, revision } = &mut self;
        command.args([side, "--requirements", revision]).args(words);
        command.arg("--expected-failures").arg(tasks::root().join(EXPECTED));
        Ok(command.status().context("the suite does not start")?.success())
    }
}

fn try_client(mut suite: Suite, server: &Path) -> Result<bool> {
    let visitor = format!("{} conformance", env::current_exe()?.display());
    suite.command.env("MCP_PIF_BINARY", server);
    suite.agrees("client", ["--command", &visitor])
}

/// Starts a server with the tools of the suite. Most scenarios leave a session behind.
fn try_server(suite: Suite) -> Result<bool> {
    let web = Web::start(&["--http-sessions-each", "256"])?;
    for (name, code) in TOOLS {
        let tool = json!({"name": name, "description": "A tool of the suite.", "code": code});
        let evolved = web.call("", "evolve", &tool)?;
        ensure!(evolved["isError"] != true, "{evolved}");
    }
    suite.agrees("server", ["--url", &format!("http://{}/mcp", web.address)])
}

/// Asks a server what it offers, and calls its tools.
fn visit(server: &Path, url: &str) -> Result<()> {
    let folder = Folder::new()?;
    let config = folder.path().join("capabilities.json");
    let mut own = json!({"url": url, "grants": "allow"});
    let context = context();
    if context["client_id"].is_string() {
        let members = ["client_id", "client_secret"].into_iter();
        let told = members.map(|it| (it.to_owned(), context[it].clone()));
        own["oauth"] = told.filter(|(_, it)| !it.is_null()).collect::<Map<_, _>>().into();
    }
    let servers = json!({"mcpServers": {"s": own}});
    fs::write(&config, servers.to_string())?;
    fs::set_permissions(&config, fs::Permissions::from_mode(0o600))?;
    let visit = Visit { server, config: &config, data: folder.path() };
    visit.say(&["test", "s"])?;
    let offered = visit.say(&["list", "--json"])?;
    for (tool, arguments) in calls(&offered)? {
        visit.say(&["call", &format!("s.{tool}"), &arguments.to_string()])?;
    }
    Ok(())
}

/// How often somebody logs in for one command.
const MOST_LOGINS: usize = 2;

/// A configuration with one server.
struct Visit<'a> {
    server: &'a Path,
    config: &'a Path,
    data: &'a Path,
}

impl Visit<'_> {
    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(self.server);
        command.arg("capability").args(words).arg("--capabilities").arg(self.config);
        command.arg("--data").arg(self.data);
        command
    }

    /// Gives what a command prints. Whoever is told to log in does so, and says it again.
    fn say(&self, words: &[&str]) -> Result<String> {
        let mut logins = 0;
        loop {
            let output = self.command(words).output()?;
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            let errors = String::from_utf8_lossy(&output.stderr);
            println!("{said}{errors}");
            let login = errors.split("run `mcp-pif capability login s").nth(1);
            let Some(login) = login.filter(|_| logins < MOST_LOGINS) else { return Ok(said) };
            let scopes = login.split('`').next().and_then(|it| it.split('\'').nth(1));
            logins += 1;
            if !self.log_in(scopes)? {
                return Ok(said);
            }
        }
    }

    /// Logs in as a person does who agrees: the pages of the suite lead back by themselves.
    fn log_in(&self, scopes: Option<&str>) -> Result<bool> {
        let mut command = self.command(&["login", "s", "--no-browser", "--wait", "10s"]);
        if let Some(scopes) = scopes {
            command.args(["--scope", scopes]);
        }
        let mut login = command.stdout(Stdio::piped()).spawn()?;
        let mut lines = BufReader::new(login.stdout.take().context("no output")?).lines();
        let mut next = lines.next().transpose()?.filter(|line| line.starts_with("http://"));
        while let Some(url) = next {
            next = follow(&url)?;
        }
        Ok(login.wait()?.success())
    }
}

/// Opens a page; gives where it leads.
fn follow(url: &str) -> Result<Option<String>> {
    let rest = url.strip_prefix("http://").context("a page of this machine")?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let mut stream = TcpStream::connect(host)?;
    write!(stream, "GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    let head = text.split("\r\n\r\n").next().unwrap_or_default();
    let mut headers = head.lines().filter_map(|line| line.split_once(": "));
    let location = headers.find(|(name, _)| name.eq_ignore_ascii_case("location"));
    Ok(location.map(|(_, to)| to.to_owned()))
}

/// What the suite says of a scenario.
fn context() -> Value {
    let context = env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    serde_json::from_str(&context).unwrap_or_default()
}

/// The calls that the suite wants, or one of each tool.
fn calls(offered: &str) -> Result<Vec<(String, Value)>> {
    let context = context();
    if let Some(calls) = context["toolCalls"].as_array() {
        let call = |call: &Value| {
            let name = call["name"].as_str().context("a name")?;
            Ok((name.to_owned(), call["arguments"].clone()))
        };
        return calls.iter().map(call).collect();
    }
    let tools = offered.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>()?;
    let names = tools.iter().filter_map(|tool| tool["name"].as_str()?.strip_prefix("s."));
    Ok(names.map(|name| (name.to_owned(), arguments(name))).collect())
}

/// Arguments that the tools of the suite take.
fn arguments(tool: &str) -> Value {
    match tool {
        "add_numbers" => json!({"a": 5, "b": 3}),
        "valid_tool" => json!({"region": "us-west1"}),
        "json_schema_echo" => json!({"schema": {"type": "object"}}),
        _ => json!({}),
    }
}
