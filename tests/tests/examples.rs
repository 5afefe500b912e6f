//! The programs of host/examples that take no more than cargo and python3, on the component that
//! the server embeds. `cargo x examples` runs all of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use pif_sandbox::COMPONENT;
use pif_tests::embedding::{self, Example, PYTHON, RUST};
use pif_tests::sdk::environment;

fn target() -> Result<&'static Path> {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().context("no target directory")
}

/// Runs an example with the component as a file.
fn passes(example: Example, command: &mut Command) -> Result<()> {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(example.file).with_extension("wasm");
    fs::write(&file, COMPONENT)?;
    let output = command.arg(file).output().with_context(|| format!("{command:?}"))?;
    let complaints = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{}: {complaints}", output.status);
    embedding::judge(example, &String::from_utf8(output.stdout)?)
}

#[test]
fn the_request_of_all_examples_is_worth_their_while() -> Result<()> {
    let (value, fuel) = embedding::value_and_fuel()?;
    assert_eq!((value.as_str(), fuel), ("15511210043330985984000000", 706));
    Ok(())
}

#[test]
fn rust() -> Result<()> {
    passes(RUST, &mut Command::new(build()?))
}

/// The example, in the profile of this test, which is at `TARGET/PROFILE/deps/NAME`.
fn build() -> Result<PathBuf> {
    let this = std::env::current_exe()?;
    let folder = this.ancestors().nth(2).context("the test has no place in a target directory")?;
    let profile = match folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") => "dev",
        Some(profile) => profile,
        None => anyhow::bail!("{} names no profile", folder.display()),
    };
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--package", "mcp-pif", "--example", "embed"]);
    cargo.args(["--profile", profile, "--target-dir"]).arg(target()?);
    let status = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).status()?;
    ensure!(status.success(), "the example does not build; cargo's errors are above");
    Ok(folder.join("examples").join(format!("embed{}", std::env::consts::EXE_SUFFIX)))
}

#[test]
fn python() -> Result<()> {
    let folder = embedding::folder();
    let requirements = folder.join("requirements.txt");
    let python = environment::python(target()?, "python-examples", &requirements)?;
    passes(PYTHON, Command::new(python).arg(folder.join(PYTHON.file)))
}
