//! Servers that others have written, installed from their registries at the versions that
//! `tests/clients/upstreams` names.

use anyhow::Result;
use pif_tests::sdk::environment;
use pif_tests::server::binary::target;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("clients/upstreams")
}

/// The folder with the commands of the packages of npm; None: they cannot be installed.
pub(super) fn node() -> Result<Option<PathBuf>> {
    let folder = target()?.join("upstreams-node");
    fs::create_dir_all(&folder)?;
    // Another test may be installing them.
    let lock = File::create(folder.join("lock"))?;
    lock.lock()?;
    let wanted = fs::read_to_string(sources().join("package.json"))?;
    let installed = folder.join("installed.json");
    if fs::read_to_string(&installed).is_ok_and(|found| found == wanted) {
        return Ok(Some(folder.join("node_modules/.bin")));
    }
    fs::write(folder.join("package.json"), &wanted)?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-package-lock", "--no-audit", "--no-fund"]).current_dir(&folder);
    let status = npm.stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !status.is_ok_and(|it| it.success()) {
        pif_tests::skip("npm cannot install the servers of tests/clients/upstreams/package.json")?;
        return Ok(None);
    }
    fs::write(installed, wanted)?;
    Ok(Some(folder.join("node_modules/.bin")))
}

/// The interpreter that has the packages of Python; None: they cannot be installed.
pub(super) fn python() -> Result<Option<PathBuf>> {
    match environment::python(&target()?, "upstreams-python", &sources().join("requirements.txt")) {
        Ok(python) => Ok(Some(python)),
        Err(error) => {
            pif_tests::skip(&format!("{error:#}"))?;
            Ok(None)
        }
    }
}
