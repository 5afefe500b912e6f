//! The server's binary, as `cargo build -p mcp-pif` makes it. A test of this package cannot ask
//! cargo for the binary of another one, so it has it built in its own profile; mostly that is a
//! matter of finding it fresh.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// Names another binary to test, such as one that was built for release.
const OTHER: &str = "MCP_PIF_BINARY";

/// The path of the binary, built once by each process in the profile of this one.
pub fn path() -> Result<&'static Path> {
    static BINARY: LazyLock<Result<PathBuf>> = LazyLock::new(|| found(&profile()?));
    BINARY.as_deref().map_err(|error| anyhow::anyhow!("{error:#}"))
}

/// The path of the binary built for release.
pub fn for_release() -> Result<PathBuf> {
    found("release")
}

fn found(profile: &str) -> Result<PathBuf> {
    std::env::var_os(OTHER).map_or_else(|| build(profile), |path| Ok(path.into()))
}

fn build(profile: &str) -> Result<PathBuf> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["build", "--package", "mcp-pif", "--bin", "mcp-pif", "--message-format=json"])
        .args(["--profile", profile, "--target-dir"])
        .arg(target()?)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stderr(Stdio::inherit());
    let output = cargo.output().context("cargo does not start")?;
    ensure!(output.status.success(), "the server does not build; cargo's errors are above");
    let output = String::from_utf8(output.stdout)?;
    output.lines().find_map(executable).context("cargo built no executable")
}

/// The profile that this program was built in. It is at `TARGET/PROFILE/NAME`, a test in the folder
/// `deps` there, and both a level deeper where cargo was given a target triple.
fn profile() -> Result<String> {
    let this = std::env::current_exe()?;
    let folder = this.ancestors().skip(1).find(|it| !it.ends_with("deps"));
    match folder.and_then(|folder| folder.file_name()?.to_str()) {
        Some("debug") => Ok("dev".to_owned()),
        Some(profile) => Ok(profile.to_owned()),
        None => anyhow::bail!("{} names no profile", this.display()),
    }
}

/// The target directory: cargo keeps there what it knows of the compiler.
pub fn target() -> Result<PathBuf> {
    let this = std::env::current_exe()?;
    let is_marked = |it: &&Path| it.join(".rustc_info.json").is_file();
    this.ancestors().find(is_marked).map(Path::to_owned).context("no target directory")
}

fn executable(message: &str) -> Option<PathBuf> {
    let message: Value = serde_json::from_str(message).ok()?;
    let path = message.get("executable")?.as_str()?;
    Path::new(path).file_stem().is_some_and(|name| name == "mcp-pif").then(|| path.into())
}
