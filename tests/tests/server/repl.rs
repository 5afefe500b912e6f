//! `mcp-pif repl`: over a pipe, and at a terminal that `script` of util-linux makes.

use super::binary;
use super::folder::{Folder, cache};
use anyhow::{Context, Result, ensure};
use pif_tests::server::terminal::Terminal;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

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
    // JSON goes on, too, and a function is a value.
    let output = pipe(folder.path(), "{\"add\": [1,\n 2]}\n[1,\n 2].sum()\nf\nx => x\n")?;
    assert_eq!(told(&output), "3\n3\n<function>\n<function>\n");
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
    ensure!(output.status.code() == Some(1) && told(&output).is_empty(), "{output:?}");
    let mut command = Command::new(binary::path()?);
    command.env_clear().env("MCP_PIF_CACHE", cache()).arg("--data").arg(folder.path()).arg("repl");
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    child.stdin.take().context("stdin")?.write_all(b"\xff\xfe\n1\n")?;
    let output = child.wait_with_output()?;
    ensure!(output.status.code() == Some(1), "{output:?}");
    Ok(())
}

#[test]
fn people_talk_with_a_session() -> Result<()> {
    let folder = Folder::new()?;
    let flags = "--fuel-ceiling 1000000G --fuel 1000000G --wall-clock 300s";
    let Some(mut terminal) = Terminal::open(folder.path(), &[], flags)? else {
        pif_tests::skip("`script` of util-linux is not there")?;
        return Ok(());
    };
    terminal.expect("pif> ")?;
    terminal.send("orders = [{id: 1, region: \"north\"}, {id: 20, region: \"söuth\"}]\r")?;
    terminal.expect("orders: list")?;
    terminal.send("orders\r")?;
    terminal.expect("id  region")?;
    terminal.expect("\r\n20  söuth")?;
    // An open bracket goes on.
    terminal.send("[1,\r")?;
    terminal.expect("…> ")?;
    terminal.send("2].sum()\r")?;
    terminal.expect("3\r\n")?;
    // Tab completes commands, bindings and forms.
    terminal.send(":bind\t\r")?;
    terminal.expect("orders: list, ")?;
    terminal.send("lengt\t(ord\t)\r")?;
    terminal.expect("\r\n2\r\n")?;
    // It completes members of what stands before the point, by its type.
    terminal.send("orders.filter(o => o.reg\t == \"söuth\").map(o => o.id)\r")?;
    terminal.expect("[20]")?;
    // What a terminal would obey is shown.
    terminal.send("json_parse(\"\\\"\\\\u001b[31mred\\\"\")\r")?;
    terminal.expect("red")?;
    terminal.expect("pif> ")?;
    // Ctrl-C stops the run; the session stays.
    terminal.send("(f => f(f))(f => f(f))\r")?;
    thread::sleep(Duration::from_secs(2));
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

#[test]
fn declarations_bind_and_commands_end_what_has_no_end() -> Result<()> {
    let folder = Folder::new()?;
    let lines =
        "const k = 1\nlet f = x => x + k;\nvar t = {\n a: 2\n}\nf(t.a)\nconst j = 5; j + k\n";
    let output = pipe(folder.path(), lines)?;
    assert_eq!(told(&output), "3\n6\n", "{output:?}");
    ensure!(output.status.success(), "{output:?}");
    let output = pipe(folder.path(), "[1,\n:source k\n")?;
    ensure!(told(&output) == "1\n" && !output.stderr.is_empty(), "{output:?}");
    for (lines, hint) in [
        ("gone", "NAME = PROGRAM"),
        (":fuel 10\nrange(1, 1000).sum()", ":fuel 4G"),
        (":depth 10\n(f => f(f, 100))((f, n) => n == 0 ? 0 : 1 + f(f, n - 1))", ":depth 100k"),
        (":memory 1MiB\nrange(1, 1000000)", ":memory 512MiB"),
        (":fuel 99999G", "write 1 to"),
        (":more", "nothing is left"),
    ] {
        let output = pipe(folder.path(), lines)?;
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(output.status.code() == Some(1) && errors.contains(hint), "{lines}: {errors}");
    }
    let output = pipe(folder.path(), ":fuel 10\n:fuel 10M\nrange(1, 1000).sum()")?;
    ensure!(told(&output).ends_with("499500\n"), "{output:?}");
    Ok(())
}

#[test]
fn a_session_that_is_not_there_is_told_at_once() -> Result<()> {
    let folder = Folder::new()?;
    let mut command = Command::new(binary::path()?);
    command.env_clear().env("MCP_PIF_CACHE", cache()).arg("--data").arg(folder.path());
    let command = command.args(["repl", "--session", "nope"]).stdin(Stdio::null());
    let output = command.output()?;
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(output.status.code() == Some(1) && errors.contains("unknown-session"), "{output:?}");
    Ok(())
}

#[test]
fn pastes_are_turns_and_long_values_come_in_pages() -> Result<()> {
    let folder = Folder::new()?;
    let Some(mut terminal) = Terminal::open(folder.path(), &[("NO_COLOR", "1")], "")? else {
        pif_tests::skip("`script` of util-linux is not there")?;
        return Ok(());
    };
    terminal.expect("pif> ")?;
    let paste = |text: &str| format!("\u{1b}[200~{text}\u{1b}[201~\r");
    terminal.send(&paste("a = 40\rf = x => {\r\r  return x + 2\r}\r[a]\r  .map(f)\r:type a\r"))?;
    terminal.expect("a: integer")?;
    terminal.expect("f: function")?;
    terminal.expect("[42]")?;
    terminal.expect("integer")?;
    // What has no end goes on behind another prompt, until an empty line or a command.
    terminal.send("[1,\r")?;
    terminal.expect("…> ")?;
    terminal.send("2].sum() * 100\r")?;
    terminal.expect("300")?;
    terminal.send("{\"add\": [1,\r")?;
    terminal.expect("…> ")?;
    terminal.send("4000]}\r")?;
    terminal.expect("4001")?;
    terminal.send("[1,\r")?;
    terminal.expect("…> ")?;
    terminal.send("\r")?;
    terminal.expect("unparsable")?;
    terminal.send(":check a +\r")?;
    terminal.expect("…> ")?;
    terminal.send(":doc fold\r")?;
    terminal.expect("unparsable")?;
    terminal.expect("{\"fold\"")?;
    terminal.send("range(1, 100000)\r")?;
    terminal.expect("`:more` goes on")?;
    terminal.send(":more\r")?;
    terminal.expect("`:more` goes on")?;
    terminal.send("\"ab\".repeat(50000)\r")?;
    terminal.expect("characters more")?;
    let seen = terminal.end()?;
    ensure!(seen.len() < 60_000, "{}", seen.len());
    Ok(())
}
