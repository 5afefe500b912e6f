//! The official Python SDK as a client of the real binary, in each of its modes. The first run
//! makes a virtual environment, which takes python3 and a package index.

use anyhow::{Result, ensure};
use pif_tests::sdk::python;
use pif_tests::server::binary;

/// Checks that the client makes at least, in every mode.
const CHECKS: usize = 10;

#[test]
fn older_protocol() -> Result<()> {
    passes(python::MODES[0])
}

#[test]
fn negotiated_protocol() -> Result<()> {
    passes(python::MODES[1])
}

#[test]
fn stateless_protocol() -> Result<()> {
    passes(python::MODES[2])
}

fn passes(mode: &str) -> Result<()> {
    let target = binary::target()?;
    let output = python::client(&target, binary::path()?, mode)?.output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    let complaints = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{mode}: {}\n{said}{complaints}", output.status);
    let passed = said.lines().filter(|line| line.starts_with("ok ")).count();
    ensure!(passed >= CHECKS, "{mode}: only {passed} checks\n{said}{complaints}");
    Ok(())
}
