//! Packages from npm in folders of the target directory, and the package that we make for it.

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use crate::tasks;

/// What our own package consists of, beside what is made of the component.
const FILES: [&str; 4] = ["README.md", "index.d.ts", "index.js", "package.json"];

/// Installs what `package.json` in the folder names, if that has not been done yet.
pub(crate) fn install(folder: &Path) -> Result<()> {
    let wanted = fs::read_to_string(folder.join("package.json"))?;
    let installed = folder.join("installed.json");
    if fs::read_to_string(&installed).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    let mut npm = npm(folder);
    npm.args(["install", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"]);
    finish(&mut npm)?;
    Ok(fs::write(installed, wanted)?)
}

fn npm(folder: &Path) -> Command {
    let mut npm = Command::new("npm");
    npm.current_dir(folder);
    npm
}

/// Runs a command whose output is for whoever looks on.
fn finish(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) => ensure!(status.success(), "`{program}` failed"),
        Err(error) if error.kind() == io::ErrorKind::NotFound => bail!(
            "this needs `{program}`, which comes with Node.js, 20 or later; on Debian and Ubuntu: \
             apt install npm"
        ),
        Err(error) => return Err(error).with_context(|| format!("`{program}` does not start")),
    }
    Ok(())
}

/// A command of the packages in `host/package/package.json`, which are installed if need be.
pub(crate) fn tool(target: &Path, name: &str) -> Result<Command> {
    let folder = target.join("package-tools");
    fs::create_dir_all(&folder)?;
    let manifest = tasks::root().join("host/package/package.json");
    fs::copy(manifest, folder.join("package.json"))?;
    install(&folder)?;
    let mut command = Command::new(folder.join("node_modules/.bin").join(name));
    command.current_dir(&folder);
    Ok(command)
}

/// `cargo x npm`
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    ensure!(arguments.is_empty(), "`npm` takes no arguments");
    let target = tasks::target()?;
    let archive = pack(&target)?;
    println!("{} ({} bytes)", archive.display(), fs::metadata(&archive)?.len());
    Ok(())
}

/// Makes the package `pif-evaluator` of the component, and packs it.
pub(crate) fn pack(target: &Path) -> Result<PathBuf> {
    let sources = tasks::root().join("host/package/npm");
    let manifest: Value = serde_json::from_str(&fs::read_to_string(sources.join("package.json"))?)?;
    let version = env!("CARGO_PKG_VERSION");
    ensure!(manifest["version"] == version, "host/package/npm/package.json is not of {version}");
    let folder = target.join("npm/pif-evaluator");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    for file in FILES {
        fs::copy(sources.join(file), folder.join(file)).context(file)?;
    }
    let component = folder.join("evaluator.wasm");
    fs::write(&component, mcp_pif::sandbox::COMPONENT)?;
    let mut jco = tool(target, "jco")?;
    jco.args(["transpile", "--quiet", "--instantiation", "sync", "--name", "evaluator"]);
    finish(jco.arg(component).arg("--out-dir").arg(folder.join("component")))?;
    ensure_parts(&folder.join("component"))?;
    finish(npm(&folder).args(["pack", "--silent", "--pack-destination", ".."]))?;
    Ok(target.join("npm").join(format!("pif-evaluator-{version}.tgz")))
}

/// Nothing may be rebuilt for a host: each core module stands in the component as it is.
fn ensure_parts(folder: &Path) -> Result<()> {
    let whole = mcp_pif::sandbox::COMPONENT;
    let mut parts = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "wasm") {
            let part = fs::read(&path)?;
            let stands = whole.windows(part.len()).any(|window| window == part);
            ensure!(stands, "{} is no part of the component", path.display());
            parts += 1;
        }
    }
    ensure!(parts > 0, "{} holds no modules", folder.display());
    Ok(())
}
