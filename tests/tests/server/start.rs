//! Starts that are not like others: with nothing compiled yet, many at once, where nothing can be
//! kept, and with little address space.

use super::binary;
use super::client::{Client, Ending, call};
use super::folder::{Folder, cache};
use anyhow::{Context, Result, ensure};
use serde_json::json;
use std::fs;
use std::process::{Command, Output};

const SUM: &str = r#"{"code":{"add":[40,2]}}"#;

fn path(folder: &Folder) -> Result<&str> {
    folder.path().to_str().context("UTF-8")
}

/// The files of a cache.
fn files(folder: &Folder) -> Result<usize> {
    Ok(fs::read_dir(folder.path())?.count())
}

#[test]
#[ignore = "long"]
fn what_runs_nothing_is_answered_before_the_evaluator_is_compiled() -> Result<()> {
    let folder = Folder::new()?;
    let mut client = Client::start(&["--cache", path(&folder)?])?;
    client.initialize()?;
    let run = json!("run");
    client.send(call(&run, "run", SUM))?;
    client.request("tools/list", &json!({}))?;
    client.text("help", &json!({"form": "fold"}))?;
    client.text("memory_store", &json!({"key": "k", "value": 1}))?;
    ensure!(client.try_find(|it| it["id"] == run).is_none(), "compiling takes no time");
    let answer = client.answer(&run)?;
    ensure!(answer["result"]["structuredContent"]["value"] == 42, "{answer}");
    let told = client.call("server_info", &json!({}))?["structuredContent"].clone();
    assert_eq!(told["evaluator"]["compiled"], "compiled at this start and kept");
    let ending = client.finish()?;
    ensure!(ending.status.success() && ending.errors.is_empty(), "{ending:?}");
    // One for the evaluator, one for the analyst.
    assert_eq!(files(&folder)?, 2);
    let mut next = Client::legacy_with(&["--cache", path(&folder)?])?;
    let told = next.call("server_info", &json!({}))?["structuredContent"].clone();
    assert_eq!(told["evaluator"]["compiled"], "loaded as compiled before");
    Ok(())
}

#[test]
#[ignore = "long"]
fn what_was_sent_before_the_end_of_input_is_answered_after_compiling() -> Result<()> {
    let folder = Folder::new()?;
    let mut client = Client::start(&["--cache", path(&folder)?])?;
    client.initialize()?;
    client.send(call(&json!("run"), "run", SUM))?;
    let ending = client.finish()?;
    let answer = ending.rest.first().context("no answer")?;
    ensure!(answer["result"]["structuredContent"]["value"] == 42, "{answer}");
    Ok(())
}

#[test]
#[ignore = "long"]
fn many_that_start_at_once_compile_once() -> Result<()> {
    const SERVERS: usize = 6;
    let folder = Folder::new()?;
    let start = || Client::start(&["--cache", path(&folder)?]);
    let mut clients: Vec<Client> = (0..SERVERS).map(|_| start()).collect::<Result<_>>()?;
    for client in &mut clients {
        client.initialize()?;
    }
    for client in &mut clients {
        assert_eq!(client.text("run", &json!({"code": {"add": [40, 2]}}))?, "42");
        let told = client.call("server_info", &json!({}))?["structuredContent"].clone();
        assert_eq!(told["evaluator"]["compiled"], "compiled at this start and kept");
    }
    // One for the evaluator, one for the analyst.
    assert_eq!(files(&folder)?, 2);
    Ok(())
}

#[test]
fn a_cache_that_cannot_be_written_is_told_once() -> Result<()> {
    let folder = Folder::new()?;
    let file = folder.path().join("file");
    fs::write(&file, "")?;
    let mut client = Client::start(&["--cache", file.to_str().context("UTF-8")?])?;
    client.initialize()?;
    assert_eq!(client.text("run", &json!({"code": {"add": [40, 2]}}))?, "42");
    let errors = client.finish()?.errors;
    ensure!(errors.lines().count() == 1 && errors.contains("--cache DIR"), "{errors}");
    Ok(())
}

/// A shell that allows so many KiB of addresses and then runs the server with these arguments.
#[cfg(target_os = "linux")]
fn limited(folder: &Folder, kibibytes: u64, arguments: &[&str]) -> Result<Command> {
    let mut shell = Command::new("sh");
    let script = format!("ulimit -v {kibibytes}; exec \"$0\" \"$@\"");
    shell.args(["-c", &script]).arg(binary::path()?).args(arguments);
    shell.env_clear().env("HOME", folder.path()).env("MCP_PIF_CACHE", cache());
    Ok(shell)
}

#[cfg(target_os = "linux")]
#[test]
fn little_address_space_is_enough() -> Result<()> {
    let folder = Folder::new()?;
    // It keeps a list of 300,000 integers, and then gives their number.
    let term = json!({"length": {"map": [{"lam": "x", "body": {"add": [{"var": "x"}, 1]}},
        {"range": [0, 300_000]}]}})
    .to_string();
    for arguments in [&["run", &term][..], &["--instance-memory", "512MiB", "run", &term]] {
        let Output { status, stdout, stderr } = limited(&folder, 4 << 20, arguments)?.output()?;
        let errors = String::from_utf8(stderr)?;
        ensure!(status.success(), "{status}: {errors}");
        assert_eq!(stdout, b"300000\n", "{errors}");
        ensure!(errors.lines().count() == 1 && errors.contains("address space"), "{errors}");
        ensure!(!errors.contains("mmap"), "{errors}");
    }
    Ok(())
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "long"]
fn a_server_with_little_address_space_works() -> Result<()> {
    let folder = Folder::new()?;
    // The machine may be busy.
    let more = ["--concurrency", "2", "--patience", "60s", "--wall-clock", "60s"];
    let mut client = Client::of(&mut limited(&folder, 4 << 20, &more)?)?;
    client.initialize()?;
    for id in 1..=20 {
        client.send(call(&json!(id), "run", SUM))?;
    }
    let Ending { rest, errors, .. } = client.finish()?;
    let sums = rest.iter().filter(|it| it["result"]["structuredContent"]["value"] == 42);
    assert_eq!(sums.count(), 20, "{errors}");
    Ok(())
}
