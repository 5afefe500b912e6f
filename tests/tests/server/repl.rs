//! `mcp-pif repl`: over a pipe, and at a terminal that `script` of util-linux makes.

use super::binary;
use super::folder::{Folder, cache};
use anyhow::{Context, Result, ensure};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long a terminal is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// What comes of lines through a pipe.
fn pipe(folder: &Path, lines: &str) -> Result<Output> {
    let mut command = Command::new(binary::path()?);
    command.env_clear().env("MCP_PIF_CACHE", cache()).arg("--data").arg(folder).arg("repl");
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    child.stdin.take().context("stdin")?.write_all(lines.as_bytes())?;
    Ok(child.wait_with_output()?)
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn lines_through_a_pipe_are_turns() -> Result<()> {
    let folder = Folder::new()?;
    let lines =
        "a = [1, 2, 3]\nf = x => x * 2\na.map(f)\n[{id: 1},\n {id: 2}]\n\n:type a\n:source f\n";
    let output = pipe(folder.path(), lines)?;
    assert_eq!(told(&output), "[2,4,6]\n[{\"id\":1},{\"id\":2}]\nlist of 3 integer\nx => x * 2\n");
    ensure!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    // Another process goes on, and the last turn decides about the exit code.
    let output = pipe(folder.path(), "a.map(f).sum()\na +")?;
    assert_eq!(told(&output), "12\n");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(output.status.code() == Some(1) && errors.contains("line 1, column 4"), "{errors}");
    let output = pipe(folder.path(), "gone\n1 + 1\n")?;
    ensure!(output.status.success() && told(&output) == "2\n", "{output:?}");
    // A turn that fails binds nothing.
    let output = pipe(folder.path(), "a = 1 / 0\na\n:forget a\n:bindings")?;
    ensure!(told(&output).starts_with("[1,2,3]\n"), "{output:?}");
    ensure!(!told(&output).contains("\na: "), "{output:?}");
    Ok(())
}

#[test]
fn commands_answer_through_a_pipe() -> Result<()> {
    let folder = Folder::new()?;
    let lines = "x = {b: 2, a: \"é\"}\n:save s\n:forget\n:load s\nx.a\n:check x => x\n:doc fold\n:limits\n:fuel 1 + 1\n:history\n:help\n";
    let output = pipe(folder.path(), lines)?;
    let text = told(&output);
    for part in ["saved\n", "loaded\né\n", "x => x\n", "{\"fold\":", "bindings", " fuel, ", ":quit"]
    {
        ensure!(text.contains(part), "{part}: {text}");
    }
    ensure!(output.status.success(), "{output:?}");
    for (line, hint) in [
        (":bindngs", "did you mean :bindings?"),
        (":source gone", "neither a binding nor a tool"),
        (":doc fild", "did you mean"),
        (":save", "write a name"),
        (":load nothing", "unknown"),
    ] {
        let output = pipe(folder.path(), line)?;
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(output.status.code() == Some(1), "{line}: {output:?}");
        ensure!(errors.contains(hint), "{line}: {errors}");
    }
    Ok(())
}

#[test]
fn hostile_input_is_refused_and_what_follows_is_made() -> Result<()> {
    let folder = Folder::new()?;
    let long = format!("\"{}\"\n1 + 1\n", "x".repeat(10 << 20));
    let output = pipe(folder.path(), &long)?;
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(told(&output) == "2\n" && errors.contains("too-large"), "{errors}");
    // Nobody closes this.
    let output = pipe(folder.path(), &format!("{}\n1\n", "[\n".repeat(500)))?;
    ensure!(told(&output).ends_with("1\n"), "{output:?}");
    let mut command = Command::new(binary::path()?);
    command.env_clear().env("MCP_PIF_CACHE", cache()).arg("--data").arg(folder.path()).arg("repl");
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    child.stdin.take().context("stdin")?.write_all(b"\xff\xfe\n1\n")?;
    let output = child.wait_with_output()?;
    ensure!(output.status.code() == Some(1), "{output:?}");
    Ok(())
}

/// A terminal with the session in it.
struct Terminal {
    child: Child,
    input: ChildStdin,
    seen: Arc<Mutex<Vec<u8>>>,
    /// Where in the output the next text is looked for.
    from: usize,
}

impl Terminal {
    /// None where there is no `script` that makes terminals.
    fn open(folder: &Path, variables: &[(&str, &str)], flags: &str) -> Result<Option<Self>> {
        let known = Command::new("script").arg("--version").output();
        if !known.is_ok_and(|it| String::from_utf8_lossy(&it.stdout).contains("util-linux")) {
            return Ok(None);
        }
        let (binary, data) = (binary::path()?, folder.display());
        let line =
            format!("stty cols 80 rows 24; exec {} --data {data} {flags} repl", binary.display());
        let mut command = Command::new("script");
        command.args(["-qfec", &line, "/dev/null"]).env_remove("NO_COLOR");
        command.env("MCP_PIF_CACHE", cache()).env("TERM", "xterm").env("SHELL", "/bin/sh");
        command.envs(variables.iter().copied());
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let input = child.stdin.take().context("stdin")?;
        let mut output = child.stdout.take().context("stdout")?;
        let seen = Arc::<Mutex<Vec<u8>>>::default();
        let kept = Arc::clone(&seen);
        thread::spawn(move || {
            let mut bytes = [0; 4_096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                kept.lock().unwrap_or_else(PoisonError::into_inner).extend(&bytes[..count]);
            }
        });
        Ok(Some(Self { child, input, seen, from: 0 }))
    }

    fn send(&mut self, keys: &str) -> Result<()> {
        self.input.write_all(keys.as_bytes())?;
        Ok(self.input.flush()?)
    }

    fn seen(&self) -> String {
        String::from_utf8_lossy(&self.seen.lock().unwrap_or_else(PoisonError::into_inner))
            .into_owned()
    }

    /// Waits for a text behind the last one.
    fn expect(&mut self, text: &str) -> Result<()> {
        let start = Instant::now();
        loop {
            let seen = self.seen();
            if let Some(at) = seen.get(self.from..).and_then(|rest| rest.find(text)) {
                self.from += at + text.len();
                return Ok(());
            }
            ensure!(start.elapsed() < PATIENCE, "no {text:?} in {:?}", seen.get(self.from..));
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn end(mut self) -> Result<String> {
        self.send("\u{4}")?;
        let status = self.child.wait()?;
        ensure!(status.success(), "{status}: {:?}", self.seen());
        Ok(self.seen())
    }
}

#[test]
fn people_talk_with_a_session() -> Result<()> {
    let folder = Folder::new()?;
    let flags = "--fuel-ceiling 1000000G --fuel 1000000G --wall-clock 300s";
    let Some(mut terminal) = Terminal::open(folder.path(), &[], flags)? else {
        println!("skipped: `script` of util-linux is not there");
        return Ok(());
    };
    terminal.expect("pif> ")?;
    terminal.send("orders = [{id: 1, region: \"north\"}, {id: 20, region: \"söuth\"}]\r")?;
    terminal.expect("orders: list")?;
    terminal.send("orders\r")?;
    terminal.expect("id  region")?;
    terminal.expect("\r\n20  söuth")?;
    // An open bracket goes on.
    terminal.send("[1,\r2].sum()\r")?;
    terminal.expect("3\r\n")?;
    // Tab completes commands, bindings and forms.
    terminal.send(":bind\t\r")?;
    terminal.expect("orders: list, ")?;
    terminal.send("lengt\t(ord\t)\r")?;
    terminal.expect("\r\n2\r\n")?;
    // What a terminal would obey is shown.
    terminal.send("json_parse(\"\\\"\\\\u001b[31mred\\\"\")\r")?;
    terminal.expect("red")?;
    terminal.expect("pif> ")?;
    // Ctrl-C stops the run; the session stays.
    terminal.send("(f => f(f))(f => f(f))\r")?;
    thread::sleep(Duration::from_millis(700));
    let start = Instant::now();
    terminal.send("\u{3}")?;
    terminal.expect("cancelled")?;
    ensure!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    terminal.send("orders.map(o => o.id).sum() * 2\r")?;
    terminal.expect("42")?;
    let seen = terminal.end()?;
    ensure!(seen.contains("\u{1b}[1;36m") && !seen.contains("\u{1b}[31m"), "{seen:?}");
    // The history and the bindings are there again, and no colors where none are wanted.
    let mode = std::fs::metadata(folder.path().join("repl_history"))?;
    ensure!(std::os::unix::fs::PermissionsExt::mode(&mode.permissions()) & 0o77 == 0);
    let again = Terminal::open(folder.path(), &[("NO_COLOR", "1")], "")?;
    let mut terminal = again.context("`script` is gone")?;
    terminal.expect("pif> ")?;
    terminal.send("\u{1b}[A\r")?;
    terminal.expect("42")?;
    let seen = terminal.end()?;
    ensure!(!seen.contains("\u{1b}[1;36m"), "{seen:?}");
    Ok(())
}
