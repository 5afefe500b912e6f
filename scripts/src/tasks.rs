//! Tasks that are a few cargo commands.

use anyhow::{Context, Result, ensure};
use std::path::PathBuf;
use std::process::Command;

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Runs a command in the workspace; fails if it does.
pub(crate) fn command(program: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Result<()> {
    eprintln!("$ {program} {}", arguments.join(" "));
    let mut command = Command::new(program);
    command.current_dir(root()).args(arguments).envs(variables.iter().copied());
    let status = command.status().with_context(|| format!("`{program}` does not start"))?;
    ensure!(status.success(), "`{program} {}` failed", arguments.join(" "));
    Ok(())
}

fn cargo(arguments: &[&str], variables: &[(&str, &str)]) -> Result<()> {
    command(env!("CARGO"), arguments, variables)
}

/// Format, lints, docs, tests.
pub(crate) fn check() -> Result<()> {
    cargo(&["fmt", "--all", "--check"], &[])?;
    cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"], &[])?;
    let wasm = ["clippy", "-p", "pif-guest", "--features", "component"];
    let wasm =
        [&wasm[..], &["--target", "wasm32-unknown-unknown", "--", "-D", "warnings"]].concat();
    cargo(&wasm, &[])?;
    cargo(&["doc", "--workspace", "--no-deps"], &[("RUSTDOCFLAGS", "-D warnings")])?;
    cargo(&["test", "--workspace"], &[])
}

/// Rewrites the expectations of the corpus; the difference is the review.
pub(crate) fn bless() -> Result<()> {
    cargo(&["test", "-p", "pif-tests", "--test", "corpus"], &[("BLESS", "1")])
}

/// Puts the table of forms into the reference, and renews the pages that the server's tables make.
pub(crate) fn reference() -> Result<()> {
    let path = pif_tests::reference::path();
    let text = std::fs::read_to_string(&path)?;
    std::fs::write(&path, pif_tests::reference::renew(&text)?)?;
    for (path, text) in pif_tests::pages::made()? {
        std::fs::write(path, text)?;
    }
    Ok(())
}

/// Spells the tools of the library canonically, and renews their hashes and their page.
pub(crate) fn library() -> Result<()> {
    for path in pif_tests::library::files()? {
        let text = std::fs::read_to_string(&path)?;
        let renewed = pif_tests::library::renew(&text);
        std::fs::write(&path, renewed.with_context(|| path.display().to_string())?)?;
    }
    let page = pif_tests::library::page();
    let text = std::fs::read_to_string(&page)?;
    std::fs::write(&page, pif_tests::library::renew_page(&text)?)?;
    Ok(())
}

/// The target directory that this program is in.
pub(crate) fn target() -> Result<PathBuf> {
    let this = std::env::current_exe()?;
    let target = this.ancestors().nth(2).context("this program is in no target directory")?;
    Ok(target.to_owned())
}

/// Writes the component that the host embeds, and says what it is.
pub(crate) fn component() -> Result<()> {
    let (path, bytes) = (write_component()?, mcp_pif::sandbox::COMPONENT.len());
    println!("{}\n{bytes} bytes\nsha256 {}", path.display(), mcp_pif::sandbox::HASH);
    Ok(())
}

/// Writes the component that the host embeds.
pub(crate) fn write_component() -> Result<PathBuf> {
    let target = root().canonicalize()?.join("target");
    std::fs::create_dir_all(&target)?;
    let path = target.join("pif-guest.wasm");
    std::fs::write(&path, mcp_pif::sandbox::COMPONENT)?;
    Ok(path)
}
