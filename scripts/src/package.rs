//! `cargo x package`: the crates as they are published. Each is built from its archive alone, in a
//! folder that has no workspace around it, and the server of the archive is tried.

use anyhow::{Context, Result, bail, ensure};
use mcp_pif::sandbox::{COMPONENT, HASH};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, process};

use wit_component::DecodedWasm;
use wit_parser::Resolve;

use crate::tasks::{command, root, target};

/// The workspace's settings for dependencies: with the same ones they need not be built again.
const PROFILE: [&str; 3] = [
    r#"profile.dev.debug="line-tables-only""#,
    r#"profile.dev.package."*".opt-level=2"#,
    r#"profile.dev.package."*".debug=false"#,
];

/// What is put into the folders of the crates while they are packaged.
const ADDED: [&str; 3] = ["host/prebuilt", "host/LICENSE", "guest/LICENSE"];

/// Packages, builds and tries both crates.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    ensure!(arguments.is_empty(), "`package` takes no arguments");
    encode_contract()?;
    prepare()?;
    let packaged = package();
    for added in ADDED {
        let path = root().join(added);
        if path.is_dir() { fs::remove_dir_all(path)? } else { fs::remove_file(path)? }
    }
    let place = env::temp_dir().join(format!("mcp-pif-package-{}", process::id()));
    fs::create_dir_all(&place)?;
    let tried = packaged.and_then(|archives| try_out(&archives, &place));
    fs::remove_dir_all(&place)?;
    tried?;
    // The server of the archive stands where that of the workspace belongs.
    command(env!("CARGO"), &["build", "--quiet", "--package", "mcp-pif"], &[])
}

/// The contract as one file, as registries of components take it.
fn encode_contract() -> Result<()> {
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
    fs::create_dir_all(path.parent().context("a folder")?)?;
    fs::write(&path, &bytes)?;
    println!("{} ({} bytes)", path.display(), bytes.len());
    Ok(())
}

/// The evaluator, the contract and the reference are not below `host/`: the package carries them.
fn prepare() -> Result<()> {
    let (root, prebuilt) = (root(), root().join("host/prebuilt"));
    fs::create_dir_all(prebuilt.join("wit"))?;
    fs::write(prebuilt.join("evaluator.wasm"), COMPONENT)?;
    fs::copy(root.join("guest/LANGUAGE.md"), prebuilt.join("LANGUAGE.md"))?;
    for entry in fs::read_dir(root.join("wit"))? {
        let path = entry?.path();
        fs::copy(&path, prebuilt.join("wit").join(path.file_name().context("a name")?))?;
    }
    for folder in ["host", "guest"] {
        fs::copy(root.join("LICENSE"), root.join(folder).join("LICENSE"))?;
    }
    Ok(())
}

/// The archives of the crates.
fn package() -> Result<[PathBuf; 2]> {
    let target = target()?;
    let archive = |name: &str| {
        let package = ["package", "--quiet", "--package", name, "--allow-dirty", "--no-verify"];
        command(env!("CARGO"), &package, &[])?;
        let file = format!("{name}-{}.crate", env!("CARGO_PKG_VERSION"));
        let path = target.join("package").join(file);
        println!("{} ({} bytes)", path.display(), fs::metadata(&path)?.len());
        anyhow::Ok(path)
    };
    Ok([archive("pif-guest")?, archive("mcp-pif")?])
}

fn try_out(archives: &[PathBuf; 2], place: &Path) -> Result<()> {
    let target = target()?;
    // The evaluator is a library whose file has the same name wherever it is built from: in the
    // workspace's directory it would be taken for that of the workspace.
    for (archive, target) in archives.iter().zip([&target.join("package/build"), &target]) {
        let status = Command::new("tar").arg("-xzf").arg(archive).current_dir(place).status();
        ensure!(status.context("`tar` does not start")?.success(), "{}", archive.display());
        let name = archive.file_stem().context("an archive's name")?;
        build(&place.join(name), target)?;
    }
    let server = target.join("debug").join(format!("mcp-pif{}", env::consts::EXE_SUFFIX));
    let version = print(&server, &["--version"])?;
    ensure!(version.contains(HASH), "the package has another evaluator:\n{version}");
    let sum = print(&server, &["--ephemeral", "run", r#"{"add":[1,2]}"#])?;
    ensure!(sum.trim() == "3", "1 + 2 is {sum}");
    Ok(())
}

fn build(folder: &Path, target: &Path) -> Result<()> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--locked", "--target-dir"]).arg(target);
    cargo.args(PROFILE.iter().flat_map(|setting| ["--config", setting]));
    println!("$ cargo build # in {}", folder.display());
    let status = cargo.current_dir(folder).status()?;
    ensure!(status.success(), "{} does not build", folder.display());
    Ok(())
}

fn print(program: &Path, arguments: &[&str]) -> Result<String> {
    let output = Command::new(program).args(arguments).output()?;
    let printed = String::from_utf8(output.stdout)?;
    ensure!(output.status.success(), "{} {arguments:?}: {printed}", program.display());
    println!("$ mcp-pif {}\n{}", arguments.join(" "), printed.trim_end());
    Ok(printed)
}
