//! A virtual environment with the packages of the Python client, made once for its requirements
//! and kept in the target directory. Shared with `cargo x clients`.

use anyhow::{Context, Result, ensure};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a client connects as: the modes of the SDK.
pub(crate) const MODES: [&str; 3] = ["legacy", "auto", "2026-07-28"];

const NEEDS: &str = "the Python client needs `python3`, 3.10 or later, with its modules venv and \
    pip; on Debian and Ubuntu: apt install python3 python3-venv";

/// The command of the client, which connects to the server in a mode.
pub(crate) fn client(target: &Path, server: &Path, mode: &str) -> Result<Command> {
    let mut command = Command::new(environment(target)?);
    command.arg(sources().join("client.py")).arg(server).arg(mode);
    // The server shall find nothing of who runs it.
    command.env("HOME", target.join("python-clients")).env("MCP_PIF_EPHEMERAL", "1");
    Ok(command)
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/clients/python")
}

/// The interpreter of the environment.
fn environment(target: &Path) -> Result<PathBuf> {
    let folder = target.join("python-clients");
    let lock = File::create(target.join("python-clients.lock"))?;
    lock.lock()?; // another process may be making it
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let requirements = sources().join("requirements.txt");
    let wanted = fs::read_to_string(&requirements)?;
    let installed = folder.join("installed.txt");
    if python.is_file() && fs::read_to_string(&installed).is_ok_and(|found| found == wanted) {
        return Ok(python);
    }
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    finish(Command::new("python3").args(["-m", "venv"]).arg(&folder)).context(NEEDS)?;
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"]);
    finish(pip.arg(&requirements))
        .context("pip does not install tests/clients/python/requirements.txt")
        .context(NEEDS)?;
    fs::write(installed, wanted)?;
    Ok(python)
}

/// Runs a command; fails with all that it said if it does.
fn finish(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("`{program}` does not start"))?;
    let said = [output.stdout, output.stderr].concat();
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&said));
    Ok(())
}
