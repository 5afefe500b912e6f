//! A disk without room, and one that was made read-only. Both need a file system of their own,
//! which takes the rights of root; where those are missing, a limit on the size of files stands in
//! for the full disk.

use super::obstacle::{ensure_refused, ensure_served, entries, refusal, serve};
use super::store::{adder, open};
use crate::binary;
use crate::client::{call, initialize, request};
use crate::folder::{Folder, cache};
use anyhow::{Context, Result, ensure};
use serde_json::json;
use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A small disk, in memory.
struct Disk(Folder);

impl Disk {
    /// None where we may not make one, which is told.
    fn mount() -> Result<Option<Self>> {
        let folder = Folder::new()?;
        let disk = Self(folder);
        if disk.run("mount", &["-t", "tmpfs", "-o", "size=1m", "tmpfs"]) {
            return Ok(Some(disk));
        }
        pif_tests::skip("no disk can be mounted here")?;
        Ok(None)
    }

    fn run(&self, program: &str, arguments: &[&str]) -> bool {
        let mut command = Command::new(program);
        command.args(arguments).arg(self.0.path()).stderr(Stdio::null());
        // Not every system has the program.
        command.status().is_ok_and(|status| status.success())
    }

    fn data(&self) -> PathBuf {
        self.0.path().join("data")
    }

    /// Leaves no room.
    fn fill(&self) -> Result<()> {
        let mut ballast = File::create(self.0.path().join("ballast"))?;
        while ballast.write_all(&[1; 4_096]).is_ok() {}
        Ok(())
    }

    fn empty(&self) -> Result<()> {
        fs::remove_file(self.0.path().join("ballast")).context("the ballast")
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // It may be busy for a moment; then it is gone when nobody uses it any more.
        self.run("umount", &["-l"]);
    }
}

#[test]
#[ignore = "needs a disk that can be mounted"]
fn a_full_disk_is_told_and_loses_nothing() -> Result<()> {
    let Some(disk) = Disk::mount()? else { return Ok(()) };
    let mut client = serve(&disk.data())?;
    for n in 0..3 {
        client.evolve(&format!("kept_{n}"), "Adds", &adder(n))?;
        client.text("run", &json!({"tool": format!("kept_{n}"), "data": 1}))?;
    }
    let before = entries(&mut client)?;
    disk.fill()?;
    // Again and again: each attempt may use up what the one before has left.
    for _ in 0..5 {
        ensure_refused(&mut client, "the disk is full")?;
    }
    ensure!(entries(&mut client)? == before, "something was written that was refused");
    ensure!(client.text("list", &json!({}))?.contains("kept_2"), "the tools are not listed");
    disk.empty()?;
    ensure_served(&mut client)?;
    // Its end would bring the log into the file, for which there is no room either.
    disk.fill()?;
    let ending = client.finish()?;
    ensure!(ending.status.success(), "{ending:?}");
    // Where nothing can be made a new store is refused; one that is there can be read at least.
    let told = refusal(&disk.0.path().join("other"))?;
    ensure!(told.contains("other") && told.contains("full"), "{told}");
    disk.empty()?;
    let shop = open(&disk.data())?;
    ensure!(shop.journal.verify()?.count() == before + 2, "entries are missing");
    ensure!(shop.registry.snapshot()?.count()? == 4, "tools are missing");
    Ok(())
}

#[test]
#[ignore = "needs a disk that can be mounted"]
fn a_read_only_disk_is_named() -> Result<()> {
    let Some(disk) = Disk::mount()? else { return Ok(()) };
    ensure_served(&mut serve(&disk.data())?)?;
    // Both a store that is there and one that is to be made.
    for data in [disk.data(), disk.0.path().join("other")] {
        ensure!(disk.run("mount", &["-o", "remount,ro"]), "the disk stays writable");
        let told = refusal(&data)?;
        ensure!(told.contains(&data.display().to_string()), "{told}");
        ensure!(told.contains("--data DIR"), "{told}");
        ensure!(disk.run("mount", &["-o", "remount,rw"]), "the disk stays read-only");
    }
    ensure_served(&mut serve(&disk.data())?)
}

/// A limit on the size of files, which the shell sets and the server inherits.
#[test]
#[ignore = "needs a disk that can be mounted"]
fn a_limit_on_files_is_told_and_loses_nothing() -> Result<()> {
    let folder = Folder::new()?;
    let data = folder.path().join("data");
    ensure_served(&mut serve(&data)?)?;
    let script = "trap '' XFSZ; ulimit -f 1200; exec \"$0\" \"$@\"";
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).arg(binary::path()?).arg("--data").arg(&data);
    shell.env_clear().env("MCP_PIF_CACHE", cache());
    let mut messages = vec![request(&json!("hello"), "initialize", &initialize())];
    for n in 0..60 {
        let tool = json!({"name": format!("tool_{n}"), "description": "Adds", "code": adder(n)});
        messages.push(call(&json!(n), "evolve", &tool.to_string()));
    }
    let messages = messages.join("\n") + "\n";
    let mut child =
        shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    child.stdin.take().context("no input")?.write_all(messages.as_bytes())?;
    let output = child.wait_with_output()?;
    let lines = String::from_utf8(output.stdout)?;
    let (mut made, mut refused) = (Vec::new(), 0);
    for line in lines.lines() {
        let answer: serde_json::Value = serde_json::from_str(line)?;
        let content = &answer["result"]["structuredContent"];
        match (answer["id"].as_u64(), content["status"].as_str()) {
            (Some(n), Some(_)) => made.push(n),
            (Some(_), None) => {
                ensure!(content["code"] == "storage", "{line}");
                refused += 1;
            }
            _ => {}
        }
    }
    println!("{} made, {refused} refused by the limit", made.len());
    ensure!(!made.is_empty() && refused > 0, "{lines}");
    let shop = open(&data)?;
    let tools = shop.registry.snapshot()?;
    for n in made {
        ensure!(tools.find(&format!("tool_{n}"))?.is_some(), "tool_{n} is lost");
    }
    Ok(())
}
