//! `cargo x package`: the crates as they are published. Each is built from its archive alone, in a
//! folder that has no workspace around it, and the server of the archive is tried.

use anyhow::{Context, Result, bail, ensure};
use mcp_pif::sandbox::{COMPONENT, HASH};
use pif_tests::server::binary::target;
use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::PathBuf;
use wit_component::DecodedWasm;
use wit_parser::Resolve;
use xshell::{Shell, cmd};

use crate::tasks::{root, shell};

/// What is put into the folders of the crates while they are packaged.
const ADDED: [&str; 3] = ["host/prebuilt", "host/LICENSE", "guest/LICENSE"];

/// Packages, builds and tries both crates.
pub(crate) fn run() -> Result<()> {
    let sh = shell()?;
    encode_contract(&sh)?;
    let packaged = prepare(&sh).and_then(|()| package(&sh));
    for added in ADDED {
        sh.remove_path(added)?;
    }
    try_out(&sh, &packaged?)?;
    // The server of the archive stands where that of the workspace belongs.
    Ok(cmd!(sh, "cargo build --quiet --package mcp-pif").run()?)
}

/// The contract as one file, as registries of components take it.
fn encode_contract(sh: &Shell) -> Result<()> {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(root().join("wit"))?;
    let name = &resolve.packages.get(package).context("the package")?.name;
    let version = name.version.as_ref().context("the contract has no version")?;
    let file = format!("{}-{}-{version}.wasm", name.namespace, name.name);
    let bytes = wit_component::encode(&resolve, package)?;
    let DecodedWasm::WitPackage(..) = wit_component::decode(&bytes)? else {
        bail!("the contract is encoded as something else");
    };
    let path = target()?.join("package").join(file);
    sh.write_file(&path, &bytes)?;
    println!("{} ({} bytes)", path.display(), bytes.len());
    Ok(())
}

/// The evaluator, the contract and the reference are not below `host/`: the package carries them.
fn prepare(sh: &Shell) -> Result<()> {
    sh.create_dir("host/prebuilt/wit")?;
    sh.write_file("host/prebuilt/evaluator.wasm", COMPONENT)?;
    sh.copy_file("guest/LANGUAGE.md", "host/prebuilt/LANGUAGE.md")?;
    for file in sh.read_dir("wit")? {
        sh.copy_file(file, "host/prebuilt/wit")?;
    }
    for folder in ["host", "guest"] {
        sh.copy_file("LICENSE", folder)?;
    }
    Ok(())
}

/// The archives of the crates.
fn package(sh: &Shell) -> Result<[PathBuf; 2]> {
    let folder = target()?.join("package");
    let archive = |name: &str| {
        cmd!(sh, "cargo package --quiet --package {name} --allow-dirty --no-verify").run()?;
        let path = folder.join(format!("{name}-{}.crate", env!("CARGO_PKG_VERSION")));
        println!("{} ({} bytes)", path.display(), fs::metadata(&path)?.len());
        anyhow::Ok(path)
    };
    Ok([archive("pif")?, archive("mcp-pif")?])
}

fn try_out(sh: &Shell, archives: &[PathBuf; 2]) -> Result<()> {
    let (target, place) = (target()?, sh.create_temp_dir()?);
    let settings = place.path().join("settings.toml");
    sh.write_file(&settings, profile(sh)?)?;
    let _there = sh.push_dir(place.path());
    // The evaluator is a library whose file has the same name wherever it is built from: in the
    // workspace's directory it would be taken for that of the workspace.
    for (archive, target) in archives.iter().zip([&target.join("package/build"), &target]) {
        cmd!(sh, "tar -xzf {archive}").run()?;
        let _there = sh.push_dir(archive.file_stem().context("an archive's name")?);
        cmd!(sh, "cargo build --locked --target-dir {target} --config {settings}").run()?;
    }
    let server = target.join("debug").join(format!("mcp-pif{EXE_SUFFIX}"));
    let version = cmd!(sh, "{server} --version").read()?;
    ensure!(version.contains(HASH), "the package has another evaluator:\n{version}");
    let sum = cmd!(sh, "{server} --ephemeral run").arg(r#"{"add":[1,2]}"#).read()?;
    ensure!(sum == "3", "1 + 2 is {sum}");
    Ok(())
}

/// The workspace's settings for dependencies: with these they need not be built again.
fn profile(sh: &Shell) -> Result<String> {
    let manifest = sh.read_file(root().join("Cargo.toml"))?;
    let (_, settings) = manifest.split_once("\n[profile.dev]").context("[profile.dev]")?;
    let (settings, _) = settings.split_once("\n[profile.release]").context("[profile.release]")?;
    Ok(format!("[profile.dev]{settings}"))
}
