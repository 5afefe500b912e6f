//! Servers that others have written, from their registries. Where they cannot be installed the test
//! says so and ends.

use super::registry_servers::{node, python};
use super::shop::{Running, Shop};
use anyhow::{Result, ensure};
use serde_json::json;
use std::fs;

#[test]
#[ignore = "needs npm or PyPI"]
fn servers_from_npm_are_called() -> Result<()> {
    let Some(folder) = node()? else { return Ok(()) };
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

#[test]
#[ignore = "needs npm or PyPI"]
fn a_server_from_pypi_is_called() -> Result<()> {
    let Some(python) = python()? else { return Ok(()) };
    let args = ["-m", "mcp_server_time", "--local-timezone", "UTC"];
    let time = json!({"command": python, "args": args, "grants": "read", "effects": {"*": "read"}});
    let shop = Shop::new(&json!({"mcpServers": {"time": time}}))?;
    let mut running = Running::start(&shop, &["serve"])?;
    let code = "[\"Asia/Tokyo\", \"Asia/Kolkata\"]
        .map(to => call(\"time.convert_time\", {source_timezone: \"UTC\", time: \"12:00\", target_timezone: to}))
        .map(r => r.time_difference)";
    let told = running.call("run", &json!({ "code": code }))?;
    ensure!(told["value"] == json!(["+9.0h", "+5.5h"]), "{told}");
    Ok(())
}
