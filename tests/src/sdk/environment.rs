//! Virtual environments of Python, made once for their requirements and kept in the target
//! directory. They take python3 and a package index.

use anyhow::{Context, Result, ensure};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

const NEEDS: &str = "this needs `python3`, 3.10 or later, with its modules venv and pip; on Debian \
    and Ubuntu: apt install python3 python3-venv";

/// The interpreter of the environment that holds what a file requires.
pub fn python(target: &Path, name: &str, requirements: &Path) -> Result<PathBuf> {
    let folder = target.join(name);
    let lock = File::create(target.join(format!("{name}.lock")))?;
    lock.lock()?; // another process may be making it
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let wanted = fs::read_to_string(requirements)?;
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
    finish(pip.arg(requirements))
        .with_context(|| format!("pip does not install {}", requirements.display()))
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
