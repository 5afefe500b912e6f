//! Standard streams that nobody reads, that cannot be written, or that do not block. Whatever is
//! wrong with standard error harms nothing; what goes to standard output is whole, or is told to
//! be missing.

use super::client::{call, command, initialize, request};
use super::folder::Folder;
use super::text::OMEGA;
use anyhow::{Context, Result, anyhow, ensure};
use rustix::io::ioctl_fionbio;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Read, Write, pipe};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::thread::{sleep, spawn};
use std::time::Duration;

/// A server whose standard error is of a certain kind, with its input and its output.
struct Server {
    child: Child,
    input: PipeWriter,
    output: BufReader<PipeReader>,
    _folder: Folder,
}

impl Server {
    fn start(arguments: &[&str], errors: Stdio) -> Result<Self> {
        let folder = Folder::new()?;
        let (stdin, input) = pipe()?;
        let (output, stdout) = pipe()?;
        let mut server = command(&folder)?;
        let server = server.args(arguments).stdin(stdin).stdout(stdout).stderr(errors);
        let child = server.spawn()?;
        let mut server = Self { child, input, output: BufReader::new(output), _folder: folder };
        server.ask("initialize", &request(&json!("initialize"), "initialize", &initialize()))?;
        server.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)?;
        Ok(server)
    }

    fn send(&mut self, line: &str) -> Result<()> {
        Ok(writeln!(self.input, "{line}")?)
    }

    /// The next line of the output.
    fn next(&mut self) -> Result<Value> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        serde_json::from_str(&line).with_context(|| format!("no message: {line:?}"))
    }

    /// The answer to a line with an id.
    fn ask(&mut self, id: &str, line: &str) -> Result<Value> {
        self.send(line)?;
        let answer = self.next()?;
        ensure!(answer["id"] == id, "{answer}");
        Ok(answer)
    }

    /// The structured content of a call.
    fn call(&mut self, tool: &str, arguments: &str) -> Result<Value> {
        let answer = self.ask(tool, &call(&json!(tool), tool, arguments))?;
        Ok(answer["result"]["structuredContent"].clone())
    }

    fn finish(mut self) -> Result<()> {
        drop(self.input);
        let mut rest = String::new();
        self.output.read_to_string(&mut rest)?;
        let status = self.child.wait()?;
        ensure!(status.success() && rest.is_empty(), "{status}: {rest}");
        Ok(())
    }
}

/// A pipe that nobody reads any more.
fn broken() -> Result<Stdio> {
    Ok(pipe()?.1.into())
}

fn full() -> Result<Stdio> {
    Ok(File::options().write(true).open("/dev/full")?.into())
}

