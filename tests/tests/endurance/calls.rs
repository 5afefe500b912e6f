//! What the server asks of the system, hardened as it is: that it synchronizes what it says is
//! safe before it says so, in the order that the model of power cuts takes for granted, and that
//! nothing which the store needs is refused. Seen through `strace`; without it nothing is tested,
//! and that is told.

use super::store::{FILE, adder};
use crate::binary;
use crate::client::{call, initialize, request};
use crate::folder::{Folder, cache};
use anyhow::{Context, Result, ensure};
use serde_json::json;
use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// A system call.
#[derive(Debug)]
struct Call {
    name: String,
    arguments: String,
    /// What came back: a number, and for an error its name.
    result: String,
    /// Lines of the trace on which it begins and ends.
    lines: [usize; 2],
}

impl Call {
    fn is(&self, names: &[&str], path: &str) -> bool {
        names.contains(&self.name.as_str()) && self.arguments.contains(path)
    }

    fn synchronizes(&self, path: &str) -> bool {
        self.is(&["fsync", "fdatasync"], &format!("{path}>")) && self.result.starts_with('0')
    }

    fn writes(&self, path: &str) -> bool {
        self.is(&["pwrite64", "pwritev", "ftruncate"], &format!("{path}>"))
    }
}

/// Serves lines under `strace`, as many answers as there are requests, and gives the calls.
fn trace(folder: &Folder, data: &Path, lines: &[String]) -> Result<Option<Vec<Call>>> {
    let log = folder.path().join("trace");
    let mut strace = Command::new("strace");
    strace.args(["-f", "-y", "-s", "256", "-o"]).arg(&log).arg(binary::path()?);
    strace.env_clear().env("MCP_PIF_CACHE", cache()).arg("--data").arg(data);
    if let Some(path) = std::env::var_os("PATH") {
        strace.env("PATH", path);
    }
    let piped = strace.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let Ok(mut child) = piped else {
        pif_tests::skip("there is no strace")?;
        return Ok(None);
    };
    let mut input = child.stdin.take().context("no input")?;
    let mut output = BufReader::new(child.stdout.take().context("no output")?).lines();
    for line in lines {
        // Where nothing may be traced it ends at once.
        if writeln!(input, "{line}").and_then(|()| input.flush()).is_err() {
            break;
        }
        while let Some(answer) = output.next().transpose()? {
            if answer.contains("\"result\"") {
                break;
            }
        }
    }
    drop(input);
    let ended = child.wait_with_output()?;
    if !ended.status.success() {
        pif_tests::skip(&String::from_utf8_lossy(&ended.stderr))?;
        return Ok(None);
    }
    parse(&fs::read_to_string(log)?).map(Some)
}

fn parse(log: &str) -> Result<Vec<Call>> {
    let (mut calls, mut begun) = (Vec::new(), HashMap::new());
    for (number, line) in log.lines().enumerate() {
        let (thread, told) = line.split_once(' ').context("a thread")?;
        let told = told.trim_start();
        if let Some(start) = told.strip_suffix(" <unfinished ...>") {
            begun.insert(thread, (start.to_owned(), number));
            continue;
        }
        let (text, first) = match told.strip_prefix("<... ") {
            Some(rest) => {
                let (start, first) = begun.remove(thread).context("the start of a call")?;
                let rest = rest.split_once(" resumed>").context("resumed")?.1;
                (format!("{start}{rest}"), first)
            }
            None => (told.to_owned(), number),
        };
        // Signals and ends of threads are no calls.
        let (Some((name, rest)), false) = (text.split_once('('), text.starts_with(['+', '-']))
        else {
            continue;
        };
        let (arguments, result) = rest.rsplit_once(" = ").unwrap_or((rest, "?"));
        calls.push(Call {
            name: name.to_owned(),
            arguments: arguments.to_owned(),
            result: result.to_owned(),
            lines: [first, number],
        });
    }
    Ok(calls)
}

