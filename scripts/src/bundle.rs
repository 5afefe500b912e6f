//! `cargo x bundle`: the server as an MCP bundle, which desktop clients install by a click. It is
//! validated, packed, unpacked, started as a client would start it, and asked to do something.

use anyhow::{Context, Result, ensure};
use pif_tests::registry_entry;
use pif_tests::server::binary;
use pif_tests::server::client::text;
use pif_tests::server::pipe::Pipe;
use serde_json::{Value, json};
use std::env::consts;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use xshell::cmd;

use crate::{archive, npm, tasks};

/// Prints how a client has to start the server of an unpacked bundle; it asks the library that
/// clients use.
const RESOLVE: &str = "
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { getMcpConfigForManifest } from '@anthropic-ai/mcpb';
const folder = process.argv[1];
const manifest = JSON.parse(readFileSync(`${folder}/manifest.json`, 'utf8'));
const systemDirs = { HOME: homedir() };
const userConfig = { ephemeral: true };
console.log(JSON.stringify(await getMcpConfigForManifest(
  { manifest, extensionPath: folder, systemDirs, userConfig, pathSeparator: '/' })));
";

/// Makes the bundle and tries it.
pub(crate) fn run() -> Result<()> {
    let sh = tasks::shell()?;
    let server = binary::for_release()?;
    let home = binary::target()?.join("bundle");
    sh.remove_path(&home)?;
    let content = home.join("content");
    let unpacked = home.join("unpacked");
    fill(&content, &server)?;
    let bundle = home.join(name("mcpb"));
    let mcpb = npm::tool("mcpb")?;
    sh.change_dir(&content);
    cmd!(sh, "{mcpb} validate manifest.json").run()?;
    cmd!(sh, "{mcpb} pack {content} {bundle}").run()?;
    // What the format was called before; some clients still look for that name.
    sh.copy_file(&bundle, home.join(name("dxt")))?;
    cmd!(sh, "{mcpb} unpack {bundle} {unpacked}").run()?;
    try_out(&unpacked)?;
    enter(&home, &bundle)?;
    for made in [bundle, archive::pack(&home, &server)?] {
        println!("{} ({} bytes)", made.display(), fs::metadata(&made)?.len());
    }
    Ok(())
}

fn name(extension: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!("mcp-pif-{version}-{}-{}.{extension}", consts::OS, consts::ARCH)
}

/// What goes into the bundle. It holds one platform's server and says so.
fn fill(content: &Path, server: &Path) -> Result<()> {
    let sources = tasks::root();
    fs::create_dir_all(content.join("server"))?;
    let binary = format!("mcp-pif{}", consts::EXE_SUFFIX);
    fs::copy(server, content.join("server").join(&binary))?;
    fs::copy(sources.join("LICENSE"), content.join("LICENSE"))?;
    fs::copy(sources.join("README.md"), content.join("README.md"))?;
    let mut manifest = read(&sources.join("host/package/manifest.json"))?;
    ensure!(manifest["version"] == env!("CARGO_PKG_VERSION"), "manifest.json: another version");
    manifest["server"]["entry_point"] = json!(format!("server/{binary}"));
    manifest["compatibility"]["platforms"] = json!([platform()]);
    Ok(fs::write(content.join("manifest.json"), serde_json::to_string_pretty(&manifest)?)?)
}

/// As the manifest calls this platform.
fn platform() -> &'static str {
    match consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    }
}

fn read(path: &Path) -> Result<Value> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    serde_json::from_str(&text).with_context(|| path.display().to_string())
}

/// Starts the server of the unpacked bundle; lists its tools and calls one.
fn try_out(unpacked: &Path) -> Result<()> {
    let sh = tasks::shell()?;
    sh.change_dir(npm::folder()?);
    let config = cmd!(sh, "node --input-type=module --eval {RESOLVE} {unpacked}").quiet().read()?;
    println!("start   {config}");
    let tools = converse(&serde_json::from_str(&config)?)?;
    let told = read(&unpacked.join("manifest.json"))?;
    let told = told["tools"].as_array().context("tools")?.iter().map(|tool| &tool["name"]);
    let told: Vec<&Value> = told.collect();
    ensure!(tools.iter().collect::<Vec<_>>() == told, "manifest.json names {told:?}: {tools:?}");
    Ok(())
}

/// The names of the tools that a server lists, if it also evaluates a term.
fn converse(config: &Value) -> Result<Vec<Value>> {
    let mut command = Command::new(config["command"].as_str().context("a command")?);
    command.args(config["args"].as_array().into_iter().flatten().filter_map(Value::as_str));
    for (name, value) in config["env"].as_object().into_iter().flatten() {
        command.env(name, value.as_str().context("a variable")?);
    }
    let mut server = Pipe::open(&mut command)?;
    println!("server  {}", server.begin()?["serverInfo"]);
    let sum = server.call("run", &json!({"code": {"add": [1, 2]}}))?;
    println!("run     {}", text(&sum)?);
    ensure!(text(&sum)? == "3", "{sum}");
    let list = server.ask("tools/list", &json!({}))?;
    server.finish()?;
    let tools = list["tools"].as_array().context("no tools")?;
    println!("tools   {}", tools.len());
    Ok(tools.iter().map(|tool| tool["name"].clone()).collect())
}

/// Writes the entry of the MCP registry, with the bundle that was just made in it.
fn enter(home: &Path, bundle: &Path) -> Result<PathBuf> {
    let mut entry = read(&tasks::root().join("host/package/server.json"))?;
    let version = env!("CARGO_PKG_VERSION");
    let releases = format!("{}/releases/download/v{version}", env!("CARGO_PKG_REPOSITORY"));
    let package = json!({
        "registryType": "mcpb",
        "identifier": format!("{releases}/{}", name("mcpb")),
        "fileSha256": pif_tests::embedding::sha256(&fs::read(bundle)?),
        "transport": {"type": "stdio"},
    });
    entry["packages"].as_array_mut().context("packages")?.insert(0, package);
    registry_entry::check(&entry)?;
    let path = home.join("server.json");
    fs::write(&path, serde_json::to_string_pretty(&entry)?)?;
    println!("{}", path.display());
    Ok(path)
}
