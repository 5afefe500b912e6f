//! The client written with the Python SDK, in an environment of its own. Shared with
//! `cargo x clients`.

use super::environment;
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a client connects as: the modes of the SDK.
pub const MODES: [&str; 3] = ["legacy", "auto", "2026-07-28"];

/// The command of the client, which connects to the server in a mode.
pub fn client(target: &Path, server: &Path, mode: &str) -> Result<Command> {
    let requirements = sources().join("requirements.txt");
    let mut command = Command::new(environment::python(target, "python-clients", &requirements)?);
    command.arg(sources().join("client.py")).arg(server).arg(mode);
    // The server shall find nothing of who runs it.
    command.env("HOME", target.join("python-clients")).env("MCP_PIF_EPHEMERAL", "1");
    Ok(command)
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/clients/python")
}
