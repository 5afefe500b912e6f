//! The official Python SDK as a client of the real binary, in each of its modes. The first run
//! makes a virtual environment, which takes python3 and a package index.

use anyhow::{Result, ensure};
use pif_tests::sdk::python;
use pif_tests::server::binary;
#[cfg(unix)]
use pif_tests::server::web::Web;
use std::path::Path;

/// Checks that the client makes at least, in every mode.
const CHECKS: usize = 10;

#[test]
fn older_protocol() -> Result<()> {
    passes(python::MODES[0], binary::path()?)
}

#[test]
#[ignore = "long"]
fn negotiated_protocol() -> Result<()> {
    passes(python::MODES[1], binary::path()?)
}

#[test]
fn stateless_protocol() -> Result<()> {
    passes(python::MODES[2], binary::path()?)
}

#[test]
#[ignore = "long"]
#[cfg(unix)]
fn every_protocol_over_http() -> Result<()> {
    for mode in python::MODES {
        // Each finds the tools of a new server.
        let web = Web::start(&["--ephemeral"])?;
        passes(mode, Path::new(&format!("http://{}/mcp", web.address)))?;
    }
    Ok(())
}

fn passes(mode: &str, server: &Path) -> Result<()> {
    let target = binary::target()?;
    let output = python::client(&target, server, mode)?.output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    let complaints = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{mode}: {}\n{said}{complaints}", output.status);
    let passed = said.lines().filter(|line| line.starts_with("ok ")).count();
    ensure!(passed >= CHECKS, "{mode}: only {passed} checks\n{said}{complaints}");
    Ok(())
}
