//! What the server is packed into, and what its binary carries: versions and names agree, entries
//! are as their readers want them, scripts and pages are read without complaint.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use pif_sandbox::{ANALYST, ANALYST_HASH, COMPONENT, HASH, Sandbox};
use pif_tests::server::binary;
use pif_tests::{embedding, registry_entry};
use serde_json::{Value, json};

fn read(name: &str) -> Result<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../host/package").join(name);
    fs::read_to_string(&path).with_context(|| path.display().to_string())
}

fn read_json(name: &str) -> Result<Value> {
    serde_json::from_str(&read(name)?).with_context(|| name.to_owned())
}

/// What the server's binary writes to standard output.
fn print(arguments: &[&str], input: &str) -> Result<Vec<u8>> {
    let mut command = Command::new(binary::path()?);
    command.args(arguments).env("MCP_PIF_EPHEMERAL", "1");
    pipe(&mut command, input.as_bytes()).with_context(|| format!("{arguments:?}"))
}

fn pipe(command: &mut Command, input: &[u8]) -> Result<Vec<u8>> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let mut stdin = child.stdin.take().context("no input")?;
    let input = input.to_owned();
    let writing = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output()?;
    let complaints = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success() && complaints.is_empty(), "{}: {complaints}", output.status);
    // A command that does not read its input may be gone before it is written.
    let _ = writing.join();
    Ok(output.stdout)
}

fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

#[test]
fn all_packages_have_the_version_of_the_server() -> Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    for name in ["manifest.json", "server.json", "npm/package.json"] {
        assert_eq!(read_json(name)?["version"], version, "{name}");
    }
    let entry = read_json("server.json")?;
    let image = entry["packages"][0]["identifier"].as_str().context("an image")?;
    ensure!(image.ends_with(&format!(":{version}")), "{image}");
    Ok(())
}

#[test]
fn the_registry_takes_the_entry() -> Result<()> {
    registry_entry::check(&read_json("server.json")?)
}

/// The rules are worth something only if they refuse what the registry refuses.
#[test]
fn the_registry_refuses_what_is_spoiled() -> Result<()> {
    type Spoil = fn(&mut Value);
    let spoils: [(&str, Spoil); 10] = [
        ("name", |it| it["name"] = json!("mcp-pif")),
        ("two slashes", |it| it["name"] = json!("io.github.a/b/c")),
        ("description", |it| it["description"] = json!("x".repeat(101))),
        ("no version", |it| it["version"] = Value::Null),
        ("range", |it| it["version"] = json!("^0.1.0")),
        ("schema", |it| it["$schema"] = json!("https://example.org/schema.json")),
        ("no transport", |it| it["packages"][0]["transport"] = Value::Null),
        ("latest", |it| it["packages"][0]["identifier"] = json!("ghcr.io/a/b:latest")),
        ("misspelled", |it| it["packages"][0]["runtime_hint"] = json!("docker")),
        ("unknown variable", |it| {
            it["packages"][0]["runtimeArguments"][2]["value"] = json!("src={place}");
        }),
    ];
    for (name, spoil) in spoils {
        let mut entry = read_json("server.json")?;
        spoil(&mut entry);
        ensure!(registry_entry::check(&entry).is_err(), "{name} is not refused: {entry}");
    }
    Ok(())
}

/// The registry finds out by the label that the image is ours.
#[test]
fn the_image_is_that_of_the_entry() -> Result<()> {
    let (file, entry) = (read("Dockerfile")?, read_json("server.json")?);
    let label = format!("io.modelcontextprotocol.server.name={}", entry["name"]);
    ensure!(file.contains(&label), "the image has no {label}");
    let user = file.lines().filter_map(|line| line.strip_prefix("USER ")).next_back();
    let user = user.and_then(|user| user.split(':').next()).context("no user")?;
    ensure!(user.parse::<u32>().is_ok_and(|id| id > 0), "{user} has rights, or no number");
    ensure!(file.contains("\nFROM scratch\n"), "there is more in the image than the server");
    Ok(())
}

