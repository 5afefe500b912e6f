//! The archive of a release, as `cargo binstall` finds it by what `host/Cargo.toml` says: the
//! server, completions and the manual.

use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::tasks;

const NAME: &str = "mcp-pif";

/// Packs the server for the target of this toolchain.
pub(crate) fn pack(home: &Path, server: &Path) -> Result<PathBuf> {
    let target = target()?;
    let binary = format!("{NAME}{}", std::env::consts::EXE_SUFFIX);
    let inside = said("bin-dir", &target)?;
    let folder = Path::new(&inside).parent().context("an archive has a folder")?;
    ensure!(Path::new(&inside).ends_with(&binary), "binstall looks for {inside}");
    let root = home.join(folder);
    fs::create_dir_all(root.join("completions"))?;
    fs::copy(server, root.join(&binary))?;
    for file in ["LICENSE", "README.md"] {
        fs::copy(tasks::root().join(file), root.join(file))?;
    }
    for (shell, file) in [("bash", "mcp-pif"), ("fish", "mcp-pif.fish"), ("zsh", "_mcp-pif")] {
        let script = print(server, &["completions", shell])?;
        fs::write(root.join("completions").join(file), script)?;
    }
    fs::write(root.join("mcp-pif.1"), print(server, &["man"])?)?;
    let url = said("pkg-url", &target)?;
    let archive = home.join(url.rsplit('/').next().context("a URL has a file")?);
    let mut tar = Command::new("tar");
    tar.arg("-czf").arg(&archive).arg("-C").arg(home).arg(folder);
    let status = tar.status().context("`tar` does not start")?;
    ensure!(status.success(), "{}", archive.display());
    Ok(archive)
}

/// A template of the metadata for binstall, filled in.
fn said(key: &str, target: &str) -> Result<String> {
    let manifest = fs::read_to_string(tasks::root().join("host/Cargo.toml"))?;
    let start = format!("{key} = \"");
    let template = manifest.lines().find_map(|line| line.strip_prefix(&start)?.strip_suffix('"'));
    let mut text = template.with_context(|| format!("host/Cargo.toml has no {key}"))?.to_owned();
    for (name, value) in [
        ("repo", env!("CARGO_PKG_REPOSITORY")),
        ("name", NAME),
        ("bin", NAME),
        ("version", env!("CARGO_PKG_VERSION")),
        ("target", target),
        ("binary-ext", std::env::consts::EXE_SUFFIX),
    ] {
        text = text.replace(&format!("{{ {name} }}"), value);
    }
    ensure!(!text.contains('{'), "{key}: {text}");
    Ok(text)
}

fn target() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("`rustc` does not start")?;
    let text = String::from_utf8(output.stdout)?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not say what it is for")?.to_owned())
}

fn print(server: &Path, arguments: &[&str]) -> Result<Vec<u8>> {
    let output = Command::new(server).args(arguments).output()?;
    ensure!(output.status.success(), "mcp-pif {arguments:?}: {}", output.status);
    Ok(output.stdout)
}
