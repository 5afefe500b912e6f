//! `cargo x package`: the crates as they are published. Cargo builds each from its archive alone, with
//! the other archives for a registry, and the server that comes of it is tried.

use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use pif_sandbox::{ANALYST, ANALYST_HASH, COMPONENT, HASH};
use pif_tests::server::binary::target;
use wit_component::DecodedWasm;
use wit_parser::Resolve;
use xshell::{Shell, cmd};

use crate::tasks::{root, shell};

/// The crates that are published, each after those that it builds on, with their folders.
const CRATES: [(&str, &str); 17] = [
    ("pif-core", "guest/core"),
    ("pif-language", "guest/language"),
    ("pif-proof", "guest/proof"),
    ("pif-notation", "guest/notation"),
    ("pif", "guest"),
    ("pif-analysis", "guest/analysis"),
    ("pif-domain", "host/domain"),
    ("pif-schema", "host/schema"),
    ("pif-system", "host/system"),
    ("pif-database", "host/database"),
    ("pif-sandbox", "host/sandbox"),
    ("pif-receipt", "host/receipt"),
    ("pif-store", "host/store"),
    ("pif-postgres", "host/postgres"),
    ("pif-broker", "host/broker"),
    ("pif-server", "host/server"),
    ("mcp-pif", "host"),
];

/// What lies outside the sandbox's folder and is put into its package: the components, contract, reference.
const PREBUILT: &str = "host/sandbox/prebuilt";

/// Packages, builds and tries the crates.
pub(crate) fn run() -> Result<()> {
    let sh = shell()?;
    encode_contract(&sh)?;
    let packaged = prepare(&sh).and_then(|()| package(&sh));
    sh.remove_path(PREBUILT)?;
    for (_, folder) in CRATES {
        sh.remove_path(format!("{folder}/LICENSE"))?;
    }
    packaged?;
    try_out(&sh)
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

/// Puts into the folders of the crates what they need without a checkout.
fn prepare(sh: &Shell) -> Result<()> {
    sh.create_dir(format!("{PREBUILT}/wit"))?;
    sh.write_file(format!("{PREBUILT}/evaluator.wasm"), COMPONENT)?;
    sh.write_file(format!("{PREBUILT}/analyst.wasm"), ANALYST)?;
    sh.copy_file("guest/LANGUAGE.md", format!("{PREBUILT}/LANGUAGE.md"))?;
    for file in sh.read_dir("wit")? {
        sh.copy_file(file, format!("{PREBUILT}/wit"))?;
    }
    for (_, folder) in CRATES {
        sh.copy_file("LICENSE", folder)?;
    }
    Ok(())
}

/// Makes the archives, and builds each of them.
fn package(sh: &Shell) -> Result<()> {
    let names = CRATES.iter().flat_map(|(name, _)| ["--package", name]);
    cmd!(sh, "cargo package --quiet --allow-dirty {names...}").run()?;
    for (name, _) in CRATES {
        let path = archive(name)?;
        println!("{} ({} bytes)", path.display(), fs::metadata(&path)?.len());
    }
    Ok(())
}

fn archive(name: &str) -> Result<PathBuf> {
    Ok(target()?.join("package").join(format!("{name}-{}.crate", env!("CARGO_PKG_VERSION"))))
}

/// Runs the server that cargo built from the archive of the binary.
fn try_out(sh: &Shell) -> Result<()> {
    let server = target()?.join("package/target/debug").join(format!("mcp-pif{EXE_SUFFIX}"));
    let version = cmd!(sh, "{server} --version").read()?;
    ensure!(version.contains(HASH), "the package has another evaluator:\n{version}");
    ensure!(version.contains(ANALYST_HASH), "the package has another analyst:\n{version}");
    let kind = cmd!(sh, "{server} --ephemeral check").arg("x => x * 2").read()?;
    ensure!(kind.contains("(x: number) => number"), "no type is told:\n{kind}");
    let sum = cmd!(sh, "{server} --ephemeral run").arg(r#"{"add":[1,2]}"#).read()?;
    ensure!(sum == "3", "1 + 2 is {sum}");
    Ok(())
}
