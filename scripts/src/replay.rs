//! Many different runs on one server, while tools change, and then all of them again from the
//! journal: each has to come out the same.

use anyhow::{Context, Result, anyhow, bail, ensure};
use pif::request::{Argument, Program, Source};
use pif_tests::generate::{Sample, sample};
use pif_tests::server::binary;
use pif_tests::server::client::{call, request};
use pif_tests::server::folder::Folder;
use pif_tests::server::pipe::{Output, Pipe};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Runs between two changes of a tool.
const BETWEEN: u64 = 50;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// How many runs to make
    #[arg(default_value_t = 100_000)]
    runs: u64,
}

/// Runs, replays, and compares.
pub(crate) fn run(&Options { runs }: &Options) -> Result<()> {
    let server = binary::path()?;
    let folder = Folder::new()?;
    let command = |arguments: &[&str]| {
        let mut command = Command::new(server);
        command.arg("--data").arg(folder.path()).args(["--wall-clock", "5min"]).args(arguments);
        command
    };
    let start = Instant::now();
    serve(Pipe::start(&mut command(&["--journal-size", "64GiB"]))?, runs)?;
    let served = start.elapsed();
    let start = Instant::now();
    let counts = replay(command(&["replay", "--all"]))?;
    report(runs, counts, [served, start.elapsed()], size(folder.path())?)
}

/// Sends everything to a server and waits until all is answered.
fn serve(mut server: Pipe, runs: u64) -> Result<()> {
    // The server reads no faster than its answers are read.
    let output = server.take_output()?;
    let reader = thread::spawn(move || read(output, runs));
    let sent = send(&mut server, runs);
    // All is answered before the input may end.
    reader.join().map_err(|_| anyhow!("the reader died"))??;
    sent?;
    server.finish()
}

fn read(mut output: Output, runs: u64) -> Result<()> {
    let mut answered = 0;
    while answered < runs {
        let line = output.answer()?;
        let line = line.with_context(|| format!("{answered} of {runs} runs were answered"))?;
        let message: Value = serde_json::from_str(&line)?;
        ensure!(message.get("result").is_some(), "{message}");
        answered += u64::from(message["id"].is_u64());
    }
    Ok(())
}

fn send(server: &mut Pipe, runs: u64) -> Result<()> {
    for seed in 0..runs {
        let Sample { program, limits } = sample(seed);
        if seed.is_multiple_of(BETWEEN) {
            // The first time all tools, later the one that is another for each seed.
            let changed = if seed == 0 { 0 } else { program.tools.len() - 1 };
            for (name, code) in program.tools.iter().skip(changed) {
                let tool = json!({"name": name, "description": name, "code": code});
                let params = json!({"name": "evolve", "arguments": tool});
                let id = json!(format!("{name} {seed}"));
                server.write_lines(request(&id, "tools/call", &params) + "\n")?;
            }
        }
        let arguments = arguments(&program, limits.fuel, limits.depth, seed % 7);
        server.write_lines(call(&json!(seed), "run", &arguments) + "\n")?;
    }
    Ok(())
}

/// What `run` is called with. Texts of the program pass as they are.
fn arguments(program: &Program, fuel: u64, depth: u32, max_steps: u64) -> String {
    let one_line = |text: &str| text.replace(['\n', '\r'], " ");
    let mut members = vec![
        match &program.code {
            Source::Term(text) => format!(r#""code":{}"#, one_line(text)),
            Source::Tool(name) => format!(r#""tool":{}"#, Value::from(name.as_str())),
        },
        format!(r#""fuel":{fuel},"depth":{depth},"max_steps":{max_steps}"#),
    ];
    match &program.argument {
        Argument::None | Argument::Unapplied => {}
        Argument::Input(text) => members.push(format!(r#""input":{}"#, one_line(text))),
        Argument::Data(text) => members.push(format!(r#""data":{}"#, one_line(text))),
    }
    if let Some(context) = &program.context {
        members.push(format!(r#""context":{}"#, one_line(context)));
    }
    if program.step > 0 {
        members.push(format!(r#""step":{}"#, program.step));
    }
    format!("{{{}}}", members.join(","))
}

/// How many replays were equal, and how many entries were no runs.
fn replay(mut command: Command) -> Result<[u64; 2]> {
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let output = BufReader::new(child.stdout.take().context("no output")?);
    let mut equal = 0;
    let mut others = 0;
    let mut summary = String::new();
    for line in output.lines() {
        let line = line?;
        match line.split_once(' ') {
            Some((_, "equal")) => equal += 1,
            Some((_, reason)) if reason.starts_with("skipped: it is not a run") => others += 1,
            _ if line.ends_with(" skipped") => summary = line,
            _ => bail!("{line}"),
        }
    }
    ensure!(child.wait()?.success(), "the replay fails");
    let expected = format!("{equal} equal, 0 different, {others} skipped");
    ensure!(summary == expected, "`{summary}` instead of `{expected}`");
    Ok([equal, others])
}

/// Bytes of a directory's files.
fn size(directory: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(directory)? {
        bytes += entry?.metadata()?.len();
    }
    Ok(bytes)
}

fn report(runs: u64, [equal, others]: [u64; 2], times: [Duration; 2], size: u64) -> Result<()> {
    let [served, replayed] = times.map(|time| time.as_secs_f64());
    println!("{runs} runs served in {served:.1} s, the store has {size} bytes");
    println!(
        "{equal} replayed equal in {replayed:.1} s; {others} entries are changes and refusals"
    );
    ensure!(equal > 0 && equal + others >= runs, "there are fewer entries than runs");
    Ok(())
}
