//! Real MCP clients against the server: both generations of the TypeScript SDK, the inspector's
//! command line and the Python SDK, in every era that each of them speaks; and programs that read
//! the schemas of tools.

mod agents;
mod inspector;
mod node;

use anyhow::{Context, Result, ensure};
use pif_tests::sdk::{environment, python};
use pif_tests::server::binary;
use pif_tests::server::web::Web;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Run clients that people use instead, such as coding agents, with a model that follows a script;
    /// names choose some of them
    #[arg(long, value_name = "NAME", num_args = 0..)]
    agents: Option<Vec<String>>,
}

/// Runs all clients; fails if one of their checks does.
pub(crate) fn run(Options { agents }: &Options) -> Result<()> {
    if let Some(names) = agents {
        return agents::run(names);
    }
    let target = binary::target()?;
    let server = binary::path()?;
    let node = node::Node::install(&target)?;
    let mut tally = Tally::default();
    tally.client("typescript 1", &mut node.script("v1.mjs", server, None)?)?;
    for mode in ["legacy", "auto"] {
        let mut client = node.script("v2.mjs", server, Some(mode))?;
        tally.client(&format!("typescript 2, {mode}"), &mut client)?;
    }
    tally
        .client("schemas, as editors read them", &mut node.script("schemas.mjs", server, None)?)?;
    for era in ["legacy", "modern"] {
        inspector::check(&node, server, era, &mut tally)?;
    }
    for mode in python::MODES {
        let mut client = python::client(&target, server, mode)?;
        tally.client(&format!("python, {mode}"), &mut client)?;
    }
    over_http(&node, &target, &mut tally)?;
    tally.client("schemas", &mut consumers(&target, server)?)?;
    println!("{} passed, {} failed", tally.passed, tally.failed);
    ensure!(tally.failed == 0, "not every client works with the server");
    Ok(())
}

/// The clients over HTTP, each against a server of its own.
fn over_http(node: &node::Node, target: &Path, tally: &mut Tally) -> Result<()> {
    let start = || -> Result<(Web, PathBuf)> {
        let web = Web::start(&["--ephemeral"])?;
        let url = PathBuf::from(format!("http://{}/mcp", web.address));
        Ok((web, url))
    };
    let (_web, url) = start()?;
    tally.client("typescript 1 over HTTP", &mut node.script("v1.mjs", &url, None)?)?;
    for mode in ["legacy", "auto"] {
        let (_web, url) = start()?;
        let mut client = node.script("v2.mjs", &url, Some(mode))?;
        tally.client(&format!("typescript 2 over HTTP, {mode}"), &mut client)?;
    }
    for era in ["legacy", "modern"] {
        let (_web, url) = start()?;
        inspector::check(node, &url, era, tally)?;
    }
    for mode in python::MODES {
        let (_web, url) = start()?;
        let mut client = python::client(target, &url, mode)?;
        tally.client(&format!("python over HTTP, {mode}"), &mut client)?;
    }
    Ok(())
}

/// The packages that turn schemas of tools into what models are shown, in an environment of their own.
fn consumers(target: &Path, server: &Path) -> Result<Command> {
    let sources = crate::tasks::root().join("tests/clients/schemas");
    let requirements = sources.join("requirements.txt");
    let mut command = Command::new(environment::python(target, "schema-clients", &requirements)?);
    command.arg(sources.join("consumers.py")).arg(server);
    command.env("HOME", target.join("schema-clients")).env("MCP_PIF_EPHEMERAL", "1");
    Ok(command)
}

/// What has been found so far.
#[derive(Default)]
struct Tally {
    passed: usize,
    failed: usize,
}

impl Tally {
    /// Notes a check and prints its line, with the detail where it failed.
    fn check(&mut self, client: &str, name: &str, holds: bool, detail: &str) {
        if holds {
            self.passed += 1;
            println!("ok      {client}: {name}");
        } else {
            self.failed += 1;
            println!("FAILED  {client}: {name}: {}", detail.trim());
        }
    }

    /// Runs a client that prints `ok NAME` or `FAILED NAME: DETAIL` for each of its checks.
    fn client(&mut self, client: &str, command: &mut Command) -> Result<()> {
        let output = command.output().with_context(|| format!("{client} does not start"))?;
        let passed = self.passed;
        let failed = self.failed;
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            if let Some(name) = line.strip_prefix("ok ") {
                self.check(client, name, true, "");
            } else if let Some(rest) = line.strip_prefix("FAILED ") {
                let (name, detail) = rest.split_once(": ").unwrap_or((rest, ""));
                self.check(client, name, false, detail);
            }
        }
        // A client that broke down before it could say so.
        let told = self.failed > failed || (output.status.success() && self.passed > passed);
        if !told {
            let said = String::from_utf8_lossy(&output.stderr);
            self.check(client, "runs", false, &format!("{}\n{said}", output.status));
        }
        Ok(())
    }
}
