//! Programs as models write them, over the reference servers of the protocol: `tests/clients/codemode`.

use crate::{npm, tasks};
use anyhow::{Context, Result, ensure};
use pif_tests::sdk::environment;
use pif_tests::server::binary;
use std::process::Command;

/// Where the tasks stand, and the client that runs them.
const SOURCES: &str = "tests/clients/codemode";

#[derive(clap::Args)]
pub(crate) struct Options {
    /// The tasks to run, by name; none means all
    names: Vec<String>,
}

/// Installs the servers and runs the tasks; fails if one has not its value.
pub(crate) fn run(Options { names }: &Options) -> Result<()> {
    let target = binary::target()?;
    let server = binary::path()?;
    let sources = tasks::root().join(SOURCES);
    let sh = tasks::shell()?;
    let packages = sh.create_dir(target.join("codemode-node"))?;
    sh.copy_file(sources.join("package.json"), &packages)?;
    npm::install(&packages)?;
    let requirements = sources.join("requirements.txt");
    let mut client = Command::new(environment::python(&target, "codemode-python", &requirements)?);
    client.arg(sources.join("run.py")).arg(server).arg(packages.join("node_modules")).args(names);
    // The server shall find nothing of who runs it.
    client.env("HOME", target.join("codemode-python")).env("PYTHONDONTWRITEBYTECODE", "1");
    let status = client.status().context("the client does not start")?;
    ensure!(status.success(), "not every task has its value");
    Ok(())
}
