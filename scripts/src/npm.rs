//! Packages from npm in folders of the target directory, and the package that we make for it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use pif_sandbox::{ANALYST, COMPONENT};
use pif_tests::server::binary::target;
use serde_json::Value;
use xshell::cmd;

use crate::tasks;

/// What our own package consists of, beside what is made of the component.
const FILES: [&str; 4] = ["README.md", "index.d.ts", "index.js", "package.json"];

const NEEDS: &str = "this needs `npm`, which comes with Node.js, 20 or later; on Debian and Ubuntu: \
    apt install npm";

/// Installs what `package.json` in the folder names, if that has not been done yet.
pub(crate) fn install(folder: &Path) -> Result<()> {
    let wanted = fs::read_to_string(folder.join("package.json"))?;
    let installed = folder.join("installed.json");
    if fs::read_to_string(&installed).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    let sh = tasks::shell()?;
    sh.change_dir(folder);
    let quiet = ["--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"];
    cmd!(sh, "npm install {quiet...}").run().context(NEEDS)?;
    Ok(fs::write(installed, wanted)?)
}

/// The folder with the packages in `host/package/package.json`, which are installed if need be.
pub(crate) fn folder() -> Result<PathBuf> {
    let sh = tasks::shell()?;
    let folder = sh.create_dir(target()?.join("package-tools"))?;
    sh.copy_file("host/package/package.json", &folder)?;
    install(&folder)?;
    Ok(folder)
}

/// A command of these packages.
pub(crate) fn tool(name: &str) -> Result<PathBuf> {
    Ok(folder()?.join("node_modules/.bin").join(name))
}

/// `cargo x npm`
pub(crate) fn run() -> Result<()> {
    let archive = pack()?;
    println!("{} ({} bytes)", archive.display(), fs::metadata(&archive)?.len());
    Ok(())
}

/// Makes the package `pif-evaluator` of the component, and packs it.
pub(crate) fn pack() -> Result<PathBuf> {
    let sh = tasks::shell()?;
    let sources = tasks::root().join("host/package/npm");
    let manifest: Value = serde_json::from_str(&sh.read_file(sources.join("package.json"))?)?;
    let version = env!("CARGO_PKG_VERSION");
    ensure!(manifest["version"] == version, "host/package/npm/package.json is not of {version}");
    let folder = target()?.join("npm/pif-evaluator");
    sh.remove_path(&folder)?;
    sh.create_dir(&folder)?;
    sh.change_dir(&folder);
    for file in FILES {
        sh.copy_file(sources.join(file), file)?;
    }
    sh.write_file("evaluator.wasm", COMPONENT)?;
    sh.write_file("analyst.wasm", ANALYST)?;
    let jco = tool("jco")?;
    let options = "--quiet --instantiation sync --name evaluator".split(' ');
    cmd!(sh, "{jco} transpile {options...} evaluator.wasm --out-dir component").run()?;
    ensure_parts(&folder.join("component"))?;
    cmd!(sh, "npm pack --silent --pack-destination ..").run()?;
    Ok(folder.with_file_name(format!("pif-evaluator-{version}.tgz")))
}

/// Nothing may be rebuilt for a host: each core module stands in the component as it is.
fn ensure_parts(folder: &Path) -> Result<()> {
    let mut parts = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "wasm") {
            let part = fs::read(&path)?;
            let stands = COMPONENT.windows(part.len()).any(|window| window == part);
            ensure!(stands, "{} is no part of the component", path.display());
            parts += 1;
        }
    }
    ensure!(parts > 0, "{} holds no modules", folder.display());
    Ok(())
}