#[test]
fn the_bundle_names_the_tools_that_the_server_lists() -> Result<()> {
    let client = json!({"name": "packaging", "version": "1"});
    let begin = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    let lines = [
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": begin}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
    ];
    let input = lines.map(|line| line.to_string()).join("\n") + "\n";
    let output = String::from_utf8(print(&[], &input)?)?;
    let answers = output.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let list = answers.into_iter().find(|answer| answer["id"] == 1).context("no list")?;
    let names = |tools: &Value| -> Result<Vec<String>> {
        let tools = tools.as_array().context("no tools")?;
        Ok(tools.iter().map(|tool| tool["name"].to_string()).collect())
    };
    assert_eq!(names(&read_json("manifest.json")?["tools"])?, names(&list["result"]["tools"])?);
    Ok(())
}

#[test]
fn the_binary_carries_the_components_and_tells_their_hashes() -> Result<()> {
    assert_eq!(embedding::sha256(COMPONENT), HASH);
    assert_eq!(embedding::sha256(ANALYST), ANALYST_HASH);
    assert_eq!(Sandbox::open(None, 1)?.hash(), HASH);
    ensure!(print(&["component"], "")? == COMPONENT, "the component is not written as it is");
    ensure!(print(&["component", "--analyst"], "")? == ANALYST, "the analyst is not as it is");
    let version = String::from_utf8(print(&["--version"], "")?)?;
    let hashes = format!("evaluator {HASH}\nanalyst {ANALYST_HASH}");
    assert_eq!(version, format!("mcp-pif {}\n{hashes}\n", env!("CARGO_PKG_VERSION")));
    Ok(())
}

#[test]
fn the_component_goes_to_a_file() -> Result<()> {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packaging.wasm");
    let path = file.to_str().context("a path in UTF-8")?;
    let said = String::from_utf8(print(&["component", path], "")?)?;
    assert_eq!(said, format!("{path}\n{} bytes\nsha256 {HASH}\n", COMPONENT.len()));
    ensure!(fs::read(&file)? == COMPONENT, "the file holds something else");
    Ok(fs::remove_file(file)?)
}

#[test]
fn shells_read_their_completions() -> Result<()> {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = print(&["completions", shell], "")?;
        let text = String::from_utf8_lossy(&script);
        for word in ["journal", "--fuel-ceiling", "completions"] {
            let is_there = text.contains(word) || text.contains(word.trim_start_matches('-'));
            ensure!(is_there, "{shell} does not complete {word}");
        }
        if shell != "powershell" && is_installed(shell) {
            let flag = if shell == "elvish" { "-compileonly" } else { "-n" };
            let mut check = Command::new(shell);
            pipe(check.arg(flag).arg("/dev/stdin"), &script).context(shell)?;
        }
    }
    Ok(())
}

/// Completing in bash, as pressing the key does.
#[test]
fn bash_completes_commands() -> Result<()> {
    if !is_installed("bash") {
        return Ok(());
    }
    let mut script = print(&["completions", "bash"], "")?;
    script.extend(b"\nCOMP_WORDS=(mcp-pif jour) COMP_CWORD=1\n_mcp__pif mcp-pif jour mcp-pif\n");
    script.extend(b"echo \"${COMPREPLY[@]}\"\n");
    let said = pipe(&mut Command::new("bash"), &script)?;
    assert_eq!(String::from_utf8_lossy(&said), "journal\n");
    Ok(())
}

#[test]
fn the_manual_is_read_without_complaint() -> Result<()> {
    for (arguments, name) in [(&["man"][..], "mcp-pif"), (&["man", "replay"], "mcp-pif-replay")] {
        let page = print(arguments, "")?;
        let text = String::from_utf8_lossy(&page);
        ensure!(text.contains(&format!(".TH {}", name.to_uppercase())), "{text}");
        if is_installed("groff") {
            let mut groff = Command::new("groff");
            let shown = pipe(groff.args(["-Kutf8", "-man", "-Tutf8", "-P-cbu", "-wall"]), &page)?;
            let shown = String::from_utf8_lossy(&shown);
            ensure!(shown.contains("SYNOPSIS") && shown.contains("wall-clock"), "{shown}");
        }
    }
    Ok(())
}