/// The line on which the answer to a request begins to be written.
fn answered(calls: &[Call], id: &str) -> Result<usize> {
    let quoted = format!(r#"\"id\":\"{id}\""#);
    let answer = calls.iter().find(|call| call.is(&["write", "writev"], &quoted));
    Ok(answer.with_context(|| format!("no answer to {id}"))?.lines[0])
}

/// Changes of the registry are synchronized before they are acknowledged; runs are written.
fn ensure_safe(calls: &[Call], changes: usize) -> Result<()> {
    let log = format!("{FILE}-wal");
    for n in 0..changes {
        let line = answered(calls, &format!("evolve {n}"))?;
        let before = || calls.iter().filter(|call| call.lines[1] < line);
        let written = before().rfind(|call| call.writes(&log)).context("nothing was written")?;
        let is_safe = before().any(|it| it.synchronizes(&log) && it.lines[0] > written.lines[1]);
        ensure!(is_safe, "change {n} was acknowledged before it was safe");
        let ran = answered(calls, &format!("run {n}"))?;
        let is_written =
            calls.iter().any(|it| it.writes(&log) && (line..ran).contains(&it.lines[1]));
        ensure!(is_written, "run {n} was answered before it was written down");
    }
    Ok(())
}

/// A checkpoint writes nothing that is not safe in the log, and the log goes when all is safe.
fn ensure_ordered(calls: &[Call]) -> Result<usize> {
    let log = format!("{FILE}-wal");
    let start = calls.iter().find(|it| it.name == "seccomp").map_or(0, |it| it.lines[1]);
    let (mut log_is_safe, mut file_is_safe, mut checkpoints) = (false, true, 0);
    for call in calls.iter().filter(|call| call.lines[0] > start) {
        if call.writes(&log) {
            // The header of a log that begins anew comes when the file is safe.
            let is_start = call.arguments.ends_with(", 0)");
            ensure!(!is_start || file_is_safe, "the log is used again too early: {call:?}");
            log_is_safe = false;
        } else if call.synchronizes(&log) {
            log_is_safe = true;
        } else if call.writes(FILE) {
            ensure!(log_is_safe, "the file is written before the log is safe: {call:?}");
            checkpoints += usize::from(file_is_safe);
            file_is_safe = false;
        } else if call.synchronizes(FILE) {
            file_is_safe = true;
        } else if call.is(&["unlink", "unlinkat"], &log) {
            ensure!(file_is_safe, "the log goes before the file is safe");
        }
    }
    Ok(checkpoints)
}

/// What the system refused to a hardened server: nothing that it has no way around.
fn ensure_not_refused(calls: &[Call]) -> Result<()> {
    let start = calls.iter().find(|it| it.name == "seccomp").map_or(usize::MAX, |it| it.lines[1]);
    for call in calls.iter().filter(|call| call.lines[0] > start) {
        let is_refused = ["ENOSYS", "EACCES", "EPERM"].iter().any(|it| call.result.contains(it));
        // Threads are made by an older call then; what libc asks about the machine is advice.
        let is_known = call.name == "clone3"
            || call.is(&["openat"], "\"/sys/")
            || call.is(&["openat"], "\"/proc/");
        ensure!(!is_refused || is_known, "{call:?}");
    }
    Ok(())
}

#[test]
#[ignore = "needs strace"]
fn what_is_acknowledged_is_safe_and_nothing_is_refused() -> Result<()> {
    // Enough for a checkpoint while it serves, at a thousand pages.
    const CHANGES: usize = 150;
    let folder = Folder::new()?;
    let data = folder.path().join("new/data");
    let mut lines = vec![request(&json!("hello"), "initialize", &initialize())];
    for n in 0..CHANGES {
        let name = format!("tool_{n}");
        let tool = json!({"name": name, "description": "Adds", "code": adder(n as u64)});
        lines.push(call(&json!(format!("evolve {n}")), "evolve", &tool.to_string()));
        let run = json!({"tool": name, "data": 1});
        lines.push(call(&json!(format!("run {n}")), "run", &run.to_string()));
    }
    let Some(calls) = trace(&folder, &data, &lines)? else { return Ok(()) };
    let path = |path: &Path| path.display().to_string();
    for made in [folder.path().to_owned(), folder.path().join("new"), data] {
        let is_safe = calls.iter().any(|call| call.synchronizes(&path(&made)));
        ensure!(is_safe, "{} is not synchronized", made.display());
    }
    ensure_safe(&calls, CHANGES)?;
    let checkpoints = ensure_ordered(&calls)?;
    ensure_not_refused(&calls)?;
    println!("{} calls, {CHANGES} changes safe, {checkpoints} checkpoints in order", calls.len());
    ensure!(checkpoints >= 2, "{checkpoints} checkpoints");
    Ok(())
}