#[test]
fn standard_error_that_cannot_be_written_harms_nothing() -> Result<()> {
    for errors in [broken as fn() -> Result<Stdio>, full] {
        // More than any call is logged there, and each step of a run is written.
        for arguments in [&["--log", "trace"][..], &["--debug"], &["--log", "trace", "--debug"]] {
            let mut server = Server::start(arguments, errors()?)?;
            for _ in 0..3 {
                let told = server.call("run", r#"{"code":{"add":[40,2]}}"#)?;
                assert_eq!(told["value"], 42, "{arguments:?}: {told}");
            }
            server.finish()?;
        }
    }
    Ok(())
}

/// A run that writes more than anybody keeps for a reader: each step tells of a long name.
fn outrun(server: &mut Server) -> Result<()> {
    let mut arguments: Value = serde_json::from_str(&OMEGA)?;
    let long = "a".repeat(2_000);
    arguments["code"] = json!({"let": [[long, 1]], "in": arguments["code"]});
    let told = server.call("run", &arguments.to_string())?;
    ensure!(told["code"] == "timeout", "{told}");
    let told = server.call("run", r#"{"code":{"add":[40,2]}}"#)?;
    ensure!(told["value"] == 42, "{told}");
    Ok(())
}

const TALKATIVE: &[&str] = &["--debug", "--wall-clock", "1s", "--fuel", "1G", "--concurrency", "1"];

#[test]
fn standard_error_that_nobody_reads_stops_no_run_and_no_clock() -> Result<()> {
    let (errors, stderr) = pipe()?;
    let mut server = Server::start(TALKATIVE, stderr.into())?;
    outrun(&mut server)?;
    server.finish()?;
    drop(errors);
    Ok(())
}

#[test]
fn lines_that_are_missing_are_counted() -> Result<()> {
    let (errors, stderr) = pipe()?;
    let mut server = Server::start(TALKATIVE, stderr.into())?;
    outrun(&mut server)?;
    let reader = spawn(move || BufReader::new(errors).lines().collect::<Result<Vec<_>, _>>());
    server.finish()?;
    let lines = reader.join().map_err(|_| anyhow!("not read"))??;
    let told = lines.iter().find(|line| line.contains(" missing here"));
    let told = told.with_context(|| format!("{} lines, and none is missing", lines.len()))?;
    let count = told.split(' ').nth(1).and_then(|count| count.parse::<u64>().ok());
    ensure!(count.is_some_and(|count| count > 0), "{told}");
    Ok(())
}

/// Two ends of a stream: one to read, and one to write that does not block.
fn ends(is_pipe: bool) -> Result<(Box<dyn Read>, OwnedFd)> {
    let (output, stdout): (Box<dyn Read>, OwnedFd) = if is_pipe {
        let (output, stdout) = pipe()?;
        (Box::new(output), stdout.into())
    } else {
        let (output, stdout) = UnixStream::pair()?;
        (Box::new(output), stdout.into())
    };
    ioctl_fionbio(&stdout, true)?;
    Ok((output, stdout))
}

/// Reads all, slowly at first.
fn read_late(mut output: impl Read) -> Result<String> {
    sleep(Duration::from_millis(300));
    let mut text = String::new();
    output.read_to_string(&mut text)?;
    Ok(text)
}

#[test]
fn output_that_does_not_block_is_waited_for() -> Result<()> {
    const CALLS: u64 = 30;
    for is_pipe in [true, false] {
        let folder = Folder::new()?;
        let (output, stdout) = ends(is_pipe)?;
        let (stdin, mut input) = pipe()?;
        let mut server = command(&folder)?.stdin(stdin).stdout(stdout).spawn()?;
        writeln!(input, "{}", request(&json!("first"), "initialize", &initialize()))?;
        for id in 0..CALLS {
            writeln!(input, "{}", request(&json!(id), "tools/list", &json!({})))?;
        }
        drop(input);
        let text = read_late(output)?;
        let whole = text.lines().filter(|line| serde_json::from_str::<Value>(line).is_ok());
        assert_eq!(whole.count(), usize::try_from(CALLS)? + 1, "{} bytes", text.len());
        assert!(text.ends_with('\n') && server.wait()?.success());
    }
    Ok(())
}

#[test]
fn commands_wait_for_output_that_does_not_block() -> Result<()> {
    let component = pif_sandbox::COMPONENT.len();
    for is_pipe in [true, false] {
        for (arguments, length) in
            [(&["run", "@long.json"][..], 300_001), (&["component"], component)]
        {
            let folder = Folder::new()?;
            let long = format!("\"{}\"", "a".repeat(300_000));
            fs::write(folder.path().join("long.json"), long)?;
            let (output, stdout) = ends(is_pipe)?;
            let mut command = command(&folder)?;
            let command = command.args(arguments).current_dir(folder.path()).stdout(stdout);
            let mut child = command.spawn()?;
            command.stdout(Stdio::null());
            sleep(Duration::from_millis(300));
            assert_eq!(BufReader::new(output).bytes().count(), length, "{arguments:?}");
            assert!(child.wait()?.success());
        }
    }
    Ok(())
}

#[test]
fn input_that_does_not_block_is_waited_for() -> Result<()> {
    let folder = Folder::new()?;
    let (stdin, mut input) = pipe()?;
    ioctl_fionbio(&stdin, true)?;
    let mut run = command(&folder)?;
    let child = run.args(["run", "-"]).stdin(stdin).stdout(Stdio::piped()).spawn()?;
    drop(run);
    sleep(Duration::from_millis(100));
    input.write_all(br#"{"add":"#)?;
    sleep(Duration::from_millis(100));
    input.write_all(b"[40,2]}")?;
    drop(input);
    assert_eq!(child.wait_with_output()?.stdout, b"42\n");
    Ok(())
}

/// The answers are computed; the client is slow, but there.
#[test]
fn answers_are_written_whole_after_the_end_of_input() -> Result<()> {
    const CALLS: u64 = 12;
    let folder = Folder::new()?;
    let mut server = command(&folder)?;
    let (stdin, mut input) = pipe()?;
    let (output, stdout) = pipe()?;
    let mut child = server.stdin(stdin).stdout(stdout).spawn()?;
    drop(server);
    writeln!(input, "{}", request(&json!("first"), "initialize", &initialize()))?;
    for id in 0..CALLS {
        writeln!(input, "{}", request(&json!(id), "tools/list", &json!({})))?;
    }
    drop(input);
    // Longer than runs have after the end of input.
    sleep(Duration::from_millis(1_500));
    let lines: Vec<String> = BufReader::new(output).lines().collect::<Result<_, _>>()?;
    for line in &lines {
        serde_json::from_str::<Value>(line)?;
    }
    assert_eq!(lines.len(), usize::try_from(CALLS)? + 1);
    assert!(child.wait()?.success());
    Ok(())
}

/// A store with a tool, and a term so long that it passes every buffer.
fn shop() -> Result<(Folder, String)> {
    let folder = Folder::new()?;
    let mut server = command(&folder)?;
    let (stdin, mut input) = pipe()?;
    let mut child = server.stdin(stdin).stdout(Stdio::null()).spawn()?;
    drop(server);
    let long = format!("\"{}\"", "a".repeat(20_000));
    writeln!(input, "{}", request(&json!("first"), "initialize", &initialize()))?;
    for (name, code) in [("long", long.as_str()), ("short", "1")] {
        let arguments = format!(r#"{{"name":"{name}","description":"A text","code":{code}}}"#);
        writeln!(input, "{}", call(&json!(name), "evolve", &arguments))?;
    }
    drop(input);
    ensure!(child.wait()?.success(), "the tools are not made");
    Ok((folder, long))
}

fn fails(command: &mut Command, stdout: Stdio, sentences: usize) -> Result<()> {
    let output = command.stdin(Stdio::null()).stdout(stdout).stderr(Stdio::piped());
    let output = output.spawn()?.wait_with_output()?;
    let errors = String::from_utf8(output.stderr)?;
    ensure!(output.status.code() == Some(1), "{command:?}: {}: {errors}", output.status);
    let told = errors.lines().filter(|line| line.contains("output could not be written whole"));
    ensure!(told.count() == sentences, "{command:?}: {errors:?}");
    Ok(())
}

#[test]
fn output_that_is_not_whole_fails_with_a_sentence() -> Result<()> {
    let (folder, long) = shop()?;
    for arguments in [
        &["run", "1"][..],
        &["run", &long],
        &["check", "1"],
        &["check", &long],
        &["export", "short"],
        &["export", "long"],
        &["journal"],
        &["journal", "--json"],
        &["journal", "export"],
        &["journal", "verify"],
        &["replay", "--all"],
        &["component"],
        &["completions", "bash"],
        &["man"],
        &["man", "run"],
        &["--help"],
        &["-h"],
        &["run", "--help"],
        &["--version"],
        &["-V"],
    ] {
        // A closed pipe was read as far as somebody wanted: it needs no words.
        for (stdout, sentences) in [(full()?, 1), (broken()?, 0)] {
            let mut command = command(&folder)?;
            fails(command.args(arguments), stdout, sentences)?;
        }
    }
    Ok(())
}
