//! `mcp-pif top`: the servers of a store, as text and at a terminal.

use super::client::{Client, command};
use super::folder::Folder;
use anyhow::{Context, Result, ensure};
use pif_tests::server::terminal::Terminal;
use serde_json::json;
use std::fs::{self, File};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long something is waited for.
const PATIENCE: Duration = Duration::from_secs(20);

fn server(data: &Folder) -> Result<Client> {
    let mut client = Client::of(command(data)?.arg("--data").arg(data.path()))?;
    client.initialize()?;
    Ok(client)
}

/// One frame.
fn once(data: &Path, home: &Folder) -> Result<String> {
    let mut command = command(home)?;
    let output = command.arg("top").arg("--once").arg("--data").arg(data).output()?;
    ensure!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    Ok(String::from_utf8(output.stdout)?)
}

/// The first frame that shows a text.
fn frame(data: &Folder, text: &str) -> Result<String> {
    let start = Instant::now();
    loop {
        let shown = once(data.path(), data)?;
        if shown.contains(text) {
            return Ok(shown);
        }
        ensure!(start.elapsed() < PATIENCE, "no {text:?} in {shown}");
        sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_frame_shows_the_servers_that_live() -> Result<()> {
    let data = Folder::new()?;
    ensure!(once(data.path(), &data)?.contains("no server of this store runs"));
    let (mut one, mut other) = (server(&data)?, server(&data)?);
    one.evolve("double", "Doubles", &json!("x => x * 2"))?;
    for n in 0..4 {
        one.text("double", &json!({ "data": n }))?;
    }
    other.fault("run", &json!({"code": "1 / 0"}))?;
    let shown = frame(&data, "divide-by-zero")?;
    let shown = if shown.contains("double") { shown } else { frame(&data, "double")? };
    ensure!(shown.contains("2 servers"), "{shown}");
    let line = |words: &[&str]| {
        let is_it =
            |line: &&str| line.split_whitespace().take(words.len()).eq(words.iter().copied());
        shown.lines().find(is_it).with_context(|| format!("no {words:?} in {shown}"))
    };
    line(&["double", "4", "0"])?;
    line(&["run", "1", "1"])?;
    line(&["divide-by-zero", "run"])?;
    line(&[&one.process().to_string()])?;
    // The end of one removes it; the other one is killed and leaves its file.
    ensure!(one.finish()?.status.success());
    let shown = once(data.path(), &data)?;
    ensure!(shown.contains("1 server") && !shown.contains("double"), "{shown}");
    drop(other);
    let left = data.path().join("servers");
    ensure!(fs::read_dir(&left)?.count() == 2, "nothing is left");
    ensure!(once(data.path(), &data)?.contains("no server of this store runs"));
    // The next one sweeps up.
    let again = server(&data)?;
    frame(&data, "1 server")?;
    ensure!(fs::read_dir(&left)?.count() == 2, "it is not swept up");
    ensure!(again.finish()?.status.success());
    ensure!(!left.exists(), "the folder is left");
    Ok(())
}

/// What a terminal would obey never reaches it, whoever has written the file.
#[test]
fn names_cannot_steer_the_terminal() -> Result<()> {
    let data = Folder::new()?;
    let mut client = server(&data)?;
    client.fault("run", &json!({"code": "1 / 0"}))?;
    frame(&data, "divide-by-zero")?;
    let path = data.path().join(format!("servers/{}.json", client.process()));
    let snapshot = fs::read_to_string(&path)?;
    let lock = File::create(data.path().join("servers/1.lock"))?;
    lock.lock()?;
    let evil = "\\u001b[2J\\u202eevil";
    fs::write(data.path().join("servers/1.json"), snapshot.replace("divide-by-zero", evil))?;
    let shown = frame(&data, "evil")?;
    ensure!(shown.contains("\\u001b[2J"), "{shown}");
    ensure!(!shown.contains('\u{1b}') && !shown.contains('\u{202e}'), "{shown:?}");
    // A file that is none is passed over.
    fs::write(data.path().join("servers/1.json"), "{\"version\":")?;
    ensure!(once(data.path(), &data)?.contains("1 server"));
    drop(lock);
    Ok(())
}

#[test]
fn the_view_follows_at_a_terminal() -> Result<()> {
    let data = Folder::new()?;
    let mut client = server(&data)?;
    client.text("run", &json!({"code": "1"}))?;
    for (keys, variables) in [("q", &[][..]), ("\u{3}", &[("NO_COLOR", "1")][..])] {
        let Some(mut terminal) = Terminal::run(data.path(), variables, "top")? else {
            pif_tests::skip("`script` of util-linux is not there")?;
            return Ok(());
        };
        terminal.expect("1 server")?;
        client.fault("run", &json!({"code": "1 / 0"}))?;
        terminal.expect("divide-by-zero")?;
        let seen = terminal.end_by(keys)?;
        // The screen from before is there again.
        ensure!(seen.contains("\u{1b}[?1049h") && seen.contains("\u{1b}[?1049l"), "{seen:?}");
        let has_color = seen.contains("\u{1b}[38;5;");
        ensure!(has_color == variables.is_empty(), "{seen:?}");
    }
    Ok(())
}

#[test]
fn there_is_nothing_to_show_without_a_store() -> Result<()> {
    let home = Folder::new()?;
    let output = command(&home)?.args(["--ephemeral", "top", "--once"]).output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(!output.status.success() && said.contains("leave out --ephemeral"), "{said}");
    Ok(())
}
