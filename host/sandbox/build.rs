//! Builds the evaluator and the analyst for `wasm32-unknown-unknown` and encodes each as a component.
//! Writes them to `OUT_DIR`, from where the sandbox embeds them. You can set `PIF_GUEST_WASM` and
//! `PIF_ANALYST_WASM` to use components built before. Also writes the language reference to `OUT_DIR`.
//! A published package does not contain the source of the components. It contains the folder
//! `prebuilt/`, which `cargo x package` fills, and this script sets `cfg(packaged)`.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};
use wit_component::ComponentEncoder;

const TARGET: &str = "wasm32-unknown-unknown";

/// A component that is built here.
struct Component {
    /// Its file in `OUT_DIR`, and in `prebuilt/`.
    file: &'static str,
    /// Its crate.
    package: &'static str,
    /// The module that cargo makes of the crate.
    module: &'static str,
    /// The variable that names one built before.
    given: &'static str,
    /// The variable that holds its hash.
    hash: &'static str,
}

const COMPONENTS: [Component; 2] = [
    Component {
        file: "evaluator.wasm",
        package: "pif",
        module: "pif.wasm",
        given: "PIF_GUEST_WASM",
        hash: "PIF_GUEST_SHA256",
    },
    Component {
        file: "analyst.wasm",
        package: "pif-analysis",
        module: "pif_analysis.wasm",
        given: "PIF_ANALYST_WASM",
        hash: "PIF_ANALYST_SHA256",
    },
];

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

/// The files that the components are built from, relative to the workspace.
const SOURCES: [&str; 17] = [
    ".cargo/config.toml",
    "Cargo.lock",
    "Cargo.toml",
    "guest/Cargo.toml",
    "guest/analysis/Cargo.toml",
    "guest/analysis/src",
    "guest/core/Cargo.toml",
    "guest/core/src",
    "guest/language/Cargo.toml",
    "guest/language/src",
    "guest/notation/Cargo.toml",
    "guest/notation/src",
    "guest/proof/Cargo.toml",
    "guest/proof/src",
    "guest/src",
    "rust-toolchain.toml",
    "wit",
];

fn main() -> Result<()> {
    println!("cargo::rustc-env=PIF_TARGET={}", env::var("TARGET")?);
    println!("cargo::rustc-check-cfg=cfg(packaged)");
    let host = PathBuf::from(variable("CARGO_MANIFEST_DIR")?);
    let workspace = host.join("../..");
    let prebuilt = (!workspace.join("guest/Cargo.toml").is_file()).then(|| host.join("prebuilt"));
    if prebuilt.is_some() {
        println!("cargo::rustc-cfg=packaged");
    }
    let out = PathBuf::from(variable("OUT_DIR")?);
    for component in COMPONENTS {
        println!("cargo::rerun-if-env-changed={}", component.given);
    }
    let missing = match prebuilt {
        Some(_) => Vec::new(),
        None => COMPONENTS.iter().filter(|it| env::var_os(it.given).is_none()).collect(),
    };
    let built = out.join("guest");
    if !missing.is_empty() {
        build(&workspace, &built, &missing)?;
    }
    for component in COMPONENTS {
        let bytes = match (env::var_os(component.given), &prebuilt) {
            (Some(path), _) => read(Path::new(&path)).context(component.given)?,
            (None, Some(folder)) => read(&folder.join(component.file))?,
            (None, None) => encode(&built.join(TARGET).join("guest").join(component.module))?,
        };
        println!("cargo::rustc-env={}={:x}", component.hash, Sha256::digest(&bytes));
        let path = out.join(component.file);
        fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
    }
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

/// Compiles these components. The crates that they share are compiled once.
fn build(workspace: &Path, target: &Path, components: &[&Component]) -> Result<()> {
    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", workspace.join(source).display());
    }
    ensure_target(workspace)?;
    compile(workspace, target, components)
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
         add. Type:\n\n    rustup target add {TARGET}\n\nor set PIF_GUEST_WASM and \
         PIF_ANALYST_WASM to components built elsewhere",
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
fn compile(workspace: &Path, target: &Path, components: &[&Component]) -> Result<()> {
    let mut cargo = Command::new(variable("CARGO")?);
    cargo
        .args(["build", "--locked", "--lib", "--profile", "guest", "--target", TARGET])
        .arg("--target-dir")
        .arg(target)
        .current_dir(workspace);
    for component in components {
        let feature = format!("{}/component", component.package);
        cargo.args(["--package", component.package, "--features", &feature]);
    }
    for name in FOREIGN {
        cargo.env_remove(name);
    }
    let status = cargo.status().context("cannot start cargo for the evaluator")?;
    ensure!(
        status.success(),
        "evaluator and analyst do not compile for {TARGET}; see the errors above"
    );
    Ok(())
}

fn encode(core: &Path) -> Result<Vec<u8>> {
    let core = fs::read(core).with_context(|| format!("cannot read {}", core.display()))?;
    ComponentEncoder::default()
        .module(&core)
        .and_then(|encoder| encoder.validate(true).encode())
        .context("a module cannot be encoded as a component")
}
