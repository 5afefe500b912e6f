//! The archive of a release, as `cargo binstall` finds it by what `host/Cargo.toml` says: the
//! server, completions and the manual.

use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use xshell::{Shell, cmd};

use crate::tasks;

const NAME: &str = "mcp-pif";

/// Packs the server for the target of this toolchain.
pub(crate) fn pack(home: &Path, server: &Path) -> Result<PathBuf> {
    let sh = tasks::shell()?;
    let target = target(&sh)?;
    let binary = format!("{NAME}{}", std::env::consts::EXE_SUFFIX);
    let inside = said("bin-dir", &target)?;
    let folder = Path::new(&inside).parent().context("an archive has a folder")?;
    ensure!(Path::new(&inside).ends_with(&binary), "binstall looks for {inside}");
    let root = home.join(folder);
    sh.create_dir(&root)?;
    sh.copy_file(server, root.join(&binary))?;
    for file in ["LICENSE", "README.md"] {
        sh.copy_file(file, root.join(file))?;
    }
    for (shell, file) in [("bash", "mcp-pif"), ("fish", "mcp-pif.fish"), ("zsh", "_mcp-pif")] {
        let script = cmd!(sh, "{server} completions {shell}").quiet().output()?.stdout;
        sh.write_file(root.join("completions").join(file), script)?;
    }
    sh.write_file(root.join("mcp-pif.1"), cmd!(sh, "{server} man").quiet().output()?.stdout)?;
    let url = said("pkg-url", &target)?;
    let archive = home.join(url.rsplit('/').next().context("a URL has a file")?);
    cmd!(sh, "tar -czf {archive} -C {home} {folder}").run()?;
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

fn target(sh: &Shell) -> Result<String> {
    let text = cmd!(sh, "rustc -vV").quiet().read()?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not say what it is for")?.to_owned())
}
