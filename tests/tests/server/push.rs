//! `mcp-pif traces push`: what arrives at a collector, and that nothing is lost or sent twice.

use super::client::{self, Client};
use super::collector::{Collector, Does, TAKEN};
use super::folder::Folder;
use anyhow::{Context, Result, ensure};
use serde_json::json;
use std::fs;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

const TOKEN: &str = "collector-token-4711";

/// Makes so many calls on a server that writes traces.
fn call(folder: &Folder, calls: usize) -> Result<()> {
    let directory = folder.path().to_str().context("UTF-8")?;
    let mut client = Client::legacy_with(&["--trace-dir", directory])?;
    for n in 0..calls {
        client.text("run", &json!({"code": format!("{n} + 1")}))?;
    }
    ensure!(client.finish()?.status.success());
    Ok(())
}

fn command(folder: &Folder, collector: &Collector) -> Result<Command> {
    let mut command = client::command(folder)?;
    command.arg("--trace-dir").arg(folder.path());
    command.args(["traces", "push", "--otlp", &collector.address]);
    Ok(command)
}

fn push(folder: &Folder, collector: &Collector) -> Result<Output> {
    Ok(command(folder, collector)?.output()?)
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn complained(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn each_trace_is_sent_once_with_its_headers() -> Result<()> {
    let (folder, collector) = (Folder::new()?, Collector::new()?);
    call(&folder, 3)?;
    let token = folder.path().join("token");
    fs::write(&token, format!("Bearer {TOKEN}\n"))?;
    let mut command = command(&folder, &collector)?;
    command.arg("--header").arg(format!("Authorization: @{}", token.display()));
    let output = command.args(["--header", "X-Team: pif"]).output()?;
    ensure!(output.status.success() && said(&output) == "sent 3 calls", "{output:?}");
    ensure!(collector.calls()?.len() == 3 && collector.requests().len() == 1);
    let request = collector.requests().pop().context("a request")?;
    let head = request.head.to_ascii_lowercase();
    ensure!(head.starts_with("post /v1/traces http/1.1\r\n"), "{head}");
    ensure!(head.contains("\r\ncontent-type: application/json\r\n"), "{head}");
    ensure!(head.contains("\r\nx-team: pif\r\n"), "{head}");
    ensure!(head.contains(&format!("\r\nauthorization: bearer {TOKEN}\r\n")), "{head}");
    // What was sent is not sent again; what comes is.
    ensure!(said(&push(&folder, &collector)?) == "sent 0 calls");
    ensure!(collector.requests().len() == 1);
    call(&folder, 2)?;
    ensure!(said(&push(&folder, &collector)?) == "sent 2 calls");
    ensure!(collector.calls()?.len() == 5);
    Ok(())
}

#[test]
fn what_a_collector_does_not_get_waits_in_the_files() -> Result<()> {
    let folder = Folder::new()?;
    call(&folder, 1)?;
    let away = Collector::new()?;
    let moved = format!(
        "307 Temporary Redirect\r\nlocation: {}\r\ncontent-length: 0\r\n\r\n",
        away.address
    );
    let moved: &'static [&'static str] = vec![&*moved.leak()].leak();
    for (does, why) in [
        (Does::Answers(&["500 Oops\r\ncontent-length: 0\r\n\r\n"]), "answers 500"),
        // The longest pause is half a minute: nobody waits for this one.
        (
            Does::Answers(&["503 Later\r\nretry-after: 3600\r\ncontent-length: 0\r\n\r\n"]),
            "answers 503",
        ),
        (Does::Answers(&["401 Who\r\ncontent-length: 0\r\n\r\n"]), "answers 401"),
        (Does::Answers(&["nonsense\r\n\r\n"]), "cannot be reached"),
        (Does::Answers(moved), "answers 307"),
        (Does::Closes, "cannot be reached"),
    ] {
        let collector = Collector::start(does)?;
        let output = push(&folder, &collector)?;
        ensure!(!output.status.success() && complained(&output).contains(why), "{output:?}");
        ensure!(collector.requests().len() == 1, "{why}");
    }
    ensure!(away.connections() == 0);
    let collector = Collector::new()?;
    ensure!(said(&push(&folder, &collector)?) == "sent 1 calls");
    Ok(())
}

#[test]
fn a_collector_that_is_busy_is_asked_again() -> Result<()> {
    const LATER: &str = "503 Later\r\nretry-after: 1\r\ncontent-length: 0\r\n\r\n";
    let folder = Folder::new()?;
    call(&folder, 1)?;
    let collector = Collector::start(Does::Answers(&[LATER, TAKEN]))?;
    ensure!(said(&push(&folder, &collector)?) == "sent 1 calls");
    let requests = collector.requests();
    ensure!(requests.len() == 2 && requests[0].body == requests[1].body, "{}", requests.len());
    Ok(())
}

#[test]
fn what_a_collector_rejects_is_told_and_passed_over() -> Result<()> {
    const PART: &str = "200 OK\r\ncontent-length: 65\r\n\r\n\
        {\"partialSuccess\":{\"rejectedSpans\":\"3\",\"errorMessage\":\"no room\"}}";
    for (answer, why, sent) in [
        (PART, "it rejects 3 spans: no room", "sent 1 calls"),
        ("400 Bad Request\r\ncontent-length: 0\r\n\r\n", "it answers 400", "sent 0 calls"),
    ] {
        let folder = Folder::new()?;
        call(&folder, 1)?;
        let collector = Collector::start(Does::Answers(vec![answer].leak()))?;
        let output = push(&folder, &collector)?;
        ensure!(output.status.success() && complained(&output).contains(why), "{output:?}");
        ensure!(said(&output) == sent, "{output:?}");
        // It is not sent again.
        ensure!(said(&push(&folder, &collector)?) == "sent 0 calls");
        ensure!(collector.requests().len() == 1);
    }
    Ok(())
}

#[test]
fn traces_go_on_to_be_sent_at_an_interval() -> Result<()> {
    let (folder, collector) = (Folder::new()?, Collector::new()?);
    call(&folder, 1)?;
    let mut pushing = command(&folder, &collector)?.args(["--every", "100ms"]).spawn()?;
    let wait = |calls: usize| -> Result<bool> {
        let start = Instant::now();
        while collector.calls()?.len() < calls && start.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(collector.calls()?.len() == calls)
    };
    let first = wait(1);
    // Nobody else sends meanwhile.
    let other = push(&folder, &collector);
    let second = call(&folder, 1).and_then(|()| wait(2));
    pushing.kill()?;
    pushing.wait()?;
    ensure!(first? && second?);
    let other = other?;
    ensure!(complained(&other).contains("another process sends the traces"), "{other:?}");
    Ok(())
}
