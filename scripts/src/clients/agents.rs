//! Clients that people use, each with a model that follows a script, over both transports:
//! `tests/clients/agents`.

use crate::{npm, tasks};
use anyhow::{Context, Result, ensure};
use pif_tests::sdk::environment;
use pif_tests::server::binary;
use std::process::Command;

/// Where the script stands, and how the clients are started.
const SOURCES: &str = "tests/clients/agents";

/// The frameworks of Python. Each has an environment of its own: they need other versions of what they
/// share.
const FRAMEWORKS: [&str; 3] = ["crewai", "langchain", "pydantic"];

/// Installs the clients and lets each follow the script; fails if one is told something else than it
/// has to be.
pub(super) fn run(names: &[String]) -> Result<()> {
    let target = binary::target()?;
    let server = binary::path()?;
    let sources = tasks::root().join(SOURCES);
    let sh = tasks::shell()?;
    let packages = sh.create_dir(target.join("agents-node"))?;
    sh.copy_file(sources.join("package.json"), &packages)?;
    npm::install(&packages)?;
    let mut client = Command::new("python3");
    for name in FRAMEWORKS {
        let requirements = sources.join(format!("frameworks/{name}.txt"));
        let python = environment::python(&target, &format!("agents-{name}"), &requirements)?;
        client.env(format!("PYTHON_{}", name.to_uppercase()), python);
    }
    client.arg(sources.join("run.py")).arg(server).arg(packages.join("node_modules")).args(names);
    client.env("PYTHONDONTWRITEBYTECODE", "1");
    let status = client.status().context("this needs `python3`, 3.10 or later")?;
    ensure!(status.success(), "not every client is told what it has to be told");
    Ok(())
}
