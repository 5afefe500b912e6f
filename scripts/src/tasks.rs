//! Tasks that are a few commands, and what all tasks use.

use std::path::PathBuf;
use std::{env, fs};

use anyhow::{Context, Result};
use pif_sandbox::{ANALYST, ANALYST_HASH, COMPONENT, HASH};
use pif_tests::{library, pages, reference};
use xshell::{Shell, cmd};

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A shell in the workspace.
pub(crate) fn shell() -> Result<Shell> {
    let shell = Shell::new()?;
    shell.change_dir(root());
    Ok(shell)
}

/// Measures in a program that is built for release: this one may be slower.
pub(crate) fn for_release(measure: impl FnOnce() -> Result<()>) -> Result<()> {
    if !cfg!(debug_assertions) {
        return measure();
    }
    let arguments = env::args_os().skip(1);
    let release = "run --release --quiet --package pif-scripts --".split(' ');
    let sh = shell()?;
    Ok(cmd!(sh, "cargo {release...} {arguments...}").run()?)
}

/// Format, lints, docs, tests.
pub(crate) fn check() -> Result<()> {
    let sh = shell()?;
    let strict = ["--", "-D", "warnings"];
    let wasm = "--package pif --features component --target wasm32-unknown-unknown".split(' ');
    cmd!(sh, "cargo fmt --all --check").run()?;
    cmd!(sh, "cargo clippy --workspace --all-targets {strict...}").run()?;
    cmd!(sh, "cargo clippy {wasm...} {strict...}").run()?;
    cmd!(sh, "cargo doc --workspace --no-deps").env("RUSTDOCFLAGS", "-D warnings").run()?;
    Ok(cmd!(sh, "cargo test --workspace").run()?)
}

/// Rewrites the expectations of the corpus; the difference is the review.
pub(crate) fn bless() -> Result<()> {
    let sh = shell()?;
    Ok(cmd!(sh, "cargo test --workspace --test corpus").env("BLESS", "1").run()?)
}

/// Puts the table of forms into the reference, and renews the pages that the server's tables make.
pub(crate) fn reference() -> Result<()> {
    let path = reference::path();
    fs::write(&path, reference::renew(&fs::read_to_string(&path)?)?)?;
    let work = reference::path_of_work();
    fs::write(&work, reference::renew_work(&fs::read_to_string(&work)?)?)?;
    for (path, text) in pages::made()? {
        fs::write(path, text)?;
    }
    Ok(())
}

/// Spells the tools of the library canonically, and renews their hashes and their page.
pub(crate) fn library() -> Result<()> {
    for path in library::files()? {
        let renewed = library::renew(&path);
        fs::write(&path, renewed.with_context(|| path.display().to_string())?)?;
    }
    let page = library::page();
    Ok(fs::write(&page, library::renew_page(&fs::read_to_string(&page)?)?)?)
}

/// Writes the components that the host embeds, and says what they are.
pub(crate) fn component() -> Result<()> {
    for (path, bytes, hash) in
        [(write_component()?, COMPONENT, HASH), (write_analyst()?, ANALYST, ANALYST_HASH)]
    {
        println!("{}\n{} bytes\nsha256 {hash}", path.display(), bytes.len());
    }
    Ok(())
}

/// Writes the analyst that the host embeds.
pub(crate) fn write_analyst() -> Result<PathBuf> {
    let path = root().canonicalize()?.join("target/pif-analyst.wasm");
    shell()?.write_file(&path, ANALYST)?;
    Ok(path)
}

/// Writes the evaluator that the host embeds.
pub(crate) fn write_component() -> Result<PathBuf> {
    let path = root().canonicalize()?.join("target/pif.wasm");
    shell()?.write_file(&path, COMPONENT)?;
    Ok(path)
}
