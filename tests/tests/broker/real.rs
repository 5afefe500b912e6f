//! Servers that others have written, from their registries. Where they cannot be installed the test
//! says so and ends.

use super::shop::Shop;
use anyhow::{Result, ensure};
use pif_tests::server::folder::scratch;
use serde_json::json;
use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};

const PACKAGES: [&str; 3] = [
    "@modelcontextprotocol/server-everything",
    "@modelcontextprotocol/server-filesystem",
    "@modelcontextprotocol/server-memory",
];

/// The folder with the packages of npm; None: they cannot be installed.
fn packages() -> Result<Option<PathBuf>> {
    let folder = scratch()?.join("upstreams");
    let done = folder.join("done");
    if !done.exists() {
        fs::create_dir_all(&folder)?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--prefix"]).arg(&folder).args(PACKAGES);
        let status = npm.stdout(Stdio::null()).stderr(Stdio::null()).status();
        if !status.is_ok_and(|it| it.success()) {
            return Ok(None);
        }
        fs::write(done, "")?;
    }
    Ok(Some(folder.join("node_modules/.bin")))
}

#[test]
fn servers_from_npm_are_called() -> Result<()> {
    let Some(folder) = packages()? else {
        writeln!(io::stderr(), "skipped: npm cannot install {PACKAGES:?}")?;
        return Ok(());
    };
    let shop = Shop::new(&json!({"mcpServers": {}}))?;
    fs::create_dir(shop.file("shared"))?;
    fs::write(shop.file("shared").join("a.txt"), "hello")?;
    let command = |name: &str| folder.join(name).display().to_string();
    shop.write(&json!({"mcpServers": {
        "everything": {"command": command("mcp-server-everything"), "grants": "allow"},
        "files": {"command": command("mcp-server-filesystem"), "args": [shop.file("shared")], "grants": "read"},
        "memory": {"command": command("mcp-server-memory"), "grants": "allow",
            "env": {"MEMORY_FILE_PATH": shop.file("memory.json").display().to_string()}},
    }}))?;
    let listed = shop.say(&["capability", "list"])?;
    for tool in ["everything.echo(", "files.read_text_file(", "memory.create_entities("] {
        ensure!(listed.output.contains(tool), "{tool}: {listed:?}");
    }
    let echoed = shop.value("everything.echo", r#"{"message":"hi"}"#)?;
    ensure!(echoed.contains("hi"), "{echoed}");
    let path = shop.file("shared").join("a.txt").display().to_string();
    let read = shop.value("files.read_text_file", &json!({"path": path}).to_string())?;
    ensure!(read.contains("hello"), "{read}");
    let told =
        shop.complaint("files.write_file", &json!({"path": path, "content": "x"}).to_string())?;
    ensure!(told.starts_with("capability-denied"), "{told}");
    let entities =
        json!({"entities": [{"name": "Ada", "entityType": "person", "observations": ["counts"]}]});
    let made = shop.value("memory.create_entities", &entities.to_string())?;
    ensure!(made.contains("Ada"), "{made}");
    Ok(())
}
