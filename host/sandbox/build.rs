//! Builds the evaluator for `wasm32-unknown-unknown` and encodes it as a component. Writes it to
//! `OUT_DIR/guest.wasm`, which the sandbox embeds. You can set `PIF_GUEST_WASM` to use a component
//! built before. Also writes the language reference to `OUT_DIR`.
//! A published package does not contain the evaluator's source. It contains the folder `prebuilt/`,
//! which `cargo x package` fills, and this script sets `cfg(packaged)`.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};
use wit_component::ComponentEncoder;

const TARGET: &str = "wasm32-unknown-unknown";

/// Variables that pass flags for the native build to a nested cargo. They would override the flags
/// that `.cargo/config.toml` sets for the guest.
const FOREIGN: [&str; 7] = [
    "CARGO_BUILD_RUSTFLAGS",
    "CARGO_BUILD_TARGET",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_TARGET_DIR",
    "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTFLAGS",
];

/// The files that the component is built from, relative to the workspace.
const SOURCES: [&str; 13] = [
    ".cargo/config.toml",
    "Cargo.lock",
    "Cargo.toml",
    "guest/Cargo.toml",
    "guest/core/Cargo.toml",
    "guest/core/src",
    "guest/language/Cargo.toml",
    "guest/language/src",
    "guest/notation/Cargo.toml",
    "guest/notation/src",
    "guest/src",
    "rust-toolchain.toml",
    "wit",
];

fn main() -> Result<()> {
    println!("cargo::rustc-env=PIF_TARGET={}", env::var("TARGET")?);
    println!("cargo::rerun-if-env-changed=PIF_GUEST_WASM");
    println!("cargo::rustc-check-cfg=cfg(packaged)");
    let host = PathBuf::from(variable("CARGO_MANIFEST_DIR")?);
    let workspace = host.join("../..");
    let prebuilt = (!workspace.join("guest/Cargo.toml").is_file()).then(|| host.join("prebuilt"));
    if prebuilt.is_some() {
        println!("cargo::rustc-cfg=packaged");
    }
    let out = PathBuf::from(variable("OUT_DIR")?);
    let component = match (env::var_os("PIF_GUEST_WASM"), &prebuilt) {
        (Some(path), _) => read(Path::new(&path)).context("PIF_GUEST_WASM")?,
        (None, Some(folder)) => read(&folder.join("evaluator.wasm"))?,
        (None, None) => build(&workspace, &out)?,
    };
    println!("cargo::rustc-env=PIF_GUEST_SHA256={:x}", Sha256::digest(&component));
    fs::write(out.join("guest.wasm"), component).context("cannot write guest.wasm")?;
    let reference = prebuilt.unwrap_or_else(|| workspace.join("guest")).join("LANGUAGE.md");
    fs::write(out.join("LANGUAGE.md"), read(&reference)?).context("cannot write LANGUAGE.md")
}

fn variable(name: &str) -> Result<OsString> {
    env::var_os(name).with_context(|| format!("cargo did not set {name}"))
}

/// Reads a file and rebuilds when it changes.
fn read(path: &Path) -> Result<Vec<u8>> {
    println!("cargo::rerun-if-changed={}", path.display());
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

fn build(workspace: &Path, out: &Path) -> Result<Vec<u8>> {
    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", workspace.join(source).display());
    }
    ensure_target(workspace)?;
    let core = compile(workspace, &out.join("guest"))?;
    encode(&core)
}

/// Installs the target if rustup can. A toolchain without it fails much later and less clearly.
fn ensure_target(workspace: &Path) -> Result<()> {
    if has_target()? {
        return Ok(());
    }
    let added = Command::new("rustup")
        .args(["target", "add", TARGET])
        .current_dir(workspace)
        .status()
        .is_ok_and(|status| status.success());
    ensure!(
        added && has_target()?,
        "the evaluator is compiled for {TARGET}, which this toolchain lacks and rustup could not \
         add. Type:\n\n    rustup target add {TARGET}\n\nor set PIF_GUEST_WASM to a component \
         built elsewhere",
    );
    Ok(())
}

fn has_target() -> Result<bool> {
    let output = Command::new(variable("RUSTC")?)
        .args(["--print", "target-libdir", "--target", TARGET])
        .output()
        .context("cannot start rustc")?;
    let directory = String::from_utf8_lossy(&output.stdout);
    Ok(output.status.success() && Path::new(directory.trim()).is_dir())
}

/// Runs cargo in a target directory of its own, because the outer cargo locks the shared one.
fn compile(workspace: &Path, target: &Path) -> Result<Vec<u8>> {
    let mut cargo = Command::new(variable("CARGO")?);
    cargo
        .args(["build", "--locked", "--package", "pif", "--features", "component", "--lib"])
        .args(["--profile", "guest", "--target", TARGET, "--target-dir"])
        .arg(target)
        .current_dir(workspace);
    for name in FOREIGN {
        cargo.env_remove(name);
    }
    let status = cargo.status().context("cannot start cargo for the evaluator")?;
    ensure!(status.success(), "the evaluator does not compile for {TARGET}; see the errors above");
    let core = target.join(TARGET).join("guest/pif.wasm");
    fs::read(&core).with_context(|| format!("cannot read {}", core.display()))
}

fn encode(core: &[u8]) -> Result<Vec<u8>> {
    ComponentEncoder::default()
        .module(core)
        .and_then(|encoder| encoder.validate(true).encode())
        .context("the evaluator cannot be encoded as a component")
}
